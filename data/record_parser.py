"""From a raw row to its records: every field checked, every fault named."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any

from data.errors import Problem
from data.mapping import Mapping, Origin, kept
from data.parsing import BLANK_IS_MISSING, PARSERS, RECORDS, Bad, identifier, json_cell, quotes, text, without_marks
from data.records import Label, Passage
from data.rows import Raw, Row, kind_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One field of a record, made ready once for all rows."""

    name: str
    get: Callable[[Any], Raw]
    parse: Callable[[Raw], Any]
    needed: bool
    """Whether a record cannot be without it."""
    blank: bool
    """Whether an empty text means that nothing was given."""
    theirs: str
    """How messages name it: as it is named in the file."""

    def fill(self, values: dict[str, Any], row: Any, where: str, problems: list[Problem], inside: str = "") -> None:
        """The field into values, or a problem into problems."""
        raw = self.get(row)
        if raw is None or (self.blank and (raw == "" or (self.parse is identifier and _blank(raw)))):
            if self.needed and self.name not in values:
                message = "missing; every such record needs it"
                problems.append(Problem(where=where, field=inside + self.theirs, message=message))
            return
        try:
            values[self.name] = self.parse(raw)
        except Bad as bad:
            first = f"; {self.theirs}.0 takes its first entry" if raw and isinstance(raw, list) else ""
            hint = first if self.parse in (text, identifier) else ""
            for place, message in bad.faults():
                problems.append(Problem(where=where, field=inside + self.theirs + place, message=message + hint))


def _blank(raw: Raw) -> bool:
    return isinstance(raw, str) and not without_marks(raw)


def _parts(record: type[Any], origin: Callable[[str], Origin]) -> list[_Part]:
    return [
        _Part(
            name=spec.name,
            get=_getter(origin(spec.name)),
            parse=quotes if record is Label and spec.name == "evidence" else PARSERS.get(spec.name, text),
            needed=spec.default is MISSING,
            blank=spec.name in BLANK_IS_MISSING,
            theirs=str(origin(spec.name)),
        )
        for spec in fields(record)
        if spec.name != "passages"
    ]


def _getter(origin: Origin) -> Callable[[Any], Raw]:
    """The shortest way to the value: of a million rows most take this one."""
    if len(origin.paths) == 1 and "." not in origin.paths[0] and not origin.values:
        path = origin.paths[0]
        return lambda row: row.get(path)
    return origin.value


class Parser:
    """Reads records of one kind off rows, as one mapping says."""

    def __init__(self, kind: str, mapping: Mapping) -> None:
        self._mapping = mapping
        self._record = RECORDS[kind]
        self._parts = _parts(self._record, mapping.origin)
        self._passages = mapping.origin("passages") if kind == "contexts" else None
        self._of_passage = _parts(Passage, mapping.passage_origin)
        self._refers = mapping.origin("context_id") if kind == "responses" else None

    def read(self, row: Row, number: int = 1) -> Iterator[Any]:
        """The records of a row, and every problem with it.

        Args:
            row: The row.
            number: Its number in everything that is read, from 1.
        """
        for view in (row.values,) if self._mapping.plain else self._mapping.views(row.values, number):
            yield from self._one(row.where, view)

    def _one(self, where: str, view: Any) -> Iterator[Any]:
        values: dict[str, Any] = {}
        problems: list[Problem] = []
        for part in self._parts:
            part.fill(values, view, where, problems)
        if self._passages is not None:
            found = self._read_passages(where, self._passages.value(view), problems)
            if found is None:
                return
            values["passages"] = found
        if self._refers is not None and not (problems or values.get("context_id") or values.get("task_id")):
            message = "missing; a response names its context_id or its task_id"
            problems.append(Problem(where=where, field=str(self._refers), message=message))
        if problems:
            yield from problems
        else:
            yield self._record(**values)

    def _read_passages(self, where: str, raw: Raw, problems: list[Problem]) -> tuple[Passage, ...] | None:
        """The passages of a context, rank and id by their place by default; None when it is not such a context."""
        field = str(self._passages)
        if isinstance(raw, str) and raw.startswith("["):
            try:
                raw = json_cell(raw)
            except Bad as bad:
                problems.append(Problem(where=where, field=field, message=str(bad)))
                return ()
        if not isinstance(raw, list):
            problems.append(Problem(where=where, field=field, message=f"found {kind_of(raw)}; expected a list"))
            return ()
        entries = kept(raw, self._mapping)
        if entries is None:
            return None
        found = [self._passage(where, n, entry, problems) for n, entry in enumerate(entries, 1)]
        passages = tuple(passage for passage in found if passage is not None)
        for name, times in Counter(passage.passage_id for passage in passages).items():
            if times > 1:
                message = f"{times} passages have the id {name!r}; expected ids that are unique within a context"
                problems.append(Problem(where=where, field=field, message=message))
        return passages

    def _passage(self, where: str, number: int, raw: Raw, problems: list[Problem]) -> Passage | None:
        entry = raw if isinstance(raw, dict) else {self._text_name: raw}
        values: dict[str, Any] = {"passage_id": str(number), "rank": number}
        before = len(problems)
        for part in self._of_passage:
            part.fill(values, entry, where, problems, f"{self._passages}.{number - 1}.")
        return Passage(**values) if len(problems) == before else None

    @property
    def _text_name(self) -> str:
        """Under which name a passage that is a bare text is found."""
        paths = self._mapping.passage_origin("text").paths
        return paths[0] if paths else "text"
