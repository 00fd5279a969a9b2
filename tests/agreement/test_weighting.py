import numpy as np
import pytest
from numpy.typing import ArrayLike

from agreement.weighting import category_weights, weighting_name


def test_weights_of_four_categories() -> None:
    # Worked by hand: distances 1, 2, 3 of 3; squares of 9; roots; pairs of ranks 1, 3, 6 of 6.
    assert category_weights("linear", range(4))[0] == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert category_weights("quadratic", range(4))[0] == pytest.approx([1, 8 / 9, 5 / 9, 0])
    assert category_weights("radical", range(4))[0] == pytest.approx([1, 1 - (1 / 3) ** 0.5, 1 - (2 / 3) ** 0.5, 0])
    assert category_weights("ordinal", range(4))[0] == pytest.approx([1, 5 / 6, 1 / 2, 0])
    assert category_weights("identity", range(4)).tolist() == np.eye(4).tolist()


def test_ordinal_weights_follow_the_values_order() -> None:
    assert category_weights("ordinal", [10, 0, 5])[1].tolist() == category_weights("ordinal", [2, 0, 1])[1].tolist()


def test_a_matrix_of_ones_own() -> None:
    own = [[1, 0.2], [0.2, 1]]
    assert category_weights(own, [0, 1]).tolist() == own
    assert weighting_name(own) == "custom"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("cubic", "expected one of identity, linear"),
        (np.eye(3), "expected \\(2, 2\\)"),
        ([[1, 0.5], [0.4, 1]], "symmetric"),
        ([[1, 1], [1, 1]], r"in \[0, 1\) elsewhere"),
        ([[0.9, 0], [0, 1]], "1 on the diagonal"),
    ],
)
def test_what_is_no_weighting_is_refused(weights: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        category_weights(weights, [0, 1])
