from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.annotators import Between, between_annotators
from metrics.correction import Population, Sample, Share, corrected, human_only
from metrics.definitions import METRICS
from metrics.estimate import About
from metrics.patterns import encode
from metrics.sample import Second
from metrics.uncertainty import Bracket
from sampling.design import Design

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

seeds = st.integers(0, 10_000)


def rows_of(stratum: Codes, annotator: Codes, num: Floats, weight: float = 10.0) -> Sample:
    """Rows of strata of which one in `weight` was drawn."""
    n = len(num)
    return Sample(
        num=num,
        den=np.ones(n),
        code=np.zeros(n, dtype=np.int64),
        in_slice=np.ones(n, dtype=bool),
        annotator=annotator,
        design=Design.of_draws(
            stratum=[str(h) for h in stratum],
            stratum_size=weight * np.bincount(stratum)[stratum],
            inclusion_probability=np.full(n, 1 / weight),
            unit=[str(i) for i in range(n)],
        ),
    )


def between(sample: Sample, score: Floats | None = None) -> Between:
    found = between_annotators(sample, sample.num if score is None else score, sample.in_slice)
    assert isinstance(found, Between)
    return found


def test_equal_loads_by_hand() -> None:
    # Ten rows of weight 10, two for each of five annotators, who say yes 2, 2, 1, 0 and 0 times. The mean is 1/2:
    # z = 10, 10, 0, -10, -10 and Var = 5/4 * 400
    sample = rows_of(np.zeros(10, dtype=np.int64), np.repeat(np.arange(5), 2), np.array([1.0] * 5 + [0.0] * 5))
    found = between(sample)
    assert (found.variance, found.df) == pytest.approx((500, 4))
    assert human_only(sample, everything(100), floor=1, annotators="annotators like these").se == pytest.approx(
        sqrt(500) / 100
    )


def everything(size: int) -> Population:
    return Population(code=np.zeros(1, dtype=np.int64), count=np.array([size]))


def test_unequal_loads_leave_the_variance_unbiased_and_fewer_degrees_of_freedom() -> None:
    """Seven annotators over three strata; the mean of 2,000 estimates within three standard errors of the variance."""
    rng = np.random.default_rng(8)
    stratum = np.repeat(np.arange(3), [60, 100, 140])
    loads = np.repeat(np.arange(7), [90, 60, 50, 40, 30, 20, 10])
    errors, found = [], []
    for _ in range(2000):
        who = rng.permutation(loads)
        score = rng.normal(0, 0.3, 7)[who] + rng.normal(0, 1, 300)
        sample = rows_of(stratum, who, np.zeros(300))
        errors.append(sample.design.total(score))
        found.append(between(sample, score))
    variances = np.array([one.variance for one in found])
    # What the draw and the annotators add to a total of 3,000 rows: loads^2 * .09 and 10^2 * 300.
    true = 100 * float(np.sum(np.bincount(loads) ** 2)) * 0.09 + 100 * 300
    assert np.var(errors) == pytest.approx(true, rel=0.1)
    # The share of the draw is a little too large when loads differ: by 11 % here, and it is half of the variance.
    assert true * 0.98 <= variances.mean() <= true * 1.12
    assert all(3 < one.df < 6 for one in found)
    # A chi square on df degrees of freedom has this relative spread.
    assert variances.std() / variances.mean() == pytest.approx(sqrt(2 / np.mean([one.df for one in found])), rel=0.1)


@pytest.mark.parametrize(("people", "sentence"), [(1, "1 annotator tells"), (4, "4 annotators tell")])
def test_few_annotators_get_a_sentence_and_no_number(people: int, sentence: str) -> None:
    sample = rows_of(np.zeros(40, dtype=np.int64), np.arange(40) % people, np.where(np.arange(40) % 3 == 2, 1.0, 0.0))
    share = human_only(sample, everything(400), annotators="annotators like these")
    assert (share.value, share.low, share.tier, share.n) == (None, None, "direct", 40)
    assert share.why_undefined == f"undefined: {sentence} too little of annotators like these; 5 are needed"
    assert human_only(sample, everything(400)).value is not None


def test_annotators_of_a_stratum_each_cannot_be_told_from_strata() -> None:
    stratum = np.repeat(np.arange(6), 10)
    sample = rows_of(stratum, stratum, np.where(np.arange(60) % 2 == 0, 1.0, 0.0))
    share = human_only(sample, everything(600), annotators="annotators like these")
    assert share.why_undefined is not None
    assert "no two annotators share a stratum" in share.why_undefined


def test_annotators_must_be_given() -> None:
    sample = replace(rows_of(np.zeros(40, dtype=np.int64), np.zeros(40, dtype=np.int64), np.ones(40)), annotator=None)
    with pytest.raises(ValueError, match="give the annotator"):
        human_only(sample, everything(400), annotators="annotators like these")


def test_labelling_everything_leaves_what_other_annotators_would_say() -> None:
    sample = rows_of(
        np.zeros(60, dtype=np.int64), np.arange(60) % 6, np.where(np.arange(60) % 6 < 3, 1.0, 0.0), weight=1.0
    )
    these, like = (
        human_only(sample, everything(60), annotators=who) for who in ("these annotators", "annotators like these")
    )
    assert (these.low, these.high) == (0.5, 0.5)
    # Three annotators always say yes and three never: z^2 = 25 each.
    assert like.se == pytest.approx(sqrt(6 / 5 * 150) / 60)
    assert like.low is not None
    assert like.low < 0.2


def test_an_interval_where_nothing_varied_is_wider_too() -> None:
    sample = rows_of(np.zeros(60, dtype=np.int64), np.arange(60) % 6, np.zeros(60))
    these, like = (
        human_only(sample, everything(600), annotators=who) for who in ("these annotators", "annotators like these")
    )
    assert (these.low, like.low) == (0, 0)
    assert these.high is not None
    assert like.high is not None
    assert these.high < like.high < 2 * these.high


def test_the_rest_of_the_variance_brings_its_own_degrees_of_freedom() -> None:
    around = Bracket(low=0.5, high=0.5, kind="census")
    wide, whole = Between(variance=0.01, df=5).widen(around, 0.5, rest=0.01, df=5, level=0.95, trials=100)
    assert whole == pytest.approx(0.02)
    # Two equal parts with 5 each have 10: the t quantile is 2.228.
    assert np.log(wide.high / (1 - wide.high)) == pytest.approx(2.228 * sqrt(0.02) / 0.25, abs=2e-3)


# -- Laws ------------------------------------------------------------------------------------------------------------


def random_study(seed: int, people: int = 7) -> tuple[Sample, Population]:
    """cSES in a random slice of 300 rows of 60 tasks in three strata; contexts of two rows go to one annotator."""
    rng = np.random.default_rng(seed)
    human = (rng.random((4, 300)) < np.array([[0.8], [0.9], [0.5], [0.3]])).astype(np.float64)
    code = encode(*np.where(rng.random((4, 300)) < 0.15, 1 - human, human))
    place, strata, task = rng.random(300) < 0.8, np.arange(300) // 2 % 3, np.arange(300) // 5
    drawn = np.concatenate([rng.permutation(np.flatnonzero(strata == h))[:40] for h in range(3)])
    num, den = METRICS["cSES"].terms(*human)
    who = rng.integers(0, people, 150)[drawn // 2]
    who[:people] = np.arange(people)
    groups, counts = np.unique(np.column_stack([code, task])[place], axis=0, return_counts=True)
    rows = rows_of(strata[drawn], who, num[drawn], weight=2.5)
    chosen = rng.random(120) < 0.5
    second = Second(chosen=chosen, num=num[drawn], den=den[drawn]) if seed % 2 else None
    said = np.where(rng.random(120) < 0.1, 0.0, num[drawn])
    sample = replace(
        rows, num=said, den=den[drawn], code=code[drawn], in_slice=place[drawn], task=task[drawn], second=second
    )
    return sample, Population(code=groups[:, 0], count=counts, task=groups[:, 1])


def both(sample: Sample, population: Population, about: About, way: object) -> tuple[Share, Share]:
    assert way in (corrected, human_only)
    these, like = (
        (corrected if way is corrected else human_only)(sample, population, floor=1, about=about, annotators=who)
        for who in ("these annotators", "annotators like these")
    )
    return these, like


@settings(max_examples=40)
@given(seeds, st.sampled_from(["these responses", "such tasks"]), st.sampled_from([corrected, human_only]))
def test_it_is_never_narrower_and_contains_its_value(seed: int, about: About, way: object) -> None:
    these, like = both(*random_study(seed), about, way)
    assert like.value is not None
    assert like.value == these.value
    assert like.low is not None
    assert like.high is not None
    assert these.low is not None
    assert these.high is not None
    assert like.low <= these.low <= like.value <= these.high <= like.high
    assert like.se is not None
    assert these.se is not None
    assert like.se >= these.se


def numbers(share: Share) -> list[float]:
    found = (share.value, share.se, share.low, share.high, share.n_effective)
    return [np.nan if x is None else x for x in found]


@settings(max_examples=30)
@given(seeds, st.permutations(range(7)))
def test_names_of_annotators_and_the_order_of_rows_do_not_matter(seed: int, names: list[int]) -> None:
    sample, population = random_study(seed)
    sample = replace(sample, second=None)
    order = np.random.default_rng(seed).permutation(120)
    design = Design(**{name: getattr(sample.design, name)[order] for name in Design.__dataclass_fields__})
    assert sample.annotator is not None
    renamed = replace(sample, annotator=100 * np.array(names)[sample.annotator])
    usual, other, moved = (
        numbers(both(rows, population, "these responses", corrected)[1])
        for rows in (sample, renamed, sample.rows(order, design=design))
    )
    assert other == pytest.approx(usual)
    assert moved == pytest.approx(usual)
