"""Rows with people's and a judge's yes or no, and the figures of their two-by-two table with design-based errors."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.disagreement import Disagreement, cohen
from agreement.interval import Ends, by_disagreement, check_level, clopper_pearson, containing, logit_student, student
from agreement.result import Agreement
from agreement.tally import Floats, Integers

Variance = Callable[[NDArray[np.float64]], float]
Table = tuple[tuple[float, float], tuple[float, float]]
"""Row = people's label (0, 1), column = the judge's."""

_FLAT = 1e-7
"""A standard error below this is rounding, not information."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedRows:
    """Checked rows; a missing pair keeps its place with weight and labels 0, so that it scores 0."""

    human: Integers
    """People's label, 0 or 1, shape (n,)."""
    judge: Integers
    """The judge's label, 0 or 1, shape (n,)."""
    weight: Floats
    """Rows of the population that each row stands for; 0 if a label is missing; shape (n,)."""
    kept: NDArray[np.bool_]
    """Rows with both labels, shape (n,)."""
    variance: Variance
    df: float
    """Degrees of freedom of the variance."""
    level: float
    names: tuple[str, str]
    """What 0 and 1 are called."""

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
        """Check what `confusion.confusion` was given."""
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
        """Rows of each cell."""
        n = np.bincount((2 * self.human + self.judge)[self.kept], minlength=4)
        return (int(n[0]), int(n[1])), (int(n[2]), int(n[3]))

    def table(self) -> Table:
        """Weighted rows of each cell."""
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

    def f1(self) -> Agreement:
        """2 J / (1 + J), J the share of both-say-yes among the rows where either does; its interval likewise."""
        either, both = np.maximum(self.human, self.judge), np.minimum(self.human, self.judge)
        jaccard = self.share("f1", both.astype(np.float64), either.astype(np.float64))
        if jaccard.value is None or jaccard.low is None or jaccard.high is None:
            reason = f"neither people nor the judge said {self.names[1]} on any of {self.kept.sum()} rows"
            return self._undefined("f1", reason if self.kept.any() else self._nobody())
        value, low, high = (2 * j / (1 + j) for j in (jaccard.value, jaccard.low, jaccard.high))
        se = math.nan if jaccard.se is None else 2 * jaccard.se / (1 + jaccard.value) ** 2
        return self._figure("f1", value, se, (low, high), jaccard.n)

    def kappa(self) -> Agreement:
        """Cohen's kappa of the weighted cells, by the delta method."""
        reason = self._one_sided()
        if reason:
            return self._undefined("cohen_kappa", reason)
        cells, parts = np.asarray(self.table()), self._disagreement()
        value, observed, chance = float(parts.coefficient), float(parts.observed), float(parts.chance)
        share = cells / cells.sum()
        margins = share.sum(axis=0)[self.human] + share.sum(axis=1)[self.judge]
        apart = (self.human != self.judge) - observed
        scores = -(apart + (1 - value) * (margins - 2 * (1 - chance))) / chance / cells.sum()
        se = self._se(np.where(self.kept, scores, 0.0))
        ends = student(value, se, self.df, self.level) if observed > 0 and se > _FLAT else self._unseen(parts)
        return self._figure("cohen_kappa", value, se, containing(value, ends, lowest=-1.0), int(self.kept.sum()))

    def mcc(self) -> Agreement:
        """Correlation of the two labels over the weighted rows, by the delta method on Fisher's z scale."""
        reason = self._one_sided()
        if reason:
            return self._undefined("mcc", reason)
        total = float(self.weight.sum())
        human, judge = (self._standardised(labels) for labels in (self.human, self.judge))
        value = min(max(float(self.weight @ (human * judge)) / total, -1.0), 1.0)
        scores = (human * judge - value * (human**2 + judge**2) / 2) / total
        se = self._se(np.where(self.kept, scores, 0.0))
        if abs(value) < 1 - _FLAT and se > _FLAT:
            low, high = student(math.atanh(value), se / (1 - value**2), self.df, self.level)
            ends = math.tanh(low), math.tanh(high)
        else:
            # Kappa lies between 0 and MCC, so what bounds the one bounds the other.
            ends = self._unseen(self._disagreement())
        return self._figure("mcc", value, se, containing(value, ends, lowest=-1.0), int(self.kept.sum()))

    def _standardised(self, labels: Integers) -> Floats:
        mean = float(self.weight @ labels) / float(self.weight.sum())
        return (labels.astype(np.float64) - mean) / np.float64(math.sqrt(mean * (1 - mean)))

    def _disagreement(self) -> Disagreement:
        return cohen(np.asarray(self.table()).reshape(-1), 1 - np.eye(2))

    def _unseen(self, parts: Disagreement) -> Ends:
        """Ends where the rows show no variation to take a variance from."""
        n = self._effective_n(self.kept.astype(np.float64))
        return by_disagreement(float(parts.observed), float(parts.chance), n, self.level)

    def _one_sided(self) -> str | None:
        """Why the two labels cannot be set against each other, or None."""
        n = int(self.kept.sum())
        if not n:
            return self._nobody()
        for who, used in (
            ("people", np.array(self.counts()).sum(axis=1)),
            ("the judge", np.sum(self.counts(), axis=0)),
        ):
            if used.min() == 0:
                return f"{who} said {self.names[int(used.argmax())]} on all {n} rows"
        return None

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
