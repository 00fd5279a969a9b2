import numpy as np
import pytest
from scipy import stats

from agreement.drift import minutes_into_sitting, slope


def test_slope_is_least_squares_and_the_jackknife() -> None:
    rng = np.random.default_rng(1)
    t = rng.uniform(0, 10, 40)
    y = 0.3 * t + rng.normal(0, 1, 40)
    found = slope("trend", y, t)
    left = [stats.linregress(np.delete(t, i), np.delete(y, i)).slope for i in range(40)]
    assert found.value == pytest.approx(stats.linregress(t, y).slope)
    assert found.se == pytest.approx((39 * np.var(left)) ** 0.5)


def test_intervals_cover_where_the_spread_changes_with_time() -> None:
    """500 samples of 40 tasks of 3 binary outcomes; allowed: three binomial errors and a point."""
    rng, hits = np.random.default_rng(2), 0
    t, task = np.repeat(np.linspace(0, 10, 40), 3), np.repeat(np.arange(40), 3)
    for _ in range(500):
        share = np.clip(0.05 + 0.04 * t + np.repeat(rng.uniform(-0.05, 0.05, 40), 3), 0, 1)
        found = slope("trend", rng.random(120) < share, t, cluster=task)
        hits += found.low is not None and found.high is not None and found.low <= 0.04 <= found.high
    assert abs(hits / 500 - 0.95) < 3 * (0.95 * 0.05 / 500) ** 0.5 + 0.01


@pytest.mark.parametrize(
    ("outcome", "when", "cluster", "reason"),
    [
        pytest.param([0, 1, 0], [1, 2, 3], None, "3 independent units with a time", id="few"),
        pytest.param([0, 1] * 5, range(10), [0, 1] * 5, "2 independent units", id="few-tasks"),
        pytest.param([0, 1] * 5, [3] * 10, None, "all 10 labels were given at the same time", id="one-time"),
        pytest.param([1] * 10, range(10), None, "all 10 outcomes are 1", id="flat"),
        pytest.param([0, 1] * 5, [9] + [0] * 9, None, "the times differ in one task only", id="one-late"),
        pytest.param([0, 1] * 5, [np.nan] * 10, None, "0 independent units", id="unknown"),
    ],
)
def test_undefined(outcome: list[int], when: list[float], cluster: list[int] | None, reason: str) -> None:
    found = slope("trend", outcome, list(when), cluster=cluster)
    assert found.value is None
    assert reason in (found.why_undefined or "")


def test_unknown_times_are_counted() -> None:
    found = slope("trend", [0, 1, 0, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6, np.nan])
    assert (found.n, found.n_dropped) == (6, 1)


def test_sittings_end_with_a_pause() -> None:
    minutes = [0, 10, 45, 70, 100, 300]
    shuffled = [5, 2, 0, 1, 4, 3]
    assert minutes_into_sitting([60 * minutes[i] for i in shuffled]).tolist() == [0, 0, 0, 10, 55, 25]
    assert np.isnan(minutes_into_sitting([np.nan, 5])).tolist() == [True, False]
    assert minutes_into_sitting([]).shape == (0,)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="pause"):
        minutes_into_sitting([1], pause=0)
    with pytest.raises(ValueError, match=r"when has shape \(1,\); expected \(2,\)"):
        slope("trend", [1, 2], [1])
