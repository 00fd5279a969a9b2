from collections import Counter
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.overlap import overlap

LAWS = settings(deadline=None, max_examples=60)
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
