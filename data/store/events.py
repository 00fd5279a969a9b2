"""What people answered and what was on their screens: rows that are only ever added."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from data.records import LabelEvent, Resolution
from data.store.connection import Store, now


def _event(row: dict[str, Any]) -> LabelEvent:
    return LabelEvent(
        **{
            **row,
            "evidence": tuple(json.loads(row["evidence"])),
            "seen_before": json.loads(row["seen_before"]),
        }
    )


def add(store: Store, event: Mapping[str, Any]) -> None:
    """Keeps one answer; `created_at` is now unless it is given."""
    store.insert("label_event", [{"created_at": now(), **event}])


def find(store: Store, assignment_id: str, client_seq: int) -> LabelEvent | None:
    """The answer that a client sent under this sequence number, if it arrived."""
    row = store.row("SELECT * FROM label_event WHERE assignment_id = ? AND client_seq = ?", [assignment_id, client_seq])
    return _event(row) if row else None


def current(store: Store, assignment_id: str) -> dict[str, LabelEvent]:
    """The current answer per label of one assignment."""
    rows = store.rows("SELECT * FROM current_label WHERE assignment_id = ? ORDER BY event_id", [assignment_id])
    return {row["label"]: _event(row) for row in rows}


def first_given(store: Store, assignment_id: str) -> dict[str, str]:
    """When each label of an assignment was answered for the first time, in that order."""
    rows = store.rows(
        "SELECT label, min(created_at) AS at FROM label_event WHERE assignment_id = ? "
        "GROUP BY label ORDER BY min(event_id)",
        [assignment_id],
    )
    return {row["label"]: row["at"] for row in rows}


def active_seconds(store: Store, assignment_id: str) -> float:
    """The work on one item: every version of every answer, each counted once."""
    row = store.row("SELECT sum(active_seconds) AS n FROM label_event WHERE assignment_id = ?", [assignment_id])
    return float(row["n"] or 0) if row else 0.0


def next_seq(store: Store, assignment_id: str) -> int:
    """The sequence number that the next answer should carry."""
    row = store.row("SELECT max(client_seq) AS n FROM label_event WHERE assignment_id = ?", [assignment_id])
    return int(row["n"] or 0) + 1 if row else 1


def seq_after(answered: Mapping[str, LabelEvent]) -> int:
    """The same, for whoever has the current answers at hand: the last one given is among them.

    >>> seq_after({})
    1
    """
    return 1 + max((event.client_seq for event in answered.values()), default=0)


def expose(store: Store, assignment_id: str, person_id: str, view: str, fields: Sequence[str]) -> None:
    """Keeps what is about to be shown."""
    row = {"assignment_id": assignment_id, "person_id": person_id, "view": view, "fields": list(fields)}
    store.insert("exposure", [{**row, "shown_at": now()}])


def everything_shown(store: Store) -> list[dict[str, Any]]:
    """What was on whose screen, oldest first: one row per view of an assignment, each time that it was sent."""
    return store.rows(
        "SELECT a.item_id, a.item_kind, a.task_id, a.context_id, e.person_id, a.pass, a.purpose, a.occasion, e.view, "
        "e.fields, e.shown_at FROM exposure AS e JOIN assignment AS a USING (assignment_id) ORDER BY e.rowid"
    )


def shown_since(store: Store, assignment_id: str, person_id: str, since: str) -> set[str]:
    """What this person was shown from a time on: artifacts of this item, and the gold answer wherever in its task."""
    rows = store.rows(
        "SELECT DISTINCT e.fields, x.item_kind = mine.item_kind AND x.item_id = mine.item_id AS here "
        "FROM assignment AS mine CROSS JOIN assignment AS x ON x.task_id = mine.task_id "
        "CROSS JOIN exposure AS e ON e.assignment_id = x.assignment_id "
        "WHERE mine.assignment_id = ? AND e.person_id = ? AND e.shown_at >= ?",
        [assignment_id, person_id, since],
    )
    shown = {(field, row["here"]) for row in rows for field in json.loads(row["fields"])}
    return {field for field, here in shown if here or field == "gold_answer"}


def seen_before(store: Store, assignment_id: str, person_id: str) -> dict[str, Any]:
    """What this person had seen of the task before this assignment: which artifacts, and how many other contexts."""
    rows = store.rows(
        "SELECT DISTINCT e.fields, x.context_id IS NOT mine.context_id AS elsewhere, x.context_id "
        "FROM assignment AS mine CROSS JOIN assignment AS x ON x.task_id = mine.task_id "
        "CROSS JOIN exposure AS e ON e.assignment_id = x.assignment_id "
        "WHERE mine.assignment_id = ? AND e.person_id = ? AND x.assignment_id <> mine.assignment_id",
        [assignment_id, person_id],
    )
    fields = sorted({field for row in rows for field in json.loads(row["fields"])})
    others = {row["context_id"] for row in rows if row["elsewhere"] and '"passages"' in row["fields"]}
    return {"fields": fields, "other_contexts": len(others)}


def answers(store: Store, item_kind: str) -> list[dict[str, Any]]:
    """Every current answer of every assignment that was taken, one row per item × person × label × occasion.

    Skipped assignments come with label and value None, and their reason.
    """
    return store.rows(
        "SELECT a.item_id, a.item_kind, a.task_id, a.context_id, a.person_id, a.pass, a.purpose, a.occasion, "
        "a.plan_order, a.state, a.reason, l.label, l.value, l.evidence, l.comment, l.seen_before, v.active_seconds, "
        "l.rubric_hash, l.created_at, v.version, (SELECT json_group_array(json_object('kind', f.kind, 'note', f.note)) "
        "FROM flag AS f WHERE f.assignment_id = a.assignment_id AND (f.label = l.label OR l.label IS NULL)) AS flags "
        "FROM assignment AS a LEFT JOIN current_label AS l USING (assignment_id) "
        "LEFT JOIN (SELECT assignment_id, label, count(*) AS version, sum(active_seconds) AS active_seconds "
        "FROM label_event GROUP BY assignment_id, label) AS v USING (assignment_id, label) "
        "WHERE a.item_kind = ? AND a.person_id IS NOT NULL "
        "ORDER BY a.item_id, a.pass, a.purpose, a.occasion, a.plan_order, l.event_id",
        [item_kind],
    )


def resolutions(store: Store) -> list[Resolution]:
    """The adjudicated values, oldest first; of one label the last one stands."""
    rows = store.rows("SELECT * FROM resolution ORDER BY rowid")
    return [Resolution(**{**row, "resolves": tuple(json.loads(row["resolves"]))}) for row in rows]


def is_resolved(store: Store, item_kind: str, item_id: str, label: str) -> bool:
    """Whether this label of an item has an adjudicated value."""
    sql = "SELECT 1 FROM resolution WHERE item_kind = ? AND item_id = ? AND label = ?"
    return store.row(sql, [item_kind, item_id, label]) is not None


def resolve(store: Store, resolution: Mapping[str, Any]) -> None:
    """Keeps an adjudicated value."""
    store.insert("resolution", [{"created_at": now(), **resolution}])
