"""A judge against people, label by label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from agreement.ceiling import HumanCeiling
from agreement.confusion import JudgeAgreement, confusion
from audit_app.actions.alternative import EPSILON, LabelContest, alternative
from audit_app.actions.beside_people import BesidePeople, beside_people
from audit_app.actions.graded import GradedAgreement, graded
from audit_app.actions.judge_disagreements import Disagreement, disagreements
from audit_app.actions.judged import judged
from audit_app.actions.labelled import WARRANT, Grounding, Labelled, labelled
from audit_app.actions.planned import Planned, read_planned
from audit_app.actions.registration import judge_of
from audit_app.actions.scope import Scope
from audit_app.actions.seal import Seal, read_seal, require_open, require_results
from audit_app.actions.split import OfTask, Split, Tuned, tasks_of, tuned
from audit_app.actions.trust import RULE, Verdict, verdict_sentence, verdicts
from audit_app.language import _, joined
from data import frame as frames
from data.errors import StudyProblem
from data.records import DIAGNOSTICS, LABELS
from data.store.connection import open_store
from data.study import Study
from metrics.estimate import Target
from metrics.rows import JudgedRows
from metrics.rows import inside as where

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSlice:
    """A judge against people on one slice, or on everything."""

    slice: dict[str, str]
    labels: dict[str, JudgeAgreement]
    diagnostics: dict[str, GradedAgreement]
    """Where both people and the judge gave any."""
    ceilings: dict[str, HumanCeiling]
    """By label or diagnostic that two people gave to the same item: what they reach with each other."""
    verdicts: tuple[Verdict, ...]
    """May the judge's labels be taken as they are here? Label by label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheck(JudgeSlice):
    """One judge against people, label by label: on everything, and on the slices that were asked for."""

    sample_id: str
    judge: str
    target: Target
    grounding: Grounding
    level: float
    seal: Seal
    n_frame: int
    slices: tuple[JudgeSlice, ...]
    alternative: tuple[LabelContest, ...]
    """Whether the judge may stand in for an annotator, by label; refused where too few people labelled the same."""
    names: dict[str, str]
    """Display names of the annotators, by person_id."""
    undecided: str | None
    """For target B: what the figures rest on while decisions are missing."""
    split: Split | None = None
    """Which part of the tasks this is about; None for all."""
    disagreements: tuple[Disagreement, ...] = ()
    """Where people and the judge say different things; listed for a part of the tasks only."""
    tuned: Mapping[str, str] = field(default_factory=dict)
    """Labels whose prompt was first used after results were opened, and when: they are not validated by this audit."""
    n_verdicts: int = 0
    """Imported ones, where it was not run here."""
    n_undated: int = 0
    """Those of which nobody knows when their prompt was first used."""

    @property
    def sentence(self) -> str:
        """What is compared."""
        who = _("the first planned annotator") if self.target == "A" else _("the adjudicated label")
        scope = _("weighted to all responses")
        if self.split:
            scope = _("weighted to all responses of the {part} tasks").format(part=self.split)
        if all(found.n + found.n_dropped == self.n_frame for found in self.labels.values()):
            scope = _("exact for these responses, as all of them are labelled")
        read = ""
        if self.grounding == "lenient" and "G" in self.labels:
            read = _(" People's G is read leniently; the judge has one reading of G only, taken as it is.")
        return _("Judge {judge} against {who} (target {target}), {scope}; {level:g} % intervals.{read}").format(
            judge=self.judge, who=who, target=self.target, scope=scope, level=100 * self.level, read=read
        )

    @property
    def tuned_sentence(self) -> str | None:
        """That a prompt may have been tuned on what it is checked against, if that is so."""
        if not self.tuned:
            return None
        return _(
            "Tuned on the audit: {labels}. The prompts of these labels were first used after results were opened (on "
            "{day}), so these figures do not validate them; improve prompts on dev tasks (`judge check --split dev`) "
            "before results are opened."
        ).format(labels=joined(self.tuned), day=max(self.tuned.values())[:10])

    @property
    def undated_sentence(self) -> str | None:
        """That it cannot be told whether prompts were tuned, if that is so."""
        if not self.n_undated:
            return None
        return _(
            "It is not known when {n} of the {all} verdicts of judge {judge} were given, nor when their prompt was "
            "first used, so whether it was tuned on the audit cannot be told. Verdicts can say so in a field "
            "created_at."
        ).format(n=self.n_undated, all=self.n_verdicts, judge=self.judge)

    @property
    def answer(self) -> str:
        """Which labels may be trusted, which not, and of which that cannot be told."""
        counted = {name: found.n for name, found in self.labels.items()}
        return verdict_sentence(self.judge, self.verdicts, counted, self.n_frame)

    @property
    def verdict(self) -> str:
        """The answer and the rule that it follows."""
        return f"{self.answer} ({_(RULE)})"


def judge_check(
    study: Study,
    *,
    sample_id: str | None = None,
    judge: str | None = None,
    target: Target = "A",
    grounding: Grounding = "strict",
    by: Sequence[str] = (),
    epsilon: float = EPSILON,
    level: float = 0.95,
    split: Split | None = None,
) -> JudgeCheck:
    """How a judge's labels stand to people's: sensitivity, specificity and their kin, weighted by the design.

    Args:
        study: The study.
        sample_id: Which sample; the newest by default.
        judge: Which judge; by default the registered one, else the one with the most verdicts.
        target: Which human label of an item is the right one.
        grounding: Which decision values of G count as grounded.
        by: Slice columns; the crossings that occur among the labelled responses are compared too.
        epsilon: Allowance for the judge in the alternative-annotator test, in [0, 1).
        level: Confidence level of the intervals.
        split: Only these tasks, with every disagreement listed. Those of dev are there for tuning a judge, and never
            sealed.

    Raises:
        StudyProblem: Nothing is drawn, there is no judge, results are sealed, a slice column is unknown, or no tasks
            were set aside.
    """
    require_results(study)
    frame = frames.open_frame(study)
    who = judge_of(study, frame, judge)
    if who is None:
        raise StudyProblem(_("no verdicts are imported; bring them in with `evidence-audit import verdicts FILE`"))
    with open_store(study) as store:
        rows = labelled(study, store, frame, sample_id=sample_id, judge=who, target=target, grounding=grounding)
        mine = tasks_of(rows.sample, split)
        seal = read_seal(store) if split == "dev" else require_open(store)
        rows, undecided = _decided(rows) if target == "B" else (rows, None)
        inside = np.array([mine(task) for task in rows.columns["task_id"]], dtype=bool)
        labels = Scope.of(study, rows.human).labels
        prompts = Tuned() if split == "dev" else tuned(store, frame, who, seal, labels)
        apart = disagreements(study, store, rows, who, labels, inside, target) if split else []
    planned = read_planned(study, sample_id, split)
    places = planned.slices(by, "response")
    measure = _Measure(
        study=study,
        rows=rows,
        beside=_beside(study, planned, frame, who, grounding),
        labels=labels,
        inside=inside,
        frame=_of_tasks(judged(frame, who, [*by, "task_id"]), mine) if split else judged(frame, who, list(by)),
        n_population=sum(rows.stratum_size.values()),
        level=level,
    )
    overall = measure.slice({})
    return JudgeCheck(
        sample_id=rows.sample["sample_id"],
        judge=who,
        target=target,
        grounding=grounding,
        level=level,
        seal=seal,
        n_frame=measure.n_frame,
        **{name: getattr(overall, name) for name in JudgeSlice.__dataclass_fields__},
        slices=tuple(measure.slice(within) for within in places),
        alternative=alternative(list(measure.beside.values()), planned.names, epsilon=epsilon, level=level),
        names=planned.names,
        undecided=undecided,
        split=split,
        disagreements=tuple(apart),
        tuned=prompts.labels,
        n_verdicts=prompts.n,
        n_undated=prompts.n_undated,
    )


def _of_tasks(frame: JudgedRows, mine: OfTask) -> JudgedRows:
    """The groups of the frame that are of these tasks."""
    kept = np.array([mine(task) for task in frame.columns["task_id"]], dtype=bool)
    return JudgedRows(
        columns={name: [value for value, keep in zip(values, kept, strict=True) if keep]
                 for name, values in frame.columns.items()},
        code=frame.code[kept],
        count=frame.count[kept],
    )  # fmt: skip


def _decided(rows: Labelled) -> tuple[Labelled, str | None]:
    """Of each label what comes before its first undecided response; leaving out only what is hard would bias all."""
    kept = {name: rows.settled([name]) for name in rows.human if name != WARRANT}
    human = {name: np.where(kept.get(name, True), values, np.nan) for name, values in rows.human.items()}
    said = [f"{name} {int(kept[name].sum())}" for name in LABELS if not kept[name].all()]
    why = _(
        "Not all is decided: each label rests on the first of the {n_order} responses of the "
        "overlap, up to the first undecided one, so that what is hard is not left out ({said}). "
        "Import the adjudicated labels (purpose = adjudication) to use the rest."
    ).format(n_order=len(rows.overlap.order), said=joined(said))
    return replace(rows, human=human), why if said else None


def _beside(
    study: Study, planned: Planned, frame: frames.Frame, judge: str, grounding: Grounding
) -> dict[str, BesidePeople]:
    """The labels and diagnostics that people and the judge both gave."""
    found = {
        question.name: beside_people(planned, frame, question, judge=judge, grounding=grounding)
        for question in study.rubric.questions
        if question.name in frames.LABEL_COLUMNS
    }
    return {name: both for name, both in found.items() if both and (both.judge >= 0).any()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Measure:
    """What is compared in every slice."""

    study: Study
    rows: Labelled
    beside: dict[str, BesidePeople]
    labels: tuple[str, ...]
    inside: Flags
    """Rows of the tasks that this is about; the others keep their place in the design and score nothing."""
    frame: JudgedRows
    """All responses of these tasks, counted by the columns of the slices."""
    n_population: int
    """All responses, of whatever tasks."""
    level: float

    @property
    def n_frame(self) -> int:
        return int(self.frame.count.sum())

    def slice(self, within: dict[str, str]) -> JudgeSlice:
        inside = self.inside.copy()
        for name, value in within.items():
            inside &= np.array(self.rows.columns[name], dtype=str) == value
        labels = {name: self._confusion(name, inside) for name in self.labels}
        ceilings = {name: both.ceiling(within, self.level) for name, both in self.beside.items()}
        here = where(self.frame.columns, within, self.frame.code)
        return JudgeSlice(
            slice=within,
            labels=labels,
            diagnostics={
                name: graded(
                    self.rows, name, both.categories, inside, census=len(inside) == self.n_population, level=self.level
                )
                for name, both in self.beside.items()
                if name in DIAGNOSTICS
            },
            ceilings=ceilings,
            verdicts=verdicts(labels, ceilings, int(self.frame.count[here].sum())),
        )

    def _confusion(self, name: str, inside: Flags) -> JudgeAgreement:
        """A slice is a domain: rows outside keep their place in the design and score nothing."""
        human, judge = self.rows.human[name], self.rows.judge[name]
        usable = ~np.isnan(human)
        design = self.rows.design(usable)
        both = usable & ~np.isnan(judge)
        return confusion(
            human[usable].astype(int),
            np.where(np.isnan(judge), -1, judge)[usable].astype(int),
            weights=design.weight,
            variance=design.variance,
            degrees_of_freedom=design.degrees_of_freedom((both & inside)[usable]),
            rows=inside[usable],
            census=int((usable & self.inside).sum()) == self.n_frame,
            level=self.level,
        )
