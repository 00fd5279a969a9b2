"""The plan's openings: every one is a row from the start, and says who took it, for how long, and what became of it."""

from collections.abc import Iterable
from typing import Any

from data.records import Assignment
from data.store.connection import Store, new_id, now


def of_row(row: dict[str, Any]) -> Assignment:
    """An assignment from its stored row."""
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
        reserved_for=row["reserved_for"],
        reason=row["reason"],
        finished_at=row["finished_at"],
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
    new = list(openings)
    store.insert("assignment", new, ignore=True)
    if any(entry["purpose"] == "plan" for entry in new):
        sql = "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
        store.change(sql, [_MOST, str(people_needed(store, "evidence"))])


def next_position(store: Store) -> int:
    """The place in the order of the plan behind all that have one."""
    row = store.row("SELECT coalesce(max(position) + 1, 0) AS n FROM assignment")
    return int(row["n"]) if row else 0


def find(store: Store, assignment_id: str) -> Assignment | None:
    """An assignment by id."""
    row = row_of(store, assignment_id)
    return of_row(row) if row else None


def row_of(store: Store, assignment_id: str) -> dict[str, Any]:
    """An assignment as a row; empty when there is none."""
    return store.row("SELECT * FROM assignment WHERE assignment_id = ?", [assignment_id]) or {}


def in_hand(store: Store, person_id: str, passes: Iterable[str]) -> Assignment | None:
    """What this person has begun to label, in the order of the passes given."""
    for pass_ in passes:
        row = store.row(
            "SELECT * FROM assignment WHERE person_id = ? AND pass = ? AND state = 'claimed' "
            "AND purpose <> 'adjudication' ORDER BY position LIMIT 1",
            [person_id, pass_],
        )
        if row:
            return of_row(row)
    return None


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
        "UPDATE assignment SET state = ?, reason = ?, lease_until = NULL, finished_at = ? WHERE assignment_id = ?",
        [state, reason, now(), assignment_id],
    )


_MOST = "most_contexts"


def most_contexts(store: Store) -> int:
    """The most (context, opening) pairs that the evidence pass has for one task: people needed for the strict rule.

    It is asked before every view and changes with the plan only, so it is kept whenever openings are added.
    """
    row = store.row("SELECT value FROM setting WHERE name = ?", [_MOST])
    return int(row["value"]) if row else people_needed(store, "evidence")


def people_needed(store: Store, pass_: str) -> int:
    """The most (context, opening) pairs that a pass has for one task: with fewer people somebody reads two contexts."""
    row = store.row(
        "SELECT max(n) AS n FROM (SELECT count(DISTINCT coalesce(context_id, '') || '/' || plan_order) AS n "
        "FROM assignment WHERE pass = ? AND purpose = 'plan' GROUP BY task_id)",
        [pass_],
    )
    return int(row["n"] or 0) if row else 0


def progress(store: Store) -> list[dict[str, Any]]:
    """How many planned openings there are per pass and state."""
    return store.rows(
        "SELECT pass, state, count(*) AS n FROM assignment WHERE purpose = 'plan' "
        "GROUP BY pass, state ORDER BY pass, state"
    )


def done_by(store: Store, person_id: str, passes: Iterable[str]) -> int:
    """How many openings of these passes this person has finished, practice not counted."""
    marks = list(passes)
    row = store.row(
        f"SELECT count(*) AS n FROM assignment WHERE person_id = ? AND state IN ('done', 'skipped') "
        f"AND purpose NOT IN ('adjudication', 'calibration') AND pass IN ({', '.join('?' * len(marks))})",
        [person_id, *marks],
    )
    return int(row["n"]) if row else 0


def done_since(store: Store, person_id: str, since: str) -> int:
    """How many items this person has finished since a time."""
    row = store.row(
        "SELECT count(*) AS n FROM assignment WHERE person_id = ? AND finished_at >= ? AND state = 'done'",
        [person_id, since],
    )
    return int(row["n"]) if row else 0


def looked_back_at(store: Store, person_id: str, passes: Iterable[str]) -> list[Assignment]:
    """What this person has finished, the newest first.

    Of an item that came again only the last showing, and nothing while it is there again: what was answered the first
    time would be copied.
    """
    marks = list(passes)
    rows = store.rows(
        f"SELECT * FROM assignment AS a WHERE person_id = ? AND state IN ('done', 'skipped') "
        f"AND purpose <> 'adjudication' AND pass IN ({', '.join('?' * len(marks))}) AND NOT {_CAME_AGAIN} "
        "ORDER BY finished_at DESC, position DESC",
        [person_id, *marks],
    )
    return [of_row(row) for row in rows]


_CAME_AGAIN = """EXISTS (SELECT 1 FROM assignment AS b
    WHERE b.person_id = a.person_id AND b.task_id = a.task_id AND b.item_id = a.item_id
    AND b.item_kind = a.item_kind AND b.pass = a.pass AND b.occasion > a.occasion AND b.state <> 'open')"""


def came_again(store: Store, first: Assignment) -> bool:
    """Whether the item of this assignment was shown to its person once more."""
    sql = f"SELECT 1 FROM assignment AS a WHERE assignment_id = ? AND {_CAME_AGAIN}"
    return store.row(sql, [first.assignment_id]) is not None
