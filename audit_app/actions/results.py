"""What the labels say: corrected metrics, the judge against people, and people against each other."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from agreement.confusion import JudgeAgreement, confusion
from agreement.ratings import Ratings
from agreement.result import Agreement
from audit_app.actions.labelled import Grounding, Labelled, find_judge, judged, labelled
from audit_app.actions.scope import Scope
from audit_app.actions.seal import Seal, read_seal
from data import frame as frames
from data.errors import StudyProblem
from data.records import CANNOT_JUDGE
from data.rubric import Question
from data.store import events, items
from data.store.connection import Store, open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.definitions import METRICS
from metrics.estimate import Estimate, Target
from metrics.table import slices_by, table

HEADLINE = ("Acc", "SES", "cSES", "ESD", "BAS")
"""The metrics of the first screen, in order."""

TAXONOMY = ("grounded-correct", "ungrounded-correct", "grounded-wrong", "ungrounded-wrong", "abstention", "ambiguous")

WHO: dict[Target, str] = {
    "A": "what one of these annotators would have said",
    "B": "the adjudicated or unanimous label",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsResult:
    """Every metric asked for, naive, human-only and corrected, and for whom it holds."""

    sample_id: str
    judge: str | None
    target: Target
    grounding: Grounding
    n_labelled: int
    n_drawn: int
    n_frame: int
    seal: Seal
    estimates: tuple[Estimate, ...]
    left_out: str | None
    """Which of the metrics asked for this study cannot have, and why; None when it has all."""

    @property
    def sentence(self) -> str:
        """For whom and for what the numbers hold."""
        judge = f"judge {self.judge}" if self.judge else "no judge"
        return (
            f"Corrected to {WHO[self.target]} (target {self.target}), for these {self.n_frame} "
            f"responses; {self.n_labelled} of {self.n_drawn} drawn responses are labelled; {judge}."
        )


def metrics(
    study: Study,
    *,
    sample_id: str | None = None,
    judge: str | None = None,
    by: Sequence[str] = (),
    names: Sequence[str] = HEADLINE,
    target: Target = "A",
    grounding: Grounding = "strict",
    level: float = 0.95,
    floor: int = FLOOR,
) -> MetricsResult:
    """The metrics of a study as people would have scored it.

    Metrics whose labels the study cannot have are left out, and named. While results are sealed, values are withheld
    and only the widths of intervals are given.

    Raises:
        StudyProblem: Nothing is drawn or imported, or a name is unknown.
    """
    _known(by, frames.SLICES, "slice column")
    _known(names, tuple(METRICS), "metric")
    frame = frames.open_frame(study)
    who = find_judge(frame, judge)
    with open_store(study) as store:
        rows = labelled(study, store, frame, sample_id=sample_id, judge=who, target=target, grounding=grounding)
        seal = read_seal(store)
        n_drawn = len(items.draws(store, rows.sample["sample_id"], "response"))
    population = judged(frame, who, list(by))
    scope = Scope.of(study, rows.human)
    estimates = table(
        population,
        rows.rows(),
        metrics=[METRICS[name] for name in names if scope.allows(name)],
        slices=[{}, *slices_by(population, by)] if by else [{}],
        target=target,
        level=level,
        floor=floor,
    )
    return MetricsResult(
        sample_id=rows.sample["sample_id"],
        judge=who,
        target=target,
        grounding=grounding,
        n_labelled=len(rows.draws),
        n_drawn=n_drawn,
        n_frame=int(population.count.sum()),
        seal=seal,
        estimates=tuple(estimates if seal.is_open else map(_sealed, estimates)),
        left_out=scope.left_out(names),
    )


def _known(given: Sequence[str], allowed: Sequence[str], what: str) -> None:
    unknown = [name for name in given if name not in allowed]
    if unknown:
        raise StudyProblem(f"unknown {what} {unknown[0]!r}; expected some of {', '.join(allowed)}")


def _sealed(estimate: Estimate) -> Estimate:
    """The same estimate without its place: how wide it is may be known, where it lies may not."""
    if estimate.tier == "refused":
        # How many labels count in a denominator is itself a result.
        reason = "sealed; too few labels for a number so far"
    elif estimate.value is None or estimate.low is None or estimate.high is None:
        reason = "sealed until the planned labels are in"
    else:
        reason = f"sealed; the interval is {100 * (estimate.high - estimate.low):.1f} points wide"
    return replace(estimate, value=None, low=None, high=None, n_effective=None, why_undefined=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheck:
    """One judge against people, label by label."""

    sample_id: str
    judge: str
    target: Target
    seal: Seal
    n_frame: int
    labels: dict[str, JudgeAgreement]

    @property
    def sentence(self) -> str:
        """What is compared."""
        who = "the first planned annotator" if self.target == "A" else "the adjudicated label"
        scope = "weighted to all responses"
        if all(found.n + found.n_dropped == self.n_frame for found in self.labels.values()):
            scope = "exact for these responses, as all of them are labelled"
        return f"Judge {self.judge} against {who} (target {self.target}), {scope}."


def judge_check(
    study: Study,
    *,
    sample_id: str | None = None,
    judge: str | None = None,
    target: Target = "A",
    grounding: Grounding = "strict",
    level: float = 0.95,
) -> JudgeCheck:
    """How a judge's labels stand to people's: sensitivity, specificity and their kin, weighted by the design.

    Raises:
        StudyProblem: Nothing is drawn, there is no judge, or results are sealed.
    """
    frame = frames.open_frame(study)
    who = find_judge(frame, judge)
    if who is None:
        raise StudyProblem("no verdicts are imported; bring them in with `evidence-audit import verdicts FILE`")
    with open_store(study) as store:
        rows = labelled(study, store, frame, sample_id=sample_id, judge=who, target=target, grounding=grounding)
        seal = _opened(store)
    n_frame = int(judged(frame, who, []).count.sum())
    return JudgeCheck(
        sample_id=rows.sample["sample_id"],
        judge=who,
        target=target,
        seal=seal,
        n_frame=n_frame,
        labels={name: _confusion(rows, name, level, n_frame) for name in Scope.of(study, rows.human).labels},
    )


def _opened(store: Store) -> Seal:
    seal = read_seal(store)
    if not seal.is_open:
        raise StudyProblem(seal.sentence)
    return seal


def _confusion(rows: Labelled, name: str, level: float, n_frame: int) -> JudgeAgreement:
    human, judge = rows.human[name], rows.judge[name]
    usable = ~np.isnan(human)
    design = rows.design(usable)
    both = usable & ~np.isnan(judge)
    found = confusion(
        human[usable].astype(int),
        np.where(np.isnan(judge), -1, judge)[usable].astype(int),
        weights=design.weight,
        variance=design.variance,
        degrees_of_freedom=design.degrees_of_freedom(both[usable]),
        level=level,
    )
    return _exact(found) if usable.sum() == n_frame else found


def _exact(found: JudgeAgreement) -> JudgeAgreement:
    """The figures of a study in which every response is labelled: nothing was sampled, so nothing is uncertain."""
    figures = {name: getattr(found, name) for name in JudgeAgreement.__dataclass_fields__}
    exact: dict[str, Any] = {
        name: replace(figure, low=figure.value, high=figure.value, se=0.0)
        for name, figure in figures.items()
        if isinstance(figure, Agreement) and figure.value is not None
    }
    return replace(found, **exact)


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
        seal = _opened(store)
        rows = []
        for kind in ("response", "context"):
            drawn = {draw["item_id"] for draw in items.draws(store, sample["sample_id"], kind)}
            rows += [row for row in events.answers(store, kind) if row["item_id"] in drawn]
    found = []
    for question in study.rubric.questions:
        if question.kind == "choice":
            result = _label_agreement(question, [row for row in rows if _belongs(row, question)], level, seed)
            found += [result] if result else []
    return AgreementResult(seal=seal, labels=tuple(found))


def _belongs(row: dict[str, Any], question: Question) -> bool:
    """Whether a row is a planned answer to this question, or a skip of the pass in which it is asked."""
    if row["purpose"] != "plan" or row["item_kind"] != question.item_kind or row["pass"] != question.pass_:
        return False
    return row["label"] is None or row["label"].split(".")[0] == question.name


def _label_agreement(question: Question, rows: list[dict[str, Any]], level: float, seed: int) -> LabelAgreement | None:
    values = [value.value for value in question.values]
    by_unit: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    task = {}
    dealt: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["state"] in ("done", "skipped") or row["label"] is not None:
            dealt[row["item_id"]].add(row["person_id"])
        if row["label"] is not None and row["state"] != "skipped" and row["value"] in values:
            by_unit[row["item_id"], row["label"]][row["person_id"]] = row["value"]
            task[row["item_id"], row["label"]] = row["task_id"]
    units = sorted(unit for unit, said in by_unit.items() if len(said) > 1)
    if not units:
        return None
    used = {item for item, _ in units}
    people = sorted({person for unit in units for person in by_unit[unit]})
    labels = np.full((len(units), len(people)), -1, dtype=np.int64)
    for i, unit in enumerate(units):
        for person, value in by_unit[unit].items():
            labels[i, people.index(person)] = values.index(value)
    names = [value.text for value in question.values]
    ratings = Ratings.of(
        labels, n_categories=len(values), category_names=names, cluster=np.array([task[unit] for unit in units])
    )
    ordinal = question.diagnostic

    def alpha(given: Ratings) -> Agreement:
        return krippendorff_alpha(given, level="ordinal" if ordinal else "nominal", confidence=level, seed=seed)

    statistics: list[Callable[[Ratings], Agreement]] = [
        lambda given: percent_agreement(given, confidence=level, seed=seed),
        alpha,
        lambda given: gwet_ac1(given, confidence=level, seed=seed),
    ]
    return LabelAgreement(
        label=question.name,
        title=question.title,
        n_items=len(units),
        n_dropped=sum(len(people) > 1 and item not in used for item, people in dealt.items()),
        n_cannot_judge=sum(row["value"] == CANNOT_JUDGE for row in rows),
        prevalence={name: int((labels == k).sum()) for k, name in enumerate(names)},
        coefficients=tuple(statistic(ratings) for statistic in statistics),
        pairs=_pairs(labels, people, task_of=[task[unit] for unit in units], names=names, level=level, seed=seed),
    )


def _pairs(
    labels: Any, people: list[str], *, task_of: list[str], names: list[str], level: float, seed: int
) -> tuple[dict[str, Any], ...]:
    """Cohen's kappa of every two people, on the items that both labelled."""
    found = []
    for one, other in combinations(range(len(people)), 2):
        both = labels[:, [one, other]]
        shared = (both >= 0).all(axis=1)
        if shared.sum() < 2:
            continue
        ratings = Ratings.of(
            both[shared], n_categories=len(names), category_names=names, cluster=np.array(task_of)[shared]
        )
        kappa = cohen_kappa(ratings, confidence=level, seed=seed)
        found.append({"people": (people[one], people[other]), "kappa": kappa})
    return tuple(found)
