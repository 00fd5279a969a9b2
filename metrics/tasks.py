"""The error of an estimate for such tasks in general, of which the tasks at hand are a sample."""

import numpy as np

from metrics.greg import Greg
from metrics.sample import Population, Sample


def task_variance(sample: Sample, population: Population, found: Greg) -> tuple[float, int]:
    """Variance over tasks, by ultimate clusters, and the number G of tasks.

    With z_g the predicted scores of all rows of task g plus the weighted scores of its sampled rows,
    Var = G / (G - 1) * sum_g (z_g - zbar)^2. It holds both the spread of tasks and the error of the audit within them;
    the spread of the judge's values alone would be too small, as a judge blurs differences.

    Assumes the tasks are like a random sample of such tasks.

    Returns:
        The variance, 0 for a single task, and G.

    Raises:
        ValueError: The tasks of the rows are not given.

    Source: Hansen, Hurwitz & Madow (1953), Sample Survey Methods and Theory, volume 1, chapter 6; Wolter (2007),
    Introduction to Variance Estimation, section 2.4, doi:10.1007/978-0-387-35099-8.
    """
    if sample.task is None or population.task is None:
        raise ValueError("for such tasks in general, give the task of every sampled row and of every group of rows")
    here, w = sample.in_slice, sample.design.weight
    frame = np.asarray(population.count) > 0
    tasks = np.unique(np.concatenate([population.task[frame], sample.task[here]]))
    z = np.bincount(
        np.searchsorted(tasks, population.task[frame]),
        (np.asarray(population.count) * found.predicted_score(population))[frame],
        len(tasks),
    )
    z += np.bincount(np.searchsorted(tasks, sample.task[here]), (w * found.score(sample))[here], len(tasks))
    count = len(tasks)
    if count < 2:
        return 0.0, count
    return float(count / (count - 1) * np.sum((z - z.mean()) ** 2)), count
