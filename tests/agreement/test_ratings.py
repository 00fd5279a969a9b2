import numpy as np
import pytest
from numpy.typing import ArrayLike

from agreement.ratings import Ratings


def test_an_undeclared_label_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"labels: 2 not declared, the first is 2 \(unit 1, rater 0\).*No, Yes"):
        Ratings.of([[0, 1], [2, -2]], n_categories=2, category_names=["No", "Yes"])


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([0, 1], {}, r"expected \(units, raters\)"),
        ([[0.0, float("nan")]], {}, "expected integers"),
        ([[0, 1]], {"n_categories": 1}, "at least 2"),
        ([[0, 1]], {"category_names": ["No"]}, "1 category_names"),
        ([[0, 1]], {"category_values": [1, 1]}, "2 different finite numbers"),
        ([[0, 1]], {"category_values": [1]}, "2 different finite numbers"),
        ([[0, 1]], {"weight": [0.0]}, "> 0"),
        ([[0, 1]], {"weight": [float("nan")]}, "> 0"),
        ([[0, 1]], {"weight": [1.0, 2.0]}, "one a row"),
        ([[0, 1]], {"cluster": ["a", "b"]}, "one a row"),
    ],
)
def test_what_does_not_fit_is_refused(labels: ArrayLike, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Ratings.of(labels, **({"n_categories": 2} | options))  # type: ignore[arg-type]  # wrong on purpose


def test_everything_wrong_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="labels: 1 not declared") as caught:
        Ratings.of([[0, 5]], n_categories=2, category_values=[1, 1], weight=[-1], cluster=["a", "b"])
    assert len(str(caught.value).splitlines()) == 4


def test_patterns_are_counted_once() -> None:
    ratings = Ratings.of([[0, 1, -1], [1, -1, 0], [1, 1, 1], [-1, -1, -1]], n_categories=2)
    assert ratings.counts.tolist() == [[0, 0], [0, 3], [1, 1]]
    assert ratings.tally(at_least=0).totals.tolist() == [1, 1, 2]
    assert ratings.tally(at_least=1).totals.tolist() == [0, 1, 2]
    assert ratings.n_labels.tolist() == [2, 2, 3, 0]


def test_tasks_may_be_named() -> None:
    ratings = Ratings.of([[0, 1]] * 3, n_categories=2, cluster=["b", "a", "b"])
    assert ratings.tally(at_least=2).independent == 2
    assert ratings.cluster is not None
    assert ratings.cluster.tolist() == [1, 0, 1]


def test_cells_of_two_raters() -> None:
    pairs = Ratings.of([[0, 1], [2, 2], [-1, 0], [0, 1]], n_categories=3).pairs()
    assert pairs.totals.reshape(3, 3).tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 1]]
    assert pairs.effective_n(np.ones(9, dtype=bool)) == 3
