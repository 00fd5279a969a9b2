"""Coefficients whose disagreement is averaged over units; they differ in what they take for chance."""

import math
from collections.abc import Callable
from typing import Unpack

from numpy.typing import ArrayLike

from agreement import chance
from agreement.chance import Chance
from agreement.disagreement import Disagreement, over_units
from agreement.estimate import Formula, estimate
from agreement.patterns import category_counts
from agreement.precision import Precision, PrecisionOptions
from agreement.ratings import Ratings
from agreement.result import Agreement
from agreement.spread import over_units_scores, over_units_variance
from agreement.tally import Floats, Integers
from agreement.undefined import no_pairs, one_category
from agreement.weighting import Weighting, category_weights

ByChance = Callable[[Integers, Floats], Chance]
"""Patterns and the weights of pairs of categories to the agreement of chance."""


def share_agreed(name: str, ratings: Ratings, **how: Unpack[PrecisionOptions]) -> Agreement:
    """Agreement within units, chance not taken out; units with one label do not count as used."""
    precision = Precision.of(ratings, **how)
    apart = 1 - category_weights("identity", ratings.category_values)
    n = ratings.tally(at_least=2).n
    dropped, reason = len(ratings.pattern) - n, no_pairs(ratings)
    if reason:
        return Agreement.undefined(name, reason, level=precision.confidence, n=n, n_dropped=dropped)
    tally = ratings.tally(at_least=1)
    formula = over_units_formula(name, ratings.counts, chance.none(), apart)
    return estimate(formula, tally, n=n, n_dropped=dropped, precision=precision)


def corrected(
    name: str,
    ratings: Ratings,
    by_chance: ByChance,
    *,
    weights: Weighting | ArrayLike = "identity",
    rater_by_rater: bool = False,
    **how: Unpack[PrecisionOptions],
) -> Agreement:
    """Agreement within units beyond chance.

    Args:
        name: What the result is called.
        ratings: Labels; units with one label only tell how often categories are used.
        by_chance: Called with the category counts of each pattern, or with its labels where `rater_by_rater`.
        weights: How nearly two categories agree.
        rater_by_rater: Whether chance depends on who said what.
        how: How the interval is to be computed.
    """
    precision = Precision.of(ratings, **how)
    weight = category_weights(weights, ratings.category_values)
    if rater_by_rater:
        patterns, tally = ratings.by_rater(at_least=1)
        counts = category_counts(patterns, ratings.n_categories)
    else:
        patterns, tally = ratings.counts, ratings.tally(at_least=1)
        counts = patterns
    n, dropped = tally.n, len(ratings.pattern) - tally.n
    reason = no_pairs(ratings) or one_category(counts, tally, ratings.category_names)
    if reason:
        return Agreement.undefined(name, reason, level=precision.confidence, n=n, n_dropped=dropped)
    formula = over_units_formula(name, counts, by_chance(patterns, weight), 1 - weight)
    return estimate(formula, tally, n=n, n_dropped=dropped, precision=precision)


def over_units_formula(name: str, counts: Integers, by_chance: Chance, apart: Floats) -> Formula:
    """The coefficient with that chance, over patterns of those category counts, shape (P, K)."""
    return Formula(
        name=name,
        parts=lambda totals: Disagreement(over_units(counts, totals, apart), 1 - by_chance.agreement(totals)),
        scores=lambda totals: over_units_scores(counts, totals, apart, by_chance),
        published=lambda totals: over_units_variance(counts, totals, apart, by_chance),
        pairable=counts.sum(axis=1) > 1,
        # Observed disagreement is at most 1, and chance agreement at most `most`.
        lowest=1 - 1 / (1 - by_chance.most) if by_chance.most < 1 else -math.inf,
    )
