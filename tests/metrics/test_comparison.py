from dataclasses import replace
from math import sqrt
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.comparison import Side, slice_difference
from metrics.correction import Population, Sample, Share, corrected, human_only
from metrics.definitions import METRICS
from metrics.difference import Difference
from metrics.estimate import About
from metrics.patterns import MISSING, encode
from metrics.prediction import Prediction
from metrics.sample import Second
from metrics.table import JudgedRows, LabelledRows, OfMetric, Options, detailed
from sampling.design import Design

YES, NO = 27, 0
"""Judge patterns C = 1 and C = 0, all else 0."""

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
seeds = st.integers(0, 10_000)
NONE = Prediction.none()


def rows(num: list[int], place: Flags, design: Design, code: Codes | None = None) -> Sample:
    judge = np.full(len(num), MISSING) if code is None else code
    return Sample(num=np.array(num, dtype=float), den=np.ones(len(num)), code=judge, in_slice=place, design=design)


def simple(n: int, size: int, unit: list[str] | None = None, stratum: list[str] | None = None) -> Design:
    strata = stratum or ["all"] * n
    taken = np.array([strata.count(h) for h in strata])
    return Design.of_draws(
        stratum=strata,
        stratum_size=[size] * n,
        inclusion_probability=taken / size,
        unit=unit or [str(i) for i in range(n)],
    )


def between(first: Sample, second: Sample, populations: tuple[Population, Population], **options: Any) -> Difference:
    """The difference of two slices."""
    return slice_difference(*(Side.of(*case, **options) for case in zip((first, second), populations, strict=True)))


def unjudged(size: int) -> Population:
    return Population(code=np.array([MISSING]), count=np.array([size]))


def ends(found: Difference | Share) -> tuple[float, float, float]:
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


# -- By hand ---------------------------------------------------------------------------------------------------------


def test_slices_of_separate_strata_are_independent() -> None:
    strata = ["a"] * 5 + ["b"] * 5
    design = simple(10, 50, stratum=strata)
    num, in_a = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0], np.array(strata) == "a"
    first, second = rows(num, in_a, design), rows(num, ~in_a, design)
    found = between(first, second, (unjudged(50), unjudged(50)), floor=1)
    shares = [human_only(sample, unjudged(50), floor=1) for sample in (first, second)]
    # s2 = .3 and .2, n = 5, N = 50: (1 - .1) (.3 + .2) / 5
    assert found.value == pytest.approx(0.6 - 0.2)
    assert found.se == pytest.approx(sqrt(0.9 * 0.5 / 5))
    assert (found.n, found.clusters, found.df) == (10, 10, 8)
    (r1, l1, h1), (r2, l2, h2) = (ends(share) for share in shares)
    assert found.low == pytest.approx(0.4 - sqrt((r1 - l1) ** 2 + (h2 - r2) ** 2))
    assert found.high == pytest.approx(0.4 + sqrt((h1 - r1) ** 2 + (r2 - l2) ** 2))


def test_two_models_on_the_same_units_are_compared_as_pairs() -> None:
    units = [str(i) for i in range(6)] * 2
    design = simple(12, 60, unit=units, stratum=["a"] * 6 + ["b"] * 6)
    num, of_a = [1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0], np.arange(12) < 6
    found = between(rows(num, of_a, design), rows(num, ~of_a, design), (unjudged(60), unjudged(60)), floor=1)
    # Differences 0 0 1 1 0 0: s2 = 4/15; (1 - .1) s2 / 6
    assert found.value == pytest.approx(1 / 3)
    assert found.se == pytest.approx(sqrt(0.9 * 4 / 15 / 6))
    assert found.clusters == 6


def test_slices_that_cross_a_stratum_keep_their_covariance() -> None:
    # 8 of 80 rows, one stratum. 40 e = y - 3/4 in the first and 1/4 - y in the second slice, of mean 0:
    # sum of squares 2 * 3/4, so V = 80^2 (1 - .1) / 8 * (3/2 / 7) / 40^2
    design, of_first = simple(8, 80), np.arange(8) < 4
    num = [1, 1, 1, 0, 1, 0, 0, 0]
    frame = (unjudged(40), unjudged(40))
    found = between(rows(num, of_first, design), rows(num, ~of_first, design), frame, floor=1)
    assert found.value == pytest.approx(0.5)
    assert found.se == pytest.approx(sqrt(80**2 * 0.9 / 8 * 1.5 / 7) / 40)


# -- Laws ------------------------------------------------------------------------------------------------------------


def study(seed: int) -> tuple[Sample, Sample, tuple[Population, Population]]:
    """120 of 400 judged rows in three strata, and two slices that cross them."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(400) < 0.6).astype(int)
    judge = np.where(np.where(rng.random(400) < 0.2, 1 - truth, truth) == 1, YES, NO)
    strata, place = rng.integers(0, 3, 400), rng.random(400) < 0.5
    drawn = np.concatenate([rng.permutation(np.flatnonzero(strata == h))[:40] for h in range(3)])
    size = np.bincount(strata)[strata[drawn]]
    design = Design.of_draws(
        stratum=[str(h) for h in strata[drawn]],
        stratum_size=size,
        inclusion_probability=40 / size,
        unit=[str(i) for i in drawn],
    )
    num = truth[drawn].tolist()
    samples = [rows(num, inside[drawn], design, judge[drawn]) for inside in (place, ~place)]
    frame = [
        Population(code=np.array([YES, NO]), count=np.array([(judge[x] == YES).sum(), (judge[x] == NO).sum()]))
        for x in (place, ~place)
    ]
    return samples[0], samples[1], (frame[0], frame[1])


@settings(max_examples=30)
@given(seeds)
def test_the_difference_is_that_of_the_two_and_swapping_turns_its_sign(seed: int) -> None:
    first, second, frame = study(seed)
    there = between(first, second, frame)
    back = between(second, first, frame[::-1])
    one, other = corrected(first, frame[0]), corrected(second, frame[1])
    assert one.value is not None
    assert other.value is not None
    value, low, high = ends(there)
    assert value == one.value - other.value
    assert (-value, -high, -low) == pytest.approx(ends(back))
    assert (there.se, there.p, there.df) == pytest.approx((back.se, back.p, back.df))
    assert -1 <= low < value < high <= 1


@settings(max_examples=30)
@given(seeds)
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    first, second, frame = study(seed)
    order = np.random.default_rng(seed).permutation(len(first.num))
    design = Design(**{name: getattr(first.design, name)[order] for name in Design.__dataclass_fields__})
    shuffled = [
        Sample(num=s.num[order], den=s.den[order], code=s.code[order], in_slice=s.in_slice[order], design=design)
        for s in (first, second)
    ]
    before, after = between(first, second, frame), between(shuffled[0], shuffled[1], frame)
    assert ends(after) == pytest.approx(ends(before))
    assert after.se == pytest.approx(before.se)


def test_the_interval_covers_two_models_on_shared_units() -> None:
    rng = np.random.default_rng(5)
    ease = rng.normal(0, 1, 300)
    truth = (rng.random((2, 300)) < 1 / (1 + np.exp(-ease - np.array([[2.0], [1.2]])))).astype(int)
    judge = np.where(np.where(rng.random((2, 300)) < 0.1, 1 - truth, truth) == 1, YES, NO)
    real = truth[0].mean() - truth[1].mean()
    frame = [Population(code=np.array([YES, NO]), count=np.bincount(judge[m] == NO, minlength=2)) for m in (0, 1)]
    of_first, holds, variance, error = np.arange(80) < 40, 0, 0.0, np.zeros(200)
    for k in range(200):
        units = rng.choice(300, 40, replace=False)
        design = simple(80, 300, unit=[str(u) for u in units] * 2, stratum=["a"] * 40 + ["b"] * 40)
        num, code = truth[:, units].ravel().tolist(), judge[:, units].ravel()
        found = between(rows(num, of_first, design, code), rows(num, ~of_first, design, code), (frame[0], frame[1]))
        value, low, high = ends(found)
        assert found.se is not None
        holds += low <= real <= high
        variance += found.se**2 / 200
        error[k] = value - real
    assert holds / 200 >= 0.95 - 2.5 * sqrt(0.95 * 0.05 / 200)
    # 200 draws: the relative error of a standard deviation is about 5 %.
    assert sqrt(variance) == pytest.approx(error.std(), rel=0.15)
    assert abs(error.mean()) < 3 * error.std() / sqrt(200)


# -- Edges -----------------------------------------------------------------------------------------------------------


def test_no_event_in_either_slice_still_has_a_width() -> None:
    design, of_first = simple(80, 800), np.arange(80) < 40
    frame = (unjudged(400), unjudged(400))
    found = between(rows([0] * 80, of_first, design), rows([0] * 80, ~of_first, design), frame)
    value, low, high = ends(found)
    assert (value, found.se, found.p) == (0, 0, 1)
    # The Clopper-Pearson end of 0 in 40 on either side
    assert (low, high) == pytest.approx((-(1 - 0.025 ** (1 / 40)), 1 - 0.025 ** (1 / 40)))


def test_slices_that_are_all_labelled_differ_exactly() -> None:
    design, of_first = simple(8, 80), np.arange(8) < 4
    num = [1, 1, 1, 0, 1, 0, 0, 0]
    samples = rows(num, of_first, design), rows(num, ~of_first, design)
    found = between(*samples, (unjudged(4), unjudged(4)))
    assert (*ends(found), found.se) == (0.5, 0.5, 0.5, 0)
    half = between(*samples, (unjudged(4), unjudged(40)), floor=1, prediction=NONE)
    alone = human_only(samples[1], unjudged(40), floor=1)
    assert half.se == pytest.approx(alone.se)
    assert half.low == pytest.approx(0.75 - (alone.high or 0))


def test_a_refused_slice_says_which() -> None:
    design, of_first = simple(80, 800), np.arange(80) < 70
    num = [1, 0] * 40
    found = between(rows(num, of_first, design), rows(num, ~of_first, design), (unjudged(700), unjudged(100)))
    why = "undefined: second slice refused: 10 labels in the denominator, 30 needed; label about 20 more"
    assert (found.value, found.low, found.why_undefined, found.n) == (None, None, why, 80)


@pytest.mark.parametrize("labels_of_the_second_run", [0, 1])
def test_a_mean_over_runs_of_which_one_is_hardly_labelled_says_which_slice(labels_of_the_second_run: int) -> None:
    design, of_first = simple(80, 800), np.arange(80) < 40
    run = np.where(np.arange(80) >= 80 - labels_of_the_second_run, 1, 0)
    run[:20] = 1
    frame = Population(code=np.full(2, MISSING), count=np.array([200, 200]), part=np.array([0, 1]))
    samples = [replace(rows([1, 0] * 40, place, design), part=run) for place in (of_first, ~of_first)]
    found = slice_difference(*(Side.of(sample, frame, prediction=NONE) for sample in samples))
    why = "second slice refused: 1 of the 2 parts to average have fewer than 2 labels in the denominator; label more"
    assert (found.value, found.why_undefined) == (None, f"undefined: {why}")


def test_slices_of_different_rows_are_refused() -> None:
    place = np.ones(8, dtype=bool)
    first, second = rows([1, 0] * 4, place, simple(8, 80)), rows([1, 0] * 4, place, simple(8, 90))
    with pytest.raises(ValueError, match="design's weight"):
        between(first, second, (unjudged(80), unjudged(80)))
    same = rows([1, 0] * 4, place, simple(8, 80))
    assert between(first, same, (unjudged(80), unjudged(80)), floor=1).value == 0


# -- Such tasks in general -------------------------------------------------------------------------------------------


class World:
    """180 tasks of four responses by either of two models; a task is hard or easy for both, and a judge errs."""

    def __init__(self, rng: np.random.Generator, gap: float) -> None:
        self.task = np.tile(np.repeat(np.arange(180), 4), 2)
        self.model = np.repeat([0, 1], 720)
        ease, taste = rng.normal(0, 1, 180)[self.task], rng.normal(0, 0.6, (2, 180))[self.model, self.task]
        self.truth = (rng.random(1440) < 1 / (1 + np.exp(-(ease + taste + gap * (self.model == 0))))).astype(int)
        wrong = rng.random(1440) < 0.1
        self.judge = np.where(np.where(wrong, 1 - self.truth, self.truth) == 1, YES, NO)

    def difference(self, rng: np.random.Generator, about: About) -> Difference:
        """160 labels of either model on the same units."""
        units = rng.choice(720, 160, replace=False)
        drawn = np.concatenate([units, 720 + units])
        design = simple(320, 720, unit=[str(u) for u in units] * 2, stratum=["a"] * 160 + ["b"] * 160)
        sides = []
        for m in (0, 1):
            cells, count = np.unique(
                np.stack([self.task[self.model == m], self.judge[self.model == m]]), axis=1, return_counts=True
            )
            sample = rows(self.truth[drawn].tolist(), self.model[drawn] == m, design, self.judge[drawn])
            sides.append(
                (replace(sample, task=self.task[drawn]), Population(code=cells[1], count=count, task=cells[0]))
            )
        (one, frame), (other, other_frame) = sides
        return between(one, other, (frame, other_frame), about=about)


def test_the_interval_for_such_tasks_covers_the_difference_in_the_world() -> None:
    # The truth is what new tasks would show: a million of them, by the same process.
    rng = np.random.default_rng(0)
    ease = rng.normal(0, 1, 10**6) + rng.normal(0, 0.6, 10**6)
    gap = 0.7
    real = (1 / (1 + np.exp(-ease - gap)) - 1 / (1 + np.exp(-ease))).mean()
    holds = {"such tasks": 0, "these responses": 0}
    for seed in range(150):
        world = World(np.random.default_rng(seed), gap)
        for about in (*get_args(About),):
            _, low, high = ends(world.difference(np.random.default_rng(1000 + seed), about))
            holds[about] += low <= real <= high
    assert holds["such tasks"] / 150 >= 0.95 - 2.5 * sqrt(0.95 * 0.05 / 150)
    assert holds["these responses"] < holds["such tasks"]


@settings(max_examples=20)
@given(seeds)
def test_the_p_value_and_the_interval_never_contradict_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = World(rng, rng.uniform(0, 0.5)).difference(rng, "such tasks")
    _, low, high = ends(found)
    assert found.p is not None
    assert (found.p < 0.05) == (not low <= 0 <= high)


def test_such_tasks_are_never_narrower_than_these_responses() -> None:
    world = World(np.random.default_rng(4), 0.3)
    here, general = (world.difference(np.random.default_rng(4), about) for about in get_args(About))
    assert here.value == general.value
    assert here.se is not None
    assert general.se is not None
    assert general.se >= here.se
    assert ends(general)[1] <= ends(here)[1] < ends(here)[2] <= ends(general)[2]


def test_a_task_that_is_hard_for_both_costs_nothing() -> None:
    # Both models are right on the same half of the tasks and everything is labelled: the difference is surely 0.
    task, of_first = np.tile(np.arange(40), 2), np.arange(80) < 40
    num = (task % 2).tolist()
    design = simple(80, 80)
    frame = Population(code=np.full(40, MISSING), count=np.ones(40, dtype=int), task=np.arange(40))
    samples = [replace(rows(num, place, design), task=task) for place in (of_first, ~of_first)]
    found = between(samples[0], samples[1], (frame, frame), about="such tasks")
    assert found.value == 0
    assert found.se == pytest.approx(0, abs=1e-12)
    assert found.p == 1


def test_tasks_and_target_a_are_needed() -> None:
    design, of_first = simple(80, 800), np.arange(80) < 40
    one, other = rows([1, 0] * 40, of_first, design), rows([1, 0] * 40, ~of_first, design)
    with pytest.raises(ValueError, match="give the task"):
        between(one, other, (unjudged(400), unjudged(400)), about="such tasks")
    known = np.ones(80, dtype=bool)
    decided = replace(one, second=Second(chosen=known, num=one.num, den=one.den))
    with pytest.raises(ValueError, match="target A"):
        between(decided, other, (unjudged(400), unjudged(400)))


# -- From the tables of a study --------------------------------------------------------------------------------------

OPTIONS = Options(target="A", floor=5, about="such tasks")


def audited(seed: int) -> tuple[list[JudgedRows], list[LabelledRows]]:
    """200 responses of two models to 50 tasks, 120 of them labelled, under a fair and under a poor judge."""
    rng = np.random.default_rng(seed)
    model, task = np.tile(["a", "b"], 100), np.repeat([f"t{n}" for n in range(50)], 4)
    human = (rng.random((4, 200)) < np.array([[0.6], [0.8], [0.5], [0.3]])).astype(float)
    drawn = np.sort(rng.permutation(200)[:120])

    def design_of(usable: NDArray[np.bool_]) -> Design:
        n = int(usable.sum())
        return Design.of_draws(
            stratum=["all"] * n,
            stratum_size=[200] * n,
            inclusion_probability=[n / 200] * n,
            unit=[str(row) for row in drawn[usable]],
        )

    judged, labelled = [], []
    for errs in (0.05, 0.3):
        code = encode(*np.where(rng.random((4, 200)) < errs, 1 - human, human))
        columns = {"model": model.tolist(), "task_id": task.tolist()}
        judged.append(JudgedRows(columns=columns, code=code, count=np.ones(200, dtype=np.int64)))
        C, A, G, D = human[:, drawn]
        own = {name: np.asarray(values)[drawn].tolist() for name, values in columns.items()}
        labelled.append(LabelledRows(columns=own, code=code[drawn], C=C, A=A, G=G, D=D, design_of=design_of))
    return judged, labelled


@pytest.mark.parametrize("name", ["Acc", "cSES", "ESD"])
def test_the_difference_is_the_difference_of_two_rows_of_the_table(name: str) -> None:
    judged, labelled = audited(1)
    of = OfMetric(METRICS[name], judged[0], labelled[0], OPTIONS)
    places = ({"model": "a"}, {"model": "b"})
    found = slice_difference(*(Side.of(*of.at(place), floor=5, prediction=of.prediction) for place in places))
    options = Options(target="A", methods=["corrected"], floor=5)
    rows = detailed(judged[0], labelled[0], metrics=[METRICS[name]], slices=places, options=options)
    (first, _), (second, _) = rows
    assert first.value is not None
    assert second.value is not None
    assert found.value == pytest.approx(first.value - second.value)
    assert found.n == first.n + second.n == 120


def test_two_judges_corrected_by_the_same_labels_estimate_the_same() -> None:
    holds = 0
    for seed in range(60):
        judged, labelled = audited(seed)
        fair, poor = (OfMetric(METRICS["Acc"], *sides, OPTIONS) for sides in zip(judged, labelled, strict=True))
        found = slice_difference(
            *(Side.of(*of.at({}), prediction=of.prediction, about="such tasks") for of in (fair, poor))
        )
        assert found.low is not None
        assert found.high is not None
        holds += found.low <= 0 <= found.high
    assert holds / 60 >= 0.95 - 2.5 * (0.95 * 0.05 / 60) ** 0.5
