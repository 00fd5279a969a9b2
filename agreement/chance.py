"""Agreement that chance alone would give, and how one more unit changes it: where coefficients over units differ."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agreement.disagreement import label_shares, ratio
from agreement.tally import Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """Chance agreement as a function of pattern totals."""

    agreement: Callable[[Floats], Floats]
    """Totals of shape (..., P) to chance agreement of shape (...)."""
    scores: Callable[[Floats], Floats]
    """Totals of shape (P,) to n times what a unit of each pattern adds to it, to first order, shape (P,); n units."""
    most: float
    """Largest agreement there can be by chance, in [0, 1]."""


def none() -> Chance:
    """Percent agreement takes no chance out."""
    return Chance(agreement=lambda totals: np.zeros(totals.shape[:-1]), scores=np.zeros_like, most=0.0)


def even(weights: Floats) -> Chance:
    """Every category as likely as any other, for Brennan and Prediger."""
    agreement = float(weights.mean())
    return Chance(agreement=lambda totals: np.full(totals.shape[:-1], agreement), scores=np.zeros_like, most=agreement)


def by_use(counts: Integers, weights: Floats) -> Chance:
    """Two labels drawn at random from all labels, for Fleiss."""
    shares = label_shares(counts)

    def scores(totals: Floats) -> Floats:
        use = _use(shares, totals)
        centred: Floats = 2 * (shares @ weights @ use - use @ weights @ use)
        return centred

    def agreement(totals: Floats) -> Floats:
        use = _use(shares, totals)
        together: Floats = np.einsum("...k,kl,...l->...", use, weights, use)
        return together

    return Chance(agreement=agreement, scores=scores, most=1.0)


def by_unclear_units(counts: Integers, weights: Floats) -> Chance:
    """Labels of an unclear unit drawn evenly over the categories, for Gwet."""
    shares, k = label_shares(counts), counts.shape[1]
    scale = float(weights.sum()) / (k * (k - 1))

    def agreement(totals: Floats) -> Floats:
        use = _use(shares, totals)
        unclear: Floats = scale * (use * (1 - use)).sum(axis=-1)
        return unclear

    def scores(totals: Floats) -> Floats:
        use = _use(shares, totals)
        centred: Floats = 2 * scale * (shares @ (1 - use) - use @ (1 - use))
        return centred

    return Chance(agreement=agreement, scores=scores, most=float(weights.mean()))


def by_rater(rows: Integers, weights: Floats) -> Chance:
    """Labels of two different raters, each drawn from all labels of its own, for Conger.

    Args:
        rows: Distinct rows of labels, -1 for missing, shape (P, raters).
        weights: Agreement of every pair of categories, shape (K, K).
    """
    said = (rows[:, :, None] == np.arange(len(weights))).astype(np.float64)
    flat = said.reshape(len(rows), -1)

    def margins(totals: Floats) -> Floats:
        given = (totals @ flat).reshape(*totals.shape[:-1], *said.shape[1:])
        # A rater without a label, in a resample for instance, has no part in it.
        return np.nan_to_num(ratio(given, given.sum(axis=-1, keepdims=True)))

    def pairs(of_rater: Floats) -> Floats:
        raters = of_rater.sum(axis=-1).round().sum(axis=-1)
        several: Floats = raters * (raters - 1)
        return several

    def agreement(totals: Floats) -> Floats:
        own = margins(totals)
        every, alone = own.sum(axis=-2), np.einsum("...gk,kl,...gl->...", own, weights, own)
        return ratio(np.einsum("...k,kl,...l->...", every, weights, every) - alone, pairs(own))

    def scores(totals: Floats) -> Floats:
        own, labels = margins(totals), totals @ (rows >= 0)
        others = (own.sum(axis=0) - own) @ weights
        deviation = said - (rows >= 0)[:, :, None] * own
        per_label = np.nan_to_num(ratio(totals.sum(), labels))
        moved: Floats = 2 * np.einsum("pgk,gk,g->p", deviation, others, per_label) / pairs(own)
        return moved

    return Chance(agreement=agreement, scores=scores, most=1.0)


def _use(shares: Floats, totals: Floats) -> Floats:
    """How often each category is used, every unit with a label counting alike, shape (..., K)."""
    return ratio(totals @ shares, totals.sum(axis=-1, keepdims=True))
