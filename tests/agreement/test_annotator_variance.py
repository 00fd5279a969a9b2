from typing import Any

import numpy as np
import pytest
from scipy import stats

from agreement.annotator_variance import annotator_variance


def test_balanced_one_way_is_the_textbooks() -> None:
    y = np.random.default_rng(1).normal(size=(6, 10)) + np.arange(6)[:, None] / 4
    f = float(stats.f_oneway(*y).statistic)
    found = annotator_variance(y.reshape(-1), np.repeat(np.arange(6), 10))
    assert found.rho_int.value == pytest.approx((f - 1) / (f - 1 + 10))
    assert found.design_effect == pytest.approx(1 + 9 * (f - 1) / (f - 1 + 10))
    ends = [(f / q - 1) / (f / q - 1 + 10) for q in np.asarray(stats.f.ppf([0.975, 0.025], 5, 54))]
    assert [found.rho_int.low, found.rho_int.high] == pytest.approx(ends)


def simulated(rng: np.random.Generator, *, nested: bool) -> dict[str, Any]:
    """Eight annotators of unequal load, variance .25 between them; contexts of 1 to 4 items, variance .5; items 1."""
    who = np.repeat(np.arange(8), [12, 15, 18, 20, 20, 22, 25, 28])
    size = rng.integers(1, 5, len(who)) if nested else np.ones(len(who), dtype=int)
    context = np.repeat(np.arange(len(who)), size)
    effects = rng.normal(0, 0.5, 8)[who] + (rng.normal(0, 0.5**0.5, len(who)) if nested else 0)
    return {
        "outcome": effects[context] + rng.normal(0, 1, len(context)),
        "annotator": who[context],
        "cluster": context,
    }


@pytest.mark.parametrize(("nested", "rho"), [(False, 0.2), (True, 0.25 / 1.75)])
def test_the_truth_is_found_and_covered(nested: bool, rho: float) -> None:
    """400 samples; the mean within three standard errors and .01, coverage within three binomial errors and a point."""
    rng = np.random.default_rng(3)
    found = [annotator_variance(**simulated(rng, nested=nested)).rho_int for _ in range(400)]
    values = np.array([one.value for one in found], dtype=float)
    assert values.mean() == pytest.approx(rho, abs=3 * values.std() / 20 + 0.01)
    hits = sum(one.low is not None and one.high is not None and one.low <= rho <= one.high for one in found)
    assert abs(hits / 400 - 0.95) < 3 * (0.95 * 0.05 / 400) ** 0.5 + 0.01


def test_contexts_read_as_a_whole_are_not_taken_for_annotators() -> None:
    """No annotator effect at all, but contexts of six alike items: only the nested analysis sees it."""
    rng = np.random.default_rng(4)
    context = np.repeat(np.arange(60), 6)
    outcome = rng.normal(size=60)[context] + rng.normal(0, 0.1, 360)
    flat = annotator_variance(outcome, context % 6).rho_int
    nested = annotator_variance(outcome, context % 6, cluster=context).rho_int
    assert flat.low is not None
    assert nested.low is not None
    assert nested.low < 0 < flat.low


def test_strata_are_taken_out() -> None:
    rng = np.random.default_rng(5)
    who, stratum = np.tile(np.arange(6), 30), np.repeat(np.arange(6), 30)
    outcome = rng.normal(size=180) + 5 * stratum
    within = annotator_variance(outcome, who, stratum=stratum).rho_int
    plain = annotator_variance(outcome - 5 * stratum, who).rho_int
    assert within.value == pytest.approx(plain.value, abs=0.02)


def test_names_and_order_do_not_matter() -> None:
    rng = np.random.default_rng(6)
    given = simulated(rng, nested=True)
    order = rng.permutation(len(given["outcome"]))
    renamed: dict[str, Any] = {name: part[order] for name, part in given.items()}
    renamed["annotator"] = np.array([f"person {9 - who}" for who in renamed["annotator"]])
    once, again = annotator_variance(**given), annotator_variance(**renamed)
    assert again.rho_int.value == pytest.approx(once.rho_int.value)
    assert again.rho_int.low == pytest.approx(once.rho_int.low)


@pytest.mark.parametrize(
    ("outcome", "annotator", "options", "reason"),
    [
        pytest.param([], [], {}, "there are no outcomes", id="empty"),
        pytest.param([0, 1], [7, 7], {}, "all 2 outcomes are one annotator's", id="one-annotator"),
        pytest.param([1, 1, 1, 1], [0, 0, 1, 1], {}, "all 4 outcomes are 1", id="flat"),
        pytest.param([0, 0, 1, 1], [0, 0, 1, 1], {}, "nothing varied inside", id="flat-inside"),
        pytest.param([0, 1, 1], [0, 1, 2], {}, "3 annotators have 3 items in 1 strata", id="no-replication"),
        pytest.param([0, 1, 1, 0], [0, 0, 1, 1], {"cluster": [0, 0, 1, 1]}, "2 clusters in 1 strata", id="one-context"),
    ],
)
def test_undefined(outcome: list[int], annotator: list[int], options: dict[str, Any], reason: str) -> None:
    found = annotator_variance(np.array(outcome, dtype=float), np.array(annotator, dtype=int), **options)
    assert found.rho_int.value is found.design_effect is None
    assert reason in (found.why_no_design_effect or "")


def test_a_design_effect_needs_five_annotators() -> None:
    rng = np.random.default_rng(7)
    four, five = (annotator_variance(rng.normal(size=100), np.arange(100) % k) for k in (4, 5))
    assert four.rho_int.value is not None
    assert four.design_effect is None
    assert four.why_no_design_effect == (
        "undefined: 4 annotators tell too little of annotators like these; 5 are needed"
    )
    assert five.design_effect is not None
    assert five.design_effect >= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"annotator": [0]}, "annotator has shape"),
        ({"outcome": [0, 1, np.nan]}, "finite"),
        ({"cluster": [0, 0, 1]}, "two annotators"),
        ({"level": 95}, "such as 0.95"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        annotator_variance(**({"outcome": [0, 1, 1], "annotator": [0, 1, 1]} | options))
