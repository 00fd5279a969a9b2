"""From a raw row to a record: every field checked, every fault named."""

import json
from ast import literal_eval
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from data.errors import Problem
from data.mapping import Mapping, Origin, kept
from data.records import CAUSES, DIAGNOSTICS, SUPPORTS, Context, Label, Passage, Quote, Response, Task, Verdict
from data.rows import JSON, Raw, Row, kind_of
from data.rubric import PASSES

RECORDS: dict[str, type[Task | Context | Response | Verdict | Label]] = {
    "tasks": Task,
    "contexts": Context,
    "responses": Response,
    "verdicts": Verdict,
    "labels": Label,
}
"""What can be imported, in the order in which things refer to each other."""

NEEDED = {
    kind: {spec.name for spec in fields(record) if spec.default is MISSING and spec.default_factory is MISSING}
    for kind, record in RECORDS.items()
}
"""The fields that a record of each kind cannot be without."""

KEYS = {"tasks": "task_id", "contexts": "context_id", "responses": "response_id"}

PURPOSES = ("plan", "calibration", "canary", "repeat", "adjudication")
ITEM_KINDS = ("response", "context")


class Bad(ValueError):
    """A value that does not fit its field; the text says what was expected."""


def text(raw: Raw) -> str:
    """A text, or a number or boolean as written."""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if not isinstance(raw, str):
        raise Bad(f"found {kind_of(raw)}; expected text")
    if not raw.isascii():
        try:
            raw.encode("utf-8")
        except UnicodeEncodeError as error:
            raise Bad(f"character {error.start + 1} is half a surrogate pair; expected whole characters") from None
    return raw


def identifier(raw: Raw) -> str:
    """An id: any text but an empty one."""
    value = text(raw)
    if not value:
        raise Bad("is empty; expected an id")
    return value


def texts(raw: Raw) -> tuple[str, ...]:
    """A list of texts; in CSV a cell with a JSON list, or one text."""
    if isinstance(raw, str):
        raw = _json_cell(raw) if raw.startswith("[") else [raw] if raw else []
    if not isinstance(raw, list):
        raise Bad(f"found {kind_of(raw)}; expected a list of texts")
    return tuple(text(entry) for entry in raw)


def _json_cell(raw: str) -> Raw:
    """The list that a cell of CSV holds: JSON, or as Python writes it (pandas and Ragas do)."""
    try:
        value: Raw = JSON.decode(raw)
    except (json.JSONDecodeError, RecursionError):
        value = _python_list(raw)
    return value


def _python_list(raw: str) -> Raw:
    try:
        value = literal_eval(raw)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        value = None
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise Bad(f"found {raw[:40]!r}; expected a JSON list")
    return value


def quotes(raw: Raw) -> tuple[Quote, ...]:
    """A list of quoted texts, or of quotes with passage, start, end and text; in CSV a cell with a JSON list."""
    if isinstance(raw, str):
        raw = _json_cell(raw) if raw.startswith("[") else [raw] if raw else []
    if not isinstance(raw, list):
        raise Bad(f"found {kind_of(raw)}; expected a list of quotes")
    return tuple(map(_quote, raw))


def _quote(raw: Raw) -> Quote:
    if not isinstance(raw, dict):
        return Quote(text=text(raw))
    place = {name: whole(0, 10**8)(raw[name]) for name in ("passage", "start", "end") if raw.get(name) is not None}
    return Quote(text=text(raw.get("text")), **place)


def whole(low: int, high: int) -> Callable[[Raw], int]:
    """A whole number from low to high."""

    def parse(raw: Raw) -> int:
        # A column of whole numbers with a gap comes out of pandas and Parquet as 1.0, 2.0.
        value = text(raw).strip().removesuffix(".0")
        # Thousands of digits are not worth a conversion, and Python refuses it.
        if not (value.isascii() and value.isdigit() and len(value) < 10 and low <= int(value) <= high):
            raise Bad(f"is {value!r}; expected a whole number from {low} to {high}")
        return int(value)

    return parse


def binary(raw: Raw) -> int:
    """A label: 1/0, true/false or yes/no in any case."""
    value = text(raw).strip().casefold()
    if value in ("1", "true", "yes"):
        return 1
    if value in ("0", "false", "no"):
        return 0
    raise Bad(f"is {value!r}; expected 1/0, true/false, yes/no, or empty for unscored")


def one_of(*allowed: str) -> Callable[[Raw], str]:
    """One of a few words."""

    def parse(raw: Raw) -> str:
        value = text(raw)
        if value not in allowed:
            raise Bad(f"is {value!r}; expected one of {', '.join(allowed)}")
        return value

    return parse


def seconds(raw: Raw) -> float:
    """A length of time in seconds."""
    value = text(raw)
    try:
        number = float(value)
    except ValueError:
        number = -1
    if not (isfinite(number) and number >= 0):
        raise Bad(f"is {value!r}; expected seconds, a number of at least 0")
    return number


def moment(raw: Raw) -> str:
    """A time in ISO 8601, kept as UTC; without an offset it is taken to be UTC."""
    value = text(raw)
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        raise Bad(f"is {value!r}; expected a time like 2026-05-04T13:37:00Z") from None


PARSERS: dict[str, Callable[[Raw], Any]] = {
    **dict.fromkeys(("task_id", "response_id", "passage_id", "item_id", "person_id", "judge", "label"), identifier),
    **dict.fromkeys(("gold_aliases", "evidence"), texts),
    **dict.fromkeys("CAGD", binary),
    **dict.fromkeys(DIAGNOSTICS, whole(0, 2)),
    "rank": whole(1, 10_000),
    "occasion": whole(1, 1_000),
    "supports": one_of(*SUPPORTS),
    "purpose": one_of(*PURPOSES),
    "item_kind": one_of(*ITEM_KINDS),
    "pass_": one_of(*PASSES),
    "cause": one_of(*CAUSES),
    "created_at": moment,
    "active_seconds": seconds,
}
"""Fields that are more than text; passages are parsed by hand."""

BLANK_IS_MISSING = frozenset(f.name for f in fields(Verdict) if f.default is None) | {
    "regime",
    "gold_answer",
    "condition",
    "context_id",
    "task_id",
    "model",
    "prompt",
    "run",
    "supports",
    "label",
    "value",
    "reason",
    "cause",
    "pass_",
    "comment",
    "created_at",
    "active_seconds",
    "purpose",
    "occasion",
    "rank",
    "passage_id",
}
"""Optional fields in which an empty cell means nothing was given (elsewhere an empty text is an empty text)."""


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
        if raw is None or (raw == "" and self.blank):
            if self.needed and self.name not in values:
                message = "missing; every such record needs it"
                problems.append(Problem(where=where, field=inside + self.theirs, message=message))
            return
        try:
            values[self.name] = self.parse(raw)
        except Bad as bad:
            problems.append(Problem(where=where, field=inside + self.theirs, message=str(bad)))


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
                raw = _json_cell(raw)
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
        return tuple(passage for passage in found if passage is not None)

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
