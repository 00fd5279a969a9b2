"""Who said what on one label, as arrays."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.ratings import Ratings
from data.questions import Question
from data.records import CANNOT_JUDGE

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Texts = NDArray[np.str_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelTable:
    """Who said what on one label: codes of the rubric's values, -1 where somebody gave none."""

    question: Question
    people: tuple[str, ...]
    """Everybody whose plan had this label, by person_id."""
    items: tuple[str, ...]
    """The item of each unit that somebody labelled; the passages of a context are units of one item."""
    names: tuple[str, ...]
    """The label of each unit as stored, for passages with their number."""
    tasks: Texts
    """Task of each unit, shape (units,)."""
    contexts: Texts
    """Context of each unit, shape (units,); the item itself where there is none."""
    labels: Codes
    """Shape (units, people)."""
    first: Codes
    """Who is first in the plan of each unit, shape (units,); -1 where the first gave no label."""
    days: Floats
    """When each label was given, in days since the first of all, shape (units, people); nan where unknown."""
    minutes: Floats
    """Minutes that its person had been at work by then, likewise."""
    seconds: Floats
    """Active seconds that it took, likewise."""
    repeats: Codes
    """Person, label in the plan, label of the hidden repeat, shape (repeats, 3); -1 for none."""
    n_cannot_judge: Codes
    """Planned answers of each person that are "cannot judge", shape (people,)."""
    n_openings: Codes
    """Planned openings that each person has dealt with, shape (people,)."""
    n_skipped: Codes
    """Of these the skipped ones, shape (people,)."""
    n_dropped: int
    """Items that two people dealt with, of which no unit has two labels."""

    @property
    def paired(self) -> NDArray[np.bool_]:
        """Units with labels of two people or more, shape (units,)."""
        several: NDArray[np.bool_] = (self.labels >= 0).sum(axis=1) > 1
        return several

    @property
    def cannot_judge_rate(self) -> float | None:
        """Share of the planned answers that are "cannot judge"; None when there is no answer."""
        unable = int(self.n_cannot_judge.sum())
        answers = unable + int((self.labels >= 0).sum())
        return unable / answers if answers else None

    @property
    def yes(self) -> int:
        """The value that stands for yes: "1", the highest of ordered values, else the first of the rubric."""
        values = [value.value for value in self.question.values]
        if self.question.diagnostic:
            return len(values) - 1
        return values.index("1") if "1" in values else 0

    def ratings(self, units: NDArray[np.bool_], weight: Floats | None = None) -> Ratings:
        """Some of the units for arithmetic, tasks as clusters; people who labelled none of them left out."""
        labels = self.labels[units]
        return self._ratings(labels[:, (labels >= 0).any(axis=0)], units, weight)

    def everybody(self) -> Ratings:
        """All units and all people for arithmetic, tasks as clusters."""
        return self._ratings(self.labels, np.ones(len(self.items), dtype=bool), None)

    def shared(self, one: int, other: int) -> NDArray[np.bool_]:
        """The units that two people both labelled, shape (units,)."""
        both: NDArray[np.bool_] = np.all(self.labels[:, [one, other]] >= 0, axis=1)
        return both

    def pair(self, one: int, other: int, weight: Floats | None = None) -> Ratings:
        """What these two say of the units that both labelled."""
        shared = self.shared(one, other)
        return self._ratings(self.labels[shared][:, [one, other]], shared, weight)

    def _ratings(self, labels: Codes, units: NDArray[np.bool_], weight: Floats | None) -> Ratings:
        values = [value.value for value in self.question.values]
        return Ratings.of(
            labels,
            n_categories=len(values),
            category_names=[value.text for value in self.question.values],
            category_values=[float(value) for value in values] if self.question.diagnostic else None,
            weight=weight,
            cluster=self.tasks[units],
        )


def label_table(question: Question, rows: Sequence[Mapping[str, Any]]) -> LabelTable | None:
    """The answers to one question as arrays; None when no planned one is a label.

    Args:
        question: The question.
        rows: Answers to it and skips of its pass, with the times `day` and `minute`.
    """
    planned = [row for row in rows if row["purpose"] == "plan"]
    given = [row for row in planned if _code(row, question) >= 0]
    repeated = [row for row in rows if row["purpose"] == "repeat"]
    if not given:
        return None
    units = sorted({(row["item_id"], row["label"]) for row in given})
    who = sorted({row["person_id"] for row in planned})
    place = {unit: i for i, unit in enumerate(units)}
    column = {person: j for j, person in enumerate(who)}
    labels, first = np.full((len(units), len(who)), -1, dtype=np.int64), np.full(len(units), -1, dtype=np.int64)
    measured = {name: np.full(labels.shape, np.nan) for name in ("day", "minute", "active_seconds")}
    about = {}
    for row in given:
        i, j = place[row["item_id"], row["label"]], column[row["person_id"]]
        labels[i, j] = _code(row, question)
        about[i] = row
        if row["plan_order"] == 1:
            first[i] = j
        for name, values in measured.items():
            values[i, j] = np.nan if row[name] is None else row[name]
    unable, dealt, skipped = _work(planned, column)
    return LabelTable(
        question=question,
        people=tuple(who),
        items=tuple(item for item, _ in units),
        names=tuple(name for _, name in units),
        tasks=np.array([about[i]["task_id"] for i in range(len(units))]),
        contexts=np.array([about[i]["context_id"] or about[i]["item_id"] for i in range(len(units))]),
        labels=labels,
        first=first,
        days=measured["day"],
        minutes=measured["minute"],
        seconds=measured["active_seconds"],
        repeats=_repeats(question, repeated, labels, place, column),
        n_cannot_judge=unable,
        n_openings=dealt,
        n_skipped=skipped,
        n_dropped=_n_dropped(planned, units, labels),
    )


def _work(planned: Sequence[Mapping[str, Any]], column: Mapping[str, int]) -> tuple[Codes, Codes, Codes]:
    """Of each person: answers that are "cannot judge", openings dealt with, and of these the skipped ones."""
    unable, dealt, skipped = (np.zeros(len(column), dtype=np.int64) for _ in range(3))
    openings: dict[tuple[str, str], str] = {}
    for row in planned:
        unable[column[row["person_id"]]] += row["value"] == CANNOT_JUDGE and row["state"] != "skipped"
        if _is_dealt(row):
            openings[row["person_id"], row["item_id"]] = row["state"]
    for (person, _), state in openings.items():
        dealt[column[person]] += 1
        skipped[column[person]] += state == "skipped"
    return unable, dealt, skipped


def _is_dealt(row: Mapping[str, Any]) -> bool:
    return row["state"] in ("done", "skipped") or row["label"] is not None


def _repeats(
    question: Question,
    repeated: Sequence[Mapping[str, Any]],
    labels: Codes,
    place: Mapping[tuple[str, str], int],
    column: Mapping[str, int],
) -> Codes:
    """Hidden repeats beside what the same person said the first time."""
    rows = [
        (j, labels[i, j] if i is not None else -1, _code(row, question))
        for row in repeated
        if row["label"] is not None and (j := column.get(row["person_id"])) is not None
        for i in [place.get((row["item_id"], row["label"]))]
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _n_dropped(planned: Sequence[Mapping[str, Any]], units: Sequence[tuple[str, str]], labels: Codes) -> int:
    dealt: dict[str, set[str]] = defaultdict(set)
    for row in planned:
        if _is_dealt(row):
            dealt[row["item_id"]].add(row["person_id"])
    paired = {item for (item, _), n in zip(units, (labels >= 0).sum(axis=1), strict=True) if n > 1}
    return sum(len(who) > 1 and item not in paired for item, who in dealt.items())


def _code(row: Mapping[str, Any], question: Question) -> int:
    """The place of the answer among the rubric's values; -1 when it is none of them."""
    values = [value.value for value in question.values]
    usable = row["label"] is not None and row["state"] != "skipped" and row["value"] in values
    return values.index(row["value"]) if usable else -1
