"""Whether a recorded label fits the study: its item is drawn, its label is asked, its value is one of the answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from audit_app.actions.answers import Refused, skip_reason
from data.errors import Problem
from data.questions import Question
from data.records import CANNOT_JUDGE, Label
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """A recorded label that fits the study."""

    label: Label
    question: Question
    value: str | None


def check(
    study: Study, where: str, record: Label, drawn: Mapping[tuple[str, str], list[str]], problems: list[Problem]
) -> Fitting | None:
    """The label as it will be stored, or a problem."""

    def problem(field: str, message: str) -> None:
        problems.append(Problem(where=where, field=field, message=message))

    if (record.item_kind, record.item_id) not in drawn:
        problem(
            "item_id", f"{record.item_kind} {record.item_id!r} is not drawn; draw it, or pass over with --drawn-only"
        )
        return None
    if record.label is None:
        return _skip(study, record, problem)
    try:
        question = study.rubric[record.label]
    except KeyError as error:
        problem("label", str(error.args[0]))
        return None
    if question.item_kind != record.item_kind:
        problem("label", f"{record.label!r} is a label of a {question.item_kind}, not of a {record.item_kind}")
        return None
    ranks = drawn[record.item_kind, record.item_id] if question.each == "passage" else []
    names = [f"{question.name}.{rank}" for rank in ranks] or [question.name]
    if record.label not in names:
        problem("label", f"{record.label!r} is not asked of this item; expected {' or '.join(names)}")
        return None
    if record.purpose == "plan" and record.occasion > 1:
        problem("occasion", f"is {record.occasion}; the plan asks once, so give the row another purpose, like repeat")
        return None
    try:
        value = stored_value(question, record.value)
    except ValueError as error:
        problem("value", f"is {error}")
        return None
    strange = [quote.code for quote in record.evidence if quote.code not in (None, *question.codes(value or ""))]
    if strange:
        problem("evidence", f"has a quote for {strange[0]!r}, which is not among the values of this row")
        return None
    if value is None and record.reason is not None and not _is_reason(study, record.reason, problem):
        return None
    return Fitting(label=record, question=question, value=value)


def _is_reason(study: Study, reason: str, problem: Callable[[str, str], None]) -> bool:
    try:
        skip_reason({"comment": reason}, study.rubric.skip_reasons)
    except Refused as refused:
        problem("reason", f"is {reason!r}; {refused}")
        return False
    return True


def _skip(study: Study, record: Label, problem: Callable[[str, str], None]) -> Fitting | None:
    """A row without a label: the item was skipped."""
    if record.value is not None:
        problem("label", "missing; only a skipped item has no label, and then it has a reason and no value")
        return None
    asked = [q for q in study.rubric.questions if q.item_kind == record.item_kind and record.pass_ in (None, q.pass_)]
    if not asked:
        problem("pass", f"is {record.pass_!r}; expected one of {', '.join(study.rubric.passes(record.item_kind))}")
        return None
    if record.reason is not None and not _is_reason(study, record.reason, problem):
        return None
    return Fitting(label=record, question=asked[0], value=None)


def stored_value(question: Question, raw: str | None) -> str | None:
    """The stored form of a recorded value; lists of codes are kept in the rubric's order."""
    if raw is not None and raw.strip().casefold().replace(" ", "_") == CANNOT_JUDGE:
        return CANNOT_JUDGE
    if raw is None or question.kind != "many":
        return question.parse(raw or "")
    allowed = [value.value for value in question.values]
    try:
        codes = json.loads(raw)
    except (json.JSONDecodeError, RecursionError):
        codes = None
    if not isinstance(codes, list) or any(code not in allowed for code in codes):
        raise ValueError(f"{raw!r}; expected a JSON list of {', '.join(allowed)}")
    return json.dumps([code for code in allowed if code in codes])
