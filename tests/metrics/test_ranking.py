import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from metrics.ranking import Stability, kendall, order_over_tasks, ranking_stability

Floats = NDArray[np.float64]
nan = float("nan")
seeds = st.integers(0, 10_000)


def study(seed: int) -> tuple[Floats, Floats]:
    """Five models, and twelve alternatives that wander around their values."""
    rng = np.random.default_rng(seed)
    base = rng.random(5)
    return base, base + rng.normal(0, 0.2, (12, 5))


def by_models(found: Stability) -> dict[tuple[int, int], float | None]:
    return {(pair.higher, pair.lower): pair.holds for pair in found.pairs}


def test_rank_correlations_by_hand() -> None:
    # Ranks 1 2 3 4 against 2 1 3 4: one of six pairs is turned, 1 - 2/6; 1 - 6 * 2 / (4 * 15)
    found = ranking_stability([4, 3, 2, 1], [[3, 4, 2, 1], [1, 2, 3, 4]])
    assert found.kendall == pytest.approx((2 / 3, -1))
    assert found.spearman == pytest.approx((0.8, -1))
    assert (found.first_holds, found.whole_order_holds, found.n) == (0, 0, 2)
    assert [pair.holds for pair in found.pairs] == [0, 0.5, 0.5, 0.5, 0.5, 0.5]


@settings(max_examples=30)
@given(seeds)
def test_the_order_of_models_and_of_alternatives_does_not_matter(seed: int) -> None:
    base, others = study(seed)
    rng = np.random.default_rng(seed)
    models, rows = rng.permutation(5), rng.permutation(12)
    before, after = ranking_stability(base, others), ranking_stability(base[models], others[rows][:, models])
    assert {(int(models[a]), int(models[b])): x for (a, b), x in by_models(after).items()} == by_models(before)
    assert after.kendall == pytest.approx([before.kendall[row] for row in rows])
    assert after.spearman == pytest.approx([before.spearman[row] for row in rows])
    assert (after.first_holds, after.whole_order_holds) == (before.first_holds, before.whole_order_holds)


@settings(max_examples=30)
@given(seeds)
def test_only_the_order_of_values_matters(seed: int) -> None:
    base, others = study(seed)
    assert ranking_stability(np.exp(3 * base), np.exp(others)) == ranking_stability(base, others)


@settings(max_examples=30)
@given(seeds)
def test_turning_every_value_turns_the_order_but_not_its_stability(seed: int) -> None:
    base, others = study(seed)
    before, after = ranking_stability(base, others), ranking_stability(-base, -others)
    assert {(b, a): x for (a, b), x in by_models(after).items()} == by_models(before)
    assert after.kendall == pytest.approx(before.kendall)
    assert after.whole_order_holds == before.whole_order_holds


@settings(max_examples=20)
@given(seeds)
def test_the_reference_agrees_with_itself_and_repeats_change_no_share(seed: int) -> None:
    base, others = study(seed)
    itself = ranking_stability(base, [base])
    assert (itself.first_holds, itself.whole_order_holds) == (1, 1)
    assert itself.kendall == pytest.approx((1,))
    assert itself.spearman == pytest.approx((1,))
    once, twice = ranking_stability(base, others), ranking_stability(base, np.tile(others, (2, 1)))
    assert by_models(twice) == pytest.approx(by_models(once))
    assert twice.first_holds == pytest.approx(once.first_holds)


def test_a_missing_model_counts_for_the_pairs_that_are_there() -> None:
    found = ranking_stability([3, 2, 1], [[3, 2, nan], [1, 2, 0.0], [nan, nan, nan]])
    assert (found.n, found.n_dropped) == (1, 2)
    assert [(pair.holds, pair.n) for pair in found.pairs] == [(0.5, 2), (1, 1), (1, 1)]
    assert found.kendall == pytest.approx((1, 1 / 3, None))


def test_ties_have_no_order_in_the_reference_and_do_not_hold_elsewhere() -> None:
    found = ranking_stability([2, 2, 1], [[3, 1, 1]])
    assert found.pairs[0].why_undefined == "undefined: the two models are equal in the reference"
    assert [pair.holds for pair in found.pairs] == [None, 1, 0]
    assert (found.first_holds, found.whole_order_holds) == (None, None)
    assert found.why_undefined == "undefined: models are equal in the reference"
    assert ranking_stability([1, 1], [[1, 2]]).kendall == (None,)
    assert ranking_stability([3, 1, 1], [[3, 1, 2]]).first_holds == 1


def test_without_alternatives_nothing_is_claimed() -> None:
    found = ranking_stability([2, 1], np.zeros((0, 2)))
    assert (found.n, found.first_holds, found.kendall) == (0, None, ())
    assert found.why_undefined == "undefined: no alternative has a value for every model"
    assert found.pairs[0].why_undefined == "undefined: none of the 0 alternatives has a value for both models"


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="expected \\(m,\\)"):
        ranking_stability([1, 2], [[1, 2, 3]])
    with pytest.raises(ValueError, match="at least 2"):
        ranking_stability([1], [[1]])
    with pytest.raises(ValueError, match="not finite"):
        ranking_stability([1, np.nan], [[1, 2]])


# -- Over tasks ------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(seeds)
def test_tau_is_that_of_scipy_with_ties_and_gaps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, (2, 6, 5)).astype(float)
    expected = [stats.kendalltau(*row).statistic for row in zip(x, y, strict=True)]
    assert kendall(x, y) == pytest.approx(expected, nan_ok=True)
    y[0, 2] = nan
    assert np.isnan(kendall(x, y)[0])


Sides = tuple[Floats, Floats]


def totals(seed: int, tasks: int = 40) -> tuple[Sides, Sides]:
    """Three models of rising share on tasks of unequal size, as two judges have them."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 6, (tasks, 3))
    den = size.astype(np.float64)
    first, second = (rng.binomial(size, shares).astype(np.float64) for shares in ([0.2, 0.5, 0.8], [0.3, 0.5, 0.7]))
    return (first, den), (second, den)


@settings(max_examples=20)
@given(seeds)
def test_the_interval_holds_tau_and_the_order_of_models_does_not_matter(seed: int) -> None:
    first, second = totals(seed)
    found = order_over_tasks(first, second, seed=3, replicates=400)
    assert found.kendall is not None
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.kendall <= found.high <= 1
    turned = [(num[:, ::-1], den[:, ::-1]) for num, den in (first, second)]
    assert order_over_tasks(turned[0], turned[1], seed=3, replicates=400) == found
    assert order_over_tasks(second, first, seed=3, replicates=400) == found


@settings(max_examples=20)
@given(seeds)
def test_the_order_of_tasks_moves_only_what_is_resampled_and_the_same_tasks_twice_are_surer(seed: int) -> None:
    sides = totals(seed)
    order = np.random.default_rng(seed).permutation(40)
    found = order_over_tasks(*sides, seed=3, replicates=2000)
    moved = order_over_tasks(*((num[order], den[order]) for num, den in sides), seed=3, replicates=2000)
    assert moved.kendall == found.kendall
    assert found.same_order is not None
    # 2,000 resamples know a share to 1.1 points.
    assert moved.same_order == pytest.approx(found.same_order, abs=0.06)
    twice = order_over_tasks(*((np.tile(num, (2, 1)), np.tile(den, (2, 1))) for num, den in sides), seed=3)
    assert (twice.kendall, twice.tasks) == (found.kendall, 80)
    assert twice.same_order is not None
    if found.kendall == 1:
        assert twice.same_order >= found.same_order - 0.05


def test_more_tasks_make_an_order_surer() -> None:
    few, many = totals(5, tasks=8), totals(5, tasks=200)
    sure = [order_over_tasks(*sides, seed=1).same_order for sides in (few, many)]
    assert sure[0] is not None
    assert sure[1] is not None
    assert sure[0] < 0.95 < sure[1]


def test_an_order_of_two_equals_the_share_of_resamples_by_hand() -> None:
    # The second judge's totals are 1:0, 1:0.5 and 0:1. Of the nine ways to draw two of three tasks, 1 1, 2 2, 1 2, 2 1
    # keep the first model first, as the first judge always has it; 1 3 and 3 1 tie, 2 3, 3 2 and 3 3 turn the order.
    ones = np.ones((3, 2))
    always, odd = np.array([[1.0, 0.0]] * 3), np.array([[1.0, 0.0], [1.0, 0.5], [0.0, 1.0]])
    found = order_over_tasks((always, ones), (odd, ones), seed=2, replicates=20_000)
    assert found.same_order == pytest.approx(4 / 9, abs=0.015)


def test_no_order_is_said_and_not_computed() -> None:
    ones = np.ones((4, 2))
    for sides in (
        (np.zeros((4, 2)), ones),
        (np.ones((4, 2)), np.array([[1.0, 0.0]] * 4)),
    ):
        found = order_over_tasks(sides, (np.array([[1.0, 0.0]] * 4), ones), seed=1)
        assert (found.kendall, found.low) == (None, None)
        assert found.why_undefined is not None
    assert order_over_tasks((ones[:, :1], ones[:, :1]), (ones[:, :1], ones[:, :1]), seed=1).kendall is None
    assert order_over_tasks((ones[:0], ones[:0]), (ones[:0], ones[:0]), seed=1).kendall is None
    lone = np.array([[1.0, 0.0], [0.0, 1.0]])
    why = order_over_tasks((lone * [1, 0.5], lone), (lone * [1, 0.5], lone), seed=1).why_undefined
    assert why == "no interval: 2000 of 2000 resamples of the tasks have no order"
    with pytest.raises(ValueError, match="at least 100"):
        order_over_tasks((ones, ones), (ones, ones), seed=1, replicates=10)
