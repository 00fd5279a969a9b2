"""People against each other, on the items that two of them labelled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from agreement.kappas import brennan_prediger, conger_kappa, fleiss_kappa, fleiss_kappa_by_category, gwet_ac2
from agreement.precision import PrecisionOptions
from agreement.prevalence import prevalence
from agreement.ratings import Ratings
from agreement.result import Agreement
from audit_app.actions.decisions import LabelDecisions, decisions
from audit_app.actions.label_table import LabelTable
from audit_app.actions.overlap_design import OverlapDesign
from audit_app.actions.planned import Planned, read_planned
from audit_app.actions.seal import Seal
from audit_app.language import _, mark
from data.questions import Question
from data.store.connection import open_store
from data.study import Study

Coefficient = Callable[..., Agreement]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement:
    """How well people agree on one label, of all items or of those in one slice."""

    label: str
    title: str
    slice: dict[str, str]
    """The slice columns and their values; empty for all items."""
    n_items: int
    """Items (for per-passage labels, passages) with labels of two people or more."""
    n_dropped: int
    """Items that two people dealt with, but at least one of them left blank, skipped or could not judge."""
    n_cannot_judge: int
    cannot_judge_rate: float | None
    """Share of all planned answers to this label that are "cannot judge"; None when there is no answer."""
    prevalence: dict[str, int]
    """How often each value was given on those items."""
    coefficients: tuple[Agreement, ...]
    shares: tuple[Agreement, ...]
    """Share of each value among the labels of an item, averaged over items, where every coefficient was asked for."""
    pairs: tuple[dict[str, Any], ...]
    """Per pair of people who share items: who, Cohen's kappa; of all items only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResult:
    """People against each other, on the items that two of them labelled."""

    seal: Seal
    weighted: bool
    """Whether every item counts as much as it stands for in the population."""
    labels: tuple[LabelAgreement, ...]
    decisions: tuple[LabelDecisions, ...]
    """What adjudication came to; it changes none of the coefficients."""
    names: dict[str, str]
    """Display names of everybody in the comparison, by person_id."""
    sentence: str


SENTENCE = mark("Only planned labels count; blanks, skips and “cannot judge” are not labels and are dropped pairwise.")
DECIDED = mark("Adjudication changes none of these figures: what was decided stands beside them.")
UNWEIGHTED = mark("Unweighted: each of these items counts the same.")
WEIGHTED = mark(
    "Weighted by the design: what two of these people would agree on, had they labelled the "
    "whole population; intervals are the design's."
)


def agreement(
    study: Study,
    *,
    sample_id: str | None = None,
    by: Sequence[str] = (),
    every: bool = False,
    weighted: bool = False,
    level: float = 0.95,
    seed: int = 1,
) -> AgreementResult:
    """Agreement between people on every label of the rubric that two people gave to the same items of a sample.

    Args:
        study: The study.
        sample_id: Which sample; the newest by default.
        by: Slice columns; each of their crossings comes after all items.
        every: All coefficients instead of the three that are enough for most.
        weighted: Weigh items by the design, for the population instead of for the items that two people labelled.
        level: Confidence level of the intervals.
        seed: Of the bootstrap.

    Raises:
        StudyProblem: Nothing is drawn, results are sealed, or a slice column is unknown.
    """
    planned = read_planned(study, sample_id)
    slices = [{}, *planned.slices(by)]
    with open_store(study) as store:
        decided = decisions(store, study, planned.sample["sample_id"])
    measure = _Measure(every=every, weighted=weighted, level=level, seed=seed)
    found = [measure.label(planned, question, within) for within in slices for question in planned.questions]
    return AgreementResult(
        seal=planned.seal,
        weighted=weighted,
        labels=tuple(label for label in found if label),
        decisions=decided,
        names=planned.names,
        sentence=" ".join(
            [
                _(SENTENCE),
                _(WEIGHTED if weighted else UNWEIGHTED),
                _("{level:g} % intervals.").format(level=100 * level),
                *([_(DECIDED)] if decided else []),
            ]
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measure:
    """What is asked of every label."""

    every: bool
    weighted: bool
    level: float
    seed: int

    def label(self, planned: Planned, question: Question, within: dict[str, str]) -> LabelAgreement | None:
        table = planned.table(question, within)
        if table is None or not table.paired.any():
            return None
        weight, how = self._weights(table, table.paired, planned.overlap(question) if self.weighted else None)
        ratings = table.ratings(table.paired, weight)
        return LabelAgreement(
            label=question.name,
            title=question.title,
            slice=within,
            n_items=len(ratings.labels),
            n_dropped=table.n_dropped,
            n_cannot_judge=int(table.n_cannot_judge.sum()),
            cannot_judge_rate=table.cannot_judge_rate,
            prevalence={name: int((ratings.labels == k).sum()) for k, name in enumerate(ratings.category_names)},
            coefficients=tuple(self._coefficients(question, ratings, how)),
            shares=prevalence(ratings, **how) if self.every else (),
            pairs=() if within else tuple(self._pairs(planned, table)),
        )

    def _weights(
        self, table: LabelTable, units: NDArray[np.bool_], overlap: OverlapDesign | None
    ) -> tuple[Floats | None, PrecisionOptions]:
        """What some units stand for, None for the same each, and how intervals are worked out."""
        how: PrecisionOptions = {"confidence": self.level, "seed": self.seed}
        if overlap is None:
            return None, how
        items = np.array(table.items)[units].tolist()
        how |= {
            "census": overlap.census,
            "variance": overlap.variance(items),
            "degrees_of_freedom": overlap.degrees_of_freedom(items),
        }
        return overlap.weight(items), how

    def _coefficients(self, question: Question, ratings: Ratings, how: PrecisionOptions) -> Iterator[Agreement]:
        for coefficient in _every(question) if self.every else _plain(question):
            yield coefficient(ratings, **how)
        if self.every and not question.diagnostic and ratings.n_categories > 2:
            yield from fleiss_kappa_by_category(ratings, **how)

    def _pairs(self, planned: Planned, table: LabelTable) -> Iterator[dict[str, Any]]:
        """Cohen's kappa of every two people, on the items that both labelled; weighted, these stand for all items."""
        for one, other in combinations(range(len(table.people)), 2):
            shared = table.shared(one, other)
            if np.sum(shared) < 2:
                continue
            items = np.array(table.items)[shared].tolist()
            overlap = planned.overlap(table.question, items) if self.weighted else None
            weight, how = self._weights(table, shared, overlap)
            kappa = partial(cohen_kappa, table.pair(one, other, weight), **how)
            pair = {"people": (table.people[one], table.people[other]), "kappa": kappa()}
            if self.every and table.question.diagnostic:
                pair["weighted_kappa"] = kappa(weights="quadratic")
            yield pair


def _plain(question: Question) -> tuple[Coefficient, ...]:
    """The three that are enough: raw, corrected for chance, corrected where one value dominates."""
    alpha = partial(krippendorff_alpha, level="ordinal" if question.diagnostic else "nominal")
    return percent_agreement, alpha, gwet_ac1


def _every(question: Question) -> tuple[Coefficient, ...]:
    """All coefficients that make sense on the scale of a label; near misses count in part where values are ordered."""
    if not question.diagnostic:
        return *_plain(question), fleiss_kappa, conger_kappa, brennan_prediger
    alphas = [partial(krippendorff_alpha, level=level) for level in ("interval", "ratio")]
    weighted = [
        partial(kappa, weights=weights)
        for kappa in (gwet_ac2, fleiss_kappa, conger_kappa, brennan_prediger)
        for weights in ("linear", "quadratic")
    ]
    return *_plain(question), *alphas, *weighted
