from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.definitions import METRICS
from metrics.nonresponse import bounds, extreme_labels
from metrics.patterns import encode
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


def study_of(human: NDArray[np.float64], judge: NDArray[np.float64], strata: NDArray[np.int64]) -> tuple[Any, Any]:
    """Half of each stratum is drawn, and these are the drawn rows."""
    size = np.bincount(strata, minlength=2)

    def design_of(usable: NDArray[np.bool_]) -> Design:
        return Design.of_draws(
            stratum=[str(h) for h in strata[usable]],
            stratum_size=2 * size[strata[usable]],
            inclusion_probability=np.full(int(usable.sum()), 0.5),
            unit=[str(i) for i in np.flatnonzero(usable)],
            lonely="adjust",
        )

    code = encode(*judge)
    C, A, G, D = human
    labelled = LabelledRows(columns={}, code=code, C=C, A=A, G=G, D=D, design_of=design_of)
    return JudgedRows(columns={}, code=code, count=np.full(len(code), 2)), labelled


@st.composite
def studies(draw: st.DrawFn) -> tuple[Any, Any]:
    n = draw(st.integers(20, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    human = (rng.random((4, n)) < draw(st.floats(0.2, 0.8))).astype(np.float64)
    judge = np.where(rng.random((4, n)) < 0.2, 1 - human, human)
    strata = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    human[rng.random((4, n)) < draw(st.floats(0.02, 0.5))] = NAN
    return study_of(human, judge, strata)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from([name for name, metric in METRICS.items() if metric.needs]), studies())
def test_a_number_lies_between_its_bounds(name: str, study: tuple[Any, Any]) -> None:
    options = Options(target="A", methods=["corrected"], floor=1)
    ((usual, _),) = detailed(*study, metrics=[METRICS[name]], slices=[{}], options=options)
    (found,) = bounds(*study, metrics=[METRICS[name]], slices=[{}], options=options)
    if usual.value is not None and found.lowest is not None and found.highest is not None:
        assert found.lowest <= usual.value <= found.highest


@settings(deadline=None, max_examples=30)
@given(st.sampled_from([name for name, metric in METRICS.items() if metric.needs]), studies(), st.integers(0, 9))
def test_no_filling_of_what_is_settled_changes_a_number(name: str, study: tuple[Any, Any], seed: int) -> None:
    judged, labelled = study
    human = np.array([labelled.C, labelled.A, labelled.G, labelled.D])
    # Rows that the known labels do not settle are given all their labels; of the others any filling will do.
    open_rows = np.isnan(METRICS[name].terms(*human)[1])
    chance = np.random.default_rng(seed).integers(0, 2, human.shape)
    human = np.where(open_rows & np.isnan(human), chance, human)
    filled = np.where(np.isnan(human), np.random.default_rng(seed + 100).integers(0, 2, human.shape), human)
    options = Options(target="A", methods=["human-only", "corrected"], floor=1)

    def numbers(labels: NDArray[np.float64]) -> list[Any]:
        C, A, G, D = labels
        rows = replace(labelled, C=C, A=A, G=G, D=D)
        found = detailed(judged, rows, metrics=[METRICS[name]], slices=[{}], options=options)
        return [(one.value, one.low, one.high, one.n, one.n_dropped) for one, _ in found]

    assert numbers(human) == numbers(filled)
