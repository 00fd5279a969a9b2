from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.comparison import slice_difference
from metrics.correction import Population, Sample, Share, corrected, human_only
from metrics.difference import Difference
from metrics.patterns import MISSING
from metrics.prediction import Prediction
from sampling.design import Design

YES, NO = 27, 0
"""Judge patterns C = 1 and C = 0, all else 0."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
seeds = st.integers(0, 10_000)
NONE = Prediction.none()


def rows(num: list[int], place: Flags, design: Design, code: Codes | None = None) -> Sample:
    judge = np.full(len(num), MISSING) if code is None else code
    return Sample(num=np.array(num, dtype=float), den=np.ones(len(num)), code=judge, in_slice=place, design=design)


def simple(n: int, size: int, unit: list[str] | None = None, stratum: list[str] | None = None) -> Design:
    strata = stratum or ["all"] * n
    taken = np.array([strata.count(h) for h in strata])
    return Design.of_draws(
        stratum=strata,
        stratum_size=[size] * n,
        inclusion_probability=taken / size,
        unit=unit or [str(i) for i in range(n)],
    )


def unjudged(size: int) -> Population:
    return Population(code=np.array([MISSING]), count=np.array([size]))


def ends(found: Difference | Share) -> tuple[float, float, float]:
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


# -- By hand ---------------------------------------------------------------------------------------------------------


def test_slices_of_separate_strata_are_independent() -> None:
    strata = ["a"] * 5 + ["b"] * 5
    design = simple(10, 50, stratum=strata)
    num, in_a = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0], np.array(strata) == "a"
    first, second = rows(num, in_a, design), rows(num, ~in_a, design)
    found = slice_difference(first, second, (unjudged(50), unjudged(50)), floor=1)
    shares = [human_only(sample, unjudged(50), floor=1) for sample in (first, second)]
    # s2 = .3 and .2, n = 5, N = 50: (1 - .1) (.3 + .2) / 5
    assert found.value == pytest.approx(0.6 - 0.2)
    assert found.se == pytest.approx(sqrt(0.9 * 0.5 / 5))
    assert (found.n, found.clusters, found.df) == (10, 10, 8)
    (r1, l1, h1), (r2, l2, h2) = (ends(share) for share in shares)
    assert found.low == pytest.approx(0.4 - sqrt((r1 - l1) ** 2 + (h2 - r2) ** 2))
    assert found.high == pytest.approx(0.4 + sqrt((h1 - r1) ** 2 + (r2 - l2) ** 2))


def test_two_models_on_the_same_units_are_compared_as_pairs() -> None:
    units = [str(i) for i in range(6)] * 2
    design = simple(12, 60, unit=units, stratum=["a"] * 6 + ["b"] * 6)
    num, of_a = [1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0], np.arange(12) < 6
    found = slice_difference(rows(num, of_a, design), rows(num, ~of_a, design), (unjudged(60), unjudged(60)), floor=1)
    # Differences 0 0 1 1 0 0: s2 = 4/15; (1 - .1) s2 / 6
    assert found.value == pytest.approx(1 / 3)
    assert found.se == pytest.approx(sqrt(0.9 * 4 / 15 / 6))
    assert found.clusters == 6


def test_slices_that_cross_a_stratum_keep_their_covariance() -> None:
    # 8 of 80 rows, one stratum. 40 e = y - 3/4 in the first and 1/4 - y in the second slice, of mean 0:
    # sum of squares 2 * 3/4, so V = 80^2 (1 - .1) / 8 * (3/2 / 7) / 40^2
    design, of_first = simple(8, 80), np.arange(8) < 4
    num = [1, 1, 1, 0, 1, 0, 0, 0]
    frame = (unjudged(40), unjudged(40))
    found = slice_difference(rows(num, of_first, design), rows(num, ~of_first, design), frame, floor=1)
    assert found.value == pytest.approx(0.5)
    assert found.se == pytest.approx(sqrt(80**2 * 0.9 / 8 * 1.5 / 7) / 40)


# -- Laws ------------------------------------------------------------------------------------------------------------


def study(seed: int) -> tuple[Sample, Sample, tuple[Population, Population]]:
    """120 of 400 judged rows in three strata, and two slices that cross them."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(400) < 0.6).astype(int)
    judge = np.where(np.where(rng.random(400) < 0.2, 1 - truth, truth) == 1, YES, NO)
    strata, place = rng.integers(0, 3, 400), rng.random(400) < 0.5
    drawn = np.concatenate([rng.permutation(np.flatnonzero(strata == h))[:40] for h in range(3)])
    size = np.bincount(strata)[strata[drawn]]
    design = Design.of_draws(
        stratum=[str(h) for h in strata[drawn]],
        stratum_size=size,
        inclusion_probability=40 / size,
        unit=[str(i) for i in drawn],
    )
    num = truth[drawn].tolist()
    samples = [rows(num, inside[drawn], design, judge[drawn]) for inside in (place, ~place)]
    frame = [
        Population(code=np.array([YES, NO]), count=np.array([(judge[x] == YES).sum(), (judge[x] == NO).sum()]))
        for x in (place, ~place)
    ]
    return samples[0], samples[1], (frame[0], frame[1])


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_the_difference_is_that_of_the_two_and_swapping_turns_its_sign(seed: int) -> None:
    first, second, frame = study(seed)
    there = slice_difference(first, second, frame)
    back = slice_difference(second, first, frame[::-1])
    one, other = corrected(first, frame[0]), corrected(second, frame[1])
    assert one.value is not None
    assert other.value is not None
    value, low, high = ends(there)
    assert value == one.value - other.value
    assert (-value, -high, -low) == pytest.approx(ends(back))
    assert (there.se, there.p, there.df) == pytest.approx((back.se, back.p, back.df))
    assert -1 <= low < value < high <= 1


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    first, second, frame = study(seed)
    order = np.random.default_rng(seed).permutation(len(first.num))
    design = Design(**{name: getattr(first.design, name)[order] for name in Design.__dataclass_fields__})
    shuffled = [
        Sample(num=s.num[order], den=s.den[order], code=s.code[order], in_slice=s.in_slice[order], design=design)
        for s in (first, second)
    ]
    before, after = slice_difference(first, second, frame), slice_difference(shuffled[0], shuffled[1], frame)
    assert ends(after) == pytest.approx(ends(before))
    assert after.se == pytest.approx(before.se)


def test_the_interval_covers_two_models_on_shared_units() -> None:
    rng = np.random.default_rng(5)
    ease = rng.normal(0, 1, 300)
    truth = (rng.random((2, 300)) < 1 / (1 + np.exp(-ease - np.array([[2.0], [1.2]])))).astype(int)
    judge = np.where(np.where(rng.random((2, 300)) < 0.1, 1 - truth, truth) == 1, YES, NO)
    real = truth[0].mean() - truth[1].mean()
    frame = [Population(code=np.array([YES, NO]), count=np.bincount(judge[m] == NO, minlength=2)) for m in (0, 1)]
    of_first, holds, variance, error = np.arange(80) < 40, 0, 0.0, np.zeros(200)
    for k in range(200):
        units = rng.choice(300, 40, replace=False)
        design = simple(80, 300, unit=[str(u) for u in units] * 2, stratum=["a"] * 40 + ["b"] * 40)
        num, code = truth[:, units].ravel().tolist(), judge[:, units].ravel()
        found = slice_difference(
            rows(num, of_first, design, code), rows(num, ~of_first, design, code), (frame[0], frame[1])
        )
        value, low, high = ends(found)
        assert found.se is not None
        holds += low <= real <= high
        variance += found.se**2 / 200
        error[k] = value - real
    assert holds / 200 >= 0.95 - 2.5 * sqrt(0.95 * 0.05 / 200)
    # 200 draws: the relative error of a standard deviation is about 5 %.
    assert sqrt(variance) == pytest.approx(error.std(), rel=0.15)
    assert abs(error.mean()) < 3 * error.std() / sqrt(200)


# -- Edges -----------------------------------------------------------------------------------------------------------


def test_no_event_in_either_slice_still_has_a_width() -> None:
    design, of_first = simple(80, 800), np.arange(80) < 40
    frame = (unjudged(400), unjudged(400))
    found = slice_difference(rows([0] * 80, of_first, design), rows([0] * 80, ~of_first, design), frame)
    value, low, high = ends(found)
    assert (value, found.se, found.p) == (0, 0, 1)
    # The Clopper-Pearson end of 0 in 40 on either side
    assert (low, high) == pytest.approx((-(1 - 0.025 ** (1 / 40)), 1 - 0.025 ** (1 / 40)))


def test_slices_that_are_all_labelled_differ_exactly() -> None:
    design, of_first = simple(8, 80), np.arange(8) < 4
    num = [1, 1, 1, 0, 1, 0, 0, 0]
    samples = rows(num, of_first, design), rows(num, ~of_first, design)
    found = slice_difference(*samples, (unjudged(4), unjudged(4)))
    assert (*ends(found), found.se) == (0.5, 0.5, 0.5, 0)
    half = slice_difference(*samples, (unjudged(4), unjudged(40)), floor=1, predictions=(NONE, NONE))
    alone = human_only(samples[1], unjudged(40), floor=1)
    assert half.se == pytest.approx(alone.se)
    assert half.low == pytest.approx(0.75 - (alone.high or 0))


def test_a_refused_slice_says_which() -> None:
    design, of_first = simple(80, 800), np.arange(80) < 70
    num = [1, 0] * 40
    found = slice_difference(rows(num, of_first, design), rows(num, ~of_first, design), (unjudged(700), unjudged(100)))
    why = "undefined: second slice refused: 10 labels in the denominator, 30 needed; label about 20 more"
    assert (found.value, found.low, found.why_undefined, found.n) == (None, None, why, 80)


@pytest.mark.parametrize("labels_of_the_second_run", [0, 1])
def test_a_mean_over_runs_of_which_one_is_hardly_labelled_says_which_slice(labels_of_the_second_run: int) -> None:
    design, of_first = simple(80, 800), np.arange(80) < 40
    run = np.where(np.arange(80) >= 80 - labels_of_the_second_run, 1, 0)
    run[:20] = 1
    frame = Population(code=np.full(2, MISSING), count=np.array([200, 200]), part=np.array([0, 1]))
    samples = [replace(rows([1, 0] * 40, place, design), part=run) for place in (of_first, ~of_first)]
    found = slice_difference(samples[0], samples[1], (frame, frame), predictions=(NONE, NONE))
    why = "second slice refused: 1 of the 2 parts to average have fewer than 2 labels in the denominator; label more"
    assert (found.value, found.why_undefined) == (None, f"undefined: {why}")


def test_slices_of_different_rows_are_refused() -> None:
    place = np.ones(8, dtype=bool)
    first, second = rows([1, 0] * 4, place, simple(8, 80)), rows([1, 0] * 4, place, simple(8, 90))
    with pytest.raises(ValueError, match="design's weight"):
        slice_difference(first, second, (unjudged(80), unjudged(80)))
    same = rows([1, 0] * 4, place, simple(8, 80))
    assert slice_difference(first, same, (unjudged(80), unjudged(80)), floor=1).value == 0
