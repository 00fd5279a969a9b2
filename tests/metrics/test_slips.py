"""What annotators slip: a label that another person would have given otherwise is not a fact about a response."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.comparison import Side, slice_difference
from metrics.correction import Population, Sample, human_only
from metrics.prediction import Prediction
from metrics.sample import Second
from metrics.slips import ENOUGH, slip_variance
from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def drawn(stratum: Codes, size: list[int]) -> Design:
    sizes, taken = np.array(size), np.bincount(stratum)
    return Design.of_draws(
        stratum=[str(h) for h in stratum],
        stratum_size=sizes[stratum],
        inclusion_probability=(taken / sizes)[stratum],
        unit=[str(i) for i in range(len(stratum))],
    )


def rows(num: Floats, *, size: list[int], stratum: Codes | None = None, again: Floats | None = None) -> Sample:
    """Two annotators in turn; `again` is nan where nobody labels a second time."""
    n = len(num)
    h = np.zeros(n, dtype=np.int64) if stratum is None else stratum
    second = None if again is None else Second(chosen=~np.isnan(again), num=np.nan_to_num(again), den=np.ones(n))
    return Sample(
        num=num,
        den=np.ones(n),
        code=np.zeros(n, dtype=np.int64),
        in_slice=np.ones(n, dtype=bool),
        design=drawn(h, size),
        annotator=np.arange(n) % 2,
        another=second,
    )


def everything(sample: Sample) -> Population:
    n = round(float(sample.design.weight.sum()))
    return Population(code=np.zeros(1, dtype=np.int64), count=np.array([n]))


def of(sample: Sample) -> float:
    """Of the total of the labels."""
    apart = np.zeros(len(sample.num)) if sample.another is None else sample.by(sample.another).num - sample.num
    return slip_variance(sample, sample.num, apart, sample.in_slice)


def answers(n: int, yes: int) -> Floats:
    return (np.arange(n) < yes).astype(np.float64)


def test_a_total_by_hand() -> None:
    # 40 rows of weight 2; 32 are labelled twice and stand for 80 / 32 = 2.5 rows each; 4 of them differ by 1.
    again = np.append(answers(32, 16), np.full(8, np.nan))
    sample = rows(np.append(answers(32, 20), np.zeros(8)), size=[80], again=again)
    assert of(sample) == pytest.approx(2.5 * 4 / 2)


def test_without_a_second_label_no_correction_is_left() -> None:
    sample = rows(answers(60, 24), size=[100])
    share = human_only(sample, everything(sample))
    alone = human_only(replace(sample, annotator=None), everything(sample))
    assert share.value == pytest.approx(0.4)
    assert alone.value == share.value
    # s2 / n, as if drawn with replacement; and that with 1 - 60 / 100 for labels that are facts.
    assert share.se == pytest.approx(sqrt(0.4 * 0.6 / 59))
    assert alone.se == pytest.approx(sqrt(0.4 * 0.6 / 59 * 0.4))


def test_few_second_labels_measure_nothing() -> None:
    num = answers(60, 24)
    for known, same in ((ENOUGH - 1, False), (ENOUGH, True)):
        sample = rows(num, size=[100], again=np.where(np.arange(60) < known, num, np.nan))
        assert (of(sample) == 0) == same


def test_people_who_always_agree_are_taken_at_their_word() -> None:
    num = answers(60, 24)
    sample = rows(num, size=[100], again=num)
    assert human_only(sample, everything(sample)) == human_only(
        replace(sample, annotator=None, another=None), everything(sample)
    )


@pytest.mark.parametrize("who", [None, np.zeros(60, dtype=np.int64)], ids=["unknown", "one"])
def test_one_person_cannot_be_told_from_the_truth(who: Codes | None) -> None:
    sample = replace(rows(answers(60, 24), size=[100], again=answers(60, 30)), annotator=who)
    assert of(sample) == 0


def test_adjudicated_values_are_facts() -> None:
    sample = rows(answers(60, 24), size=[100], again=answers(60, 30))
    assert of(replace(sample, second=sample.another)) == 0


@settings(max_examples=40)
@given(data=st.data())
def test_laws(data: st.DataObject) -> None:
    """Order and names do not matter, it is never more than all that varies, and the value stays."""
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    stratum = np.sort(np.append(rng.integers(0, 3, 74), np.repeat(np.arange(3), 2)))
    num = rng.integers(0, 2, 80).astype(np.float64)
    again = np.where(rng.random(80) < 0.7, np.where(rng.random(80) < 0.8, num, 1 - num), np.nan)
    size = (np.bincount(stratum) + rng.integers(1, 40, 3)).tolist()
    sample = rows(num, size=size, stratum=stratum, again=again)
    found, bound = of(sample), of(replace(sample, another=None))
    assert 0 <= found <= bound + 1e-9
    order = rng.permutation(80)
    shuffled = rows(num[order], size=size, stratum=stratum[order], again=again[order])
    shuffled = replace(shuffled, annotator=1 - np.arange(80)[order] % 2)
    assert of(shuffled) == pytest.approx(found)
    whole = everything(sample)
    share, alone = human_only(sample, whole), human_only(replace(sample, annotator=None), whole)
    assert share.value == alone.value
    assert share.low is not None
    assert share.high is not None
    assert alone.low is not None
    assert alone.high is not None
    assert share.low <= alone.low + 1e-12
    assert share.high >= alone.high - 1e-12


def test_the_error_is_that_of_repeating_the_audit() -> None:
    """Half of two strata is labelled, by people who say 1 with the chances .9 and .2; a third of it twice."""
    rng = np.random.default_rng(4)
    size = [200, 100]
    stratum = np.repeat([0, 1], [100, 50])
    chance = np.concatenate([np.where(np.arange(200) < 120, 0.9, 0.2), np.where(np.arange(100) < 20, 0.9, 0.2)])
    values, variances, slips = [], [], []
    for _ in range(1500):
        at = np.concatenate([rng.permutation(200)[:100], 200 + rng.permutation(100)[:50]])
        one, other = (rng.random((2, 150)) < chance[at]).astype(np.float64)
        sample = rows(one, size=size, stratum=stratum, again=np.where(rng.random(150) < 1 / 3, other, np.nan))
        share = human_only(sample, everything(sample))
        values.append(share.value or 0.0)
        variances.append((share.se or 0.0) ** 2)
        slips.append(of(sample))
    assert np.mean(slips) == pytest.approx(float(chance @ (1 - chance)), rel=0.02)
    # 1,500 audits know a variance to about 4 %.
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.11)
    alone = np.mean(variances) - np.mean(slips) / 300**2
    assert alone < 0.8 * np.var(values)


def test_a_difference_of_two_slices_holds_the_slips_of_both() -> None:
    num = answers(120, 50)
    sample = rows(num, size=[160], again=np.where(np.arange(120) % 3 == 0, 1 - num, num))
    half = np.arange(120) % 2 == 0
    sides = [
        Side.of(
            replace(sample, in_slice=inside),
            Population(code=np.zeros(1, dtype=np.int64), count=np.array([80])),
            prediction=Prediction.none(),
        )
        for inside in (half, ~half)
    ]
    found = slice_difference(*sides)
    both = sum((side.share.se or 0.0) ** 2 for side in sides)
    facts = sample.design.variance(sides[0].score - sides[1].score)
    assert found.se is not None
    # 40 of 120 rows differ by 1, each in one slice of 80: the two slices' slips add up.
    assert found.se**2 - facts == pytest.approx(160 / 120 * 40 / 2 / 80**2, rel=0.02)
    assert found.se**2 == pytest.approx(both, rel=0.05)
