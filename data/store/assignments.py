"""The plan's openings: who took which, for how long, and what may still be taken.

Every opening is a row from the start. Taking one is a single conditional UPDATE, so no item can ever go to more
people than the plan has openings for it.
"""

from collections.abc import Iterable
from typing import Any

from data.records import Assignment
from data.store.connection import Store, new_id, now

_SEEN = """EXISTS (
    SELECT 1 FROM exposure AS e JOIN assignment AS x USING (assignment_id)
    WHERE e.person_id = :person AND x.task_id = a.task_id AND {what})"""

_MINE = """EXISTS (
    SELECT 1 FROM assignment AS m
    WHERE m.person_id = :person AND m.task_id = a.task_id AND {what})"""

_GOLD_SHOWN = "e.fields LIKE '%\"gold_answer\"%'"
_GOLD_WORK = "m.pass IN ('correctness', 'context')"
_GOLD_SEEN = f"({_SEEN.format(what=_GOLD_SHOWN)} OR {_MINE.format(what=_GOLD_WORK)})"

_OTHER_SHOWN = "e.fields LIKE '%\"passages\"%' AND x.context_id IS NOT a.context_id"
_OTHER_WORK = "m.pass IN ('evidence', 'context') AND m.context_id IS NOT a.context_id"
_OTHER_CONTEXT = f"({_SEEN.format(what=_OTHER_SHOWN)} OR {_MINE.format(what=_OTHER_WORK)})"

_SAME_ITEM = _MINE.format(what="m.item_kind = a.item_kind AND m.item_id = a.item_id AND m.pass = a.pass")

_FREE = """(a.state = 'open' OR (a.state = 'claimed' AND a.lease_until < :now AND NOT EXISTS (
    SELECT 1 FROM label_event AS l WHERE l.assignment_id = a.assignment_id)))"""

_TAKEABLE = f"{_FREE} AND NOT {_SAME_ITEM} AND NOT {_GOLD_SEEN} AND (:soft OR NOT {_OTHER_CONTEXT})"

_OWES_EVIDENCE = f"""(EXISTS (
    SELECT 1 FROM assignment AS m WHERE m.person_id = :person AND m.task_id = g.task_id
    AND m.pass = 'evidence' AND m.state = 'claimed')
    OR (:evidence AND EXISTS (
        SELECT 1 FROM assignment AS a WHERE a.task_id = g.task_id AND a.pass = 'evidence' AND {_TAKEABLE})))"""
"""Whoever still owes, or could still be given, a grounding label on a task must not see its gold answer."""

_ALLOWED = {
    "evidence": _TAKEABLE,
    "correctness": f"{_FREE} AND NOT {_SAME_ITEM}",
    "context": f"{_FREE} AND NOT {_SAME_ITEM} AND (:soft OR NOT {_OTHER_CONTEXT})",
}


def _openings(pass_: str) -> str:
    """The openings of a pass that a person may take, as a FROM and WHERE clause over `a`."""
    gate = "" if pass_ == "evidence" else f" AND NOT {_OWES_EVIDENCE.replace('g.task_id', 'outer_task')}"
    clause = (
        f"FROM (SELECT *, task_id AS outer_task FROM assignment) AS a WHERE a.pass = '{pass_}' AND {_ALLOWED[pass_]}"
    )
    return clause + gate


_ORDER = f""" ORDER BY
    EXISTS (SELECT 1 FROM assignment AS m WHERE m.person_id = :person AND m.pass = a.pass
        AND a.context_id IS NOT NULL AND m.context_id = a.context_id) DESC,
    {_OTHER_CONTEXT}, a.position, a.plan_order LIMIT 1"""


def _assignment(row: dict[str, Any]) -> Assignment:
    return Assignment(
        assignment_id=row["assignment_id"],
        item_id=row["item_id"],
        item_kind=row["item_kind"],
        task_id=row["task_id"],
        context_id=row["context_id"],
        person_id=row["person_id"],
        pass_=row["pass"],
        purpose=row["purpose"],
        occasion=row["occasion"],
        plan_order=row["plan_order"],
        state=row["state"],
        lease_until=row["lease_until"],
    )


def opening(item: dict[str, Any], pass_: str, plan_order: int, position: int) -> dict[str, Any]:
    """One opening of the plan, for `add`; `item` has item_kind, item_id, task_id and context_id."""
    return {
        "assignment_id": new_id(),
        **{name: item[name] for name in ("item_kind", "item_id", "task_id", "context_id")},
        "pass": pass_,
        "purpose": "plan",
        "occasion": 1,
        "plan_order": plan_order,
        "position": position,
        "state": "open",
    }


def add(store: Store, openings: Iterable[dict[str, Any]]) -> None:
    """Adds openings; those that the plan has already stay as they are."""
    store.insert("assignment", list(openings), ignore=True)


def find(store: Store, assignment_id: str) -> Assignment | None:
    """An assignment by id."""
    row = store.row("SELECT * FROM assignment WHERE assignment_id = ?", [assignment_id])
    return _assignment(row) if row else None


def in_hand(store: Store, person_id: str, passes: Iterable[str]) -> Assignment | None:
    """What this person has begun, in the order of the passes given."""
    for pass_ in passes:
        row = store.row(
            "SELECT * FROM assignment WHERE person_id = ? AND pass = ? AND state = 'claimed' ORDER BY position LIMIT 1",
            [person_id, pass_],
        )
        if row:
            return _assignment(row)
    return None


def claim(store: Store, person_id: str, pass_: str, *, until: str, evidence: bool, soft: bool) -> Assignment | None:
    """Takes the next opening that this person may have, or None.

    Args:
        store: The open study.
        person_id: Who asks.
        pass_: evidence, correctness or context.
        until: When the lease ends.
        evidence: Whether this person works in the evidence pass (then gold answers wait for it).
        soft: Whether several contexts of one task may go to one person, because there are too few people.
    """
    row = store.row(
        f"UPDATE assignment SET person_id = :person, state = 'claimed', lease_until = :until "
        f"WHERE assignment_id = (SELECT a.assignment_id {_openings(pass_)} {_ORDER}) RETURNING *",
        {"person": person_id, "until": until, "now": now(), "evidence": evidence, "soft": soft},
    )
    return _assignment(row) if row else None


def renew(store: Store, assignment_id: str, until: str) -> None:
    """Somebody is at work: the lease is longer."""
    store.change(
        "UPDATE assignment SET lease_until = ? WHERE assignment_id = ? AND state = 'claimed'", [until, assignment_id]
    )


def finish(store: Store, assignment_id: str, state: str, reason: str | None = None) -> None:
    """The work is done, or was skipped for a reason."""
    store.change(
        "UPDATE assignment SET state = ?, reason = ?, lease_until = NULL WHERE assignment_id = ?",
        [state, reason, assignment_id],
    )


def most_contexts(store: Store) -> int:
    """The most (context, opening) pairs that the evidence pass has for one task: people needed for the strict rule."""
    row = store.row(
        "SELECT max(n) AS n FROM (SELECT count(DISTINCT coalesce(context_id, '') || '/' || plan_order) AS n "
        "FROM assignment WHERE pass = 'evidence' AND purpose = 'plan' GROUP BY task_id)"
    )
    return int(row["n"] or 0) if row else 0


def progress(store: Store) -> list[dict[str, Any]]:
    """How many planned openings there are per pass and state."""
    return store.rows(
        "SELECT pass, state, count(*) AS n FROM assignment WHERE purpose = 'plan' "
        "GROUP BY pass, state ORDER BY pass, state"
    )


def done_by(store: Store, person_id: str, passes: Iterable[str]) -> int:
    """How many openings of these passes this person has finished."""
    marks = list(passes)
    row = store.row(
        f"SELECT count(*) AS n FROM assignment WHERE person_id = ? AND state IN ('done', 'skipped') "
        f"AND pass IN ({', '.join('?' * len(marks))})",
        [person_id, *marks],
    )
    return int(row["n"]) if row else 0


def open_for(store: Store, person_id: str, pass_: str, *, evidence: bool, soft: bool) -> int:
    """How many openings of a pass this person could take now."""
    row = store.row(
        f"SELECT count(*) AS n {_openings(pass_)}",
        {"person": person_id, "now": now(), "evidence": evidence, "soft": soft},
    )
    return int(row["n"]) if row else 0
