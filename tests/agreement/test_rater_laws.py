"""What figures of annotators, of judges against them, and of time obey; coefficients have `test_laws`."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from agreement.alternative_annotator import AlternativeAnnotatorTest, alternative_annotator_test
from agreement.annotator_variance import annotator_variance
from agreement.annotators import Annotator, annotators, median
from agreement.dawid_skene import dawid_skene
from agreement.drift import minutes_into_sitting, slope
from agreement.ratings import Ratings
from agreement.result import Agreement

Labels = NDArray[np.int64]
QUICK = settings(max_examples=20)
FIGURES = ("agreement", "bias", "agreement_by_day", "bias_by_day", "median_seconds")


def labels_of(items: int, raters: int = 3, k: int = 2) -> st.SearchStrategy[Labels]:
    return arrays(np.int64, (items, raters), elements=st.integers(-1, k - 1))


def near(one: Agreement, other: Agreement, *, of: str) -> None:
    for part in ("value", "low", "high"):
        assert getattr(one, part) == pytest.approx(getattr(other, part), abs=1e-7), (of, part)


def width(figure: Agreement) -> float:
    assert figure.low is not None
    assert figure.high is not None
    return figure.high - figure.low


def each(labels: Labels, day: NDArray[np.float64], k: int = 2) -> tuple[Annotator, ...]:
    return annotators(Ratings.of(labels, n_categories=k), day=day, seconds=day + 1)


@QUICK
@given(labels=labels_of(9), order=st.permutations(range(9)))
def test_annotators_do_not_depend_on_the_order_of_items(labels: Labels, order: list[int]) -> None:
    day = np.arange(27.0).reshape(9, 3)
    for one, other in zip(each(labels, day), each(labels[order], day[order]), strict=True):
        for figure in FIGURES:
            near(getattr(one, figure), getattr(other, figure), of=figure)


@QUICK
@given(labels=labels_of(9))
def test_calling_yes_no_turns_bias_round_and_leaves_agreement(labels: Labels) -> None:
    day = np.arange(27.0).reshape(9, 3)
    for one, other in zip(each(labels, day), each(np.where(labels < 0, -1, 1 - labels), day), strict=True):
        near(one.agreement, other.agreement, of="agreement")
        if one.bias.value is not None and other.bias.value is not None:
            assert one.bias.value == pytest.approx(-other.bias.value)
            assert one.bias.low == pytest.approx(-(other.bias.high or 0))


@QUICK
@given(labels=labels_of(9), label=st.integers(0, 1))
def test_an_item_with_one_label_changes_no_annotator(labels: Labels, label: int) -> None:
    day = np.arange(30.0).reshape(10, 3)
    more = each(np.vstack([labels, [label, -1, -1]]), day)
    for one, other in zip(each(labels, day[:9]), more, strict=True):
        for figure in FIGURES[:4]:
            near(getattr(one, figure), getattr(other, figure), of=figure)


@QUICK
@given(labels=labels_of(9))
def test_more_items_of_the_same_narrow_the_intervals(labels: Labels) -> None:
    day = np.arange(27.0).reshape(9, 3)
    for one, other in zip(each(labels, day), each(np.tile(labels, (30, 1)), np.tile(day, (30, 1))), strict=True):
        for figure in FIGURES:
            few, many = getattr(one, figure), getattr(other, figure)
            if few.value is not None:
                assert few.low <= few.value <= few.high
                assert many.value == pytest.approx(few.value)
                assert width(many) <= width(few) if figure == "median_seconds" else width(many) < width(few)
        twice = np.tile(labels, (2, 1))
        repeats = [[0, 1, 1], [0, 0, 1], [1, 1, 1]]
        ratings = Ratings.of(twice, n_categories=2)
        once, again = (annotators(ratings, repeats=repeats * times)[0].self_consistency for times in (1, 20))
        assert again.value == pytest.approx(once.value)
        assert width(again) < width(once)


@QUICK
@given(values=arrays(np.float64, st.integers(6, 30), elements=st.floats(0, 1000)), data=st.data())
def test_a_median_knows_no_order_and_moves_with_the_unit(values: NDArray[np.float64], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(values))))
    found = median("seconds", values)
    near(found, median("seconds", values[order]), of="order")
    assert median("minutes", values / 60).high == pytest.approx((found.high or 0) / 60)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    often = median("seconds", np.tile(values, 20))
    assert often.value == pytest.approx(found.value)
    assert width(often) <= width(found)


@QUICK
@given(data=st.data())
def test_a_slope_knows_no_order_and_no_first_day(data: st.DataObject) -> None:
    y = data.draw(arrays(np.float64, 12, elements=st.sampled_from([0.0, 1.0])))
    t = data.draw(arrays(np.float64, 12, elements=st.integers(0, 40).map(float)))
    order = data.draw(st.permutations(range(12)))
    found = slope("trend", y, t)
    near(found, slope("trend", y[order], t[order]), of="order")
    near(found, slope("trend", y + 3, t + 100), of="first day")
    per_hour = slope("trend", y, 24 * t)
    if found.value is not None and found.low is not None and found.high is not None:
        assert found.low <= found.value <= found.high
        assert per_hour.value == pytest.approx(found.value / 24)
        assert width(slope("trend", np.tile(y, 20), np.tile(t, 20))) <= width(found)


@QUICK
@given(moments=arrays(np.float64, 10, elements=st.integers(0, 20000).map(float)), order=st.permutations(range(10)))
def test_sittings_know_no_order_and_no_first_day(moments: NDArray[np.float64], order: list[int]) -> None:
    minutes = minutes_into_sitting(moments)
    assert minutes_into_sitting(moments[order]) == pytest.approx(minutes[order])
    assert minutes_into_sitting(moments + 86400) == pytest.approx(minutes)
    assert minutes_into_sitting(np.tile(moments, 2)) == pytest.approx(np.tile(minutes, 2))


def contests(test: AlternativeAnnotatorTest) -> list[tuple[float, float, float]]:
    return sorted((one.judge_advantage, one.annotator_advantage, round(one.p_value, 9)) for one in test.contests)


@QUICK
@given(data=st.data())
def test_a_contest_knows_no_order_and_no_names(data: st.DataObject) -> None:
    labels = data.draw(arrays(np.int64, (36, 3), elements=st.integers(0, 2)))
    judge = data.draw(arrays(np.int64, 36, elements=st.integers(0, 2)))
    rows, people = data.draw(st.permutations(range(36))), data.draw(st.permutations(range(3)))
    renamed = np.array(data.draw(st.permutations(range(3))))
    before = alternative_annotator_test(labels, judge)
    after = alternative_annotator_test(renamed[labels][rows][:, people], renamed[judge][rows])
    assert contests(after) == contests(before)
    assert (after.winning_rate, after.passed) == (before.winning_rate, before.passed)
    near(before.average_advantage, after.average_advantage, of="advantage")
    more = alternative_annotator_test(np.vstack([labels, [[0, -1, 1]] * 5]), np.append(judge, [1] * 5))
    assert contests(more) == contests(before)
    often = alternative_annotator_test(np.tile(labels, (20, 1)), np.tile(judge, 20))
    assert often.average_advantage.value == pytest.approx(before.average_advantage.value)
    assert width(often.average_advantage) < width(before.average_advantage)


@QUICK
@given(data=st.data())
def test_posteriors_know_no_order_and_follow_the_names(data: st.DataObject) -> None:
    labels = data.draw(arrays(np.int64, (12, 3), elements=st.integers(0, 2)))
    order, renamed = data.draw(st.permutations(range(36))), np.array(data.draw(st.permutations(range(3))))
    item, rater = (part.reshape(-1) for part in np.indices((12, 3)))
    said = labels.reshape(-1)
    # A fixed number of steps: where two solutions fit alike, rounding decides which is reached in the end.
    found = dawid_skene(item, rater, said, n_categories=3, most_iterations=8)
    other = dawid_skene(item[order], rater[order], renamed[said[order]], n_categories=3, most_iterations=8)
    assert other.posterior[:, renamed] == pytest.approx(found.posterior, abs=1e-6)
    assert other.class_shares[renamed] == pytest.approx(found.class_shares, abs=1e-6)
    assert found.posterior.sum(axis=1) == pytest.approx(1)
    twice = dawid_skene(
        np.append(item, item + 12), np.tile(rater, 2), np.tile(said, 2), n_categories=3, most_iterations=8
    )
    assert twice.class_shares == pytest.approx(found.class_shares, abs=1e-6)
    assert twice.posterior[:12] == pytest.approx(found.posterior, abs=1e-6)


@QUICK
@given(data=st.data())
def test_annotator_variance_knows_no_names_and_no_scale(data: st.DataObject) -> None:
    y = data.draw(arrays(np.float64, 24, elements=st.sampled_from([0.0, 1.0])))
    who, order = np.arange(24) % 6, data.draw(st.permutations(range(24)))
    renamed = np.array(data.draw(st.permutations(range(6))))
    found = annotator_variance(y, who)
    near(found.rho_int, annotator_variance(y[order], renamed[who][order]).rho_int, of="order")
    near(found.rho_int, annotator_variance(1 - y, who).rho_int, of="yes and no")
    near(found.rho_int, annotator_variance(5 + 3 * y, who).rho_int, of="scale")
    value, low, high = found.rho_int.value, found.rho_int.low, found.rho_int.high
    if value is not None and low is not None and high is not None:
        assert low <= value <= high
        assert found.design_effect is not None
        assert found.design_effect >= 1


def test_repeats_reach_self_consistency_alone() -> None:
    labels = np.random.default_rng(1).integers(0, 2, (30, 3))
    ratings = Ratings.of(labels, n_categories=2)
    before, after = annotators(ratings), annotators(ratings, repeats=[[0, 1, 1]] * 8)
    assert replace(after[0], self_consistency=before[0].self_consistency) == before[0]
    assert width(after[0].self_consistency) < 1
