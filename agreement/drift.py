"""Whether something changes as time goes by: the slope of a straight line, and minutes into a sitting."""

import math

import numpy as np
from numpy.typing import ArrayLike

from agreement.interval import student
from agreement.means import group_sums
from agreement.refusal import no_column, no_level, refuse
from agreement.result import Agreement
from agreement.tally import Floats

FEWEST_UNITS = 5
"""Independent units below which a line tells nothing."""


def minutes_into_sitting(seconds: ArrayLike, *, pause: float = 30.0) -> Floats:
    """Minutes since one annotator sat down; a sitting ends where no label follows for longer than the pause.

    Args:
        seconds: Moments of this annotator's labels, in any order, NaN where unknown, shape (n,).
        pause: Minutes without a label that end a sitting, > 0.

    Returns:
        Minutes >= 0 in the order given, NaN where the moment is, shape (n,).

    Raises:
        ValueError: The pause is not > 0.

    >>> minutes_into_sitting([0, 60, 600, 7200, 7260]).tolist()
    [0.0, 1.0, 10.0, 0.0, 1.0]
    """
    if not pause > 0:
        raise ValueError(f"pause is {pause}; expected minutes > 0")
    moments = np.asarray(seconds, dtype=np.float64) / 60
    order = np.argsort(moments)[: int(np.isfinite(moments).sum())]
    inside = moments[order]
    begins = np.concatenate([[True], np.diff(inside) > pause]) if len(inside) else np.zeros(0, dtype=bool)
    minutes = np.full(len(moments), np.nan)
    minutes[order] = inside - inside[begins][np.cumsum(begins) - 1] if len(inside) else inside
    return minutes


def slope(
    name: str,
    outcome: ArrayLike,
    when: ArrayLike,
    *,
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> Agreement:
    """Change of an outcome per unit of time, by least squares, with a jackknife over tasks for the interval.

    Args:
        name: What the result is called.
        outcome: Shape (n,).
        when: Time in the unit wanted, NaN where unknown (left out and counted), shape (n,).
        cluster: Task of each outcome, shape (n,); None when they are independent.
        level: Confidence level.

    Returns:
        The slope, on the scale of outcome per unit of time, Student's interval with (tasks - 2) degrees of
        freedom; undefined with fewer than 5 independent units, if the times are all alike (or rest on one task),
        or if the outcome never varied.

    Source: Wu (1986), Ann. Stat. 14(4), 1261-1295, doi:10.1214/aos/1176350142 (jackknife in regression).

    >>> found = slope("drift", [0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6])
    >>> round(found.value, 3), found.low < 0 < found.high
    (0.171, True)
    """
    values, times = np.asarray(outcome, dtype=np.float64), np.asarray(when, dtype=np.float64)
    refuse(
        no_level(level, "confidence level"),
        None if values.ndim == 1 else f"outcome has shape {values.shape}; expected (n,)",
        no_column("when", times, values.size),
        no_column("cluster", cluster, values.size),
    )
    kept = np.isfinite(times)
    tasks = np.arange(len(values)) if cluster is None else np.asarray(cluster)
    values, times, tasks = values[kept], times[kept], tasks[kept]
    independent = len(np.unique(tasks))
    n, dropped = len(values), int((~kept).sum())
    left, value, reason = np.empty(0), 0.0, _too_few(values, times, independent)
    if not reason:
        value, left = _with_and_without(values - values.mean(), times - times.mean(), tasks)
        reason = None if np.isfinite(left).all() else "the times differ in one task only"
    if reason:
        return Agreement.undefined(name, reason, level=level, n=n, n_dropped=dropped)
    se = math.sqrt((independent - 1) / independent * float(((left - left.mean()) ** 2).sum()))
    low, high = student(value, se, independent - 2, level)
    return Agreement(name=name, value=value, low=low, high=high, se=se, level=level, n=n, n_dropped=dropped)


def _too_few(values: Floats, times: Floats, independent: int) -> str | None:
    if independent < FEWEST_UNITS:
        return f"{independent} independent units with a time; a trend needs {FEWEST_UNITS}"
    if np.ptp(times) == 0:
        return f"all {len(times)} labels were given at the same time"
    if np.ptp(values) < 1e-12:
        return f"all {len(values)} outcomes are {values[0]:g}, so a trend cannot be told from chance"
    return None


def _with_and_without(y: Floats, t: Floats, tasks: ArrayLike) -> tuple[float, Floats]:
    """Slope of all, and without each task in turn; NaN where nothing is left to fit."""
    sums = [group_sums(part, tasks) for part in (np.ones_like(y), t, y, t * t, t * y)]
    whole = [float(part.sum()) for part in sums]
    n, st, sy, stt, sty = (total - part for total, part in zip(whole, sums, strict=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = stt - st**2 / n
        left = np.where(spread > 1e-9 * whole[3], (sty - st * sy / n) / spread, np.nan)
    return whole[4] / whole[3], left
