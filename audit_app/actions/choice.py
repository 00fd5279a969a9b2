"""Which items a draw picks from a population, and what it keeps of an earlier, smaller draw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from audit_app.actions import subsamples
from audit_app.actions.allocation import Allocator, allocator, context_sizes, n_responses
from audit_app.actions.draw_plan import CORE_LEAST, Plan
from audit_app.actions.openings import Key
from audit_app.actions.population import Population
from audit_app.actions.subsamples import Subsamples
from data import frame as frames
from data.errors import StudyProblem
from data.records import Draw
from data.store.connection import Store
from data.study import Study
from sampling.draw import Chosen, Unreached, draw, linked_draw, reach
from sampling.planner import smallest
from sampling.strata import small_strata


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What an extended sample holds already; nothing for a new one."""

    draws: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """By item kind."""
    subsamples: Subsamples = field(default_factory=Subsamples)

    def ids(self, kind: str) -> set[str]:
        """The items drawn."""
        return {row["item_id"] for row in self.draws.get(kind, ())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The outcome of a draw before anything is stored."""

    contexts: Sequence[Chosen]
    responses: Sequence[Chosen]
    subsamples: Subsamples
    notes: tuple[str, ...]

    @property
    def keys(self) -> list[tuple[Key, Chosen]]:
        """Everything drawn with its key."""
        return [(("context", c.item_id), c) for c in self.contexts] + [
            (("response", r.item_id), r) for r in self.responses
        ]


def choose(
    study: Study, store: Store, frame: frames.Frame, population: Population, plan: Plan, before: Before
) -> Choice:
    """Draws what the plan asks for, and keeps what was drawn before.

    Raises:
        StudyProblem: The size does not allow the fewest items per stratum, or an allocation lacks what it needs.
    """
    rule = replace(allocator(study, store, frame, population, plan), extends=bool(before.draws))
    try:
        contexts, responses = _draw(population, plan, rule, before)
    except ValueError as error:
        what = "all" if plan.size is None else plan.size
        raise StudyProblem(f"cannot draw {what} responses: {error}") from None
    parts = subsamples.choose(plan, contexts, responses, before.subsamples, before.ids("response"))
    of_core = _notes_of_core(plan, len(before.subsamples.core), len(parts.core))
    return Choice(
        contexts=contexts,
        responses=responses,
        subsamples=parts,
        notes=(*population.notes, *_notes(population, plan, rule, responses, contexts), *of_core),
    )


def _draw(population: Population, plan: Plan, rule: Allocator, before: Before) -> tuple[list[Chosen], list[Chosen]]:
    responses, contexts, size = population.responses, population.contexts, n_responses(population, plan)
    kept = reach(contexts, before.ids("context"), seed=plan.seed, purpose="draw:context")
    of_contexts = context_sizes(population, plan, rule, kept)
    if population.linked:
        # Refused here: few drawn contexts hold so little that the floors would shrink to fit any size.
        replace(rule, plan=replace(plan, cap=None))(population.sizes("response"), size, floor=plan.floor, at_least=None)
        try:
            both = linked_draw(
                contexts, of_contexts, responses, size, plan.floor, seed=plan.seed, keep=before.ids("response"),
                rule=rule,
            )  # fmt: skip
        except Unreached as error:
            enough = _enough_contexts(population, plan, rule, kept, sum(of_contexts.values()))
            raise ValueError(f"{error} (--contexts {enough} reaches every stratum)") from None
        return both.contexts, both.responses
    kept = reach(responses, before.ids("response"), seed=plan.seed, purpose="draw:response")
    sizes = rule(population.sizes("response"), size, floor=plan.floor, at_least=kept) if responses else {}
    return (
        draw(contexts, of_contexts, seed=plan.seed, purpose="draw:context"),
        draw(responses, sizes, seed=plan.seed, purpose="draw:response"),
    )


def _enough_contexts(population: Population, plan: Plan, rule: Allocator, kept: Mapping[str, int], drawn: int) -> int:
    """How many contexts reach every response stratum: more of the same draw, up to all of them."""

    def reaches(n: int) -> bool:
        sizes = context_sizes(population, replace(plan, contexts=n), rule, kept)
        there = {c.item_id for c in draw(population.contexts, sizes, seed=plan.seed, purpose="draw:context")}
        return {r.stratum for r in population.responses if r.cluster in there} == set(population.sizes("response"))

    return smallest(reaches, drawn + 1, len(population.contexts))


def _notes(
    population: Population, plan: Plan, rule: Allocator, responses: Sequence[Chosen], contexts: Sequence[Chosen]
) -> list[str]:
    """What somebody who planned this would want to know."""
    notes, wanted = [], n_responses(population, plan)
    if len(responses) > wanted:
        notes.append(f"{len(responses)} responses, not {wanted}: the next numbers of new contexts come with those kept")
    if len(responses) < wanted:
        notes.append(f"{len(responses)} of {wanted} responses: the drawn contexts hold no more; see --contexts")
    short = _short(population, plan, rule, responses) if len(responses) == wanted else []
    if short:
        others = ", and others got them" if len(short) < len(population.sizes("response")) else ""
        notes.append(
            f"in {len(short)} strata the drawn contexts hold fewer responses than would be taken ({short[0]}){others}; "
            "see --contexts"
        )
    thin = small(population, plan)
    if thin and plan.allocation == "proportional":
        names = f"{', '.join(map(repr, thin[:3]))}{f' and {len(thin) - 3} more' if len(thin) > 3 else ''}"
        notes.append(
            f"small strata: {names}; a proportional share would be below {plan.floor}, and the floor takes the rest "
            f"from others (--collapse {plan.floor} merges small strata)"
        )
    core = min(plan.core, len(responses or contexts))
    if core < plan.core:
        notes.append(f"a core of {core}, not {plan.core}: no more is drawn; see --size")
    return notes


def _notes_of_core(plan: Plan, before: int, now: int) -> list[str]:
    """How large the core really is: all of it stays, so an extension can only keep it random by adding to it."""
    notes = []
    if 0 < before < now:
        notes.append(
            f"the core grew from {before} to {now} items, which {plan.core_people} people label: its items stay, and "
            "only with these others is it a random part of every stratum of the larger sample"
        )
    if 0 < now < CORE_LEAST:
        notes.append(f"a core of {now} is below the {CORE_LEAST} that tests with three annotators need")
    return notes


def _short(population: Population, plan: Plan, rule: Allocator, responses: Sequence[Chosen]) -> list[str]:
    """Strata of a linked draw that got less than their due: the floor, and with other rules their share."""
    if not population.linked:
        return []
    sizes, drawn = population.sizes("response"), {r.stratum: r.sample_size for r in responses}
    due = {name: min(plan.floor, size) for name, size in sizes.items()}
    if plan.allocation != "proportional":
        goal = rule(sizes, n_responses(population, plan), floor=plan.floor, at_least=None)
        due = {name: max(due[name], goal[name] - 1) for name in sizes}
    return [f"{name!r}: {drawn[name]} of {due[name]}" for name in sizes if drawn[name] < due[name]]


def small(population: Population, plan: Plan) -> list[str]:
    """The strata whose proportional share of the sample is below the floor."""
    kind = "response" if population.responses else "context"
    sizes = population.sizes(kind)
    total = sum(sizes.values()) if plan.size is None else plan.size
    return [found.stratum for found in small_strata(sizes, total, least=plan.floor)]


def records(plan: Plan, population: Population, choice: Choice) -> list[tuple[Draw, str]]:
    """The draws as they are stored, each with its unit."""
    units = {c.item_id: c.unit for c in population.responses}
    return [
        (
            Draw(
                sample_id=plan.sample_id,
                item_id=chosen.item_id,
                item_kind=kind,
                stratum=chosen.stratum,
                stratum_size=chosen.stratum_size,
                sample_size=chosen.sample_size,
                inclusion_probability=chosen.inclusion_probability,
                permanent_number=chosen.permanent_number,
            ),
            units[chosen.item_id] if kind == "response" else chosen.item_id,
        )
        for (kind, _), chosen in choice.keys
    ]
