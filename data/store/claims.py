"""Taking openings: which of them a person may have now, and in what order.

Taking one is a single conditional UPDATE, so no item can ever go to more people than the plan has openings for it.
"""

import json
import re

from data.records import Assignment
from data.store.assignments import of_row
from data.store.connection import Store, now

_MINE = """SELECT 1 FROM assignment AS m INDEXED BY assignment_person
    WHERE m.person_id = :person AND m.task_id = a.task_id"""
"""What this person has of the task of an opening `a`. Left to itself SQLite would look through all that they have."""

_SEEN = "SELECT 1 FROM seen AS s WHERE s.person_id = :person AND s.task_id = a.task_id"
"""What they had on screen of it. It counts besides, because what ran out may belong to somebody else by now."""

_OTHER_CONTEXT = f"""(
    EXISTS ({_SEEN} AND s.passages AND s.context_id <> coalesce(a.context_id, '')) OR
    EXISTS ({_MINE} AND m.pass IN ('evidence', 'context')
        AND coalesce(m.context_id, '') <> coalesce(a.context_id, '')))"""

_AT_HAND = """FROM assignment AS a
    WHERE a.pass = {pass_} AND a.state IN ('open', 'claimed') AND (
        a.state = 'open' OR (a.lease_until < :now AND NOT EXISTS (
            SELECT 1 FROM label_event AS l WHERE l.assignment_id = a.assignment_id)))"""

_NEW = f"""{_AT_HAND} AND a.purpose = 'plan'
    AND NOT EXISTS ({_MINE} AND m.item_id = a.item_id AND m.pass = {{pass_}})"""
"""Openings of a pass that nobody works on, except those of items that this person has (a pass has one kind of item)."""

_FOR_ME = "(a.reserved_for IS NULL OR a.reserved_for = :person)"
"""What was dealt to somebody else waits for them, until it is dealt again."""

_HIDDEN = f"""{_AT_HAND} AND a.reserved_for = :person AND (a.purpose = 'canary' OR (a.purpose = 'repeat' AND EXISTS (
    {_MINE} AND m.item_id = a.item_id AND m.pass = {{pass_}} AND m.purpose = 'plan' AND m.state = 'done')))"""
"""Second showings of what this person has labelled, and canaries: they look like any other item."""

_RIPE = """a.due <= (
    SELECT count(*) FROM assignment AS m WHERE m.person_id = :person
    AND m.pass = {pass_} AND m.purpose NOT IN ('adjudication', 'calibration') AND m.state IN ('done', 'skipped'))"""

_NEVER_SAW_GOLD = f"""NOT (EXISTS ({_SEEN} AND s.gold) OR
    EXISTS ({_MINE} AND (m.pass IN ('correctness', 'context') OR m.purpose = 'calibration')))"""
_ONE_CONTEXT = f"(:soft OR NOT {_OTHER_CONTEXT})"


def _in(pass_: str, *conditions: str) -> str:
    return " AND ".join(conditions).format(pass_=f"'{pass_}'")


_OWES = f"""
    owes AS MATERIALIZED (
        SELECT m.task_id FROM assignment AS m
        WHERE m.person_id = :person AND m.pass = 'evidence' AND m.state = 'claimed' UNION
        SELECT a.task_id {_in("evidence", _NEW, _FOR_ME, _NEVER_SAW_GOLD, _ONE_CONTEXT)} AND :evidence UNION
        SELECT a.task_id {_in("evidence", _HIDDEN, _RIPE, _NEVER_SAW_GOLD)} AND :evidence)"""
"""Whoever still owes, or could still be given, a grounding label on a task must not see its gold answer."""

_OWES_NOTHING = "a.task_id NOT IN (SELECT task_id FROM owes)"


def _there(*conditions: str) -> str:
    """Whether the task of an opening `a` has another one, of the evidence pass, that meets these conditions."""
    other = re.sub(r"\ba\.", "o.", _in("evidence", *conditions)).replace("assignment AS a", "assignment AS o")
    return f"EXISTS (SELECT 1 {other} AND o.task_id = a.task_id)"


_OWES_NOTHING_HERE = f"""(
    NOT EXISTS ({_MINE} AND m.pass = 'evidence' AND m.state = 'claimed')
    AND NOT (:evidence AND ({_there(_NEW, _FOR_ME, _NEVER_SAW_GOLD, _ONE_CONTEXT)}
        OR {_there(_HIDDEN, _RIPE, _NEVER_SAW_GOLD)})))"""
"""The same as `_OWES_NOTHING`, asked of one task: who takes the first opening need not look through the plan for it."""

_RULES = {
    "evidence": (_NEVER_SAW_GOLD, _ONE_CONTEXT),
    "correctness": (_OWES_NOTHING,),
    "context": (_OWES_NOTHING,),
}
"""In the evidence pass one context per task is a rule (with people enough); in the context pass it is a preference."""

_ELSEWHERE = """EXISTS (
    SELECT 1 FROM assignment AS b WHERE b.context_id = a.context_id AND b.pass = a.pass
    AND b.plan_order = a.plan_order AND b.purpose <> 'adjudication' AND b.person_id <> :person)"""
"""Somebody else reads this context: leaving it to them keeps its responses together, and is what makes as many people
as `most_contexts` says enough: two people on one context would leave another context of the task to nobody."""

_LATELY = 10
_BEGUN = f"""a.context_id IN (
    SELECT m.context_id FROM assignment AS m INDEXED BY assignment_finished
    WHERE m.person_id = :person AND m.pass = {{pass_}} AND m.purpose = 'plan' AND m.finished_at IS NOT NULL
    ORDER BY m.finished_at DESC LIMIT {_LATELY})"""
"""Of the contexts that this person has read lately; others keep off the older ones as well (`_ELSEWHERE`)."""


def _queues(pass_: str) -> list[str]:
    """Queries for the next opening; the first that finds one decides.

    What belongs to a context this person reads already, then a repeat or a canary that is due, then what was dealt to
    them, then the rest. Each but the last stops at its first row, so the whole plan is looked through only at its end.
    """
    rules = [_OWES_NOTHING_HERE if rule is _OWES_NOTHING else rule for rule in _RULES[pass_]]
    late = f"{_OTHER_CONTEXT}, {_ELSEWHERE}, a.position, a.plan_order"
    places = (
        (_in(pass_, _NEW, _FOR_ME, _BEGUN, *rules), late),
        (_in(pass_, _HIDDEN, _RIPE, *rules), "a.due, a.position"),
        (_in(pass_, _NEW, "a.reserved_for = :person", *rules), "a.position, a.plan_order"),
        (
            _in(pass_, _NEW, "a.reserved_for IS NULL", *rules, f"NOT {_OTHER_CONTEXT}", f"NOT {_ELSEWHERE}"),
            "a.position, a.plan_order",
        ),
        (_in(pass_, _NEW, "a.reserved_for IS NULL", *rules), late),
    )
    return [f"SELECT a.assignment_id {place} ORDER BY {order} LIMIT 1" for place, order in places]


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
    found = ", ".join(f"({query})" for query in _queues(pass_))
    row = store.row(
        "UPDATE assignment SET person_id = :person, state = 'claimed', lease_until = :until "
        f"WHERE assignment_id = coalesce({found}) RETURNING *",
        {"person": person_id, "until": until, "now": now(), "evidence": evidence, "soft": soft},
    )
    return of_row(row) if row else None


_MEANT = f"""a.purpose IN ('repeat', 'canary') AND a.state = 'open' AND a.reserved_for = :person AND NOT EXISTS (
    {_MINE} AND m.item_id = a.item_id AND m.pass = {{pass_}} AND m.purpose = 'plan' AND m.state = 'skipped')"""
"""Repeats and canaries that this person may come to."""


def open_for(store: Store, person_id: str, pass_: str, *, evidence: bool, soft: bool) -> int:
    """How many items of a pass this person could still do, the one-context rule of the evidence pass observed.

    Repeats and canaries that will be due by then count from the start: a sum that grew would give them away.
    """
    task = "a.task_id" if pass_ == "evidence" and not soft else "a.task_id || char(31) || coalesce(a.context_id, '')"
    rules = _RULES[pass_]
    row = store.row(
        f"WITH {_OWES}, free AS (SELECT {task} AS place, a.context_id, count(DISTINCT a.item_id) AS n "
        f"{_in(pass_, _NEW, _FOR_ME, *rules)} GROUP BY place, a.context_id) "
        "SELECT (SELECT sum(n) FROM (SELECT max(n) AS n FROM free GROUP BY place)) AS new, "
        f"(SELECT json_group_array(a.due) {_in(pass_, _AT_HAND, _MEANT, *rules)}) AS due, "
        f"(SELECT count(*) FROM assignment AS m WHERE m.person_id = :person AND m.pass = '{pass_}' "
        "AND m.purpose NOT IN ('adjudication', 'calibration')) AS before",
        {"person": person_id, "now": now(), "evidence": evidence, "soft": soft},
    )
    if row is None:
        return 0
    new = int(row["new"] or 0)
    return new + _in_time(json.loads(row["due"]), int(row["before"]) + new)


def owes(store: Store, person_id: str, *, evidence: bool, soft: bool) -> set[str]:
    """The tasks on which this person still owes, or could still be given, a grounding label: see `_OWES`."""
    rows = store.rows(
        f"WITH {_OWES} SELECT task_id FROM owes",
        {"person": person_id, "now": now(), "evidence": evidence, "soft": soft},
    )
    return {row["task_id"] for row in rows}


def _in_time(due: list[int], n_before: int) -> int:
    """How many repeats or canaries come due when `n_before` items come before them, each helping those after it."""
    n = 0
    for place in sorted(due):
        n += place <= n_before + n
    return n


def kept_back(store: Store, person_id: str, pass_: str, *, evidence: bool, soft: bool) -> dict[str, int]:
    """Why the openings of the plan that nobody has begun are not for this person: how many by the first reason.

    The reasons: mine (they have the item), dealt (to somebody else), gold (they saw the answer), context (they read
    another one of the task), evidence (they still owe grounding labels of the task).
    """
    owes = "0" if pass_ == "evidence" else f"NOT ({_OWES_NOTHING})"
    strict = "1" if pass_ == "evidence" else "0"
    rows = store.rows(
        f"WITH {_OWES} SELECT CASE WHEN EXISTS ({_MINE} AND m.item_id = a.item_id AND m.pass = a.pass) THEN 'mine' "
        f"WHEN NOT {_FOR_ME} THEN 'dealt' WHEN {strict} AND NOT ({_NEVER_SAW_GOLD}) THEN 'gold' "
        f"WHEN {strict} AND NOT {_ONE_CONTEXT} THEN 'context' WHEN {owes} THEN 'evidence' END AS why, count(*) AS n "
        f"FROM assignment AS a WHERE a.pass = '{pass_}' AND a.state = 'open' AND a.purpose = 'plan' GROUP BY why",
        {"person": person_id, "now": now(), "evidence": evidence, "soft": soft},
    )
    return {row["why"]: int(row["n"]) for row in rows if row["why"]}
