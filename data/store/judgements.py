"""What judges said of items, as it came in; of one label of an item the last row stands."""

from collections.abc import Iterator, Mapping
from typing import Any

from data.store.connection import Store, now

COLUMNS = (
    "judge, item_kind, item_id, label, value, evidence, rationale, unscored_reason, answered, asked, model, "
    "judge_model, prompt_hash, view_hash, parameters, input_tokens, output_tokens, seconds, n_retries, reply_format, "
    "created_at"
)

# The newest row of a label; the index holds them in this order.
_CURRENT = (
    f"SELECT {COLUMNS} FROM judgement AS j WHERE judge = ? AND number = (SELECT max(number) FROM judgement AS k "
    "WHERE k.judge = j.judge AND k.item_kind = j.item_kind AND k.item_id = j.item_id AND k.label = j.label)"
)


def add(store: Store, row: Mapping[str, Any]) -> None:
    """Keeps one judgement, at once."""
    store.insert("judgement", [{**row, "created_at": now()}])


def recall(
    store: Store, view_hash: str, prompt_hash: str, model: str, parameters: str, *, judge: str | None = None
) -> dict[str, Any] | None:
    """The last answer to the same, of whichever judge (or one) and item; None when not asked, or without a reply."""
    return store.row(
        f"SELECT {COLUMNS} FROM judgement WHERE view_hash = ? AND prompt_hash = ? AND model = ? AND parameters = ? "
        "AND answered AND coalesce(judge = ?, 1) ORDER BY number DESC LIMIT 1",
        [view_hash, prompt_hash, model, parameters, judge],
    )


def standing(store: Store, judge: str, item_kind: str, item_id: str, label: str) -> dict[str, Any] | None:
    """What one judge said last of one label of an item."""
    return store.row(
        f"SELECT {COLUMNS} FROM judgement WHERE judge = ? AND item_kind = ? AND item_id = ? AND label = ? "
        "ORDER BY number DESC LIMIT 1",
        [judge, item_kind, item_id, label],
    )


def of_judge(store: Store, judge: str) -> Iterator[dict[str, Any]]:
    """What stands of one judge, the labels of an item one after the other."""
    found = store.db.conn.execute(f"{_CURRENT} ORDER BY item_kind, item_id, label", [judge])
    names = [column[0] for column in found.description]
    # One at a time: these may be all labels of all responses.
    for row in found:
        yield dict(zip(names, row, strict=True))


def first_asked(store: Store, judge: str) -> dict[str, str]:
    """When the newest prompt behind what stands of a judge was first used by any judge, by label."""
    found: dict[str, str] = {}
    for row in list(store.rows(f"SELECT DISTINCT label, prompt_hash FROM ({_CURRENT})", [judge])):
        first = store.row("SELECT min(created_at) AS at FROM judgement WHERE prompt_hash = ?", [row["prompt_hash"]])
        if first:
            found[row["label"]] = max(found.get(row["label"], ""), first["at"])
    return found


def counts(store: Store, judge: str) -> list[dict[str, Any]]:
    """What stands of one judge, by label: label, n, n_scored, and n_no_reply of those that have none."""
    return store.rows(
        "SELECT label, count(*) AS n, sum(value IS NOT NULL) AS n_scored, sum(NOT answered) AS n_no_reply "
        f"FROM ({_CURRENT}) GROUP BY label ORDER BY label",
        [judge],
    )


def reasons(store: Store, judge: str) -> dict[str, int]:
    """Why labels of one judge are unscored, the most frequent first; the replies quoted behind a colon are left out."""
    rows = store.rows(
        "SELECT substr(unscored_reason, 1, instr(unscored_reason || ':', ':') - 1) AS reason, count(*) AS n "
        f"FROM ({_CURRENT} AND value IS NULL) GROUP BY reason ORDER BY n DESC, reason",
        [judge],
    )
    return {row["reason"]: row["n"] for row in rows}


def replaced(store: Store, judge: str, since: str) -> int:
    """How many labels that a judge had answered by then have another value now."""
    row = store.row(
        f"SELECT count(*) AS n FROM ({_CURRENT} AND created_at > ?) AS now WHERE EXISTS (SELECT 1 FROM judgement AS b "
        "WHERE b.number = (SELECT max(number) FROM judgement AS k WHERE k.judge = ? AND k.item_kind = now.item_kind "
        "AND k.item_id = now.item_id AND k.label = now.label AND k.answered AND k.created_at <= ?) "
        "AND b.value IS NOT now.value)",
        [judge, since, judge, since],
    )
    return row["n"] if row else 0


def judges(store: Store) -> dict[str, dict[str, Any]]:
    """Every judge that was run here, by name: the model and parameters that it stands for, and what it took.

    Columns: model, parameters, n (labels of items asked about), n_calls, input_tokens, output_tokens, n_retries,
    last_at (when the last judgement came).
    """
    rows = store.rows(
        "SELECT judge, max(model) AS model, max(parameters) AS parameters, sum(asked) AS n_calls, "
        "coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens, "
        "sum(n_retries) AS n_retries, max(created_at) AS last_at, "
        "count(DISTINCT item_kind || '/' || item_id || '/' || label) AS n "
        "FROM judgement GROUP BY judge ORDER BY judge"
    )
    return {row.pop("judge"): row for row in rows}


def quotes(store: Store, judge: str) -> tuple[int, int]:
    """How many quotes stand of one judge, and how many of them are not in the context."""
    row = store.row(
        f"SELECT count(*) AS n, coalesce(sum(q.value ->> 'passage' IS NULL), 0) AS n_not "
        f"FROM ({_CURRENT}) AS c, json_each(c.evidence) AS q",
        [judge],
    )
    return (row["n"], row["n_not"]) if row else (0, 0)
