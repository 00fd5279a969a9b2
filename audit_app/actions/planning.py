"""Planning a sample: the labels that a wished precision takes, what labels buy, and the draw that carries it out."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from shlex import quote

from audit_app.actions import expectations as expecting
from audit_app.actions.draw_plan import MOST, Plan
from audit_app.actions.expectations import Grounds, Judge
from audit_app.actions.judged import find_judge
from audit_app.actions.population import read_population
from audit_app.actions.reckoning import Planned, Reckoning
from audit_app.actions.registration import last_intent
from audit_app.actions.wishing import PLANNABLE, Wish, check, problem
from data import frame as frames
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.definitions import METRICS

MOST_SLICES = 1_000
"""Above any number of slices that somebody reads."""

RATE = 0.1
"""Without a study, the share that people count when nobody says otherwise."""


def plan_sample(study: Study, wish: Wish) -> Planned:
    """A plan for a study with responses.

    Raises:
        StudyProblem: Nothing is imported, results are sealed that the plan would read, or a wish makes no sense (all
            that do not are named at once).
    """
    frame = frames.open_frame(study)
    asked = set(study.rubric.names("response"))
    known = [name for name in PLANNABLE if METRICS[name].reads <= asked]
    check(wish, judges=frames.judges(frame), metrics=known)
    name, metric = find_judge(frame, wish.judge), METRICS[wish.metric]
    judge = (
        expecting.measured(study, metric, sample_id=wish.sample_id, judge=name) if wish.from_sample else _stated(wish)
    )

    def grounds(strata: tuple[str, ...]) -> Grounds:
        draw = replace(wish, strata=strata).draw(name)
        draw.check()
        return expecting.of_study(study, metric, by=wish.by, draw=draw, judge_name=name, judge=judge, rate=wish.rate,
                                  denominator=wish.denominator)  # fmt: skip

    strata = wish.strata
    if strata is None:
        # As fine as a draw would go by itself, with the labels that the slices alone take.
        size = wish.labels or Reckoning(wish=wish, grounds=grounds(wish.by)).wished.total
        finest = read_population(frame, Plan(size=size), scores=dict).columns
        strata = tuple(c for c in ("condition", "regime", "model", "prompt", "run") if c in (*finest, *wish.by))
    with open_store(study) as store:
        taken = [sample["sample_id"] for sample in items.samples(store)]
    planned = Reckoning(wish=_at_pace(wish, study), grounds=grounds(strata)).planned(_where(study.path, taken))
    return replace(planned, notes=(*planned.notes, *_unlike_registered(study, wish)))


def plan_without_study(wish: Wish, *, population: int, slices: int = 1) -> Planned:
    """A plan from numbers alone: `slices` slices of `population` responses each, to the same contexts.

    Raises:
        StudyProblem: A wish makes no sense; all that do not are named at once.
    """
    counts = (("--population", population, MOST), ("--slices", slices, MOST_SLICES))
    more = [problem(o, n, f"a whole number above 0, up to {most}") for o, n, most in counts if not 1 <= n <= most]
    of_a_study = (("--by", wish.by), ("--strata", wish.strata), ("--from-sample", wish.from_sample))
    more += [problem(option, "needs a study", "no --population with it") for option, given in of_a_study if given]
    check(wish, judges=[], metrics=PLANNABLE, more=more)
    rate = RATE if wish.rate is None else wish.rate
    grounds = expecting.without_study(
        population,
        slices,
        rate=rate,
        denominator=wish.denominator,
        judge=_stated(wish),
        metric=wish.metric,
        per_context=wish.per_context or 1,
    )
    return Reckoning(wish=wish, grounds=grounds).planned()


def _unlike_registered(study: Study, wish: Wish) -> Iterator[str]:
    """That what is registered is of another kind than what a plan can be for, and comes out wider."""
    last = last_intent(study)
    if last is None:
        return
    of = [f"target {last.target}"] if last.target != wish.target else []
    of += [f"{last.about} in general"] if last.about != wish.about else []
    of += [last.annotators] if last.annotators != "these annotators" and not wish.rho else []
    if of:
        yield f"registered are numbers for {' and '.join(of)}, which usually come out wider than this plan says"


def _stated(wish: Wish) -> Judge:
    sensitivity = expecting.SENSITIVITY if wish.sensitivity is None else wish.sensitivity
    specificity = expecting.SPECIFICITY if wish.specificity is None else wish.specificity
    return Judge(
        sensitivity=sensitivity,
        specificity=specificity,
        source=f"judge's sensitivity {sensitivity:g}, specificity {specificity:g}",
    )


def _at_pace(wish: Wish, study: Study) -> Wish:
    """The wish with as many labels and passes as the rubric has."""
    asked = [q for q in study.rubric.questions if not q.diagnostic]
    pace = replace(
        wish.pace,
        passes=len(study.rubric.passes("response")),
        labels_per_response=sum(q.item_kind == "response" for q in asked),
        labels_per_context=sum(q.item_kind == "context" for q in asked),
    )
    return replace(wish, pace=pace)


def _where(path: Path, taken: Collection[str]) -> str:
    """The options of a draw that say where it goes."""
    name = next(n for n in ("main", "plan", *(f"plan-{k}" for k in range(2, len(taken) + 3))) if n not in taken)
    named = "" if name == "main" else f" --name {name}"
    return named + ("" if path == Path() else f" --study {quote(str(path))}")
