"""Taking openings: which of them a person may have now, and in what order.

Taking one is a single conditional UPDATE, so no item can ever go to more people than the plan has openings for it.
"""

import json
import re

from data.records import Assignment
from data.store.assignments import of_row
from data.store.connection import Store, now

_PERSON = """
    mine AS MATERIALIZED (
        SELECT item_id, task_id, context_id, pass, purpose, state FROM assignment WHERE person_id = :person),
    shown AS MATERIALIZED (
        SELECT x.task_id, x.context_id, e.gold, e.passages
        FROM (
            SELECT assignment_id,
                max(fields LIKE '%"gold_answer"%') AS gold, max(fields LIKE '%"passages"%') AS passages
            FROM exposure WHERE person_id = :person GROUP BY assignment_id) AS e
        CROSS JOIN assignment AS x USING (assignment_id)),
    gold AS MATERIALIZED (
        SELECT task_id FROM shown WHERE gold UNION
        SELECT task_id FROM mine WHERE pass IN ('correctness', 'context') OR purpose = 'calibration'),
    seen AS MATERIALIZED (
        SELECT task_id, count(DISTINCT context) AS n, min(context) AS only_one FROM (
            SELECT task_id, coalesce(context_id, '') AS context FROM shown WHERE passages UNION
            SELECT task_id, coalesce(context_id, '') FROM mine WHERE pass IN ('evidence', 'context'))
        GROUP BY task_id)"""
"""What one person holds, had on screen or labelled: looked up once per question, not once per opening.

Exposures count besides assignments because an opening that ran out may belong to somebody else by now.
"""

_OTHER_CONTEXT = "(seen.n IS NOT NULL AND (seen.n > 1 OR seen.only_one <> coalesce(a.context_id, '')))"

_AT_HAND = """FROM assignment AS a LEFT JOIN seen ON seen.task_id = a.task_id
    WHERE a.pass = {pass_} AND a.state IN ('open', 'claimed') AND (
        a.state = 'open' OR (a.lease_until < :now AND NOT EXISTS (
            SELECT 1 FROM label_event AS l WHERE l.assignment_id = a.assignment_id)))"""

_NEW = f"""{_AT_HAND} AND a.purpose = 'plan'
    AND a.item_id NOT IN (SELECT item_id FROM mine WHERE pass = {{pass_}})"""
"""Openings of a pass that nobody works on, except those of items that this person has (a pass has one kind of item)."""

_FOR_ME = "(a.reserved_for IS NULL OR a.reserved_for = :person)"
"""What was dealt to somebody else waits for them, until it is dealt again."""

_HIDDEN = f"""{_AT_HAND} AND a.reserved_for = :person AND (a.purpose = 'canary' OR (a.purpose = 'repeat'
    AND a.item_id IN (SELECT item_id FROM mine WHERE pass = {{pass_}} AND purpose = 'plan' AND state = 'done')))"""
"""Second showings of what this person has labelled, and canaries: they look like any other item."""

_RIPE = """a.due <= (
    SELECT count(*) FROM mine
    WHERE pass = {pass_} AND purpose NOT IN ('adjudication', 'calibration') AND state IN ('done', 'skipped'))"""

_NEVER_SAW_GOLD = "a.task_id NOT IN (SELECT task_id FROM gold)"
_ONE_CONTEXT = f"(:soft OR NOT {_OTHER_CONTEXT})"


def _in(pass_: str, *conditions: str) -> str:
    return " AND ".join(conditions).format(pass_=f"'{pass_}'")


_OWES = f"""
    owes AS MATERIALIZED (
        SELECT task_id FROM mine WHERE pass = 'evidence' AND state = 'claimed' UNION
        SELECT a.task_id {_in("evidence", _NEW, _FOR_ME, _NEVER_SAW_GOLD, _ONE_CONTEXT)} AND :evidence UNION
        SELECT a.task_id {_in("evidence", _HIDDEN, _RIPE, _NEVER_SAW_GOLD)} AND :evidence)"""
"""Whoever still owes, or could still be given, a grounding label on a task must not see its gold answer."""

_OWES_NOTHING = "a.task_id NOT IN (SELECT task_id FROM owes)"


def _there(*conditions: str) -> str:
    """Whether the task of an opening `a` has another one, of the evidence pass, that meets these conditions."""
    other = re.sub(r"\ba\.", "o.", _in("evidence", *conditions)).replace("assignment AS a", "assignment AS o")
    return f"EXISTS (SELECT 1 {other} AND o.task_id = a.task_id)"


_OWES_NOTHING_HERE = f"""(
    NOT EXISTS (SELECT 1 FROM mine WHERE mine.task_id = a.task_id AND pass = 'evidence' AND state = 'claimed')
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

_BEGUN = "a.context_id IN (SELECT context_id FROM mine WHERE pass = {pass_} AND purpose = 'plan')"


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


def _tables(pass_: str) -> str:
    return f"WITH {_PERSON}" if pass_ == "evidence" else f"WITH {_PERSON},{_OWES}"


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
        f"WITH {_PERSON} UPDATE assignment SET person_id = :person, state = 'claimed', lease_until = :until "
        f"WHERE assignment_id = coalesce({found}) RETURNING *",
        {"person": person_id, "until": until, "now": now(), "evidence": evidence, "soft": soft},
    )
    return of_row(row) if row else None


_MEANT = """a.purpose IN ('repeat', 'canary') AND a.state = 'open' AND a.reserved_for = :person
    AND a.item_id NOT IN (SELECT item_id FROM mine WHERE pass = {pass_} AND purpose = 'plan' AND state = 'skipped')"""
"""Repeats and canaries that this person may come to."""


def open_for(store: Store, person_id: str, pass_: str, *, evidence: bool, soft: bool) -> int:
    """How many items of a pass this person could still do, the one-context rule of the evidence pass observed.

    Repeats and canaries that will be due by then count from the start: a sum that grew would give them away.
    """
    task = "a.task_id" if pass_ == "evidence" and not soft else "a.task_id || char(31) || coalesce(a.context_id, '')"
    rules = _RULES[pass_]
    row = store.row(
        f"{_tables(pass_)}, free AS (SELECT {task} AS place, a.context_id, count(DISTINCT a.item_id) AS n "
        f"{_in(pass_, _NEW, _FOR_ME, *rules)} GROUP BY place, a.context_id) "
        "SELECT (SELECT sum(n) FROM (SELECT max(n) AS n FROM free GROUP BY place)) AS new, "
        f"(SELECT json_group_array(a.due) {_in(pass_, _AT_HAND, _MEANT, *rules)}) AS due, "
        f"(SELECT count(*) FROM mine WHERE pass = '{pass_}' "
        "AND purpose NOT IN ('adjudication', 'calibration')) AS before",
        {"person": person_id, "now": now(), "evidence": evidence, "soft": soft},
    )
    if row is None:
        return 0
    new = int(row["new"] or 0)
    return new + _in_time(json.loads(row["due"]), int(row["before"]) + new)


def owes(store: Store, person_id: str, *, evidence: bool, soft: bool) -> set[str]:
    """The tasks on which this person still owes, or could still be given, a grounding label: see `_OWES`."""
    rows = store.rows(
        f"{_tables('correctness')} SELECT task_id FROM owes",
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
        f"{_tables(pass_)} SELECT CASE WHEN a.item_id IN (SELECT item_id FROM mine WHERE pass = a.pass) THEN 'mine' "
        f"WHEN NOT {_FOR_ME} THEN 'dealt' WHEN {strict} AND NOT ({_NEVER_SAW_GOLD}) THEN 'gold' "
        f"WHEN {strict} AND NOT {_ONE_CONTEXT} THEN 'context' WHEN {owes} THEN 'evidence' END AS why, count(*) AS n "
        "FROM assignment AS a LEFT JOIN seen ON seen.task_id = a.task_id "
        f"WHERE a.pass = '{pass_}' AND a.state = 'open' AND a.purpose = 'plan' GROUP BY why",
        {"person": person_id, "now": now(), "evidence": evidence, "soft": soft},
    )
    return {row["why"]: int(row["n"]) for row in rows if row["why"]}
