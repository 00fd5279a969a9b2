"""What every random decision and every reckoning over strata obeys. A new one joins DECISIONS or RECKONINGS.

What only one of them can obey (exact totals, bounds, balance, unbiasedness) stands beside its own tests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.allocation import anticipated_se, equal, neyman, neyman_shares, proportional
from sampling.assignment import assign
from sampling.draw import Candidate, draw, linked_draw, reach
from sampling.effort import effort
from sampling.expected import Assumptions, Expected, spreads
from sampling.overlap import overlap, shared
from sampling.planner import labels_needed, outlook
from sampling.repeats import repeat_after
from sampling.sizing import best_half_width, draw_buys, draw_needed, enough_annotators
from sampling.split import part
from sampling.spread import of_counts
from sampling.strata import collapse, merge_small, small_strata

LAWS = settings(max_examples=25)

# -- Random decisions ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which share of some items is wanted."""

    items: Sequence[str]
    share: float
    seed: int
    stratum: str = "s"

    @property
    def size(self) -> int:
        """Items that are wanted."""
        return round(self.share * len(self.items))

    @property
    def strata(self) -> dict[str, str]:
        """The stratum of every item."""
        return dict.fromkeys(self.items, self.stratum)

    @property
    def candidates(self) -> list[Candidate]:
        """The items as contexts."""
        return [Candidate(item_id=i, stratum=self.stratum, unit=i) for i in self.items]


Decision = Callable[[Asked], set[str]]


def drawn(asked: Asked) -> set[str]:
    chosen = draw(asked.candidates, {asked.stratum: asked.size}, seed=asked.seed, purpose="draw")
    return {c.item_id for c in chosen}


def linked(asked: Asked, contexts: int, responses: int) -> tuple[set[str], set[str]]:
    """Contexts with one response each, which goes by the same name."""
    answers = [Candidate(item_id=i, stratum=asked.stratum, unit=i, cluster=i) for i in asked.items]
    both = linked_draw(asked.candidates, {asked.stratum: contexts}, answers, responses, 1, seed=asked.seed)
    return {c.item_id for c in both.contexts}, {r.item_id for r in both.responses}


def dealt(asked: Asked, purpose: str) -> set[str]:
    """What the first of ten people get, so many of them as the share says."""
    people = [f"p{k}" for k in range(10)]
    once = dict.fromkeys(asked.items, 1)
    given_to = assign(asked.strata, once, people, seed=asked.seed, purpose=purpose)
    return {item for item, those in given_to.items() if those[0] in people[: round(10 * asked.share)]}


def repeated(asked: Asked, annotator: str) -> set[str]:
    return {i for i in asked.items if repeat_after(i, asked.share, annotator=annotator, seed=asked.seed) is not None}


DECISIONS: dict[str, Decision] = {
    "draw": drawn,
    "contexts of a linked draw": lambda asked: linked(asked, asked.size, len(asked.items))[0],
    "responses of a linked draw": lambda asked: linked(asked, len(asked.items), asked.size)[1],
    "overlap": lambda asked: set(overlap(asked.strata, asked.share, seed=asked.seed)),
    "core": lambda asked: set(shared(asked.strata, share=0, core=asked.size, seed=asked.seed).core),
    "diagnostics": lambda asked: set(overlap(asked.strata, asked.share, seed=asked.seed, purpose="diagnostics")),
    "assignment": lambda asked: dealt(asked, "assignment"),
    "assignment of another pass": lambda asked: dealt(asked, "assignment:correctness"),
    "repeats": lambda asked: repeated(asked, "p0"),
    "repeats of another annotator": lambda asked: repeated(asked, "p1"),
    "dev": lambda asked: {i for i in asked.items if part(i, asked.share, seed=asked.seed) == "dev"},
}

every = pytest.mark.parametrize("name", DECISIONS)
ITEMS = [f"t{k}" for k in range(40)]
seeds = st.integers(0, 10_000)
shares = st.integers(1, 10).map(lambda tenths: tenths / 10)


@every
@LAWS
@given(shares, seeds, st.randoms(use_true_random=False))
def test_the_order_of_items_and_the_name_of_the_stratum_do_not_matter(
    name: str, share: float, seed: int, random: Random
) -> None:
    before = DECISIONS[name](Asked(items=ITEMS, share=share, seed=seed))
    assert before == DECISIONS[name](Asked(items=ITEMS, share=share, seed=seed))
    shuffled = random.sample(ITEMS, len(ITEMS))
    assert DECISIONS[name](Asked(items=shuffled, share=share, seed=seed, stratum="other")) == before


@every
@LAWS
@given(shares, shares, seeds)
def test_a_larger_share_keeps_everything_that_a_smaller_one_chose(
    name: str, one: float, other: float, seed: int
) -> None:
    low, high = (DECISIONS[name](Asked(items=ITEMS, share=share, seed=seed)) for share in sorted((one, other)))
    assert low <= high


def test_no_two_decisions_nest_and_another_seed_decides_anew() -> None:
    items = [f"t{k}" for k in range(1000)]
    chosen = {
        (name, seed): decide(Asked(items=items, share=0.4, seed=seed))
        for name, decide in DECISIONS.items()
        for seed in (1, 2)
    }
    # Independent: 400 +- 15 and, of two, 160 +- 10 of 1000 items.
    assert all(330 < len(found) < 470 for found in chosen.values())
    for one, other in combinations(chosen, 2):
        assert 112 < len(chosen[one] & chosen[other]) < 208, (one, other)


@LAWS
@given(st.lists(st.integers(1, 12), min_size=1, max_size=3), seeds, st.randoms(use_true_random=False))
def test_what_reaches_a_sample_is_its_size_in_any_order(sizes: list[int], seed: int, random: Random) -> None:
    candidates = [
        Candidate(item_id=f"{h}-{k}", stratum=str(h), unit=str(k)) for h in range(len(sizes)) for k in range(12)
    ]
    wanted = {str(h): size for h, size in enumerate(sizes)}
    chosen = [c.item_id for c in draw(candidates, wanted, seed=seed, purpose="draw")]
    random.shuffle(candidates)
    random.shuffle(chosen)
    assert reach(iter(candidates), chosen, seed=seed, purpose="draw") == wanted


# -- Reckonings over strata ------------------------------------------------------------------------------------------

Strata = Mapping[str, Expected]
Numbers = dict[str, float]
"""By stratum, and by other words in capitals for what is of all strata."""
ASSUME = Assumptions(deff=1.3, annotators=5, rho=0.01)


def sizes_of(strata: Strata) -> dict[str, int]:
    return {name: one.stratum_size for name, one in strata.items()}


def spread_of(strata: Strata) -> dict[str, float]:
    return {name: sqrt(one.rate * (1 - one.rate)) for name, one in strata.items()}


def tenth(strata: Strata) -> dict[str, int]:
    return {name: -(-one.stratum_size // 10) for name, one in strata.items()}


def shared_out(rule: Callable[..., Mapping[str, float]]) -> Callable[[Strata], Numbers]:
    return lambda strata: dict(rule(sizes_of(strata), total_of(strata)))


def total_of(strata: Strata) -> int:
    return 2 * len(strata) + sum(sizes_of(strata).values()) // 10


def counted(strata: Strata) -> Numbers:
    """From the counts of a pilot that saw ten of every stratum."""
    yes = {name: round(10 * one.rate) for name, one in strata.items()}
    seen = {
        name: {(1.0, 1.0): y, (0.0, 1.0): 10 - y} if strata[name].stratum_size else {(1.0, 1.0): 0.0}
        for name, y in yes.items()
    }
    found = of_counts(seen, sizes=sizes_of(strata))
    return {name: found[name] for name, one in strata.items() if one.stratum_size}


def expected_spread(strata: Strata) -> Numbers:
    found = spreads(strata, {"all": list(strata)})["all"]
    return {**found.corrected, "VALUE": found.value, "FOURTH": sum(found.fourth.values())}


def looked(strata: Strata, labels: Mapping[str, int] | None = None) -> Numbers:
    (seen,) = outlook(strata, labels or tenth(strata), assume=ASSUME).values()
    return {"WIDTH": seen.half_width, "ALONE": seen.human_only, "VALUE": seen.value, "DEN": seen.in_denominator}


def bought(strata: Strata) -> Numbers:
    found = draw_buys(strata, sum(sizes_of(strata).values()), sharing(strata), assume=ASSUME)
    return {"TOTAL": found.total, "WIDTH": found.slices["everything"].half_width}


def sharing(strata: Strata) -> Callable[[int], dict[str, int]]:
    return lambda total: proportional(sizes_of(strata), total, floor=1)


def needed(strata: Strata) -> Numbers:
    # The search starts at `fewest`, and what a total gives is not quite monotone: items are whole.
    fewest = 2 * sum(expected.stratum_size > 0 for expected in strata.values())
    return {"TOTAL": draw_needed(strata, 0.1, sharing(strata), fewest=fewest, least=0).total}


def annotators(strata: Strata) -> Numbers:
    return {"ENOUGH": enough_annotators(strata, 0.05, sharing(strata), assume=ASSUME) or 0}


def thin(strata: Strata) -> Numbers:
    return {small.stratum: small.planned for small in small_strata(sizes_of(strata), 9)}


ROUNDED: dict[str, Callable[[Strata], Numbers]] = {
    "proportional": shared_out(proportional),
    "equal": shared_out(equal),
    "neyman": lambda strata: dict(neyman(sizes_of(strata), spread_of(strata), total_of(strata))),
    "labels_needed": lambda strata: dict(labels_needed(strata, 0.1, least=0).labels),
    "draw_needed": needed,
}
"""Items are whole: of equal remainders the first by name is rounded up, so a name is worth an item."""
EXACT: dict[str, Callable[[Strata], Numbers]] = {
    "neyman_shares": lambda strata: {
        name: float(share)
        for name, share in neyman_shares(sizes_of(strata), spread_of(strata), total_of(strata)).items()
    },
    "anticipated_se": lambda strata: {"SE": anticipated_se(sizes_of(strata), spread_of(strata), tenth(strata))},
    "of_counts": counted,
    "spreads": expected_spread,
    "outlook": looked,
    "draw_buys": bought,
    "best_half_width": lambda strata: {"WIDTH": best_half_width(strata, sharing(strata), assume=ASSUME)},
    "enough_annotators": annotators,
    "small_strata": thin,
}
RECKONINGS = ROUNDED | EXACT

RATES = st.floats(0.05, 0.95)
STRATA = st.dictionaries(
    st.sampled_from("abcdef"),
    st.builds(Expected, stratum_size=st.integers(2, 90), rate=RATES, sensitivity=RATES, specificity=RATES),
    min_size=2,
)


@pytest.mark.parametrize("name", RECKONINGS)
@LAWS
@given(STRATA, st.randoms(use_true_random=False))
def test_the_order_of_strata_does_not_matter(name: str, strata: Strata, random: Random) -> None:
    moved = {key: strata[key] for key in random.sample(list(strata), len(strata))}
    assert RECKONINGS[name](moved) == pytest.approx(RECKONINGS[name](strata))


@pytest.mark.parametrize("name", EXACT)
@LAWS
@given(STRATA, st.permutations("abcdef"))
def test_what_strata_are_called_does_not_matter(name: str, strata: Strata, order: list[str]) -> None:
    called = dict(zip("abcdef", order, strict=True))
    before, after = EXACT[name](strata), EXACT[name]({called[key]: one for key, one in strata.items()})
    assert {called.get(key, key): number for key, number in before.items()} == pytest.approx(after)


@pytest.mark.parametrize("name", ["proportional", "equal", "neyman"])
@LAWS
@given(STRATA, st.permutations("abcdef"))
def test_what_strata_are_called_moves_no_more_than_one_item(name: str, strata: Strata, order: list[str]) -> None:
    called = dict(zip("abcdef", order, strict=True))
    before, after = ROUNDED[name](strata), ROUNDED[name]({called[key]: one for key, one in strata.items()})
    assert all(abs(after[called.get(key, key)] - number) <= 1 for key, number in before.items())


@pytest.mark.parametrize("name", RECKONINGS)
@LAWS
@given(STRATA)
def test_a_stratum_without_items_changes_nothing(name: str, strata: Strata) -> None:
    nothing = Expected(stratum_size=0, rate=0.5, sensitivity=0.5, specificity=0.5)
    if name in ("proportional", "equal", "neyman", "neyman_shares"):
        rule = {"proportional": proportional, "equal": equal}.get(name)
        total = total_of(strata)
        for given_strata in (strata, {**strata, "z": nothing}):
            sizes, varies = sizes_of(given_strata), spread_of(given_strata)
            found = rule(sizes, total) if rule else neyman(sizes, varies, total)
            assert found.get("z", 0) == 0
            assert sum(found.values()) == min(total, sum(sizes.values()))
        return
    before, after = RECKONINGS[name](strata), RECKONINGS[name]({**strata, "z": nothing})
    assert {key: after[key] for key in before} == pytest.approx(before)
    assert after.get("z", 0) == 0


@LAWS
@given(STRATA)
def test_twice_the_labels_are_narrower_and_twice_the_strata_too(strata: Strata) -> None:
    one = looked(strata)
    assert looked(strata, {k: 2 * n for k, n in tenth(strata).items()})["WIDTH"] <= one["WIDTH"] + 1e-12
    again = {**strata, **{f"{key}'": expected for key, expected in strata.items()}}
    twice = looked(again)
    assert twice["WIDTH"] <= one["WIDTH"]
    assert (twice["VALUE"], twice["DEN"]) == pytest.approx((one["VALUE"], 2 * one["DEN"]))
    error = EXACT["anticipated_se"]
    assert error(again)["SE"] == pytest.approx(error(strata)["SE"] / sqrt(2))


@LAWS
@given(STRATA, st.integers(2, 5))
def test_neyman_shares_grow_with_everything(strata: Strata, times: int) -> None:
    sizes, total = sizes_of(strata), total_of(strata)
    once = neyman_shares(sizes, spread_of(strata), total)
    grown = neyman_shares({k: times * n for k, n in sizes.items()}, spread_of(strata), times * total, floor=2 * times)
    assert grown == {name: times * share for name, share in once.items()}


@LAWS
@given(STRATA, st.integers(1, 9))
def test_counts_of_another_size_and_in_another_unit(strata: Strata, times: int) -> None:
    pilot = {name: {(1.0, 1.0): round(10 * e.rate), (0.0, 1.0): 20 - round(10 * e.rate)} for name, e in strata.items()}
    sizes, once = sizes_of(strata), of_counts(pilot, sizes=sizes_of(strata))
    more = of_counts({k: {t: times * n for t, n in of.items()} for k, of in pilot.items()}, sizes=sizes)
    # n - 1 of 20 and of 20 times as many
    assert more == pytest.approx({k: s * sqrt(19 / 20 * 20 * times / (20 * times - 1)) for k, s in once.items()})
    points = of_counts({k: {(100 * t[0], t[1]): n for t, n in of.items()} for k, of in pilot.items()}, sizes=sizes)
    assert points == pytest.approx({k: 100 * s for k, s in once.items()})


@LAWS
@given(st.dictionaries(st.tuples(st.sampled_from("xyz"), st.sampled_from("12")), st.integers(0, 30), min_size=1),
       st.randoms(use_true_random=False))  # fmt: skip
def test_merging_does_not_depend_on_order_and_is_done_once(sizes: dict[tuple[str, str], int], random: Random) -> None:
    named = {f"{one} | {run}": size for (one, run), size in sizes.items()}
    moved = {name: named[name] for name in random.sample(list(named), len(named))}
    columns = ["condition", "run"]
    usable = {name: size // 10 for name, size in named.items()}
    for before, after in (
        (collapse(named, columns, 12), collapse(moved, columns, 12)),
        (merge_small(list(named), columns, usable, named), merge_small(list(moved), columns, usable, named)),
    ):
        assert (after.stratum, after.too_few) == (before.stratum, before.too_few)
        assert after.stratum_size == before.stratum_size
    again = collapse(collapse(named, columns, 12).stratum_size, columns, 12)
    assert again.merges == ()


# -- Work ------------------------------------------------------------------------------------------------------------


@LAWS
@given(st.integers(1, 300), st.integers(1, 300), st.floats(0, 1), st.integers(1, 4), st.floats(0, 1))
def test_twice_the_sample_is_twice_the_work(
    responses: int, contexts: int, doubled: float, people: int, repeats: float
) -> None:
    once, twice = (effort(k * responses, k * contexts, overlap=doubled, people=people, repeats=repeats) for k in (1, 2))
    assert twice.hours == pytest.approx(2 * once.hours)
    assert twice.rereading_hours == pytest.approx(2 * once.rereading_hours)
    assert twice.response_readings == pytest.approx(2 * once.response_readings)
    assert once.rereading_hours < once.hours
