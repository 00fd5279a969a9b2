"""What was drawn, for a person or for JSON."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from audit_app.actions.choice import Choice, small
from audit_app.actions.dealing import Dealt
from audit_app.actions.draw_plan import Plan
from audit_app.actions.population import Population
from sampling.draw import Chosen


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
    rule: str
    """proportional, equal or neyman."""
    n_overlap_responses: int
    n_overlap_contexts: int
    people: int
    """How many people label an item of the overlap."""
    n_core: int
    n_openings: int
    """New ones; items of an earlier sample have theirs."""
    n_top_ups: int
    """How often the sample was extended: each is a look at the work so far, and is printed with results."""
    allocation: tuple[dict[str, Any], ...]
    """One row per response stratum: stratum, stratum_size, sample_size, inclusion_probability, small."""
    context_allocation: tuple[dict[str, Any], ...]
    """The same for contexts."""
    dealt: Dealt | None
    """Who is to label what; None when anybody may take anything."""
    n_annotators: int
    """Annotators who can sign in and label."""
    notes: tuple[str, ...]


def summary(
    plan: Plan,
    population: Population,
    choice: Choice,
    *,
    n_openings: int,
    n_top_ups: int,
    n_annotators: int,
    dealt: Dealt | None,
) -> Drawn:
    """The outcome of a draw."""
    thin = set(small(population, plan))
    overlap = Counter(kind for kind, _ in choice.subsamples.overlap)
    return Drawn(
        sample_id=plan.sample_id,
        seed=plan.seed,
        n_responses=len(choice.responses),
        n_responses_in_frame=len(population.responses),
        n_contexts=len(choice.contexts),
        n_contexts_in_frame=len(population.contexts),
        strata=population.columns,
        unit=population.unit,
        linked=population.linked,
        rule=plan.allocation,
        n_overlap_responses=overlap["response"],
        n_overlap_contexts=overlap["context"],
        people=plan.people,
        n_core=len(choice.subsamples.core),
        n_openings=n_openings,
        n_top_ups=n_top_ups,
        allocation=_table(choice.responses, thin),
        context_allocation=_table(choice.contexts, set() if population.responses else thin),
        dealt=dealt,
        n_annotators=n_annotators,
        notes=choice.notes,
    )


def _table(chosen: Sequence[Chosen], thin: set[str]) -> tuple[dict[str, Any], ...]:
    rows = {
        c.stratum: {
            "stratum": c.stratum,
            "stratum_size": c.stratum_size,
            "sample_size": c.sample_size,
            "inclusion_probability": c.inclusion_probability,
            "small": c.stratum in thin,
        }
        for c in chosen
    }
    return tuple(rows.values())
