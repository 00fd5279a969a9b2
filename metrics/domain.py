"""Where a metric is taken, once the contexts were audited: a domain that is known on the labelled rows only."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metrics.estimate import Contexts
from metrics.patterns import PATTERNS
from metrics.rows import Codes, Flags, Floats, JudgedRows, LabelledRows, Slice, inside
from metrics.sample import Sample, Second
from metrics.share import Share


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Where:
    """A slice on the frame and on the labelled rows, and which of these rows count in it."""

    stated: Flags
    """Groups of the frame that are of the slice as the study states it."""
    here: Flags
    """Groups of the frame that may count: for a re-classified condition also those of conditions it gains from."""
    own: Flags
    """Labelled rows that may count."""
    counts: Flags | None = None
    """Labelled rows that do count, by the audit of their context; None where all of `own` do."""
    cells: tuple[Codes, Codes] | None = None
    """Condition that the groups and the labelled rows state; None where predictions are pooled over all of them."""

    key: str | None = None
    """Slices of one key share a prediction."""

    def marked(self, sample: Sample, usable: Flags) -> Sample:
        """The sample of the usable rows with the slice marked, its terms multiplied by whether a row counts.

        No row is dropped: how many count is estimated with everything else.
        """
        marked = replace(sample, in_slice=self.own[usable])
        if self.counts is None:
            return marked
        counts = self.counts[usable].astype(np.float64)
        return replace(
            marked,
            num=sample.num * counts,
            den=sample.den * counts,
            code=sample.code if self.cells is None else self.cells[1][usable] * PATTERNS + sample.code,
            cells=self.n_cells,
            patterns=tuple(sorted({(0.0, 0.0), *sample.declared})),
            second=_times(sample.second, counts),
            another=_times(sample.another, counts),
        )

    @property
    def n_cells(self) -> int:
        """How many conditions predictions are kept apart by."""
        return 1 if self.cells is None else 1 + max(int(side.max(initial=0)) for side in self.cells)

    def codes(self, patterns: Codes) -> Codes:
        """The judge's patterns of the groups that may count, with their cells."""
        return patterns[self.here] if self.cells is None else (self.cells[0] * PATTERNS + patterns)[self.here]

    def counting(self, share: Share, usable: Flags) -> Share:
        """The share with `n` as the rows that count, not those that may."""
        if self.counts is None:
            return share
        n = int(np.sum(self.own & usable & self.counts))
        effective = share.n_effective
        if effective is not None and share.se:
            effective *= n / share.n
        return replace(share, n=n, n_effective=effective)


def _times(values: Second | None, counts: Floats) -> Second | None:
    return None if values is None else replace(values, num=values.num * counts, den=values.den * counts)


def audited(labelled: LabelledRows, contexts: Contexts) -> Flags:
    """Rows whose context has the verdict that is needed; the others are non-response."""
    if contexts == "all" or labelled.valid is None:
        return np.ones(len(labelled.code), dtype=bool)
    return ~np.isnan(labelled.valid)


def real_condition(labelled: LabelledRows, column: str) -> NDArray[np.object_]:
    """Which condition the context of each row is by its audit; None where it is none, or was not audited."""
    n = len(labelled.code)
    stated, other = labelled.columns[column], labelled.recondition or [None] * n
    valid = np.full(n, np.nan) if labelled.valid is None else labelled.valid
    found = np.full(n, None, dtype=object)
    for row in range(n):
        found[row] = stated[row] if valid[row] == 1 else other[row] if valid[row] == 0 else None
    return found


def where(judged: JudgedRows, labelled: LabelledRows, place: Slice, contexts: Contexts, column: str) -> Where:
    """The slice under one view of the contexts.

    - "all": the rows as the study states them.
    - "valid": those whose context is what it claims to be.
    - "reclassified": each row under the condition that its context really is; a slice by condition gains rows that
      state another one, and loses those that are another one or none. What the frame knows of such a slice is the
      slice without its condition; only conditions that some audited row left for this one are looked at, as the
      others add nothing to either total.

    Args:
        judged: The population.
        labelled: The labelled rows, with `valid` and `recondition` as needed.
        place: Columns and the value each must have.
        contexts: The view.
        column: Name of the condition.
    """
    stated = inside(judged.columns, place, judged.code)
    own = inside(labelled.columns, place, labelled.code)
    if contexts == "all":
        return Where(stated=stated, here=stated, own=own)
    if contexts == "valid":
        return Where(stated=stated, here=stated, own=own, counts=np.asarray(labelled.valid) == 1)
    real = real_condition(labelled, column)
    if column not in place:
        return Where(
            stated=stated, here=stated, own=own, counts=np.array([name is not None for name in real], dtype=bool)
        )
    wanted, rest = place[column], {name: value for name, value in place.items() if name != column}
    givers = [wanted, *sources(labelled, column).get(wanted, ())]
    at = [_index(columns[column], givers) for columns in (judged.columns, labelled.columns)]
    return Where(
        stated=stated,
        here=inside(judged.columns, rest, judged.code) & (at[0] < len(givers)),
        own=inside(labelled.columns, rest, labelled.code) & (at[1] < len(givers)),
        counts=np.asarray(real == wanted, dtype=bool),
        cells=(at[0], at[1]),
        key=wanted,
    )


def sources(labelled: LabelledRows, column: str) -> Mapping[str, tuple[str, ...]]:
    """From which other stated conditions each real one was seen to gain rows, in order."""
    stated, real = np.asarray(labelled.columns[column], dtype=object), real_condition(labelled, column)
    moves = {(to, name) for to, name in zip(real.tolist(), stated.tolist(), strict=True) if to not in (None, name)}
    return {to: tuple(sorted(name for other, name in moves if other == to)) for to, _ in moves}


def _index(values: object, names: list[str]) -> Codes:
    """Place of each value among the names; their number for one that is not among them."""
    column = np.asarray(values, dtype=object)
    found = np.full(len(column), len(names), dtype=np.int64)
    for k, name in enumerate(names):
        found[column == name] = k
    return found
