"""Bringing files into a study: records by the importers of the data room, recorded labels as answers of the plan."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit_app.actions.answers import Refused, skip_reason
from data.errors import Problem, StudyProblem
from data.importers import Imported, import_file, read_records, unique
from data.mapping import Mapping as FieldMapping
from data.mapping import parse_pairs, read_mappings
from data.questions import Question
from data.records import CANNOT_JUDGE, Label, Person
from data.store import assignments, events, items, people, rounds
from data.store.connection import Store, now, open_store
from data.study import Study

NAMED = 9
"""Lines that a problem names besides the first."""

AssignmentKey = tuple[str, str, str, str, int, str]
"""item_kind, item_id, pass, purpose, occasion, person_id."""


def import_records(
    study: Study,
    kind: str,
    path: Path,
    *,
    mapping: str | None = None,
    pairs: Sequence[str] = (),
    drawn_only: bool = False,
) -> Imported:
    """Imports a file of tasks, contexts, responses, verdicts or labels: all of it, or nothing and every problem.

    Args:
        study: The study.
        kind: What the rows are.
        path: A JSON lines, CSV or Parquet file.
        mapping: A mapping file, or the name of one that ships with the product.
        pairs: `ours=theirs` field names, instead of a mapping.
        drawn_only: Labels of items that are not drawn are passed over instead of being a problem.

    Raises:
        StudyProblem: With every problem of the file.
    """
    if mapping and pairs:
        raise StudyProblem("give --mapping or --map, not both")
    mappings = read_mappings(mapping, kind) if mapping else [parse_pairs(pairs)]
    if kind != "labels":
        return import_file(study, kind, path, mappings)
    return _import_labels(study, path, mappings, drawn_only=drawn_only)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """A recorded label that fits the study."""

    label: Label
    question: Question
    value: str | None


def _import_labels(study: Study, path: Path, mappings: Sequence[FieldMapping], *, drawn_only: bool) -> Imported:
    records, problems = read_records("labels", path, mappings)
    records, duplicates = unique(records, set(), distinct=any(m.distinct for m in mappings))
    problems += duplicates
    n_read = len(records)
    with open_store(study) as store, store.transaction():
        drawn = _passages_of_drawn(store)
        if drawn_only:
            records = [(where, r) for where, r in records if (r.item_kind, r.item_id) in drawn]
        of_item: dict[tuple[str, str], list[Problem]] = defaultdict(list)
        taken = _answered_already(store)
        ready = []
        for where, record in records:
            item = (record.item_kind, record.item_id)
            entry = _check(study, where, record, drawn, of_item[item])
            if entry and (*_key(record, entry.question), record.label) in taken:
                message = f"{record.person_id!r} has given this label of {record.item_id!r} already"
                of_item[item].append(Problem(where=where, message=message))
            ready += [entry] if entry else []
        problems += [problem for found in of_item.values() for problem in _merged(found)]
        if problems:
            raise StudyProblem(problems)
        if not ready:
            raise StudyProblem(f"{path}: no label of a drawn item; draw a sample first, then import its labels")
        n_values, n_skips = _keep(store, study, ready)
    return Imported(
        kind="labels",
        n=n_values + n_skips,
        n_skips=n_skips,
        n_blank=len(ready) - n_values - n_skips,
        n_passed_over=n_read - len(records),
    )


def _merged(problems: Sequence[Problem]) -> list[Problem]:
    """The problems of one item, each said once, with the other lines that have it."""
    alike: dict[tuple[str | None, str], list[str]] = defaultdict(list)
    for problem in problems:
        alike[problem.field, problem.message].append(problem.where)
    return [
        Problem(where=first, field=field, message=message + _so_do(others))
        for (field, message), (first, *others) in alike.items()
    ]


def _so_do(others: Sequence[str]) -> str:
    """The lines in brackets, the first of them by number."""
    if not others:
        return ""
    lines = ", ".join(where.rpartition(":")[2] for where in others[:NAMED])
    return f" (the same in {len(others)} more: {lines}{', …' if len(others) > NAMED else ''})"


def _check(
    study: Study, where: str, record: Label, drawn: Mapping[tuple[str, str], list[str]], problems: list[Problem]
) -> _Checked | None:
    """The label as it will be stored, or a problem."""

    def problem(field: str, message: str) -> None:
        problems.append(Problem(where=where, field=field, message=message))

    if (record.item_kind, record.item_id) not in drawn:
        problem(
            "item_id", f"{record.item_kind} {record.item_id!r} is not drawn; draw it, or pass over with --drawn-only"
        )
        return None
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
    if value is None and record.reason is not None:
        try:
            skip_reason({"comment": record.reason}, study.rubric.skip_reasons)
        except Refused as refused:
            problem("reason", f"is {record.reason!r}; {refused}")
            return None
    return _Checked(label=record, question=question, value=value)


def stored_value(question: Question, raw: str | None) -> str | None:
    """The stored form of a recorded value; lists of codes are kept in the rubric's order."""
    if raw is not None and raw.strip().casefold().replace(" ", "_") == CANNOT_JUDGE:
        return CANNOT_JUDGE
    if raw is None or question.kind != "many":
        return question.parse(raw or "")
    allowed = [value.value for value in question.values]
    try:
        codes = json.loads(raw)
    except json.JSONDecodeError:
        codes = None
    if not isinstance(codes, list) or any(code not in allowed for code in codes):
        raise ValueError(f"{raw!r}; expected a JSON list of {', '.join(allowed)}")
    return json.dumps([code for code in allowed if code in codes])


def _passages_of_drawn(store: Store) -> dict[tuple[str, str], list[str]]:
    """Everything drawn as (item_kind, item_id), with the passage numbers that its labels can name."""
    ranks = items.passage_numbers(store)
    return {(row["item_kind"], row["item_id"]): ranks.get(row["context_id"], []) for row in items.everything(store)}


def _key(record: Label, question: Question) -> AssignmentKey:
    return (record.item_kind, record.item_id, question.pass_, record.purpose, record.occasion, record.person_id)


def _answered_already(store: Store) -> set[tuple[str | int, ...]]:
    names = ("item_kind", "item_id", "pass", "purpose", "occasion", "person_id", "label")
    rows = events.answers(store, "response") + events.answers(store, "context")
    return {tuple(row[name] for name in names) for row in rows}


def _keep(store: Store, study: Study, ready: Sequence[_Checked]) -> tuple[int, int]:
    """Adds people, takes openings (or adds them), and adds the answers; returns how many, and how many rows were skips.

    Nothing is made of rows without a value and without a reason: nobody has looked at the item as far as they tell.
    """
    groups: dict[AssignmentKey, list[_Checked]] = defaultdict(list)
    for entry in ready:
        groups[_key(entry.label, entry.question)].append(entry)
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


def _event(study: Study, entry: _Checked, assignment_id: str, seq: int) -> dict[str, Any]:
    return {
        "assignment_id": assignment_id,
        "label": entry.label.label,
        "value": entry.value,
        "evidence": [{"text": quote} for quote in entry.label.evidence],
        "comment": entry.label.comment,
        "seen_before": {},
        "rubric_hash": study.rubric.hash,
        "client_seq": seq,
        "created_at": entry.label.created_at or now(),
    }


def _decision(study: Study, entry: _Checked, assignment_id: str) -> dict[str, Any]:
    """A recorded adjudication is no blind vote but what was decided."""
    return {
        "item_id": entry.label.item_id,
        "item_kind": entry.label.item_kind,
        "label": entry.label.label,
        "value": entry.value,
        "person_id": entry.label.person_id,
        "reason": entry.label.comment,
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
