"""From a tally and the formula of a coefficient to its value with an interval."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.disagreement import Disagreement
from agreement.interval import FLAT, Ends, bounded_student, by_disagreement, containing, percentiles, student
from agreement.precision import Precision, design_error
from agreement.result import Agreement
from agreement.tally import Floats, Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A coefficient as a function of pattern totals."""

    name: str
    parts: Callable[[Floats], Disagreement]
    scores: Callable[[Floats], Floats]
    """Totals to what one more unit of each pattern adds to the coefficient, to first order; shape (P,) both."""
    published: Callable[[Floats], float] | None
    """Totals to the published variance, for equally weighted and independent units; None where there is none."""
    pairable: NDArray[np.bool_]
    """Patterns that carry a pair of labels, shape (P,)."""
    lowest: float
    """Least possible value; -inf where chance agreement may come arbitrarily close to 1."""


def estimate(formula: Formula, tally: Tally, *, n: int, n_dropped: int, precision: Precision) -> Agreement:
    """The coefficient of a tally for which it is defined."""
    parts = formula.parts(tally.totals)
    value = min(float(parts.coefficient), 1.0)
    if abs(value - formula.lowest) < FLAT:
        value = formula.lowest
    if precision.census:
        se, ends = 0.0, (value, value)
    else:
        se, ends = _sampled(formula, tally, value, precision)
        if math.isnan(se):
            # One independent unit: anything between no and full disagreement.
            ends = max(formula.lowest, min(value, 1 - 1 / float(parts.chance))), 1.0
        # Nothing varied: a zero-width interval would claim certainty, so bound what was not seen.
        if parts.observed == 0 or se < FLAT:
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
    df = tally.independent - 1.0
    if precision.variance:
        se = design_error(precision.variance, tally.of_units(formula.scores(tally.totals)))
        df = precision.degrees_of_freedom or df
        if se > FLAT:
            return se, bounded_student(value, se, df, precision.confidence, lowest=formula.lowest)
    elif precision.interval == "linearised":
        se = math.sqrt(tally.variance(formula.scores(tally.totals)))
    elif precision.interval is None and formula.published and tally.plain:
        se = math.sqrt(formula.published(tally.totals))
    else:
        return _resampled(formula, tally, df, precision)
    return se, student(value, se, df, precision.confidence)


def _resampled(formula: Formula, tally: Tally, df: float, precision: Precision) -> tuple[float, Ends]:
    draws = formula.parts(tally.resampled(precision.replicates, precision.seed)).coefficient
    # A resample without variation has no coefficient, as a sample without has none.
    draws = draws[np.isfinite(draws)]
    if len(draws) < 2:
        return math.nan, (math.nan, math.nan)
    return float(np.std(draws, ddof=1)), percentiles(draws, df, precision.confidence)
