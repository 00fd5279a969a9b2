import tracemalloc

import numpy as np
import pytest

from agreement.coefficients import krippendorff_alpha
from agreement.patterns import distinct_rows, smallest_type
from agreement.ratings import Ratings


@pytest.mark.parametrize(
    ("categories", "raters"),
    [
        pytest.param(2, 3, id="a-byte"),
        pytest.param(4, 5, id="two-bytes"),
        pytest.param(4, 12, id="sorted-numbers"),
        pytest.param(9, 30, id="sorted-rows"),
        pytest.param(300, 1, id="many-categories"),
        pytest.param(2, 0, id="no-raters"),
    ],
)
def test_rows_come_back(categories: int, raters: int) -> None:
    labels = np.random.default_rng(1).integers(-1, categories, (200, raters)).astype(smallest_type(categories))
    rows, which = distinct_rows(labels, categories)
    assert rows[which].tolist() == labels.tolist()
    assert rows.tolist() == np.unique(labels, axis=0).tolist()


def test_no_units() -> None:
    rows, which = distinct_rows(np.empty((0, 3), dtype=np.int8), 2)
    assert (rows.shape, which.shape) == ((0, 3), (0,))


def test_alpha_needs_no_more_memory_than_twice_its_labels() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, (400_000, 3), dtype=np.int8)
    labels[rng.random(labels.shape) < 0.3] = -1
    krippendorff_alpha(Ratings.of(labels[:100], n_categories=2))
    tracemalloc.start()
    krippendorff_alpha(Ratings.of(labels, n_categories=2))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * labels.nbytes
