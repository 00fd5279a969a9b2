import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agreement.dawid_skene import DawidSkene, dawid_skene

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "agreement_cases.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in GOLDEN["cases"]}
Readings = NDArray[np.int64]


def anaesthetists() -> Readings:
    """Item, rater, label of every reading; the first observer read each patient three times."""
    patients = GOLDEN["datasets"]["anaesthetist"]["values"]
    rows = [
        (int(patient), int(observer), label - 1)
        for patient, by_observer in patients.items()
        for observer, readings in by_observer.items()
        for label in readings
    ]
    return np.array(rows)


def fitted(readings: Readings, k: int = 4) -> DawidSkene:
    return dawid_skene(readings[:, 0], readings[:, 1], readings[:, 2], n_categories=k)


def test_class_shares_of_1979() -> None:
    case, found = CASES["DS-001"], fitted(anaesthetists())
    assert found.class_shares == pytest.approx(np.array(case["expected"]), abs=case["tolerance"])
    assert found.class_shares == pytest.approx([0.3996, 0.4220, 0.1118, 0.0667], abs=5e-5)
    assert found.converged
    assert found.why_not_identified is None
    assert found.n == 45 * 7


def test_error_rates_of_the_first_observer() -> None:
    case, found = CASES["DS-003"], fitted(anaesthetists())
    assert np.array(found.error_rates[0]) == pytest.approx(np.array(case["expected"]), abs=case["tolerance"])


def test_repeated_readings_count() -> None:
    every = anaesthetists()
    first = np.unique(every[:, :2], axis=0, return_index=True)[1]
    assert fitted(every[first]).n == 45 * 5
    assert fitted(every[first]).class_shares != pytest.approx(fitted(every).class_shares, abs=1e-3)


def test_order_of_readings_and_names_do_not_matter() -> None:
    every = anaesthetists()
    shuffled = np.random.default_rng(1).permutation(every)
    assert fitted(shuffled).posterior == pytest.approx(fitted(every).posterior, abs=1e-8)
    named = dawid_skene([f"p{i:03}" for i in every[:, 0]], every[:, 1], every[:, 2], n_categories=4)
    assert named.items[:2].tolist() == ["p001", "p002"]
    assert named.posterior == pytest.approx(fitted(every).posterior)


def test_the_likelihood_only_rises() -> None:
    every, likelihoods = anaesthetists(), []
    for most in range(1, 12):
        found = dawid_skene(*every.T, n_categories=4, most_iterations=most)
        likelihoods.append(found.log_likelihood)
        assert not found.converged
    assert (np.diff(likelihoods) > 0).all()


def test_the_truth_is_found_again() -> None:
    """Four raters of known errors on 4 000 items; tolerances of three binomial standard errors or more."""
    rng = np.random.default_rng(5)
    truth = (rng.random(4000) < 0.3).astype(np.int64)
    right = np.array([[0.95, 0.8], [0.9, 0.9], [0.7, 0.85], [0.99, 0.6]])
    labels = np.where(rng.random((4000, 4)) < right[:, truth].T, truth[:, None], 1 - truth[:, None])
    item, rater = np.indices(labels.shape).reshape(2, -1)
    found = dawid_skene(item, rater, labels.reshape(-1), n_categories=2)
    assert found.class_shares[1] == pytest.approx(0.3, abs=0.03)
    for rates, (no, yes) in zip(found.error_rates, right, strict=True):
        assert rates[0] is not None
        assert rates[1] is not None
        assert [rates[0][0], rates[1][1]] == pytest.approx([no, yes], abs=0.05)


def test_missing_readings_are_counted_and_no_category() -> None:
    every = anaesthetists()
    holes = np.vstack([every, [[1, 2, -1], [99, 1, -1]]])
    found = fitted(holes)
    assert (found.n, found.n_dropped, len(found.items)) == (315, 2, 45)
    assert found.class_shares == pytest.approx(fitted(every).class_shares)


@pytest.mark.parametrize(
    ("raters", "items", "k", "reason"),
    [
        (2, 40, 2, "2 raters"),
        (5, 6, 4, "30 readings for 63 error rates and shares"),
        (3, 40, 3, "less than one item"),
    ],
)
def test_what_cannot_be_identified_says_so(raters: int, items: int, k: int, reason: str) -> None:
    item, rater = (part.reshape(-1) for part in np.indices((items, raters)))
    found = dawid_skene(item, rater, item % 2, n_categories=k)
    assert (found.why_not_identified or "").startswith("not identified: ")
    assert reason in (found.why_not_identified or "")


def test_overlap_is_needed() -> None:
    item = np.repeat(np.arange(30), 2)
    apart = dawid_skene(item, np.tile([0, 1, 2], 20), item % 2, n_categories=2)
    assert "no item was read by 3 raters" in (apart.why_not_identified or "")
    groups = dawid_skene(np.repeat(np.arange(40), 3), np.tile([0, 1, 2, 3, 4, 5], 20), [0, 1] * 60, n_categories=2)
    assert "2 groups" in (groups.why_not_identified or "")


def test_a_rater_who_met_no_item_of_a_category_has_no_rate_there() -> None:
    found = dawid_skene([0, 0, 0, 1, 1, 1, 0], [0, 1, 2, 0, 1, 2, 3], [0, 0, 0, 1, 1, 1, 0], n_categories=2)
    assert found.error_rates[3][0] == (1.0, 0.0)
    assert found.error_rates[3][1] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0], [0, 1]), "rater has shape"),
        (([0, 1], [0, 0], [0, 2]), "0..1"),
        (([0, 1], [0, 0], [-1, -1]), "none of the 2 readings"),
    ],
)
def test_wrong_arguments(arguments: tuple[list[int], list[int], list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dawid_skene(*arguments, n_categories=2)
