import numpy as np
import pytest

from agreement.tally import Tally


def tally(*, weight: bool = False, cluster: bool = False) -> Tally:
    rng = np.random.default_rng(8)
    return Tally(
        code=rng.integers(0, 4, 90),
        size=5,
        weight=rng.uniform(1, 5, 90) if weight else None,
        cluster=rng.integers(0, 30, 90) if cluster else None,
    )


@pytest.mark.parametrize("weight", [False, True])
@pytest.mark.parametrize("cluster", [False, True])
def test_bootstrap_spread_is_the_linear_variance(weight: bool, cluster: bool) -> None:
    """The share of one pattern: bootstrap and linearisation agree (20 000 samples, curvature within 5 %)."""
    units = tally(weight=weight, cluster=cluster)
    draws = units.resampled(20_000, seed=1)
    share = units.totals[2] / units.totals.sum()
    scores = ((np.arange(5) == 2) - share) / units.totals.sum()
    assert np.std(draws[:, 2] / draws.sum(axis=1)) == pytest.approx(units.variance(scores) ** 0.5, rel=0.05)


def test_one_fewer_is_drawn() -> None:
    assert (tally().resampled(100, seed=1).sum(axis=1) == 89).all()


def test_both_ways_of_drawing_have_the_same_spread() -> None:
    few = Tally(code=np.repeat([0, 1], [30, 60]), size=2, weight=None, cluster=None)
    each = Tally(code=few.code, size=2, weight=None, cluster=np.arange(90))
    assert np.std(few.resampled(20_000, 1)[:, 0]) == pytest.approx(np.std(each.resampled(20_000, 2)[:, 0]), rel=0.03)


def test_effective_n() -> None:
    units = Tally(code=np.array([0, 0, 1]), size=2, weight=np.array([1.0, 3.0, 9.0]), cluster=None)
    assert units.effective_n(np.array([True, False])) == pytest.approx(1.6)
    assert units.effective_n(np.array([False, False])) == 0


def test_nothing_to_resample() -> None:
    one = Tally(code=np.array([0]), size=1, weight=None, cluster=None)
    assert one.resampled(100, seed=1).shape == (0, 1)
    assert np.isnan(one.variance(np.array([1.0])))
