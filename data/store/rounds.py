"""Rounds: every version of the rubric that work was done under, with its text."""

from typing import Any

from data.rubric import Rubric
from data.store.connection import Store, now


def begin(store: Store, rubric: Rubric) -> None:
    """Starts a round when this version of the rubric is new; going back to an earlier one goes on with its round."""
    if store.row("SELECT 1 FROM round WHERE rubric_hash = ?", [rubric.hash]) is None:
        row = {"rubric_hash": rubric.hash, "version": rubric.version, "body": rubric.text, "started_at": now()}
        store.insert("round", [row], ignore=True)


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
