from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from agreement.annotators import annotators, median
from agreement.ratings import Ratings

Labels = NDArray[np.int64]


def panel(seed: int, n: int = 200) -> Labels:
    """Three annotators; the third says yes too often."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(np.int64)
    people = truth[:, None] ^ (rng.random((n, 3)) < 0.1)
    people[:, 2] |= rng.random(n) < 0.3
    return people.astype(np.int64)


def test_worked_by_hand() -> None:
    # Units of annotator 0: agrees with (1 of 2, 2 of 2, 0 of 1); yes less the others' yes: 1 - 1/2, 1 - 1, 0 - 1.
    labels = [[1, 1, 0], [1, 1, 1], [0, 1, -1], [1, -1, -1], [-1, 0, 1]]
    first = annotators(Ratings.of(labels, n_categories=2))[0]
    assert first.agreement.value == pytest.approx((0.5 + 1 + 0) / 3)
    assert first.bias.value == pytest.approx((0.5 + 0 - 1) / 3)
    assert (first.n_labels, first.agreement.n, first.agreement.n_dropped) == (4, 3, 1)


def test_bias_finds_who_says_yes_more_often() -> None:
    first, _, third = annotators(Ratings.of(panel(1), n_categories=2))
    assert first.bias.high is not None
    assert first.bias.high < 0
    assert third.bias.low is not None
    assert third.bias.low > 0.05
    assert third.agreement.value is not None
    assert first.agreement.value is not None
    assert third.agreement.value < first.agreement.value


def test_one_who_goes_astray_with_time_shows() -> None:
    rng, n = np.random.default_rng(2), 300
    truth = (rng.random(n) < 0.5).astype(np.int64)
    day = np.repeat(np.arange(10.0), 30)
    wrong = rng.random((n, 3)) < np.column_stack([np.full(n, 0.05), np.full(n, 0.05), 0.05 + 0.04 * day])
    ratings = Ratings.of(truth[:, None] ^ wrong, n_categories=2)
    third = annotators(ratings, day=np.tile(day[:, None], 3), minute=np.tile((day * 3)[:, None], 3))[2]
    drift = third.agreement_by_day
    assert drift.value is not None
    assert drift.low is not None
    assert drift.high is not None
    assert drift.low < -0.036 < drift.high < 0  # .04 more errors a day, less what two others err themselves
    assert third.agreement_by_minute.value == pytest.approx(drift.value / 3)
    assert third.bias_by_day.low is not None
    assert third.bias_by_day.high is not None
    assert third.bias_by_day.low < 0 < third.bias_by_day.high


def test_repeats_change_self_consistency_alone() -> None:
    ratings = Ratings.of(panel(3), n_categories=2)
    before, after = annotators(ratings), annotators(ratings, repeats=[[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, -1]])
    again = after[1].self_consistency
    assert again.value == pytest.approx(2 / 3)
    assert (again.n, again.n_dropped) == (3, 1)
    assert before[1].self_consistency.why_undefined == "undefined: this annotator answered no hidden repeat"
    assert [replace(one, self_consistency=again) for one in before] == [
        replace(one, self_consistency=again) for one in after
    ]


@settings(max_examples=25)
@given(labels=arrays(np.int64, (9, 4), elements=st.integers(-1, 2)), order=st.permutations(range(4)))
def test_order_of_annotators_does_not_matter(labels: Labels, order: list[int]) -> None:
    day = np.arange(36.0).reshape(9, 4)
    one = annotators(Ratings.of(labels, n_categories=3), day=day, seconds=day)
    other = annotators(Ratings.of(labels[:, order], n_categories=3), day=day[:, order], seconds=day[:, order])
    assert [replace(one[was], rater=now) for now, was in enumerate(order)] == list(other)


def test_alone_nothing_can_be_said_of_agreement() -> None:
    found = annotators(Ratings.of([[1], [0]], n_categories=2), seconds=[[5.0], [7.0]])[0]
    assert found.agreement.why_undefined == "undefined: none of this annotator's units has another's label"
    assert found.bias.value is found.agreement_by_day.value is found.median_seconds.value is None
    assert found.median_seconds.why_undefined == "undefined: 2 known values, too few to bound a median"


def test_tasks_widen_the_interval() -> None:
    labels = np.repeat(panel(4, 40), 5, axis=0)
    alone = annotators(Ratings.of(labels, n_categories=2))[0].agreement
    in_tasks = annotators(Ratings.of(labels, n_categories=2, cluster=np.repeat(np.arange(40), 5)))[0].agreement
    assert alone.se is not None
    assert in_tasks.se == pytest.approx(alone.se * 5**0.5, rel=0.02)


def test_the_interval_of_a_median_covers_it() -> None:
    rng = np.random.default_rng(5)
    found = [median("seconds", rng.lognormal(3, 0.7, 25)) for _ in range(400)]
    hits = sum(one.low is not None and one.high is not None and one.low <= np.exp(3) <= one.high for one in found)
    assert hits / 400 > 0.95 - 3 * (0.95 * 0.05 / 400) ** 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"yes": 2}, "yes is 2"),
        ({"day": [[1.0]]}, "one a label"),
        ({"repeats": [[5, 0, 0]]}, "raters 5..5"),
        ({"repeats": [[0, 0, 2]]}, r"repeats: 1 not declared, the first is 2 \(repeat 0, occasion 1\)"),
        ({"repeats": [[0, 1]]}, "rater, first, again"),
        ({"level": 95}, "such as 0.95"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        annotators(Ratings.of([[0, 1], [1, 1]], n_categories=2), **options)
