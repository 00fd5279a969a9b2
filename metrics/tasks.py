"""The error of an estimate for such tasks in general, of which the tasks at hand are a sample."""

import numpy as np
from numpy.typing import NDArray

from metrics.greg import Greg
from metrics.sample import Population, Sample

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


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
    tasks = tasks_of(sample, population)
    return over_tasks(task_scores(sample, population, found, tasks)), len(tasks)


def tasks_of(sample: Sample, population: Population) -> Codes:
    """The tasks of the slice, in rising order."""
    frame, rows = _given(sample, population)
    return np.unique(np.concatenate([frame[np.asarray(population.count) > 0], rows[sample.in_slice]]))


def task_scores(sample: Sample, population: Population, found: Greg, tasks: Codes) -> Floats:
    """The z of each of `tasks`, which are in rising order; 0 for a task that is not of the slice."""
    frame, rows = _given(sample, population)
    here, counted = sample.in_slice, np.asarray(population.count) > 0
    predicted = np.asarray(population.count) * found.predicted_score(population)
    z = np.bincount(np.searchsorted(tasks, frame[counted]), predicted[counted], len(tasks))
    seen = (sample.design.weight * found.score(sample))[here]
    return np.asarray(z + np.bincount(np.searchsorted(tasks, rows[here]), seen, len(tasks)), dtype=np.float64)


def over_tasks(z: Floats) -> float:
    """G / (G - 1) * sum_g (z_g - zbar)^2; 0 for a single task."""
    count = len(z)
    return float(count / (count - 1) * np.sum((z - z.mean()) ** 2)) if count > 1 else 0.0


def _given(sample: Sample, population: Population) -> tuple[Codes, Codes]:
    if sample.task is None or population.task is None:
        raise ValueError("for such tasks in general, give the task of every sampled row and of every group of rows")
    return population.task, sample.task
