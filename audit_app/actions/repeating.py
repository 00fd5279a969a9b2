"""Hidden repeats: items that somebody is shown again later, to learn how steady they are. They enter no estimate."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from data.records import Assignment
from data.store import assignments, reservations
from data.store.connection import Store
from sampling.repeats import GAP, repeat_after, with_repeats

PASSES = ("evidence", "correctness")
"""Where an item can be shown again; not in the context pass, whose second stage shows the gold answer."""


def plan_repeats(
    store: Store, rows: Iterable[Mapping[str, Any]], *, share: float, seed: int
) -> dict[tuple[str, str], int]:
    """Opens the repeats in the queues that were dealt.

    Args:
        store: The open study, its unbegun repeats released.
        rows: The plan's openings, with `free` and whom they are reserved for.
        share: Repeats wanted, as a share of each queue.
        seed: The study's seed.

    Returns:
        How many are open, by (person_id, pass).
    """
    if not share:
        return {}
    first, there = reservations.labelled_order(store), reservations.repeats(store)
    queues: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        who = row["reserved_for"] if row["free"] else row["person_id"]
        if who is not None and row["pass"] in PASSES and row["state"] != "skipped":
            queues[who, row["pass"]].append(row)
    opened = []
    for (who, pass_), queue in queues.items():
        in_order = sorted(queue, key=lambda row: (first.get(row["assignment_id"], len(first) + 10**9), row["position"]))
        of_item = {row["item_id"]: row for row in in_order}
        together = {item: row["context_id"] for item, row in of_item.items() if row["context_id"] is not None}
        showings = with_repeats(list(of_item), share, annotator=who, seed=seed, together=together)
        opened += [
            reservations.repeat(dict(of_item[showing.item_id]), who, place)
            for place, showing in enumerate(showings)
            if showing.repeat and (who, pass_, showing.item_id) not in there
        ]
    assignments.add(store, opened)
    return Counter((row["reserved_for"], row["pass"]) for row in opened)


def repeat_later(store: Store, done: Assignment, sample: Mapping[str, Any] | None) -> None:
    """After an item of the plan is done: its repeat stays the gap away and, where nothing was dealt, is opened now."""
    if done.purpose != "plan" or done.pass_ not in PASSES or done.person_id is None:
        return
    n_done = assignments.done_by(store, done.person_id, [done.pass_])
    reservations.delay_repeat(store, done, n_done + GAP)
    if done.reserved_for is not None or sample is None:
        return
    later = repeat_after(done.item_id, sample["repeats"], annotator=done.person_id, seed=sample["seed"])
    if later is not None:
        row = assignments.row_of(store, done.assignment_id)
        assignments.add(store, [reservations.repeat(row, done.person_id, n_done + later)])
