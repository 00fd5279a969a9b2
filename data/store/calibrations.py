"""Calibration sets: agreed answers, and the practice of each person on them. Practice is of purpose calibration."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.records import Assignment
from data.store import assignments
from data.store.connection import Store, now

PURPOSE = "calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """The answer that was agreed for one label of an item, and why."""

    value: str
    reason: str


Answers = Mapping[str, Mapping[str, Agreed]]
"""By item_id and label."""


def current(store: Store) -> dict[str, Any] | None:
    """The set that people practise on: the newest, unless it was withdrawn; None when there is none."""
    return store.row("SELECT * FROM calibration_set WHERE withdrawn_at IS NULL ORDER BY set_id DESC LIMIT 1")


def add(store: Store, seed: int, answers: Sequence[tuple[str, str, Agreed]]) -> int:
    """A new set of agreed answers, each of (response id, label); it takes the place of the one before. Its number."""
    withdraw(store)
    (row,) = store.rows("INSERT INTO calibration_set (seed, created_at) VALUES (?, ?) RETURNING set_id", [seed, now()])
    set_id = int(row["set_id"])
    rows = [
        {"set_id": set_id, "item_kind": "response", "item_id": item, "label": label, "value": agreed.value,
         "reason": agreed.reason}
        for item, label, agreed in answers
    ]  # fmt: skip
    store.insert("agreed_answer", rows)
    return set_id


def next_number(store: Store) -> int:
    """The number of the next set."""
    row = store.row("SELECT coalesce(max(set_id), 0) + 1 AS n FROM calibration_set")
    return int(row["n"]) if row else 1


def withdraw(store: Store) -> int:
    """Nobody practises any more; what was practised stays. How many sets were in use: 1 or 0."""
    return store.change("UPDATE calibration_set SET withdrawn_at = ? WHERE withdrawn_at IS NULL", [now()])


def agreed(store: Store, set_id: int) -> Answers:
    """The agreed answers of a set."""
    found: dict[str, dict[str, Agreed]] = defaultdict(dict)
    for row in store.rows("SELECT * FROM agreed_answer WHERE set_id = ? ORDER BY rowid", [set_id]):
        found[row["item_id"]][row["label"]] = Agreed(value=row["value"], reason=row["reason"])
    return dict(found)


def ever_agreed(store: Store) -> set[str]:
    """The items of every set that there was, by item_id."""
    return {row["item_id"] for row in store.rows("SELECT DISTINCT item_id FROM agreed_answer")}


def of_assignment(store: Store, assignment: Assignment) -> Mapping[str, Agreed]:
    """What was agreed for the item of a practice assignment, by label."""
    rows = store.rows(
        "SELECT g.label, g.value, g.reason FROM assignment AS a JOIN agreed_answer AS g USING (set_id, item_kind, "
        "item_id) WHERE a.assignment_id = ?",
        [assignment.assignment_id],
    )
    return {row["label"]: Agreed(value=row["value"], reason=row["reason"]) for row in rows}


def tasks(store: Store) -> set[str]:
    """The tasks whose items people practise on now."""
    rows = store.rows(
        "SELECT DISTINCT task_id FROM item JOIN agreed_answer USING (item_kind, item_id) JOIN calibration_set "
        "USING (set_id) WHERE withdrawn_at IS NULL"
    )
    return {row["task_id"] for row in rows}


def item_tasks(store: Store, set_id: int) -> dict[str, str]:
    """The task of every item of a set, by item_id."""
    rows = store.rows(
        "SELECT DISTINCT item_id, task_id FROM agreed_answer JOIN item USING (item_kind, item_id) WHERE set_id = ?",
        [set_id],
    )
    return {row["item_id"]: row["task_id"] for row in rows}


def gold_seen(store: Store, person_id: str) -> set[str]:
    """The tasks whose reference answer somebody has had on screen."""
    rows = store.rows(
        "SELECT DISTINCT a.task_id FROM exposure AS e JOIN assignment AS a USING (assignment_id) "
        "WHERE e.person_id = ? AND e.fields LIKE '%\"gold_answer\"%'",
        [person_id],
    )
    return {row["task_id"] for row in rows}


_AGREED = """(SELECT group_concat(label || '=' || value, '; ') FROM (SELECT label, value FROM agreed_answer AS g
    WHERE g.set_id = {} AND g.item_kind = a.item_kind AND g.item_id = a.item_id ORDER BY label))"""


def practised(store: Store, set_id: int, person_id: str | None = None) -> list[dict[str, Any]]:
    """What people did on the items of a set, in the order of the tries: a row per item, and answer where there is one.

    What they did for an earlier set is part of it where the item and its agreed values are the same.

    Columns: person_id, pass, occasion, set_id, item_id, state, label, value (both None without an answer).
    """
    return store.rows(
        "SELECT a.person_id, a.pass, a.occasion, a.set_id, a.item_id, a.state, l.label, l.value FROM assignment AS a "
        "LEFT JOIN current_label AS l USING (assignment_id) WHERE a.set_id IS NOT NULL AND a.person_id IS NOT NULL "
        f"AND {_AGREED.format('a.set_id')} = {_AGREED.format(':set_id')} "
        "AND (:person IS NULL OR a.person_id = :person) ORDER BY a.occasion, a.position, l.event_id",
        {"set_id": set_id, "person": person_id},
    )


def last_occasion(store: Store, person_id: str, pass_: str) -> int:
    """The number of the last try of somebody in a pass, of whatever set; 0 before the first."""
    row = store.row(
        "SELECT max(occasion) AS n FROM assignment WHERE person_id = ? AND pass = ? AND purpose = ?",
        [person_id, pass_, PURPOSE],
    )
    return int(row["n"] or 0) if row else 0


def practise_again(store: Store, person_id: str, pass_: str, occasion: int, *, by: str | None = None) -> None:
    """Somebody's tries in a pass up to this one count no more; `by` is the id of the lead who says so."""
    row = {"person_id": person_id, "pass": pass_, "occasion": occasion, "asked_by": by, "created_at": now()}
    store.insert("practice_again", [row])


def count_no_more(store: Store, person_id: str, pass_: str) -> int:
    """The last try of somebody in a pass that counts no more; 0 where all count."""
    sql = "SELECT coalesce(max(occasion), 0) AS n FROM practice_again WHERE person_id = ? AND pass = ?"
    return int((store.row(sql, [person_id, pass_]) or {"n": 0})["n"])


def asked_to_practise_again(store: Store) -> dict[str, str]:
    """When each person was last made to practise again, by person_id; without those who never were."""
    rows = store.rows("SELECT person_id, max(created_at) AS at FROM practice_again GROUP BY person_id")
    return {row["person_id"]: row["at"] for row in rows}


def take(
    store: Store, set_id: int, item_id: str, pass_: str, *, person_id: str, occasion: int, position: int, until: str
) -> Assignment:
    """Puts an item of a set in somebody's hands. Runs inside a transaction.

    What somebody had begun and gave back without an answer is taken over: it was on a screen, so it stays in the log.
    """
    place = {"set_id": set_id, "item_id": item_id, "pass": pass_, "occasion": occasion}
    same = (
        "item_kind = 'response' AND item_id = :item_id AND pass = :pass AND purpose = 'calibration' "
        "AND occasion = :occasion"
    )
    left = store.row(f"SELECT * FROM assignment WHERE {same} AND set_id = :set_id AND state = 'open'", place)
    if left is None:
        item = store.row("SELECT * FROM item WHERE item_kind = 'response' AND item_id = ?", [item_id]) or {}
        (row,) = store.rows(f"SELECT coalesce(max(plan_order), 0) + 1 AS n FROM assignment WHERE {same}", place)
        left = {**assignments.opening(item, pass_, row["n"], position), "purpose": PURPOSE, "occasion": occasion}
        assignments.add(store, [{**left, "set_id": set_id}])
    (taken,) = store.rows(
        "UPDATE assignment SET person_id = ?, state = 'claimed', lease_until = ?, position = ? "
        "WHERE assignment_id = ? RETURNING *",
        [person_id, until, position, left["assignment_id"]],
    )
    return assignments.of_row(taken)
