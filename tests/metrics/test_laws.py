"""What every statistic from a labelled sample obeys. A new one joins STATISTICS.

Statistics of pairs, of tables and of lists obey their own laws beside their own tests: `test_paired`,
`test_permutation`, `test_mcnemar`, `test_multiple`, `test_ranking`, `test_rogan_gladen`, `test_interval`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.borrowing import borrowed
from metrics.budget import budget
from metrics.comparison import Side, slice_difference
from metrics.construction import broken_share
from metrics.correction import Population, Sample, corrected, human_only, naive
from metrics.definitions import METRICS
from metrics.diagnostics import answers, means
from metrics.difference import Difference
from metrics.estimate import About, Contexts, Method
from metrics.nonresponse import bounds
from metrics.patterns import decode, encode
from metrics.rows import JudgedRows, LabelledRows
from metrics.sample import Second
from metrics.share import Share
from metrics.table import Options, detailed
from sampling.design import Design

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
QUICK = settings(max_examples=8)
METRIC = METRICS["cSES"]
ROWS, STRATA, TASKS, RUNS, PEOPLE = 1200, 4, 30, 3, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Some rows of a population; arrays of shape (n,), human of shape (4, n)."""

    human: Floats
    code: Codes
    stratum: Codes
    task: Codes
    run: Codes
    annotator: Codes
    """Of the label, once there is one."""
    inside: Flags
    unit: Codes
    valid: Floats
    chosen: Flags
    """Adjudicated."""

    def take(self, rows: Codes) -> "Rows":
        parts = {name: getattr(self, name)[..., rows] for name in Rows.__dataclass_fields__}
        return Rows(**parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    frame: Rows
    drawn: Rows
    size: Codes
    """Of the strata."""
    chance: Floats
    """Of being drawn, by stratum."""
    names: Codes
    """By which strata, tasks and annotators go."""
    runs: Codes
    """By which runs go."""

    def design_of(self, usable: Flags) -> Design:
        stratum = self.drawn.stratum[usable]
        return Design.of_draws(
            stratum=[f"{self.names[h]:03}" for h in stratum],
            stratum_size=self.size[stratum],
            inclusion_probability=self.chance[stratum],
            unit=[str(unit) for unit in self.drawn.unit[usable]],
        )

    def sample(self, inside: Flags | None = None) -> Sample:
        num, den = METRIC.terms(*self.drawn.human)
        return Sample(
            num=num,
            den=den,
            code=self.drawn.code,
            in_slice=self.drawn.inside if inside is None else inside,
            design=self.design_of(np.ones(len(num), dtype=bool)),
            task=self.names[self.drawn.task],
            annotator=self.names[self.drawn.annotator],
            patterns=METRIC.patterns,
        )

    def population(self, inside: Flags | None = None) -> Population:
        here = self.frame.inside if inside is None else inside
        ones = np.ones(int(here.sum()), dtype=np.int64)
        return Population(code=self.frame.code[here], count=ones, task=self.names[self.frame.task[here]])

    def over_runs(self) -> tuple[Sample, Population]:
        """The same as a mean over runs."""
        run = self.runs[self.frame.run[self.frame.inside]]
        return replace(self.sample(), part=self.runs[self.drawn.run]), replace(self.population(), part=run)

    def tables(self) -> tuple[JudgedRows, LabelledRows]:
        def columns(rows: Rows) -> dict[str, list[str]]:
            return {
                "slice": rows.inside.astype(int).astype(str).tolist(),
                "condition": [f"{self.names[h]:03}" for h in rows.stratum],
            }

        C, A, G, D = self.drawn.human
        judged = JudgedRows(
            columns=columns(self.frame), code=self.frame.code, count=np.ones(len(self.frame.code), dtype=np.int64)
        )
        labelled = LabelledRows(
            columns=columns(self.drawn),
            code=self.drawn.code,
            C=C,
            A=A,
            G=G,
            D=D,
            design_of=self.design_of,
            valid=self.drawn.valid,
            recondition=[f"{self.names[0]:03}" if h == 1 else None for h in self.drawn.stratum],
        )
        return judged, labelled


def study(seed: int) -> Study:
    """A quarter of every stratum, of 1,200 rows in 4 strata and 30 tasks; one context in eight is broken."""
    rng = np.random.default_rng(seed)
    human = (rng.random((4, ROWS)) < np.array([[0.8], [0.9], [0.5], [0.4]])).astype(np.float64)
    frame = Rows(
        human=human,
        code=encode(*np.where(rng.random((4, ROWS)) < 0.15, 1 - human, human)),
        stratum=np.sort(rng.integers(0, STRATA, ROWS)),
        task=rng.integers(0, TASKS, ROWS),
        run=rng.integers(0, RUNS, ROWS),
        annotator=rng.integers(0, PEOPLE, ROWS),
        inside=rng.random(ROWS) < 0.7,
        unit=np.arange(ROWS),
        valid=(rng.random(ROWS) < 0.875).astype(np.float64),
        chosen=rng.random(ROWS) < 0.5,
    )
    size = np.bincount(frame.stratum)
    rows = np.concatenate([rng.permutation(np.flatnonzero(frame.stratum == h))[: size[h] // 4] for h in range(STRATA)])
    return Study(
        frame=frame,
        drawn=frame.take(rows),
        size=size,
        chance=(size // 4) / size,
        names=np.arange(max(STRATA, TASKS, PEOPLE)),
        runs=np.arange(RUNS),
    )


Numbers = tuple[float | None, float | None, float | None, float | None]
"""Value, low, high and standard error."""
Statistic = Callable[[Study], Numbers]


def of(found: Share | Difference) -> Numbers:
    return found.value, found.low, found.high, found.se


def adjudicated(one: Study) -> Numbers:
    sample = one.sample()
    second = Second(chosen=one.drawn.chosen, num=sample.num, den=sample.den)
    return of(corrected(replace(sample, second=second), one.population(), floor=1))


def lent(one: Study) -> Numbers:
    here = one.frame.inside
    return of(
        borrowed(
            one.sample(),
            one.population(),
            condition=one.drawn.stratum,
            population_condition=one.frame.stratum[here],
            group=one.drawn.inside.astype(np.int64),
        )
    )


def difference(one: Study, about: About = "these responses") -> Numbers:
    samples = one.sample(one.drawn.inside), one.sample(~one.drawn.inside)
    populations = one.population(one.frame.inside), one.population(~one.frame.inside)
    sides = [Side.of(*case, floor=5, about=about) for case in zip(samples, populations, strict=True)]
    return of(slice_difference(sides[0], sides[1]))


def of_table(one: Study, contexts: Contexts, place: dict[str, str]) -> Numbers:
    judged, labelled = one.tables()
    options = Options(target="A", methods=("corrected",), floor=5, contexts=contexts)
    return of(detailed(judged, labelled, metrics=[METRIC], slices=[place], options=options)[0][1])


def extremes(one: Study) -> Numbers:
    judged, labelled = one.tables()
    unknown = np.where(one.drawn.chosen, one.drawn.valid, np.nan)
    options = Options(target="A", floor=5, contexts="valid")
    (found,) = bounds(judged, replace(labelled, valid=unknown), metrics=[METRIC], slices=[{}], options=options)
    assert found.lowest is not None
    assert found.highest is not None
    return (found.lowest + found.highest) / 2, found.low, found.high, None


def score(one: Study, method: Method, place: dict[str, str]) -> Numbers:
    judged, labelled = one.tables()
    frame, judge = (encode(*answers(sum(decode(rows.code)[:2]))) for rows in (judged, labelled))
    C, A, G, D = answers(labelled.C + labelled.A)
    rows = replace(labelled, code=judge, C=C, A=A, G=G, D=D)
    options = Options(target="A", methods=(method,))
    name = "conflict_awareness"
    return of(means(name, replace(judged, code=frame), rows, slices=[place], options=options)[0][1])


def construction(one: Study) -> Numbers:
    size = int(one.frame.inside.sum())
    return of(broken_share(1 - one.drawn.valid, one.drawn.inside, one.design_of, size).share)


def width(one: Study) -> Numbers:
    found = budget(one.sample(), one.population(), floor=1)
    doubled = {part.source: part.doubled for part in found.parts}
    return found.half_width, doubled["tasks"], doubled["labels"], None


def at_face_value(one: Study) -> Numbers:
    here = one.population()
    return naive(METRIC, here.code, here.count).value, None, None, None


def judged_score(one: Study) -> Numbers:
    return score(one, "naive", {})


CLEAN = {"condition": "000"}

STATISTICS: dict[str, Statistic] = {
    "human_only": lambda one: of(human_only(one.sample(), one.population(), floor=1)),
    "corrected": lambda one: of(corrected(one.sample(), one.population(), floor=1)),
    "corrected, such tasks": lambda one: of(corrected(one.sample(), one.population(), floor=1, about="such tasks")),
    "corrected, target B": adjudicated,
    "borrowed": lent,
    "corrected, annotators like these": lambda one: of(
        corrected(one.sample(), one.population(), floor=1, annotators="annotators like these")
    ),
    "corrected, mean over runs": lambda one: of(corrected(*one.over_runs(), floor=1)),
    "slice_difference": difference,
    "slice_difference, such tasks": lambda one: difference(one, "such tasks"),
    "detailed, valid": lambda one: of_table(one, "valid", {"slice": "1"}),
    "detailed, reclassified": lambda one: of_table(one, "reclassified", {"condition": f"{one.names[0]:03}"}),
    "bounds": extremes,
    "human mean": lambda one: score(one, "human-only", {"slice": "1"}),
    "corrected mean": lambda one: score(one, "corrected", {"slice": "1"}),
    "broken_share": construction,
}
WITHOUT_INTERVAL: dict[str, Statistic] = {"naive": at_face_value, "judged mean": judged_score, "budget": width}

every = pytest.mark.parametrize("name", [*STATISTICS, *WITHOUT_INTERVAL])
with_interval = pytest.mark.parametrize("name", [*STATISTICS])
seeds = st.integers(0, 10_000)


def numbers(name: str, one: Study) -> list[float]:
    found = (STATISTICS | WITHOUT_INTERVAL)[name](one)
    return [np.nan if number is None else number for number in found]


@every
@QUICK
@given(seed=seeds)
def test_the_order_of_rows_does_not_matter(name: str, seed: int) -> None:
    one, rng = study(seed), np.random.default_rng(seed)
    moved = replace(
        one,
        drawn=one.drawn.take(rng.permutation(len(one.drawn.code))),
        frame=one.frame.take(rng.permutation(len(one.frame.code))),
    )
    assert numbers(name, moved) == pytest.approx(numbers(name, one), nan_ok=True)


@every
@QUICK
@given(seed=seeds)
def test_what_strata_tasks_runs_people_and_units_are_called_does_not_matter(name: str, seed: int) -> None:
    one, rng = study(seed), np.random.default_rng(seed)
    renamed = replace(
        one,
        names=rng.permutation(len(one.names)) + 100,
        runs=rng.permutation(RUNS),
        drawn=replace(one.drawn, unit=rng.permutation(5000)[: len(one.drawn.unit)]),
    )
    before, after = numbers(name, one), numbers(name, renamed)
    # The completions behind some intervals go through the strata in the order of their names.
    assert [after[0], after[3]] == pytest.approx([before[0], before[3]], nan_ok=True)
    assert after[1:3] == pytest.approx(before[1:3], abs=0.02, nan_ok=True)


@every
@QUICK
@given(seed=seeds)
def test_rows_given_twice_at_half_their_weight_change_no_value(name: str, seed: int) -> None:
    one = study(seed)
    twice = replace(one, drawn=one.drawn.take(np.tile(np.arange(len(one.drawn.code)), 2)))
    before, after = numbers(name, one), numbers(name, twice)
    if name == "budget":
        # A width, to which the rows of a unit are one observation, but for what a row has of its own prediction.
        assert after == pytest.approx(before, rel=0.05, nan_ok=True)
    elif name == "borrowed":
        assert after[0] == pytest.approx(before[0])
    elif name == "corrected, annotators like these":
        # Its error allows for what a row has of its own prediction, which is half when there are two.
        assert after[0] == pytest.approx(before[0])
        assert after[3] == pytest.approx(before[3], rel=0.06)
    else:
        assert [after[0], after[3]] == pytest.approx([before[0], before[3]], nan_ok=True)


WITHIN_CELLS = ("borrowed", "detailed, reclassified", "corrected mean")
"""Their predictions are made from few rows each: of two patterns that are equally near the smaller code lends its own,
and diagnostics are no answers that could be turned round."""


@pytest.mark.parametrize("name", [name for name in STATISTICS if name not in WITHIN_CELLS])
@QUICK
@given(seed=seeds, flipped=st.sets(st.integers(0, 3), min_size=1))
def test_a_judge_that_says_the_opposite_is_as_useful(name: str, seed: int, flipped: set[int]) -> None:
    def turned(rows: Rows) -> Rows:
        said = decode(rows.code)
        return replace(rows, code=encode(*(1 - said[k] if k in flipped else said[k] for k in range(4))))

    one = study(seed)
    assume(len(np.unique(one.drawn.code)) == 16)
    before, after = numbers(name, one), numbers(name, replace(one, frame=turned(one.frame), drawn=turned(one.drawn)))
    assert after == pytest.approx(before, abs=0.02, nan_ok=True)
    assert [after[0], after[3]] == pytest.approx([before[0], before[3]], nan_ok=True)


@with_interval
@QUICK
@given(seed=seeds)
def test_the_interval_contains_the_estimate(name: str, seed: int) -> None:
    value, low, high, _ = numbers(name, study(seed))
    assert low <= value <= high
    assert low < high


@with_interval
@QUICK
@given(seed=seeds)
def test_twice_as_many_labels_that_say_the_same_narrow_the_interval(name: str, seed: int) -> None:
    one = study(seed)
    n = len(one.drawn.code)
    more = one.drawn.take(np.tile(np.arange(n), 2))
    richer = replace(one, drawn=replace(more, unit=np.arange(2 * n)), chance=2 * one.chance)
    before, after = numbers(name, one), numbers(name, richer)
    assert after[0] == pytest.approx(before[0])
    if name.endswith(", such tasks"):
        # Where tasks outweigh the draw, the same again of the same tasks is no news of others.
        assert after[2] - after[1] <= before[2] - before[1] + 1e-9
    elif name == "corrected, annotators like these":
        # Nor is the same again from the same people; and what rows have of their own prediction can fall either way.
        assert after[2] - after[1] <= 1.05 * (before[2] - before[1])
    else:
        assert after[2] - after[1] < before[2] - before[1]


@QUICK
@given(seed=seeds)
def test_the_order_of_metrics_and_slices_does_not_matter(seed: int) -> None:
    judged, labelled = study(seed).tables()
    metrics = [METRICS[name] for name in ("Acc", "ESD", "BAS")]
    slices: list[dict[str, str]] = [{}, {"slice": "1"}, CLEAN]
    options = Options(target="A", floor=5, contexts="reclassified")
    there = detailed(judged, labelled, metrics=metrics, slices=slices, options=options)
    back = detailed(judged, labelled, metrics=metrics[::-1], slices=slices[::-1], options=options)
    by_name = [{(e.metric, str(e.slice), e.method): e.as_dict() for e, _ in found} for found in (there, back)]
    assert by_name[0] == by_name[1]
