import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from metrics.paired import Pairs
from metrics.permutation import sign_flip

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "comparison_cases.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in GOLDEN["cases"]}
small = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=2, max_size=14)


def of_scores(first: ArrayLike, second: ArrayLike, task: Any, *, span: float = 1.0) -> Pairs:
    """Pairs of which the mean score is compared."""
    return Pairs.of_terms((first, np.ones(np.shape(first))), (second, np.ones(np.shape(second))), task, span=span)


def pairs_of(values: list[tuple[int, int]]) -> Pairs:
    """Differences and their tasks."""
    d = np.array([value for value, _ in values], dtype=float)
    return of_scores(d, np.zeros(len(d)), [task for _, task in values], span=3)


def test_enumeration_matches_the_reference() -> None:
    case = CASES["PAIR-046"]
    d = np.array(case["data"]["d"], dtype=float)
    test = sign_flip(of_scores(d, np.zeros(8), range(8), span=9), seed=1)
    assert test.p == pytest.approx(case["expected"], abs=case["tolerance"])
    assert (test.enumerated, test.arrangements) == (True, 2**7)  # one task has no difference to flip


@settings(max_examples=40)
@given(small)
def test_enumeration_is_what_a_loop_over_all_signs_counts(values: list[tuple[int, int]]) -> None:
    sums = [sum(d for d, task in values if task == t) for t in {task for _, task in values}]
    flipped = [
        abs(sum(s * x for s, x in zip(signs, sums, strict=True))) for signs in product([1, -1], repeat=len(sums))
    ]
    assert sign_flip(pairs_of(values), seed=1).p == np.mean(np.array(flipped) >= abs(sum(sums)))


@settings(max_examples=40)
@given(small)
def test_first_and_second_order_and_scale_do_not_matter(values: list[tuple[int, int]]) -> None:
    d, task = np.array([v for v, _ in values], dtype=float), np.array([t for _, t in values])
    before = sign_flip(pairs_of(values), seed=1)
    assert sign_flip(of_scores(np.zeros(len(d)), d, task, span=3), seed=1) == before
    assert sign_flip(of_scores(0.1 * d[::-1], 0 * d, task[::-1], span=3), seed=1) == before


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_a_ratio_is_tested_by_exchanging_whole_tasks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    num, den = np.zeros((7, 2)), rng.integers(1, 4, (7, 2)).astype(float)
    num[:] = rng.integers(0, den + 1)
    pairs = Pairs.of_terms((num[:, 0], den[:, 0]), (num[:, 1], den[:, 1]), range(7), span=1)

    def statistic(swap: tuple[bool, ...]) -> float:
        a, b = (np.where(np.array(swap)[:, None], x[:, ::-1], x).sum(axis=0) for x in (num, den))
        return abs(float(a[0] / b[0] - a[1] / b[1])) * float(b[0] * b[1])

    every = [statistic(swap) for swap in product([False, True], repeat=7)]
    assert sign_flip(pairs, seed=1).p == pytest.approx(np.mean(np.array(every) >= every[0] - 1e-9))


def test_many_tasks_are_drawn_with_a_seed_and_never_give_zero() -> None:
    pairs = of_scores(np.ones(200), np.zeros(200), range(200))
    test = sign_flip(pairs, seed=4, draws=999)
    assert (test.p, test.enumerated, test.arrangements) == (1 / 1000, False, 999)
    even = of_scores(np.tile([1.0, 0, 0], 30), np.tile([0, 1.0, 0], 30), range(90))
    assert sign_flip(even, seed=4) == sign_flip(even, seed=4)
    assert sign_flip(even, seed=4).p == 1


def test_drawing_agrees_with_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    pairs = of_scores(rng.random(15), rng.random(15) * 0.7, range(15))
    exact = sign_flip(pairs, seed=1)
    monkeypatch.setattr("metrics.permutation.ENUMERATED", 3)
    drawn = sign_flip(pairs, seed=1)
    assert exact.p is not None
    assert drawn.p is not None
    assert not drawn.enumerated
    assert drawn.p == pytest.approx(exact.p, abs=3 * np.sqrt(exact.p * (1 - exact.p) / 9999))


def test_twenty_tasks_are_enumerated() -> None:
    test = sign_flip(of_scores(np.ones(20), np.zeros(20), range(20)), seed=1)
    assert (test.p, test.arrangements) == (2 / 2**20, 2**20)


def test_alike_on_all_tasks_gives_1_and_nothing_gives_none() -> None:
    assert sign_flip(of_scores([1, 0], [1, 0], ["a", "b"]), seed=1).p == 1
    assert sign_flip(of_scores([1, 1], [0, 0], ["a", "a"]), seed=1).p == 1
    nothing = sign_flip(of_scores([np.nan], [1], ["a"]), seed=1)
    assert (nothing.p, nothing.why_undefined) == (None, "undefined: none of the 1 pairs has both scores")
    with pytest.raises(ValueError, match="at least 99"):
        sign_flip(of_scores([1], [1], ["a"]), seed=1, draws=9)


def test_drawn_patterns_give_the_same_p_the_other_way_round() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, 60))
    there, back = (sign_flip(of_scores(*two, range(60), span=9), seed=1) for two in ((first, second), (second, first)))
    assert not there.enumerated
    assert there == back
