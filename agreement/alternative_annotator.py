"""May a judge stand in for an annotator? The alternative-annotator test: who agrees better with the other people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from agreement.means import bounded_mean, group_sums
from agreement.refusal import no_column, no_labels, no_level, refuse
from agreement.result import Agreement
from agreement.tally import Floats, Integers

Alignment = Literal["accuracy", "distance"]
Procedure = Literal["by", "bh"]

FEWEST_ANNOTATORS = 3
FEWEST_ITEMS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """The judge against one annotator, both measured by the others."""

    rater: int
    """Column of the labels."""
    n: int
    """Items of the core that this annotator labelled."""
    n_tasks: int
    """Independent units among them."""
    judge_advantage: float
    """Share of items where the judge agrees with the others at least as well as this annotator does."""
    annotator_advantage: float
    """Share of items where this annotator agrees with the others at least as well as the judge does."""
    p_value: float
    """One-sided, of the hypothesis that the annotator's advantage is the larger by epsilon or more."""
    p_adjusted: float
    """The same after the multiple-testing step."""
    won: bool
    """Whether the judge beats this annotator less epsilon, at the false discovery rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeAnnotatorTest:
    """Winning rate and average advantage of a judge, or why the test was refused."""

    winning_rate: float | None
    """Share of annotators that the judge beats; None if refused."""
    average_advantage: Agreement
    """Mean over annotators of the judge's advantage, with an interval over tasks."""
    passed: bool | None
    """Whether the judge beats half of the annotators or more; None if refused."""
    epsilon: float
    """How much worse than an annotator the judge may be, for being cheaper, in [0, 1)."""
    q: float
    """False discovery rate."""
    procedure: Procedure
    contests: tuple[Contest, ...]
    n: int
    """Items of the core: labels of three people or more, and of the judge."""
    n_dropped: int
    why_refused: str | None
    """A sentence for a person when there is too little to test."""


def alternative_annotator_test(
    labels: ArrayLike,
    judge: ArrayLike,
    *,
    n_categories: int | None = None,
    epsilon: float = 0.2,
    cluster: ArrayLike | None = None,
    alignment: Alignment = "accuracy",
    procedure: Procedure = "by",
    q: float = 0.05,
    level: float = 0.95,
) -> AlternativeAnnotatorTest:
    """Leave out each annotator in turn and ask whether the judge or the annotator agrees better with the rest.

    Every contest is a one-sided t test of the paired differences, with clustered standard errors (tasks less one
    degrees of freedom). Where no difference varied, its p-value is the largest chance to see no other task if
    those unseen made up for epsilon. The authors choose epsilon .2 for experts, .15 for trained people and .1 for
    crowds, and the procedure of Benjamini and Yekutieli ("by"), as the contests share items.

    Args:
        labels: Integers, shape (items, annotators); -1 is missing.
        judge: Integers, shape (items,); -1 is missing.
        n_categories: Declared categories K; a label is then one of 0..K-1. None for any label of 0 or more.
        epsilon: Allowance for the judge in [0, 1).
        cluster: Task of each item, shape (items,); None when items are independent.
        alignment: `accuracy` (share of the others with the same label) or `distance` (less the root mean squared
            difference from their labels, for ordered categories).
        procedure: False discovery rate step: `by`, or `bh` for Benjamini and Hochberg's.
        q: False discovery rate in (0, 1).
        level: Confidence level of the average advantage.

    Returns:
        The test; refused, with a sentence, if no item has labels of three annotators, fewer than three annotators
        take part in these items, or one of them labelled fewer than 30 of them.

    Raises:
        ValueError: Shapes differ, labels are not integers or not declared, or `epsilon`, `q` or `level` is no such
            share.

    Source: Calderon, Reichart & Dror (2025), Proc. 63rd ACL (1), 16051-16081, arXiv:2501.10970.

    >>> people = np.array([[i % 2, i % 2, i % 2] for i in range(40)])
    >>> test = alternative_annotator_test(people, people[:, 0])
    >>> test.winning_rate, test.average_advantage.value, test.passed
    (1.0, 1.0, True)
    >>> alternative_annotator_test(people[:20], people[:20, 0]).why_refused
    'refused: annotator 0 has 20 items with labels of 3 people; the test needs 30 of every annotator'
    """
    people, machine, tasks = _checked(labels, judge, n_categories, cluster, epsilon, q, level)
    core = ((people >= 0).sum(axis=1) >= FEWEST_ANNOTATORS) & (machine >= 0)
    people, machine, tasks = people[core], machine[core], tasks[core]
    took_part = np.flatnonzero((people >= 0).any(axis=0))
    refusal = _too_little(people, took_part)
    if refusal:
        advantage = Agreement.undefined(
            "average_advantage", refusal, level=level, n=len(people), n_dropped=int((~core).sum())
        )
        refused = f"refused: {refusal}"
        contests: list[Contest] = []
    else:
        wins = {int(j): _wins(people, machine, int(j), alignment) for j in took_part}
        contests = [_contest(j, *wins[j], tasks[people[:, j] >= 0], epsilon) for j in wins]
        advantage = _advantage(people, tasks, {j: won for j, (won, _) in wins.items()}, level, int((~core).sum()))
        refused = None
    test = AlternativeAnnotatorTest(
        winning_rate=None,
        average_advantage=advantage,
        passed=None,
        epsilon=epsilon,
        q=q,
        procedure=procedure,
        contests=tuple(contests),
        n=len(people),
        n_dropped=int((~core).sum()),
        why_refused=refused,
    )
    return over_labels([test])[0]


def over_labels(tests: Sequence[AlternativeAnnotatorTest]) -> tuple[AlternativeAnnotatorTest, ...]:
    """The same tests, with one multiple-testing step over the contests of all of them (one test a label).

    Raises:
        ValueError: The tests differ in their false discovery rate or procedure.
    """
    if len({(test.q, test.procedure) for test in tests}) > 1:
        raise ValueError("tests with different q or procedure cannot be adjusted together")
    p_values = [contest.p_value for test in tests for contest in test.contests]
    adjusted = stats.false_discovery_control(p_values, method=tests[0].procedure).tolist() if p_values else []
    ends = np.cumsum([len(test.contests) for test in tests])
    return tuple(
        _decided(test, adjusted[end - len(test.contests) : end]) for test, end in zip(tests, ends, strict=True)
    )


def _decided(test: AlternativeAnnotatorTest, adjusted: list[float]) -> AlternativeAnnotatorTest:
    if not test.contests:
        return test
    contests = tuple(
        replace(contest, p_adjusted=p, won=p <= test.q) for contest, p in zip(test.contests, adjusted, strict=True)
    )
    rate = sum(contest.won for contest in contests) / len(contests)
    return replace(test, contests=contests, winning_rate=rate, passed=rate >= 0.5)


def _checked(
    labels: ArrayLike,
    judge: ArrayLike,
    n_categories: int | None,
    cluster: ArrayLike | None,
    epsilon: float,
    q: float,
    level: float,
) -> tuple[Integers, Integers, NDArray[np.generic]]:
    people, machine = np.asarray(labels), np.asarray(judge)
    shapes = people.ndim == 2 and machine.shape == people.shape[:1]
    whole = all(not array.size or array.dtype.kind in "iub" for array in (people, machine))
    refuse(
        no_level(level, "confidence level"),
        None if 0 <= epsilon < 1 else f"epsilon is {epsilon}; expected a number in [0, 1)",
        None if 0 < q < 1 else f"q is {q}; expected a false discovery rate in (0, 1), such as 0.05",
        None
        if shapes
        else f"labels have shape {people.shape}, judge {machine.shape}; expected (items, annotators), (items,)",
        None if whole else "labels and judge must be integers, with -1 for missing",
        no_column("cluster", cluster, len(people)) if shapes else None,
        *_undeclared(people, machine, n_categories, asked=shapes and whole),
    )
    tasks = np.arange(len(people)) if cluster is None else np.asarray(cluster)
    return people.astype(np.int64), machine.astype(np.int64), tasks


def _undeclared(
    people: NDArray[Any], machine: NDArray[Any], n_categories: int | None, *, asked: bool
) -> tuple[str | None, ...]:
    """Labels below -1 or, where categories are declared, above the last."""
    if not asked:
        return ()
    k = n_categories or 1 + max((int(array.max()) for array in (people, machine) if array.size), default=0)
    return no_labels("labels", people, k, axes=("item", "annotator")), no_labels("judge", machine, k, axes=("item",))


def _too_little(people: Integers, took_part: Integers) -> str | None:
    if len(took_part) < FEWEST_ANNOTATORS:
        return (
            f"no item has labels of {FEWEST_ANNOTATORS} people and of the judge; "
            "have a random core of 60 to 100 items labelled by everybody"
        )
    n = (people >= 0).sum(axis=0)[took_part]
    if n.min() < FEWEST_ITEMS:
        who = int(took_part[int(n.argmin())])
        return (
            f"annotator {who} has {n.min()} items with labels of {FEWEST_ANNOTATORS} people; "
            f"the test needs {FEWEST_ITEMS} of every annotator"
        )
    return None


def _wins(people: Integers, machine: Integers, j: int, alignment: Alignment) -> tuple[Floats, Floats]:
    """Where the judge, and where annotator j, agrees at least as well with the others, on the items of j."""
    rows = people[:, j] >= 0
    others = np.delete(people[rows], j, axis=1)
    judge, own = (_aligned(said[rows], others, alignment) for said in (machine, people[:, j]))
    # Means of the same few labels: differences below this are rounding.
    return (judge >= own - 1e-12).astype(np.float64), (own >= judge - 1e-12).astype(np.float64)


def _aligned(said: Integers, others: Integers, alignment: Alignment) -> Floats:
    there = others >= 0
    if alignment == "accuracy":
        score: Floats = ((others == said[:, None]) & there).sum(axis=1) / there.sum(axis=1)
        return score
    squares = np.where(there, (others - said[:, None]) ** 2, 0).sum(axis=1)
    distance: Floats = -np.sqrt(squares / there.sum(axis=1))
    return distance


def _contest(j: int, judge: Floats, own: Floats, tasks: NDArray[np.generic], epsilon: float) -> Contest:
    p_value, independent = _p_value(own - judge, tasks, epsilon)
    return Contest(
        rater=j,
        n=len(own),
        n_tasks=independent,
        judge_advantage=float(judge.mean()),
        annotator_advantage=float(own.mean()),
        p_value=p_value,
        p_adjusted=p_value,
        won=False,
    )


def _p_value(differences: Floats, tasks: NDArray[np.generic], epsilon: float) -> tuple[float, int]:
    """Of "the mean difference is epsilon or more", against less; and the number of independent units."""
    mean = float(differences.mean())
    sums = group_sums((differences - mean) / len(differences), tasks)
    tasks_seen = len(sums)
    if tasks_seen < 2:
        return 1.0, tasks_seen
    se = float(np.sqrt(tasks_seen / (tasks_seen - 1) * (sums @ sums)))
    if se < 1e-12:
        different = min(max((epsilon - mean) / (1 - mean), 0.0), 1.0) if mean < 1 else 0.0
        return (1 - different) ** tasks_seen, tasks_seen
    return float(stats.t.cdf((mean - epsilon) / se, tasks_seen - 1)), tasks_seen


def _advantage(
    people: Integers, tasks: NDArray[np.generic], wins: dict[int, Floats], level: float, dropped: int
) -> Agreement:
    """Mean over annotators of the judge's advantage, written as a mean over items to have an interval over tasks."""
    score = np.zeros(len(people))
    for j, won in wins.items():
        rows = people[:, j] >= 0
        score[rows] += won * len(people) / (rows.sum() * len(wins))
    return bounded_mean(
        "average_advantage", score, cluster=tasks, bounds=(0, 1), level=level, n_dropped=dropped, nobody=""
    )
