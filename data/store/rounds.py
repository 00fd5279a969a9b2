"""Rounds: every version of the rubric that work was done under, with its text."""

from collections.abc import Sequence
from typing import Any

from data.rubric import Rubric
from data.store.connection import Store, now

Answer = tuple[str, str]
"""By assignment_id and label."""


def begin(store: Store, rubric: Rubric) -> None:
    """Starts a round when this version of the rubric is new; going back to an earlier one goes on with its round."""
    if store.row("SELECT 1 FROM round WHERE rubric_hash = ?", [rubric.hash]) is None:
        row = {"rubric_hash": rubric.hash, "version": rubric.version, "body": rubric.text, "started_at": now()}
        store.insert("round", [row], ignore=True)


def outdated(store: Store, rubric_hash: str) -> list[dict[str, Any]]:
    """The current answers of finished items of the plan that were given under another version of the rubric.

    Columns: assignment_id, item_kind, item_id, person_id and label.
    """
    return store.rows(
        "SELECT a.assignment_id, a.item_kind, a.item_id, a.person_id, l.label FROM assignment AS a "
        "JOIN current_label AS l USING (assignment_id) WHERE a.purpose = 'plan' AND a.state = 'done' "
        "AND l.rubric_hash <> ? ORDER BY a.position, a.plan_order, l.event_id",
        [rubric_hash],
    )


def ask_again(store: Store, answers: Sequence[Answer], rubric_hash: str, *, by: str | None = None) -> None:
    """Opens finished items for their people again, for these answers, under a version; `by` is a person's id."""
    _add(store, answers, rubric_hash, is_asked=True, by=by)
    for one in {one for one, _ in answers}:
        sql = "UPDATE assignment SET state = 'claimed', finished_at = NULL WHERE assignment_id = ? AND state = 'done'"
        store.change(sql, [one])


def take_back(store: Store, answers: Sequence[Answer], rubric_hash: str, *, by: str | None = None) -> None:
    """Asks for these answers no more: their items are closed again, the earlier answers stand."""
    for one in {one for one, _ in answers}:
        let_rest(store, of=one)
    _add(store, answers, rubric_hash, is_asked=False, by=by)


def _add(store: Store, answers: Sequence[Answer], rubric_hash: str, *, is_asked: bool, by: str | None) -> None:
    more = {"rubric_hash": rubric_hash, "is_asked": int(is_asked), "person_id": by, "created_at": now()}
    store.insert("asking", [{"assignment_id": one, "label": label, **more} for one, label in answers])


def pending(store: Store, rubric_hash: str) -> list[dict[str, Any]]:
    """What was asked again under a version and is in its people's hands.

    Columns: assignment_id, label, and is_answered: whether it has an answer under that version.
    """
    return store.rows(
        "SELECT g.assignment_id, g.label, l.rubric_hash = g.rubric_hash AS is_answered FROM asked_again AS g "
        "JOIN current_label AS l USING (assignment_id, label) JOIN assignment AS a USING (assignment_id) "
        "WHERE a.state = 'claimed' AND g.rubric_hash = ? ORDER BY a.position, a.plan_order, g.label",
        [rubric_hash],
    )


def again(store: Store, assignment_id: str, rubric_hash: str) -> set[str]:
    """The labels of an assignment that are asked again under this version and are not answered under it yet."""
    rows = store.rows(
        "SELECT g.label FROM asked_again AS g JOIN current_label AS l USING (assignment_id, label) "
        "WHERE g.assignment_id = ? AND g.rubric_hash = ? AND l.rubric_hash <> g.rubric_hash",
        [assignment_id, rubric_hash],
    )
    return {row["label"] for row in rows}


def let_rest(store: Store, *, of: str, reason: str | None = None) -> int:
    """Closes again what was asked again and is not answered anew: the earlier answers stand. How many items that were.

    Only finished items are ever asked again, so every label that was owed has an answer.

    Args:
        store: The open study.
        of: An assignment by id, or a person by id: everything in their hands.
        reason: Why they were given back, if they were.
    """
    return store.change(
        "UPDATE assignment SET state = 'done', reason = :reason, lease_until = NULL, finished_at = (SELECT "
        "max(created_at) FROM label_event AS l WHERE l.assignment_id = assignment.assignment_id) "
        "WHERE state = 'claimed' AND (assignment_id = :of OR person_id = :of) "
        "AND EXISTS (SELECT 1 FROM asked_again AS g WHERE g.assignment_id = assignment.assignment_id)",
        {"of": of, "reason": reason},
    )


def everything(store: Store) -> list[dict[str, Any]]:
    """Every round, the oldest first, with what was labelled in it.

    Columns: rubric_hash, version and body (None for what was labelled before rounds were kept), started_at, n_labels
    (the current answers given under it), n_items (of the plan, finished or not).
    """
    return store.rows(
        "WITH given AS (SELECT l.rubric_hash, count(*) AS n_labels, min(l.created_at) AS first_at, "
        "count(DISTINCT a.item_kind || '/' || a.item_id) AS n_items "
        "FROM current_label AS l JOIN assignment AS a USING (assignment_id) "
        "WHERE a.purpose = 'plan' GROUP BY l.rubric_hash), "
        "every AS (SELECT rubric_hash FROM round UNION SELECT rubric_hash FROM given) "
        "SELECT rubric_hash, version, body, coalesce(started_at, first_at) AS started_at, "
        "coalesce(n_labels, 0) AS n_labels, coalesce(n_items, 0) AS n_items "
        "FROM every LEFT JOIN round USING (rubric_hash) LEFT JOIN given USING (rubric_hash) "
        "ORDER BY 4, round.number"
    )
