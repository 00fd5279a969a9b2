"""From a tally and the formula of a coefficient to its value with an interval."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.disagreement import Disagreement
from agreement.interval import Ends, by_disagreement, check_level, containing, percentiles, student
from agreement.result import Agreement
from agreement.tally import Floats, Tally

_FLAT = 1e-7
"""A standard error below this is rounding, not information."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """How an interval is to be computed."""

    confidence: float
    """Level in (0, 1)."""
    census: bool
    """Every unit of the population was rated: there is no sampling error, and the interval is the value."""
    replicates: int
    """Bootstrap samples."""
    seed: int

    def __post_init__(self) -> None:
        check_level(self.confidence)
        if self.replicates < 100:
            raise ValueError(f"replicates is {self.replicates}; the ends of an interval need at least 100")


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A coefficient as a function of pattern totals."""

    name: str
    parts: Callable[[Floats], Disagreement]
    variance: Callable[[Tally], float] | None
    """Analytic variance; None to resample."""
    pairable: NDArray[np.bool_]
    """Patterns that carry a pair of labels, shape (P,)."""
    lowest: float
    """Least possible value; -inf where chance agreement may come arbitrarily close to 1."""


def estimate(formula: Formula, tally: Tally, *, n: int, n_dropped: int, precision: Precision) -> Agreement:
    """The coefficient of a tally for which it is defined."""
    parts = formula.parts(tally.totals)
    value = min(float(parts.coefficient), 1.0)
    if abs(value - formula.lowest) < _FLAT:
        value = formula.lowest
    if precision.census:
        se, ends = 0.0, (value, value)
    else:
        se, ends = _sampled(formula, tally, value, precision)
        if math.isnan(se):
            # One independent unit: anything between no and full disagreement.
            ends = max(formula.lowest, min(value, 1 - 1 / float(parts.chance))), 1.0
        # Nothing varied: a zero-width interval would claim certainty, so bound what was not seen.
        if parts.observed == 0 or se < _FLAT:
            n_effective = tally.effective_n(formula.pairable)
            ends = by_disagreement(float(parts.observed), float(parts.chance), n_effective, precision.confidence)
        ends = containing(value, ends, lowest=formula.lowest)
    return Agreement(
        name=formula.name,
        value=value,
        low=ends[0],
        high=ends[1],
        se=None if math.isnan(se) else se,
        level=precision.confidence,
        n=n,
        n_dropped=n_dropped,
    )


def _sampled(formula: Formula, tally: Tally, value: float, precision: Precision) -> tuple[float, Ends]:
    """Standard error and interval; NaN if there are no two independent units."""
    df = tally.independent - 1
    if formula.variance is not None:
        se = math.sqrt(formula.variance(tally))
        ends = student(value, se, df, precision.confidence)
    else:
        draws = formula.parts(tally.resampled(precision.replicates, precision.seed)).coefficient
        # A resample without variation has no coefficient, as a sample without has none.
        draws = draws[np.isfinite(draws)]
        se = float(np.std(draws, ddof=1)) if len(draws) > 1 else math.nan
        ends = percentiles(draws, df, precision.confidence) if len(draws) > 1 else (math.nan, math.nan)
    return se, ends
