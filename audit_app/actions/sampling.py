"""Drawing a sample: which contexts and responses people will look at, and the openings of the plan."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from audit_app.actions.population import FLOOR, JUDGE, Population, read_population
from data import frame as frames
from data.errors import StudyProblem
from data.records import LABELS, Draw, Response, context_of, task_of
from data.store import assignments, items
from data.store.connection import Store, now, open_store
from data.study import Study
from data.texts import pick
from data.views import Item
from sampling.allocation import proportional
from sampling.draw import Chosen, draw, linked_draw
from sampling.numbers import permanent_number
from sampling.overlap import overlap

SIZE = 300
"""Responses drawn when nobody says how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked of a draw; every choice has a default."""

    sample_id: str = "main"
    size: int | None = SIZE
    """Responses; None for all."""
    contexts: int | None = None
    """Contexts; by default as many as it takes to read each drawn context's responses together."""
    strata: tuple[str, ...] | None = None
    """Frame columns, or `judge` for the labels of one judge; by default all frame columns that vary, as many as the
    size allows."""
    judge: str | None = None
    """Whose labels the column `judge` holds; the first by name by default."""
    seed: int = 1
    overlap: float = 0.25
    """Share in [0, 1] of the items that goes to two people."""
    diagnostics: float = 0.0
    """Share in [0, 1] of the responses for which the six diagnostics are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What was drawn, for a person or for JSON."""

    sample_id: str
    seed: int
    n_responses: int
    n_responses_in_frame: int
    n_contexts: int
    n_contexts_in_frame: int
    strata: tuple[str, ...]
    unit: str
    linked: bool
    n_overlap: int
    n_openings: int
    """New ones; items of an earlier sample have theirs."""
    allocation: tuple[dict[str, Any], ...]
    """One row per response stratum: stratum, stratum_size, sample_size, inclusion_probability."""
    notes: tuple[str, ...]


def draw_sample(study: Study, plan: Plan) -> Drawn:
    """Draws a sample, keeps its texts, and opens the plan's assignments. All of it or nothing.

    Raises:
        StudyProblem: Nothing is imported, a stratum column is unknown, the name is taken, or the size does not
            allow two items per stratum (says which size would).
    """
    frame = frames.open_frame(study)
    if plan.judge is not None and JUDGE not in (plan.strata or ()):
        raise StudyProblem("a judge forms strata only when `judge` is among the strata columns; add --strata judge")
    labels = [name for name in LABELS if name in study.rubric.names("response")]
    population = read_population(frame, size=plan.size, strata=plan.strata, judge=plan.judge, labels=labels)
    try:
        contexts, responses = _draw(population, plan)
    except ValueError as error:
        raise StudyProblem(f"cannot draw {plan.size} responses: {error}") from None
    units = {c.item_id: c.unit for c in (*population.response_candidates(), *population.context_candidates())}
    doubled = _overlap(contexts, plan, "context") | _overlap(responses, plan, "response")
    with open_store(study) as store, store.transaction():
        if any(sample["sample_id"] == plan.sample_id for sample in items.samples(store)):
            raise StudyProblem(f"there is a sample {plan.sample_id!r} already; name another one with --name")
        chosen = [("context", c) for c in contexts] + [("response", r) for r in responses]
        drawn = list(_items(study, chosen))
        items.add(store, drawn)
        items.add_sample(
            store,
            _settings(plan, population, frame.hash, study.rubric.hash),
            [(_record(plan.sample_id, kind, c), units[c.item_id]) for kind, c in chosen],
        )
        items.add_subsample(store, plan.sample_id, "overlap", sorted(doubled))
        items.add_subsample(store, plan.sample_id, "diagnostics", sorted(_diagnostics(responses, plan)))
        n_openings = _open_plan(store, study, drawn, doubled, plan.seed)
    return _summary(plan, population, contexts, responses, len(doubled), n_openings)


def _draw(population: Population, plan: Plan) -> tuple[list[Chosen], list[Chosen]]:
    responses, contexts = population.response_candidates(), population.context_candidates()
    size = len(responses) if plan.size is None else min(plan.size, len(responses))
    n = _n_contexts(population, plan, size)
    context_sizes = proportional(Counter(c.stratum for c in contexts), n, floor=FLOOR) if contexts else {}
    if not population.linked:
        sizes = proportional(Counter(r.stratum for r in responses), size, floor=FLOOR)
        return (
            draw(contexts, context_sizes, seed=plan.seed, purpose="draw:context"),
            draw(responses, sizes, seed=plan.seed, purpose="draw:response"),
        )
    both = linked_draw(contexts, context_sizes, responses, size, FLOOR, seed=plan.seed)
    return both.contexts, both.responses


def _n_contexts(population: Population, plan: Plan, size: int) -> int:
    """As many contexts as hold `size` responses on average and two per stratum, unless told otherwise."""
    in_frame, n_responses = len(population.contexts), len(population.responses)
    if plan.contexts is not None:
        return min(plan.contexts, in_frame)
    if not n_responses:
        return in_frame if plan.size is None else min(plan.size, in_frame)
    strata = Counter(c.stratum for c in population.context_candidates())
    floors = sum(min(FLOOR, n) for n in strata.values())
    return min(in_frame, max(ceil(size * in_frame / n_responses), floors))


def _overlap(chosen: Sequence[Chosen], plan: Plan, kind: str) -> set[tuple[str, str]]:
    strata = {c.item_id: c.stratum for c in chosen}
    return {(kind, item) for item in overlap(strata, plan.overlap, seed=plan.seed, purpose=f"overlap:{kind}")}


def _diagnostics(responses: Sequence[Chosen], plan: Plan) -> set[tuple[str, str]]:
    strata = {r.item_id: r.stratum for r in responses}
    return {("response", i) for i in overlap(strata, plan.diagnostics, seed=plan.seed, purpose="diagnostics")}


def _items(study: Study, chosen: Sequence[tuple[str, Chosen]]) -> Iterator[Item]:
    """The drawn items with their texts."""
    ids = {kind: [c.item_id for k, c in chosen if k == kind] for kind in ("context", "response")}
    responses = [Response(**row) for row in pick(study, "responses", "response_id", ids["response"])]
    wanted = {*ids["context"], *(r.context_id for r in responses if r.context_id is not None)}
    contexts = {row["context_id"]: context_of(row) for row in pick(study, "contexts", "context_id", sorted(wanted))}
    task_ids = {c.task_id for c in contexts.values()} | {r.task_id for r in responses if r.task_id is not None}
    tasks = {row["task_id"]: task_of(row) for row in pick(study, "tasks", "task_id", sorted(task_ids))}
    for context_id in ids["context"]:
        yield Item(task=tasks[contexts[context_id].task_id], context=contexts[context_id])
    for response in responses:
        context = contexts[response.context_id] if response.context_id is not None else None
        yield Item(
            task=tasks[context.task_id if context else response.task_id or ""], context=context, response=response
        )


def _settings(plan: Plan, population: Population, frame_hash: str, rubric_hash: str) -> dict[str, Any]:
    return {
        "sample_id": plan.sample_id,
        "seed": plan.seed,
        "strata": list(population.columns),
        "context_strata": list(population.context_columns),
        "unit": "task, condition, run" if population.shared else "response",
        "linked": int(population.linked),
        "overlap": plan.overlap,
        "diagnostics": plan.diagnostics,
        "frame_hash": frame_hash,
        "rubric_hash": rubric_hash,
        "created_at": now(),
    }


def _record(sample_id: str, kind: str, chosen: Chosen) -> Draw:
    return Draw(
        sample_id=sample_id,
        item_id=chosen.item_id,
        item_kind=kind,
        stratum=chosen.stratum,
        stratum_size=chosen.stratum_size,
        sample_size=chosen.sample_size,
        inclusion_probability=chosen.inclusion_probability,
        permanent_number=chosen.permanent_number,
    )


def _open_plan(store: Store, study: Study, drawn: Sequence[Item], doubled: set[tuple[str, str]], seed: int) -> int:
    """One opening per item and pass, two for the overlap; in random order, a context's responses in a row.

    Returns how many are new: an item of an earlier sample keeps its openings, and the answers to them.
    """

    def place(item: Item) -> tuple[str, str, str]:
        near = item.context.context_id if item.context else item.task.task_id
        own = item.response.response_id if item.response else ""
        return permanent_number(seed, "order", near), near, permanent_number(seed, "order:response", own)

    openings = []
    for position, item in enumerate(sorted(drawn, key=place)):
        kind = "response" if item.response else "context"
        item_id = item.response.response_id if item.response else item.context.context_id if item.context else ""
        row = {
            "item_kind": kind,
            "item_id": item_id,
            "task_id": item.task.task_id,
            "context_id": item.context.context_id if item.context else None,
        }
        for pass_ in study.rubric.passes(kind):
            if study.rubric.asked(item, pass_):
                people = 2 if (kind, item_id) in doubled else 1
                openings += [assignments.opening(row, pass_, order, position) for order in range(1, people + 1)]
    before = _planned(store)
    assignments.add(store, openings)
    return _planned(store) - before


def _planned(store: Store) -> int:
    return sum(row["n"] for row in assignments.progress(store))


def _summary(
    plan: Plan,
    population: Population,
    contexts: Sequence[Chosen],
    responses: Sequence[Chosen],
    n_overlap: int,
    n_openings: int,
) -> Drawn:
    rows = {
        r.stratum: {
            "stratum": r.stratum,
            "stratum_size": r.stratum_size,
            "sample_size": r.sample_size,
            "inclusion_probability": r.inclusion_probability,
        }
        for r in responses
    }
    return Drawn(
        sample_id=plan.sample_id,
        seed=plan.seed,
        n_responses=len(responses),
        n_responses_in_frame=len(population.responses),
        n_contexts=len(contexts),
        n_contexts_in_frame=len(population.contexts),
        strata=population.columns,
        unit="task, condition, run" if population.shared else "response",
        linked=population.linked,
        n_overlap=n_overlap,
        n_openings=n_openings,
        allocation=tuple(rows.values()),
        notes=population.notes,
    )
