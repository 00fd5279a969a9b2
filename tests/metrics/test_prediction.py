import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import orth

from metrics.definitions import METRICS
from metrics.patterns import PATTERNS, encode
from metrics.prediction import Prediction, left_out


def test_the_prediction_is_the_weighted_mean_of_the_pattern() -> None:
    prediction = Prediction.of_sample(num=[1, 0, 0], den=[1, 1, 0], code=[5, 5, 7], weight=[1, 3, 2])
    assert (prediction.num[5], prediction.den[5], prediction.num[7], prediction.den[7]) == (0.25, 1, 0, 0)


def test_every_pattern_has_a_prediction_even_if_one_was_seen() -> None:
    prediction = Prediction.of_sample(num=[1], den=[1], code=[13], weight=[4])
    assert prediction.num.tolist() == prediction.den.tolist() == [1] * PATTERNS


def test_the_judge_at_face_value() -> None:
    prediction = Prediction.of_judge(METRICS["ESD"])
    codes = encode([0, 0, 0], [1, 1, 1], [0, 0, 1], [1, np.nan, 1])
    assert prediction.num[codes].tolist() == [1, 0, 0]
    assert prediction.den[codes].tolist() == [1, 0, 0]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from([1.0, 2.5, 40.0])), min_size=1))
def test_a_row_left_out_as_by_the_projection(rows: list[tuple[int, int, float]]) -> None:
    code, stratum = (np.array(column, dtype=np.int64) for column in list(zip(*rows, strict=True))[:2])
    # Rows of one stratum weigh the same, as they do in a draw.
    weight = np.array([row[2] for row in rows])[np.searchsorted(np.unique(stratum), stratum)]
    columns = np.hstack([np.eye(5)[stratum], np.eye(5)[code]]) * np.sqrt(weight)[:, None]
    free = 1 - np.sum(orth(columns, rcond=1e-9) ** 2, axis=1)
    alone = 1 - weight / np.bincount(stratum, weight)[stratum]
    grown = np.divide(alone, free, out=np.full(len(rows), np.inf), where=free > 1e-6)
    expected = np.where((alone <= 1e-6) | (grown < 1), 1.0, grown)
    assert left_out(code, stratum, weight) == pytest.approx(expected, rel=1e-6)


def test_cells_are_predicted_from_their_own_rows() -> None:
    # Pattern 0 of cell 0 says yes, of cell 1 no; pattern 4 of cell 1 borrows from its own cell, cell 3 from nobody.
    made = Prediction.of_sample(num=[1, 0, 0], den=[1, 1, 0], code=[0, 81, 81], weight=[1, 3, 1])
    num, den = made.of([0, 5, 81, 85, 3 * 81])
    assert num.tolist() == [1, 1, 0, 0, 0]
    assert den.tolist() == [1, 1, 0.75, 0.75, 0]


def test_a_cell_without_rows_is_predicted_as_nothing() -> None:
    made = Prediction.of_sample(num=[1, 1], den=[1, 1], code=[0, 2 * 81], weight=[1, 1])
    assert made.of([0, 81, 162])[1].tolist() == [1, 0, 1]
