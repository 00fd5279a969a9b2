"""From a raw row to a record: every field checked, every fault named."""

import json
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields
from datetime import UTC, datetime
from typing import Any

from data.errors import Problem
from data.mapping import Mapping, follow
from data.reading import Raw, Row, kind_of
from data.records import DIAGNOSTICS, SUPPORTS, Context, Label, Passage, Response, Task, Verdict

RECORDS: dict[str, type[Task | Context | Response | Verdict | Label]] = {
    "tasks": Task,
    "contexts": Context,
    "responses": Response,
    "verdicts": Verdict,
    "labels": Label,
}
"""What can be imported, in the order in which things refer to each other."""

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
    try:
        value: Raw = json.loads(raw, parse_int=str, parse_float=str, parse_constant=str)
    except (json.JSONDecodeError, RecursionError):
        raise Bad(f"found {raw[:40]!r}; expected a JSON list") from None
    return value


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
    "created_at": moment,
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
    "value",
    "reason",
    "comment",
    "created_at",
    "purpose",
    "occasion",
    "rank",
    "passage_id",
}
"""Optional fields in which an empty cell means nothing was given (elsewhere an empty text is an empty text)."""


def parse(kind: str, row: Row, mapping: Mapping) -> Iterator[Any]:
    """The record of a row, or every problem with it."""
    record = RECORDS[kind]
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for spec in fields(record):
        raw = mapping.value(row.values, spec.name)
        if spec.name == "passages":
            values["passages"] = _passages(row, raw, mapping, problems)
        else:
            _fill(values, spec, raw, row.where, mapping.theirs(spec.name), problems)
    if kind == "responses" and not (problems or values.get("context_id") or values.get("task_id")):
        message = "missing; a response names its context_id or its task_id"
        problems.append(Problem(where=row.where, field=mapping.theirs("context_id"), message=message))
    if problems:
        yield from problems
    else:
        yield record(**values)


def _fill(values: dict[str, Any], spec: Field[Any], raw: Raw, where: str, name: str, problems: list[Problem]) -> None:
    """One field into values, or a problem into problems."""
    if raw is None or (raw == "" and spec.name in BLANK_IS_MISSING):
        if spec.default is MISSING:
            problems.append(Problem(where=where, field=name, message="missing; every such record needs it"))
        return
    try:
        values[spec.name] = PARSERS.get(spec.name, text)(raw)
    except Bad as bad:
        problems.append(Problem(where=where, field=name, message=str(bad)))


def _passages(row: Row, raw: Raw, mapping: Mapping, problems: list[Problem]) -> tuple[Passage, ...]:
    """The passages of a context; rank and id default to the place in the list."""
    where = mapping.theirs("passages")
    if isinstance(raw, str) and raw.startswith("["):
        try:
            raw = _json_cell(raw)
        except Bad as bad:
            problems.append(Problem(where=row.where, field=where, message=str(bad)))
            return ()
    if not isinstance(raw, list):
        problems.append(Problem(where=row.where, field=where, message=f"found {kind_of(raw)}; expected a list"))
        return ()
    passages = [_passage(row, n, entry, mapping, problems) for n, entry in enumerate(raw, 1)]
    return tuple(passage for passage in passages if passage is not None)


def _passage(row: Row, number: int, raw: Raw, mapping: Mapping, problems: list[Problem]) -> Passage | None:
    where = f"{mapping.theirs('passages')}.{number - 1}"
    entry: dict[str, Raw] = raw if isinstance(raw, dict) else {"text": raw}
    values: dict[str, Any] = {"passage_id": str(number), "rank": number}
    before = len(problems)
    for spec in fields(Passage):
        theirs = mapping.passage.get(spec.name, spec.name)
        found = follow(entry, theirs)
        if found in (None, "") and spec.name in values:
            continue
        _fill(values, spec, found, row.where, f"{where}.{theirs}", problems)
    return Passage(**values) if len(problems) == before else None
