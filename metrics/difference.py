"""The difference of two numbers, first minus second, with its interval."""

from dataclasses import dataclass, replace
from typing import Self

from scipy.stats import t

from agreement.interval import check_level, student
from metrics.interval import Interval, clopper_pearson

NOTHING = 1e-12
"""Below this a standard error is rounding noise around 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """First minus second, on the scale of the two; what is not known is None, and `why_undefined` says why."""

    value: float | None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    level: float
    """Confidence level in (0, 1) of the interval."""
    df: float | None = None
    """Degrees of freedom of the standard error."""
    p: float | None = None
    """Two-sided p value of "no difference" by Student's t; None where there is no error to build on."""
    n: int
    """What was compared: pairs, or sampled rows in either slice."""
    n_dropped: int = 0
    """Pairs left out because a score is missing."""
    clusters: int | None = None
    """Independent units, such as tasks; None when every pair is one."""
    why_undefined: str | None = None
    """A sentence for a person, exactly when there is no interval."""

    def __post_init__(self) -> None:
        check_level(self.level)
        if (self.low is None) != (self.why_undefined is not None):
            raise ValueError("give an interval, or the reason why there is none: exactly one of the two")

    def within(self, ends: Interval, span: float) -> Self:
        """The same difference with this interval: cut to ±span, and widened where it would miss the value.

        >>> Difference(value=0.5, low=0, high=0, level=0.95, n=9).within((0.6, 1.4), 1)
        Difference(value=0.5, se=None, low=0.5, high=1, level=0.95, df=None, p=None, n=9, n_dropped=0, clusters=None, \
why_undefined=None)
        """
        value = self.value
        if value is None:
            raise ValueError("an undefined difference has no interval")
        return replace(self, low=min(value, max(ends[0], -span)), high=max(value, min(ends[1], span)))


def unseen_change(value: float, units: float, span: float, level: float) -> Interval:
    """Interval of a difference that was the same in every one of `units` independent units.

    No variation was seen, so there is no standard error to build on. By Clopper and Pearson at most a share s of
    all units is different, and those differ by anything from -span to span; conservative.

    >>> [round(end, 3) for end in unseen_change(0.0, 20, 1, 0.95)]
    [-0.168, 0.168]
    """
    different = clopper_pearson(0.0, units, level)[1]
    return value * (1 - different) - span * different, value * (1 - different) + span * different


def by_student(difference: Difference, span: float) -> Difference:
    """Interval and p value by Student's t from `value`, `se` and `df`; from `clusters` alone where the SE is 0.

    Raises:
        ValueError: One of these fields is None.

    >>> found = by_student(Difference(value=0.1, se=0.05, df=20, low=0, high=0, level=0.95, n=21, clusters=21), 1)
    >>> round(found.low, 3), round(found.high, 3), round(found.p, 3)
    (-0.004, 0.204, 0.059)
    """
    value, se, df = difference.value, difference.se, difference.df
    if value is None or se is None or df is None or difference.clusters is None:
        raise ValueError("Student's t needs a value, a standard error, its degrees of freedom and the clusters")
    if se <= NOTHING * span:
        still = 1.0 if abs(value) <= NOTHING * span else None
        ends = unseen_change(value, difference.clusters, span, difference.level)
        return replace(difference, p=still).within(ends, span)
    p = float(2 * t.sf(abs(value) / se, df))
    return replace(difference, p=p).within(student(value, se, df, difference.level), span)
