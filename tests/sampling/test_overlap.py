from collections import Counter
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.numbers import permanent_number
from sampling.overlap import overlap, shared

LAWS = settings(max_examples=60)
ITEMS = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.sampled_from("xyz"), max_size=30)
SHARES = st.integers(0, 100).map(lambda percent: percent / 100)


@LAWS
@given(ITEMS, SHARES, st.integers(0, 9), st.randoms(use_true_random=False))
def test_the_share_is_exact_and_fair_to_strata(items: dict[str, str], share: float, seed: int, random: Random) -> None:
    members = overlap(items, share, seed=seed)
    assert members <= items.keys()
    exact = Fraction(str(share)) * len(items)
    assert len(members) == int(exact + Fraction(1, 2))
    taken, sizes = Counter(items[item] for item in members), Counter(items.values())
    for stratum, size in sizes.items():
        assert abs(taken[stratum] - len(members) * size / len(items)) < 1
    shuffled = list(items.items())
    random.shuffle(shuffled)
    assert overlap(dict(shuffled), share, seed=seed) == members


@LAWS
@given(ITEMS, SHARES, SHARES)
def test_raising_the_share_takes_at_most_one_member_from_a_stratum(
    items: dict[str, str], low: float, high: float
) -> None:
    low, high = sorted((low, high))
    lost = overlap(items, low, seed=1) - overlap(items, high, seed=1)
    assert all(count <= 1 for count in Counter(items[item] for item in lost).values())


def test_in_one_stratum_raising_the_share_keeps_all_members() -> None:
    items = dict.fromkeys(map(str, range(100)), "x")
    grown = [overlap(items, percent / 100, seed=1) for percent in range(101)]
    assert all(smaller <= larger for smaller, larger in pairwise(grown))
    assert (grown[0], grown[100]) == (frozenset(), frozenset(items))


def test_the_share_is_read_as_the_decimal_it_is_printed_as() -> None:
    assert len(overlap(dict.fromkeys(map(str, range(50)), "x"), 0.29, seed=1)) == 15  # 14.5, in floats 14.499...


def test_seeds_and_purposes_choose_different_items() -> None:
    items = dict.fromkeys(map(str, range(400)), "x")
    first = overlap(items, 0.5, seed=1)
    # Independent halves share 100 +- 5 of 400 items.
    assert 70 < len(first & overlap(items, 0.5, seed=2)) < 130
    assert 70 < len(first & overlap(items, 0.5, seed=1, purpose="repeat")) < 130


@pytest.mark.parametrize("share", [-0.1, 1.01, float("nan")])
def test_a_share_outside_zero_to_one_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        overlap({"a": "x"}, share, seed=1)


@LAWS
@given(ITEMS, SHARES, st.integers(0, 40), st.integers(0, 9))
def test_shared_is_overlap_and_core_together(items: dict[str, str], share: float, core: int, seed: int) -> None:
    found = shared(items, share=share, core=core, seed=seed)
    assert found.overlap == overlap(items, share, seed=seed)
    assert len(found.core) == min(core, len(items))
    assert {item for item, number in found.people.items() if number == 3} == found.core
    assert {item for item, number in found.people.items() if number == 2} == found.overlap - found.core
    central = found.core
    taken, sizes = Counter(items[item] for item in central), Counter(items.values())
    assert all(abs(taken[h] - len(central) * size / len(items)) < 1 for h, size in sizes.items())


def test_every_item_can_go_to_k_people() -> None:
    assert shared({"a": "x", "b": "y"}, share=1, people=3, seed=1).people == {"a": 3, "b": 3}
    assert shared({"a": "x", "b": "y"}, share=0, seed=1).people == {"a": 1, "b": 1}


def test_draw_overlap_core_and_diagnostics_do_not_nest() -> None:
    items = dict.fromkeys(map(str, range(1000)), "x")
    drawn = set(sorted(items, key=lambda i: permanent_number(1, "draw", i))[:400])
    doubled = overlap(items, 0.4, seed=1)
    central = shared(items, share=0.4, core=400, seed=1).core
    diagnostics = overlap(items, 0.4, seed=1, purpose="diagnostics")
    sets = [drawn, doubled, central, diagnostics]
    # Independent 40 % share 160 +- 10 of 1000 items.
    assert all(120 < len(a & b) < 200 for k, a in enumerate(sets) for b in sets[k + 1 :])


@LAWS
@given(ITEMS, ITEMS, SHARES, SHARES)
def test_an_overlap_that_is_extended_keeps_its_members(
    few: dict[str, str], more: dict[str, str], low: float, high: float
) -> None:
    before = overlap(few, low, seed=1)
    items = more | few
    after = overlap(items, high, seed=1, keep=before)
    assert before <= after
    assert len(after) >= len(overlap(items, high, seed=1))
    for name in set(items.values()):
        ranked = sorted((i for i in items if items[i] == name), key=lambda i: (permanent_number(1, "overlap", i), i))
        assert set(ranked[: sum(items[i] == name for i in after)]) == {i for i in after if items[i] == name}


@LAWS
@given(ITEMS, ITEMS, SHARES, st.integers(0, 20), st.integers(0, 20), st.randoms(use_true_random=False))
def test_a_core_that_is_extended_keeps_its_members_in_any_order(
    few: dict[str, str], more: dict[str, str], share: float, core: int, further: int, random: Random
) -> None:
    before, items = shared(few, share=share, core=core, seed=1), more | few
    after = shared(items, share=share, core=core + further, seed=1, keep=before.overlap, keep_core=before.core)
    assert before.core <= after.core
    assert before.overlap <= after.overlap
    assert all(after.people[item] >= number for item, number in before.people.items())
    moved = {item: items[item] for item in random.sample(list(items), len(items))}
    again = shared(moved, share=share, core=core + further, seed=1, keep=before.overlap, keep_core=before.core)
    assert again == after


@pytest.mark.parametrize("options", [{"people": 0}, {"core": -1}, {"core_people": 0}])
def test_numbers_of_people_that_make_no_sense_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="expected 1, 1 and 0 or more"):
        shared({"a": "x"}, share=0.5, seed=1, **options)  # type: ignore[arg-type]  # mixed keyword values
