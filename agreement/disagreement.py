"""Observed disagreement and the disagreement of chance: what every coefficient here is made of.

Each coefficient is 1 - observed / chance. Functions take pattern totals of shape (..., P), so a whole bootstrap is
one call, and scale both parts so that a unit's observed disagreement is at most 1.
"""

from typing import Literal, NamedTuple

import numpy as np

from agreement.tally import Floats, Integers

Scale = Literal["nominal", "ordinal", "interval", "ratio"]

_NOTHING = 1e-12


class Disagreement(NamedTuple):
    """Both parts, shape (...); NaN where no unit carries a pair of labels."""

    observed: Floats
    chance: Floats

    @property
    def coefficient(self) -> Floats:
        """1 - observed / chance, shape (...); NaN where chance alone would never disagree."""
        some = self.chance > _NOTHING
        return 1.0 - ratio(self.observed, np.where(some, self.chance, 0.0))


def ratio(above: Floats, below: Floats) -> Floats:
    """Quotient with NaN, and no warning, where there is nothing to divide by."""
    above, below = np.broadcast_arrays(above, below)
    quotient: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    return quotient


def within_units(counts: Integers, apart: Floats) -> Floats:
    """Mean disagreement (in [0, 1], shape (K, K)) of a pattern's pairs of labels, shape (P,); 0 where there is none."""
    labels = counts.sum(axis=1)
    return np.where(labels > 1, ratio(((counts @ apart) * counts).sum(axis=1), labels * (labels - 1.0)), 0.0)


def label_shares(counts: Integers) -> Floats:
    """Share of each category among a pattern's labels, shape (P, K); 0 where there is no label."""
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


def over_units(counts: Integers, totals: Floats, apart: Floats) -> Floats:
    """Disagreement within units, averaged over those with a pair of labels, shape (...)."""
    pairable = (counts.sum(axis=1) > 1).astype(np.float64)
    return ratio(totals @ within_units(counts, apart), totals @ pairable)


def cohen(totals: Floats, apart: Floats) -> Disagreement:
    """Mean disagreement in the table of two raters, against the product of their margins; P = K * K cells."""
    cells = totals.reshape(*totals.shape[:-1], *apart.shape)
    share = ratio(cells, cells.sum(axis=(-2, -1), keepdims=True))
    # Summed off the diagonal, not one less the diagonal: no disagreement is then exactly 0.
    observed = (share * apart).sum(axis=(-2, -1))
    return Disagreement(observed, np.einsum("...k,kl,...l->...", share.sum(axis=-1), apart, share.sum(axis=-2)))


def coincidences(counts: Integers) -> Floats:
    """Coincidences that one unit of each pattern adds, shape (P, K, K); 0 for a unit with one label."""
    labels = counts.sum(axis=1)
    pairs = counts[:, :, None] * (counts[:, None, :] - np.eye(counts.shape[1]))
    share: Floats = np.where(labels > 1, 1 / np.maximum(labels - 1, 1), 0.0)
    return share[:, None, None] * pairs


def between(n_categories: int) -> Floats:
    """Weights L with (L @ margins)^2 the ordinal distance, shape (K, K, K): 1 inside c..k, a half at the ends."""
    k = np.arange(n_categories)
    low, high = np.minimum.outer(k, k)[:, :, None], np.maximum.outer(k, k)[:, :, None]
    inside = ((low <= k) & (k <= high)).astype(np.float64)
    ends = 0.5 * ((k == low).astype(np.float64) + (k == high))
    weights: Floats = inside - ends
    return weights


def distance(margins: Floats, scale: Scale, values: Floats | None = None) -> Floats:
    """Krippendorff's squared difference of two categories, shape (..., K, K), for margins of shape (..., K).

    `values` are what interval and ratio scales measure by, shape (K,); None for 0, 1, ...
    """
    n_categories = margins.shape[-1]
    if scale == "nominal":
        return 1 - np.eye(n_categories)
    if scale == "ordinal":
        steps: Floats = np.einsum("ckg,...g->...ck", between(n_categories), margins)
        return steps**2
    numbers = np.arange(n_categories, dtype=np.float64) if values is None else values
    steps = np.subtract.outer(numbers, numbers)
    if scale == "ratio":
        steps = np.nan_to_num(ratio(steps, np.add.outer(numbers, numbers)))
    return steps**2


def krippendorff(
    counts: Integers, totals: Floats, scale: Scale, *, small_sample: bool, values: Floats | None = None
) -> Disagreement:
    """Distance within units against the distance of all labels paired at random.

    With `small_sample` a label is not paired with itself (n (n - 1) pairs), as published; weighted totals
    estimate a population, where that makes no difference.
    """
    n_categories = counts.shape[1]
    flat = totals @ coincidences(counts).reshape(len(counts), -1)
    cells = flat.reshape(*totals.shape[:-1], n_categories, n_categories)
    margins = cells.sum(axis=-1)
    n = margins.sum(axis=-1)
    apart = distance(margins, scale, values)
    largest = apart.max(axis=(-2, -1))
    random = np.einsum("...c,...k,...ck->...", margins, margins, np.broadcast_to(apart, cells.shape))
    others = n - 1 if small_sample else n
    return Disagreement(ratio((cells * apart).sum(axis=(-2, -1)), n * largest), ratio(random, n * others * largest))
