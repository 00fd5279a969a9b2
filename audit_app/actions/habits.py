"""What each annotator is like: with the others, with themselves, over time, how fast, and how much it matters."""

from dataclasses import dataclass

import numpy as np

from agreement.annotator_variance import AnnotatorVariance, annotator_variance
from agreement.annotators import Annotator, annotators
from audit_app.actions.label_table import LabelTable
from audit_app.actions.planned import Planned, read_planned
from audit_app.actions.seal import Seal
from audit_app.language import mark
from data.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """One annotator on one label."""

    person_id: str
    figures: Annotator
    n_cannot_judge: int
    cannot_judge_rate: float | None
    """Share of this annotator's answers that are "cannot judge"; None when there is no answer."""
    n_skipped: int
    skip_rate: float | None
    """Share of the openings dealt with that were skipped; None when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelHabits:
    """Everybody on one label."""

    label: str
    title: str
    yes: str
    """The value that bias counts."""
    annotators: tuple[Habits, ...]
    variance: AnnotatorVariance
    """How much the label of an item depends on which annotator it happened to get (target A)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HabitsResult:
    """Everybody on every label."""

    seal: Seal
    labels: tuple[LabelHabits, ...]
    names: dict[str, str]
    """Display names by person_id."""
    sentence: str = mark(
        "Each annotator against the others, on items that several labelled. Bias is how much "
        "more often somebody says yes than the others do on the same items. Hidden repeats are "
        "for self-consistency alone."
    )


def annotator_habits(study: Study, *, sample_id: str | None = None, level: float = 0.95) -> HabitsResult:
    """What each annotator of the plan is like, label by label.

    Raises:
        StudyProblem: Nothing is drawn, or results are sealed.
    """
    planned = read_planned(study, sample_id)
    tables = [table for question in planned.questions if (table := planned.table(question))]
    return HabitsResult(
        seal=planned.seal, labels=tuple(_habits(planned, table, level) for table in tables), names=planned.names
    )


def _habits(planned: Planned, table: LabelTable, level: float) -> LabelHabits:
    figures = annotators(
        table.everybody(),
        yes=table.yes,
        day=table.days,
        minute=table.minutes,
        seconds=table.seconds,
        repeats=table.repeats,
        level=level,
    )
    return LabelHabits(
        label=table.question.name,
        title=table.question.title,
        yes=table.question.values[table.yes].text,
        annotators=tuple(_one(table, found) for found in figures),
        variance=_variance(planned, table, level),
    )


def _one(table: LabelTable, figures: Annotator) -> Habits:
    j = figures.rater
    unable, dealt, skipped = (int(n[j]) for n in (table.n_cannot_judge, table.n_openings, table.n_skipped))
    answers = figures.n_labels + unable
    return Habits(
        person_id=table.people[j],
        figures=figures,
        n_cannot_judge=unable,
        cannot_judge_rate=unable / answers if answers else None,
        n_skipped=skipped,
        skip_rate=skipped / dealt if dealt else None,
    )


def _variance(planned: Planned, table: LabelTable, level: float) -> AnnotatorVariance:
    """Of the labels by the first of the plan: contexts went to annotators as a whole, at random within strata."""
    there = table.first >= 0
    who = table.first[there]
    said = table.labels[there, who]
    outcome = said if table.question.diagnostic else said == table.yes
    # A context that two annotators shared counts as one of each.
    cluster = [f"{context}\x1f{j}" for context, j in zip(table.contexts[there], who, strict=True)]
    # In a linked draw whole contexts were assigned, within the strata of contexts.
    linked, kind = bool(planned.sample["linked"]), table.question.item_kind
    strata = {draw["item_id"]: draw["stratum"] for draw in planned.draws["context" if linked else kind]}
    places = table.contexts if linked else np.array(table.items)
    stratum = [strata[place] for place in places[there]]
    return annotator_variance(outcome.astype(np.float64), who, cluster=cluster, stratum=stratum, level=level)
