import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.ranking import Stability, ranking_stability

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


@settings(deadline=None, max_examples=30)
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


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_only_the_order_of_values_matters(seed: int) -> None:
    base, others = study(seed)
    assert ranking_stability(np.exp(3 * base), np.exp(others)) == ranking_stability(base, others)


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_turning_every_value_turns_the_order_but_not_its_stability(seed: int) -> None:
    base, others = study(seed)
    before, after = ranking_stability(base, others), ranking_stability(-base, -others)
    assert {(b, a): x for (a, b), x in by_models(after).items()} == by_models(before)
    assert after.kendall == pytest.approx(before.kendall)
    assert after.whole_order_holds == before.whole_order_holds


@settings(deadline=None, max_examples=20)
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
