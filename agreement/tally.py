"""How often each pattern of labels occurs, in the sample and in resamples of it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.integer[Any]]
"""Small integers in whatever width holds them: a byte a label, where there are millions."""

T = TypeVar("T", bound=np.generic)

_CELLS_PER_CHUNK = 2_000_000
"""Resampled counts held in memory at a time, whatever the number of units."""

_CODES_PER_CHUNK = 1 << 16
"""Codes widened at a time."""


# Without slots, so that counting is done once, however many formulas ask.
@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """Units as codes of their label pattern: all that the coefficients of this room need to know."""

    code: Codes
    """Pattern of each unit, in 0..size-1, shape (units,)."""
    size: int
    """Number of patterns."""
    weight: Floats | None
    """Units of the population that each unit stands for, shape (units,); None for 1."""
    cluster: Codes | None
    """Task of each unit, in 0.., shape (units,); None when units are independent."""
    kept: NDArray[np.bool_] | None = None
    """Which of the units of the sample these are, shape (all units,); None for all of them."""
    used: NDArray[np.bool_] | None = None
    """Patterns whose units count, shape (size,); None for all. Plain tallies only: it spares a copy of the codes."""

    @cached_property
    def alike(self) -> Integers:
        """Units of each pattern in the sample, shape (size,)."""
        found = count(self.code, self.size)
        return found if self.used is None else found * self.used

    @property
    def n(self) -> int:
        """Number of units that count."""
        return int(self.alike.sum())

    @property
    def plain(self) -> bool:
        """Whether units are equally weighted and independent, as published variances assume."""
        return self.weight is None and self.cluster is None

    @property
    def independent(self) -> int:
        """Number of independent units: clusters where given, else units."""
        return self.n if self.cluster is None else len(np.unique(self.cluster))

    @property
    def totals(self) -> Floats:
        """Weighted number of units of each pattern, shape (size,)."""
        if self.weight is None:
            return self.alike.astype(np.float64)
        return _sums(self.code, self.weight, self.size)

    def effective_n(self, of_pattern: NDArray[np.bool_]) -> float:
        """Independent units with such a pattern, discounted for unequal weights: (sum w)^2 / sum w^2.

        Source: Kish (1965), Survey Sampling, chapter 11; weights of one cluster are added up first.
        """
        if self.plain:
            return float(self.totals[of_pattern].sum())
        kept = of_pattern[self.code]
        weight = self._weights()[kept]
        if self.cluster is not None:
            weight = _sums(self.cluster[kept], weight)
        return float(weight.sum() ** 2 / (weight @ weight)) if len(weight) else 0.0

    def variance(self, scores: Floats) -> float:
        """Variance of the weighted total of `scores` (one a pattern, shape (size,)) by ultimate clusters.

        G / (G - 1) times the sum over clusters of squared deviations; NaN with fewer than two.
        """
        if self.plain:
            return self._plain_variance(scores)
        total = self._weights() * scores[self.code]
        if self.cluster is not None:
            total = _sums(np.unique(self.cluster, return_inverse=True)[1], total)
        return float(len(total) * np.var(total, ddof=1)) if len(total) > 1 else float("nan")

    def of_units(self, scores: Floats) -> Floats:
        """Score of every unit of the sample from those of the patterns; 0 for units that are not among these."""
        if self.kept is None:
            return scores[self.code]
        spread = np.zeros(len(self.kept))
        spread[self.kept] = scores[self.code]
        return spread

    def _plain_variance(self, scores: Floats) -> float:
        totals, n = self.totals, self.n
        return float(totals @ (scores - totals @ scores / n) ** 2 * n / (n - 1)) if n > 1 else float("nan")

    def resampled(self, replicates: int, seed: int) -> Floats:
        """Totals in bootstrap samples of the independent units, shape (replicates, size).

        One fewer is drawn than there are: with as many, the variance of few clusters comes out too small by
        (G - 1) / G. Units that look alike are drawn together, as a multinomial. No rows with a single unit.
        Source: Rao & Wu (1988), J. Am. Stat. Assoc. 83(401), 231-241, doi:10.1080/01621459.1988.10478591.
        """
        if self.independent < 2:
            return np.empty((0, self.size))
        rng = np.random.default_rng(seed)
        rows, alike = self._groups()
        step = max(1, _CELLS_PER_CHUNK // int(alike.sum()))
        sizes = [min(step, replicates - start) for start in range(0, replicates, step)]
        return np.concatenate([_drawn(alike, size, rng) @ rows for size in sizes])

    def _weights(self) -> Floats:
        return np.ones(len(self.code)) if self.weight is None else self.weight

    def _groups(self) -> tuple[csr_array, Integers]:
        """Pattern totals of what is drawn as one, shape (groups, size), and how many are alike, (groups,)."""
        if self.cluster is not None:
            group = np.unique(self.cluster, return_inverse=True)[1]
            rows = csr_array((self._weights(), (group, self.code)), shape=(group.max() + 1, self.size))
            return rows, np.ones(rows.shape[0], dtype=np.int64)
        if self.weight is None:
            used = np.flatnonzero(self.alike)
            place = (np.arange(len(used)), used)
            return csr_array((np.ones(len(used)), place), shape=(len(used), self.size)), self.alike[used]
        pairs, alike = np.unique(np.column_stack([self.code, self.weight]), axis=0, return_counts=True)
        place = (np.arange(len(pairs)), pairs[:, 0].astype(np.int64))
        return csr_array((pairs[:, 1], place), shape=(len(pairs), self.size)), alike.astype(np.int64)


def count(code: Codes, size: int) -> Integers:
    """How often each code in 0..size-1 occurs, shape (size,); a stretch at a time, since bincount widens its input."""
    found = np.zeros(size, dtype=np.int64)
    for start in range(0, len(code), _CODES_PER_CHUNK):
        found += np.bincount(code[start : start + _CODES_PER_CHUNK], minlength=size)
    return found


def look_up(table: NDArray[T], code: Codes) -> NDArray[T]:
    """Entry of the table for each code; a stretch at a time, since indexing widens the codes too."""
    found = np.empty(len(code), dtype=table.dtype)
    for start in range(0, len(code), _CODES_PER_CHUNK):
        stretch = slice(start, start + _CODES_PER_CHUNK)
        # Codes are inside the table; "clip" spares the copy that a check of every one would need.
        np.take(table, code[stretch], out=found[stretch], mode="clip")
    return found


def _drawn(alike: Integers, samples: int, rng: np.random.Generator) -> Integers:
    """How often each group is drawn in samples of one unit fewer than there are, shape (samples, groups)."""
    groups, n = len(alike), int(alike.sum())
    if groups * 8 < n:
        return rng.multinomial(n - 1, alike / n, size=samples)
    # With few alike, drawing unit by unit is the same distribution and many times faster.
    group = np.repeat(np.arange(groups), alike)[rng.integers(n, size=(samples, n - 1))]
    flat = (group + groups * np.arange(samples)[:, None]).reshape(-1)
    return np.bincount(flat, minlength=samples * groups).reshape(samples, groups)


def _sums(group: Codes, values: Floats, size: int = 0) -> Floats:
    """Sum of the values of each group, shape (groups,); floats even where there is no value at all."""
    return np.bincount(group, values, size).astype(np.float64)
