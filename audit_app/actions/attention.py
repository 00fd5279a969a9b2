"""Attention checks: canaries mixed into a person's evidence queue, and how they did on them. They enter no estimate."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from data.canaries import Canary, canaries
from data.records import Assignment
from data.store import assignments, items
from data.store import canaries as stored
from data.store.canaries import PASS
from data.store.connection import Store
from sampling.numbers import as_share, permanent_number, unit_key

CHOICE, CHANCE, PLACE, DIAGNOSED = "canary", "canary:chance", "canary:place", "canary:diagnostics"
"""Salts: which canary somebody gets next, whether after an item, and where; whether it has diagnostics."""

SOON = 10
"""Where nothing was dealt, a canary comes within so many items."""

LABEL = "G"
"""What is checked: whether somebody judges by the passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """How one person did on the canaries that they are done with."""

    n: int
    n_hit: int
    """Called not supported, as they are."""
    labels: Mapping[str, tuple[int, int]]
    """Of each label asked: answers as expected, and all answers."""


def attention(store: Store) -> dict[str, Attention]:
    """How everybody did who had a canary, by person_id."""
    expected = {canary.item_id: canary.expected for canary in canaries()}
    right: dict[str, Counter[str]] = defaultdict(Counter)
    given: dict[str, Counter[str]] = defaultdict(Counter)
    for row in stored.answers(store):
        wanted = expected.get(row["item_id"], {}).get(row["label"])
        if wanted is not None:
            given[row["person_id"]][row["label"]] += 1
            right[row["person_id"]][row["label"]] += row["value"] == wanted
    return {
        who: Attention(
            n=count[LABEL],
            n_hit=right[who][LABEL],
            labels={label: (right[who][label], n) for label, n in count.items()},
        )
        for who, count in given.items()
    }


def plan_canaries(
    store: Store, rows: Iterable[Mapping[str, Any]], *, share: float, seed: int
) -> dict[tuple[str, str], int]:
    """Opens the canaries in the evidence queues that were dealt, spread over what is not begun.

    Args:
        store: The open study, its unbegun canaries released.
        rows: The plan's openings, with `free` and whom they are reserved for.
        share: Canaries wanted, as a share of each queue; nobody gets one twice.
        seed: The study's seed.

    Returns:
        How many were opened, by (person_id, pass).
    """
    if not share:
        return {}
    length, free = Counter[str](), Counter[str]()
    for row in rows:
        who = row["reserved_for"] if row["free"] else row["person_id"]
        if who is not None and row["pass"] == PASS and row["state"] != "skipped":
            length[who] += 1
            free[who] += bool(row["free"])
    had, opened = stored.had(store), Counter[tuple[str, str]]()
    for who, n in free.items():
        wanted = floor(Fraction(str(share)) * length[who] + Fraction(1, 2)) - len(had[who])
        chosen = _left(had[who], who, seed)[: max(0, wanted)] if n else []
        done = assignments.done_by(store, who, [PASS])
        for k, canary in enumerate(chosen):
            # One in each part of what is left, as many parts as canaries, so that they do not come in a heap.
            place = (k + as_share(permanent_number(seed, PLACE, unit_key(who, canary.item_id)))) / len(chosen)
            _open(store, canary, who, done + 1 + floor(place * n))
            opened[who, PASS] += 1
    return opened


def canary_later(store: Store, done: Assignment, sample: Mapping[str, Any] | None) -> None:
    """After an item of the plan is done where nothing was dealt: perhaps a canary is opened, to come soon."""
    if done.purpose != "plan" or done.pass_ != PASS or done.person_id is None or done.reserved_for is not None:
        return
    if sample is None or not sample["canaries"]:
        return
    who, seed, unit = done.person_id, sample["seed"], unit_key(done.person_id, done.item_id)
    left = _left(stored.had(store)[who], who, seed)
    if left and as_share(permanent_number(seed, CHANCE, unit)) < sample["canaries"]:
        place = as_share(permanent_number(seed, PLACE, unit))
        _open(store, left[0], who, assignments.done_by(store, who, [PASS]) + floor(place * SOON))


def is_diagnosed(store: Store, canary: Assignment) -> bool:
    """Whether the diagnostics are asked of a canary: at the share of other items, or it would stand out."""
    sample = items.find_sample(store, None)
    unit = unit_key(canary.person_id or canary.reserved_for or "", canary.item_id)
    return as_share(permanent_number(sample["seed"], DIAGNOSED, unit)) < float(sample["diagnostics"])


def _left(had: set[str], person_id: str, seed: int) -> list[Canary]:
    """The canaries that somebody has not had, in an order of their own."""
    left = [canary for canary in canaries() if canary.item_id not in had]
    return sorted(left, key=lambda one: permanent_number(seed, CHOICE, unit_key(person_id, one.item_id)))


def _open(store: Store, canary: Canary, person_id: str, due: int) -> None:
    items.add(store, [canary.item])
    task, context = canary.item.task.task_id, canary.item.context
    row = {
        "item_kind": "response",
        "item_id": canary.item_id,
        "task_id": task,
        "context_id": context.context_id if context else None,
    }
    stored.add(store, row, person_id, due)
