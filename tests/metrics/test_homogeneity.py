from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2_contingency
from scipy.stats import f as fisher

from metrics.homogeneity import homogeneity
from metrics.sample import Sample
from metrics.share import Homogeneity
from sampling.design import Design

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

seeds = st.integers(0, 10_000)


def rows_of(group: Codes, num: NDArray[np.float64], here: Flags, *, code: Codes | None = None, unit: Codes) -> Sample:
    """A tenth of each group; `unit` says which rows were drawn together."""
    n = len(num)
    return Sample(
        num=num,
        den=np.ones(n),
        code=np.zeros(n, dtype=np.int64) if code is None else code,
        in_slice=here,
        design=Design.of_draws(
            stratum=[str(g) for g in group],
            stratum_size=10 * np.bincount(group)[group],
            inclusion_probability=np.full(n, 0.1),
            unit=[f"{u:04}" for u in unit],
        ),
    )


def compared(sample: Sample, group: Codes, cell: Codes | None = None, df: float = 1000) -> Homogeneity:
    cells = np.zeros(len(group), dtype=np.int64) if cell is None else cell
    return homogeneity(sample, cell=cells, ratio=float(sample.num.mean()), group=group, df=df)


def test_two_groups_of_one_cell_are_pearsons_table() -> None:
    # Of 30 in the slice 10 are correct, of 50 elsewhere 30. Only the slice can be compared, as one group lends.
    group = np.repeat([0, 1], [30, 50])
    num = np.concatenate([np.arange(30) < 10, np.arange(50) < 30]).astype(np.float64)
    found = compared(rows_of(group, num, group == 0, unit=np.arange(80)), group)
    pearson = chi2_contingency([[10, 20], [30, 20]], correction=False).statistic
    assert found.statistic == pytest.approx(79 / 80 * pearson)
    assert found.p_value == pytest.approx(float(fisher.sf(79 / 80 * pearson, 1, 1000)))
    assert found.groups == 2


def test_the_smaller_of_two_p_is_doubled() -> None:
    # Three groups of 40 without a slice, and with one of them as the slice.
    group = np.repeat(np.arange(3), 40)
    num = np.concatenate([np.arange(40) < k for k in (8, 20, 20)]).astype(np.float64)
    lent = compared(rows_of(group, num, np.zeros(120, dtype=bool), unit=np.arange(120)), group)
    own = compared(rows_of(group, num, group == 0, unit=np.arange(120)), group)
    table = chi2_contingency([[8, 20, 20], [32, 20, 20]], correction=False).statistic
    assert lent.statistic == pytest.approx(119 / 120 * table / 2)
    split = chi2_contingency([[8, 40], [32, 40]], correction=False).statistic
    assert own.p_value == pytest.approx(2 * float(fisher.sf(119 / 120 * split, 1, 1000)))


def test_errors_both_ways_are_seen_though_they_cancel_in_the_number() -> None:
    # In the slice the judge's yes and no are each wrong on 8 of 20, elsewhere on 2 of 20: the level is the same.
    group, code = np.repeat([0, 1], 40), np.tile(np.repeat([0, 27], 20), 2)
    wrong = np.concatenate([np.arange(20) < k for k in (8, 8, 2, 2)])
    num = np.where(wrong, code == 0, code == 27).astype(np.float64)
    sample = rows_of(group, num, group == 0, code=code, unit=np.arange(80))
    found = compared(sample, group, cell=(code > 0).astype(np.int64))
    assert found.p_value is not None
    assert found.p_value < 0.02
    assert "do not trust" in found.sentence


def test_rows_drawn_together_do_not_count_as_many() -> None:
    # Each of ten contexts a group has four alike rows: a difference of 4 to 7 contexts is nothing.
    group, context = np.repeat([0, 1], 40), np.arange(80) // 4
    num = np.concatenate([np.arange(40) // 4 < 4, np.arange(40) // 4 < 7]).astype(np.float64)
    alone, together = (compared(rows_of(group, num, group == 0, unit=np.arange(80)), group), None)
    design = Design.of_draws(
        stratum=[str(g) for g in group],
        stratum_size=[400] * 80,
        inclusion_probability=np.full(80, 0.1),
        unit=[str(row) for row in range(80)],
        cluster=[f"{c:02}" for c in context],
        first_fraction=np.full(80, 0.1),
    )
    sample = Sample(num=num, den=np.ones(80), code=np.zeros(80, dtype=np.int64), in_slice=group == 0, design=design)
    together = compared(sample, group)
    assert alone.p_value is not None
    assert together.p_value is not None
    assert alone.p_value < 0.01 < 0.1 < together.p_value


@pytest.mark.parametrize("one_group", [True, False])
def test_what_cannot_be_compared_is_not_tested(one_group: bool) -> None:
    group = np.zeros(20, dtype=np.int64) if one_group else np.repeat([0, 1], 10)
    num = (np.arange(20) % 2).astype(np.float64) if one_group else np.ones(20)
    found = compared(rows_of(group, num, np.zeros(20, dtype=bool), unit=np.arange(20)), group)
    assert (found.p_value, found.statistic) == (None, None)
    assert "could not be tested" in found.sentence


def study(rng: np.random.Generator, odds: float) -> tuple[Sample, Codes, Codes]:
    """A slice of 25 labels and three groups of 100 that lend; the judge errs on 8 to 20 % by condition."""
    group = np.repeat(np.arange(4), [25, 100, 100, 100])
    condition = rng.integers(0, 3, 325)
    logit = np.log(np.array([0.08, 0.12, 0.2]) / np.array([0.92, 0.88, 0.8]))[condition]
    wrong = rng.random(325) < 1 / (1 + np.exp(-logit - np.where(group == 0, np.log(odds), 0)))
    judge = rng.random(325) < 0.6
    code = np.where(judge, 27, 0).astype(np.int64)
    sample = rows_of(group, (judge != wrong) * 1.0, group == 0, code=code, unit=np.arange(325))
    return sample, group, (condition * 2 + judge).astype(np.int64)


def test_it_keeps_its_size_and_sees_a_judge_that_errs_more() -> None:
    """400 studies each: the size within two binomial errors of .05."""
    rejected = []
    for odds in (1.0, 4.0):
        rng = np.random.default_rng(12)
        p = [compared(*study(rng, odds)).p_value for _ in range(400)]
        rejected.append(np.mean([x is not None and x < 0.05 for x in p]))
    assert rejected[0] <= 0.05 + 2 * sqrt(0.05 * 0.95 / 400)
    assert rejected[1] >= 0.5


@settings(max_examples=30)
@given(seeds, st.permutations(range(4)))
def test_the_order_of_rows_and_the_names_of_groups_do_not_matter(seed: int, names: list[int]) -> None:
    sample, group, cell = study(np.random.default_rng(seed), 2.0)
    order = np.random.default_rng(seed).permutation(325)
    design = Design(**{name: getattr(sample.design, name)[order] for name in Design.__dataclass_fields__})
    usual = compared(sample, group, cell)
    moved = compared(sample.rows(order, design=design), np.array(names)[group][order], cell[order])
    assert (moved.p_value, moved.statistic) == pytest.approx((usual.p_value, usual.statistic))
    assert usual.p_value is not None
    assert 0 <= usual.p_value <= 1
