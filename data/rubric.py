"""The rubric: which labels people give, in which order, from which view, with which values."""

import dataclasses
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from importlib.resources import files
from typing import Any

from data.errors import Problem, StudyProblem
from data.questions import Example, Question, Value
from data.records import DIAGNOSTICS
from data.views import FINAL_ONCE_SHOWN, VIEWS, Item, artifacts, possible

PASSES = ("evidence", "correctness", "context")
REQUIRED, QUOTE = "required", "quote"
"""Of the evidence of an answer: it is not taken without a quote, or, where one is required, a note naming a passage."""

BREAKS, BLEMISH = "breaks", "blemish"
"""How bad a construction error is: the context is not what its condition claims, or is that all the same."""

RESERVED_KEYS = frozenset("9bcefhnrs?")
"""Cannot judge, back, quote, flag, help, note, skip; c and r belong to the app around the screen."""

FIELDS = ("name", "title", "item_kind", "pass", "view", "question", "definition", "values")
OPTIONS: dict[str, tuple[Any, ...]] = {
    "item_kind": ("response", "context"),
    "pass": PASSES,
    "view": tuple(VIEWS),
    "kind": ("choice", "many"),
    "each": ("passage",),
    "diagnostic": (True, False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The questions in the order in which they are asked, and the hash that every label carries."""

    version: str
    questions: tuple[Question, ...]
    skip_reasons: tuple[str, ...]
    hash: str
    text: str = dataclasses.field(repr=False, compare=False)
    """The file as it was read: what a round keeps, so that its labels can always be read as they were meant."""

    @property
    def blemishes(self) -> frozenset[str]:
        """The construction errors that leave a context what its condition claims."""
        return frozenset(value.value for q in self.questions for value in q.values if value.severity == BLEMISH)

    def __getitem__(self, name: str) -> Question:
        """The question of a label, also of a per-passage one ("supports.3")."""
        base = name.split(".")[0]
        for question in self.questions:
            if question.name == base:
                return question
        raise KeyError(f"the rubric has no label {name!r}; it has {', '.join(self.names())}")

    def names(self, item_kind: str | None = None) -> list[str]:
        """Label names in order, of one kind of item or of all."""
        return [q.name for q in self.questions if item_kind in (None, q.item_kind)]

    def passes(self, item_kind: str) -> list[str]:
        """The passes that an item of this kind goes through, in order."""
        return [p for p in PASSES if any(q.pass_ == p and q.item_kind == item_kind for q in self.questions)]

    def asked(self, item: Item, pass_: str, *, diagnostics: bool = False) -> list[str]:
        """The labels owed for one item in one pass, per-passage questions spelled out.

        A label whose view needs what the item lacks (no context, no gold answer) is not owed.
        """
        kind = "response" if item.response else "context"
        owed: list[str] = []
        for q in self.questions:
            if q.item_kind != kind or q.pass_ != pass_ or not possible(q.view, item):
                continue
            if q.each == "passage" and item.context:
                owed += [f"{q.name}.{passage.rank}" for passage in item.context.passages]
            elif diagnostics or not q.diagnostic:
                owed.append(q.name)
        return owed


def parse_rubric(text: str, where: str) -> Rubric:
    """The rubric that a TOML text describes.

    Raises:
        StudyProblem: Every fault of the text: unknown views, an order that shows what would make a later label
            worthless (gold before G), keys or values given twice.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyProblem(f"{where}: {error}; mend the file or write a fresh one with `evidence-audit init`") from None
    entries = raw.get("labels", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise StudyProblem(f"{where}: `labels` must be a list of [[labels]] tables")
    problems = [problem for entry in entries for problem in _faults(entry, where)]
    if problems:
        raise StudyProblem(problems)
    questions = tuple(_question(entry) for entry in entries)
    faults = (*_order_faults(questions), *_place_faults(questions), *_core_faults(questions))
    reasons = raw.get("skip_reasons", ["other"])
    if not isinstance(reasons, list) or not all(isinstance(reason, str) and reason for reason in reasons):
        raise StudyProblem(f"{where}: skip_reasons: {reasons!r}; expected a list of texts")
    problems = [Problem(where=where, message=message) for message in faults]
    if problems or not questions:
        raise StudyProblem(problems or f"{where}: no labels; a rubric needs at least one [[labels]] entry")
    return Rubric(
        version=str(raw.get("version", "1")),
        questions=questions,
        skip_reasons=tuple(reasons),
        hash=sha256(text.encode()).hexdigest()[:16],
        text=text,
    )


def _faults(entry: dict[str, Any], where: str) -> Iterable[Problem]:
    name = entry.get("name", "?")
    for field in FIELDS:
        if field not in entry:
            yield Problem(where=where, field=field, message=f"missing for label {name!r}; every label needs it")
        elif field != "values" and not isinstance(entry[field], str):
            yield Problem(where=where, field=field, message=f"{entry[field]!r} for label {name!r}; expected text")
    for field in sorted(set(entry) - {*FIELDS, *OPTIONS, "examples"}):
        yield Problem(where=where, field=field, message=f"label {name!r} has no such setting; mend its name")
    for field, allowed in OPTIONS.items():
        if field in entry and entry[field] not in allowed:
            expected = ", ".join(str(option).lower() if option in (True, False) else option for option in allowed)
            yield Problem(where=where, field=field, message=f"{entry[field]!r}; expected one of {expected}")
    yield from _value_faults(entry.get("values", []), name, where)
    if not _are_examples(entry.get("examples", []), entry.get("values", [])):
        message = f"label {name!r}; expected a list of {{ text = …, value = one of its values, why = … }}, all text"
        yield Problem(where=where, field="examples", message=message)


def _are_examples(raw: Any, values: Any) -> bool:
    known = {value.get("value") for value in values if isinstance(value, dict)} if isinstance(values, list) else set()
    names = {spec.name for spec in fields(Example)}
    return isinstance(raw, list) and all(
        isinstance(one, dict) and set(one) == names and all(map(_is_text, one.values())) and one["value"] in known
        for one in raw
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _value_faults(values: Any, name: object, where: str) -> Iterable[Problem]:
    known = {spec.name for spec in fields(Value)}
    if not isinstance(values, list) or not all(isinstance(value, dict) and set(value) <= known for value in values):
        entry = "{ key = …, value = …, text = … }, optionally help, evidence, note, severity"
        message = f"label {name!r}; expected a list of {entry}"
        yield Problem(where=where, field="values", message=message)
        return
    for field in ("key", "value", "text"):
        seen = [value.get(field) for value in values]
        if not all(isinstance(entry, str) and entry for entry in seen) or len(set(seen)) < len(seen):
            message = f"missing, not text or given twice for label {name!r}"
            yield Problem(where=where, field=f"values.{field}", message=message)
    if any(value.get("severity", BREAKS) not in (BREAKS, BLEMISH) for value in values):
        message = f"label {name!r}; expected {BREAKS!r} (the context is not what it claims to be) or {BLEMISH!r}"
        yield Problem(where=where, field="values.severity", message=message)
    asked = [value.get("evidence", False) for value in values]
    if not all(isinstance(evidence, bool) or evidence in (REQUIRED, QUOTE) for evidence in asked):
        message = f"label {name!r}; expected true, false, {REQUIRED!r} or {QUOTE!r}"
        yield Problem(where=where, field="values.evidence", message=message)
    if not all(isinstance(value.get("note", False), bool) for value in values):
        yield Problem(where=where, field="values.note", message=f"label {name!r}; expected true or false")
    if any(len(str(value.get("key"))) != 1 for value in values):
        message = f"label {name!r}; expected one digit or letter for each value"
        yield Problem(where=where, field="values.key", message=message)
    for key in sorted({str(value.get("key")).casefold() for value in values} & RESERVED_KEYS):
        message = f"{key!r} of label {name!r} is a key of the labelling screen; choose another letter or a digit"
        yield Problem(where=where, field="values.key", message=message)


CODES = {
    **dict.fromkeys(("D", "A", "C"), ("1", "0")),
    "G": ("established", "contradicted", "partly", "not_supported"),
    **dict.fromkeys(DIAGNOSTICS, ("0", "1", "2")),
}
"""What is stored for the labels that metrics read: how they are asked may be changed, what they mean may not."""


def _core_faults(questions: Sequence[Question]) -> Iterable[str]:
    for question in questions:
        values, allowed = {value.value for value in question.values}, CODES.get(question.name)
        if allowed and values != set(allowed):
            yield (
                f"label {question.name!r} stores {', '.join(sorted(values))}; the metrics read "
                f"{', '.join(allowed)}: change `text` and `help` as you like, keep `value`"
            )
        if question.name == "skip":
            yield "a label may not be called 'skip': that word is what a skipped item is reported with"


def _order_faults(questions: Sequence[Question]) -> Iterable[str]:
    """A label is worthless once its own view's forbidden artifacts were shown in the same pass."""
    names = [q.name for q in questions]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"label {name!r} is given twice"
    for i, later in enumerate(questions):
        for earlier in questions[:i]:
            if earlier.item_kind != later.item_kind:
                continue
            spoilt = FINAL_ONCE_SHOWN[later.view] & artifacts(earlier.view)
            if spoilt:
                yield (
                    f"label {later.name!r} comes after {earlier.name!r}, which shows {', '.join(sorted(spoilt))}; "
                    f"ask {later.name!r} first"
                )


def _place_faults(questions: Sequence[Question]) -> Iterable[str]:
    """The passes keep gold answers and evidence apart, so each label has to stand in the one that fits its view."""
    for q in questions:
        shown = artifacts(q.view)
        kind = "response" if "response" in shown else "context"
        fitting = kind if kind == "context" else "correctness" if "gold_answer" in shown else "evidence"
        if kind != q.item_kind:
            yield f"label {q.name!r} is of a {q.item_kind}, but {q.view} is a view of a {kind}"
        elif q.pass_ != fitting:
            yield f"label {q.name!r} with {q.view} belongs in pass {fitting!r}, not {q.pass_!r}"
        if q.each and "passages" not in shown:
            yield f"label {q.name!r} is asked of each passage, but {q.view} shows none"
        if "passages" not in shown and any(value.evidence for value in q.values):
            yield f"label {q.name!r} asks for evidence, but {q.view} shows no passage to quote"
        if "." in q.name or not q.name:
            yield f"label {q.name!r}: a name may not be empty or have a dot in it"


def _question(entry: dict[str, Any]) -> Question:
    known = {**entry, "pass_": entry["pass"], "values": tuple(Value(**value) for value in entry["values"])}
    known["examples"] = tuple(Example(**example) for example in entry.get("examples", []))
    del known["pass"]
    return Question(**known)


def default_text(labels: Iterable[str] | None = None) -> str:
    """The rubric that ships with the product, cut down to some labels when they are named.

    Raises:
        StudyProblem: A label is named that the shipped rubric does not have.
    """
    text = files("data").joinpath("rubric.toml").read_text(encoding="utf-8")
    if labels is None:
        return text
    head, *entries = text.split("[[labels]]\n")
    by_name = {entry.split('"')[1]: entry for entry in entries}
    wanted = list(labels)
    unknown = [name for name in wanted if name not in by_name]
    if unknown:
        raise StudyProblem(f"unknown labels: {', '.join(unknown)}; the shipped rubric has {', '.join(by_name)}")
    return "[[labels]]\n".join([head, *(by_name[name] for name in by_name if name in wanted)])
