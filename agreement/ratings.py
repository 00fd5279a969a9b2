"""What several raters said about the same units, with the categories they could choose from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.patterns import distinct_counts, distinct_rows, smallest_type
from agreement.refusal import no_column, no_labels, no_weights, numbers, refuse
from agreement.tally import Codes, Floats, Integers, Tally, look_up


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings:
    """Labels of units by raters, reduced to the distinct rows of category counts. Build with `Ratings.of`."""

    labels: Codes
    """Category of each unit by each rater, in 0..K-1 or -1 for missing, shape (units, raters); a byte each."""
    category_names: tuple[str, ...]
    """Names of the K declared categories."""
    category_values: Floats
    """Number that each category stands for, shape (K,): what interval, ratio and weighted coefficients measure by."""
    counts: Integers
    """Distinct rows of category counts, shape (patterns, K)."""
    pattern: Codes
    """Row of `counts` that each unit has, shape (units,)."""
    weight: Floats | None
    """Units of the population that each unit stands for, shape (units,); None for 1."""
    cluster: Codes | None
    """Task of each unit, coded 0.., shape (units,); None when units are independent."""

    @classmethod
    def of(
        cls,
        labels: ArrayLike,
        *,
        n_categories: int,
        category_names: Sequence[str] | None = None,
        category_values: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        cluster: ArrayLike | None = None,
    ) -> Self:
        """Check labels against the declared categories and count their patterns.

        Args:
            labels: Integers, shape (units, raters); -1 is missing ("cannot judge" is missing, not a category).
                Kept as given, not copied, where they already are bytes (int8).
            n_categories: Categories the raters could choose from, at least 2, whether or not they were used.
            category_names: One name a category, for messages; None for "0", "1", ...
            category_values: One finite number a category, all different; None for 0, 1, ... Only coefficients that
                measure how far apart two categories are look at them.
            weight: Design weights > 0, shape (units,); None when units count alike.
            cluster: Task of each unit (any values that sort), shape (units,); None when units are independent.

        Raises:
            ValueError: A label is not declared, or shapes, weights or names do not fit; all that is wrong at once.

        >>> Ratings.of([[0, 1, -1], [1, 0, -1], [1, 1, 1]], n_categories=2).counts.tolist()
        [[0, 3], [1, 1]]
        """
        array, names = np.asarray(labels), _names(n_categories, category_names)
        units = len(array) if array.ndim else 0
        refuse(
            _no_categories(n_categories, category_names, category_values),
            no_labels("labels", array, n_categories, axes=("unit", "rater"), called=names),
            no_weights("weight", weight, units),
            no_column("cluster", cluster, units),
        )
        array = array.astype(smallest_type(len(names)), copy=False)
        counts, pattern = distinct_counts(array, len(names))
        return cls(
            labels=array,
            category_names=names,
            category_values=np.arange(len(names), dtype=np.float64)
            if category_values is None
            else np.asarray(category_values, dtype=np.float64),
            counts=counts,
            pattern=pattern,
            weight=None if weight is None else np.asarray(weight, dtype=np.float64),
            cluster=None if cluster is None else np.unique(np.asarray(cluster), return_inverse=True)[1].reshape(-1),
        )

    @property
    def n_categories(self) -> int:
        """Number of declared categories (K, or q in Gwet's papers)."""
        return len(self.category_names)

    @property
    def n_labels(self) -> Integers:
        """Labels per unit, shape (units,)."""
        per_pattern: Integers = self.counts.sum(axis=1)
        return per_pattern[self.pattern]

    def tally(self, *, at_least: int) -> Tally:
        """Patterns of the units with that many labels or more."""
        return self._tally(self.pattern, self.counts.sum(axis=1) >= at_least)

    def by_rater(self, *, at_least: int) -> tuple[Integers, Tally]:
        """Distinct rows of labels, shape (P, raters), and the tally of the units with that many labels or more."""
        rows, which = distinct_rows(self.labels, self.n_categories)
        return rows, self._tally(which, (rows >= 0).sum(axis=1) >= at_least)

    def pairs(self) -> Tally:
        """Cells of the K x K table of two raters (first rater's category * K + second's), where both labelled."""
        first, second = self.labels.T.astype(np.int64)
        kept = (first >= 0) & (second >= 0)
        return Tally(
            code=(first * self.n_categories + second)[kept],
            size=self.n_categories**2,
            weight=None if self.weight is None else self.weight[kept],
            cluster=None if self.cluster is None else self.cluster[kept],
            kept=kept,
        )

    def _tally(self, code: Codes, used: NDArray[np.bool_]) -> Tally:
        """Tally of the units whose pattern is used."""
        if self.weight is None and self.cluster is None:
            return Tally(code=code, size=len(used), weight=None, cluster=None, used=used)
        kept = look_up(used, code)
        return Tally(
            code=code[kept],
            size=len(used),
            weight=None if self.weight is None else self.weight[kept],
            cluster=None if self.cluster is None else self.cluster[kept],
            kept=kept,
        )


def _names(n_categories: int, names: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(str(k) for k in range(n_categories)) if names is None else tuple(names)


def _no_categories(n_categories: int, names: Sequence[str] | None, values: ArrayLike | None) -> str | None:
    """Why the categories are not declared properly."""
    if n_categories < 2:
        return f"n_categories is {n_categories}; agreement needs at least 2 declared categories"
    if names is not None and len(names) != n_categories:
        return f"{len(names)} category_names for n_categories={n_categories}; give one a category"
    array = np.arange(n_categories) if values is None else numbers(values)
    if array is None or array.shape != (n_categories,) or len(np.unique(array[np.isfinite(array)])) < n_categories:
        return f"category_values are {values!r}; expected {n_categories} different finite numbers"
    return None
