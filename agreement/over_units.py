"""Coefficients whose disagreement is averaged over units; they differ in what they take for chance."""

import math
from collections.abc import Callable

from numpy.typing import ArrayLike

from agreement import chance
from agreement.chance import Chance
from agreement.disagreement import Disagreement, over_units
from agreement.estimate import Formula, Precision, estimate
from agreement.patterns import category_counts
from agreement.ratings import Ratings
from agreement.result import Agreement
from agreement.spread import over_units_variance
from agreement.tally import Floats, Integers, Tally
from agreement.undefined import no_pairs, one_category
from agreement.weighting import Weighting, category_weights

ByChance = Callable[[Integers, Floats], Chance]
"""Patterns and the weights of pairs of categories to the agreement of chance."""


def share_agreed(name: str, ratings: Ratings, precision: Precision) -> Agreement:
    """Agreement within units, chance not taken out; units with one label do not count as used."""
    apart = 1 - category_weights("identity", ratings.category_values)
    n = ratings.tally(at_least=2).n
    dropped, reason = len(ratings.pattern) - n, no_pairs(ratings)
    if reason:
        return Agreement.undefined(name, reason, level=precision.confidence, n=n, n_dropped=dropped)
    tally = ratings.tally(at_least=1)
    formula = _formula(name, ratings.counts, tally, chance.none(), apart)
    return estimate(formula, tally, n=n, n_dropped=dropped, precision=precision)


def corrected(
    name: str,
    ratings: Ratings,
    by_chance: ByChance,
    precision: Precision,
    *,
    weights: Weighting | ArrayLike = "identity",
    rater_by_rater: bool = False,
) -> Agreement:
    """Agreement within units beyond chance.

    Args:
        name: What the result is called.
        ratings: Labels; units with one label only tell how often categories are used.
        by_chance: Called with the category counts of each pattern, or with its labels where `rater_by_rater`.
        precision: How the interval is to be computed.
        weights: How nearly two categories agree.
        rater_by_rater: Whether chance depends on who said what.
    """
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
    formula = _formula(name, counts, tally, by_chance(patterns, weight), 1 - weight)
    return estimate(formula, tally, n=n, n_dropped=dropped, precision=precision)


def _formula(name: str, counts: Integers, tally: Tally, by_chance: Chance, apart: Floats) -> Formula:
    return Formula(
        name=name,
        parts=lambda totals: Disagreement(over_units(counts, totals, apart), 1 - by_chance.agreement(totals)),
        variance=(lambda tally: over_units_variance(counts, tally.totals, apart, by_chance)) if tally.plain else None,
        pairable=counts.sum(axis=1) > 1,
        # Observed disagreement is at most 1, and chance agreement at most `most`.
        lowest=1 - 1 / (1 - by_chance.most) if by_chance.most < 1 else -math.inf,
    )
