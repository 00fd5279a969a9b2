"""What a table refuses by name, all of it at once and before anything is computed."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sized

import numpy as np

from metrics.definitions import LABELS
from metrics.estimate import Contexts
from metrics.patterns import PATTERNS
from metrics.rows import Columns, Flags, Floats, JudgedRows, LabelledRows, Slice


def check(
    judged: JudgedRows,
    labelled: LabelledRows,
    slices: Iterable[Slice],
    *,
    needed: Iterable[str] = (),
    contexts: Contexts = "all",
) -> None:
    """Both tables, the columns that the slices name and those needed besides, and the audit of the contexts.

    Raises:
        ValueError: Lengths differ; a label is not 0, 1 or nan; a pattern lies outside 0..80; a count is below 0; a row
            is given twice; the audit of the contexts is needed and not there. Every problem is listed.
        KeyError: That apart, columns are missing; all of them are listed.
    """
    wanted = dict.fromkeys([*(column for place in slices for column in place), *needed])
    missing = [
        f"{what} have no column {column!r} (there are {', '.join(sorted(columns)) or 'none'})"
        for what, columns in (("judged responses", judged.columns), ("labelled rows", labelled.columns))
        for column in wanted
        if column not in columns
    ]
    wrong = [*_judged(judged), *_labelled(labelled)]
    if contexts != "all" and labelled.valid is None:
        wrong.append(f"contexts = {contexts!r} needs `valid`, the audit of the context of every labelled row")
    if wrong:
        raise ValueError("; ".join([*wrong, *missing]))
    if missing:
        raise KeyError("; ".join(missing))


def _judged(rows: JudgedRows) -> list[str]:
    return [
        *_lengths("judged responses", len(rows.code), rows.columns, {"count": rows.count}),
        *_odd("pattern of the judged responses", rows.code, _no_pattern, "0 to 80"),
        *_odd("count of judged responses", rows.count, lambda count: ~(count >= 0), "a number of at least 0"),
    ]


def _labelled(rows: LabelledRows) -> list[str]:
    sides = (("", rows), ("adjudicated ", rows.adjudicated), ("second ", rows.another))
    labels = {
        f"{side}label {name}": getattr(source, name) for side, source in sides if source is not None for name in LABELS
    }
    if rows.valid is not None:
        labels["validity"] = rows.valid
    others = {
        name: values for name in ("recondition", "annotator", "item") if (values := getattr(rows, name)) is not None
    }
    twice = sorted(item for item, times in Counter(rows.item or ()).items() if times > 1)
    return [
        *_lengths("labelled rows", len(rows.code), rows.columns, labels | others),
        *_odd("pattern of the labelled rows", rows.code, _no_pattern, "0 to 80"),
        *(problem for name, values in labels.items() for problem in _odd(name, values, _no_label, "0, 1 or nan")),
        *([f"rows are given twice: {', '.join(twice)}"] if twice else []),
    ]


def _lengths(what: str, n: int, columns: Columns, others: Mapping[str, Sized]) -> list[str]:
    return [
        f"{what}: {name} has {len(values)} entries, the patterns {n}"
        for name, values in {**columns, **others}.items()
        if len(values) != n
    ]


def _odd(what: str, values: object, is_odd: Callable[[Floats], Flags], expected: str) -> list[str]:
    found = np.asarray(values, dtype=np.float64)
    odd = np.flatnonzero(is_odd(found))
    if not len(odd):
        return []
    return [f"{what} is {found[odd[0]]:g} in {len(odd)} rows (the first is {odd[0]}); expected {expected}"]


def _no_label(values: Floats) -> Flags:
    return np.asarray(~(np.isnan(values) | (values == 0) | (values == 1)), dtype=bool)


def _no_pattern(values: Floats) -> Flags:
    return ~((values >= 0) & (values < PATTERNS))
