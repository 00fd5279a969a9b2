"""Published large-sample variances of the coefficients, from pattern totals."""

import numpy as np

from agreement.disagreement import (
    Scale,
    between,
    cohen,
    coincidences,
    distance,
    gwet,
    label_shares,
    percent,
    within_units,
)
from agreement.tally import Floats, Integers


def _mean_variance(scores: Floats, mean: float, totals: Floats) -> float:
    """Variance of the mean of unit scores; NaN for one unit."""
    n = float(totals.sum())
    return float(totals @ (scores - mean) ** 2) / (n * (n - 1)) if n > 1 else float("nan")


def percent_variance(counts: Integers, totals: Floats) -> float:
    """Variance of percent agreement over units, those with one label counted as carrying no agreement.

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.; the same numbers as the R package irrCAC.
    """
    pairable = counts.sum(axis=1) > 1
    scale = totals.sum() / totals[pairable].sum()
    scores = scale * pairable * (1 - within_units(counts))
    return _mean_variance(scores, 1 - float(percent(counts, totals).observed), totals)


def gwet_variance(counts: Integers, totals: Floats) -> float:
    """Variance of AC1 over units, the raters taken as given.

    As published (and in irrCAC), the formula for a table of two raters divides by n, the one for any number of
    labels by n - 1; so a unit with a third or a missing label changes the standard error by a factor
    sqrt(n / (n - 1)).

    Source: Gwet (2008), Br. J. Math. Stat. Psychol. 61(1), 29-48, doi:10.1348/000711006X126600, extended
    to missing labels in Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.
    """
    parts = gwet(counts, totals)
    value, pe = float(parts.coefficient), 1 - float(parts.chance)
    pairable = counts.sum(axis=1) > 1
    shares = label_shares(counts)
    pe_of = shares @ (1 - totals @ shares / totals.sum()) / (counts.shape[1] - 1)
    scale = totals.sum() / totals[pairable].sum()
    agreement = scale * pairable * (1 - within_units(counts) - pe) / (1 - pe)
    variance = _mean_variance(agreement - 2 * (1 - value) * (pe_of - pe) / (1 - pe), value, totals)
    n, table = totals.sum(), bool((counts.sum(axis=1)[totals > 0] == 2).all())
    return float(variance * (n - 1) / n) if table else variance


def cohen_variance(totals: Floats, n_categories: int) -> float:
    """Variance of Cohen's kappa when it is not assumed to be 0.

    Source: Fleiss, Cohen & Everitt (1969), Psychol. Bull. 72(5), 323-327, doi:10.1037/h0028106.
    """
    n = float(totals.sum())
    parts = cohen(totals, n_categories)
    kappa, pe = float(parts.coefficient), 1 - float(parts.chance)
    share = totals.reshape(n_categories, n_categories) / n
    row, column = share.sum(axis=1), share.sum(axis=0)
    agreed = np.diag(share) @ (1 - (row + column) * (1 - kappa)) ** 2
    apart = ((share - np.diag(np.diag(share))) * (column[:, None] + row[None, :]) ** 2).sum()
    spread = agreed + (1 - kappa) ** 2 * apart - (kappa - pe * (1 - kappa)) ** 2
    return float(max(spread, 0.0) / (n * (1 - pe) ** 2))


def krippendorff_scores(counts: Integers, totals: Floats, scale: Scale) -> Floats:
    """What one more unit of each pattern adds to alpha, to first order, shape (P,); their weighted total is 0.

    The derivative of 1 - A n / B, A the distance within units, B that of all labels paired at random, n the
    labels; on the ordinal scale the distances move with the margins too. For the nominal scale the
    variance agrees with the R package irrCAC (1.4).
    """
    one = coincidences(counts)
    labels = one.sum(axis=2)
    cells = np.einsum("p,pck->ck", totals, one)
    margins, n = cells.sum(axis=1), float(cells.sum())
    apart = distance(margins, scale)
    a, b = float((cells * apart).sum()), float(margins @ apart @ margins)
    a_of, b_of = (one * apart).sum(axis=(1, 2)), 2 * labels @ apart @ margins
    if scale == "ordinal":
        steps = between(counts.shape[1])
        moved = 2 * (steps @ margins) * np.einsum("ckg,pg->pck", steps, labels)
        a_of = a_of + (cells * moved).sum(axis=(1, 2))
        b_of = b_of + np.einsum("c,k,pck->p", margins, margins, moved)
    scores: Floats = a * n / b**2 * b_of - n / b * a_of - a / b * labels.sum(axis=1)
    return scores
