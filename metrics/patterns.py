"""A judge's pattern: its four labels, each 0, 1 or missing, as one integer from 0 to 80."""

from collections.abc import Set

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.definitions import LABELS

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

PATTERNS = 81
MISSING = 80
"""The pattern of a response without a single usable label."""

_PLACE: Codes = np.array([27, 9, 3, 1], dtype=np.int64)


def encode(C: ArrayLike, A: ArrayLike, G: ArrayLike, D: ArrayLike) -> Codes:
    """The code of each response: base 3, C the highest digit and D the lowest, missing is 2.

    Args:
        C: 0, 1 or nan (missing), shape (n,), as are A, G and D.
        A: As C.
        G: As C.
        D: As C.

    Raises:
        ValueError: A label is something else than 0, 1 or nan.

    >>> encode([0, 1, np.nan], [0, 1, np.nan], [0, 0, np.nan], [1, np.nan, np.nan]).tolist()
    [1, 38, 80]
    """
    labels = np.array([C, A, G, D], dtype=np.float64)
    if not (np.isnan(labels) | (labels == 0) | (labels == 1)).all():
        raise ValueError("a label is neither 0, 1 nor nan (missing)")
    return (_PLACE @ np.where(np.isnan(labels), 2, labels)).astype(np.int64)


def decode(codes: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """The labels C, A, G, D of each code, shape (n,) each, nan where missing.

    Raises:
        ValueError: A code is outside 0..80.

    >>> [label.tolist() for label in decode([1, 38])]
    [[0.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, nan]]
    """
    digit = _digits(codes)
    C, A, G, D = np.where(digit == 2, np.nan, digit).T
    return C, A, G, D


def _digits(codes: ArrayLike) -> Codes:
    code = np.asarray(codes, dtype=np.int64)
    if ((code < 0) | (code >= PATTERNS)).any():
        raise ValueError(f"a pattern code lies outside 0..{PATTERNS - 1}")
    digits: Codes = code[:, None] // _PLACE % 3
    return digits


def restrict(codes: ArrayLike, labels: Set[str]) -> Codes:
    """The same patterns with all but `labels` made missing, shape (n,).

    Predictions need enough rows per pattern; labels that a metric does not read only spread them thin.

    >>> restrict([0, 40, 80], {"C"}).tolist()
    [26, 53, 80]
    """
    kept = np.array([label in labels for label in LABELS])
    restricted: Codes = np.where(kept, _digits(codes), 2) @ _PLACE
    return restricted


def distances(codes: ArrayLike, others: ArrayLike) -> Codes:
    """Labels in which each of `codes` differs from each of `others`, shape (len(codes), len(others)).

    A missing label differs from 0 and from 1.

    >>> distances([0, 80], [0, 1, 8]).tolist()
    [[0, 1, 2], [4, 4, 2]]
    """
    differs: Codes = (_digits(codes)[:, None, :] != _digits(others)[None, :, :]).sum(axis=2)
    return differs


def merge_unseen(population: ArrayLike, sampled: ArrayLike, weight: ArrayLike) -> dict[int, int]:
    """Where each pattern that no sampled row has borrows from: the nearest pattern that one has.

    Nearest by the number of labels that differ (a missing label differs from 0 and from 1); of several, the one
    that stands for more of the population, then the smaller code. Looks at the judge's labels and at the design
    only, never at what people answered: merging by outcomes biases the estimate.

    Args:
        population: Codes that need a prediction, any shape (k,), repeats allowed.
        sampled: Code of each usable sampled row, shape (n,).
        weight: Design weight of these rows, shape (n,).

    Returns:
        Unseen code to seen code; empty when nothing is unseen.

    Raises:
        ValueError: There is no sampled row.

    >>> merge_unseen([0, 1, 80], [0, 0, 4], [5, 5, 20])
    {1: 4, 80: 4}
    """
    rows = np.asarray(sampled, dtype=np.int64)
    if not len(rows):
        raise ValueError("no sampled row: there is no pattern to borrow from")
    # Rounded, so that the order of the rows cannot break a tie.
    stands_for = np.round(np.bincount(rows, np.asarray(weight, dtype=np.float64), PATTERNS), 6)
    seen = np.unique(rows)
    unseen = np.setdiff1d(np.asarray(population, dtype=np.int64), seen)
    best = [np.lexsort((seen, -stands_for[seen], row))[0] for row in distances(unseen, seen)]
    return {int(code): int(seen[b]) for code, b in zip(unseen, best, strict=True)}
