"""How many contexts and responses each stratum gives to a sample."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from numpy.typing import NDArray

from audit_app.actions.draw_plan import FLOOR, Plan
from audit_app.actions.labelled import labelled
from audit_app.actions.population import Population
from audit_app.actions.seal import require_open
from data import frame as frames
from data.errors import StudyProblem
from data.store.connection import Store
from data.study import Study
from metrics.definitions import LABELS, METRICS
from sampling.allocation import equal, neyman, proportional
from sampling.spread import of_counts

PRIOR = 2.0
"""Pseudo-responses per stratum of a pilot: a few labels that agree do not show that a stratum has no spread."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocator:
    """Shares a total over strata as the plan asks; its own type so that it can be handed to a linked draw."""

    plan: Plan
    spread: Mapping[str, float] = field(default_factory=dict)
    """Standard deviation per stratum, for Neyman."""
    extends: bool = False
    """Whether the total may grow to hold what was drawn before and cannot be left out."""

    def __call__(
        self, sizes: Mapping[str, int], total: int, /, *, floor: int, at_least: Mapping[str, int] | None
    ) -> dict[str, int]:
        """Items per stratum; certainty strata are taken whole, whatever the cap."""
        least = {**(at_least or {}), **{name: sizes[name] for name in self.plan.certainty if name in sizes}}
        if self.extends:
            total = max(total, sum(max(min(floor, size), least.get(name, 0)) for name, size in sizes.items()))
        if self.plan.allocation == "neyman":
            return neyman(sizes, self.spread, total, floor=floor, cap=self.plan.cap, at_least=least)
        rule = equal if self.plan.allocation == "equal" else proportional
        return rule(sizes, total, floor=floor, cap=self.plan.cap, at_least=least)


def allocator(study: Study, store: Store, frame: frames.Frame, population: Population, plan: Plan) -> Allocator:
    """The rule that the plan asks for, ready to be used on this population.

    Raises:
        StudyProblem: A certainty stratum is unknown, or nothing says how much the strata vary.
    """
    known = population.sizes("response" if population.responses else "context")
    unknown = [name for name in plan.certainty if name not in known]
    if unknown:
        raise StudyProblem(f"--certainty: there is no stratum {unknown[0]!r}; strata are {', '.join(map(repr, known))}")
    if plan.allocation != "neyman":
        return Allocator(plan=plan)
    if not population.responses:
        raise StudyProblem("--allocation: Neyman's allocation is for a metric of responses, and there are none")
    return Allocator(plan=plan, spread=_spread(study, store, frame, population, plan))


def _spread(study: Study, store: Store, frame: frames.Frame, population: Population, plan: Plan) -> Mapping[str, float]:
    """How much the metric varies in each stratum: by people's labels of a pilot, or by the judge's of everything."""
    ids, labels = _of_pilot(study, store, frame, plan.pilot) if plan.pilot else _of_judge(frame, population, plan.judge)
    num, den = METRICS[plan.metric or ""].terms(*(labels[name] for name in LABELS))
    stratum = {c.item_id: c.stratum for c in population.responses}
    counts: dict[str, Counter[tuple[float, float]]] = {name: Counter() for name in population.sizes("response")}
    for item, top, bottom in zip(ids, num.tolist(), den.tolist(), strict=True):
        if item in stratum and not np.isnan(top + bottom):
            counts[stratum[item]][top, bottom] += 1
    try:
        return of_counts(counts, sizes=population.sizes("response"), prior=PRIOR if plan.pilot else 0.0)
    except ValueError as error:
        source = f"people's labels of sample {plan.pilot!r}" if plan.pilot else "the judge's labels"
        raise StudyProblem(f"--allocation: {source} do not show how {plan.metric} varies: {error}") from None


def _of_pilot(study: Study, store: Store, frame: frames.Frame, pilot: str) -> tuple[list[str], Mapping[str, Floats]]:
    rows = labelled(study, store, frame, sample_id=pilot, judge=None)
    if not rows.draws:
        raise StudyProblem(f"--pilot: nobody has labelled sample {pilot!r} yet, so it says nothing about the strata")
    # Sizes by how much each stratum varies would show how much it does.
    require_open(store)
    return [draw["item_id"] for draw in rows.draws], rows.human


def _of_judge(frame: frames.Frame, population: Population, judge: str | None) -> tuple[list[str], Mapping[str, Floats]]:
    if judge is None:
        raise StudyProblem("--allocation: Neyman's allocation needs verdicts, or a labelled sample as --pilot")
    rows = frames.judged_rows(frame, judge, [c.item_id for c in population.responses])
    labels = {name: rows[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in LABELS}
    return rows["response_id"].tolist(), labels


def context_sizes(population: Population, plan: Plan, rule: Allocator, at_least: Mapping[str, int]) -> dict[str, int]:
    """Contexts to draw from each context stratum: in proportion, or where the responses are wanted.

    Contexts that hold a certainty stratum are all drawn.
    """
    sizes = population.sizes("context")
    if not sizes:
        return {}
    if not population.responses:
        n = len(population.contexts) if plan.size is None else min(plan.contexts or plan.size, len(population.contexts))
        return rule(sizes, n, floor=plan.floor, at_least=at_least)
    least = dict(at_least)
    inside = _inside(population)
    for name in plan.certainty:
        least |= {context: sizes[context] for context in inside.get(name, ())}
    n = _n_contexts(population, plan, sizes, least)
    if not population.linked or plan.allocation == "proportional":
        return proportional(sizes, n, floor=FLOOR, at_least=least)
    return neyman(sizes, _fractions(population, plan, rule, inside), n, floor=FLOOR, at_least=least)


def _fractions(population: Population, plan: Plan, rule: Allocator, inside: Mapping[str, set[str]]) -> dict[str, float]:
    """Share of each context stratum's responses that the plan would like to draw."""
    there = population.sizes("response")
    wanted = rule(there, n_responses(population, plan), floor=plan.floor, at_least=None)
    fractions = {}
    for context in population.sizes("context"):
        names = [name for name in inside if context in inside[name]]
        fractions[context] = sum(wanted[n] for n in names) / max(1, sum(there[n] for n in names))
    return fractions


def n_responses(population: Population, plan: Plan) -> int:
    """Responses wanted, as far as there are so many."""
    there = len(population.responses)
    return there if plan.size is None else min(plan.size, there)


def _inside(population: Population) -> dict[str, set[str]]:
    """The context strata in which each response stratum lies: one in a linked draw."""
    of_context = {c.item_id: c.stratum for c in population.contexts}
    inside: dict[str, set[str]] = defaultdict(set)
    for response in population.responses:
        if response.cluster in of_context:
            inside[response.stratum].add(of_context[response.cluster])
    return inside


def _n_contexts(population: Population, plan: Plan, sizes: Mapping[str, int], least: Mapping[str, int]) -> int:
    """As many as `sample plan` asks for, unless told otherwise: one response of each setting to a context.

    More to a context would save reading and cost precision, since they are alike. Two contexts per stratum at least.
    """
    in_frame = len(population.contexts)
    if plan.contexts is not None:
        return min(plan.contexts, in_frame)
    floors = sum(max(min(FLOOR, size), least.get(name, 0)) for name, size in sizes.items())
    wanted = ceil(n_responses(population, plan) / population.per_context)
    return min(in_frame, max(wanted, floors))
