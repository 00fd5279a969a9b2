"""Rows with people's and a judge's yes or no, and the figures of their two-by-two table with design-based errors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from agreement.disagreement import Disagreement, cohen
from agreement.interval import FLAT, bounded_student, containing
from agreement.refusal import no_labels, refuse
from agreement.result import Agreement
from agreement.sampled_rows import SampledRows, SampleOptions, no_options
from agreement.spread import cohen_scores
from agreement.tally import Floats, Integers

Table = tuple[tuple[float, float], tuple[float, float]]
"""Row = people's label (0, 1), column = the judge's."""

_APART = 1 - np.eye(2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedRows:
    """Checked rows; a missing pair keeps its place with labels 0, so that it scores 0."""

    human: Integers
    """People's label, 0 or 1, shape (n,)."""
    judge: Integers
    """The judge's label, 0 or 1, shape (n,)."""
    rows: SampledRows
    names: tuple[str, str]
    """What 0 and 1 are called."""

    @classmethod
    def of(cls, human: ArrayLike, judge: ArrayLike, names: Sequence[str], **sample: Unpack[SampleOptions]) -> Self:
        """Check what `confusion.confusion` was given."""
        n, machines = (np.asarray(labels).size for labels in (human, judge))
        refuse(
            no_labels("human", human, 2),
            no_labels("judge", judge, 2),
            None if n == machines else f"{n} human labels, {machines} of the judge; expected one of each a row",
            None if len(names) == 2 else f"{len(names)} category_names; expected 2, for 0 and 1",
            *no_options(n, **sample),
        )
        people, machine = (np.asarray(labels).astype(np.int64) for labels in (human, judge))
        rows = SampledRows.of((people >= 0) & (machine >= 0), **sample)
        return cls(
            human=np.where(rows.kept, people, 0),
            judge=np.where(rows.kept, machine, 0),
            rows=rows,
            names=(names[0], names[1]),
        )

    @property
    def cell(self) -> Integers:
        """Cell of the table that each row is in: 2 * people's label + the judge's."""
        return 2 * self.human + self.judge

    def counts(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Rows of each cell."""
        n = np.bincount(self.cell[self.rows.kept], minlength=4)
        return (int(n[0]), int(n[1])), (int(n[2]), int(n[3]))

    def table(self) -> Table:
        """Weighted rows of each cell."""
        total = np.bincount(self.cell, self.rows.weight, 4)
        return (float(total[0]), float(total[1])), (float(total[2]), float(total[3]))

    def share(self, name: str, num: Floats, den: Floats, of_what: str = "") -> Agreement:
        """Weighted share of the rows in `den` that are in `num`."""
        return self.rows.share(
            name, num, den, f"none of the {self.rows.n} of {of_what}" if self.rows.n else self._nobody()
        )

    def f1(self) -> Agreement:
        """2 J / (1 + J), J the share of both-say-yes among the rows where either does; its interval likewise."""
        either, both = np.maximum(self.human, self.judge), np.minimum(self.human, self.judge)
        nobody = f"neither people nor the judge said {self.names[1]} on any of {self.rows.n} rows"
        jaccard = self.rows.share(
            "f1", both.astype(np.float64), either.astype(np.float64), nobody if self.rows.n else self._nobody()
        )
        if jaccard.value is None or jaccard.low is None or jaccard.high is None:
            return jaccard
        value, low, high = (2 * j / (1 + j) for j in (jaccard.value, jaccard.low, jaccard.high))
        se = math.nan if jaccard.se is None else 2 * jaccard.se / (1 + jaccard.value) ** 2
        return self.rows.figure("f1", value, se, (low, high), jaccard.n)

    def kappa(self) -> Agreement:
        """Cohen's kappa of the weighted cells, by the delta method."""
        reason = self._one_sided()
        if reason:
            return self.rows.undefined("cohen_kappa", reason)
        totals, parts = np.asarray(self.table()).reshape(-1), self._disagreement()
        return self._coefficient("cohen_kappa", float(parts.coefficient), cohen_scores(totals, _APART)[self.cell])

    def mcc(self) -> Agreement:
        """Correlation of the two labels over the weighted rows, by the delta method."""
        reason = self._one_sided()
        if reason:
            return self.rows.undefined("mcc", reason)
        human, judge = (self._standardised(labels) for labels in (self.human, self.judge))
        value = min(max(float(self.rows.weight @ (human * judge)) / self.rows.total, -1.0), 1.0)
        scores = (human * judge - value * (human**2 + judge**2) / 2) / self.rows.total
        return self._coefficient("mcc", value, scores)

    def _coefficient(self, name: str, value: float, scores: Floats) -> Agreement:
        """Kappa, or MCC: kappa lies between 0 and MCC, so what bounds the one where nothing varied bounds the other."""
        se, parts = self.rows.se(scores), self._disagreement()
        if parts.observed > 0 and abs(value) < 1 - FLAT and se > FLAT:
            ends = bounded_student(value, se, self.rows.df, self.rows.level, lowest=-1.0)
        else:
            ends = self.rows.unseen(float(parts.observed), float(parts.chance))
        return self.rows.figure(name, value, se, containing(value, ends, lowest=-1.0))

    def _standardised(self, labels: Integers) -> Floats:
        mean = float(self.rows.weight @ labels) / self.rows.total
        return (labels.astype(np.float64) - mean) / np.float64(math.sqrt(mean * (1 - mean)))

    def _disagreement(self) -> Disagreement:
        return cohen(np.asarray(self.table()).reshape(-1), _APART)

    def _one_sided(self) -> str | None:
        """Why the two labels cannot be set against each other, or None."""
        n = self.rows.n
        if not n:
            return self._nobody()
        for who, used in (
            ("people", np.array(self.counts()).sum(axis=1)),
            ("the judge", np.sum(self.counts(), axis=0)),
        ):
            if used.min() == 0:
                return f"{who} said {self.names[int(used.argmax())]} on all {n} rows"
        return None

    def _nobody(self) -> str:
        n = self.rows.n_dropped
        return f"none of the {n} rows has a label of people and of the judge" if n else "there are no rows"
