"""People against each other, on the items that two of them labelled."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from agreement.ratings import Ratings
from agreement.result import Agreement
from audit_app.actions.seal import Seal, require_open
from data.records import CANNOT_JUDGE
from data.rubric import Question
from data.store import events, items, people
from data.store.connection import open_store
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement:
    """How well people agree on one label."""

    label: str
    title: str
    n_items: int
    """Items (for per-passage labels, passages) with labels of two people or more."""
    n_dropped: int
    """Items that two people dealt with, but at least one of them left blank, skipped or could not judge."""
    n_cannot_judge: int
    prevalence: dict[str, int]
    """How often each value was given on those items."""
    coefficients: tuple[Agreement, ...]
    pairs: tuple[dict[str, Any], ...]
    """Per pair of people who share items: who, Cohen's kappa."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResult:
    """People against each other, on the items that two of them labelled."""

    seal: Seal
    labels: tuple[LabelAgreement, ...]
    names: dict[str, str]
    """Display names of everybody in the comparison, by person_id."""
    sentence: str = (
        "Only planned labels count; blanks, skips and “cannot judge” are not labels and are dropped pairwise."
    )


def agreement(study: Study, *, sample_id: str | None = None, level: float = 0.95, seed: int = 1) -> AgreementResult:
    """Agreement between people on every label of the rubric that two people gave to the same items of a sample.

    Raises:
        StudyProblem: Nothing is drawn, or results are sealed.
    """
    with open_store(study) as store:
        sample = items.find_sample(store, sample_id)
        seal = require_open(store)
        rows = []
        for kind in ("response", "context"):
            drawn = {draw["item_id"] for draw in items.draws(store, sample["sample_id"], kind)}
            rows += [row for row in events.answers(store, kind) if row["item_id"] in drawn]
        planned = {row["person_id"] for row in rows if row["purpose"] == "plan"}
        names = {p.person_id: p.display_name for p in people.everyone(store) if p.person_id in planned}
    found = []
    for question in study.rubric.questions:
        if question.kind == "choice":
            result = _label_agreement(question, [row for row in rows if _belongs(row, question)], level, seed)
            found += [result] if result else []
    return AgreementResult(seal=seal, labels=tuple(found), names=names)


def _belongs(row: dict[str, Any], question: Question) -> bool:
    """Whether a row is a planned answer to this question, or a skip of the pass in which it is asked."""
    if row["purpose"] != "plan" or row["item_kind"] != question.item_kind or row["pass"] != question.pass_:
        return False
    return row["label"] is None or row["label"].split(".")[0] == question.name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Who said what of which item: codes of the rubric's values, -1 where somebody did not label."""

    people: list[str]
    labels: NDArray[np.int64]
    """Shape (units, people)."""
    tasks: list[str]
    n_dropped: int


def _table(rows: list[dict[str, Any]], values: list[str]) -> _Table | None:
    """The items that two people or more labelled; None when there are none."""
    by_unit: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    dealt: dict[str, set[str]] = defaultdict(set)
    task = {}
    for row in rows:
        if row["state"] in ("done", "skipped") or row["label"] is not None:
            dealt[row["item_id"]].add(row["person_id"])
        if row["label"] is not None and row["state"] != "skipped" and row["value"] in values:
            by_unit[row["item_id"], row["label"]][row["person_id"]] = row["value"]
            task[row["item_id"], row["label"]] = row["task_id"]
    units = sorted(unit for unit, said in by_unit.items() if len(said) > 1)
    people = sorted({person for unit in units for person in by_unit[unit]})
    labels = np.full((len(units), len(people)), -1, dtype=np.int64)
    for i, unit in enumerate(units):
        for person, value in by_unit[unit].items():
            labels[i, people.index(person)] = values.index(value)
    used = {item for item, _ in units}
    n_dropped = sum(len(who) > 1 and item not in used for item, who in dealt.items())
    return _Table(people=people, labels=labels, tasks=[task[u] for u in units], n_dropped=n_dropped) if units else None


def _label_agreement(question: Question, rows: list[dict[str, Any]], level: float, seed: int) -> LabelAgreement | None:
    table = _table(rows, [value.value for value in question.values])
    if table is None:
        return None
    names = [value.text for value in question.values]
    ratings = Ratings.of(table.labels, n_categories=len(names), category_names=names, cluster=np.array(table.tasks))
    scale: Literal["ordinal", "nominal"] = "ordinal" if question.diagnostic else "nominal"
    return LabelAgreement(
        label=question.name,
        title=question.title,
        n_items=len(table.tasks),
        n_dropped=table.n_dropped,
        n_cannot_judge=sum(row["value"] == CANNOT_JUDGE for row in rows),
        prevalence={name: int((table.labels == k).sum()) for k, name in enumerate(names)},
        coefficients=(
            percent_agreement(ratings, confidence=level, seed=seed),
            krippendorff_alpha(ratings, level=scale, confidence=level, seed=seed),
            gwet_ac1(ratings, confidence=level, seed=seed),
        ),
        pairs=_pairs(table, names=names, level=level, seed=seed),
    )


def _pairs(table: _Table, *, names: list[str], level: float, seed: int) -> tuple[dict[str, Any], ...]:
    """Cohen's kappa of every two people, on the items that both labelled."""
    found = []
    people, labels, tasks = table.people, table.labels, np.array(table.tasks)
    for one, other in combinations(range(len(people)), 2):
        both = labels[:, [one, other]]
        shared = (both >= 0).all(axis=1)
        if shared.sum() < 2:
            continue
        ratings = Ratings.of(both[shared], n_categories=len(names), category_names=names, cluster=tasks[shared])
        kappa = cohen_kappa(ratings, confidence=level, seed=seed)
        found.append({"people": (people[one], people[other]), "kappa": kappa})
    return tuple(found)
