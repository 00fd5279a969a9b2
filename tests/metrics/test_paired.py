import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from metrics.definitions import METRICS
from metrics.difference import Difference
from metrics.paired import Pairs, bootstrapped, clustered

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "comparison_cases.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in GOLDEN["cases"]}

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
seeds = st.integers(0, 10_000)


def of_scores(first: ArrayLike, second: ArrayLike, task: Any, *, span: float = 1.0) -> Pairs:
    """Pairs of which the mean score is compared."""
    return Pairs.of_terms((first, np.ones(np.shape(first))), (second, np.ones(np.shape(second))), task, span=span)


def scores(seed: int) -> tuple[Floats, Floats, Ints]:
    """0/1 answers of two models to 60 questions of 12 tasks of unequal size."""
    rng = np.random.default_rng(seed)
    task = rng.integers(0, 12, 60)
    ease = rng.normal(0, 1, 12)[task]
    first, second = (rng.random((2, 60)) < 1 / (1 + np.exp(-ease - np.array([[0.3], [-0.2]])))).astype(float)
    return first, second, task


def mirrored(found: Difference) -> list[float]:
    assert found.value is not None
    assert found.se is not None
    assert found.low is not None
    assert found.high is not None
    return [-found.value, found.se, -found.high, -found.low]


def numbers(found: Difference) -> list[float]:
    assert found.value is not None
    assert found.se is not None
    assert found.low is not None
    assert found.high is not None
    return [found.value, found.se, found.low, found.high]


# -- Sourced values --------------------------------------------------------------------------------------------------


def test_the_clustered_standard_error_matches_the_reference() -> None:
    case = CASES["PAIR-054"]
    y = np.array(case["data"]["y"], dtype=float)
    found = clustered(of_scores(y, np.zeros(20), case["data"]["cluster"], span=20))
    assert found.se == pytest.approx(case["expected"], abs=case["tolerance"])
    assert (found.df, found.clusters, found.n) == (3, 4, 20)


def test_one_pair_per_task_is_the_paired_t_test() -> None:
    first, second, _ = scores(1)
    found = clustered(of_scores(first, second, np.arange(60)))
    test = stats.ttest_rel(first, second)
    assert found.p == pytest.approx(test.pvalue)
    ends = test.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))


def test_a_ratio_by_hand() -> None:
    # Tasks a, b, c. First: num 1 0 1, den 1 1 2, R = 1/2; second: num 0 1 0, den 1 2 1, R = 1/4.
    # z_first = (1/2, -1/2, 0) / 4, z_second = (-1/4, 1/2, -1/4) / 4; z = (3, -4, 1) / 16; 3/2 * 26/256
    pairs = Pairs.of_terms(([1, 0, 1], [1, 1, 2]), ([0, 1, 0], [1, 2, 1]), ["a", "b", "c"])
    found = clustered(pairs)
    assert found.value == pytest.approx(0.25)
    assert found.se == pytest.approx(sqrt(1.5 * 26 / 256))


# -- Laws ------------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(seeds)
def test_swapping_first_and_second_turns_the_sign(seed: int) -> None:
    first, second, task = scores(seed)
    there, back = of_scores(first, second, task), of_scores(second, first, task)
    assert mirrored(clustered(there)) == pytest.approx(numbers(clustered(back)))
    assert clustered(there).p == pytest.approx(clustered(back).p)
    assert bootstrapped(there, seed=1, replicates=200).value == pytest.approx(-_value(back))


def _value(pairs: Pairs) -> float:
    value = clustered(pairs).value
    assert value is not None
    return value


@settings(max_examples=30)
@given(seeds)
def test_neither_the_order_of_rows_nor_the_names_of_tasks_matter(seed: int) -> None:
    first, second, task = scores(seed)
    order = np.random.default_rng(seed).permutation(60)
    names = np.array([f"task {(7 * t) % 13}" for t in task])
    before = of_scores(first, second, task)
    after = of_scores(first[order], second[order], names[order])
    assert numbers(clustered(after)) == pytest.approx(numbers(clustered(before)))
    assert numbers(bootstrapped(after, seed=3, replicates=200)) == pytest.approx(
        numbers(bootstrapped(before, seed=3, replicates=200))
    )


@settings(max_examples=30)
@given(seeds, st.floats(0.1, 50))
def test_scores_on_another_scale_give_the_same_on_that_scale(seed: int, factor: float) -> None:
    first, second, task = scores(seed)
    before = clustered(of_scores(first, second, task))
    after = clustered(of_scores(factor * first, factor * second, task, span=factor * (1 + 1e-12)))
    assert numbers(after) == pytest.approx([factor * x for x in numbers(before)])


@settings(max_examples=30)
@given(seeds)
def test_answers_repeated_within_their_task_are_no_more_evidence(seed: int) -> None:
    first, second, task = scores(seed)
    once = clustered(of_scores(first, second, task))
    thrice = clustered(of_scores(np.tile(first, 3), np.tile(second, 3), np.tile(task, 3)))
    assert numbers(thrice) == pytest.approx(numbers(once))


@settings(max_examples=30)
@given(seeds)
def test_an_incomplete_pair_changes_nothing_but_is_counted(seed: int) -> None:
    first, second, task = scores(seed)
    more = of_scores(np.append(first, 1), np.append(second, np.nan), np.append(task, 99))
    assert more.n_dropped == 1
    assert numbers(clustered(more)) == numbers(clustered(of_scores(first, second, task)))


@settings(max_examples=20)
@given(seeds)
def test_the_interval_contains_the_value_and_shrinks_with_more_tasks(seed: int) -> None:
    first, second, task = scores(seed)
    few = of_scores(first, second, task)
    many = of_scores(np.tile(first, 4), np.tile(second, 4), np.concatenate([task + 20 * k for k in range(4)]))
    for small, large in (
        (clustered(few), clustered(many)),
        (bootstrapped(few, seed=2, replicates=400), bootstrapped(many, seed=2, replicates=400)),
    ):
        value, _, low, high = numbers(small)
        assert -1 <= low <= value <= high <= 1
        assert numbers(large)[3] - numbers(large)[2] < high - low


def test_a_ratio_with_all_denominators_1_is_the_mean() -> None:
    first, second, task = scores(4)
    ones = np.ones(60)
    assert numbers(clustered(Pairs.of_terms((first, ones), (second, ones), task))) == numbers(
        clustered(of_scores(first, second, task))
    )


def test_the_bootstrap_agrees_with_the_formula_and_its_seed_fixes_it() -> None:
    rng = np.random.default_rng(8)
    task = np.repeat(np.arange(150), 5)
    shared = rng.normal(0, 1, 150)[task]
    labels = [(rng.random((4, 750)) < 1 / (1 + np.exp(-shared - shift))).astype(float) for shift in (0.5, 0.0)]
    pairs = Pairs.of_terms(METRICS["cSES"].terms(*labels[0]), METRICS["cSES"].terms(*labels[1]), task)
    formula, resampled = clustered(pairs), bootstrapped(pairs, seed=5)
    # 2,000 replicates: the relative error of a standard deviation is about 1 / sqrt(4000) = 1.6 %.
    assert resampled.se == pytest.approx(formula.se, rel=0.06)
    assert resampled == bootstrapped(pairs, seed=5)
    assert resampled != bootstrapped(pairs, seed=6)


def test_few_tasks_keep_the_spread_of_the_bootstrap_unbiased() -> None:
    # Resampling all 4 tasks would give a standard error that is too small by sqrt(3/4).
    pairs = of_scores([0.1, 0.4, 0.5, 0.9], [0, 0, 0, 0], [1, 2, 3, 4])
    assert bootstrapped(pairs, seed=1, replicates=20_000).se == pytest.approx(clustered(pairs).se, rel=0.02)


def test_the_interval_covers_a_difference_that_is_clustered_by_task() -> None:
    rng = np.random.default_rng(11)
    task, holds = np.repeat(np.arange(40), 4), np.zeros(2)
    for _ in range(400):
        effect = rng.normal(0.1, 0.2, 40)[task]
        pairs = of_scores(np.clip(0.5 + effect + rng.normal(0, 0.1, 160), -1, 2), np.full(160, 0.5), task, span=3)
        for k, found in enumerate((clustered(pairs), bootstrapped(pairs, seed=1, replicates=300))):
            assert found.low is not None
            assert found.high is not None
            holds[k] += (found.low <= 0.1 <= found.high) / 400
    # Two standard deviations of a share of .95 in 400: .022
    assert (np.abs(holds - 0.95) < 0.03).all()


# -- Edges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gain", [0.0, 1.0])
def test_tasks_that_all_differ_alike_still_have_a_width(gain: float) -> None:
    pairs = of_scores(np.full(20, gain), np.zeros(20), np.arange(20))
    for found in (clustered(pairs), bootstrapped(pairs, seed=1, replicates=100)):
        assert found.se == 0
        assert found.low is not None
        assert found.high is not None
        assert found.low == pytest.approx(gain - (1 + gain) * (1 - 0.025 ** (1 / 20)))
        assert found.high == pytest.approx(min(gain + 1 - 0.025 ** (1 / 20), 1))
    assert clustered(pairs).p == (1 if gain == 0 else None)


def test_one_task_has_a_difference_but_no_interval() -> None:
    pairs = of_scores([1, 1], [0, 1], ["a", "a"])
    for found in (clustered(pairs), bootstrapped(pairs, seed=1)):
        assert (found.value, found.se, found.low, found.p) == (0.5, None, None, None)
        assert found.why_undefined is not None
        assert found.why_undefined.startswith("undefined: all pairs are of one task")


def test_no_pair_and_no_denominator_say_why() -> None:
    nothing = of_scores([1, np.nan], [np.nan, 0], ["a", "b"])
    assert clustered(nothing).why_undefined == "undefined: none of the 2 pairs has both scores"
    assert clustered(of_scores([], [], [])).value is None
    empty = Pairs.of_terms(([1, 0], [1, 1]), ([0, 0], [0, 0]), ["a", "b"])
    why = "undefined: none of the 2 pairs counts in the denominator of the second"
    assert (clustered(empty).value, clustered(empty).why_undefined) == (None, why)
    assert bootstrapped(empty, seed=1).why_undefined == why


def test_a_denominator_that_few_tasks_carry_leaves_the_bootstrap_without_interval() -> None:
    den = [1, 0, 0, 0, 0]
    found = bootstrapped(Pairs.of_terms((den, den), ([0] * 5, [1] * 5), range(5)), seed=1, replicates=200)
    assert found.value == 1
    assert found.why_undefined is not None
    assert "of 200 resamples" in found.why_undefined


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="one entry per pair"):
        of_scores([1, 0], [1, 0], ["a"])
    with pytest.raises(ValueError, match="one entry per pair"):
        of_scores([1, 0], [1], ["a", "b"])
    with pytest.raises(ValueError, match="infinite"):
        of_scores([np.inf], [0], ["a"], span=np.inf)
    with pytest.raises(ValueError, match="count is negative"):
        Pairs.of_terms(([1], [1]), ([0], [1]), ["a"], count=[-1])
    with pytest.raises(ValueError, match="one entry per pair"):
        Pairs.of_terms(([1], [1]), ([0], [1]), ["a"], count=[1, 1])
    with pytest.raises(ValueError, match="at least 100"):
        bootstrapped(of_scores([1, 0], [0, 0], ["a", "b"]), seed=1, replicates=10)
    with pytest.raises(ValueError, match="share in"):
        clustered(of_scores([1, 0], [0, 0], ["a", "b"]), level=95)
