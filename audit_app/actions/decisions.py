"""What adjudication came to, label by label, beside the answers that it leaves as they are."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from audit_app.actions.cases import Queue, read_queue
from data.questions import Question
from data.records import CANNOT_JUDGE, Resolution
from data.store import events, items
from data.store.connection import Store
from data.study import Study


class Unit(NamedTuple):
    """One label of one item; of a label that is asked per passage, one passage."""

    item_kind: str
    item_id: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDecisions:
    """What was decided on one label of the items of a sample."""

    label: str
    title: str
    n_waiting: int
    """In the queue now."""
    n_decided: int
    n_changed: int
    """Decided otherwise than the plan's first person had said (target A)."""
    n_first: int
    """Decided where that person had a label: what `n_changed` is out of."""
    n_labels: int
    """Labels of the plan's people on items with a final value: decided, or else unanimous."""
    n_final: int
    """How many of these are that value."""
    n_votes: int
    """Decisions that a blind vote came before."""
    n_kept: int
    """How many of these are what the adjudicator had voted."""
    causes: dict[str, int]
    """Why people differed, as the adjudicators have it; what a file brought has no cause."""


def decisions(store: Store, study: Study, sample_id: str) -> tuple[LabelDecisions, ...]:
    """What was decided on each label of the rubric, where anything was decided or waits."""
    drawn = {(kind, row["item_id"]) for kind in ("response", "context") for row in items.draws(store, sample_id, kind)}
    answers = [
        row
        for kind in ("response", "context")
        for row in events.answers(store, kind)
        if (kind, row["item_id"]) in drawn and row["value"] is not None and row["state"] != "skipped"
    ]
    decided = {Unit(one.item_kind, one.item_id, one.label): one for one in events.resolutions(store)}
    decided = {unit: one for unit, one in decided.items() if unit[:2] in drawn}
    waiting = _waiting(read_queue(store, study), drawn)
    found = (_of(question, answers, decided, waiting) for question in study.rubric.questions)
    return tuple(one for one in found if one.n_decided or one.n_waiting)


def _waiting(queue: Queue, drawn: set[tuple[str, str]]) -> Counter[str]:
    return Counter(_base(label) for case in queue.cases if case.place[:2] in drawn for label in case.labels)


def _base(label: str) -> str:
    return label.partition(".")[0]


def _of(
    question: Question, answers: Iterable[Mapping[str, Any]], decided: Mapping[Unit, Resolution], waiting: Counter[str]
) -> LabelDecisions:
    planned: dict[Unit, list[str]] = defaultdict(list)
    first: dict[Unit, str] = {}
    votes: dict[tuple[Unit, str], str] = {}
    for row in answers:
        unit = Unit(row["item_kind"], row["item_id"], row["label"])
        if _base(unit.label) != question.name:
            continue
        if row["purpose"] == "adjudication":
            votes[unit, row["person_id"]] = row["value"]
        elif row["purpose"] == "plan" and row["value"] != CANNOT_JUDGE:
            planned[unit].append(row["value"])
            if row["plan_order"] == 1:
                first[unit] = row["value"]
    mine = {unit: one for unit, one in decided.items() if _base(unit.label) == question.name}
    final = {unit: values[0] for unit, values in planned.items() if len(values) > 1 and len(set(values)) == 1}
    final |= {unit: one.value for unit, one in mine.items() if one.value != CANNOT_JUDGE}
    voted = {unit: votes.get((unit, one.person_id)) for unit, one in mine.items() if one.queue_order is not None}
    return LabelDecisions(
        label=question.name,
        title=question.title,
        n_waiting=waiting[question.name],
        n_decided=len(mine),
        n_changed=sum(mine[unit].value != value for unit, value in first.items() if unit in mine),
        n_first=sum(unit in mine for unit in first),
        n_labels=sum(len(planned[unit]) for unit in final),
        n_final=sum(value == final[unit] for unit in final for value in planned[unit]),
        n_votes=len(voted),
        n_kept=sum(mine[unit].value == value for unit, value in voted.items()),
        causes=dict(Counter(one.cause for one in mine.values() if one.cause).most_common()),
    )
