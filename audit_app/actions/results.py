"""What people would have scored: every metric, naive, human-only and corrected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from audit_app.actions.answered import Grounding
from audit_app.actions.askable import can_adjudicate, can_borrow, can_divide, known
from audit_app.actions.budgeting import MetricBudget
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.labelled import find_judge, judged, labelled
from audit_app.actions.looks import looks
from audit_app.actions.metric_table import MetricTable
from audit_app.actions.registration import Intent
from audit_app.actions.scope import Scope
from audit_app.actions.seal import Seal, read_seal
from audit_app.actions.settled import Settled, settled
from audit_app.actions.standing import standing
from data import frame as frames
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.definitions import METRICS, WARRANTS
from metrics.estimate import About, Annotators, Contexts, Target
from metrics.rows import Slice
from metrics.table import PARTS, Average, JudgedRows, Options, slices_by

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

LEVEL = 0.95

WHO: dict[Target, str] = {
    "A": "what one of these annotators would have said",
    "B": "the adjudicated or unanimous label",
}

CONTEXTS: dict[Contexts, str] = {
    "all": "all contexts",
    "valid": "valid contexts only",
    "reclassified": "every context as what it really is",
}

QUESTION = ("condition", "model", "prompt")
"""With the task, what was asked of whom: responses alike in it are runs of one question."""

WITHHELD = "Where the widths come from, and what to buy next, is shown once results are open."

READ: dict[Grounding, str] = {"strict": "G read strictly", "lenient": "G read leniently"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsResult:
    """Every metric asked for, naive, human-only and corrected, and for whom it holds."""

    sample_id: str
    judge: str | None
    target: Target
    grounding: Grounding
    about: About
    annotators: Annotators
    contexts: Contexts
    average: Average
    n_labelled: int
    """Drawn responses with a label by people that can be used, of whatever question."""
    n_unusable: int
    """Drawn responses that people have dealt with and that have none: skipped, or they could not be judged."""
    n_drawn: int
    n_frame: int
    n_tasks: int | None
    """Tasks that these are a sample of "such tasks" by; None when the intervals are for these responses."""
    seal: Seal
    estimates: tuple[DetailedEstimate, ...]
    budgets: tuple[MetricBudget, ...]
    """Where the width of each corrected number comes from; empty unless asked for, and while results are sealed."""
    settled: Settled | None
    """For target B, and unless sealed: how much of the overlap is decided."""
    left_out: str | None
    """Which of the metrics asked for this study cannot have, and why; None when it has all."""
    standing: str | None
    """Which of the numbers were registered, and which are exploratory; None when nothing was registered."""
    looks: str | None
    """How often the sample was extended, each time after a look at the work; None when it never was."""
    withheld: str | None
    """What was asked for and waits until results are open; None when nothing does."""
    of_annotators: tuple[str, ...]
    """What numbers for annotators like these take for granted; empty for these annotators."""

    @property
    def n_answered(self) -> int:
        """Drawn responses that people have dealt with, if only by skipping."""
        return self.n_labelled + self.n_unusable

    @property
    def sentence(self) -> str:
        """For whom and for what the numbers hold."""
        if all(estimate.method == "naive" for estimate in self.estimates):
            return f"As judge {self.judge} has it, taken at its word, on these {self.n_frame} responses."
        judge = f"judge {self.judge}" if self.judge else "no judge"
        scope = f"these {self.n_frame} responses"
        if self.about == "such tasks":
            scope = f"such tasks in general, of which these {self.n_tasks} with {self.n_frame} responses are a sample"
        scope += " and annotators like these" if self.annotators == "annotators like these" else ""
        within = [CONTEXTS[self.contexts]] if self.contexts != "all" else []
        read = [READ[self.grounding]] if any(e.grounding for e in self.estimates) else []
        mean = [f"means over {self.average}"] if self.average != "pooled" else []
        levels = sorted({estimate.level for estimate in self.estimates if estimate.level is not None})
        intervals = [f"{100 * level:g} % intervals" for level in levels if self.seal.is_open]
        made = "; ".join([judge, *within, *read, *mean, *intervals])
        labelled = f"{self.n_labelled} of {self.n_drawn} drawn responses are labelled"
        if self.n_unusable:
            labelled += (
                f", {self.n_unusable} {'was' if self.n_unusable == 1 else 'were'} skipped or could not be judged"
            )
        return (
            f"Corrected to {WHO[self.target]} (target {self.target}), for {scope}; {labelled}; {made}."
            f"{f' {self.looks}' if self.looks else ''}{f' {self.standing}' if self.standing else ''}"
        )

    @property
    def remarks(self) -> list[str]:
        """What else has to be said of the numbers, in sentences."""
        waiting = self.n_drawn - self.n_answered
        like = (
            f"The {waiting} drawn responses that nobody has labelled yet are taken to be like the labelled ones of "
            "their stratum: right if work went in the order of the plan."
        )
        said = [
            self.left_out,
            self.settled.sentence if self.settled else None,
            self.withheld,
            like if waiting and self.n_answered and self.seal.is_open else None,
            *self.of_annotators,
        ]
        return [sentence for sentence in said if sentence]


def metrics(
    study: Study,
    *,
    sample_id: str | None = None,
    judge: str | None = None,
    by: Sequence[str] = (),
    names: Sequence[str] = HEADLINE,
    target: Target = "A",
    grounding: Grounding = "strict",
    about: About = "these responses",
    annotators: Annotators = "these annotators",
    contexts: Contexts = "all",
    average: Average = "pooled",
    borrow: Sequence[str] = (),
    level: float = LEVEL,
    floor: int = FLOOR,
    budget: bool | Literal["overall"] = False,
) -> MetricsResult:
    """The metrics of a study as people would have scored it.

    Metrics whose labels the study cannot have are left out, and named. While results are sealed, values are withheld
    and only the widths of intervals are given, at the usual level and floor: several widths of one interval, or the
    floor at which a number is refused, would tell where it lies. How many contexts count is a result itself. A budget
    waits for the seal: which intervals bear one says what was seen, and its width is another one of the same interval.

    `budget` is of every slice, or of the overall numbers only.

    Raises:
        StudyProblem: Nothing is drawn or imported, a name is unknown, there is no overlap to adjudicate, the slices
            leave nobody to borrow from, contexts matter and results are sealed or none is audited, or there is to be
            a budget of target B.
    """
    known(by, frames.SLICES, "slice column")
    known(names, tuple(METRICS), "metric")
    can_borrow(by, borrow)
    if budget and target == "B":
        raise StudyProblem("an uncertainty budget is of target A, what one annotator says; leave --target B out")
    frame = frames.open_frame(study)
    who = find_judge(frame, judge)
    with open_store(study) as store:
        rows = labelled(study, store, frame, sample_id=sample_id, judge=who, grounding=grounding)
        seal = read_seal(store)
        n_drawn = len(items.draws(store, rows.sample["sample_id"], "response"))
        way = Intent(metrics=tuple(names), target=target, grounding=grounding, judge=who, level=level, floor=floor,
                     about=about, annotators=annotators, contexts=contexts, average=average, borrow=tuple(borrow),
                     sample_id=rows.sample["sample_id"])  # fmt: skip
        registered = standing(study, store, frame, by, way)
        n_ungradable = items.without_gold(store, rows.sample["sample_id"])
        looked = looks(store, rows.sample["sample_id"])
    can_divide(rows, contexts, seal)
    can_adjudicate(rows, target)
    options = Options(
        target=target,
        level=level if seal.is_open else LEVEL,
        floor=floor if seal.is_open else FLOOR,
        about=about,
        annotators=annotators,
        contexts=contexts,
        average=average,
        borrow=tuple(borrow) or None,
    )
    population = judged(frame, who, _columns(by, options, budget=bool(budget)))
    scope = Scope.of(study, rows.human)
    allowed = [name for name in names if scope.allows(name) and (name not in WARRANTS or rows.audited)]
    slices: list[Slice] = [{}, *slices_by(population, by)] if by else [{}]
    table = MetricTable(population, rows, options, grounding)
    ordered = [METRICS[name] for name in _in_order(allowed)]
    estimates = [estimate for metric in ordered for estimate in table.of(metric, slices)]
    places = slices if budget is True else [{}] if budget else []
    budgets = [one for metric in ordered for one in table.budgets(metric, places)] if seal.is_open else []
    return MetricsResult(
        sample_id=rows.sample["sample_id"],
        judge=who,
        target=target,
        grounding=grounding,
        about=about,
        annotators=annotators,
        contexts=contexts,
        average=average,
        n_labelled=rows.n_usable,
        n_unusable=len(rows.draws) - rows.n_usable,
        n_drawn=n_drawn,
        n_frame=int(population.count.sum()),
        n_tasks=_count_tasks(population, options),
        seal=seal,
        estimates=tuple(estimates if seal.is_open else (estimate.sealed() for estimate in estimates)),
        budgets=tuple(budgets),
        settled=settled(rows, allowed) if target == "B" and seal.is_open else None,
        left_out=_left_out(scope, names, n_ungradable),
        standing=registered,
        looks=looked,
        withheld=WITHHELD if budget and not seal.is_open else None,
        of_annotators=tuple(
            rows.people.remarks
            if annotators == "annotators like these" or any(one.knows_annotators for one in budgets)
            else ()
        ),
    )


def _in_order(names: Sequence[str]) -> list[str]:
    """Metrics that also rest on the audited contexts come last."""
    return sorted(names, key=lambda name: name in WARRANTS)


def _columns(by: Sequence[str], options: Options, *, budget: bool) -> list[str]:
    """The frame columns that the numbers are counted by."""
    stated = [options.condition] if options.contexts == "reclassified" else []
    question = QUESTION if budget and options.about == "such tasks" else ()
    part = [PARTS[options.average]] if options.average in PARTS else []
    task = [options.task] if options.about == "such tasks" else []
    return list(dict.fromkeys([*by, *(options.borrow or ()), *stated, *part, *question, *task]))


def _count_tasks(population: JudgedRows, options: Options) -> int | None:
    if options.about != "such tasks":
        return None
    n = len(set(population.columns[options.task]))
    if n < 2:
        raise StudyProblem(f"{n} task cannot speak for such tasks in general; use --population responses")
    return n


def _left_out(scope: Scope, names: Sequence[str], n_ungradable: int) -> str | None:
    """What cannot be had, and what a number that needs C does not rest on."""
    found = [scope.left_out(names)]
    if n_ungradable and any(scope.allows(name) and "C" in METRICS[name].reads for name in names):
        found.append(
            f"{n_ungradable} drawn responses belong to tasks without a gold answer: nobody can say whether they are "
            "correct, and numbers that need C take them to be like the others."
        )
    return " ".join(sentence for sentence in found if sentence) or None
