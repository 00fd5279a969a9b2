from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from metrics.adjudication import adjudicated_rows, adjusted
from metrics.correction import Population, Sample, corrected, human_only
from metrics.sample import Second
from sampling.design import Design

# One stratum of 40, eight labelled (h), four of them adjudicated (v): w = 5, w2 = 10.
H = np.array([1.0, 1, 0, 0, 1, 0, 0, 1])
V = np.array([1.0, 0, 0, 0, 9, 9, 9, 9])
"""9 stands for a value that must not be looked at."""
CHOSEN = np.array([True] * 4 + [False] * 4)
FRAME = Population(code=np.zeros(1, dtype=np.int64), count=np.array([40]))


def sample(second: Second | None = None, strata: list[str] | None = None) -> Sample:
    design = Design.of_draws(
        stratum=strata or ["a"] * 8,
        stratum_size=[20 if strata else 40] * 8,
        inclusion_probability=[0.2] * 8,
        unit=[str(i) for i in range(8)],
    )
    return Sample(
        num=H,
        den=np.ones(8),
        code=np.zeros(8, dtype=np.int64),
        in_slice=np.ones(8, dtype=bool),
        design=design,
        second=second,
    )


SECOND = Second(chosen=CHOSEN, num=V, den=np.ones(8))


def test_three_phases_by_hand() -> None:
    # T = 5 * 4 + 10 * (0 - 1) = 10 of 40
    # s2(v) = 1/4 over v = 1 0 0 0; s2(v - h) = 1/4 over 0 -1 0 0
    # Var = 40^2 [(1/8 - 1/40) / 4 + (1/4 - 1/8) / 4] / 40^2 = .1/4 + .125/4
    share = human_only(sample(SECOND), FRAME, floor=1)
    assert share.value == pytest.approx(0.25)
    assert share.se == pytest.approx(sqrt(0.225 / 4))
    assert share.n == 8
    # Four rows of which a quarter says yes: s2 = 1/4, so a simple random sample of m would have 1/4 / m.
    assert share.n_effective == pytest.approx(0.25 / (0.225 / 4))


def test_the_correction_makes_the_same_total() -> None:
    assert adjusted(sample(SECOND)).num.tolist() == [1, -1, 0, 0, 1, 0, 0, 1]
    assert adjudicated_rows(sample(SECOND)).design.weight.tolist() == [10.0] * 4


def test_when_all_is_adjudicated_it_is_the_adjudicated_sample() -> None:
    every = Second(chosen=np.ones(8, dtype=bool), num=1 - H, den=np.ones(8))
    three, two = human_only(sample(every), FRAME, floor=1), human_only(replace(sample(), num=1 - H), FRAME, floor=1)
    assert (three.value, three.se) == pytest.approx((two.value, two.se))


def test_agreement_everywhere_leaves_the_estimate_of_target_a() -> None:
    agree = Second(chosen=CHOSEN, num=H, den=np.ones(8))
    assert corrected(sample(agree), FRAME, floor=1).value == corrected(sample(), FRAME, floor=1).value


def test_the_floor_counts_adjudicated_labels() -> None:
    share = human_only(sample(SECOND), FRAME, floor=5)
    assert share.why_undefined is not None
    assert share.why_undefined.startswith("refused: 4 settled labels in the denominator, 5 needed; settle about 1 more")


def test_strata_with_a_single_adjudicated_row_are_taken_together() -> None:
    one_each = Second(chosen=np.array([True, False, False, False] * 2), num=V * 0, den=np.ones(8))
    share = human_only(sample(one_each, ["a"] * 4 + ["b"] * 4), FRAME, floor=1)
    # Two chosen of eight, both no: T = 5 * 4 + 20 * (-1 - 1) below 0, moved to 0
    assert share.value == 0
    assert share.clipped_from == pytest.approx(-0.5)


def test_nothing_adjudicated_is_refused() -> None:
    none = Second(chosen=np.zeros(8, dtype=bool), num=V, den=V)
    assert human_only(sample(none), FRAME, floor=1).tier == "refused"
