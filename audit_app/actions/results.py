"""What people would have scored: every metric, naive, human-only and corrected."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from audit_app.actions.answered import Grounding
from audit_app.actions.askable import can_adjudicate, can_borrow, can_divide, count_tasks, known
from audit_app.actions.judged import judged
from audit_app.actions.labelled import Labelled, labelled
from audit_app.actions.looks import looks
from audit_app.actions.metric_table import MetricTable
from audit_app.actions.metrics_result import MetricsResult as MetricsResult
from audit_app.actions.registration import Intent, judge_of
from audit_app.actions.rounds import mixture
from audit_app.actions.scope import Scope
from audit_app.actions.seal import Seal, read_seal, require_results
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
    way = Intent(metrics=tuple(names), target=target, grounding=grounding, judge=judge_of(study, frame, judge),
                 level=level, floor=floor, about=about, annotators=annotators, contexts=contexts, average=average,
                 borrow=tuple(borrow), sample_id=sample_id)  # fmt: skip
    found = _found(study, frame, by, way)
    can_divide(found.rows, contexts, found.seal)
    can_adjudicate(found.rows, target)
    return _result(study, frame, found, by, way, budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a study holds for one look at its metrics."""

    rows: Labelled
    seal: Seal
    n_drawn: int
    n_ungradable: int
    standing: str | None
    looks: str | None
    mixture: str | None

    def options(self, way: Intent) -> Options:
        """How the numbers are made: while results are sealed, at the usual level and floor."""
        return Options(
            target=way.target,
            level=way.level if self.seal.is_open else LEVEL,
            floor=way.floor if self.seal.is_open else FLOOR,
            about=way.about,
            annotators=way.annotators,
            contexts=way.contexts,
            average=way.average,
            borrow=way.borrow or None,
        )


def _found(study: Study, frame: frames.Frame, by: Sequence[str], way: Intent) -> _Found:
    with open_store(study) as store:
        if way.target == "B":
            require_random_queue(store, study)
        rows = labelled(study, store, frame, sample_id=way.sample_id, judge=way.judge, grounding=way.grounding)
        sample_id = rows.sample["sample_id"]
        return _Found(
            rows=rows,
            seal=read_seal(store),
            n_drawn=len(items.draws(store, sample_id, "response")),
            n_ungradable=items.without_gold(store, sample_id),
            standing=standing(study, store, frame, by, replace(way, sample_id=sample_id)),
            looks=looks(store, sample_id),
            mixture=mixture(store),
        )


def _result(
    study: Study, frame: frames.Frame, found: _Found, by: Sequence[str], way: Intent, budget: bool | Literal["overall"]
) -> MetricsResult:
    rows, seal, options = found.rows, found.seal, found.options(way)
    population = judged(frame, way.judge, _columns(by, options, budget=bool(budget)))
    scope = Scope.of(study, rows.human)
    allowed = [name for name in way.metrics if scope.allows(name) and (name not in WARRANTS or rows.audited)]
    ordered = [METRICS[name] for name in _in_order(allowed)]
    slices: list[Slice] = [{}, *slices_by(population, by)] if by else [{}]
    table = MetricTable(population, rows, options, way.grounding)
    estimates = [estimate for metric in ordered for estimate in table.of(metric, slices)]
    settling = way.target == "B" and seal.is_open
    first = MetricTable(population, rows, replace(options, target="A"), way.grounding)
    places = slices if budget is True else [{}] if budget else []
    budgets = [one for metric in ordered for one in table.budgets(metric, places)] if seal.is_open else []
    about_people = way.annotators == "annotators like these" or any(one.knows_annotators for one in budgets)
    return MetricsResult(
        **{name: getattr(way, name) for name in _AS_ASKED},
        sample_id=rows.sample["sample_id"],
        n_labelled=rows.n_usable,
        n_unusable=len(rows.draws) - rows.n_usable,
        n_drawn=found.n_drawn,
        n_frame=int(population.count.sum()),
        n_parts=len(set(population.columns[PARTS[way.average]])) if way.average in PARTS else None,
        n_tasks=count_tasks(population, options),
        seal=seal,
        estimates=tuple(estimates if seal.is_open else (estimate.sealed() for estimate in estimates)),
        before=tuple(one for metric in ordered for one in first.of(metric, slices)) if settling else (),
        budgets=tuple(budgets),
        settled=settled(rows, allowed) if settling else None,
        left_out=_left_out(scope, way.metrics, found.n_ungradable, audited=rows.audited),
        standing=found.standing,
        looks=found.looks,
        mixture=found.mixture,
        withheld=WITHHELD if budget and not seal.is_open else None,
        of_annotators=tuple(rows.people.remarks if about_people else ()),
    )


_AS_ASKED = ("judge", "target", "grounding", "about", "annotators", "contexts", "average", "borrow")
"""What a result repeats of what was asked for."""


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
