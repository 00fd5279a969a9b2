"""Drawn items with their texts, the samples they were drawn in, and the draws themselves."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from data.errors import StudyProblem
from data.records import Context, Draw, Response, Task, context_of, task_of
from data.store.connection import Store, encode, now
from data.views import Item


def add(store: Store, items: Iterable[Item]) -> None:
    """Keeps the texts of items; what is there already stays."""
    for item in items:
        kind, key = ("response", item.response.response_id) if item.response else ("context", "")
        if item.context and not item.response:
            key = item.context.context_id
        bodies: list[tuple[str, str, Task | Context | Response]] = [("task", item.task.task_id, item.task)]
        bodies += [("context", item.context.context_id, item.context)] if item.context else []
        bodies += [("response", key, item.response)] if item.response else []
        rows = [{"kind": k, "id": i, "body": json.dumps(asdict(record), ensure_ascii=False)} for k, i, record in bodies]
        store.insert("text", rows, ignore=True)
        context_id = item.context.context_id if item.context else None
        row = {"item_kind": kind, "item_id": key, "task_id": item.task.task_id, "context_id": context_id}
        store.insert("item", [row], ignore=True)


def load(store: Store, item_kind: str, item_id: str) -> Item:
    """An item with its texts, which are kept as they were when it was drawn."""
    return store.once(("item", item_kind, item_id), lambda: _load(store, item_kind, item_id))


def _load(store: Store, item_kind: str, item_id: str) -> Item:
    row = store.row("SELECT * FROM item WHERE item_kind = ? AND item_id = ?", [item_kind, item_id])
    if row is None:
        raise StudyProblem(f"{item_kind} {item_id!r} is not among the drawn items")
    task = _body(store, "task", row["task_id"])
    context = _body(store, "context", row["context_id"]) if row["context_id"] is not None else None
    response = _body(store, "response", item_id) if item_kind == "response" else None
    return Item(
        task=task_of(task),
        context=context_of(context) if context else None,
        response=Response(**response) if response else None,
    )


def _body(store: Store, kind: str, key: str) -> dict[str, Any]:
    row = store.row("SELECT body FROM text WHERE kind = ? AND id = ?", [kind, key])
    body: dict[str, Any] = json.loads(row["body"]) if row else {}
    return body


def everything(store: Store) -> list[dict[str, Any]]:
    """Every drawn item: item_kind, item_id, task_id, context_id. Practice items are not drawn."""
    return store.rows("SELECT * FROM item WHERE (item_kind, item_id) IN (SELECT item_kind, item_id FROM draw)")


def passage_numbers(store: Store) -> dict[str, list[str]]:
    """The numbers of the passages of every context whose text is kept, by context_id."""
    rows = store.rows("SELECT id, body FROM text WHERE kind = 'context'")
    return {row["id"]: [str(passage["rank"]) for passage in json.loads(row["body"])["passages"]] for row in rows}


def add_sample(store: Store, sample: Mapping[str, Any], draws: Sequence[tuple[Draw, str]]) -> None:
    """Keeps a sample's settings and its draws, each with the unit it was drawn as."""
    store.insert("sample", [sample])
    add_draws(store, draws)


def add_draws(store: Store, draws: Sequence[tuple[Draw, str]]) -> None:
    """Keeps draws, each with the unit it was drawn as."""
    store.insert("draw", [{**asdict(draw), "unit": unit} for draw, unit in draws])


def replace_draws(store: Store, top_up: Mapping[str, Any], draws: Sequence[tuple[Draw, str]]) -> None:
    """Puts the draws of an extended sample in the place of what they were, and keeps a record of that for good.

    `top_up` has sample_id, n_done, results_open and the new frame_hash; its number is the next, and `replaced` says
    for each stratum what its size and its sample's size were.
    """
    sample_id = top_up["sample_id"]
    old = store.rows(
        "SELECT item_kind, stratum, stratum_size, sample_size, inclusion_probability, count(*) AS n FROM draw "
        "WHERE sample_id = ? GROUP BY item_kind, stratum, inclusion_probability ORDER BY item_kind, stratum",
        [sample_id],
    )
    count = {kind: sum(row["n"] for row in old if row["item_kind"] == kind) for kind in ("response", "context")}
    hash_before = find_sample(store, sample_id)["frame_hash"]
    row = {**top_up, "number": len(top_ups(store, sample_id)) + 1, "frame_hash": hash_before, "replaced": old}
    row |= {"n_responses": count["response"], "n_contexts": count["context"], "created_at": now()}
    store.insert("top_up", [row])
    store.change("UPDATE sample SET frame_hash = ? WHERE sample_id = ?", [top_up["frame_hash"], sample_id])
    store.change("DELETE FROM draw WHERE sample_id = ?", [sample_id])
    add_draws(store, draws)


def top_ups(store: Store, sample_id: str) -> list[dict[str, Any]]:
    """Every extension of a sample, oldest first: how large it was until then, and how much was done."""
    rows = store.rows("SELECT * FROM top_up WHERE sample_id = ? ORDER BY number", [sample_id])
    return [{**row, "replaced": json.loads(row["replaced"])} for row in rows]


def mark_dealt(store: Store, how: Mapping[str, Any]) -> None:
    """Keeps in every sample that its openings were dealt, to whom, and how often by now."""
    store.change(
        "UPDATE sample SET dealt = json_set(?, '$.times', coalesce(dealt ->> 'times', 0) + 1)", [encode(dict(how))]
    )


def add_subsample(store: Store, sample_id: str, name: str, members: Iterable[tuple[str, str]]) -> None:
    """Keeps a random subsample (overlap, core, diagnostics) as (item_kind, item_id); members stay."""
    rows = [{"sample_id": sample_id, "name": name, "item_kind": kind, "item_id": item} for kind, item in members]
    store.insert("subsample", rows, ignore=True)


def subsample(store: Store, sample_id: str, name: str) -> set[tuple[str, str]]:
    """The members of a subsample."""
    sql = "SELECT item_kind, item_id FROM subsample WHERE sample_id = ? AND name = ?"
    return {(row["item_kind"], row["item_id"]) for row in store.rows(sql, [sample_id, name])}


def sample_of(store: Store, item_kind: str, item_id: str) -> dict[str, Any] | None:
    """Seed and shares of repeats and canaries of the newest sample that an item is in."""
    return store.row(
        "SELECT seed, repeats, canaries FROM sample CROSS JOIN draw USING (sample_id) "
        "WHERE item_kind = ? AND item_id = ? ORDER BY sample.rowid DESC LIMIT 1",
        [item_kind, item_id],
    )


def in_subsample(store: Store, name: str, item_kind: str, item_id: str) -> bool:
    """Whether any sample put this item into the subsample."""
    sql = "SELECT 1 FROM subsample WHERE name = ? AND item_kind = ? AND item_id = ?"
    return store.row(sql, [name, item_kind, item_id]) is not None


def samples(store: Store) -> list[dict[str, Any]]:
    """All samples, oldest first, with their strata as lists, their design and how they were dealt as objects."""
    rows = store.rows("SELECT * FROM sample ORDER BY rowid")
    columns = ("strata", "context_strata", "design", "dealt")
    return [{**row, **{name: json.loads(row[name] or "null") for name in columns}} for row in rows]


def find_sample(store: Store, sample_id: str | None) -> dict[str, Any]:
    """A sample by name, or the newest one.

    Raises:
        StudyProblem: There is none.
    """
    everything = samples(store)
    found = [sample for sample in everything if sample_id in (None, sample["sample_id"])]
    if not everything:
        raise StudyProblem("nothing is drawn yet; draw a sample with `evidence-audit sample draw`")
    if not found:
        names = ", ".join(sample["sample_id"] for sample in everything)
        raise StudyProblem(f"no sample {sample_id!r}; samples are {names}")
    return found[-1]


def slices(store: Store) -> dict[tuple[str, str], dict[str, Any]]:
    """Regime, condition, model, prompt and run of every drawn item, by (item_kind, item_id)."""
    rows = store.rows(
        "SELECT item_kind, item_id, t.body ->> 'regime' AS regime, c.body ->> 'condition' AS condition, "
        "r.body ->> 'model' AS model, r.body ->> 'prompt' AS prompt, r.body ->> 'run' AS run FROM item "
        "LEFT JOIN text AS t ON t.kind = 'task' AND t.id = task_id "
        "LEFT JOIN text AS c ON c.kind = 'context' AND c.id = context_id "
        "LEFT JOIN text AS r ON r.kind = item_kind AND r.kind = 'response' AND r.id = item_id"
    )
    return {(row.pop("item_kind"), row.pop("item_id")): row for row in rows}


def without_gold(store: Store, sample_id: str) -> int:
    """How many drawn responses belong to tasks without a gold answer, so that nobody can be asked for C."""
    row = store.row(
        "SELECT count(*) AS n FROM draw JOIN item USING (item_kind, item_id) "
        "JOIN text AS t ON t.kind = 'task' AND t.id = task_id "
        "WHERE sample_id = ? AND item_kind = 'response' AND t.body ->> 'gold_answer' IS NULL",
        [sample_id],
    )
    return int(row["n"]) if row else 0


def draws(store: Store, sample_id: str, item_kind: str) -> list[dict[str, Any]]:
    """The draws of a sample, with the task and context of each item, by permanent number."""
    return store.rows(
        "SELECT draw.*, item.task_id, item.context_id FROM draw JOIN item USING (item_kind, item_id) "
        "WHERE sample_id = ? AND draw.item_kind = ? ORDER BY permanent_number, item_id",
        [sample_id, item_kind],
    )
