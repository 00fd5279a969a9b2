"""What people would have scored: every metric, naive, human-only and corrected."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from audit_app.actions.labelled import Grounding, find_judge, judged, labelled
from audit_app.actions.registering import Intent, standing
from audit_app.actions.scope import Scope
from audit_app.actions.seal import Seal, read_seal
from data import frame as frames
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.definitions import METRICS, WARRANTS
from metrics.estimate import Estimate, Target
from metrics.table import METHODS, slices_by, table

HEADLINE = ("Acc", "SES", "cSES", "ESD", "BAS")
"""The metrics of the first screen, in order."""

TAXONOMY = (
    "grounded-correct",
    "ungrounded-correct",
    "grounded-wrong",
    "ungrounded-wrong",
    "abstention",
    "ambiguous",
    "grounded-of-correct",
    "ungrounded-of-correct",
    "abstention-warranted",
    "abstention-unwarranted",
)

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
    standing: str | None
    """Which of the numbers were registered, and which are exploratory; None when nothing was registered."""

    @property
    def sentence(self) -> str:
        """For whom and for what the numbers hold."""
        judge = f"judge {self.judge}" if self.judge else "no judge"
        read = "; G read leniently" if self.grounding == "lenient" else ""
        return (
            f"Corrected to {WHO[self.target]} (target {self.target}), for these {self.n_frame} "
            f"responses; {self.n_labelled} of {self.n_drawn} drawn responses are labelled; {judge}{read}."
            f"{f' {self.standing}' if self.standing else ''}"
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
        if seal.is_open:
            rows.require_decisions()
        n_drawn = len(items.draws(store, rows.sample["sample_id"], "response"))
        way = Intent(metrics=tuple(names), target=target, grounding=grounding, judge=who, level=level, floor=floor,
                     sample_id=rows.sample["sample_id"])  # fmt: skip
        registered = standing(study, store, frame, by, way)
        n_ungradable = items.without_gold(store, rows.sample["sample_id"])
    population = judged(frame, who, list(by))
    scope = Scope.of(study, rows.human)
    allowed = [name for name in names if scope.allows(name) and (name not in WARRANTS or rows.audited)]
    estimates = [
        estimate
        for warrant in (False, True)
        for estimate in table(
            population,
            rows.rows(warrant=warrant),
            metrics=[METRICS[name] for name in allowed if (name in WARRANTS) == warrant],
            slices=[{}, *slices_by(population, by)] if by else [{}],
            target=target,
            methods=METHODS[1:] if warrant else METHODS,
            level=level,
            floor=floor,
        )
    ]
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
        left_out=_left_out(scope, names, n_ungradable),
        standing=registered,
    )


def _left_out(scope: Scope, names: Sequence[str], n_ungradable: int) -> str | None:
    """What cannot be had, and what a number that needs C does not rest on."""
    found = [scope.left_out(names)]
    if n_ungradable and any(scope.allows(name) and "C" in METRICS[name].reads for name in names):
        found.append(
            f"{n_ungradable} drawn responses belong to tasks without a gold answer: nobody can say whether they are "
            "correct, and numbers that need C take them to be like the others."
        )
    return " ".join(sentence for sentence in found if sentence) or None


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
