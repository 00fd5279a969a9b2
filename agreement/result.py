"""One agreement figure with its interval, or the reason why there is none."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A coefficient, its interval and what it rests on. Undefined is `value=None` with a sentence, never NaN.

    >>> Agreement.undefined("cohen_kappa", "all 212 labels are Yes", level=0.95, n=106, n_dropped=0).why_undefined
    'undefined: all 212 labels are Yes'
    """

    name: str
    value: float | None
    """The estimate; shares lie in [0, 1], coefficients corrected for chance are at most 1; medians and slopes have the
    scale of what they summarise."""
    low: float | None
    """Lower end of the interval, on the scale of `value`; None only when the value is."""
    high: float | None
    se: float | None
    """Standard error on the scale of `value`; None if undefined, not estimable (one independent unit), or if
    the interval rests on none (medians on order statistics, rho_int on F)."""
    level: float
    """Confidence level of the interval, in (0, 1)."""
    n: int
    """Units the value rests on."""
    n_dropped: int
    """Units given but not used, because labels are missing."""
    why_undefined: str | None = None
    """A sentence for a person when `value` is None."""

    @classmethod
    def undefined(cls, name: str, reason: str, *, level: float, n: int, n_dropped: int) -> Self:
        """The result of a coefficient that does not exist for these labels, and why."""
        return cls(
            name=name,
            value=None,
            low=None,
            high=None,
            se=None,
            level=level,
            n=n,
            n_dropped=n_dropped,
            why_undefined=f"undefined: {reason}",
        )
