"""The openings of the plan: who will be asked what about each drawn item, in which order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from data.records import Response, context_of, task_of
from data.store import assignments
from data.store.connection import Store
from data.study import Study
from data.texts import pick
from data.views import Item
from sampling.numbers import permanent_number

Key = tuple[str, str]
"""item_kind, item_id"""


def read_items(study: Study, keys: Sequence[Key]) -> Iterator[Item]:
    """Drawn items with their texts."""
    ids = {kind: [i for k, i in keys if k == kind] for kind in ("context", "response")}
    responses = [Response(**row) for row in pick(study, "responses", "response_id", ids["response"])]
    wanted = {*ids["context"], *(r.context_id for r in responses if r.context_id is not None)}
    contexts = {row["context_id"]: context_of(row) for row in pick(study, "contexts", "context_id", sorted(wanted))}
    task_ids = {c.task_id for c in contexts.values()} | {r.task_id for r in responses if r.task_id is not None}
    tasks = {row["task_id"]: task_of(row) for row in pick(study, "tasks", "task_id", sorted(task_ids))}
    for context_id in ids["context"]:
        yield Item(task=tasks[contexts[context_id].task_id], context=contexts[context_id])
    for response in responses:
        context = contexts[response.context_id] if response.context_id is not None else None
        yield Item(
            task=tasks[context.task_id if context else response.task_id or ""], context=context, response=response
        )


def open_plan(
    store: Store,
    study: Study,
    drawn: Sequence[Item],
    people: Mapping[Key, int],
    seed: int,
    *,
    rank: Callable[[str], int] = lambda context_id: 0,
) -> int:
    """One opening per item, pass and person that the plan asks for; in random order, a context's responses in a row.

    An item that was drawn before keeps its openings, and the answers to them; new openings come after all others.
    Where contexts have a rank, those of the lowest are audited first.

    Returns:
        How many are new.
    """

    def place(item: Item) -> tuple[int, str, str, str]:
        near = item.context.context_id if item.context else item.task.task_id
        own = item.response.response_id if item.response else ""
        first = rank(near) if item.context and not item.response else 0
        return first, permanent_number(seed, "order", near), near, permanent_number(seed, "order:response", own)

    first, openings = assignments.next_position(store), []
    for position, item in enumerate(sorted(drawn, key=place), start=first):
        row = _row(item)
        for pass_ in study.rubric.passes(row["item_kind"]):
            if study.rubric.asked(item, pass_):
                n = people[row["item_kind"], row["item_id"]]
                openings += [assignments.opening(row, pass_, order, position) for order in range(1, n + 1)]
    before = _planned(store)
    assignments.add(store, openings)
    return _planned(store) - before


def _row(item: Item) -> dict[str, Any]:
    kind = "response" if item.response else "context"
    return {
        "item_kind": kind,
        "item_id": item.response.response_id if item.response else item.context.context_id if item.context else "",
        "task_id": item.task.task_id,
        "context_id": item.context.context_id if item.context else None,
    }


def _planned(store: Store) -> int:
    return sum(row["n"] for row in assignments.progress(store))
