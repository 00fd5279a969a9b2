"""Budgets against populations whose variance components are known."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.budget import SOURCES, Budget, Part, budget, budgets
from metrics.correction import corrected
from metrics.definitions import METRICS
from metrics.estimate import About
from metrics.patterns import MISSING
from metrics.rows import JudgedRows, LabelledRows
from metrics.runs import FEWEST_PAIRS
from metrics.sample import Population, Sample, Second
from metrics.table import Options
from sampling.design import Design

Floats = NDArray[np.float64]
YES, NO = 27, 0
CHANCES = np.array([0.2, 0.5, 0.9])
"""Of a right answer: tasks are easy, middling or hard, a third each; both conditions alike."""
ERROR = 0.15
"""Of the judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    sample: Sample
    population: Population
    questions: tuple[NDArray[np.int64], NDArray[np.int64]]
    again: NDArray[np.int64]


def study(
    rng: np.random.Generator,
    *,
    tasks: int = 120,
    runs: int = 3,
    labels: int = 240,
    people: int | None = None,
    leaning: float = 0.0,
) -> Study:
    """Tasks × 2 conditions × runs, a simple random sample of labels; the judge errs on its own in each verdict."""
    task, condition, _ = (axis.ravel() for axis in np.indices((tasks, 2, runs)))
    truth = rng.random(len(task)) < CHANCES[rng.integers(0, 3, tasks)][task]
    verdicts = [np.where(truth ^ (rng.random(len(task)) < ERROR), YES, NO) for _ in range(2)]
    drawn = rng.permutation(len(task))[:labels]
    answers = truth[drawn].astype(np.float64)
    who = None
    if people is not None:
        who = rng.integers(0, people, labels)
        shift = rng.normal(0, leaning, people)[who]
        answers = (rng.random(labels) < np.clip(np.where(answers == 1, 0.8, 0.2) + shift, 0, 1)).astype(np.float64)
    design = Design.of_draws(
        stratum=["all"] * labels,
        stratum_size=[len(task)] * labels,
        inclusion_probability=[labels / len(task)] * labels,
        unit=[str(row) for row in drawn],
    )
    sample = Sample(
        num=answers,
        den=np.ones(labels),
        code=verdicts[0][drawn],
        in_slice=np.ones(labels, dtype=bool),
        design=design,
        task=task[drawn],
        annotator=who,
    )
    ones = np.ones(len(task), dtype=np.int64)
    question = task * 2 + condition
    return Study(
        sample=sample,
        population=Population(code=verdicts[0], count=ones, task=task),
        questions=(question, question[drawn]),
        again=verdicts[1][drawn],
    )


def components(tasks: int, runs: int, labels: int) -> dict[str, float]:
    """Variance of the mean that is of tasks, runs and labels, in closed form."""
    size = tasks * 2 * runs
    mean = CHANCES.mean()
    says_yes = mean * (1 - ERROR) + (1 - mean) * ERROR
    right_if_yes, right_if_no = mean * (1 - ERROR) / says_yes, mean * ERROR / (1 - says_yes)
    missed = says_yes * right_if_yes * (1 - right_if_yes) + (1 - says_yes) * right_if_no * (1 - right_if_no)
    return {
        "tasks": float(CHANCES.var()) / tasks,
        "runs": float((CHANCES * (1 - CHANCES)).mean()) / size,
        "labels": (1 - labels / size) / labels * missed,
    }


def of(found: Budget, source: str) -> Part:
    return next(part for part in found.parts if part.source == source)


def half_width(variance: float) -> float:
    return 1.96 * float(np.sqrt(variance))


def test_shares_and_purchases_are_those_of_a_known_population() -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(80):
        one = study(rng)
        found.append(budget(one.sample, one.population, questions=one.questions))
    truth = components(120, 3, 240)
    whole = sum(truth.values())
    for source, variance in truth.items():
        shares = [of(one, source).share or 0.0 for one in found]
        assert np.mean(shares) == pytest.approx(variance / whole, abs=0.03), source
    assert np.mean([one.half_width or 0 for one in found]) == pytest.approx(half_width(whole), rel=0.04)
    # Twice as many of each, from the closed form of the larger study.
    larger = {
        "tasks": components(240, 3, 240),
        "runs": components(120, 6, 240),
        "labels": components(120, 3, 480),
    }
    for source, after in larger.items():
        widths = [of(one, source).doubled or 0.0 for one in found]
        assert np.mean(widths) == pytest.approx(half_width(sum(after.values())), rel=0.04), source


def test_the_closed_form_is_what_repeating_the_study_shows() -> None:
    rng = np.random.default_rng(6)
    values = []
    for _ in range(400):
        one = study(rng)
        values.append(corrected(one.sample, one.population).value or 0.0)
    # 400 studies know a variance to about 7 %.
    assert np.var(values) == pytest.approx(sum(components(120, 3, 240).values()), rel=0.2)


def test_annotators_take_their_share() -> None:
    rng = np.random.default_rng(7)
    ratios = []
    for _ in range(300):
        one = study(rng, people=10, leaning=0.12)
        found = budget(one.sample, one.population, about="these responses")
        part = of(found, "annotators")
        ratios.append((part.share or 0.0) / (of(found, "labels").share or 1.0))
        assert part.doubled == pytest.approx((found.half_width or 0.0) * np.sqrt(1 - (part.share or 0.0) / 2))
    # Ten people of variance .12^2, against 240 answers whose s2 comes from one big study.
    big = study(np.random.default_rng(1), tasks=4000, labels=20_000, people=400, leaning=0.12)
    se = corrected(big.sample, big.population).se or 0.0
    # As nobody labels twice, all that varies may be slips: the labels' part has no finite-population correction.
    of_labels = se**2 * 20_000 / 240
    # A variance over ten people is known to 47 %, so the mean of 300 ratios to about 4 %.
    assert np.mean(ratios) == pytest.approx(0.12**2 / 10 / of_labels, rel=0.12)


def test_a_second_verdict_tells_the_judges_noise() -> None:
    rng = np.random.default_rng(8)
    shares = []
    for _ in range(40):
        one = study(rng, labels=400)
        found = budget(one.sample, one.population, again=one.again, about="these responses")
        shares.append(of(found, "judge").share or 0.0)
        assert of(found, "labels").share == pytest.approx(1 - shares[-1])
    # (yhat(yes) - yhat(no))^2 times the chance that two verdicts differ, over 2; against what is missed in all
    mean = CHANCES.mean()
    says_yes = mean * (1 - ERROR) + (1 - mean) * ERROR
    apart = mean * (1 - ERROR) / says_yes - mean * ERROR / (1 - says_yes)
    missed = components(120, 3, 240)["labels"] * 240 / (1 - 240 / 720)
    assert np.mean(shares) == pytest.approx(apart**2 * ERROR * (1 - ERROR) / missed, abs=0.03)


@pytest.mark.parametrize(
    ("change", "source", "why"),
    [
        ({}, "runs", "which responses are runs of one question is not given"),
        ({}, "annotators", "who labelled which response is not given"),
        ({}, "judge", "every response has one verdict"),
        ({"people": 3}, "annotators", "3 annotators tell too little"),
        ({"runs": 1, "labels": 120}, "runs", "every question was answered once"),
        ({"labels": 60}, "runs", f"{FEWEST_PAIRS} are needed"),
    ],
)
def test_what_cannot_be_told_says_why(change: dict[str, int], source: str, why: str) -> None:
    one = study(np.random.default_rng(2), **change)
    found = budget(one.sample, one.population, questions=one.questions if change else None)
    part = of(found, source)
    assert (part.share, part.doubled) == (None, None)
    assert part.why_unknown is not None
    assert why in part.why_unknown
    known = [part.share for part in found.parts if part.share is not None]
    assert sum(known) == pytest.approx(1)


def test_of_these_responses_there_are_no_other_tasks() -> None:
    one = study(np.random.default_rng(3))
    found = budget(one.sample, one.population, questions=one.questions, about="these responses")
    assert [of(found, source).share for source in ("tasks", "runs", "labels")] == [0, 0, 1]
    assert of(found, "tasks").doubled is None
    usual = corrected(one.sample, one.population)
    assert usual.low is not None
    assert usual.high is not None
    assert found.half_width == pytest.approx((usual.high - usual.low) / 2)


def test_the_sentence_names_the_best_purchase_first() -> None:
    parts = (
        Part(source="tasks", share=0.3, doubled=0.029),
        Part(source="labels", share=0.7, doubled=0.0231),
        Part(source="judge", share=None, doubled=None, why_unknown="not known"),
    )
    found = Budget(n=200, half_width=0.031, parts=parts)
    assert found.best is not None
    assert found.best.source == "labels"
    assert found.sentence == (
        "doubling the labels would shrink the interval from ±3.1 to ±2.3 points; doubling the tasks to ±2.9"
    )
    assert Budget(n=3, half_width=None, why_undefined="refused: few").sentence == "refused: few"
    assert "nothing that could be bought" in Budget(n=3, half_width=0.01).sentence


def test_a_refused_slice_a_census_and_adjudicated_values_have_no_budget() -> None:
    one = study(np.random.default_rng(4), labels=20)
    few = budget(one.sample, one.population)
    assert few.half_width is None
    assert few.why_undefined is not None
    assert few.why_undefined.startswith("refused: 20 labels")
    everything = study(np.random.default_rng(4), tasks=10, runs=3, labels=60)
    complete = budget(everything.sample, everything.population, about="these responses")
    assert complete.why_undefined == "undefined: no variation was seen that could be divided"
    second = Second(chosen=np.ones(20, dtype=bool), num=one.sample.num, den=one.sample.den)
    with pytest.raises(ValueError, match="adjudicated"):
        budget(replace(one.sample, second=second), one.population)


def test_a_linked_draw_buys_contexts() -> None:
    """All four responses of 30 of 120 contexts: twice the labels are twice the contexts, f from 1/4 to 1/2."""
    rng = np.random.default_rng(9)
    task = np.repeat(np.arange(30), 4)
    design = Design.of_draws(
        stratum=["all"] * 120,
        stratum_size=[480] * 120,
        inclusion_probability=[0.25] * 120,
        unit=[str(row) for row in range(120)],
        cluster=task.astype(str).tolist(),
        first_fraction=[0.25] * 120,
    )
    sample = Sample(
        num=(rng.random(120) < 0.5).astype(np.float64),
        den=np.ones(120),
        code=np.full(120, MISSING),
        in_slice=np.ones(120, dtype=bool),
        design=design,
        task=task,
    )
    population = Population(code=np.full(120, MISSING), count=np.full(120, 4), task=np.arange(120))
    found = budget(sample, population, about="these responses")
    # (1 - 1/2) / (1 - 1/4) / 2 of the variance is left.
    assert of(found, "labels").doubled == pytest.approx((found.half_width or 0) * np.sqrt(1 / 3))


def table_of(columns: tuple[str, ...]) -> list[tuple[str, Budget]]:
    one = study(np.random.default_rng(11))
    question, rows = one.questions
    values: dict[str, Callable[[NDArray[np.int64]], list[str]]] = {
        "task_id": lambda q: [str(x // 2) for x in q],
        "condition": lambda q: [str(x % 2) for x in q],
        "model": lambda q: ["m"] * len(q),
        "prompt": lambda q: ["p"] * len(q),
    }
    ones = np.ones(len(rows))
    judged = JudgedRows(
        columns={name: values[name](question) for name in columns},
        code=one.population.code,
        count=one.population.count,
    )
    labelled = LabelledRows(
        columns={name: values[name](rows) for name in columns},
        code=one.sample.code,
        C=one.sample.num,
        A=ones,
        G=np.where(np.arange(len(rows)) < 40, 0.0, 1.0),
        D=np.where(np.arange(len(rows)) < 40, np.nan, 1.0),
        design_of=lambda usable: Design.of_draws(
            stratum=["all"] * int(usable.sum()),
            stratum_size=[720] * int(usable.sum()),
            inclusion_probability=[1 / 3] * int(usable.sum()),
            unit=[str(row) for row in np.flatnonzero(usable)],
        ),
    )
    options = Options(target="A", about="such tasks")
    metrics = [METRICS["Acc"], METRICS["BAS"]]
    found = budgets(judged, labelled, metrics=metrics, slices=[{}, {"task_id": "1"}], options=options)
    return [(name, one_budget) for name, _, one_budget in found]


def test_every_metric_and_slice_of_a_table_has_its_budget() -> None:
    found = table_of(("task_id", "condition", "model", "prompt"))
    assert [name for name, _ in found] == ["Acc", "Acc", "BAS", "BAS"]
    # Forty answers go beyond their context, and nobody can say whether they disclose it: BAS is 0 where C is.
    assert [one.n for _, one in found[::2]] == [
        240,
        200 + int((study(np.random.default_rng(11)).sample.num[:40] == 0).sum()),
    ]
    assert [part.source for part in found[0][1].parts] == list(SOURCES)
    assert of(found[0][1], "runs").share is not None
    assert found[1][1].why_undefined is not None
    assert of(table_of(("task_id", "condition"))[0][1], "runs").share is None


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["such tasks", "these responses"]))
def test_shares_add_up_and_neither_order_nor_names_matter(seed: int, about: About) -> None:
    rng = np.random.default_rng(seed)
    one = study(rng, tasks=60, labels=150, people=6, leaning=0.1)
    found = budget(one.sample, one.population, questions=one.questions, again=one.again, about=about)
    known = [part.share for part in found.parts if part.share is not None]
    assert sum(known) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in known)
    assert found.half_width is not None
    for part in found.parts:
        # More tasks or runs with the same labels leave more unlabelled, which may cost more than it brings.
        if part.doubled is not None and part.source not in ("tasks", "runs"):
            assert 0 <= part.doubled <= found.half_width + 1e-12
    order, names = rng.permutation(len(one.population.code)), rng.permutation(1000)
    assert one.population.task is not None
    assert one.sample.task is not None
    moved = Population(
        code=one.population.code[order], count=one.population.count[order], task=names[one.population.task[order]]
    )
    again = budget(
        replace(one.sample, task=names[one.sample.task]),
        moved,
        questions=(names[one.questions[0][order]], names[one.questions[1]]),
        again=one.again,
        about=about,
    )
    before = [found.half_width, *(part.share for part in found.parts), *(part.doubled for part in found.parts)]
    after = [again.half_width, *(part.share for part in again.parts), *(part.doubled for part in again.parts)]
    assert [x is None for x in before] == [x is None for x in after]
    assert [x for x in before if x is not None] == pytest.approx([x for x in after if x is not None])


def test_what_would_widen_the_interval_is_not_offered() -> None:
    tasks = Part(source="tasks", share=0.1, doubled=0.04)
    labels = Part(source="labels", share=0.9, doubled=0.02)
    bought = Budget(n=10, half_width=0.03, parts=(tasks, labels)).sentence
    assert bought == (
        "doubling the labels would shrink the interval from ±3.0 to ±2.0 points; doubling the tasks alone would not "
        "shrink it"
    )
    assert "nothing" in Budget(n=10, half_width=0.03, parts=(tasks,)).sentence
