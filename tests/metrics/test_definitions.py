from itertools import product

import numpy as np
import pytest

from metrics.definitions import LABELS, METRICS

ROWS = list(product([0, 1], repeat=4))
WITH_GAPS = np.array(list(product([0, 1, np.nan], repeat=4))).T
SHARES = ["grounded-correct", "ungrounded-correct", "grounded-wrong", "ungrounded-wrong", "abstention", "ambiguous"]


def terms(name: str, *row: float) -> tuple[float, float]:
    num, den = METRICS[name].terms(*([label] for label in row))
    return float(num[0]), float(den[0])


@pytest.mark.parametrize(
    ("name", "row", "expected"),
    [
        # Rows are C, A, G, D. The running example: right, fluent, not established by the context, and silent about it.
        pytest.param("Acc", (1, 1, 0, 0), (1, 1), id="Acc-silent-shift"),
        pytest.param("SES", (1, 1, 0, 0), (1, 1), id="SES-silent-shift"),
        pytest.param("cSES", (1, 1, 0, 0), (1, 1), id="cSES-silent-shift"),
        pytest.param("ESD", (1, 1, 0, 0), (0, 1), id="ESD-silent-shift"),
        pytest.param("BAS", (1, 1, 0, 0), (0, 1), id="BAS-silent-shift"),
        pytest.param("BAS_alternative", (1, 1, 0, 0), (0, 1), id="BAS_alternative-silent-shift"),
        pytest.param("SES", (1, 1, 0, 1), (0, 1), id="SES-disclosed-shift"),
        pytest.param("cSES", (0, 1, 0, 0), (0, 0), id="cSES-wrong-is-not-counted"),
        pytest.param("ESD", (1, 1, 0, 1), (1, 1), id="ESD-disclosed-shift"),
        pytest.param("ESD", (1, 1, 1, 1), (0, 0), id="ESD-no-shift-is-not-counted"),
        pytest.param("BAS", (1, 0, 0, 0), (1, 1), id="BAS-without-substantive-answer"),
        pytest.param("BAS_alternative", (1, 0, 0, 0), (0, 1), id="BAS_alternative-without-substantive-answer"),
        pytest.param("abstention", (0, 0, 0, 0), (1, 1), id="abstention"),
        pytest.param("ambiguous", (1, 0, 0, 0), (1, 1), id="ambiguous"),
    ],
)
def test_terms_of_single_responses(name: str, row: tuple[int, ...], expected: tuple[int, int]) -> None:
    assert terms(name, *row) == expected


@pytest.mark.parametrize("row", ROWS)
def test_bas_is_accuracy_less_the_correct_silent_shifts(row: tuple[int, ...]) -> None:
    assert terms("BAS", *row)[0] == terms("Acc", *row)[0] - terms("cSES", *row)[0]


@pytest.mark.parametrize("row", [row for row in ROWS if row[1] == 1])
def test_the_two_readings_of_bas_agree_on_substantive_answers(row: tuple[int, ...]) -> None:
    assert terms("BAS", *row) == terms("BAS_alternative", *row)


@pytest.mark.parametrize("row", ROWS)
def test_every_response_is_in_one_cell_of_the_taxonomy(row: tuple[int, ...]) -> None:
    assert sum(terms(name, *row)[0] for name in SHARES) == 1


FILLINGS = [np.where(np.isnan(WITH_GAPS), np.array(row)[:, None], WITH_GAPS) for row in ROWS]


@pytest.mark.parametrize("name", [name for name in METRICS if METRICS[name].needs])
def test_terms_are_usable_exactly_where_no_filling_changes_them(name: str) -> None:
    filled = np.array([METRICS[name].terms(*labels) for labels in FILLINGS])
    settled = (filled == filled[0]).all(axis=(0, 1))
    terms = np.array(METRICS[name].terms(*WITH_GAPS))
    np.testing.assert_array_equal(np.isnan(terms), [~settled, ~settled])
    np.testing.assert_array_equal(terms[:, settled], filled[0][:, settled])


@pytest.mark.parametrize(
    ("name", "row", "expected"),
    [
        # Rows are C, A, G, D.
        pytest.param("cSES", (0, np.nan, np.nan, np.nan), (0, 0), id="cSES-of-a-wrong-answer"),
        pytest.param("SES", (np.nan, 0, np.nan, np.nan), (0, 1), id="SES-without-an-answer"),
        pytest.param("SES", (np.nan, 1, 1, np.nan), (0, 1), id="SES-of-a-grounded-answer"),
        pytest.param("SES", (np.nan, np.nan, np.nan, 1), (0, 1), id="SES-of-what-is-disclosed"),
        pytest.param("ESD", (np.nan, np.nan, 1, np.nan), (0, 0), id="ESD-of-a-grounded-answer"),
        pytest.param("BAS", (np.nan, 1, 0, 0), (0, 1), id="BAS-of-a-silent-shift"),
        pytest.param("abstention", (0, 0, np.nan, np.nan), (1, 1), id="abstention-needs-no-ground"),
        pytest.param("ambiguous", (0, 0, np.nan, np.nan), (0, 1), id="ambiguous-is-no-abstention"),
        pytest.param("grounded-wrong", (np.nan, 1, 0, 0), (0, 1), id="grounded-wrong-of-no-ground"),
    ],
)
def test_known_labels_settle_a_product(name: str, row: tuple[float, ...], expected: tuple[int, int]) -> None:
    assert terms(name, *row) == expected


def test_a_response_with_gaps_is_in_one_cell_of_the_taxonomy_too() -> None:
    cells = [METRICS[name].terms(*WITH_GAPS)[0] for name in SHARES]
    np.testing.assert_array_equal(np.nansum(cells, axis=0), 1)


@pytest.mark.parametrize("name", METRICS)
def test_terms_depend_on_the_labels_read_only(name: str) -> None:
    read = np.array([label in METRICS[name].reads for label in LABELS])
    only = METRICS[name].terms(*np.where(read[:, None], WITH_GAPS, 1.0))
    np.testing.assert_array_equal(METRICS[name].terms(*WITH_GAPS), only)


@pytest.mark.parametrize("row", [(np.nan, 1, 1, 1), (0, np.nan, 0, 0), (0, 1, np.nan, 0), (np.nan, 0, 0, 0)])
def test_an_unscored_response_is_ambiguous(row: tuple[float, ...]) -> None:
    assert terms("ambiguous", *row) == (1, 1)


def test_no_response_gives_no_terms() -> None:
    assert [len(term) for metric in METRICS.values() for term in metric.terms([], [], [], [])] == [0] * (
        2 * len(METRICS)
    )


def test_a_label_that_is_not_binary_is_refused() -> None:
    with pytest.raises(ValueError, match="label G is 2"):
        METRICS["SES"].terms([1], [1], [2], [0])
