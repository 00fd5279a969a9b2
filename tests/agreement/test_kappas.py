from collections.abc import Callable

import numpy as np
import pytest

from agreement import chance
from agreement.chance import Chance
from agreement.coefficients import cohen_kappa, gwet_ac1
from agreement.kappas import brennan_prediger, conger_kappa, fleiss_kappa, fleiss_kappa_by_category, gwet_ac2
from agreement.patterns import category_counts, distinct_rows
from agreement.ratings import Ratings
from agreement.tally import Floats, Integers
from agreement.weighting import category_weights

LABELS = np.random.default_rng(3).integers(-1, 4, size=(60, 3)).astype(np.int8)


@pytest.mark.parametrize("by_chance", [chance.by_use, chance.by_unclear_units, chance.by_rater])
def test_scores_are_the_derivative_of_chance(by_chance: Callable[[Integers, Floats], Chance]) -> None:
    rows, which = distinct_rows(LABELS[(LABELS >= 0).any(axis=1)], 4)
    patterns = rows if by_chance is chance.by_rater else category_counts(rows, 4)
    found = by_chance(patterns, category_weights("quadratic", [0, 1, 2, 5]))
    totals = np.bincount(which).astype(np.float64)
    step = 1e-5 * np.eye(len(totals))
    slope = (found.agreement(totals + step) - found.agreement(totals - step)) / 2e-5
    assert found.scores(totals) == pytest.approx(slope * totals.sum(), abs=1e-7)
    assert totals @ found.scores(totals) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_conger_of_two_complete_raters_is_cohen(weights: str) -> None:
    ratings = Ratings.of(np.abs(LABELS[:, :2]), n_categories=4)
    cohen, conger = cohen_kappa(ratings, weights=weights), conger_kappa(ratings, weights=weights)
    assert conger.value == pytest.approx(cohen.value)
    assert conger.se == pytest.approx(cohen.se)


def test_ac2_without_near_misses_is_ac1() -> None:
    ratings = Ratings.of(LABELS, n_categories=4)
    one, two = gwet_ac1(ratings), gwet_ac2(ratings, weights="identity")
    assert (one.value, one.se, one.low) == (two.value, two.se, two.low)


def test_pabak_is_twice_the_agreement_less_one() -> None:
    table = [[0, 0]] * 40 + [[0, 1]] * 9 + [[1, 0]] * 6 + [[1, 1]] * 45
    assert brennan_prediger(Ratings.of(table, n_categories=2)).value == pytest.approx(2 * 0.85 - 1)


def test_a_category_that_nobody_used_is_undefined_on_its_own() -> None:
    found = fleiss_kappa_by_category(Ratings.of([[0, 1], [1, 1]], n_categories=3, category_names=["a", "b", "c"]))
    assert [one.name for one in found] == ["fleiss_kappa[a]", "fleiss_kappa[b]", "fleiss_kappa[c]"]
    assert found[2].why_undefined == "undefined: all 4 labels are not c"


def test_near_misses_agree_in_part() -> None:
    ratings = Ratings.of([[0, 1], [1, 2], [2, 2], [0, 0], [1, 0]] * 6, n_categories=3)
    found = [fleiss_kappa(ratings, weights=w).value for w in ("identity", "linear", "quadratic")]
    assert found == sorted(found, key=lambda value: value or 0)
    assert fleiss_kappa(ratings, weights="linear").name == "fleiss_kappa_linear"


def test_lone_labels_can_push_kappa_below_minus_one() -> None:
    """Two labels differ and 99 others are one category: chance agreement is near 1. AC1 knows a bound."""
    ratings = Ratings.of([[0, 1]] + [[1, -1]] * 99, n_categories=2)
    found = fleiss_kappa(ratings)
    assert found.value == pytest.approx(1 - 1 / (2 * 0.005 * 0.995))
    assert found.low is not None
    assert found.value is not None
    assert found.low <= found.value
    ac1 = gwet_ac1(ratings)
    assert ac1.low is not None
    assert ac1.low >= -1
