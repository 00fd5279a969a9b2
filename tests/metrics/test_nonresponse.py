import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.definitions import METRICS
from metrics.nonresponse import bounds, extreme_labels
from metrics.rows import JudgedRows, LabelledRows
from metrics.table import Options, detailed
from sampling.design import Design

NAN = float("nan")


def rows(correct: list[float]) -> tuple[JudgedRows, LabelledRows]:
    """A simple random sample of half of the responses, with these labels C; the judge labelled nothing."""
    n = len(correct)

    def design_of(usable: NDArray[np.bool_]) -> Design:
        k = int(usable.sum())
        return Design.of_draws(
            stratum=["a"] * k,
            stratum_size=[2 * n] * k,
            inclusion_probability=[0.5] * k,
            unit=[str(i) for i in np.flatnonzero(usable)],
        )

    yes = np.ones(n)
    judged = JudgedRows(columns={}, code=np.array([80]), count=np.array([2 * n]))
    labelled = LabelledRows(
        columns={}, code=np.full(n, 80), C=np.array(correct), A=yes, G=yes, D=yes, design_of=design_of
    )
    return judged, labelled


def test_bounds_by_hand() -> None:
    # 10 yes, 20 no, 10 unusable: 10/40 to 20/40 around 10/30
    judged, labelled = rows([1.0] * 10 + [0.0] * 20 + [NAN] * 10)
    (found,) = bounds(judged, labelled, metrics=[METRICS["Acc"]], slices=[{}], options=Options(target="A"))
    assert found.lowest == pytest.approx(0.25)
    assert found.highest == pytest.approx(0.5)
    assert found.n_unusable == 10
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.25 < 0.5 < found.high


def test_without_missing_labels_the_bounds_are_the_estimate() -> None:
    judged, labelled = rows([1.0] * 10 + [0.0] * 30)
    (found,) = bounds(judged, labelled, metrics=[METRICS["Acc"]], slices=[{}], options=Options(target="A"))
    options = Options(target="A", methods=["corrected"])
    ((usual, _),) = detailed(judged, labelled, metrics=[METRICS["Acc"]], slices=[{}], options=options)
    assert (found.lowest, found.highest, found.low, found.high) == (usual.value, usual.value, usual.low, usual.high)
    assert found.n_unusable == 0


def test_a_refused_slice_has_no_bounds() -> None:
    judged, labelled = rows([1.0, 0.0, NAN])
    (found,) = bounds(judged, labelled, metrics=[METRICS["Acc"]], slices=[{}], options=Options(target="A"))
    assert (found.lowest, found.highest) == (None, None)
    assert found.why_undefined is not None


def test_a_share_of_the_unusable_has_nothing_to_bound() -> None:
    judged, labelled = rows([NAN] * 4)
    assert bounds(judged, labelled, metrics=[METRICS["ambiguous"]], slices=[{}], options=Options(target="A")) == []


labels = st.sampled_from([0.0, 1.0, NAN])


@settings(max_examples=60)
@given(
    st.sampled_from([name for name, metric in METRICS.items() if metric.needs]),
    st.lists(st.tuples(labels, labels, labels, labels), min_size=1, max_size=12),
    st.floats(0, 1),
)
def test_no_filling_goes_beyond_the_extremes(
    name: str, given_labels: list[tuple[float, float, float, float]], share: float
) -> None:
    metric, observed = METRICS[name], np.array(given_labels).T
    low, high = (metric.terms(*found) for found in extreme_labels(metric, *observed))
    rng = np.random.default_rng(0)
    for _ in range(8):
        filled = np.where(np.isnan(observed), rng.integers(0, 2, observed.shape), observed)
        num, den = metric.terms(*filled)
        assert (low[0] - share * low[1] <= num - share * den + 1e-12).all()
        assert (num - share * den <= high[0] - share * high[1] + 1e-12).all()


def test_a_usable_label_is_kept() -> None:
    low, high = extreme_labels(METRICS["cSES"], [0.0, 1.0], [NAN, 1.0], [NAN, 0.0], [NAN, NAN])
    assert low[0].tolist() == high[0].tolist() == [0, 1]
    assert [METRICS["cSES"].terms(*found)[0].tolist() for found in (low, high)] == [[0, 0], [0, 1]]
