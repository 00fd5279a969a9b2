"""What there is to adjudicate: the disagreements, ties, slips and flags of every item, in the order of the queue."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log2
from typing import Any, NamedTuple

from audit_app.language import mark
from data.records import CANNOT_JUDGE
from data.rubric import Rubric
from data.store import adjudications, events
from data.store.connection import Store
from data.study import Study
from sampling.numbers import permanent_number

WHY = {
    "disagreement": mark("people disagree, and most say the same"),
    "tie": mark("people disagree, and no answer has a majority"),
    "slip": mark("somebody reported their answer as a slip"),
    "flag": mark("somebody flagged it"),
}
"""Why a label is in the queue, in words."""


class Place(NamedTuple):
    """One item in one pass: what an adjudicator gets in one go."""

    item_kind: str
    item_id: str
    pass_: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """One label of an item that waits for a decision."""

    label: str
    why: tuple[str, ...]
    """Some of `WHY`."""
    values: tuple[str, ...]
    """What the people of the plan said, without what they could not judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One item in one pass with the labels that wait for a decision, in the order of the rubric."""

    place: Place
    task_id: str
    context_id: str | None
    disputes: tuple[Dispute, ...]
    permanent_number: str
    weight: float
    """How many items of the population it stands for."""

    @property
    def labels(self) -> list[str]:
        """The labels at stake."""
        return [dispute.label for dispute in self.disputes]

    @property
    def information(self) -> float:
        """How much a decision may move: the entropy of the answers, times what the item stands for.

        >>> tie = Dispute(label="G", why=("tie",), values=("partly", "established"))
        >>> place = Place("response", "r1", "evidence")
        >>> Case(place=place, task_id="t", context_id="c", disputes=(tie,), permanent_number="0", weight=3).information
        3.0
        """
        return self.weight * sum(_entropy(dispute.values) for dispute in self.disputes)

    def as_row(self) -> dict[str, Any]:
        """What the store wants to know of it."""
        named = {"item_kind": self.place.item_kind, "item_id": self.place.item_id, "pass": self.place.pass_}
        return {**named, "task_id": self.task_id, "context_id": self.context_id}


def _entropy(values: Iterable[str]) -> float:
    counts = Counter(values)
    n = counts.total()
    return -sum(k / n * log2(k / n) for k in counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Everything that waits for a decision."""

    order: str
    """How it is ordered, see `data.study.QUEUE_ORDERS`."""
    cases: tuple[Case, ...]
    n_unripe: int
    """Items with something to decide that somebody of the plan has still to label."""
    unlabelled: Mapping[str, frozenset[tuple[str, str]]]
    """By task the items, as (item_kind, item_id), whose evidence somebody of the plan has still to label."""

    def find(self, place: Place) -> Case | None:
        """The case of an item; None when nothing of it waits."""
        return next((case for case in self.cases if case.place == place), None)


def read_queue(store: Store, study: Study) -> Queue:
    """The queue as it is now.

    An item comes up once everybody whom the plan asks has dealt with it: what is decided before the last answer is in
    would have to be decided again.
    """
    said, noted, decided = adjudications.planned(store), _noted(store), _decided(store)
    openings: dict[Place, list[dict[str, Any]]] = defaultdict(list)
    for row in said:
        openings[_place(row)].append(row)
    drawn = adjudications.draws(store)
    ripe, n_unripe = [], 0
    for place in {*openings, *noted}:
        rows = openings[place]
        disputes = _disputes(study.rubric, place, rows, noted[place], decided)
        if not rows or not disputes or place[:2] not in drawn:
            continue
        if any(row["state"] in ("open", "claimed") for row in rows):
            n_unripe += 1
        else:
            ripe.append(_case(place, rows, disputes, drawn[place[:2]]))
    return Queue(
        order=study.adjudication_order,
        cases=tuple(sorted(ripe, key=_by_information if study.adjudication_order == "informative" else _by_number)),
        n_unripe=n_unripe,
        unlabelled=_unlabelled(said),
    )


def _by_number(case: Case) -> tuple[Any, ...]:
    """Of one item the evidence before the reference answer."""
    kind, item, pass_ = case.place
    return case.permanent_number, kind, item, pass_ != "evidence", pass_


def _by_information(case: Case) -> tuple[Any, ...]:
    return -case.information, *_by_number(case)


def _place(row: Mapping[str, Any]) -> Place:
    return Place(row["item_kind"], row["item_id"], row["pass"])


def _noted(store: Store) -> dict[Place, dict[str, set[str]]]:
    """The kinds of open flags and slips, by item and label."""
    found: dict[Place, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in adjudications.noted(store):
        found[_place(row)][row["label"]].add(row["kind"])
    return found


def _decided(store: Store) -> set[tuple[str, str, str]]:
    return {(one.item_kind, one.item_id, one.label) for one in events.resolutions(store)}


def _disputes(
    rubric: Rubric,
    place: Place,
    rows: Iterable[Mapping[str, Any]],
    noted: Mapping[str, set[str]],
    decided: set[tuple[str, str, str]],
) -> tuple[Dispute, ...]:
    values: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["label"] is not None and row["state"] != "skipped" and row["value"] != CANNOT_JUDGE:
            values[row["label"]].append(row["value"])
    found = []
    for label in {*values, *noted}:
        split = [] if (place.item_kind, place.item_id, label) in decided else _split(values[label])
        why = (*split, *sorted(noted.get(label, ()), reverse=True))
        if why and label.partition(".")[0] in rubric.names(place.item_kind):
            found.append(Dispute(label=label, why=why, values=tuple(values[label])))
    return tuple(sorted(found, key=lambda one: in_order(rubric, one.label)))


def _split(values: list[str]) -> list[str]:
    """Whether people disagree, and whether that is a tie.

    >>> _split(["1", "0", "1"]), _split(["1", "0"]), _split(["1", "1"])
    (['disagreement'], ['tie'], [])
    """
    if len(set(values)) < 2:
        return []
    ((_value, most),) = Counter(values).most_common(1)
    return ["disagreement" if 2 * most > len(values) else "tie"]


def in_order(rubric: Rubric, label: str) -> tuple[int, int]:
    """The place of a label in the order in which people are asked."""
    base, _, passage = label.partition(".")
    return rubric.names().index(base), int(passage or 0)


def _case(place: Place, rows: list[dict[str, Any]], disputes: tuple[Dispute, ...], drawn: Mapping[str, Any]) -> Case:
    return Case(
        place=place,
        task_id=rows[0]["task_id"],
        context_id=rows[0]["context_id"],
        disputes=disputes,
        permanent_number=permanent_number(drawn["seed"], f"overlap:{place.item_kind}", place.item_id),
        weight=1 / drawn["inclusion_probability"],
    )


def _unlabelled(said: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in said:
        if row["pass"] == "evidence" and row["state"] in ("open", "claimed"):
            found[row["task_id"]].add((row["item_kind"], row["item_id"]))
    return {task: frozenset(those) for task, those in found.items()}
