"""Intervals of the population's coefficients, from the variance of a sampling design."""

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from agreement.kappas import brennan_prediger, conger_kappa, fleiss_kappa, gwet_ac2
from agreement.precision import Precision, PrecisionOptions, Variance
from agreement.prevalence import prevalence
from agreement.ratings import Ratings
from agreement.result import Agreement
from sampling.design import Design

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]
Statistic = Callable[..., Agreement]


def cohen_of_the_first_two(ratings: Ratings, **how: Any) -> Agreement:
    two = Ratings.of(
        ratings.labels[:, :2], n_categories=ratings.n_categories, weight=ratings.weight, cluster=ratings.cluster
    )
    return cohen_kappa(two, **how)


def share_of_one(ratings: Ratings, **how: Any) -> Agreement:
    return prevalence(ratings, **how)[1]


STATISTICS: dict[str, Statistic] = {
    "percent": percent_agreement,
    "ac1": gwet_ac1,
    "ac2": gwet_ac2,
    "fleiss": fleiss_kappa,
    "fleiss-linear": partial(fleiss_kappa, weights="linear"),
    "conger": conger_kappa,
    "brennan-prediger": brennan_prediger,
    "cohen": cohen_of_the_first_two,
    "cohen-quadratic": partial(cohen_of_the_first_two, weights="quadratic"),
    "prevalence": share_of_one,
    **{f"alpha-{level}": partial(krippendorff_alpha, level=level) for level in ("nominal", "ordinal", "interval")},
    "alpha-ratio": partial(krippendorff_alpha, level="ratio"),
}
every = pytest.mark.parametrize("name", STATISTICS)


def with_replacement(weight: Floats) -> Variance:
    """Variance of a weighted total of independent units."""
    return lambda scores: float(len(weight) * np.var(weight * scores, ddof=1))


def weighted(name: str, labels: Labels, weight: Floats, k: int = 3) -> Agreement:
    ratings = Ratings.of(labels, n_categories=k, weight=weight)
    return STATISTICS[name](ratings, variance=with_replacement(weight))


def noisy(seed: int, n: int, k: int = 3) -> Labels:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, (n, 1))
    seen = np.where(rng.random((n, 3)) < 0.75, truth, rng.integers(0, k, (n, 3)))
    return np.where(rng.random((n, 3)) < 0.2, -1, seen)


@every
def test_standard_errors_are_the_jackknifes(name: str) -> None:
    """Leaving out one unit at a time, under unequal weights: the same to first order (n = 200, 3 %)."""
    labels, weight = noisy(1, 200), np.random.default_rng(1).uniform(1, 4, 200)
    alone = [np.arange(200) != i for i in range(200)]
    left = [STATISTICS[name](Ratings.of(labels[k], n_categories=3, weight=weight[k]), census=True).value for k in alone]
    spread = (199 * np.var(np.array(left, dtype=float))) ** 0.5
    assert weighted(name, labels, weight).se == pytest.approx(spread, rel=0.03)


@every
def test_the_bootstrap_and_the_design_agree(name: str) -> None:
    labels, weight = noisy(2, 300), np.random.default_rng(2).uniform(1, 3, 300)
    bootstrap = STATISTICS[name](Ratings.of(labels, n_categories=3, weight=weight))
    assert weighted(name, labels, weight).se == pytest.approx(bootstrap.se, rel=0.1)


@every
def test_tasks_may_be_linearised_or_resampled(name: str) -> None:
    labels, task = np.repeat(noisy(3, 60), 3, axis=0), np.repeat(np.arange(60), 3)
    ratings = Ratings.of(labels, n_categories=3, cluster=task)
    once = STATISTICS[name](Ratings.of(labels[::3], n_categories=3), interval="linearised")
    resampled, linear = (STATISTICS[name](ratings, interval=how) for how in ("bootstrap", "linearised"))
    assert linear.se == pytest.approx(once.se, rel=0.02)  # alpha's (n - 1) / n apart
    assert linear.se == pytest.approx(resampled.se, rel=0.15)


@every
def test_any_coefficient_may_be_resampled(name: str) -> None:
    """Of units with two labels: the published variance makes more of lone ones (see `spread.over_units_variance`)."""
    labels = noisy(4, 300)
    ratings = Ratings.of(labels[(labels >= 0).sum(axis=1) > 1], n_categories=3)
    analytic, resampled = STATISTICS[name](ratings), STATISTICS[name](ratings, interval="bootstrap")
    assert resampled.value == analytic.value
    assert resampled.se == pytest.approx(analytic.se, rel=0.1)


@every
@settings(max_examples=15)
@given(data=st.data())
def test_equal_weights_give_the_unweighted_value(name: str, data: st.DataObject) -> None:
    """Up to the small-sample term of alpha: of n paired labels, 1 - alpha is n / (n - 1) larger without it."""
    labels = data.draw(arrays(np.int64, (9, 3), elements=st.integers(-1, 2)))
    plain, even = (STATISTICS[name](Ratings.of(labels, n_categories=3, weight=w)) for w in (None, np.full(9, 7.5)))
    if plain.value is None:
        assert even.why_undefined == plain.why_undefined
    elif name.startswith("alpha"):
        n = int((labels >= 0)[(labels >= 0).sum(axis=1) > 1].sum())
        assert even.value is not None
        assert 1 - plain.value == pytest.approx((1 - even.value) * (n - 1) / n, abs=1e-9)
    else:
        assert even.value == pytest.approx(plain.value, abs=1e-9)


@every
@settings(max_examples=15)
@given(data=st.data())
def test_order_and_scale_of_weights_do_not_matter(name: str, data: st.DataObject) -> None:
    labels = data.draw(arrays(np.int64, (10, 3), elements=st.integers(-1, 2)))
    weight = data.draw(arrays(np.float64, 10, elements=st.sampled_from([1.0, 2.5, 8.0])))
    order = np.array(data.draw(st.permutations(range(10))))
    before, after = weighted(name, labels, weight), weighted(name, labels[order], 3 * weight[order])
    for part in ("value", "se", "low", "high"):
        assert getattr(after, part) == pytest.approx(getattr(before, part), abs=1e-7)


@every
@settings(max_examples=15)
@given(data=st.data())
def test_a_weight_of_two_is_the_unit_twice(name: str, data: st.DataObject) -> None:
    labels = data.draw(arrays(np.int64, (8, 3), elements=st.integers(-1, 2)))
    weight = data.draw(arrays(np.int64, 8, elements=st.integers(1, 3)))
    twice = np.repeat(labels, weight, axis=0)
    found = weighted(name, twice, np.ones(len(twice))).value
    assert weighted(name, labels, weight.astype(float)).value == pytest.approx(found, abs=1e-9)


@every
@settings(max_examples=15)
@given(data=st.data())
def test_the_interval_contains_the_value_and_has_a_width(name: str, data: st.DataObject) -> None:
    labels = data.draw(arrays(np.int64, (10, 3), elements=st.integers(-1, 2)))
    weight = data.draw(arrays(np.float64, 10, elements=st.floats(0.5, 20)))
    once = weighted(name, labels, weight)
    if once.value is None:
        assert (once.why_undefined or "").startswith("undefined: ")
        return
    often = weighted(name, np.tile(labels, (40, 1)), np.tile(weight, 40))
    assert once.low is not None
    assert once.high is not None
    assert once.low <= once.value <= once.high <= 1
    assert often.low is not None
    assert often.high is not None
    assert 0 < often.high - often.low < once.high - once.low


@every
def test_units_that_are_not_used_score_zero(name: str) -> None:
    labels = noisy(5, 40)
    seen: list[Floats] = []
    labels[::4] = -1

    def variance(scores: Floats) -> float:
        seen.append(scores)
        return 1e-4

    STATISTICS[name](Ratings.of(labels, n_categories=3, weight=np.ones(40)), variance=variance)
    assert seen
    assert all(scores.shape == (40,) and not scores[::4].any() for scores in seen)
    assert np.array([scores.sum() for scores in seen]) == pytest.approx(0, abs=1e-12)


def population(n: int = 6000, k: int = 10) -> tuple[NDArray[np.int64], Labels]:
    """Ten strata; yes becomes more common and labels more often wrong from the first to the last."""
    rng = np.random.default_rng(5)
    stratum = np.sort(rng.integers(0, k, n))
    truth = rng.random(n) < np.linspace(0.05, 0.8, k)[stratum]
    error = np.linspace(0.02, 0.08, k)[stratum]
    labels = (truth[:, None] ^ (rng.random((n, 3)) < error[:, None])).astype(np.int64)
    return stratum, np.where(rng.random((n, 3)) < 0.15, -1, labels)


@pytest.mark.parametrize("name", ["percent", "ac1", "fleiss", "conger", "cohen", "brennan-prediger", "alpha-nominal"])
def test_intervals_cover_under_a_stratified_design(name: str) -> None:
    """300 samples of 6 to 24 units a stratum; allowed: 3 binomial standard errors and one point."""
    stratum, labels = population()
    size = np.bincount(stratum)
    truth = STATISTICS[name](Ratings.of(labels, n_categories=2, weight=np.ones(len(labels))), census=True).value
    hits = 0
    assert truth is not None
    for seed in range(300):
        rng = np.random.default_rng(seed)
        members = [np.flatnonzero(stratum == h) for h in range(10)]
        drawn = np.concatenate([rng.choice(units, (6, 24)[h % 2], replace=False) for h, units in enumerate(members)])
        share = np.bincount(stratum[drawn]) / size
        design = Design.of_draws(
            stratum=stratum[drawn].astype(str).tolist(),
            stratum_size=size[stratum[drawn]],
            inclusion_probability=share[stratum[drawn]],
            unit=drawn.astype(str).tolist(),
        )
        df = design.degrees_of_freedom(np.ones(len(drawn), dtype=bool))
        ratings = Ratings.of(labels[drawn], n_categories=2, weight=design.weight)
        found = STATISTICS[name](ratings, variance=design.variance, degrees_of_freedom=df)
        hits += found.low is not None and found.high is not None and found.low <= truth <= found.high
    assert abs(hits / 300 - 0.95) < 3 * (0.95 * 0.05 / 300) ** 0.5 + 0.01


def test_options_and_fields_are_the_same() -> None:
    assert set(PrecisionOptions.__annotations__) == set(Precision.__dataclass_fields__)
    assert get_args(PrecisionOptions.__annotations__["interval"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 95, "replicates": 3}, "such as 0.95\nreplicates is 3"),
        ({"interval": "bayes"}, "interval is 'bayes'; expected one of bootstrap, linearised"),
        ({"degrees_of_freedom": 5}, "belong to a `variance`"),
        ({"degrees_of_freedom": 0, "variance": lambda scores: 1.0}, "at least 1"),
        ({"interval": "bootstrap", "variance": lambda scores: 1.0}, "not both"),
        ({"variance": lambda scores: -1.0}, "variance returned -1.0"),
    ],
)
@every
def test_senseless_precision_is_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        STATISTICS[name](Ratings.of(noisy(6, 20), n_categories=3, weight=np.ones(20)), **options)


@every
def test_a_design_variance_needs_weights(name: str) -> None:
    with pytest.raises(ValueError, match="belongs to design weights"):
        STATISTICS[name](Ratings.of(noisy(6, 20), n_categories=3), variance=lambda scores: 1.0)
