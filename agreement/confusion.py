"""A judge's yes and no against people's: the two-by-two table and what follows from it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.disagreement import cohen
from agreement.interval import by_disagreement, check_level, clopper_pearson, containing, logit_student, student
from agreement.result import Agreement
from agreement.tally import Floats, Integers

Variance = Callable[[NDArray[np.float64]], float]
Table = tuple[tuple[float, float], tuple[float, float]]
"""Row = people's label (0, 1), column = the judge's."""

_FLAT = 1e-7
"""A standard error below this is rounding, not information."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """How a judge's binary labels stand to people's; every figure is for the population the weights add up to."""

    n: int
    """Rows with both labels."""
    n_dropped: int
    """Rows where one is missing."""
    counts: tuple[tuple[int, int], tuple[int, int]]
    """Rows of the sample: first index people's label, second the judge's."""
    table: Table
    """The same cells, weighted."""
    sensitivity: Agreement
    """Of what people call yes, the share the judge calls yes."""
    specificity: Agreement
    """Of what people call no, the share the judge calls no."""
    positive_predictive_value: Agreement
    """Of what the judge calls yes, the share people call yes."""
    negative_predictive_value: Agreement
    """Of what the judge calls no, the share people call no."""
    accuracy: Agreement
    kappa: Agreement
    human_prevalence: Agreement
    """Share people call yes."""
    judge_prevalence: Agreement
    """Share the judge calls yes, among the same rows."""
    always_yes: Agreement
    """Accuracy of a judge that looks at nothing and says yes: what `accuracy` has to beat."""
    always_no: Agreement


def confusion(
    human: ArrayLike,
    judge: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    variance: Variance | None = None,
    degrees_of_freedom: float | None = None,
    level: float = 0.95,
    category_names: Sequence[str] = ("No", "Yes"),
) -> JudgeAgreement:
    """Weighted confusion table of a judge and people, with the usual figures and their intervals.

    Standard errors are Taylor linearisations: `variance` is asked for the design variance of the weighted total of
    scores. Shares get Student's interval on the logit scale; at 0 or 1, or where nothing varied, Clopper and
    Pearson's with the effective n of Kish, so that no interval has zero width.

    Args:
        human: 0, 1, or -1 for missing, shape (n,).
        judge: 0, 1, or -1 for missing (unscored), shape (n,).
        weights: Rows of the population that each row stands for, > 0, shape (n,); None for 1.
        variance: Design variance of the weighted total of scores of shape (n,), all rows given, in the order
            given; rows with a missing label score 0. It must belong to the same `weights`. None for simple random
            sampling (with replacement) of the rows with both labels.
        degrees_of_freedom: Of that variance, >= 1; None for the rows with both labels less one.
        level: Confidence level of the intervals.
        category_names: What 0 and 1 are called in messages.

    Returns:
        The table and its figures. A share is undefined if nobody is in its denominator; kappa is undefined if
        people or the judge used one category only.

    Raises:
        ValueError: Labels are not 0, 1 or -1, shapes differ, a weight is not > 0, or `variance` returned
            something that is not a variance.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, section 5.5 (linearisation of a
    function of totals), doi:10.1007/978-1-4612-4378-6; kappa is such a function of the four cells.

    >>> result = confusion([1, 1, 1, 0, 0, -1], [1, 1, 0, 0, 1, 1])
    >>> result.counts, result.n_dropped, round(result.sensitivity.value, 3)
    (((1, 1), (1, 2)), 1, 0.667)
    """
    rows = _Rows.of(human, judge, weights, variance, degrees_of_freedom, level, category_names)
    no, yes = rows.names
    everyone, agreed = np.ones(len(rows.weight)), (rows.human == rows.judge).astype(np.float64)
    human_yes, judge_yes = rows.human.astype(np.float64), rows.judge.astype(np.float64)
    human_no, judge_no = 1 - human_yes, 1 - judge_yes
    return JudgeAgreement(
        n=int(rows.kept.sum()),
        n_dropped=int((~rows.kept).sum()),
        counts=rows.counts(),
        table=rows.table(),
        sensitivity=rows.share("sensitivity", agreed, human_yes, f"people's labels is {yes}"),
        specificity=rows.share("specificity", agreed, human_no, f"people's labels is {no}"),
        positive_predictive_value=rows.share(
            "positive_predictive_value", agreed, judge_yes, f"the judge's labels is {yes}"
        ),
        negative_predictive_value=rows.share(
            "negative_predictive_value", agreed, judge_no, f"the judge's labels is {no}"
        ),
        accuracy=rows.share("accuracy", agreed, everyone),
        kappa=rows.kappa(),
        human_prevalence=rows.share("human_prevalence", human_yes, everyone),
        judge_prevalence=rows.share("judge_prevalence", judge_yes, everyone),
        always_yes=rows.share("always_yes", human_yes, everyone),
        always_no=rows.share("always_no", human_no, everyone),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """Checked rows; a missing pair keeps its place with weight and labels 0, so that it scores 0."""

    human: Integers
    judge: Integers
    weight: Floats
    kept: NDArray[np.bool_]
    variance: Variance
    df: float
    level: float
    names: tuple[str, str]

    @classmethod
    def of(
        cls,
        human: ArrayLike,
        judge: ArrayLike,
        weights: ArrayLike | None,
        variance: Variance | None,
        df: float | None,
        level: float,
        names: Sequence[str],
    ) -> Self:
        check_level(level)
        people, machine = _binary("human", human), _binary("judge", judge)
        weight = np.ones(len(people)) if weights is None else np.asarray(weights, dtype=np.float64)
        if not len(people) == len(machine) == len(weight):
            raise ValueError(f"{len(people)} human labels, {len(machine)} of the judge, {len(weight)} weights")
        kept = (people >= 0) & (machine >= 0)
        if not (np.isfinite(weight) & (weight > 0))[kept].all():
            raise ValueError("every weight must be a finite number > 0")
        if df is not None and not df >= 1:
            raise ValueError(f"degrees_of_freedom is {df}; expected at least 1")
        weight = np.where(kept, weight, 0.0)
        return cls(
            human=np.where(kept, people, 0),
            judge=np.where(kept, machine, 0),
            weight=weight,
            kept=kept,
            variance=variance or (lambda scores: _simple_random(scores, weight, kept)),
            df=float(kept.sum() - 1) if df is None else float(df),
            level=level,
            names=(names[0], names[1]),
        )

    def counts(self) -> tuple[tuple[int, int], tuple[int, int]]:
        n = np.bincount((2 * self.human + self.judge)[self.kept], minlength=4)
        return (int(n[0]), int(n[1])), (int(n[2]), int(n[3]))

    def table(self) -> Table:
        total = np.bincount(2 * self.human + self.judge, self.weight, 4)
        return (float(total[0]), float(total[1])), (float(total[2]), float(total[3]))

    def share(self, name: str, num: Floats, den: Floats, of_what: str | None = None) -> Agreement:
        """Weighted share of the rows in `den` that are in `num`."""
        num, den = num * den * self.kept, den * self.kept
        n, total = int(den.sum()), float(self.weight @ den)
        if not n:
            reason = f"none of the {self.kept.sum()} of {of_what}" if of_what and self.kept.any() else self._nobody()
            return self._undefined(name, reason)
        value = min(float(self.weight @ num) / total, 1.0)
        se = self._se((num - value * den) / total)
        if 0 < value < 1 and se > _FLAT:
            ends = logit_student(value, se, self.df, self.level)
        else:
            ends = clopper_pearson(value, self._effective_n(den), self.level)
        return self._figure(name, value, se, containing(value, ends, lowest=0.0), n)

    def kappa(self) -> Agreement:
        """Cohen's kappa of the weighted cells, by the delta method."""
        n, cells = int(self.kept.sum()), np.asarray(self.table())
        if not n:
            return self._undefined("cohen_kappa", self._nobody())
        for who, used in (
            ("people", np.array(self.counts()).sum(axis=1)),
            ("the judge", np.sum(self.counts(), axis=0)),
        ):
            if used.min() == 0:
                return self._undefined("cohen_kappa", f"{who} said {self.names[int(used.argmax())]} on all {n} rows")
        parts = cohen(cells.reshape(-1), 1 - np.eye(2))
        value, observed, chance = float(parts.coefficient), float(parts.observed), float(parts.chance)
        share = cells / cells.sum()
        margins = share.sum(axis=0)[self.human] + share.sum(axis=1)[self.judge]
        apart = (self.human != self.judge) - observed
        scores = -(apart + (1 - value) * (margins - 2 * (1 - chance))) / chance / cells.sum()
        se = self._se(np.where(self.kept, scores, 0.0))
        if observed > 0 and se > _FLAT:
            ends = student(value, se, self.df, self.level)
        else:
            ends = by_disagreement(observed, chance, self._effective_n(self.kept.astype(np.float64)), self.level)
        return self._figure("cohen_kappa", value, se, containing(value, ends, lowest=-1.0), n)

    def _se(self, scores: Floats) -> float:
        if self.df < 1:
            return math.nan
        spread = float(self.variance(scores))
        if not (math.isfinite(spread) and spread >= -_FLAT):
            raise ValueError(f"variance returned {spread}; expected a finite number >= 0")
        return math.sqrt(max(spread, 0.0))

    def _effective_n(self, rows: Floats) -> float:
        weight = self.weight * rows
        return float(weight.sum() ** 2 / (weight @ weight))

    def _nobody(self) -> str:
        return f"none of the {len(self.kept)} rows has a label of people and of the judge"

    def _figure(self, name: str, value: float, se: float, ends: tuple[float, float], n: int) -> Agreement:
        low, high = ends
        dropped, shown = int((~self.kept).sum()), None if math.isnan(se) else se
        return Agreement(name=name, value=value, low=low, high=high, se=shown, level=self.level, n=n, n_dropped=dropped)

    def _undefined(self, name: str, reason: str) -> Agreement:
        return Agreement.undefined(name, reason, level=self.level, n=0, n_dropped=int((~self.kept).sum()))


def _binary(name: str, labels: ArrayLike) -> Integers:
    array = np.asarray(labels)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}; expected integers of shape (n,)")
    array = array.astype(np.int64)
    wrong = array[(array < -1) | (array > 1)]
    if len(wrong):
        raise ValueError(f"{name} contains {wrong[0]} ({len(wrong)} such rows); expected 0, 1, or -1 for missing")
    return array


def _simple_random(scores: Floats, weight: Floats, kept: NDArray[np.bool_]) -> float:
    total = (weight * scores)[kept]
    return float(len(total) * np.var(total, ddof=1))
