"""Labels as they come in, one a row, brought into the shape that the coefficients take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.ratings import Ratings
from agreement.refusal import no_column, no_labels, no_weights, refuse
from agreement.tally import Integers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Readings:
    """First readings as ratings, later ones of the same item as repeats, which enter no coefficient."""

    items: NDArray[np.generic]
    """The items, sorted: rows of the ratings."""
    raters: NDArray[np.generic]
    """The raters, sorted: columns of the ratings."""
    ratings: Ratings
    repeats: Integers
    """Rater (column), first label, label of a later occasion, shape (r, 3): what `annotators.annotators` takes."""

    @classmethod
    def of(
        cls,
        item: ArrayLike,
        rater: ArrayLike,
        label: ArrayLike,
        *,
        n_categories: int,
        occasion: ArrayLike | None = None,
        category_names: Sequence[str] | None = None,
        category_values: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        cluster: ArrayLike | None = None,
    ) -> Self:
        """Sort readings by item and rater; who read an item again is compared with their first occasion.

        Args:
            item: What was read, any values that sort, shape (n,).
            rater: Who read it, any values that sort, shape (n,).
            label: 0..K-1, or -1 for missing, shape (n,).
            n_categories: Declared categories K, at least 2.
            occasion: When, any values that sort, shape (n,); None if nobody read an item twice.
            category_names: See `Ratings.of`.
            category_values: See `Ratings.of`.
            weight: Design weight > 0 of the item of each reading, shape (n,).
            cluster: Task of the item of each reading, shape (n,).

        Raises:
            ValueError: A rater has two labels of one item on one occasion, an item has two weights or tasks, a label
                is not declared, a weight is not > 0, or shapes differ; all that is wrong at once.

        >>> found = Readings.of(["b", "a", "a", "a"], ["x", "x", "y", "x"], [0, 1, 1, 0], n_categories=2,
        ...                     occasion=[1, 1, 1, 2])
        >>> found.ratings.labels.tolist(), found.repeats.tolist()
        ([[1, 1], [0, -1]], [[0, 1, 0]])
        """
        n = np.asarray(label).size
        columns = {"item": item, "rater": rater, "occasion": occasion, "cluster": cluster}
        misshapen = [no_column(name, column, n) for name, column in columns.items()]
        refuse(
            *misshapen,
            no_labels("label", label, n_categories, called=category_names or ()),
            no_weights("weight", weight, n),
            *([] if any(misshapen) else _twice(item, rater, occasion, weight, cluster)),
        )
        items, row = np.unique(np.asarray(item), return_inverse=True)
        raters, column = np.unique(np.asarray(rater), return_inverse=True)
        when = np.zeros(n) if occasion is None else np.unique(np.asarray(occasion), return_inverse=True)[1]
        order = np.lexsort((when, column, row))
        place, said = (row * max(len(raters), 1) + column)[order], np.asarray(label).astype(np.int64)[order]
        firsts, first, which = np.unique(place, return_index=True, return_inverse=True)
        labels = np.full((len(items), len(raters)), -1, dtype=np.int64)
        labels.reshape(-1)[firsts] = said[first]
        later = np.setdiff1d(np.arange(n), first)
        some = np.unique(row, return_index=True)[1]
        return cls(
            items=items,
            raters=raters,
            ratings=Ratings.of(
                labels,
                n_categories=n_categories,
                category_names=category_names,
                category_values=category_values,
                weight=None if weight is None else np.asarray(weight)[some],
                cluster=None if cluster is None else np.asarray(cluster)[some],
            ),
            repeats=np.column_stack([column[order][later], said[first][which][later], said[later]]).astype(np.int64),
        )


def _twice(
    item: ArrayLike, rater: ArrayLike, occasion: ArrayLike | None, weight: ArrayLike | None, cluster: ArrayLike | None
) -> list[str | None]:
    """Where one thing was said twice that may be said once."""
    what, who = np.asarray(item), np.asarray(rater)
    keys = [np.unique(array, return_inverse=True)[1] for array in (what, who)]
    keys += [] if occasion is None else [np.unique(np.asarray(occasion), return_inverse=True)[1]]
    first = np.unique(np.column_stack(keys), axis=0, return_index=True)[1]
    problems: list[str | None] = []
    again = np.setdiff1d(np.arange(len(what)), first)
    if len(again):
        on = "" if occasion is None else f" on occasion {np.asarray(occasion)[again[0]]}"
        problems.append(
            f"{len(again)} labels are a second one of the same annotator, item and occasion, the first by "
            f"{who[again[0]]} of item {what[again[0]]}{on} (row {again[0]}); keep one, or give later ones an occasion"
        )
    return [*problems, _two_of("weight", keys[0], what, weight), _two_of("cluster", keys[0], what, cluster)]


def _two_of(name: str, code: Integers, what: NDArray[Any], given: ArrayLike | None) -> str | None:
    if given is None or np.shape(np.asarray(given)) != what.shape:
        return None
    values = np.unique(np.asarray(given), return_inverse=True)[1]
    several = np.bincount(np.unique(np.column_stack([code, values]), axis=0)[:, 0]) > 1
    return (
        f"item {np.unique(what)[several.argmax()]} has several values of {name}; give one an item"
        if several.any()
        else None
    )
