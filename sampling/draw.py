"""Drawing: which items of each stratum are looked at, and with what probability."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sampling.allocation import proportional
from sampling.numbers import permanent_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An item that could be drawn."""

    item_id: str
    stratum: str
    unit: str
    """What gets the random number; items of several strata may share one and are then drawn together."""
    cluster: str | None = None
    """In a linked draw the item id of the context a response belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An item that was drawn."""

    item_id: str
    stratum: str
    stratum_size: int
    """Items of the whole population in the stratum (N_h)."""
    sample_size: int
    """Items drawn in the stratum (n_h)."""
    inclusion_probability: float
    """Chance in (0, 1] that the design picks this item; its weight is the inverse."""
    permanent_number: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A draw in two stages: contexts, and responses to the drawn contexts only."""

    contexts: list[Chosen]
    responses: list[Chosen]


def draw(candidates: Iterable[Candidate], sizes: Mapping[str, int], *, seed: int, purpose: str) -> list[Chosen]:
    """Stratified simple random sampling without replacement, by permanent random numbers.

    A stratum's sample is its `sizes[stratum]` items with the smallest number, ties by item id. The order of the
    candidates does not matter, and a larger size keeps everything a smaller one drew.

    Args:
        candidates: The whole population, each item once.
        sizes: Items to draw for every stratum of the population (0 to leave it out).
        seed: The study's seed.
        purpose: Salts the numbers, so that draws for different purposes are independent.

    Returns:
        The drawn items by stratum, then number, then item id.

    Raises:
        ValueError: The strata of the candidates and of the sizes differ, a size is negative or exceeds its
            stratum, an item id occurs twice, or two items of one stratum share a unit.

    Source: Ohlsson (1995), Coordination of samples using permanent random numbers, in Business Survey
    Methods, 153-169, doi:10.1002/9781118150504.ch9.

    >>> population = [Candidate(item_id=i, stratum="a", unit=i) for i in ("r1", "r2", "r3")]
    >>> [(c.item_id, round(c.inclusion_probability, 3)) for c in draw(population, {"a": 2}, seed=1, purpose="draw")]
    [('r3', 0.667), ('r2', 0.667)]
    """
    strata = _by_stratum(candidates)
    _check_sizes({name: len(items) for name, items in strata.items()}, sizes)
    numbers: dict[str, str] = {}
    chosen: list[Chosen] = []
    for name in sorted(strata):
        for item in strata[name]:
            if item.unit not in numbers:
                numbers[item.unit] = permanent_number(seed, purpose, item.unit)
        ranked = sorted(strata[name], key=lambda item: (numbers[item.unit], item.item_id))
        chosen += [
            Chosen(
                item_id=item.item_id,
                stratum=name,
                stratum_size=len(ranked),
                sample_size=sizes[name],
                inclusion_probability=sizes[name] / len(ranked),
                permanent_number=numbers[item.unit],
            )
            for item in ranked[: sizes[name]]
        ]
    return chosen


def reach(candidates: Iterable[Candidate], keep: Collection[str], *, seed: int, purpose: str) -> dict[str, int]:
    """How many items must be drawn from each stratum so that all of `keep` are drawn: `at_least` of an allocation.

    In a stratum that was drawn from the same candidates, this is the number drawn. Where candidates have come in
    since, some of them have smaller numbers than items drawn before, and are to be drawn with them.

    Args:
        candidates: The whole population, as for `draw`.
        keep: Item ids drawn before with the same seed and purpose.
        seed: The study's seed.
        purpose: Salts the numbers.

    Returns:
        The rank of the last kept item by stratum; strata with no kept item are left out.

    Raises:
        ValueError: An item to keep is not among the candidates.

    >>> population = [Candidate(item_id=i, stratum="a", unit=i) for i in ("r1", "r2", "r3")]
    >>> reach(population, {"r2"}, seed=1, purpose="draw")
    {'a': 2}
    """
    strata = _by_stratum(candidates)
    lost = set(keep) - {item.item_id for items in strata.values() for item in items}
    if lost:
        raise ValueError(f"item {min(lost)!r} was drawn but cannot be kept: it is not among the candidates any more")
    ranks: dict[str, int] = {}
    for name, items in sorted(strata.items()):
        ranked = sorted(items, key=lambda item: (permanent_number(seed, purpose, item.unit), item.item_id))
        kept = [rank for rank, item in enumerate(ranked, start=1) if item.item_id in keep]
        if kept:
            ranks[name] = kept[-1]
    return ranks


class Unreached(ValueError):
    """No drawn context has a response of some response stratum."""


class Rule(Protocol):
    """How a total is shared over strata: `allocation.proportional`, `allocation.equal` or a call of `neyman`."""

    def __call__(
        self, sizes: Mapping[str, int], total: int, /, *, floor: int, at_least: Mapping[str, int] | None
    ) -> dict[str, int]:
        """Items to draw from each stratum."""


def linked_draw(
    contexts: Iterable[Candidate],
    context_sizes: Mapping[str, int],
    responses: Iterable[Candidate],
    response_total: int,
    floor: int,
    *,
    seed: int,
    keep: Collection[str] = (),
    rule: Rule = proportional,
) -> Linked:
    """Draw contexts, then responses to the drawn contexts, so that each labelled response has a known context.

    Contexts are drawn with purpose "draw:context". The `response_total` is shared over the response strata by the
    rule, by default in proportion to what they have in drawn contexts (M_h), at least `floor` each, and drawn there
    with purpose "draw:response". A response's inclusion probability is the product of the two stages', n_c/N_c of its
    context's stratum times m_h/M_h; `stratum_size` is N_h of the whole population.

    To extend a draw, give more contexts or responses and what was drawn as `keep`. Responses of the new contexts
    with smaller numbers than a kept response are then drawn with it, so a stratum's m_h can exceed its share. As
    context and response numbers are independent, the m_h responses remain a simple random sample of the M_h, whatever
    m_h came out (exactly so when contexts have equally many responses, else nearly).

    Args:
        contexts: All contexts.
        context_sizes: Contexts to draw for every context stratum.
        responses: All responses, each with the item id of its context as `cluster`.
        response_total: Responses to draw; all in drawn contexts if there are no more.
        floor: Fewest responses per response stratum, at least 1: a stratum without any could not be estimated.
        seed: The study's seed.
        keep: Item ids of responses that were drawn before with this seed.
        rule: Shares the total over response strata.

    Raises:
        ValueError: As for `draw`; or a response has no known context, a response stratum spans several context
            strata, no drawn context has a response of a stratum, the total is below the floors and what is to be
            kept (says which total works), or a response to keep is not in a drawn context.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, section 9.4,
    doi:10.1007/978-1-4612-4378-6.

    >>> contexts = [Candidate(item_id=c, stratum="clean", unit=c) for c in ("c1", "c2")]
    >>> responses = [Candidate(item_id=c + r, stratum="clean", unit=c + r, cluster=c)
    ...              for c in ("c1", "c2") for r in ("r1", "r2")]
    >>> both = linked_draw(contexts, {"clean": 1}, responses, 1, 1, seed=1)
    >>> [c.item_id for c in both.contexts], [(r.item_id, r.inclusion_probability) for r in both.responses]
    (['c2'], [('c2r2', 0.25)])
    """
    if floor < 1:
        raise ValueError(f"floor is {floor}; every response stratum needs at least 1 drawn response")
    contexts, responses = list(contexts), list(responses)
    population = {name: len(items) for name, items in _by_stratum(responses).items()}
    _check_nesting(contexts, responses)
    first = draw(contexts, context_sizes, seed=seed, purpose="draw:context")
    first_stage = {context.item_id: context.inclusion_probability for context in first}
    reachable = [response for response in responses if response.cluster in first_stage]
    available = Counter(response.stratum for response in reachable)
    for name in sorted(population):
        if not available[name]:
            raise Unreached(
                f"response stratum {name!r}: none of its {population[name]} responses belongs to a drawn context; "
                "draw more contexts or use coarser response strata"
            )
    kept = reach(reachable, keep, seed=seed, purpose="draw:response")
    sizes = rule(available, response_total, floor=floor, at_least=kept)
    second = draw(reachable, sizes, seed=seed, purpose="draw:response")
    stage = {response.item_id: first_stage[response.cluster or ""] for response in reachable}
    return Linked(
        contexts=first,
        responses=[
            replace(
                response,
                stratum_size=population[response.stratum],
                inclusion_probability=stage[response.item_id] * response.inclusion_probability,
            )
            for response in second
        ],
    )


def _by_stratum(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    """Candidates per stratum, after refusing repeated items and units that a stratum holds twice."""
    strata: dict[str, list[Candidate]] = defaultdict(list)
    seen: set[str] = set()
    units: dict[tuple[str, str], str] = {}
    for item in candidates:
        if item.item_id in seen:
            raise ValueError(f"item {item.item_id!r} occurs twice among the candidates; give every item once")
        seen.add(item.item_id)
        other = units.setdefault((item.stratum, item.unit), item.item_id)
        if other != item.item_id:
            raise ValueError(
                f"items {other!r} and {item.item_id!r} of stratum {item.stratum!r} share the unit {item.unit!r}, "
                "so they cannot be drawn one by one; add model and prompt to the strata or use the response id as unit"
            )
        strata[item.stratum].append(item)
    return strata


def _check_sizes(available: Mapping[str, int], sizes: Mapping[str, int]) -> None:
    for name in sorted(sizes.keys() - available.keys()):
        raise ValueError(f"stratum {name!r} has a sample size of {sizes[name]} but no candidates")
    for name in sorted(available.keys() - sizes.keys()):
        raise ValueError(
            f"stratum {name!r} has {available[name]} candidates but no sample size; give 0 to leave it out"
        )
    for name in sorted(sizes):
        if not 0 <= sizes[name] <= available[name]:
            raise ValueError(
                f"stratum {name!r}: {sizes[name]} items cannot be drawn from {available[name]}; "
                f"give a sample size from 0 to {available[name]}"
            )


def _check_nesting(contexts: Sequence[Candidate], responses: Sequence[Candidate]) -> None:
    """Every response belongs to a known context, and a response stratum lies inside one context stratum."""
    stratum_of = {context.item_id: context.stratum for context in contexts}
    inside: dict[str, str] = {}
    for response in responses:
        if response.cluster not in stratum_of:
            raise ValueError(
                f"response {response.item_id!r} belongs to context {response.cluster!r}, which is not among the "
                f"{len(stratum_of)} contexts; give its context, or leave it out of a linked draw"
            )
        context_stratum = stratum_of[response.cluster]
        if inside.setdefault(response.stratum, context_stratum) != context_stratum:
            raise ValueError(
                f"response stratum {response.stratum!r} spans the context strata {inside[response.stratum]!r} and "
                f"{context_stratum!r}; add the columns of the context strata to the response strata"
            )
