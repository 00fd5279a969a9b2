from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.bins import bin_names, quantile_cuts
from sampling.strata import collapse, small_strata, stratum_name

LAWS = settings(max_examples=60)
SCORES = st.lists(st.floats(-1e6, 1e6, allow_nan=False) | st.integers(0, 5).map(float), max_size=40)


@LAWS
@given(SCORES, st.integers(1, 6), st.randoms(use_true_random=False))
def test_quantile_bins_hold_every_score_and_do_not_depend_on_order(
    scores: list[float], bins: int, random: Random
) -> None:
    cuts = quantile_cuts(scores, bins)
    assert all(low < high for low, high in pairwise(cuts))
    assert len(cuts) < bins
    names = bin_names(scores, cuts)
    assert len(set(names)) == (len(cuts) + 1 if scores else 0)
    shuffled = list(scores)
    random.shuffle(shuffled)
    assert quantile_cuts(shuffled, bins) == cuts


@LAWS
@given(st.sets(st.integers(-(10**9), 10**9), min_size=1, max_size=40), st.integers(1, 6))
def test_different_scores_are_parted_evenly(scores: set[int], bins: int) -> None:
    values = [score / 1000 for score in scores]
    counts = Counter(bin_names(values, quantile_cuts(values, bins))).values()
    assert len(counts) == min(bins, len(values))
    assert max(counts) - min(counts) <= 1


@LAWS
@given(st.lists(st.integers(0, 30), min_size=1, max_size=20), st.integers(1, 5), st.integers(1, 9))
def test_groups_depend_on_the_order_of_scores_alone_and_not_on_how_often_all_come(
    scores: list[int], bins: int, scale: int
) -> None:
    def groups(values: list[float]) -> list[int]:
        names = bin_names(values, quantile_cuts(values, bins))
        first = {name: k for k, name in enumerate(dict.fromkeys(names))}
        return [first[name] for name in names]

    values = [float(score) for score in scores]
    assert groups([scale * value**2 - 7 for value in values]) == groups(values)
    assert quantile_cuts(values * bins, bins) == quantile_cuts(values * bins * 3, bins)
    assert bin_names(values, [10, 20]) == [bin_names([value], [10, 20])[0] for value in values]


@pytest.mark.parametrize(
    ("scores", "bins", "expected"),
    [
        pytest.param([1, 1, 1, 1, 1, 2], 2, (2.0,), id="equal scores stay together"),
        pytest.param([3, 3, 3], 4, (), id="one value"),
        pytest.param([], 4, (), id="no scores"),
        pytest.param([None, float("nan"), 1, 9], 2, (5.0,), id="missing scores do not count"),
        pytest.param([0.123456, 0.123457], 2, (0.1234565,), id="as many digits as it takes"),
    ],
)
def test_cuts_by_hand(scores: list[float | None], bins: int, expected: tuple[float, ...]) -> None:
    assert quantile_cuts(scores, bins) == expected


def test_names_say_where_an_equal_score_belongs() -> None:
    assert bin_names([-3, 0.2, 1e-7, 5], [0.2]) == ["below 0.2", "0.2 or more", "below 0.2", "0.2 or more"]
    assert bin_names([1.0], [0.0000001, 1]) == ["1 or more"]
    assert bin_names([1.0, None], []) == ["any score", ""]
    assert stratum_name(["clean", bin_names([None], [1])[0]]) == "clean | (none)"


@pytest.mark.parametrize("cuts", [[1, 1], [2, 1], [float("nan")]])
def test_cuts_that_do_not_rise_are_refused(cuts: list[float]) -> None:
    with pytest.raises(ValueError, match="numbers that rise"):
        bin_names([1.0], cuts)


def test_bins_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="bins is 0"):
        quantile_cuts([1.0], 0)


def test_small_bins_are_reported_and_collapsed_before_the_draw() -> None:
    sizes = {"clean | below 0.2": 60, "clean | 0.2 or more": 4, "none | below 0.2": 30, "none | 0.2 or more": 26}
    small = small_strata(sizes, 24)
    assert [(s.stratum, s.stratum_size, s.planned) for s in small] == [("clean | 0.2 or more", 4, 0.8)]
    merge = collapse(sizes, ["condition", "leak"], 24)
    assert merge.stratum_size == {"clean | *": 64, "none | below 0.2": 30, "none | 0.2 or more": 26}
    assert [(m.stratum, m.usable_units) for m in merge.merges] == [("clean | *", 12)]
    assert merge.too_few == ()


def test_a_stratum_can_be_too_small_in_the_frame() -> None:
    sizes = {"a": 3, "b": 50}
    assert small_strata(sizes, 53) == []
    assert [s.stratum for s in small_strata(sizes, 53, smallest=5)] == ["a"]
    assert collapse(sizes, ["condition"], 53, smallest=5).stratum_size == {"*": 53}
    assert collapse(sizes, ["condition"], 53, smallest=99).too_few == ("*",)


@LAWS
@given(st.dictionaries(st.tuples(*[st.sampled_from("xyz")] * 2).map(stratum_name), st.integers(0, 40), min_size=1),
       st.integers(2, 60), st.integers(2, 5))  # fmt: skip
def test_after_a_collapse_nothing_is_small_and_nobody_is_lost(sizes: dict[str, int], total: int, least: int) -> None:
    merge = collapse(sizes, ["condition", "model"], total, least=least)
    assert sum(merge.stratum_size.values()) == sum(sizes.values())
    left = small_strata(merge.stratum_size, total, least=least)
    assert {s.stratum for s in left} == set(merge.too_few)
    if total >= least:
        assert left == []
