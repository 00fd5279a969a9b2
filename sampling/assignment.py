"""Who labels what: contexts go to annotators at random within strata, each with all its sampled responses."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

from sampling.numbers import permanent_number

PURPOSE = "assignment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Who may have a context, by what they know already."""

    barred: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Annotators who may not have a context, by its id."""
    avoided: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Annotators who have it only if nobody else can."""
    group: Mapping[str, str] = field(default_factory=dict)
    """Contexts of one group (a task) go to different people; with too few of them, see `strict`."""
    strict: bool = False
    """Whether a context rather goes to nobody than to somebody who has another one of its group."""


def assign(
    contexts: Mapping[str, str],
    people: Mapping[str, int],
    annotators: Sequence[str],
    *,
    seed: int,
    purpose: str = PURPOSE,
    already: Mapping[str, Sequence[str]] | None = None,
    limits: Limits | None = None,
) -> dict[str, tuple[str, ...]]:
    """The annotators of every context, in the plan's order: the first is the one whose labels count for target A.

    An item of the context that needs m people goes to the first m of them, so a person who reads a context labels
    as many of its responses as the plan has for them. Within a stratum contexts come in random order, those for
    several people first. These take the pair that shares fewest contexts so far: where two people are the most, the
    numbers that any two pairs share differ by at most 1. A third or further annotator is the one who shares least with
    those before. The contexts for one person go to whoever is first in fewest contexts of the stratum. Limits come
    before balance.

    Args:
        contexts: Stratum of each context, by its id.
        people: How many annotators each context needs: the largest number that one of its items needs.
        annotators: Everyone who labels, each once; their order does not matter.
        seed: The study's seed.
        purpose: Salts the numbers, so that two passes over the same contexts are dealt independently.
        already: Who has a context from before; they keep it, in this order, and more are added where needed.
        limits: Who may not have a context, or not if somebody else can; a context may then get fewer people than
            it needs, or none.

    Raises:
        ValueError: An annotator is listed twice, a context needs more people than there are or fewer than 1, or has
            no number of people.

    Source: interpenetrating subsamples, Mahalanobis (1946), J. R. Stat. Soc. 109(4), 325-378, doi:10.2307/2981330;
    Cochran (1977), Sampling Techniques, 3rd ed., section 13.16.

    >>> assign({"c1": "a", "c2": "a", "c3": "a"}, {"c1": 2, "c2": 1, "c3": 2}, ["p", "q"], seed=1)
    {'c1': ('q', 'p'), 'c2': ('p',), 'c3': ('p', 'q')}
    """
    _check(contexts, people, annotators)
    had = {context: tuple(those) for context, those in (already or {}).items() if context in contexts}
    shuffled = sorted(annotators, key=lambda who: (permanent_number(seed, "annotators", who), who))
    plan = _Plan(annotators=shuffled, limits=limits or Limits())
    for context, those in had.items():
        plan.note(context, contexts[context], those)

    def turn(context: str) -> tuple[str, bool, str, str]:
        return contexts[context], people[context] < 2, permanent_number(seed, purpose, context), context

    given = {
        context: plan.choose(context, contexts[context], people[context], had.get(context, ()))
        for context in sorted(contexts, key=turn)
    }
    return {context: given[context] for context in contexts}


@dataclass(slots=True)
class _Plan:
    """What has been given to whom so far."""

    annotators: Sequence[str]
    """In random order: it breaks the ties."""
    limits: Limits
    firsts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """First places of each annotator by stratum."""
    loads: Counter[str] = field(default_factory=Counter)
    shared: Counter[frozenset[str]] = field(default_factory=Counter)
    """Contexts that two annotators have in common."""
    groups: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Who has a context of each group."""

    def note(self, context: str, stratum: str, those: Sequence[str]) -> None:
        """Counts a context that these annotators have."""
        if those:
            self.firsts[stratum][those[0]] += 1
        self.loads.update(those)
        self.shared.update(map(frozenset, combinations(those, 2)))
        if context in self.limits.group:
            self.groups[self.limits.group[context]].update(those)

    def choose(self, context: str, stratum: str, wanted: int, had: tuple[str, ...]) -> tuple[str, ...]:
        """The annotators of the next context."""
        mates = self.groups[self.limits.group[context]] - set(had) if context in self.limits.group else set()
        barred = {*self.limits.barred.get(context, ()), *(mates if self.limits.strict else ())}
        unwelcome = {*self.limits.avoided.get(context, ()), *mates}
        able = [who for who in self.annotators if who not in barred]
        those = list(had)
        if not those and able:
            pair = wanted > 1 and len(able) > 1
            those = list(self._pair(stratum, able, unwelcome)) if pair else [self._single(stratum, able, unwelcome)]
            self.note(context, stratum, those)
        while len(those) < wanted and (others := [who for who in able if who not in those]):
            added = min(others, key=lambda who: (who in unwelcome, self._common(who, those), self.loads[who]))
            self.loads[added] += 1
            self.shared.update(frozenset((who, added)) for who in those)
            those.append(added)
        if context in self.limits.group:
            self.groups[self.limits.group[context]].update(those)
        return tuple(those)

    def _pair(self, stratum: str, able: Sequence[str], unwelcome: Collection[str]) -> tuple[str, str]:
        """A pair that shares least, in the order that keeps first places even."""

        def turn(pair: tuple[str, str]) -> tuple[int, int, int, int]:
            first, second = pair
            against = (first in unwelcome) + (second in unwelcome)
            loads = self.loads[first] + self.loads[second]
            return against, self.shared[frozenset(pair)], self.firsts[stratum][first], loads

        return min(permutations(able, 2), key=turn)

    def _single(self, stratum: str, able: Sequence[str], unwelcome: Collection[str]) -> str:
        return min(able, key=lambda who: (who in unwelcome, self.firsts[stratum][who], self.loads[who]))

    def _common(self, who: str, those: Sequence[str]) -> int:
        return sum(self.shared[frozenset((who, other))] for other in those)


def _check(contexts: Mapping[str, str], people: Mapping[str, int], annotators: Sequence[str]) -> None:
    if len(set(annotators)) < len(annotators):
        raise ValueError("an annotator is listed twice; give everyone once")
    for context in contexts:
        wanted = people.get(context)
        if wanted is None or not 1 <= wanted <= len(annotators):
            raise ValueError(
                f"context {context!r} needs {wanted} people; expected 1 to {len(annotators)}, the number of annotators"
            )
