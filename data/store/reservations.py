"""Who is meant to take which opening, and the second showings that are meant for whoever labelled the first."""

from collections.abc import Collection, Iterable
from typing import Any

from data.records import Assignment
from data.store.assignments import opening
from data.store.connection import Store, encode, now

_FREE = """(state = 'open' OR (state = 'claimed' AND lease_until < :now
    AND person_id NOT IN (SELECT value FROM json_each(:here))
    AND NOT EXISTS (SELECT 1 FROM label_event AS l WHERE l.assignment_id = assignment.assignment_id)))"""
"""Not begun; or begun by somebody who is not here and let it run out without an answer."""

_HIDDEN = """purpose IN ('repeat', 'canary') AND state = 'open' AND NOT EXISTS (
    SELECT 1 FROM exposure AS e WHERE e.assignment_id = assignment.assignment_id)"""
"""What is mixed into a queue and not begun. What was on a screen and was given back stays, for the log's sake."""


def release(store: Store, here: Collection[str]) -> list[dict[str, Any]]:
    """Takes back what was dealt and not begun; repeats and canaries that nobody has seen are deleted.

    Args:
        store: The open study.
        here: Who is at work: what they have begun stays theirs.

    Returns:
        Every opening of the plan in its order, with `free` saying whether it can be dealt.
    """
    values = {"now": now(), "here": encode(sorted(here))}
    store.change(f"DELETE FROM assignment WHERE {_HIDDEN}", ())
    store.change(
        f"UPDATE assignment SET reserved_for = NULL WHERE purpose = 'plan' AND reserved_for IS NOT NULL AND {_FREE}",
        values,
    )
    return store.rows(
        f"SELECT *, {_FREE} AS free FROM assignment WHERE purpose = 'plan' "
        "ORDER BY position, item_id, pass, plan_order",
        values,
    )


def reserve(store: Store, openings: Iterable[tuple[str, str]]) -> None:
    """Deals openings, given as (assignment_id, person_id)."""
    for assignment_id, person_id in openings:
        store.change("UPDATE assignment SET reserved_for = ? WHERE assignment_id = ?", [person_id, assignment_id])


def knowledge(store: Store) -> list[dict[str, Any]]:
    """What everybody has had on screen or holds: person_id, task_id, context_id, gold, passages (each 1 or 0)."""
    return store.rows(
        "SELECT e.person_id, a.task_id, a.context_id, max(e.fields LIKE '%\"gold_answer\"%') AS gold, "
        "max(e.fields LIKE '%\"passages\"%') AS passages FROM exposure AS e JOIN assignment AS a USING (assignment_id) "
        "GROUP BY e.person_id, a.task_id, a.context_id UNION ALL "
        "SELECT person_id, task_id, context_id, max(pass <> 'evidence' OR purpose = 'calibration'), "
        "max(pass <> 'correctness') "
        "FROM assignment WHERE person_id IS NOT NULL GROUP BY person_id, task_id, context_id"
    )


def labelled_order(store: Store) -> dict[str, int]:
    """When each assignment got its first answer: a number that grows with time, by assignment_id."""
    rows = store.rows("SELECT assignment_id, min(event_id) AS n FROM label_event GROUP BY assignment_id")
    return {row["assignment_id"]: row["n"] for row in rows}


def repeats(store: Store) -> set[tuple[str, str, str]]:
    """The second showings there are: (person_id, pass, item_id)."""
    rows = store.rows("SELECT reserved_for, pass, item_id FROM assignment WHERE purpose = 'repeat'")
    return {(row["reserved_for"], row["pass"], row["item_id"]) for row in rows}


def repeat(row: dict[str, Any], person_id: str, due: int) -> dict[str, Any]:
    """A second showing of an opening of the plan, for `assignments.add`: not before `due` others of its pass."""
    again = opening(row, row["pass"], row["plan_order"], row["position"])
    return {**again, "purpose": "repeat", "occasion": 2, "reserved_for": person_id, "due": due}


def delay_repeat(store: Store, first: Assignment, due: int) -> None:
    """The second showing of an item, if there is to be one, waits at least until `due` others of its pass are done."""
    store.change(
        "UPDATE assignment SET due = max(due, ?) WHERE purpose = 'repeat' AND item_kind = ? AND item_id = ? "
        "AND pass = ? AND reserved_for = ?",
        [due, first.item_kind, first.item_id, first.pass_, first.person_id],
    )


_UNANSWERED = """state = 'claimed'
    AND NOT EXISTS (SELECT 1 FROM label_event AS l WHERE l.assignment_id = assignment.assignment_id)"""

_TAKE_BACK = f"UPDATE assignment SET state = 'open', person_id = NULL, lease_until = NULL WHERE {_UNANSWERED} AND"
"""Nothing with an answer is ever touched; what was dealt to somebody stays dealt to them."""


def let_go(store: Store, person_id: str) -> int:
    """Gives back what somebody has begun but not answered; how many openings that were."""
    return store.change(f"{_TAKE_BACK} person_id = ?", [person_id])


def take_back(store: Store, assignment_id: str) -> int:
    """Gives back one opening that is begun but not answered: 1, or 0 when it is none."""
    return store.change(f"{_TAKE_BACK} assignment_id = ?", [assignment_id])


def pass_on(store: Store, opening: Assignment, person_id: str | None) -> None:
    """Keeps an opening of the plan that is not begun for somebody, or for nobody: then anybody may take it.

    Whoever it was kept for is not shown its item a second time.
    """
    store.change(
        f"DELETE FROM assignment WHERE {_HIDDEN} AND reserved_for = ? AND item_kind = ? AND item_id = ? AND pass = ?",
        [opening.reserved_for, opening.item_kind, opening.item_id, opening.pass_],
    )
    values = [person_id, opening.assignment_id]
    store.change("UPDATE assignment SET reserved_for = ? WHERE assignment_id = ? AND state = 'open'", values)


def open_to_all(store: Store, person_id: str) -> None:
    """What was dealt to somebody and is not begun goes to whoever asks; their repeats and canaries fall away."""
    values = [person_id]
    store.change(f"DELETE FROM assignment WHERE {_HIDDEN} AND reserved_for = ?", values)
    store.change(
        "UPDATE assignment SET reserved_for = NULL WHERE purpose = 'plan' AND state = 'open' AND reserved_for = ?",
        values,
    )


def in_hand(store: Store) -> list[dict[str, Any]]:
    """Every assignment that somebody has begun and not finished, with n_answers (labels) and shown_at."""
    return store.rows(
        "SELECT a.*, (SELECT count(DISTINCT label) FROM label_event AS l WHERE l.assignment_id = a.assignment_id) "
        "AS n_answers, (SELECT max(shown_at) FROM exposure AS e WHERE e.assignment_id = a.assignment_id) AS shown_at "
        "FROM assignment AS a WHERE state = 'claimed' ORDER BY position, plan_order, assignment_id"
    )


def dealt(store: Store) -> list[dict[str, Any]]:
    """Every opening of the plan that is kept for somebody and not begun, in the order of the plan."""
    return store.rows(
        "SELECT * FROM assignment WHERE state = 'open' AND purpose = 'plan' AND reserved_for IS NOT NULL "
        "ORDER BY position, plan_order, assignment_id"
    )


def of_person(store: Store, person_id: str) -> list[dict[str, Any]]:
    """Everything that somebody has, had, or is kept for them."""
    return store.rows("SELECT * FROM assignment WHERE person_id = ? OR reserved_for = ?", [person_id, person_id])
