from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import betabinom

from metrics.completion import NESTED, WHOLE, Labels, completed_ratios

Flags = NDArray[np.bool_]


def labels_of(num: list[int], size: int, *, strata: int = 1, inside: Flags | None = None) -> Labels:
    n = len(num)
    return Labels(
        stratum=np.arange(n, dtype=np.int64) % strata,
        weight=np.full(n, size / n),
        num=np.array(num, dtype=np.float64),
        den=np.ones(n),
        domain=np.where(np.ones(n, dtype=bool) if inside is None else inside, 0, -1).astype(np.int64),
        code=np.zeros(n, dtype=np.int64),
        patterns=WHOLE,
    )


@pytest.mark.parametrize(("yes", "n", "size"), [(0, 30, 300), (3, 20, 50), (20, 40, 1000)])
def test_one_stratum_of_a_share_is_beta_binomial(yes: int, n: int, size: int) -> None:
    # Two pseudo-labels: half to yes and no alike, half as people answered.
    alpha, beta = yes + 0.5 + yes / n, n - yes + 0.5 + (n - yes) / n
    drawn = completed_ratios(labels_of([1] * yes + [0] * (n - yes), size), draws=20_000) * size - yes
    law = betabinom(size - n, alpha, beta)
    assert drawn.mean() == pytest.approx(law.mean(), rel=0.02)
    for quantile in (0.025, 0.5, 0.975):
        # The law is of whole numbers: its share up to the drawn quantile is the level or a step above it.
        at = np.quantile(drawn, quantile, method="inverted_cdf")
        assert law.cdf(at) >= quantile - 0.005
        assert law.cdf(at - 1) <= quantile + 0.005


def test_labelled_rows_are_kept() -> None:
    assert set(completed_ratios(labels_of([1, 0, 0, 1], 4))) == {0.5}


def test_the_prior_does_not_grow_with_the_number_of_strata() -> None:
    answers = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0] * 90
    one, ninety = (completed_ratios(labels_of(answers, 29_700, strata=h)).mean() for h in (1, 90))
    assert one == pytest.approx(0.1, abs=0.002)
    assert ninety == pytest.approx(0.1, abs=0.002)


def test_a_pattern_nobody_showed_stays_possible() -> None:
    ratios = completed_ratios(labels_of([0] * 30, 300))
    assert np.quantile(ratios, 0.975) > 0.02


def test_rows_outside_stand_for_others_outside() -> None:
    inside = np.arange(40) < 20
    ratios = completed_ratios(labels_of([1] * 10 + [0] * 10 + [0] * 20, 400, inside=inside))
    assert ratios.mean() == pytest.approx(0.5, abs=0.02)


def test_a_mean_over_domains_gives_each_the_same_weight() -> None:
    both = labels_of([1] * 30 + [0] * 10, 40)
    by_domain = replace(both, domain=(np.arange(40) >= 30).astype(np.int64))
    assert set(completed_ratios(by_domain)) == {0.5}


def test_a_domain_without_a_denominator_is_not_a_number() -> None:
    nothing = replace(labels_of([0, 0], 2), den=np.zeros(2), patterns=NESTED)
    assert np.isnan(completed_ratios(nothing)).all()


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    den = rng.integers(0, 2, 30).astype(np.float64)
    labels = Labels(
        stratum=np.arange(30, dtype=np.int64) % 3,
        weight=np.full(30, 4.0),
        num=den * rng.integers(0, 2, 30),
        den=den,
        domain=rng.integers(-1, 2, 30),
        code=rng.integers(0, 81, 30),
        patterns=NESTED,
    )
    order = rng.permutation(30)
    moved = {f.name: getattr(labels, f.name)[order] for f in fields(labels) if f.name != "patterns"}
    before, after = completed_ratios(labels, draws=50), completed_ratios(Labels(**moved, patterns=NESTED), draws=50)
    assert np.array_equal(before, after, equal_nan=True)


def test_an_undeclared_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="none of the declared patterns"):
        completed_ratios(replace(labels_of([1, 0], 4), den=np.zeros(2)))
