"""Disputed items in the hands of adjudicators, and what has to be known of an item and of a person before."""

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from data.records import Assignment
from data.store import assignments
from data.store.connection import Store, now

LAPSED = "its time ran out and somebody else took it"
"""Why an adjudicator's item ended that was voted on but never decided."""


def planned(store: Store) -> list[dict[str, Any]]:
    """Every current answer of the plan, one row per opening and label; label is None where there is no answer."""
    return store.rows(
        "SELECT a.item_kind, a.item_id, a.task_id, a.context_id, a.pass, a.state, l.label, l.value "
        "FROM assignment AS a LEFT JOIN current_label AS l USING (assignment_id) WHERE a.purpose = 'plan' "
        "ORDER BY a.item_kind, a.item_id, a.pass, a.plan_order, l.event_id"
    )


def noted(store: Store) -> list[dict[str, Any]]:
    """Flags and slips that came after the last decision on their label, if any, oldest first."""
    return store.rows(
        "SELECT a.item_kind, a.item_id, a.pass, f.label, f.kind "
        "FROM flag AS f JOIN assignment AS a USING (assignment_id) "
        "WHERE a.purpose IN ('plan', 'repeat') AND f.created_at > coalesce((SELECT max(r.created_at) "
        "FROM resolution AS r WHERE r.item_kind = a.item_kind AND r.item_id = a.item_id AND r.label = f.label), '') "
        "ORDER BY f.flag_id"
    )


_HERE = "a.item_kind = :item_kind AND a.item_id = :item_id AND a.pass = :pass"


def answers_to(store: Store, place: Mapping[str, Any], label: str) -> list[dict[str, Any]]:
    """What the people of the plan said to a label of an item, one row a person, with the event; or that they skipped.

    `place` has item_kind, item_id and pass.
    """
    rows = store.rows(
        "SELECT a.person_id, a.state, a.reason, l.event_id, l.value, l.comment, l.evidence FROM assignment AS a "
        "LEFT JOIN current_label AS l ON l.assignment_id = a.assignment_id AND l.label = :label "
        f"WHERE {_HERE} AND a.purpose = 'plan' AND a.person_id IS NOT NULL ORDER BY a.plan_order",
        {**place, "label": label},
    )
    return [{**row, "evidence": json.loads(row["evidence"] or "[]")} for row in rows]


def notes_on(store: Store, place: Mapping[str, Any], label: str) -> list[dict[str, Any]]:
    """What was reported of a label of an item, oldest first: person_id, kind (flag or slip) and note."""
    return store.rows(
        "SELECT f.person_id, f.kind, f.note FROM flag AS f JOIN assignment AS a USING (assignment_id) "
        f"WHERE {_HERE} AND f.label = :label AND a.purpose IN ('plan', 'repeat') ORDER BY f.flag_id",
        {**place, "label": label},
    )


def decision(store: Store, assignment_id: str, label: str) -> dict[str, Any] | None:
    """What was decided on a label in an adjudicator's hands; None when nothing was."""
    return store.row("SELECT * FROM resolution WHERE assignment_id = ? AND label = ?", [assignment_id, label])


def decisions_of(store: Store, person_id: str) -> list[dict[str, Any]]:
    """What this adjudicator decided on screen, oldest first: the rows of `resolution`."""
    return store.rows(
        "SELECT * FROM resolution WHERE person_id = ? AND assignment_id IS NOT NULL ORDER BY rowid", [person_id]
    )


def draws(store: Store) -> dict[tuple[str, str], dict[str, Any]]:
    """Seed and inclusion probability of every drawn item in its newest sample, by (item_kind, item_id)."""
    rows = store.rows(
        "SELECT d.item_kind, d.item_id, d.inclusion_probability, s.seed FROM draw AS d JOIN sample AS s "
        "USING (sample_id) ORDER BY s.rowid"
    )
    return {(row["item_kind"], row["item_id"]): row for row in rows}


_FREE = """(state = 'open' OR (state = 'claimed' AND lease_until < :now))"""


def held(store: Store) -> dict[tuple[str, str, str], str]:
    """Who has which item in hand and is at work on it: person_id by (item_kind, item_id, pass)."""
    rows = store.rows(
        "SELECT item_kind, item_id, pass, person_id FROM assignment "
        f"WHERE purpose = 'adjudication' AND state = 'claimed' AND NOT {_FREE}",
        {"now": now()},
    )
    return {(row["item_kind"], row["item_id"], row["pass"]): row["person_id"] for row in rows}


def in_hand(store: Store, person_id: str) -> Assignment | None:
    """What this adjudicator has begun."""
    row = store.row(
        "SELECT * FROM assignment WHERE purpose = 'adjudication' AND state = 'claimed' AND person_id = ? "
        "ORDER BY rowid LIMIT 1",
        [person_id],
    )
    return assignments.of_row(row) if row else None


def take(store: Store, case: Mapping[str, Any], person_id: str, until: str) -> Assignment:
    """Puts an item in the hands of an adjudicator. Runs inside a transaction, after it was seen to be free.

    An opening that nobody voted on is taken over; one with a vote ends, and the vote stays where it is.

    Args:
        store: The open study.
        case: item_kind, item_id, task_id, context_id and pass.
        person_id: Who takes it.
        until: When the lease ends.
    """
    place = {name: case[name] for name in ("item_kind", "item_id", "pass")}
    rows = store.rows(
        "SELECT *, EXISTS (SELECT 1 FROM label_event AS l WHERE l.assignment_id = a.assignment_id) AS voted "
        "FROM assignment AS a WHERE item_kind = :item_kind AND item_id = :item_id AND pass = :pass "
        "AND purpose = 'adjudication' ORDER BY occasion",
        place,
    )
    begun = next((row for row in rows if row["state"] in ("open", "claimed")), None)
    if begun and begun["voted"]:
        assignments.finish(store, begun["assignment_id"], "skipped", LAPSED)
        begun = None
    if begun is None:
        occasion = max((row["occasion"] for row in rows), default=0) + 1
        begun = assignments.opening(dict(case), case["pass"], 1, 0) | {"purpose": "adjudication", "occasion": occasion}
        assignments.add(store, [begun])
    (taken,) = store.rows(
        "UPDATE assignment SET person_id = ?, state = 'claimed', lease_until = ? WHERE assignment_id = ? RETURNING *",
        [person_id, until, begun["assignment_id"]],
    )
    return assignments.of_row(taken)


def had(store: Store, person_id: str) -> set[tuple[str, str]]:
    """The items that somebody labelled, holds to label, or had on screen to label, as (item_kind, item_id)."""
    rows = store.rows(
        "SELECT item_kind, item_id FROM assignment WHERE person_id = :person AND purpose <> 'adjudication' UNION "
        "SELECT a.item_kind, a.item_id FROM exposure AS e JOIN assignment AS a USING (assignment_id) "
        "WHERE e.person_id = :person AND a.purpose <> 'adjudication'",
        {"person": person_id},
    )
    return {(row["item_kind"], row["item_id"]) for row in rows}


def given_back(store: Store, person_id: str) -> set[tuple[str, str, str]]:
    """What an adjudicator gave back, as (item_kind, item_id, pass)."""
    rows = store.rows(
        "SELECT item_kind, item_id, pass FROM assignment "
        "WHERE person_id = ? AND purpose = 'adjudication' AND state = 'skipped'",
        [person_id],
    )
    return {(row["item_kind"], row["item_id"], row["pass"]) for row in rows}


def seen(store: Store, person_id: str) -> dict[tuple[str, str], set[str]]:
    """The artifacts of every item that this person had on screen, by (item_kind, item_id)."""
    rows = store.rows(
        "SELECT DISTINCT a.item_kind, a.item_id, e.fields FROM exposure AS e JOIN assignment AS a USING (assignment_id)"
        " WHERE e.person_id = ?",
        [person_id],
    )
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        found[row["item_kind"], row["item_id"]] |= set(json.loads(row["fields"]))
    return found


def gold(store: Store, person_id: str) -> set[str]:
    """The tasks whose reference answer this person has seen, or labels from a file that show it."""
    rows = store.rows(
        "SELECT a.task_id FROM exposure AS e JOIN assignment AS a USING (assignment_id) "
        "WHERE e.person_id = :person AND e.fields LIKE '%\"gold_answer\"%' UNION "
        "SELECT task_id FROM assignment WHERE person_id = :person AND purpose <> 'adjudication' "
        "AND (pass <> 'evidence' OR purpose = 'calibration')",
        {"person": person_id},
    )
    return {row["task_id"] for row in rows}


def decided_by(store: Store, person_id: str) -> int:
    """How many items this adjudicator is done with."""
    row = store.row(
        "SELECT count(*) AS n FROM assignment WHERE person_id = ? AND purpose = 'adjudication' AND state = 'done'",
        [person_id],
    )
    return int(row["n"]) if row else 0
