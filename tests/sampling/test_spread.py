import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.spread import Terms, of_counts

LAWS = settings(max_examples=60)
TERMS: list[Terms] = [(1, 1), (0, 1), (0, 0)]
COUNTS = st.dictionaries(
    st.sampled_from("abcd"), st.dictionaries(st.sampled_from(TERMS), st.integers(0, 20)), min_size=1
).filter(lambda counts: any(rows.get(t, 0) for rows in counts.values() for t in TERMS[:2]))


@LAWS
@given(COUNTS)
def test_counts_give_the_standard_deviation_of_the_rows(counts: dict[str, dict[Terms, int]]) -> None:
    rows = {name: np.array([t for t, n in of.items() for _ in range(n)]).reshape(-1, 2) for name, of in counts.items()}
    everything = np.concatenate(list(rows.values()))
    ratio = everything[:, 0].sum() / everything[:, 1].sum()
    found = of_counts(counts)
    for name, of in rows.items():
        expected = np.std(of[:, 0] - ratio * of[:, 1], ddof=1) if len(of) > 1 else 0
        assert found[name] == pytest.approx(expected, abs=1e-9)


def test_a_mean_varies_as_its_numerator() -> None:
    # p (1 - p) n / (n - 1) with p = 1/4, n = 8
    assert of_counts({"a": {(1, 1): 2, (0, 1): 6}})["a"] == pytest.approx((3 / 16 * 8 / 7) ** 0.5)


def test_a_pilot_is_weighted_to_the_population() -> None:
    pilot: dict[str, dict[Terms, float]] = {"a": {(1, 1): 1, (0, 1): 1, (0, 0): 2}, "b": {(1, 1): 4}}
    found = of_counts(pilot, sizes={"a": 90, "b": 10})
    ratio = (90 / 4 + 10) / (90 / 2 + 10)
    assert found["a"] == pytest.approx(np.std([1 - ratio, -ratio, 0, 0], ddof=1))


def test_pseudo_responses_keep_a_stratum_of_one_outcome_from_having_no_spread() -> None:
    pilot: dict[str, dict[Terms, float]] = {"a": {(0, 1): 10}, "b": {(1, 1): 5, (0, 1): 5}}
    sizes = {"a": 900, "b": 100}
    assert of_counts(pilot, sizes=sizes)["a"] == 0
    assert 0 < of_counts(pilot, sizes=sizes, prior=2)["a"] < of_counts(pilot, sizes=sizes, prior=2)["b"]


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        ({"a": {(1, 1): -1}}, {}, "'a' has -1 responses"),
        ({"a": {(1, 1): 1}}, {"prior": -1}, "prior is -1"),
        ({"a": {(1, 1): 1}}, {"sizes": {"b": 4}}, "'a' has no size"),
        ({"a": {(1, 1): 1}}, {"sizes": {"a": 0}}, "no responses in the population"),
        ({"a": {}}, {}, "nothing was counted"),
        ({"a": {(0, 0): 4}}, {}, "denominator is 0"),
    ],
)
def test_counts_that_say_nothing_are_refused(
    counts: dict[str, dict[Terms, float]], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        of_counts(counts, **options)  # type: ignore[arg-type]  # mixed keyword values
