"""What people would have scored: every metric, naive, human-only and corrected."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from audit_app.actions.answered import Grounding
from audit_app.actions.askable import can_adjudicate, can_borrow, can_divide, count_tasks, known
from audit_app.actions.labelled import judged, labelled
from audit_app.actions.looks import looks
from audit_app.actions.metric_table import MetricTable
from audit_app.actions.metrics_result import MetricsResult as MetricsResult
from audit_app.actions.registration import Intent, judge_of
from audit_app.actions.rounds import mixture
from audit_app.actions.scope import Scope
from audit_app.actions.seal import read_seal, require_results
from audit_app.actions.settled import settled
from audit_app.actions.standing import standing
from audit_app.actions.withholding import require_random_queue
from audit_app.language import _, joined, mark
from data import frame as frames
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.correction import FLOOR
from metrics.definitions import METRICS, WARRANTS
from metrics.estimate import About, Annotators, Contexts, Target
from metrics.rows import Slice
from metrics.table import PARTS, Average, Options, columns_of, slices_by

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

QUESTION = ("condition", "model", "prompt")
"""With the task, what was asked of whom: responses alike in it are runs of one question."""

WITHHELD = mark("Where the widths come from, and what to buy next, is shown once results are open.")


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
        Withheld: For target B, while what is decided is no random share.
    """
    require_results(study)
    known(by, frames.SLICES, "slice column")
    known(names, tuple(METRICS), "metric")
    can_borrow(by, borrow)
    if budget and target == "B":
        raise StudyProblem(_("an uncertainty budget is of target A, what one annotator says; leave --target B out"))
    frame = frames.open_frame(study)
    who = judge_of(study, frame, judge)
    with open_store(study) as store:
        if target == "B":
            require_random_queue(store, study)
        rows = labelled(study, store, frame, sample_id=sample_id, judge=who, grounding=grounding)
        seal = read_seal(store)
        n_drawn = len(items.draws(store, rows.sample["sample_id"], "response"))
        way = Intent(metrics=tuple(names), target=target, grounding=grounding, judge=who, level=level, floor=floor,
                     about=about, annotators=annotators, contexts=contexts, average=average, borrow=tuple(borrow),
                     sample_id=rows.sample["sample_id"])  # fmt: skip
        registered = standing(study, store, frame, by, way)
        n_ungradable = items.without_gold(store, rows.sample["sample_id"])
        looked, mixed = looks(store, rows.sample["sample_id"]), mixture(store)
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
    first = MetricTable(population, rows, replace(options, target="A"), grounding)
    before = [one for metric in ordered for one in first.of(metric, slices)] if target == "B" and seal.is_open else []
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
        n_parts=len(set(population.columns[PARTS[average]])) if average in PARTS else None,
        borrow=tuple(borrow),
        n_tasks=count_tasks(population, options),
        seal=seal,
        estimates=tuple(estimates if seal.is_open else (estimate.sealed() for estimate in estimates)),
        before=tuple(before),
        budgets=tuple(budgets),
        settled=settled(rows, allowed) if target == "B" and seal.is_open else None,
        left_out=_left_out(scope, names, n_ungradable, audited=rows.audited),
        standing=registered,
        looks=looked,
        mixture=mixed,
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
    question = QUESTION if budget and options.about == "such tasks" else ()
    return list(dict.fromkeys([*by, *columns_of(options), *question]))


def _left_out(scope: Scope, names: Sequence[str], n_ungradable: int, *, audited: bool) -> str | None:
    """What cannot be had, and what a number that needs C does not rest on."""
    found = [scope.left_out(names)]
    unaudited = [] if audited else [name for name in names if name in WARRANTS and scope.allows(name)]
    if unaudited:
        said = _("Left out: {gone} (no context of a labelled response is audited yet).")
        found.append(said.format(gone=joined(unaudited)))
    if n_ungradable and any(scope.allows(name) and "C" in METRICS[name].reads for name in names):
        found.append(
            _(
                "{n_ungradable} drawn responses belong to tasks without a gold answer: nobody can say "
                "whether they are correct, and numbers that need C take them to be like the others."
            ).format(n_ungradable=n_ungradable)
        )
    return " ".join(sentence for sentence in found if sentence) or None
