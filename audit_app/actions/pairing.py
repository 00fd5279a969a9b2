"""Responses that differ in one column only, or verdicts of two judges on one response, as pairs for the arithmetic."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data import frame as frames
from metrics.definitions import LABELS, Metric
from metrics.mcnemar import Discordant
from metrics.paired import Pairs

Floats = NDArray[np.float64]
Pair = tuple[str, str]
Terms = tuple[Floats, Floats]
"""Numerator and denominator."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counted:
    """The pairs of two values, counted by task, model and labels; shape (k,) each."""

    n: Floats
    task: NDArray[Any]
    model: NDArray[Any]
    labels: tuple[tuple[Floats, ...], tuple[Floats, ...]]
    """C, A, G, D of the first and of the second, nan where missing."""

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Self:
        """From rows of `frames.matched_counts`."""
        first, second = (
            tuple(rows[f"{name}{end}"].to_numpy(np.float64, na_value=np.nan) for name in LABELS)
            for end in ("", "_second")
        )
        return cls(
            n=rows["n"].to_numpy(np.float64),
            task=rows["task_id"].to_numpy(),
            model=rows["model"].to_numpy(),
            labels=(first, second),
        )

    def terms(self, metric: Metric) -> tuple[Terms, Terms]:
        """The metric's terms of the first and of the second."""
        first, second = self.labels
        return metric.terms(*first), metric.terms(*second)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matched:
    """Everything that can be paired."""

    sizes: Mapping[str, int]
    """Responses of each value of the column, or verdicts of each judge; by name."""
    counted: Mapping[Pair, Counted]
    """By the two values, in either order; not there where no pair is."""

    @classmethod
    def of(cls, frame: frames.Frame, by: str, judge: str | None, within: Mapping[str, str]) -> Self:
        """The pairs of a frame, see `frames.matched_counts`."""
        pairs, sizes = frames.matched_counts(frame, by, judge=judge, within=within)
        # Numbers are compared faster than names; the order of tasks does not matter.
        pairs["task_id"] = pd.factorize(pairs["task_id"])[0]
        counted: dict[Pair, Counted] = {}
        for (first, second), rows in pairs.groupby(["first", "second"]):
            there = counted[str(first), str(second)] = Counted.of(rows)
            counted[str(second), str(first)] = Counted(
                n=there.n, task=there.task, model=there.model, labels=(there.labels[1], there.labels[0])
            )
        return cls(sizes=dict(sorted(zip(sizes["value"], sizes["n"].tolist(), strict=True))), counted=counted)

    def size(self, pair: Pair) -> int:
        """Pairs of the two values."""
        return int(self.counted[pair].n.sum()) if pair in self.counted else 0

    def unmatched(self, pair: Pair) -> int:
        """Responses of the two values without a partner."""
        return self.sizes[pair[0]] + self.sizes[pair[1]] - 2 * self.size(pair)

    def pairs(self, metric: Metric, pair: Pair) -> Pairs:
        """Totals of the metric per task, of the pairs in which both have every label that it needs."""
        if pair not in self.counted:
            nothing = (np.zeros(0), np.zeros(0))
            return Pairs.of_terms(nothing, nothing, np.zeros(0))
        found = self.counted[pair]
        return Pairs.of_terms(*found.terms(metric), found.task, count=found.n)

    def discordant(self, metric: Metric, pair: Pair) -> Discordant | None:
        """How the pairs fall out; None for a ratio, in which a response need not count."""
        if pair not in self.counted or any(den == 0 for _, den in metric.patterns):
            return None
        found = self.counted[pair]
        first, second = found.terms(metric)
        return Discordant.of_answers(first[0], second[0], found.n)

    def by_model(self, metric: Metric, pair: Pair) -> tuple[Terms, Terms, list[str]]:
        """Totals by either of two judges, shape (tasks, models), and the models."""
        if pair not in self.counted:
            nothing = (np.zeros((0, 0)), np.zeros((0, 0)))
            return nothing, nothing, []
        found = self.counted[pair]
        terms = np.array(found.terms(metric))
        usable = ~np.isnan(terms).any(axis=(0, 1))
        tasks, task = np.unique(found.task[usable], return_inverse=True)
        models, model = np.unique(found.model[usable], return_inverse=True)
        at, shape = task * len(models) + model, (len(tasks), len(models))

        def totals(values: Floats) -> Floats:
            return np.bincount(at, values[usable], shape[0] * shape[1]).astype(np.float64).reshape(shape)

        (num, den), (other_num, other_den) = terms * found.n
        return (totals(num), totals(den)), (totals(other_num), totals(other_den)), [str(name) for name in models]
