"""Rows of labels reduced to the few distinct ones, in small integers and without large intermediates."""

import numpy as np
from numpy.typing import NDArray

from agreement.tally import Codes, Integers, count, look_up

_DENSE = 1 << 15
"""Up to so many possible rows are looked up in a table; beyond, they are sorted."""
_SORTABLE = 1 << 62


def smallest_type(largest: int) -> type[np.signedinteger]:
    """Smallest signed integer type that holds -1..largest."""
    for kind in (np.int8, np.int16, np.int32):
        if largest <= np.iinfo(kind).max:
            return kind
    return np.int64


def distinct_rows(labels: Codes, n_categories: int) -> tuple[Integers, Codes]:
    """Distinct rows of labels in -1..K-1, sorted, shape (P, raters), and the one each unit has, shape (units,).

    >>> rows, which = distinct_rows(np.array([[0, 1], [-1, 0], [0, 1]], dtype=np.int8), 2)
    >>> rows.tolist(), which.tolist()
    ([[-1, 0], [0, 1]], [1, 0, 1])
    """
    rows, place, code = _coded(labels, n_categories)
    return rows, look_up(place, code)


def distinct_counts(labels: Codes, n_categories: int) -> tuple[Integers, Codes]:
    """Distinct rows of category counts, sorted, shape (P, K), and the one each unit has, shape (units,).

    >>> counts, which = distinct_counts(np.array([[0, 1], [-1, 0], [1, 0]], dtype=np.int8), 2)
    >>> counts.tolist(), which.tolist()
    ([[1, 0], [1, 1]], [1, 0, 1])
    """
    rows, place, code = _coded(labels, n_categories)
    counts, pattern = np.unique(category_counts(rows, n_categories), axis=0, return_inverse=True)
    pattern = pattern.reshape(-1).astype(smallest_type(len(counts)))
    return counts, look_up(pattern[place] if len(rows) else place, code)


def category_counts(rows: Codes, n_categories: int) -> Integers:
    """Labels of each category in each row, shape (rows, K)."""
    return np.stack([(rows == k).sum(axis=1) for k in range(n_categories)], axis=1).astype(np.int64)


def _coded(labels: Codes, n_categories: int) -> tuple[Integers, Codes, Codes]:
    """Distinct rows of labels, the place of each code among them (one a code), and the code of each unit."""
    base, raters = n_categories + 1, labels.shape[1]
    size = base**raters
    if size > _DENSE:
        rows, which = _sorted(labels, n_categories)
        return rows, np.arange(len(rows)).astype(which.dtype), which
    code: Codes = np.zeros(len(labels), dtype=np.uint8 if size <= 255 else np.uint16)
    for column in labels.T:
        # -1 wraps around in unsigned arithmetic, and the one added brings it back to 0.
        code *= base
        same_width = column.itemsize == code.itemsize
        code += column.view(code.dtype) if same_width else column.astype(code.dtype)
        code += 1
    seen = np.flatnonzero(count(code, size))
    powers = base ** np.arange(raters - 1, -1, -1)
    rows = (seen[:, None] // powers % base - 1).astype(np.int64)
    place: Codes = np.zeros(size, dtype=smallest_type(len(seen)))
    place[seen] = np.arange(len(seen))
    return rows, place, code


def _sorted(labels: Codes, n_categories: int) -> tuple[Integers, Codes]:
    base, raters = n_categories + 1, labels.shape[1]
    if base**raters < _SORTABLE:
        powers = base ** np.arange(raters - 1, -1, -1, dtype=np.int64)
        keys = np.zeros(len(labels), dtype=np.int64)
        for column, power in zip(labels.T, powers, strict=True):
            keys += (column.astype(np.int64) + 1) * power
        seen, which = np.unique(keys, return_inverse=True)
        rows: NDArray[np.int64] = seen[:, None] // powers % base - 1
    else:
        rows, which = np.unique(labels, axis=0, return_inverse=True)
    return rows.astype(np.int64), which.reshape(-1).astype(smallest_type(len(rows)))
