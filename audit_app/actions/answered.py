"""What people said of the responses or contexts of a study, boiled down to one value per item and label."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from data.records import CANNOT_JUDGE
from data.rubric import Rubric
from data.store import adjudications, assignments, events, items
from data.store.connection import Store
from metrics.estimate import Target
from sampling.numbers import permanent_number

Grounding = Literal["strict", "lenient"]
ItemKind = Literal["response", "context"]
Key = tuple[str, str]
"""(item_id, label)."""
Answers = Mapping[Key, str]
"""Stored values; cannot judge and skips are not in it."""

GROUNDED: dict[Grounding, frozenset[str]] = {
    "strict": frozenset({"established"}),
    "lenient": frozenset({"established", "contradicted"}),
}
"""The decision values of G that count as grounded. `partly` never does."""


def binary(label: str, value: str | None, grounding: Grounding) -> float:
    """A stored value as a number (1 or 0; of a diagnostic 0, 1 or 2); nan when there is none."""
    if value is None or value == CANNOT_JUDGE:
        return np.nan
    if label == "G":
        return float(value in GROUNDED[grounding])
    return float(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What people said of one kind of item of a study."""

    first: Answers
    """The label of the first person of the plan (target A)."""
    another: Answers
    """That of the second person of the plan, where there is one."""
    adjudicated: Answers
    """The adjudicated value, else the one on which all of two or more planned people agree (target B)."""
    undecided: frozenset[Key]
    """On these planned people disagree and nobody has decided."""
    noted: frozenset[Key]
    """These were flagged or reported as slips, and nobody has decided since."""
    owed: Mapping[Target, frozenset[Key]]
    """Still to come: from the plan's first person (A); from anybody of the plan, and not decided otherwise (B)."""
    touched: Mapping[Target, frozenset[str]]
    """Items that the plan's first person (A) or anybody of the plan (B) has dealt with, if only by skipping."""

    def values(self, target: Target) -> Answers:
        """The labels of one target."""
        return self.first if target == "A" else self.adjudicated


def answered(store: Store, rubric: Rubric, grounding: Grounding = "strict", *, kind: ItemKind = "response") -> Answered:
    """The current answers to one kind of item, boiled down to one value per item, label and target.

    Two people who chose different decision values of G agree when both count as grounded, or neither; of a context
    they agree when they said the same. An adjudicator
    who cannot judge has decided, too: the label is then unusable, and nobody waits for it. An adjudicator's blind vote
    is no decision.
    """
    planned: dict[Key, list[str]] = defaultdict(list)
    given: set[tuple[str, str, int]] = set()
    first: dict[Key, str] = {}
    another: dict[Key, str] = {}
    touched: dict[Target, set[str]] = {"A": set(), "B": set()}
    for row in events.answers(store, kind):
        key, value, skipped = (row["item_id"], row["label"]), row["value"], row["state"] == "skipped"
        if row["purpose"] != "plan" or (value is None and not skipped):
            continue
        given.add((*key, row["plan_order"]))
        touched["B"].add(row["item_id"])
        if row["plan_order"] == 1:
            touched["A"].add(row["item_id"])
        if value is None or value == CANNOT_JUDGE or skipped:
            continue
        planned[key].append(value)
        if row["plan_order"] in (1, 2):
            (first if row["plan_order"] == 1 else another)[key] = value
    decided = {(one.item_id, one.label): one.value for one in events.resolutions(store) if one.item_kind == kind}
    noted = {(row["item_id"], row["label"]) for row in adjudications.noted(store) if row["item_kind"] == kind}

    def read(label: str, value: str) -> float | str:
        return binary(label, value, grounding) if kind == "response" else value

    split = {key for key, values in planned.items() if len({read(key[1], v) for v in values}) > 1}
    unanimous = {key: values[0] for key, values in planned.items() if len(values) > 1 and key not in split}
    return Answered(
        first=first,
        another=another,
        adjudicated={key: value for key, value in {**unanimous, **decided}.items() if value != CANNOT_JUDGE},
        undecided=frozenset(split - set(decided)),
        noted=frozenset(noted),
        owed=_owed(assignments.unfinished(store, kind), rubric, given, set(decided)),
        touched={target: frozenset(found) for target, found in touched.items()},
    )


def _owed(
    unfinished: Iterable[Mapping[str, Any]], rubric: Rubric, given: set[tuple[str, str, int]], decided: set[Key]
) -> dict[Target, frozenset[Key]]:
    asked: dict[str, list[str]] = defaultdict(list)
    for question in rubric.questions:
        asked[question.pass_].append(question.name)
    owed: dict[Target, set[Key]] = {"A": set(), "B": set()}
    for row in unfinished:
        for label in asked[row["pass"]]:
            key = (row["item_id"], label)
            if (*key, row["plan_order"]) in given:
                continue
            if row["plan_order"] == 1:
                owed["A"].add(key)
            if key not in decided:
                owed["B"].add(key)
    return {target: frozenset(found) for target, found in owed.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """The random share of a sample that several people label, in the order of its permanent numbers."""

    order: tuple[str, ...]
    owed: frozenset[Key] = frozenset()
    """Labels that somebody of the plan has still to give."""
    undecided: frozenset[Key] = frozenset()
    """Labels on which people disagree and nobody has decided."""
    noted: frozenset[Key] = frozenset()
    """Labels that were flagged or reported as slips, and that nobody has decided since."""

    def settled(self, labels: Iterable[str]) -> frozenset[str]:
        """The items before the first one of which one of these labels is unsettled.

        Taking every settled item instead would take all that is unanimous and leave out what is hard. One order for
        all strata, and not one for each, so that no stratum's share hangs on its own disagreements. That the run ends
        just before an item without a decision is what keeps it unbiased (Haldane 1945, doi:10.1093/biomet/33.3.222).

        >>> overlap = Overlap(order=("r3", "r1", "r2"), undecided=frozenset({("r1", "G")}))
        >>> sorted(overlap.settled("CG")), sorted(overlap.settled("C"))
        (['r3'], ['r1', 'r2', 'r3'])
        """
        wanted, waiting = list(labels), self.owed | self.undecided | self.noted
        for place, item in enumerate(self.order):
            if any((item, label) in waiting for label in wanted):
                return frozenset(self.order[:place])
        return frozenset(self.order)


def overlap_of(store: Store, sample: Mapping[str, Any], found: Answered, *, kind: ItemKind = "response") -> Overlap:
    """The overlap of a sample's items of one kind, and what of it is settled."""
    members = [item for of, item in items.subsample(store, sample["sample_id"], "overlap") if of == kind]
    number = {item: permanent_number(sample["seed"], f"overlap:{kind}", item) for item in members}
    return Overlap(
        order=tuple(sorted(members, key=lambda item: (number[item], item))),
        owed=found.owed["B"],
        undecided=found.undecided,
        noted=found.noted,
    )
