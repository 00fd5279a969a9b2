"""The finite-population Dirichlet-multinomial ("Polya") completion: unlabelled rows are filled in at random."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from metrics.patterns import PATTERNS

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Pattern = tuple[float, float]
"""Numerator and denominator of one response."""

PSEUDO_LABELS = 2.0
"""Prior mass of one estimate, in labels; shared over the strata by population."""

DRAWS = 2000
"""Completions that an interval is read from."""

NESTED: tuple[Pattern, ...] = ((0, 0), (0, 1), (1, 1))
"""What a response can be for a ratio whose numerator implies its denominator."""

WHOLE: tuple[Pattern, ...] = ((0, 1), (1, 1))
"""The same where every response counts in the denominator."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """The labelled rows of the strata that an estimate rests on; shape (n,) each, but for the last."""

    stratum: Codes
    """From 0, without gaps."""
    weight: Floats
    """Sums to the size of the stratum."""
    num: Floats
    """Human numerator, 0 or 1."""
    den: Floats
    """Human denominator, 0 or 1."""
    domain: Codes
    """Part of the slice, from 0; -1 for a row outside, which stands for others outside."""
    code: Codes
    """The judge's pattern, 0 to 80."""
    patterns: Sequence[Pattern]
    """The declared (num, den) patterns, seen or not, shape (K,)."""

    def __eq__(self, other: object) -> bool:
        """Whether it is the same rows in the same order."""
        return isinstance(other, Labels) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[object, ...]:
        arrays = (self.stratum, self.weight, self.num, self.den, self.domain, self.code)
        return *(array.tobytes() for array in arrays), tuple(self.patterns)


# People's labels alone and the corrected number, one after the other, rest on the same completions.
@lru_cache(maxsize=2)
def completed_ratios(labels: Labels, *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """The ratio in random completions of the population, averaged over the domains, shape (draws,).

    In every stratum the shares of the patterns are drawn from Dirichlet(labels + prior), and the unlabelled rows from
    the multinomial with these shares. Labelled rows stay as they are, so the finite-population correction is built in.

    The prior has `PSEUDO_LABELS` in all, given to the strata by their share of the slice; so it weighs little however
    many strata there are. Half of it is spread evenly over the declared patterns, so that what was never seen stays
    possible; half is as people labelled the judge patterns of that stratum overall.

    Assumes strata that were drawn independently, with rows alike within them.

    Returns:
        Ratios; nan where a domain has nothing in its denominator.

    Source: Ghosh & Meeden (1997), Bayesian Methods for Finite Population Sampling, chapter 2, for the Polya posterior;
    Si, Pillai & Gelman (2015), Bayesian Analysis 10(3), 605-625, doi:10.1214/14-BA924, for cells weighted by size.

    >>> labels = Labels(stratum=np.zeros(4, dtype=np.int64), weight=np.full(4, 5.0), num=np.array([0.0, 0, 0, 1]),
    ...                 den=np.ones(4), domain=np.zeros(4, dtype=np.int64), code=np.zeros(4, dtype=np.int64),
    ...                 patterns=WHOLE)
    >>> ratios = completed_ratios(labels)
    >>> bool(ratios.min() >= 1 / 20), bool(ratios.max() <= 17 / 20), bool(0.25 < ratios.mean() < 0.35)
    (True, True, True)
    """
    rng = np.random.default_rng(seed)
    kind = _kinds(labels)
    seen = _by_kind(labels, kind, np.ones(len(labels.num)))
    rows = np.bincount(labels.stratum)
    size = np.bincount(labels.stratum, labels.weight)
    weighted = _by_kind(labels, kind, labels.weight)
    # Weights may differ inside a merged stratum: its labels are counted in proportion to them, as many as there are.
    mass = weighted * (rows / size)[:, None] + _prior(labels, kind, weighted)
    share = rng.standard_gamma(np.round(mass, 9), (draws, *mass.shape))
    # A row too little: the sampler refuses shares whose sum exceeds 1 by rounding.
    share *= (1 - 1e-12) / np.maximum(share.sum(axis=2, keepdims=True), 1e-300)
    unlabelled = np.maximum(np.round(size - rows), 0).astype(np.int64)
    count = rng.multinomial(unlabelled, share).sum(axis=1) + seen.sum(axis=0)
    kinds = np.array(labels.patterns, dtype=np.float64)
    totals = count[:, 1:].reshape(draws, -1, len(kinds)) @ kinds
    num, den = totals[..., 0], totals[..., 1]
    ratios: Floats = np.divide(num, den, out=np.full(num.shape, np.nan), where=den > 0).mean(axis=1)
    ratios.flags.writeable = False
    return ratios


def _kinds(labels: Labels) -> Codes:
    """Column of each row: 0 outside, then domain by domain its patterns."""
    pattern = np.full(len(labels.num), -1)
    for k, (num, den) in enumerate(labels.patterns):
        pattern[(labels.num == num) & (labels.den == den)] = k
    if (pattern[labels.domain >= 0] < 0).any():
        raise ValueError(f"a label's (num, den) is none of the declared patterns {tuple(labels.patterns)}")
    return np.where(labels.domain < 0, 0, 1 + labels.domain * len(labels.patterns) + pattern).astype(np.int64)


def _by_kind(labels: Labels, kind: Codes, values: Floats) -> Floats:
    """Sum of `values` by stratum and kind, shape (H, 1 + domains × K)."""
    width = 1 + (int(labels.domain.max()) + 1) * len(labels.patterns)
    cell = labels.stratum * width + kind
    sums: Floats = np.bincount(cell, values, (int(labels.stratum.max()) + 1) * width).astype(np.float64)
    return sums.reshape(-1, width)


def _prior(labels: Labels, kind: Codes, weighted: Floats) -> Floats:
    """Pseudo-labels by stratum and kind: none outside the slice, in a domain by its share of the stratum."""
    k, strata = len(labels.patterns), weighted.shape[0]
    domains = (weighted.shape[1] - 1) // k
    size = weighted[:, 1:].reshape(strata, domains, k).sum(axis=2)
    mass = PSEUDO_LABELS * size / size.sum()
    inside = labels.domain >= 0
    code, weight = labels.code[inside], labels.weight[inside]
    pattern = (kind[inside] - 1) % k
    counted = np.bincount(code * k + pattern, weight, PATTERNS * k).reshape(PATTERNS, k)
    human = counted / np.maximum(counted.sum(axis=1, keepdims=True), 1e-300)
    cell = labels.stratum[inside] * domains + labels.domain[inside]
    judged = np.bincount(cell * PATTERNS + code, weight, strata * domains * PATTERNS).reshape(-1, PATTERNS)
    followed = (judged @ human) / np.maximum(judged.sum(axis=1, keepdims=True), 1e-300)
    spread = mass[:, :, None] / 2 * (1 / k + followed.reshape(strata, domains, k))
    return np.hstack([np.zeros((strata, 1)), spread.reshape(strata, -1)])
