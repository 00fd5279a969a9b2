"""What makes an import wrong beyond its single rows: ids given twice, references to nothing, words not declared."""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any
from unicodedata import normalize

from data.errors import Problem
from data.parsing import KEYS, without_marks
from data.records import Context, Label, Response, Task, Verdict
from data.study import Study
from data.texts import read_columns

Key = tuple[str, ...]

REFERS = {
    "contexts": (("task_id", "tasks"),),
    "responses": (("context_id", "contexts"), ("task_id", "tasks")),
    "verdicts": (("response_id", "responses"),),
}
"""Which field of a kind names a record of which other."""


def key_of(record: Task | Context | Response | Verdict | Label) -> Key:
    """What makes a record the same record."""
    match record:
        case Task():
            return (record.task_id,)
        case Context():
            return (record.context_id,)
        case Response():
            return (record.response_id,)
        case Verdict():
            return (record.response_id, record.judge)
        case Label():
            return (
                record.item_kind, record.item_id, record.person_id, record.label or f"({record.pass_})", record.purpose,
                str(record.occasion),
            )  # fmt: skip


def known_keys(study: Study, kind: str) -> Iterable[Key]:
    """The keys of everything imported so far."""
    columns = [KEYS[kind]] if kind in KEYS else ["response_id", "judge"]
    table = read_columns(study, kind, columns)
    return zip(*(table[column].to_pylist() for column in columns), strict=True)


ALIKE = "differ only by case, space, invisible marks or Unicode form"
"""How two keys with one likeness differ."""


def likeness(key: Key) -> str | Key:
    r"""A key as people read it: case, space around it, invisible marks and Unicode form do not tell two ids apart.

    >>> likeness(("T1 ",)) == likeness(("t\u200b1",))
    True
    """
    alike = tuple(part.strip().lower() if part.isascii() else _alike(part) for part in key)
    return alike[0] if len(alike) == 1 else alike


def _alike(part: str) -> str:
    return normalize("NFC", normalize("NFC", without_marks(part)).casefold())


REPEATED = " (`distinct = true` in a mapping file makes rows that repeat a record word for word one record)"
"""What helps where the question stands on the row of each of its answers."""


class Ids:
    """Whether each record is the first with its key, and with any key that could be mistaken for it."""

    def __init__(self, known: Iterable[Key] = (), *, distinct: bool = False) -> None:
        """`distinct`: rows that repeat a record word for word are expected, and no problem."""
        self._place: dict[str | Key, str | None] = {}
        self._exact: dict[str | Key, Key] = {}
        self._first: dict[Key, Any] | None = {} if distinct else None
        self.n_known = 0
        """Records whose key came in before."""
        for key in known:
            self._add(key, None)

    def _add(self, key: Key, where: str | None) -> None:
        alike = likeness(key)
        self._place[alike] = where
        if alike not in (key, key[0]):
            self._exact[alike] = key

    def repeats(self, record: Any) -> bool:
        """Whether an earlier row gave the same record word for word, where that is expected."""
        return self._first is not None and self._first.get(key_of(record)) == record

    def problem(self, where: str, record: Any) -> Problem | None:
        """What is wrong with a record's key, or nothing: then it is remembered."""
        key = key_of(record)
        alike = likeness(key)
        if alike not in self._place:
            self._add(key, where)
            if self._first is not None:
                self._first[key] = record
            return None
        place, name = self._place[alike], " / ".join(key)
        earlier = self._exact.get(alike, (alike,) if isinstance(alike, str) else alike)
        if earlier != key:
            came = "was imported before" if place is None else f"stands in {place}"
            pair = f"{name!r} and {' / '.join(earlier)!r}, which {came},"
            return Problem(where=where, message=f"{pair} {ALIKE}; give ids that cannot be mistaken for each other")
        if place is None:
            self.n_known += 1
            return Problem(where=where, message=f"{name} was imported before; remove the row")
        remedy = "" if self._first is not None else REPEATED
        message = f"{name} stands in {place} already; ids must be unique{remedy}"
        return Problem(where=where, message=message, alike="twice")


Check = Callable[[str, Any], Problem | None]
"""Looks at one record and where it stands."""


def references(study: Study, kind: str) -> list[Check]:
    """Checks that what a record names was imported."""
    return [_reference(study, field, target) for field, target in REFERS.get(kind, ())]


def _reference(study: Study, field: str, target: str) -> Check:
    known = {key[0] for key in known_keys(study, target)}
    value_of = attrgetter(field)
    message = f"no {target} are imported yet; import them first: evidence-audit import {target} FILE"
    nothing_yet = Problem(where=str(study.path.resolve()), field=field, message=message)

    def check(where: str, record: Any) -> Problem | None:
        value = value_of(record)
        if value is None or value in known:
            return None
        if not known:
            return nothing_yet
        message = f"{value!r} is not among the {len(known)} imported {target}; import it first or mend the id"
        return Problem(where=where, field=field, message=message, alike="unknown")

    return check


def declared(study: Study, kind: str) -> list[Check]:
    """Checks that conditions and regimes are those of study.toml, when it declares any."""
    field, allowed = {"tasks": ("regime", study.regimes), "contexts": ("condition", study.conditions)}.get(
        kind, ("", ())
    )
    if not allowed:
        return []
    value_of = attrgetter(field)

    def check(where: str, record: Any) -> Problem | None:
        value = value_of(record)
        if value is None or value in allowed:
            return None
        message = f"{value!r} is not declared; expected one of {', '.join(allowed)}, or add it to study.toml"
        return Problem(where=where, field=field, message=message)

    return [check]
