"""Canaries in people's queues: attention checks of purpose canary, in the evidence pass, each at most once a person."""

from collections import defaultdict
from typing import Any

from data.store import assignments
from data.store.connection import Store

PURPOSE = "canary"
PASS = "evidence"


def had(store: Store) -> dict[str, set[str]]:
    """Which canaries each person has, had, or is to get: item_ids by person_id."""
    rows = store.rows(
        "SELECT coalesce(person_id, reserved_for) AS who, item_id FROM assignment WHERE purpose = 'canary'"
    )
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        found[row["who"]].add(row["item_id"])
    return found


def add(store: Store, item: dict[str, Any], person_id: str, due: int) -> None:
    """Keeps a canary for somebody, not before `due` others of the pass are done; its texts are stored already."""
    (row,) = store.rows(
        "SELECT coalesce(max(plan_order), 0) + 1 AS n FROM assignment WHERE item_kind = 'response' AND item_id = ? "
        "AND purpose = 'canary'",
        [item["item_id"]],
    )
    opening = assignments.opening(item, PASS, row["n"], 0)
    assignments.add(store, [{**opening, "purpose": PURPOSE, "reserved_for": person_id, "due": due}])


def answers(store: Store) -> list[dict[str, Any]]:
    """What people answered to canaries that they are done with: person_id, item_id, label and value."""
    return store.rows(
        "SELECT a.person_id, a.item_id, l.label, l.value FROM assignment AS a JOIN current_label AS l "
        "USING (assignment_id) WHERE a.purpose = 'canary' AND a.state = 'done' ORDER BY l.event_id"
    )
