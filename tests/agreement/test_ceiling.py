from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from agreement.ceiling import AgainstCeiling, HumanCeiling, human_ceiling
from agreement.coefficients import percent_agreement
from agreement.confusion import confusion
from agreement.kappas import fleiss_kappa
from agreement.ratings import Ratings
from agreement.result import Agreement

Labels = NDArray[np.int64]
NAMES = ("percent_agreement", "kappa", "ac1")


def judged(seed: int, n: int, *, judge_error: float = 0.15, people: int = 3) -> tuple[Labels, Labels]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(np.int64)
    human = truth[:, None] ^ (rng.random((n, people)) < 0.15)
    human = np.where(rng.random((n, people)) < 0.15, -1, human)
    return truth ^ (rng.random(n) < judge_error), human


def against(found: HumanCeiling) -> dict[str, AgainstCeiling]:
    return {name: getattr(found, name) for name in NAMES}


def figures(found: HumanCeiling) -> list[Agreement]:
    return [getattr(one, side) for one in against(found).values() for side in ("judge", "people", "difference")]


def same(a: HumanCeiling, b: HumanCeiling, *parts: str) -> None:
    for one, other in zip(figures(a), figures(b), strict=True):
        for part in parts or ("value", "se", "low", "high"):
            assert getattr(one, part) == pytest.approx(getattr(other, part), abs=1e-7), (one.name, part)


def test_worked_by_hand() -> None:
    # Judge with one person: 1/2, 2/3, 0, over 3 items; person with person: 0, 1/3, 1.
    found = human_ceiling([1, 1, 0, 1], [[1, 0, -1], [1, 1, 0], [1, 1, -1], [1, -1, -1]])
    assert (found.n, found.n_dropped) == (3, 1)
    assert found.percent_agreement.judge.value == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)
    assert found.percent_agreement.people.value == pytest.approx((0 + 1 / 3 + 1) / 3)
    assert found.percent_agreement.difference.value == pytest.approx((1 / 2 + 1 / 3 - 1) / 3)
    # People's share of yes: (1/2 + 2/3 + 1) / 3 = 13/18; the judge's 2/3.
    by_chance, among = 13 / 18 * 2 / 3 + 5 / 18 / 3, (13 / 18) ** 2 + (5 / 18) ** 2
    assert found.kappa.judge.value == pytest.approx((7 / 18 - by_chance) / (1 - by_chance))
    assert found.kappa.people.value == pytest.approx((4 / 9 - among) / (1 - among))
    both = (13 / 18 + 2 / 3) / 2
    assert found.ac1.judge.value == pytest.approx(1 - (11 / 18) / (1 - 2 * both * (1 - both)))


def test_people_who_are_of_one_mind_make_it_the_confusion_table() -> None:
    judge, human = judged(1, 80)
    one, weights = np.where(human[:, 0] < 0, 0, human[:, 0]), np.random.default_rng(1).uniform(1, 5, 80)
    found, table = (
        human_ceiling(judge, np.column_stack([one, one]), weights=weights),
        confusion(one, judge, weights=weights),
    )
    for name, figure in (("percent_agreement", table.accuracy), ("kappa", table.kappa)):
        side = against(found)[name].judge
        assert (side.value, side.se) == pytest.approx((figure.value, figure.se))
        assert (side.low, side.high) == pytest.approx((figure.low, figure.high))
        assert against(found)[name].people.value == 1


def test_people_among_themselves_are_the_coefficients_of_raters() -> None:
    judge, human = judged(2, 90)
    several = (human >= 0).sum(axis=1) > 1
    ratings, found = Ratings.of(human[several], n_categories=2), human_ceiling(judge, human)
    assert found.percent_agreement.people.value == pytest.approx(percent_agreement(ratings).value)
    assert found.percent_agreement.people.se == pytest.approx(percent_agreement(ratings).se)
    assert found.kappa.people.value == pytest.approx(fleiss_kappa(ratings).value)


@pytest.mark.parametrize("name", NAMES)
def test_standard_errors_are_the_jackknifes(name: str) -> None:
    """Leaving out one item at a time, under unequal weights: the same to first order (n = 200, 3 %)."""
    judge, human = judged(3, 200)
    weights = np.random.default_rng(3).uniform(1, 4, 200)
    alone = [np.arange(200) != i for i in range(200)]
    left = [against(human_ceiling(judge[k], human[k], weights=weights[k]))[name] for k in alone]
    found = against(human_ceiling(judge, human, weights=weights))[name]
    used = int(((human >= 0).sum(axis=1) > 1).sum())
    for side in ("judge", "people", "difference"):
        values = np.array([getattr(one, side).value for one in left], dtype=float)
        spread = ((used - 1) / used * ((values - values.mean()) ** 2).sum()) ** 0.5
        assert getattr(found, side).se == pytest.approx(spread, rel=0.03), side


def test_the_difference_keeps_the_covariance() -> None:
    """Easy items are easy for all: apart, the two sides would make the difference look less certain than it is."""
    rng = np.random.default_rng(4)
    hard, truth = rng.random(300) < 0.4, rng.integers(0, 2, 300)
    wrong = np.where(hard, 0.45, 0.02)
    judge, human = truth ^ (rng.random(300) < wrong), truth[:, None] ^ (rng.random((300, 3)) < wrong[:, None])
    found = human_ceiling(judge, human).percent_agreement
    assert found.judge.se is not None
    assert found.people.se is not None
    assert found.difference.se is not None
    assert found.difference.se < 0.85 * (found.judge.se**2 + found.people.se**2) ** 0.5


@cache
def truth_and_samples(judge_error: float) -> tuple[HumanCeiling, list[HumanCeiling]]:
    population = human_ceiling(*judged(99, 200_000, judge_error=judge_error))
    return population, [human_ceiling(*judged(seed, 80, judge_error=judge_error)) for seed in range(250)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("judge_error", [0.05, 0.15, 0.3])
def test_intervals_of_the_difference_cover(name: str, judge_error: float) -> None:
    """250 samples of 80 items; allowed: 3 binomial standard errors and one point."""
    population, samples = truth_and_samples(judge_error)
    truth, hits = against(population)[name].difference.value, 0
    assert truth is not None
    for sample in samples:
        found = against(sample)[name].difference
        hits += found.low is not None and found.high is not None and found.low <= truth <= found.high
    assert abs(hits / 250 - 0.95) < 3 * (0.95 * 0.05 / 250) ** 0.5 + 0.01


def test_a_judge_like_a_person_has_no_difference() -> None:
    _, human = judged(5, 200_000, people=4)
    found = human_ceiling(human[:, 0], human[:, 1:])
    assert all(abs(one.difference.value or 0) < 0.01 for one in against(found).values())


def test_a_consensus_would_flatter_the_judge() -> None:
    """Why the comparison is with one person: the majority is nearer to the judge than any person is."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 4000)
    judge, human = truth ^ (rng.random(4000) < 0.15), truth[:, None] ^ (rng.random((4000, 3)) < 0.15)
    found = human_ceiling(judge, human).percent_agreement
    majority = (human.sum(axis=1) >= 2).astype(np.int64)
    assert (judge == majority).mean() > (found.judge.value or 1) + 0.03
    assert abs(found.difference.value or 1) < 0.02


@settings(max_examples=25)
@given(data=st.data())
def test_order_of_items_people_and_categories_and_scale_of_weights(data: st.DataObject) -> None:
    judge = data.draw(arrays(np.int64, 10, elements=st.integers(-1, 2)))
    human = data.draw(arrays(np.int64, (10, 3), elements=st.integers(-1, 2)))
    weights = data.draw(arrays(np.float64, 10, elements=st.sampled_from([1.0, 2.0, 6.0])))
    rows, people = np.array(data.draw(st.permutations(range(10)))), data.draw(st.permutations(range(3)))
    renamed = np.array([*data.draw(st.permutations(range(3))), -1])
    before = human_ceiling(judge, human, n_categories=3, weights=weights)
    after = human_ceiling(
        renamed[judge][rows], renamed[human][rows][:, people], n_categories=3, weights=4 * weights[rows]
    )
    same(before, after)


@settings(max_examples=25)
@given(data=st.data())
def test_weights_of_two_duplicates_and_intervals(data: st.DataObject) -> None:
    judge = data.draw(arrays(np.int64, 9, elements=st.integers(-1, 1)))
    human = data.draw(arrays(np.int64, (9, 3), elements=st.integers(-1, 1)))
    weights = data.draw(arrays(np.int64, 9, elements=st.integers(1, 3)))
    once = human_ceiling(judge, human, weights=weights)
    same(once, human_ceiling(np.repeat(judge, weights), np.repeat(human, weights, axis=0)), "value")
    often = human_ceiling(np.tile(judge, 40), np.tile(human, (40, 1)), weights=np.tile(weights, 40))
    for few, many in zip(figures(once), figures(often), strict=True):
        if few.value is None:
            assert (few.why_undefined or "").startswith("undefined: ")
        else:
            assert few.low is not None
            assert few.high is not None
            assert few.low <= few.value <= few.high
            assert many.low is not None
            assert many.high is not None
            assert 0 < many.high - many.low < few.high - few.low


def test_an_item_with_one_label_changes_nothing() -> None:
    judge, human = judged(7, 40)
    more = human_ceiling(np.append(judge, 1), np.vstack([human, [1, -1, -1]]))
    same(human_ceiling(judge, human), more)
    assert more.n_dropped == human_ceiling(judge, human).n_dropped + 1


def test_a_slice_and_a_census() -> None:
    judge, human = judged(8, 60)
    inside = np.arange(60) < 30
    found = human_ceiling(judge, human, rows=inside)
    same(found, human_ceiling(judge[:30], human[:30]))
    for figure in figures(human_ceiling(judge, human, census=True)):
        assert figure.low == figure.value == figure.high
        assert figure.se == 0


@pytest.mark.parametrize(
    ("judge", "human", "undefined", "reason"),
    [
        pytest.param([], np.empty((0, 2), dtype=int), 9, "there are no items", id="empty"),
        pytest.param([1, -1], [[1, -1], [1, 1]], 9, "none of the 2 items has labels of two people and", id="none"),
        pytest.param([1, 1], [[1, 1], [1, 1]], 6, "people said Yes on all 2 items", id="all-yes"),
        pytest.param([1, 1], [[1, 0], [1, 1]], 2, "the judge said Yes on all 2 items", id="judge-always-yes"),
    ],
)
def test_undefined(judge: list[int], human: Any, undefined: int, reason: str) -> None:
    found = figures(human_ceiling(np.array(judge, dtype=int), human, category_names=["No", "Yes"]))
    missing = [figure for figure in found if figure.value is None]
    assert len(missing) == undefined
    assert all(figure.why_undefined is not None and reason in figure.why_undefined for figure in missing)


def test_everything_wrong_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="judge: 1 not declared") as caught:
        human_ceiling([0, 2], [[0, 1], [0, 3]], weights=[0, 1], level=95)
    assert len(str(caught.value).splitlines()) == 4
