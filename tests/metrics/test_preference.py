"""Whether a judge is above people on one family by more than on the others."""

import numpy as np
import pytest
from scipy.stats import t

from metrics.preference import preference
from sampling.design import Design

NAN = float("nan")


def simple(n: int, size: int) -> Design:
    """A simple random sample."""
    return Design.of_draws(
        stratum=["all"] * n,
        stratum_size=[size] * n,
        inclusion_probability=[n / size] * n,
        unit=[str(k) for k in range(n)],
    )


def test_the_interval_is_students_on_the_linearised_difference() -> None:
    n, size = 40, 10_000_000
    own = np.arange(n) < 20
    judge, human = np.zeros(n), np.zeros(n)
    judge[[0, 1, 2, 3, 4, 30]] = 1
    found = preference(judge, human, own, simple(n, size))
    assert found.own == pytest.approx(0.25)
    assert found.others == pytest.approx(0.05)
    # By hand: each side is a domain of 20 of 40; e = (d - mean) / 20 within it; the variance is n / (n - 1) sum e^2.
    variance = n / (n - 1) * (20 * 0.25 * 0.75 + 20 * 0.05 * 0.95) / 400
    difference = found.difference
    assert difference.se == pytest.approx(np.sqrt(variance), rel=1e-5)
    assert difference.low == pytest.approx(0.2 - t.ppf(0.975, n - 1) * np.sqrt(variance), rel=1e-4)


def test_a_judge_that_is_too_kind_to_everybody_prefers_nobody() -> None:
    own = np.arange(30) < 15
    found = preference(np.ones(30), np.tile([0.0, 1.0, 1.0], 10), own, simple(30, 300))
    assert found.own == pytest.approx(1 / 3)
    assert found.difference.value == pytest.approx(0.0)


def test_weights_count() -> None:
    design = Design.of_draws(
        stratum=["a", "a", "a", "a", "b", "b", "b", "b"], stratum_size=[4] * 4 + [40] * 4,
        inclusion_probability=[1] * 4 + [0.1] * 4, unit=list("12345678"),
    )  # fmt: skip
    judge = [1.0, 1, 0, 0, 0, 0, 0, 0]
    found = preference(judge, np.zeros(8), [True, True, False, False] * 2, design)
    assert found.own == pytest.approx(2 / 22)


def test_missing_labels_are_left_out_and_counted_and_a_side_of_one_is_refused() -> None:
    found = preference([1, NAN, 0, 0, 1], [0, 0, 0, NAN, 0], [True, True, False, False, False], simple(5, 50))
    assert (found.n_own, found.n_others, found.difference.n, found.difference.n_dropped) == (1, 2, 3, 2)
    assert found.difference.value is None
    assert "1 independent unit of its own family and 2 independent units of the others" in (
        found.difference.why_undefined or ""
    )


def test_a_census_is_exact() -> None:
    found = preference([1, 1, 0, 0], [0, 1, 0, 0], [True, True, False, False], simple(4, 4), census=True).difference
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="3 labels of the judge, 2 of people"):
        preference([0, 0, 0], [0, 0], [True, False], simple(2, 4))


def test_the_interval_covers_and_a_fair_judge_is_seldom_accused() -> None:
    rng, size, n, runs = np.random.default_rng(3), 2000, 200, 300
    own = rng.random(size) < 0.4
    human = (rng.random(size) < 0.5).astype(float)
    errs = rng.random(size) < 0.15
    judge = np.where(errs, 1 - human, human)
    truth = (judge - human)[own].mean() - (judge - human)[~own].mean()
    hit = 0
    for _ in range(runs):
        rows = rng.choice(size, n, replace=False)
        found = preference(judge[rows], human[rows], own[rows], simple(n, size)).difference
        hit += found.low is not None and found.high is not None and found.low <= truth <= found.high
    # 95 % of 300: below 271 comes about in less than 1 of 1,000 tries.
    assert hit >= 271
