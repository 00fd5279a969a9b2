"""A judge against people, label by label."""

from dataclasses import dataclass

import numpy as np

from agreement.confusion import JudgeAgreement, confusion
from audit_app.actions.labelled import Grounding, Labelled, find_judge, judged, labelled
from audit_app.actions.scope import Scope
from audit_app.actions.seal import Seal, require_open
from data import frame as frames
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study
from metrics.estimate import Target


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
        seal = require_open(store)
        rows.require_decisions()
    n_frame = int(judged(frame, who, []).count.sum())
    return JudgeCheck(
        sample_id=rows.sample["sample_id"],
        judge=who,
        target=target,
        seal=seal,
        n_frame=n_frame,
        labels={name: _confusion(rows, name, level, n_frame) for name in Scope.of(study, rows.human).labels},
    )


def _confusion(rows: Labelled, name: str, level: float, n_frame: int) -> JudgeAgreement:
    human, judge = rows.human[name], rows.judge[name]
    usable = ~np.isnan(human)
    design = rows.design(usable)
    both = usable & ~np.isnan(judge)
    return confusion(
        human[usable].astype(int),
        np.where(np.isnan(judge), -1, judge)[usable].astype(int),
        weights=design.weight,
        variance=design.variance,
        degrees_of_freedom=design.degrees_of_freedom(both[usable]),
        census=bool(usable.sum() == n_frame),
        level=level,
    )
