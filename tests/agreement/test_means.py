import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from agreement.means import bounded_mean


@settings(max_examples=60)
@given(
    values=arrays(np.float64, st.integers(1, 20), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])),
    tasks=st.integers(1, 6),
)
def test_the_interval_contains_the_mean_and_has_a_width(values: NDArray[np.float64], tasks: int) -> None:
    found = bounded_mean(
        "bias", values, cluster=np.arange(len(values)) % tasks, bounds=(-1, 1), level=0.95, n_dropped=0, nobody=""
    )
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


def test_nobody_is_undefined() -> None:
    found = bounded_mean("bias", np.empty(0), cluster=None, bounds=(0, 1), level=0.9, n_dropped=3, nobody="no unit")
    assert (found.value, found.why_undefined, found.n_dropped) == (None, "undefined: no unit", 3)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0)])
def test_standard_error_of_independent_scores(bounds: tuple[float, float]) -> None:
    values = np.random.default_rng(1).random(40)
    found = bounded_mean("mean", values, cluster=None, bounds=bounds, level=0.95, n_dropped=0, nobody="")
    assert found.se == pytest.approx(np.std(values, ddof=1) / 40**0.5)
