"""A metric on a slice by one method, without saying which."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from metrics.estimate import Tier
from metrics.uncertainty import Evidence, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Homogeneity:
    """Whether the judge errs alike in all groups that lend their labels; a high p does not prove that it does."""

    statistic: float | None
    p_value: float | None
    groups: int
    """Groups that could be compared."""
    why_undefined: str | None = None

    @property
    def sentence(self) -> str:
        """The test, for a person."""
        if self.p_value is None:
            return f"borrowed; whether the judge errs alike everywhere could not be tested ({self.why_undefined})"
        verdict = "differ: do not trust this number" if self.p_value < 0.05 else "show no difference"
        return f"borrowed; the judge's errors in {self.groups} groups {verdict} (p = {self.p_value:.3f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The fields are those of `Estimate`, with what is known of the way to them."""

    value: float | None
    se: float | None = None
    """Standard error over repeated draws; 0 when everything is labelled, None for the naive number."""
    low: float | None = None
    high: float | None = None
    interval: Kind | None = None
    """How the interval was made; None when there is none."""
    evidence: Evidence | None = None
    """The diagnostic that chose the kind of interval; None where there was no choice."""
    n: int
    n_denominator: int | None = None
    """Of these the rows that count in the denominator, where there is a number; None for the naive number."""
    n_effective: float | None = None
    n_dropped: int = 0
    tier: Tier | None = None
    why_undefined: str | None = None
    homogeneity: Homogeneity | None = None
    """Beside a borrowed value: whether the judge errs alike where the labels come from."""
    clipped_from: float | None = None
    """The estimate before it was moved to the nearer end of [0, 1]; None when it was inside."""

    def dropping(self, rows: int) -> Self:
        """The same share, with that many unusable rows on record."""
        return replace(self, n_dropped=rows)


def outer(pick: Callable[..., float], extreme: float | None, usual: float | None) -> float | None:
    """The extreme of a number, or the number itself where that lies beyond it; None where the extreme is refused.

    What is missing is taken to be like its stratum in the number; between two ratios that need not lie.

    >>> outer(min, 0.2, 0.1), outer(max, 0.2, 0.1), outer(min, None, 0.1)
    (0.1, 0.2, None)
    """
    return extreme if extreme is None or usual is None else pick(extreme, usual)
