"""What an estimate rests on: the labelled rows of the draw, and the counts of the slice on the frame."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from metrics.completion import NESTED, WHOLE, Pattern
from metrics.patterns import MISSING, PATTERNS
from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Second:
    """Another value of a random share of the sampled rows, such as the adjudicated; shape (n,) each, as the sample."""

    chosen: Flags
    """Rows of the random overlap whose value is known. Items adjudicated for other reasons are not among them."""
    num: Floats
    """Numerator, 0 or 1 where `chosen`."""
    den: Floats
    """Denominator, 0 or 1 where `chosen`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Every row of the draw that is usable for the metric, not only those of the slice; shape (n,) each."""

    num: Floats
    """Human numerator, 0 or 1."""
    den: Floats
    """Human denominator, 0 or 1."""
    code: Codes
    """The judge's pattern, 0 to 80; best restricted to the labels that the metric reads, see `patterns.restrict`.
    81 × cell + pattern where predictions are made within cells, see `Prediction`."""
    in_slice: Flags
    """The slice is a flag: dropping the other rows would understate the variance."""
    design: Design
    """The design of exactly these rows."""
    part: Codes | None = None
    """Part of the slice (a run, a regime) from 0, as in the population, when the metric is a mean over parts."""
    task: Codes | None = None
    """Task of each row, as in the population; needed for "such tasks" only."""
    annotator: Codes | None = None
    """Who gave the label of each row; needed for "annotators like these", and to know that people can slip."""
    second: Second | None = None
    """The adjudicated values, for target B."""
    another: Second | None = None
    """What a second annotator says; it tells how much annotators slip (`slips`), and changes no estimate."""
    cells: int = 1
    """Cells in which predictions are made: a code is below 81 × cells."""
    patterns: Sequence[Pattern] | None = None
    """The (num, den) that the metric declares; None for those of a nested ratio, or of a share if all `den` are 1."""

    def __post_init__(self) -> None:
        arrays = [self.num, self.den, self.code, self.in_slice, self.design.weight]
        shapes = {np.shape(x) for x in (*arrays, *(x for x in (self.part, self.task, self.annotator) if x is not None))}
        if len(shapes) > 1:
            raise ValueError(f"the arrays of a sample must have one shape; found {sorted(shapes)}")
        if not (np.isfinite(self.num).all() and np.isfinite(self.den).all()):
            raise ValueError("a row of the sample has no usable label for the metric; leave it out, in its design too")
        if (np.asarray(self.code) < 0).any():
            raise ValueError(f"a judge pattern of the sample is {np.min(self.code)}; expected 0 to {PATTERNS - 1}")

    def only(self, kept: Flags) -> Self:
        """The rows of whole strata that are kept; the others must not bear on the slice."""
        return self.rows(
            kept,
            second=None if self.second is None else Second(**_kept(self.second, kept)),
            another=None if self.another is None else Second(**_kept(self.another, kept)),
            design=replace(
                Design(**_kept(self.design, kept)),
                stratum=np.unique(self.design.stratum[kept], return_inverse=True)[1].astype(np.int64),
            ),
        )

    def rows(
        self, kept: Flags | Codes, *, design: Design, second: Second | None = None, another: Second | None = None
    ) -> Self:
        """Some rows, by flag or by number, with a design of their own."""
        return replace(self, **_kept(self, kept), design=design, second=second, another=another)

    def by(self, values: Second) -> Self:
        """The same rows with these values where they are known, and their own elsewhere."""
        return replace(
            self,
            num=np.where(values.chosen, values.num, self.num),
            den=np.where(values.chosen, values.den, self.den),
        )

    @property
    def parts(self) -> Codes:
        """Part of each row, all of one part when the metric is no mean over parts."""
        return np.zeros(len(self.num), dtype=np.int64) if self.part is None else self.part

    @property
    def declared(self) -> Sequence[Pattern]:
        """The (num, den) that a row can have."""
        if self.patterns is not None:
            return self.patterns
        return WHOLE if bool((self.den == 1).all()) else NESTED


def _kept(table: Sample | Second | Design, kept: Flags | Codes) -> dict[str, Any]:
    """The arrays of the rows that are kept, by field."""
    values = {field.name: getattr(table, field.name) for field in fields(table)}
    return {name: array[kept] for name, array in values.items() if isinstance(array, np.ndarray)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """How many rows of the slice have each judge pattern, from the frame; shape (k,) each, patterns may repeat."""

    code: Codes
    count: Codes
    part: Codes | None = None
    """Part of the slice, from 0 and without gaps, when the metric is a mean over parts."""
    task: Codes | None = None
    """Task of each group of rows; needed for "such tasks" only."""
    cells: int = 1
    """As of the sample."""

    def __post_init__(self) -> None:
        arrays = (self.code, self.count, *(x for x in (self.part, self.task) if x is not None))
        shapes = {np.shape(x) for x in arrays}
        if len(shapes) > 1:
            raise ValueError(f"the arrays of a population must have one shape; found {sorted(shapes)}")
        if (np.asarray(self.code) < 0).any() or (np.asarray(self.count) < 0).any():
            raise ValueError("a judge pattern or a count of the population is below 0")

    @property
    def size(self) -> int:
        """Rows of the slice."""
        return int(np.sum(self.count))

    @property
    def unjudged(self) -> bool:
        """Whether the judge left no label at all in the slice."""
        return bool((np.asarray(self.code)[np.asarray(self.count) > 0] % PATTERNS == MISSING).all())

    @property
    def parts(self) -> Codes:
        """Part of each group, all of one part when the metric is no mean over parts."""
        return np.zeros(len(self.code), dtype=np.int64) if self.part is None else self.part

    def total(self, predicted: Floats) -> float:
        """Total over the slice of a value per pattern, shape (81,)."""
        return float(np.asarray(self.count) @ predicted[np.asarray(self.code, dtype=np.int64)])
