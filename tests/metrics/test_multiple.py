import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from metrics.multiple import benjamini_hochberg, holm
from metrics.paired import Pairs
from metrics.permutation import sign_flip

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "comparison_cases.json").read_text(encoding="utf-8"))
CASES = {case["quantity"]: case for case in GOLDEN["cases"]}
WAYS = {"adjusted_holm": holm, "adjusted_BH": benjamini_hochberg}
families = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12)


@pytest.mark.parametrize("quantity", WAYS)
def test_adjusted_values_match_the_reference(quantity: str) -> None:
    case = CASES[quantity]
    assert WAYS[quantity](case["data"]["p"]) == pytest.approx(case["expected"], abs=case["tolerance"])


@settings(max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_benjamini_hochberg_is_what_scipy_gives(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p))


@settings(max_examples=60)
@given(families)
def test_missing_stays_missing_and_does_not_count(p: list[float | None]) -> None:
    present = [x for x in p if x is not None]
    for way in WAYS.values():
        adjusted = way(p)
        assert [x is None for x in adjusted] == [x is None for x in p]
        assert [x for x in adjusted if x is not None] == way(present)


@settings(max_examples=60)
@given(families)
def test_order_does_not_matter_and_nothing_gets_smaller(p: list[float | None]) -> None:
    order = np.random.default_rng(len(p)).permutation(len(p)).tolist()
    for way in WAYS.values():
        adjusted = way(p)
        assert way([p[i] for i in order]) == [adjusted[i] for i in order]
        for raw, corrected in zip(p, adjusted, strict=True):
            assert (raw is None and corrected is None) or (raw or 0) <= (corrected or 0) + 1e-15 <= 1 + 1e-15
    for strict, lenient in zip(holm(p), benjamini_hochberg(p), strict=True):
        assert (strict or 0) >= (lenient or 0) - 1e-12


def test_one_comparison_needs_no_adjustment_and_none_gives_nothing() -> None:
    for way in WAYS.values():
        assert way([0.03]) == [0.03]
        assert way([]) == []
        assert way([None, float("nan")]) == [None, None]
        with pytest.raises(ValueError, match="expected a number in"):
            way([1.2])


def test_among_many_equal_models_one_is_called_different_no_more_often_than_the_level() -> None:
    # Four models that are alike, six pairs, two metrics: all from the same 40 tasks, as a study has them.
    rng, wrong, replicates = np.random.default_rng(12), 0, 200
    task = np.repeat(np.arange(40), 3)
    ones = np.ones(120)
    for _ in range(replicates):
        ease = rng.normal(0, 1, 40)[task]
        right, silent = (rng.random((2, 4, 120)) < 1 / (1 + np.exp(-ease))).astype(float)
        p = [
            sign_flip(Pairs.of_terms((scores[a], ones), (scores[b], ones), task), seed=1, draws=499).p
            for scores in (right, silent)
            for a, b in combinations(range(4), 2)
        ]
        adjusted = [x for x in holm(p) if x is not None]
        assert len(adjusted) == 12
        wrong += min(adjusted) < 0.05
    assert wrong / replicates <= 0.05 + 2.5 * (0.05 * 0.95 / replicates) ** 0.5
