"""The plan's openings: who took which, for how long, and what may still be taken.

Every opening is a row from the start. Taking one is a single conditional UPDATE, so no item can ever go to more
people than the plan has openings for it.
"""

from collections.abc import Iterable
from typing import Any

from data.records import Assignment
from data.store.connection import Store, new_id, now

_PERSON = """
    mine AS MATERIALIZED (
        SELECT item_id, task_id, context_id, pass, state FROM assignment WHERE person_id = :person),
    shown AS MATERIALIZED (
        SELECT x.task_id, x.context_id, e.gold, e.passages
        FROM (
            SELECT assignment_id,
                max(fields LIKE '%"gold_answer"%') AS gold, max(fields LIKE '%"passages"%') AS passages
            FROM exposure WHERE person_id = :person GROUP BY assignment_id) AS e
        CROSS JOIN assignment AS x USING (assignment_id)),
    gold AS MATERIALIZED (
        SELECT task_id FROM shown WHERE gold UNION
        SELECT task_id FROM mine WHERE pass IN ('correctness', 'context')),
    seen AS MATERIALIZED (
        SELECT task_id, count(DISTINCT context) AS n, min(context) AS only_one FROM (
            SELECT task_id, coalesce(context_id, '') AS context FROM shown WHERE passages UNION
            SELECT task_id, coalesce(context_id, '') FROM mine WHERE pass IN ('evidence', 'context'))
        GROUP BY task_id)"""
"""What one person holds, had on screen or labelled: looked up once per question, not once per opening.

Exposures count besides assignments because an opening that ran out may belong to somebody else by now.
"""

_OTHER_CONTEXT = "(seen.n IS NOT NULL AND (seen.n > 1 OR seen.only_one <> coalesce(a.context_id, '')))"

_FREE = """FROM assignment AS a LEFT JOIN seen ON seen.task_id = a.task_id
    WHERE a.pass = {pass_} AND a.state IN ('open', 'claimed') AND (
        a.state = 'open' OR (a.lease_until < :now AND NOT EXISTS (
            SELECT 1 FROM label_event AS l WHERE l.assignment_id = a.assignment_id)))
    AND a.item_id NOT IN (SELECT item_id FROM mine WHERE pass = {pass_})"""
"""Openings of a pass that nobody works on, except those of items that this person has (a pass has one kind of item)."""

_NEVER_SAW_GOLD = "a.task_id NOT IN (SELECT task_id FROM gold)"
_ONE_CONTEXT = f"(:soft OR NOT {_OTHER_CONTEXT})"

_OWES = f"""
    owes AS MATERIALIZED (
        SELECT task_id FROM mine WHERE pass = 'evidence' AND state = 'claimed' UNION
        SELECT a.task_id {_FREE.format(pass_="'evidence'")} AND :evidence AND {_NEVER_SAW_GOLD} AND {_ONE_CONTEXT})"""
"""Whoever still owes, or could still be given, a grounding label on a task must not see its gold answer."""

_OWES_NOTHING = "a.task_id NOT IN (SELECT task_id FROM owes)"

_RULES = {
    "evidence": (_NEVER_SAW_GOLD, _ONE_CONTEXT),
    "correctness": (_OWES_NOTHING,),
    "context": (_OWES_NOTHING,),
}
"""In the evidence pass one context per task is a rule (with people enough); in the context pass it is a preference."""

_ORDER = f"""ORDER BY
    a.context_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM mine AS m WHERE m.context_id = a.context_id AND m.pass = a.pass) DESC,
    {_OTHER_CONTEXT},
    EXISTS (
        SELECT 1 FROM assignment AS b WHERE b.context_id = a.context_id AND b.pass = a.pass
        AND b.plan_order = a.plan_order AND b.person_id <> :person),
    a.position, a.plan_order
    LIMIT 1"""
"""First what belongs to a context this person reads already, last what belongs to one that somebody else reads.

The latter keeps a context's responses together, and is what makes as many people as `most_contexts` says enough:
two people on one context would leave another context of the task to nobody.
"""


def _openings(pass_: str) -> tuple[str, str]:
    """The openings of a pass that a person may take, as a WITH clause and a FROM clause over `a`."""
    tables = _PERSON if pass_ == "evidence" else f"{_PERSON},{_OWES}"
    return f"WITH {tables}", " AND ".join((_FREE.format(pass_=f"'{pass_}'"), *_RULES[pass_]))


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
    tables, openings = _openings(pass_)
    row = store.row(
        f"{tables} UPDATE assignment SET person_id = :person, state = 'claimed', lease_until = :until "
        f"WHERE assignment_id = (SELECT a.assignment_id {openings} {_ORDER}) RETURNING *",
        {"person": person_id, "until": until, "now": now(), "evidence": evidence, "soft": soft},
    )
    return _assignment(row) if row else None


def everything(store: Store) -> list[dict[str, Any]]:
    """Every assignment as a row, in the order of the plan."""
    return store.rows("SELECT * FROM assignment ORDER BY plan_order")


def unfinished(store: Store, item_kind: str) -> list[dict[str, Any]]:
    """The plan's openings of one kind of item that nobody has finished: item_id, pass and plan_order."""
    return store.rows(
        "SELECT item_id, pass, plan_order FROM assignment "
        "WHERE item_kind = ? AND purpose = 'plan' AND state IN ('open', 'claimed')",
        [item_kind],
    )


def give(store: Store, assignment_id: str, person_id: str) -> None:
    """Somebody has this assignment: recorded work takes its place in the plan."""
    store.change(
        "UPDATE assignment SET person_id = ?, state = 'claimed' WHERE assignment_id = ?", [person_id, assignment_id]
    )


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
    """How many items of a pass this person could still do, the one-context rule of the evidence pass observed."""
    tables, openings = _openings(pass_)
    task = "a.task_id" if pass_ == "evidence" and not soft else "a.task_id || char(31) || coalesce(a.context_id, '')"
    row = store.row(
        f"{tables}, free AS (SELECT {task} AS place, a.context_id, count(DISTINCT a.item_id) AS n {openings} "
        "GROUP BY place, a.context_id) SELECT sum(n) AS n FROM (SELECT max(n) AS n FROM free GROUP BY place)",
        {"person": person_id, "now": now(), "evidence": evidence, "soft": soft},
    )
    return int(row["n"] or 0) if row else 0
