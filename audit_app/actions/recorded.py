"""Labels that people gave elsewhere: read, held against the study, and kept when all is well."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audit_app.actions.fitting import check
from audit_app.actions.marks import Marks, joined
from audit_app.actions.recording import keep, key_of
from data.checks import ALIKE, Ids, likeness
from data.errors import Problem, StudyProblem
from data.importers import Imported, read_records
from data.mapping import Mapping as FieldMapping
from data.rows import Rows
from data.store import events, items, people
from data.store.connection import Store, open_store
from data.study import Study

NAMED = 9
"""Lines that a problem names besides the first."""


def import_labels(
    study: Study, path: Path, mappings: Sequence[FieldMapping], rows: Rows, *, drawn_only: bool, skip_bad: bool
) -> Imported:
    """Imports labels that people gave elsewhere, as answers of the plan: all of the file or nothing.

    Args:
        study: The study.
        path: How to name the file.
        mappings: How a label is read off a row, once each.
        rows: The rows of the file.
        drawn_only: Labels of items that are not drawn are passed over instead of being a problem.
        skip_bad: Import what is good, and tell what was left out.

    Raises:
        StudyProblem: With every problem of the file.
    """
    with open_store(study) as store:
        marks = Marks(store, study.rubric, mappings)
        records, problems = read_records("labels", path, mappings, marks.placed(rows))
    with open_store(study) as store, store.transaction():
        records, twice = _first_of_each(store, joined(records), distinct=any(m.distinct for m in mappings))
        problems += twice
        n_read = len(records)
        drawn = _passages_of_drawn(store)
        if drawn_only:
            records = [(where, r) for where, r in records if (r.item_kind, r.item_id) in drawn]
        of_item: dict[tuple[str, str], list[Problem]] = defaultdict(list)
        taken = _answered_already(store)
        ready = []
        for where, record in records:
            item = (record.item_kind, record.item_id)
            entry = check(study, where, record, drawn, of_item[item])
            if entry and (*key_of(record, entry.question), record.label) in taken:
                message = f"{record.person_id!r} has given this label of {record.item_id!r} already"
                of_item[item].append(Problem(where=where, message=message))
            elif entry:
                ready.append(entry)
        problems += [problem for found in of_item.values() for problem in _merged(found)]
        if any(one.stops or one.where == str(path) for one in problems) or (problems and not skip_bad):
            raise StudyProblem(problems)
        if not ready:
            nothing = f"{path}: no label of a drawn item; draw a sample first, then import its labels"
            raise StudyProblem(problems or nothing)
        n_values, n_skips = keep(store, study, ready)
    return Imported(
        kind="labels",
        n=n_values + n_skips,
        n_skips=n_skips,
        n_blank=len(ready) - n_values - n_skips,
        n_passed_over=n_read - len(records),
        unread_marks=dict(+marks.unread),
        skipped=tuple(problems),
    )


def _first_of_each(
    store: Store, records: Sequence[tuple[str, Any]], *, distinct: bool
) -> tuple[list[tuple[str, Any]], list[Problem]]:
    """The labels without repeats, and a problem for every label or person that could be mistaken for another."""
    ids, kept, problems = Ids(distinct=distinct), [], []
    there = {likeness((person.person_id,)): person.person_id for person in people.everyone(store)}
    for where, record in records:
        if ids.repeats(record):
            continue
        same = there.setdefault(likeness((record.person_id,)), record.person_id)
        problem = ids.problem(where, record)
        if problem is None and same != record.person_id:
            message = f"{record.person_id!r} and {same!r} {ALIKE}; give one id each"
            problem = Problem(where=where, field="person_id", message=message)
        if problem:
            problems.append(problem)
        else:
            kept.append((where, record))
    return kept, problems


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


def _passages_of_drawn(store: Store) -> dict[tuple[str, str], list[str]]:
    """Everything drawn as (item_kind, item_id), with the passage numbers that its labels can name."""
    ranks = items.passage_numbers(store)
    return {(row["item_kind"], row["item_id"]): ranks.get(row["context_id"], []) for row in items.everything(store)}


def _answered_already(store: Store) -> set[tuple[str | int, ...]]:
    names = ("item_kind", "item_id", "pass", "purpose", "occasion", "person_id", "label")
    rows = events.answers(store, "response") + events.answers(store, "context")
    return {tuple(row[name] for name in names) for row in rows}
