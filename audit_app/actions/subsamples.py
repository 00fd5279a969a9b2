"""The random parts of a sample: what several people label, the core of three, what is asked the diagnostics."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from audit_app.actions.draw_plan import Plan
from audit_app.actions.openings import Key
from data.store import items
from data.store.connection import Store
from sampling.draw import Chosen
from sampling.overlap import overlap, shared

NAMES = ("overlap", "core", "diagnostics")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subsamples:
    """The members of each subsample, and how many people label each drawn item."""

    overlap: frozenset[Key] = frozenset()
    core: frozenset[Key] = frozenset()
    diagnostics: frozenset[Key] = frozenset()
    people: Mapping[Key, int] = field(default_factory=dict)

    @classmethod
    def stored(cls, store: Store, sample_id: str) -> Self:
        """The members of those of a sample that was drawn before."""
        overlap, core, diagnostics = (frozenset(items.subsample(store, sample_id, name)) for name in NAMES)
        return cls(overlap=overlap, core=core, diagnostics=diagnostics)

    def keep(self, store: Store, sample_id: str) -> None:
        """Adds the members to what the study holds."""
        for name in NAMES:
            items.add_subsample(store, sample_id, name, sorted(getattr(self, name)))


def choose(
    plan: Plan, contexts: Sequence[Chosen], responses: Sequence[Chosen], before: Subsamples, drawn: Collection[str]
) -> Subsamples:
    """The subsamples of a draw; those of an earlier, smaller one, with the responses `drawn` then, stay in them."""
    found, people = {"overlap": set(before.overlap), "core": set(before.core)}, dict[Key, int]()
    for kind, chosen in (("context", contexts), ("response", responses)):
        sharing = shared(
            {c.item_id: c.stratum for c in chosen},
            share=plan.overlap,
            people=plan.people,
            core=plan.core if kind == "response" or not responses else 0,
            core_people=plan.core_people,
            seed=plan.seed,
            purpose=f"overlap:{kind}",
            keep=_of_kind(before.overlap, kind),
            keep_core=_of_kind(before.core, kind),
        )
        found["overlap"] |= {(kind, item) for item in sharing.overlap}
        found["core"] |= {(kind, item) for item in sharing.core}
        people |= {(kind, item): n for item, n in sharing.people.items()}
    return Subsamples(
        overlap=frozenset(found["overlap"]),
        core=frozenset(found["core"]),
        diagnostics=before.diagnostics | _diagnostics(plan, responses, drawn),
        people=people,
    )


def _diagnostics(plan: Plan, responses: Sequence[Chosen], drawn: Collection[str]) -> frozenset[Key]:
    """The share of what is newly drawn: whoever has labelled an item without its diagnostics is not asked again."""
    strata = {r.item_id: r.stratum for r in responses if r.item_id not in drawn}
    return frozenset(("response", i) for i in overlap(strata, plan.diagnostics, seed=plan.seed, purpose="diagnostics"))


def _of_kind(keys: Collection[Key], kind: str) -> set[str]:
    return {item for k, item in keys if k == kind}
