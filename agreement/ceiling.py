"""The human ceiling: a judge with one person, against one person with another, on the same items."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement import chance
from agreement.coefficients import cohen_formula
from agreement.disagreement import coincidences, label_shares
from agreement.estimate import Formula
from agreement.interval import FLAT, Ends, bounded_student, containing, student
from agreement.over_units import over_units_formula
from agreement.patterns import category_counts
from agreement.refusal import no_labels, refuse
from agreement.result import Agreement
from agreement.sampled_rows import SampledRows, SampleOptions, no_options
from agreement.tally import Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstCeiling:
    """One coefficient of the judge, of people, and how far apart they are."""

    judge: Agreement
    """The judge with one person, drawn at random from those who labelled the item."""
    people: Agreement
    """One such person with another: what a judge could be expected to reach."""
    difference: Agreement
    """Judge less people; above 0 the judge agrees better with a person than a second person does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanCeiling:
    """How a judge agrees with a person, and a second person does; for the population that the weights add up to."""

    n: int
    """Items with labels of two people or more, and of the judge: both sides rest on these."""
    n_dropped: int
    percent_agreement: AgainstCeiling
    kappa: AgainstCeiling
    """Cohen's: agreement by chance from the judge's and people's own shares of each category."""
    ac1: AgainstCeiling


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Side:
    """Pairs of labels that are compared; an item has one pair, spread over the cells it could fall in."""

    pairs: Floats
    """Shares of each item's pair, shape (n, K * K), rows add up to 1."""
    rows: SampledRows
    constant: str | None
    """Who used one category only, as a sentence."""

    @property
    def table(self) -> Floats:
        """Weighted total of the pairs, shape (K * K,)."""
        return self.rows.weight @ self.pairs

    def why_undefined(self, formula: Formula) -> str | None:
        """Why a coefficient does not exist for these pairs."""
        if not self.rows.n:
            n = self.rows.n_dropped
            return f"none of the {n} items has labels of two people and of the judge" if n else "there are no items"
        if formula.name == "percent_agreement":
            return None
        one_cell = (self.table > 0).sum() == 1
        return self.constant if formula.name == "cohen_kappa" or one_cell else None


def human_ceiling(
    judge: ArrayLike,
    human: ArrayLike,
    *,
    n_categories: int = 2,
    category_names: Sequence[str] | None = None,
    **sample: Unpack[SampleOptions],
) -> HumanCeiling:
    """Would another person agree better with a person than the judge does?

    On every item the judge meets one person at random, and one person another at random; an item counts by its design
    weight, whoever many people labelled it. A consensus is never used: it is easier to agree with than a person, so a
    judge measured by it looks better than people among themselves.

    Args:
        judge: Integers 0..K-1, -1 for missing, shape (n,).
        human: Likewise, shape (n, people).
        n_categories: Declared categories K, at least 2.
        category_names: One name a category, for messages; None for "0", "1", ...
        sample: `weights` (1 / (pi pi_overlap) for items of an overlap subsample), `variance`, `degrees_of_freedom`,
            `cluster`, `rows` (a slice), `census` and `level`, see `sampled_rows.SampleOptions`.

    Returns:
        Percent agreement, kappa and AC1 of both sides with design-based intervals (Taylor linearisation; Student's t
        on a logit scale), and their difference with an interval that keeps the covariance. Undefined without an item
        that two people and the judge labelled; kappa if a side used one category only, AC1 if all labels are one.

    Raises:
        ValueError: Labels are not declared, shapes differ, a weight is not > 0, or another option makes no sense.

    Source: for the coefficients Cohen (1960), doi:10.1177/001316446002000104, and Gwet (2008),
    doi:10.1348/000711006X126600; the linearisation is that of `confusion.confusion`.

    >>> people = [[1, 1], [0, 0], [1, 0], [0, 0], [1, 1], [0, 1]]
    >>> found = human_ceiling([1, 0, 1, 0, 1, 0], people).percent_agreement
    >>> round(found.judge.value, 3), round(found.people.value, 3), round(found.difference.value, 3)
    (0.833, 0.667, 0.167)
    """
    names = tuple(map(str, range(n_categories))) if category_names is None else tuple(category_names)
    machine, people = np.asarray(judge), np.asarray(human)
    refuse(
        None if n_categories >= 2 else f"n_categories is {n_categories}; expected at least 2",
        None if len(names) == n_categories else f"{len(names)} category_names for n_categories={n_categories}",
        no_labels("judge", machine, n_categories, called=names),
        no_labels("human", people, n_categories, axes=("row", "person"), called=names),
        None
        if machine.shape[:1] == people.shape[:1]
        else f"judge has shape {machine.shape}, human {people.shape}; expected (n,), (n, people)",
        *no_options(machine.size, **sample),
    )
    counts = category_counts(people, n_categories)
    rows = SampledRows.of((counts.sum(axis=1) >= 2) & (machine >= 0), **sample)
    sides = _sides(np.where(rows.kept, machine, 0).astype(np.int64), counts, rows, names)
    found = {name: _against(formula, *sides) for name, formula in _formulas(n_categories).items()}
    return HumanCeiling(n=rows.n, n_dropped=rows.n_dropped, **found)


def _sides(judge: Integers, counts: Integers, rows: SampledRows, names: tuple[str, ...]) -> tuple[_Side, _Side]:
    """The judge with one person, and one person with another."""
    k = counts.shape[1]
    said, labels = np.eye(k)[judge], np.maximum(counts.sum(axis=1), 1)
    judged = said[:, :, None] * label_shares(counts)[:, None, :]
    among = coincidences(counts) / labels[:, None, None]
    judge_one, people_one = (
        _constant(who, used[rows.kept].sum(axis=0), rows.n, names)
        for who, used in (("the judge", said), ("people", counts))
    )
    return (
        _Side(pairs=judged.reshape(-1, k * k), rows=rows, constant=people_one or judge_one),
        _Side(pairs=among.reshape(-1, k * k), rows=rows, constant=people_one),
    )


def _constant(who: str, used: NDArray[np.generic], n: int, names: tuple[str, ...]) -> str | None:
    return f"{who} said {names[int(np.argmax(used))]} on all {n} items" if np.count_nonzero(used) == 1 else None


def _formulas(k: int) -> dict[str, Formula]:
    """Coefficients of a K x K table of pairs."""
    first, second = np.divmod(np.arange(k * k), k)
    pair: Integers = np.eye(k, dtype=np.int64)[first] + np.eye(k, dtype=np.int64)[second]
    return {
        "percent_agreement": over_units_formula("percent_agreement", pair, chance.none(), 1 - np.eye(k)),
        "kappa": cohen_formula("cohen_kappa", 1 - np.eye(k)),
        "ac1": over_units_formula("gwet_ac1", pair, chance.by_unclear_units(pair, np.eye(k)), 1 - np.eye(k)),
    }


def _against(formula: Formula, judge: _Side, people: _Side) -> AgainstCeiling:
    rows, name = judge.rows, f"{formula.name}_difference"
    figures = [_figure(formula, side) for side in (judge, people)]
    (machine, of_judge), (human, of_people) = figures
    if machine.value is None or human.value is None:
        reason = (machine.why_undefined or human.why_undefined or "").removeprefix("undefined: ")
        return AgainstCeiling(judge=machine, people=human, difference=rows.undefined(name, reason))
    value, se = machine.value - human.value, rows.se(of_judge - of_people)
    span = 1 - max(formula.lowest, -1.0)
    low, high = student(value, se, rows.df, rows.level) if se > FLAT else _widest(machine, human)
    ends = min(value, max(low, -span)), max(value, min(high, span))
    return AgainstCeiling(judge=machine, people=human, difference=rows.figure(name, value, se, ends))


def _figure(formula: Formula, side: _Side) -> tuple[Agreement, Floats]:
    """The coefficient of one side, and the scores of its items."""
    rows, reason = side.rows, side.why_undefined(formula)
    if reason:
        return rows.undefined(formula.name, reason), np.zeros(len(side.pairs))
    parts, scores = formula.parts(side.table), side.pairs @ formula.scores(side.table)
    value, se = min(float(parts.coefficient), 1.0), rows.se(scores)
    if parts.observed > 0 and se > FLAT:
        ends = bounded_student(value, se, rows.df, rows.level, lowest=formula.lowest)
    else:
        ends = rows.unseen(float(parts.observed), float(parts.chance))
    return rows.figure(formula.name, value, se, containing(value, ends, lowest=formula.lowest)), scores


def _widest(judge: Agreement, people: Agreement) -> Ends:
    """Ends of a difference that shows no variation: as far apart as the intervals of the two reach."""
    if judge.low is None or judge.high is None or people.low is None or people.high is None:
        return -math.inf, math.inf
    return judge.low - people.high, judge.high - people.low
