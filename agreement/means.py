"""Means of bounded scores over units that may come in tasks, with an interval that never has zero width."""

import math

import numpy as np
from numpy.typing import ArrayLike

from agreement.interval import FLAT, Ends, check_level, clopper_pearson, containing, logit_student, student
from agreement.result import Agreement
from agreement.tally import Floats, Integers


def group_sums(values: Floats, cluster: ArrayLike | None) -> Floats:
    """Sum of the values of each cluster, shape (clusters,); the values themselves where there are none."""
    if cluster is None:
        return values
    group: Integers = np.unique(np.asarray(cluster), return_inverse=True)[1].reshape(-1)
    return np.bincount(group, values).astype(np.float64)


def bounded_mean(
    name: str,
    values: Floats,
    *,
    cluster: ArrayLike | None,
    bounds: tuple[float, float],
    level: float,
    n_dropped: int,
    nobody: str,
) -> Agreement:
    """Mean of scores in `bounds`, with a standard error over clusters.

    Shares (bounds 0 and 1) get Student's interval on the logit scale, others the plain one. Where nothing varied,
    at most a Clopper-Pearson share of the clusters is different, by as much as the bounds allow.

    Args:
        name: What the result is called.
        values: Scores, shape (n,).
        cluster: Task of each score, shape (n,); None when scores are independent.
        bounds: Least and largest possible score.
        level: Confidence level.
        n_dropped: Units not used, to report.
        nobody: Why there is no value, if there is no score.

    >>> mean = bounded_mean("share", np.ones(20), cluster=None, bounds=(0, 1), level=0.95, n_dropped=0, nobody="")
    >>> round(mean.low, 4), mean.high
    (0.8316, 1.0)
    """
    check_level(level)
    n = len(values)
    if not n:
        return Agreement.undefined(name, nobody, level=level, n=0, n_dropped=n_dropped)
    value = min(max(float(values.mean()), bounds[0]), bounds[1])
    sums = group_sums((values - value) / n, cluster)
    independent = len(sums)
    se = math.sqrt(independent / (independent - 1) * float(sums @ sums)) if independent > 1 else math.nan
    if se > FLAT:
        shares = bounds == (0, 1)
        ends = (logit_student if shares else student)(value, se, independent - 1, level)
    else:
        ends = _unseen(value, independent, bounds, level)
    low, high = containing(value, ends, lowest=bounds[0])
    return Agreement(
        name=name,
        value=value,
        low=low,
        high=high,
        se=None if math.isnan(se) else se,
        level=level,
        n=n,
        n_dropped=n_dropped,
    )


def _unseen(value: float, independent: int, bounds: tuple[float, float], level: float) -> Ends:
    different = clopper_pearson(0.0, independent, level)[1]
    return value - different * (value - bounds[0]), value + different * (bounds[1] - value)
