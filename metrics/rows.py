"""The tables that estimates are made from: the counted frame, and the labelled rows of the draw."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Slice = Mapping[str, str]
Columns = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedRows:
    """The frame under one judge, counted: one entry per group of like rows, shape (k,) each."""

    columns: Columns
    """Slice columns by name."""
    code: Codes
    """The judge's pattern of the group, 0 to 80."""
    count: Codes
    """Rows in the group."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Adjudicated:
    """Adjudicated (else unanimous) labels on a random share of the labelled rows; shape (n,) each, as those."""

    overlap: Flags
    """Rows of the random overlap that are settled; others, adjudicated for a flag or a slip, stay out."""
    C: Floats
    """1, 0 or nan (unusable, or not in the overlap), as are A, G and D."""
    A: Floats
    G: Floats
    D: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecondLabels:
    """What the second annotator of the plan says of a random share of the labelled rows; shape (n,) each, as those."""

    C: Floats
    """1, 0 or nan (unusable, or no second annotator), as are A, G and D."""
    A: Floats
    G: Floats
    D: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledRows:
    """The rows of the draw that people have dealt with, shape (n,) each; rows still waiting are left out."""

    columns: Columns
    """Slice columns by name, as in the frame."""
    code: Codes
    """The judge's pattern."""
    C: Floats
    """Human label of the target: 1, 0 or nan (skipped, cannot judge), as are A, G and D."""
    A: Floats
    G: Floats
    D: Floats
    design_of: Callable[[Flags], Design]
    """The design of the rows where the flag, shape (n,), is true: those usable for a metric."""
    annotator: Sequence[str] | None = None
    """Who gave the label of target A of each row; needed for "annotators like these". Where several did, intervals for
    these annotators hold what they slip."""
    another: SecondLabels | None = None
    """What a second annotator says, from which it is known how much they slip; it changes no estimate."""
    adjudicated: Adjudicated | None = None
    """For target B: the labels above are those of target A, on all rows, and these correct them."""
    valid: Floats | None = None
    """Whether the context of the row is what it claims to be: 1, 0 (broken), or nan where nobody audited it."""
    recondition: Sequence[str | None] | None = None
    """Which condition a broken context really is (an absence that leaks is clean); None where it is none. Read where
    `valid` is 0 only."""
    item: Sequence[str] | None = None
    """Id of each row, so that one that is given twice can be refused."""


def slices_by(judged: JudgedRows, columns: Sequence[str]) -> list[dict[str, str]]:
    """One slice per combination of the columns' values that the frame has, sorted; without columns, everything.

    >>> rows = JudgedRows(columns={"model": ["b", "a", "b"]}, code=np.zeros(3), count=np.ones(3))
    >>> slices_by(rows, ["model"]), slices_by(rows, [])
    ([{'model': 'a'}, {'model': 'b'}], [{}])
    """
    seen = {tuple(judged.columns[column][row] for column in columns) for row in np.flatnonzero(judged.count).tolist()}
    return [dict(zip(columns, values, strict=True)) for values in sorted(seen)]


def inside(columns: Columns, place: Slice, like: ArrayLike) -> Flags:
    """Which rows are of the slice."""
    found = np.ones(np.shape(like), dtype=bool)
    for column, value in place.items():
        found &= np.asarray(columns[column], dtype=object) == value
    return found


def coded(frame: Columns, rows: Columns, column: str | None) -> tuple[Codes, Codes] | None:
    """The column of both tables as the same whole numbers."""
    if column is None:
        return None
    values = np.concatenate([np.asarray(side[column], dtype=object) for side in (frame, rows)])
    codes = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes[: len(frame[column])], codes[len(frame[column]) :]


def joined(frame: Columns, rows: Columns, columns: Sequence[str]) -> tuple[Codes, Codes]:
    """Several columns of both tables, crossed, as the same whole numbers; all 0 without columns.

    >>> [codes.tolist() for codes in joined({"a": ["x", "y"], "b": ["1", "1"]}, {"a": ["y"], "b": ["1"]}, ["a", "b"])]
    [[0, 1], [1]]
    """
    sizes = [len(next(iter(side.values()), ())) for side in (frame, rows)]
    crossed = np.zeros(sum(sizes), dtype=np.int64)
    for column in columns:
        codes = np.concatenate(coded(frame, rows, column) or ())
        crossed = np.unique(crossed * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1].astype(np.int64)
    return crossed[: sizes[0]], crossed[sizes[0] :]
