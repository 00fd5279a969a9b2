"""Published large-sample variances of the coefficients, from pattern totals."""

import numpy as np

from agreement.chance import Chance
from agreement.disagreement import (
    Scale,
    between,
    cohen,
    coincidences,
    distance,
    over_units,
    within_units,
)
from agreement.tally import Floats, Integers


def _mean_variance(scores: Floats, mean: float, totals: Floats) -> float:
    """Variance of the mean of unit scores; NaN for one unit."""
    n = float(totals.sum())
    return float(totals @ (scores - mean) ** 2) / (n * (n - 1)) if n > 1 else float("nan")


def over_units_variance(counts: Integers, totals: Floats, apart: Floats, chance: Chance) -> float:
    """Variance over units of percent agreement, AC1 or AC2, Fleiss, Conger, Brennan and Prediger; raters are given.

    As published (and in irrCAC), the formula for a table of two raters divides by n, the one for any number of
    labels by n - 1; so a unit with a third or a missing label changes the standard error by a factor
    sqrt(n / (n - 1)). Percent agreement always divides by n - 1. Units with one label score 0 in it rather than
    dropping out, so many of them make it too large; `over_units_scores` has the derivative.

    Source: Gwet (2008), Br. J. Math. Stat. Psychol. 61(1), 29-48, doi:10.1348/000711006X126600, extended
    to missing labels and weights in Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.; Gwet (2021),
    Educ. Psychol. Meas. 81(4), 781-790, doi:10.1177/0013164420973080 (Fleiss).
    """
    n, pairable = float(totals.sum()), counts.sum(axis=1) > 1
    by_chance = float(chance.agreement(totals))
    value = 1 - float(over_units(counts, totals, apart)) / (1 - by_chance)
    scale = n / totals[pairable].sum()
    agreed = scale * pairable * (1 - within_units(counts, apart) - by_chance) / (1 - by_chance)
    variance = _mean_variance(agreed - (1 - value) * chance.scores(totals) / (1 - by_chance), value, totals)
    table = by_chance > 0 and bool((counts.sum(axis=1)[totals > 0] == 2).all())
    return variance * (n - 1) / n if table else variance


def over_units_scores(counts: Integers, totals: Floats, apart: Floats, chance: Chance) -> Floats:
    """What one more unit of each pattern adds to such a coefficient, to first order, shape (P,).

    The derivative of 1 - O / C, O the mean disagreement within units and C that of chance; the weighted total of the
    scores is 0.
    """
    pairable, expected = counts.sum(axis=1) > 1, 1 - float(chance.agreement(totals))
    observed = float(over_units(counts, totals, apart))
    within = pairable * (within_units(counts, apart) - observed) / totals[pairable].sum()
    scores: Floats = -(within + observed / expected * chance.scores(totals) / totals.sum()) / expected
    return scores


def cohen_scores(totals: Floats, apart: Floats) -> Floats:
    """What one more pair in each cell of the table of two raters adds to kappa, to first order, shape (K * K,)."""
    parts = cohen(totals, apart)
    observed, expected = float(parts.observed), float(parts.chance)
    share = totals.reshape(apart.shape) / totals.sum()
    within = apart - observed
    moved = _marginal_weights(share, apart) - 2 * expected
    scores: Floats = -(within - observed / expected * moved).reshape(-1) / (expected * totals.sum())
    return scores


def cohen_variance(totals: Floats, apart: Floats) -> float:
    """Variance of Cohen's kappa, plain or weighted, when it is not assumed to be 0.

    Source: Fleiss, Cohen & Everitt (1969), Psychol. Bull. 72(5), 323-327, doi:10.1037/h0028106.
    """
    return float(totals @ cohen_scores(totals, apart) ** 2)


def _marginal_weights(share: Floats, weights: Floats) -> Floats:
    """Mean weight of each row plus that of each column, under the other rater's margin, shape (K, K)."""
    both: Floats = np.add.outer(weights @ share.sum(axis=0), share.sum(axis=1) @ weights)
    return both


def krippendorff_scores(counts: Integers, totals: Floats, scale: Scale, values: Floats | None = None) -> Floats:
    """What one more unit of each pattern adds to alpha, to first order, shape (P,); their weighted total is 0.

    The derivative of 1 - A n / B, A the distance within units, B that of all labels paired at random, n the
    labels; on the ordinal scale the distances move with the margins too. For the nominal scale the
    variance agrees with the R package irrCAC (1.4).
    """
    one = coincidences(counts)
    labels = one.sum(axis=2)
    cells = np.einsum("p,pck->ck", totals, one)
    margins, n = cells.sum(axis=1), float(cells.sum())
    apart = distance(margins, scale, values)
    a, b = float((cells * apart).sum()), float(margins @ apart @ margins)
    a_of, b_of = (one * apart).sum(axis=(1, 2)), 2 * labels @ apart @ margins
    if scale == "ordinal":
        steps = between(counts.shape[1])
        moved = 2 * (steps @ margins) * np.einsum("ckg,pg->pck", steps, labels)
        a_of = a_of + (cells * moved).sum(axis=(1, 2))
        b_of = b_of + np.einsum("c,k,pck->p", margins, margins, moved)
    scores: Floats = a * n / b**2 * b_of - n / b * a_of - a / b * labels.sum(axis=1)
    return scores
