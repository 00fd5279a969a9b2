"""Recorded labels as answers of the plan: they take its openings, and stay label events with their times and people."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from audit_app.actions.fitting import Fitting
from data.questions import Question
from data.records import Label, Person
from data.store import assignments, events, items, people, rounds
from data.store.connection import Store, now
from data.study import Study

AssignmentKey = tuple[str, str, str, str, int, str]
"""item_kind, item_id, pass, purpose, occasion, person_id."""


def key_of(record: Label, question: Question) -> AssignmentKey:
    """Whose work this is part of."""
    return (record.item_kind, record.item_id, question.pass_, record.purpose, record.occasion, record.person_id)


def keep(store: Store, study: Study, ready: Sequence[Fitting]) -> tuple[int, int]:
    """Adds people, takes openings (or adds them), and adds the answers; returns how many, and how many rows were skips.

    Nothing is made of rows without a value and without a reason: nobody has looked at the item as far as they tell.
    """
    groups: dict[AssignmentKey, list[Fitting]] = defaultdict(list)
    for entry in ready:
        groups[key_of(entry.label, entry.question)].append(entry)
    rounds.begin(store, study.rubric)
    openings = _Openings(store)
    n_values = n_skips = 0
    for key, entries in groups.items():
        given = [entry for entry in entries if entry.value is not None]
        reasons = [entry.label.reason for entry in entries if entry.value is None and entry.label.reason]
        # A skip after answers of an earlier file must not undo those.
        if not given and (not reasons or openings.has_answers(key)):
            continue
        _add_person(store, entries[0].label)
        assignment_id = openings.take(key)
        seq = events.next_seq(store, assignment_id)
        store.insert("label_event", [_event(study, e, assignment_id, seq + i) for i, e in enumerate(given)])
        for entry in given:
            if entry.label.purpose == "adjudication":
                events.resolve(store, _decision(study, entry, assignment_id))
        if given:
            assignments.finish(store, assignment_id, "done")
        else:
            assignments.finish(store, assignment_id, "skipped", reasons[0])
        n_values, n_skips = n_values + len(given), n_skips + (0 if given else len(reasons))
    return n_values, n_skips


def _add_person(store: Store, label: Label) -> None:
    role = "adjudicator" if label.purpose == "adjudication" else "annotator"
    people.ensure(store, Person(person_id=label.person_id, display_name=label.person_id, role=role))


def _event(study: Study, entry: Fitting, assignment_id: str, seq: int) -> dict[str, Any]:
    return {
        "assignment_id": assignment_id,
        "label": entry.label.label,
        "value": entry.value,
        "evidence": [{k: v for k, v in asdict(quote).items() if v is not None} for quote in entry.label.evidence],
        "comment": entry.label.comment,
        "active_seconds": entry.label.active_seconds,
        "seen_before": dict(entry.label.seen_before or {}),
        "rubric_hash": study.rubric.hash,
        "client_seq": seq,
        "created_at": entry.label.created_at or now(),
    }


def _decision(study: Study, entry: Fitting, assignment_id: str) -> dict[str, Any]:
    """A recorded adjudication is no blind vote but what was decided."""
    return {
        "item_id": entry.label.item_id,
        "item_kind": entry.label.item_kind,
        "label": entry.label.label,
        "value": entry.value,
        "person_id": entry.label.person_id,
        "reason": entry.label.reason or entry.label.comment,
        "cause": entry.label.cause,
        "resolves": [],
        "assignment_id": assignment_id,
        "rubric_hash": study.rubric.hash,
    }


class _Openings:
    """The openings of the plan by item and pass, in plan order, so that recorded work takes the first free one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._item = {(r["item_kind"], r["item_id"]): r for r in items.everything(store)}
        self._rows: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
        for row in assignments.everything(store):
            self._rows[self._place(row)].append(row)

    @staticmethod
    def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(row[name] for name in ("item_kind", "item_id", "pass", "purpose", "occasion"))

    def take(self, key: AssignmentKey) -> str:
        """This person's assignment there, else the first open one, else a new one at the end."""
        *place, person = key
        rows = self._rows[tuple(place)]
        row = (
            next((r for r in rows if r["person_id"] == person), None)
            or self._free(rows, person)
            or self._new(key, rows)
        )
        if row["person_id"] != person:
            row.update(person_id=person, state="claimed")
            assignments.give(self._store, row["assignment_id"], person)
        return str(row["assignment_id"])

    def has_answers(self, key: AssignmentKey) -> bool:
        """Whether this person has answered there before."""
        *place, person = key
        mine = [row["assignment_id"] for row in self._rows[tuple(place)] if row["person_id"] == person]
        return any(events.next_seq(self._store, assignment_id) > 1 for assignment_id in mine)

    @staticmethod
    def _free(rows: Iterable[dict[str, Any]], person: str) -> dict[str, Any] | None:
        """What was dealt to this person, else to nobody, else to somebody else; but not somebody else's repeat."""
        mine = [
            row
            for row in rows
            if row["state"] == "open" and (row["purpose"] == "plan" or row["reserved_for"] in (None, person))
        ]
        return min(mine, key=lambda row: (row["reserved_for"] != person, row["reserved_for"] is not None), default=None)

    def _new(self, key: AssignmentKey, rows: list[dict[str, Any]]) -> dict[str, Any]:
        kind, item, pass_, purpose, occasion, _ = key
        order = max((row["plan_order"] for row in rows), default=0) + 1
        row = assignments.opening(self._item[kind, item], pass_, order, 0)
        row |= {"purpose": purpose, "occasion": occasion, "person_id": None, "reserved_for": None}
        assignments.add(self._store, [row])
        rows.append(row)
        return row
