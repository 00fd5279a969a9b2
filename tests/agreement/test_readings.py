import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.annotators import annotators
from agreement.coefficients import krippendorff_alpha
from agreement.readings import Readings

ROWS = [("a", "x", 0), ("a", "y", 1), ("b", "x", 1), ("b", "y", 1), ("c", "y", -1), ("c", "x", 0)]


def read(rows: list[tuple[str, str, int]], **more: object) -> Readings:
    item, rater, label = (list(column) for column in zip(*rows, strict=True))
    return Readings.of(item, rater, label, n_categories=2, **more)  # type: ignore[arg-type]  # any extra


def test_items_in_rows_and_raters_in_columns() -> None:
    found = read(ROWS, weight=[2, 2, 3, 3, 5, 5], cluster=["t", "t", "t", "t", "u", "u"])
    assert found.items.tolist() == ["a", "b", "c"]
    assert found.raters.tolist() == ["x", "y"]
    assert found.ratings.labels.tolist() == [[0, 1], [1, 1], [0, -1]]
    assert found.ratings.weight is not None
    assert found.ratings.weight.tolist() == [2, 3, 5]
    assert found.ratings.cluster is not None
    assert found.ratings.cluster.tolist() == [0, 0, 1]
    assert found.repeats.shape == (0, 3)


@given(order=st.permutations(range(len(ROWS))))
def test_order_of_rows_does_not_matter(order: list[int]) -> None:
    found = read([ROWS[i] for i in order])
    assert found.ratings.labels.tolist() == read(ROWS).ratings.labels.tolist()


def test_later_occasions_change_no_coefficient() -> None:
    again = [("a", "x", 1), ("b", "x", 1), ("c", "x", 0), ("a", "x", 0)]
    found = read(again[:1] + ROWS + again[1:], occasion=[2] + [1] * 6 + [2, 2, 3])
    assert krippendorff_alpha(found.ratings) == krippendorff_alpha(read(ROWS).ratings)
    assert found.repeats.tolist() == [[0, 0, 1], [0, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert annotators(found.ratings, repeats=found.repeats)[0].self_consistency.value == 0.75


def test_twice_on_one_item_and_occasion_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1 labels are a second one .* by y of item b \(row 6\)"):
        read([*ROWS, ("b", "y", 0)])
    with pytest.raises(ValueError, match=r"by x of item a on occasion 1 \(row 7\)"):
        read([*ROWS, ("b", "y", 0), ("a", "x", 0)], occasion=[1] * 6 + [2, 1])


def test_everything_wrong_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="label: 1 not declared") as caught:
        read([*ROWS, ("a", "y", 7)], weight=[1, 2, 0, 3, 4, 4, 1], cluster=list("aabbcca"))
    lines = str(caught.value).splitlines()
    assert [line.split()[0] for line in lines] == ["label:", "weight:", "1", "item"]
    assert "item a has several values of weight" in lines[3]


def test_shapes_come_first() -> None:
    with pytest.raises(ValueError, match="rater has shape") as caught:
        Readings.of(["a", "a"], ["x"], [0, 1], n_categories=2, cluster=[1])
    assert len(str(caught.value).splitlines()) == 2


def test_no_readings() -> None:
    found = Readings.of([], [], np.empty(0, dtype=int), n_categories=2)
    assert found.ratings.labels.shape == (0, 0)
    assert krippendorff_alpha(found.ratings).why_undefined == "undefined: there are no units"
