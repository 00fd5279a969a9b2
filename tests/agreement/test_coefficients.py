import time
from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import krippendorff
import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import cohen_kappa_score

from agreement import disagreement, spread
from agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from agreement.disagreement import Scale
from agreement.kappas import brennan_prediger, conger_kappa, fleiss_kappa, gwet_ac2
from agreement.ratings import Ratings
from agreement.result import Agreement

Labels = NDArray[np.int64]
EVERY = [percent_agreement, gwet_ac1, krippendorff_alpha, cohen_kappa, gwet_ac2, fleiss_kappa, conger_kappa]
EVERY += [brennan_prediger]


def noisy(
    seed: int, units: int, raters: int = 2, *, yes: float = 0.3, error: float = 0.12, missing: float = 0
) -> Labels:
    """Binary labels: raters see the truth, wrong at random."""
    rng = np.random.default_rng(seed)
    truth = rng.random((units, 1)) < yes
    seen = (truth ^ (rng.random((units, raters)) < error)).astype(np.int64)
    return np.where(rng.random((units, raters)) < missing, -1, seen)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", get_args(Scale))
def test_alpha_is_the_krippendorff_packages(seed: int, level: Scale) -> None:
    labels = np.random.default_rng(seed).integers(-1, 4, size=(37, 5))
    given = np.where(labels < 0, np.nan, labels.astype(float)).T
    expected = krippendorff.alpha(reliability_data=given, level_of_measurement=level)
    assert krippendorff_alpha(Ratings.of(labels, n_categories=4), level=level).value == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
def test_kappa_is_scikit_learns(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    labels, weight = rng.integers(0, 3, size=(53, 2)), rng.uniform(1, 9, 53) if weighted else None
    expected = cohen_kappa_score(labels[:, 0], labels[:, 1], sample_weight=weight)
    assert cohen_kappa(Ratings.of(labels, n_categories=3, weight=weight)).value == pytest.approx(expected)


@pytest.mark.parametrize("level", get_args(Scale))
def test_linearised_scores_are_the_derivative(level: Scale) -> None:
    ratings = Ratings.of(np.random.default_rng(3).integers(-1, 4, size=(25, 3)), n_categories=4)
    totals = ratings.tally(at_least=2).totals
    step = 1e-5 * np.eye(len(totals))
    up, down = (
        disagreement.krippendorff(ratings.counts, totals + sign * step, level, small_sample=False).coefficient
        for sign in (1, -1)
    )
    found = spread.krippendorff_scores(ratings.counts, totals, level)
    assert found == pytest.approx((up - down) / 2e-5, abs=1e-7)
    assert totals @ found == pytest.approx(0, abs=1e-9)


DEGENERATE: dict[str, tuple[ArrayLike, str]] = {
    "all-identical": ([[1, 1]] * 106, "undefined: all 212 labels are Yes"),
    "one-rater": ([[1], [0], [1]], "undefined: all 3 labels are one rater's, agreement needs two"),
    "one-rater-answered": ([[1, -1], [0, -1]], "undefined: all 2 labels are one rater's, agreement needs two"),
    "no-pair": ([[1, -1], [-1, 0]], "undefined: none of the 2 units has labels of two raters (2 labels of 2 raters)"),
    "all-missing": ([[-1, -1]] * 3, "undefined: none of the 3 units has a label"),
    "empty": (np.empty((0, 2), dtype=int), "undefined: there are no units"),
    "no-raters": (np.empty((2, 0), dtype=int), "undefined: none of the 2 units has a label"),
}


@pytest.mark.parametrize("statistic", EVERY)
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_inputs(statistic: Callable[..., Agreement], case: str) -> None:
    labels, reason = DEGENERATE[case]
    found = statistic(Ratings.of(labels, n_categories=2, category_names=["No", "Yes"]))
    if statistic is percent_agreement and case == "all-identical":
        assert found.value == 1
        assert found.low == pytest.approx(0.025 ** (1 / 106))
    else:
        assert found.value is None
        assert found.why_undefined == reason


def test_kappa_says_which_rater_never_varied() -> None:
    found = cohen_kappa(Ratings.of([[0, 1], [0, 0], [0, 0], [1, -1]], n_categories=2, category_names=["No", "Yes"]))
    assert found.why_undefined == "undefined: the first rater gave No to all 3 units, kappa cannot differ from 0"
    assert (found.n, found.n_dropped) == (3, 1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_is_scikit_learns(seed: int, weights: Literal["linear", "quadratic"]) -> None:
    labels = np.random.default_rng(seed).integers(0, 4, size=(41, 2))
    expected = cohen_kappa_score(labels[:, 0], labels[:, 1], weights=weights)
    found = cohen_kappa(Ratings.of(labels, n_categories=4), weights=weights)
    assert found.value == pytest.approx(expected)
    assert found.name == f"cohen_kappa_{weights}"


def test_category_values_move_the_weights() -> None:
    labels = np.random.default_rng(1).integers(0, 3, size=(40, 2))
    even, uneven = (Ratings.of(labels, n_categories=3, category_values=v) for v in ([3, 5, 7], [0, 1, 9]))
    assert cohen_kappa(even, weights="linear") == cohen_kappa(Ratings.of(labels, n_categories=3), weights="linear")
    assert cohen_kappa(uneven, weights="linear").value != cohen_kappa(even, weights="linear").value
    assert cohen_kappa(uneven, weights="ordinal") == cohen_kappa(even, weights="ordinal")


def test_kappa_refuses_three_raters() -> None:
    with pytest.raises(ValueError, match="compares two raters"):
        cohen_kappa(Ratings.of([[0, 1, 1]], n_categories=2))


def test_alpha_refuses_a_confidence_level_as_scale() -> None:
    with pytest.raises(ValueError, match="confidence is set by"):
        krippendorff_alpha(Ratings.of([[0, 1]], n_categories=2), level=0.95)  # type: ignore[arg-type]  # the slip


def test_a_ratio_scale_has_no_numbers_below_0() -> None:
    with pytest.raises(ValueError, match="below 0"):
        krippendorff_alpha(Ratings.of([[0, 1]], n_categories=2, category_values=[-1, 1]), level="ratio")


@pytest.mark.parametrize(("options", "message"), [({"confidence": 95}, "such as 0.95"), ({"replicates": 3}, "100")])
def test_senseless_precision_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        percent_agreement(Ratings.of([[0, 1]], n_categories=2), **options)  # type: ignore[arg-type]  # mixed kwargs


@pytest.mark.parametrize("statistic", EVERY)
def test_one_disagreeing_unit_says_almost_nothing(statistic: Callable[..., Agreement]) -> None:
    found = statistic(Ratings.of([[0, 1]], n_categories=2))
    if found.value is not None:
        assert found.se is None
        assert found.high is not None
        assert found.high == 1


@pytest.mark.parametrize("statistic", EVERY)
def test_perfect_agreement_is_bounded_by_the_disagreement_it_could_hide(statistic: Callable[..., Agreement]) -> None:
    found = statistic(Ratings.of([[0, 0], [1, 1]] * 50, n_categories=2))
    hidden = 1 - 0.025 ** (1 / 100)
    # AC2's quadratic weights of two categories are all or nothing, and the margins even: one half for all.
    chance = 1 if statistic is percent_agreement else 0.5
    assert found.value == found.high == 1
    assert found.low == pytest.approx(1 - hidden / chance, abs=0.001)


def test_few_tasks_widen_the_interval() -> None:
    labels = np.repeat(noisy(4, 12, error=0.3), 10, axis=0)
    alone = krippendorff_alpha(Ratings.of(labels, n_categories=2))
    in_tasks = krippendorff_alpha(Ratings.of(labels, n_categories=2, cluster=np.repeat(np.arange(12), 10)))
    assert in_tasks.value == alone.value
    assert in_tasks.se is not None
    assert alone.se is not None
    assert in_tasks.se > 2.5 * alone.se


def test_seed_decides_the_bootstrap() -> None:
    ratings = Ratings.of(noisy(1, 60), n_categories=2)
    assert krippendorff_alpha(ratings, seed=4) == krippendorff_alpha(ratings, seed=4)
    assert krippendorff_alpha(ratings, seed=4) != krippendorff_alpha(ratings, seed=5)


def plain(seed: int) -> Ratings:
    return Ratings.of(noisy(seed, 80), n_categories=2)


def in_tasks(seed: int) -> Ratings:
    """Every unit four times: nothing new is known."""
    return Ratings.of(np.repeat(noisy(seed, 80), 4, axis=0), n_categories=2, cluster=np.repeat(np.arange(80), 4))


def weighted(seed: int) -> Ratings:
    """Half of the units where the first rater says no are left out, the rest of them count double."""
    labels = noisy(seed, 80)
    no = labels[:, 0] == 0
    kept = ~no | (np.random.default_rng(seed).random(80) < 0.5)
    return Ratings.of(labels[kept], n_categories=2, weight=np.where(no, 2.0, 1.0)[kept])


COVERAGE: dict[str, tuple[Callable[..., Agreement], Callable[[int], Ratings]]] = {
    "percent": (percent_agreement, plain),
    "ac1": (gwet_ac1, plain),
    "fleiss": (fleiss_kappa, plain),
    "conger": (conger_kappa, plain),
    "brennan-prediger": (brennan_prediger, plain),
    "fleiss-weighted": (partial(fleiss_kappa, replicates=300), weighted),
    "kappa": (cohen_kappa, plain),
    "alpha-bootstrap": (partial(krippendorff_alpha, replicates=300), plain),
    "alpha-linearised": (partial(krippendorff_alpha, interval="linearised"), plain),
    "percent-tasks": (partial(percent_agreement, replicates=300), in_tasks),
    "alpha-weighted": (partial(krippendorff_alpha, replicates=300), weighted),
}


@pytest.mark.parametrize("case", COVERAGE)
def test_intervals_cover_at_their_level(case: str) -> None:
    """300 samples of 80 units; allowed: 3 binomial standard errors and two points for the asymptotics."""
    statistic, sample = COVERAGE[case]
    truth = statistic(Ratings.of(noisy(99, 400_000), n_categories=2), census=True).value
    assert truth is not None
    found = [statistic(sample(seed)) for seed in range(300)]
    hits = sum(one.low is not None and one.high is not None and one.low <= truth <= one.high for one in found)
    assert abs(hits / 300 - 0.95) < 3 * (0.95 * 0.05 / 300) ** 0.5 + 0.02


def test_a_hundred_thousand_units_take_a_moment() -> None:
    labels = noisy(1, 100_000, 5, missing=0.3)
    start = time.process_time()
    ratings = Ratings.of(labels, n_categories=2)
    for statistic in (percent_agreement, gwet_ac1, krippendorff_alpha):
        statistic(ratings)
    assert time.process_time() - start < 5
