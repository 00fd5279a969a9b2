import numpy as np
import pytest

from agreement.prevalence import prevalence
from agreement.ratings import Ratings

LABELS = np.random.default_rng(1).integers(-1, 3, size=(60, 3))


def test_a_unit_counts_once() -> None:
    found = prevalence(Ratings.of([[0, 0, 1], [1, -1, -1], [-1, -1, -1]], n_categories=2))
    assert [one.value for one in found] == pytest.approx([(2 / 3 + 0) / 2, (1 / 3 + 1) / 2])
    assert (found[0].n, found[0].n_dropped) == (2, 1)


def test_the_standard_error_is_that_of_a_mean() -> None:
    labelled = LABELS[(LABELS >= 0).any(axis=1)]
    shares = (labelled == 1).sum(axis=1) / (labelled >= 0).sum(axis=1)
    found = prevalence(Ratings.of(LABELS, n_categories=3))[1]
    assert found.value == pytest.approx(shares.mean())
    assert found.se == pytest.approx(np.std(shares, ddof=1) / len(shares) ** 0.5)


def test_shares_add_up_and_a_category_never_used_is_bounded() -> None:
    found = prevalence(Ratings.of(LABELS, n_categories=4))
    assert sum(one.value or 0 for one in found) == pytest.approx(1)
    assert (found[3].value, found[3].low) == (0, 0)
    n = found[3].n
    assert found[3].high == pytest.approx(1 - 0.025 ** (1 / n))


def test_nobody_labelled() -> None:
    found = prevalence(Ratings.of([[-1, -1]], n_categories=2, category_names=["No", "Yes"]))
    assert [one.name for one in found] == ["prevalence[No]", "prevalence[Yes]"]
    assert found[0].why_undefined == "undefined: none of the 1 units has a label"
