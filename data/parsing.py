"""From a raw value to the value of a field: checked, and every fault named."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from math import isfinite
from typing import Any
from unicodedata import category

from data.cells import unpacked
from data.records import CAUSES, DIAGNOSTICS, QUOTED, SUPPORTS, Context, Label, Quote, Response, Task, Verdict
from data.rows import Raw, kind_of
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

    def faults(self) -> Iterator[tuple[str, str]]:
        """Where in the value something is wrong ("" for the whole of it, ".2" for an entry of a list), and what."""
        yield "", str(self)


class BadEntries(Bad):
    """A list or an object of which some entries do not fit."""

    def __init__(self, entries: Sequence[tuple[int | str, Bad]]) -> None:
        """`entries`: where each bad one stands, and what is wrong with it."""
        self._entries = entries
        super().__init__("; ".join(f"{place}: {bad}" for place, bad in entries))

    def faults(self) -> Iterator[tuple[str, str]]:
        """Every entry that does not fit, with its place."""
        for place, bad in self._entries:
            for inside, message in bad.faults():
                yield f".{place}{inside}", message


def _each(entries: Iterable[tuple[int | str, Raw, Callable[[Raw], Any]]]) -> dict[int | str, Any]:
    """Every entry parsed, by its place; all that do not fit are told at once."""
    found: dict[int | str, Any] = {}
    wrong: list[tuple[int | str, Bad]] = []
    for place, raw, parse in entries:
        try:
            found[place] = parse(raw)
        except Bad as bad:
            wrong.append((place, bad))
    if wrong:
        raise BadEntries(wrong)
    return found


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


def without_marks(value: str) -> str:
    r"""A text without the characters that nobody sees (zero-width, direction, byte-order mark) and space around it.

    >>> without_marks(" t\u200b1\ufeff ")
    't1'
    """
    return (value if value.isascii() else "".join(c for c in value if category(c) != "Cf")).strip()


def identifier(raw: Raw) -> str:
    """An id: any text in which something can be seen."""
    value = text(raw)
    if not without_marks(value):
        raise Bad("is empty; expected an id")
    return value


def texts(raw: Raw) -> tuple[str, ...]:
    """A list of texts; in CSV a cell with a JSON list, or one text."""
    if isinstance(raw, str):
        raw = json_cell(raw) if raw.startswith("[") else [raw] if raw else []
    if not isinstance(raw, list):
        raise Bad(f"found {kind_of(raw)}; expected a list of texts")
    return tuple(_each((n, entry, text) for n, entry in enumerate(raw)).values())


def json_cell(raw: str) -> Raw:
    """The list that a cell of CSV holds, as `cells.unpacked`; what is none does not fit."""
    try:
        return unpacked(raw)
    except ValueError as error:
        raise Bad(str(error)) from None


def quotes(raw: Raw) -> tuple[Quote, ...]:
    """A list of quoted texts, or of quotes with passage, start, end and text; in CSV a cell with a JSON list."""
    if isinstance(raw, str):
        raw = json_cell(raw) if raw.startswith("[") else [raw] if raw else []
    if not isinstance(raw, list):
        raise Bad(f"found {kind_of(raw)}; expected a list of quotes")
    return tuple(_each((n, entry, _quote) for n, entry in enumerate(raw)).values())


def _quote(raw: Raw) -> Quote:
    if not isinstance(raw, dict):
        return Quote(text=text(raw))
    place = whole(0, 10**8)
    numbers = [(name, raw[name], place) for name in ("passage", "start", "end") if raw.get(name) is not None]
    shows = [
        (name, raw[name], parse) for name, parse in (("field", _field), ("code", text)) if raw.get(name) is not None
    ]
    return Quote(**_each([*numbers, ("text", raw.get("text"), text), *shows]))  # type: ignore[arg-type]  # parsed by name


def _field(raw: Raw) -> str:
    """What of a passage is quoted."""
    field = text(raw)
    if field not in QUOTED:
        raise Bad(f"is {field!r}; expected one of {', '.join(QUOTED)}")
    return field


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
    """A label: 1/0, true/false or yes/no in any case; 1.0/0.0, too: so pandas writes a column with a gap."""
    value = text(raw).strip().casefold()
    if value in ("1", "1.0", "true", "yes"):
        return 1
    if value in ("0", "0.0", "false", "no"):
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


def seen(raw: Raw) -> dict[str, Any]:
    """What somebody had seen before, as an export tells it: an object, in CSV as JSON."""
    value = json_cell(raw) if isinstance(raw, str) else raw
    names, others = (
        (value.get("fields", []), value.get("other_contexts", "0")) if isinstance(value, dict) else (None, "")
    )
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not isinstance(others, str):
        raise Bad(f"is {str(raw)[:40]!r}; expected an object with `fields`, a list of texts, and `other_contexts`")
    return {"fields": names, "other_contexts": whole(0, 10**6)(others)} if value else {}


PARSERS: dict[str, Callable[[Raw], Any]] = {
    **dict.fromkeys(("task_id", "context_id", "response_id", "passage_id"), identifier),
    **dict.fromkeys(("item_id", "person_id", "judge", "label"), identifier),
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
    "seen_before": seen,
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
    "seen_before",
    "purpose",
    "occasion",
    "rank",
    "passage_id",
}
"""Optional fields in which an empty cell means nothing was given (elsewhere an empty text is an empty text)."""
