"""All the numbers of a report: metrics × slices × methods, as a list of estimates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.arguments import check
from metrics.borrowing import borrowed
from metrics.correction import FLOOR, corrected, fit, human_only, naive
from metrics.definitions import LABELS, Metric
from metrics.domain import Where, audited, where
from metrics.estimate import About, Annotators, Contexts, Estimate, Method, Target
from metrics.patterns import restrict
from metrics.prediction import Prediction
from metrics.rows import Adjudicated, JudgedRows, LabelledRows, SecondLabels, Slice, coded, joined, slices_by
from metrics.sample import Population, Sample, Second
from metrics.share import Share
from metrics.weighting_class import class_weighted

__all__ = [
    "METHODS",
    "Adjudicated",
    "Average",
    "JudgedRows",
    "LabelledRows",
    "Options",
    "SecondLabels",
    "detailed",
    "slices_by",
]

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

Average = Literal["pooled", "runs", "regimes"]

METHODS: tuple[Method, ...] = ("naive", "human-only", "corrected")

PARTS: Mapping[Average, str] = {"runs": "run", "regimes": "regime"}
"""The column whose values are averaged over, each with the same weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the numbers of a table are made."""

    target: Target
    """Which human the labels are: A one trained annotator, B adjudicated."""
    methods: Sequence[Method] = METHODS
    level: float = 0.95
    """Confidence level in (0, 1)."""
    floor: int = FLOOR
    """Labels in the denominator below which a slice is refused."""
    about: About = "these responses"
    """For which population the intervals hold; "such tasks" needs the column `task`."""
    annotators: Annotators = "these annotators"
    """For whom the intervals hold; "annotators like these" needs the annotator of every row."""
    average: Average = "pooled"
    """One ratio of all rows, or the plain mean of the ratios of the runs or regimes (Mean@3 over three runs)."""
    task: str = "task_id"
    borrow: Sequence[str] | None = None
    """Columns, such as the condition, within which a refused slice may borrow the judge's errors from others."""
    contexts: Contexts = "all"
    """Which contexts count, by their audit; all but "all" need `LabelledRows.valid`. The naive number is of all."""
    condition: str = "condition"
    """Column of the condition that the study states, for re-classified contexts."""
    seed: int = 0
    """Of the random completions behind some intervals."""


def detailed(
    judged: JudgedRows,
    labelled: LabelledRows,
    *,
    metrics: Iterable[Metric],
    slices: Iterable[Slice],
    options: Options,
) -> list[tuple[Estimate, Share]]:
    """One estimate per metric, slice and method, in that order, each with its share.

    Args:
        judged: The population, with the judge's labels.
        labelled: The sampled rows, with human labels.
        metrics: What to compute.
        slices: Where; `{}` is everything.
        options: How.

    Returns:
        Estimates, whose `n_dropped` counts the judged (naive) or labelled rows of the slice without a usable label; a
        share has the standard error, the kind of interval and what chose it.

    Raises:
        ValueError: A label or a code is out of range, a slice has more labelled rows than the frame has rows, or
            the numbers are to be for annotators like these and who labelled the rows is not given.
        KeyError: A slice names an unknown column, or the option chosen needs a column that is not there.
    """
    asked = list(slices)
    check(judged, labelled, asked, needed=columns_of(options), contexts=options.contexts)
    # Which rows are of a slice is worked out once, not for every metric.
    places = [(place, where(judged, labelled, place, options.contexts, options.condition)) for place in asked]
    found = []
    for metric in metrics:
        of_metric = OfMetric(metric, judged, labelled, options)
        for (place, at), method in product(places, options.methods):
            share = of_metric.share(place, at, method)
            found.append((_named(metric, place, method, options, share), share))
    return found


def columns_of(options: Options) -> list[str]:
    """What the options need beside the slices' columns."""
    found = [PARTS[options.average]] if options.average != "pooled" else []
    found += [options.task] if options.about == "such tasks" else []
    found += [options.condition] if options.contexts == "reclassified" else []
    return [*found, *(options.borrow or ())]


class OfMetric:
    """The rows as one metric sees them under one judge; design and prediction are worked out once for all slices."""

    def __init__(self, metric: Metric, judged: JudgedRows, labelled: LabelledRows, options: Options) -> None:
        self._metric, self._judged, self._labelled, self._options = metric, judged, labelled, options
        labels = np.array([getattr(labelled, name) for name in LABELS], dtype=np.float64)
        read = np.array([name in metric.reads for name in LABELS])
        num, den = metric.terms(*labels)
        counted = audited(labelled, options.contexts)
        usable: Flags = ~np.isnan(den) & counted
        self.usable = usable
        self._part = coded(judged.columns, labelled.columns, PARTS.get(options.average))
        self._task = coded(judged.columns, labelled.columns, options.task if options.about == "such tasks" else None)
        self._sample = Sample(
            num=num[usable],
            den=den[usable],
            code=restrict(labelled.code, metric.reads)[usable],
            in_slice=np.ones(int(usable.sum()), dtype=bool),
            design=class_weighted(labels[read], usable, counted, labelled.design_of),
            task=None if self._task is None else self._task[1][usable],
            annotator=_annotators(labelled, options, usable),
            patterns=metric.patterns,
            second=_second(metric, labelled.adjudicated, usable),
            another=_another(metric, labelled.another, usable),
        )
        self._lost = ~usable
        if (settled := labelled.adjudicated) is not None:  # of some of which it is settled that nobody can say
            self._lost |= settled.overlap & np.isnan(metric.terms(settled.C, settled.A, settled.G, settled.D)[1])
        self._code = restrict(judged.code, metric.reads)
        self._predictions: dict[str | None, Prediction] = {}

    def where(self, place: Slice) -> Where:
        """The slice, by the contexts that count."""
        return where(self._judged, self._labelled, place, self._options.contexts, self._options.condition)

    def at(self, place: Slice) -> tuple[Sample, Population]:
        """The slice on the labelled rows and on the frame."""
        return self.case(self.where(place))

    def case(self, at: Where) -> tuple[Sample, Population]:
        """The same of a slice that was looked up before."""
        here = at.here
        part, row_part = self._parts(here)
        sample = at.marked(self._sample, self.usable)
        return replace(sample, part=None if row_part is None else row_part[self.usable]), Population(
            code=at.codes(self._code),
            count=self._judged.count[here],
            part=part,
            task=None if self._task is None else self._task[0][here],
            cells=at.n_cells,
        )

    @property
    def prediction(self) -> Prediction | None:
        """For slices of all contexts; None while nothing is labelled."""
        return self.prediction_at(self.where({}))

    def prediction_at(self, at: Where) -> Prediction | None:
        """Fitted once for all slices that share it."""
        if at.key not in self._predictions and self.usable.any():
            self._predictions[at.key] = fit(at.marked(self._sample, self.usable))
        return self._predictions.get(at.key)

    def share(self, place: Slice, at: Where, method: Method) -> Share:
        """The metric of a slice by one method."""
        if method == "naive":
            here = at.stated
            return naive(self._metric, self._judged.code[here], self._judged.count[here], self._parts(here)[0])
        sample, population = self.case(at)
        options = self._options
        way = human_only if method == "human-only" else partial(corrected, prediction=self.prediction_at(at))
        share = way(
            sample,
            population,
            level=options.level,
            floor=options.floor,
            about=options.about,
            annotators=options.annotators,
            seed=options.seed,
        )
        if share.tier == "refused" and method == "corrected" and options.borrow is not None:
            share = self._borrowed(place, at, sample, population) or share
        return at.counting(share, self.usable).dropping(int(np.sum(at.own & self._lost)))

    def _borrowed(self, place: Slice, at: Where, sample: Sample, population: Population) -> Share | None:
        """The same slice with the judge's errors of the others; None where that is refused too, or not defined."""
        within = self._options.borrow or ()
        over = [column for column in place if column not in within]
        if not over or sample.second is not None or self._part is not None or at.cells is not None:
            return None
        condition = joined(self._judged.columns, self._labelled.columns, within)
        group = joined(self._judged.columns, self._labelled.columns, over)
        share = borrowed(
            sample,
            population,
            condition=condition[1][self.usable],
            population_condition=condition[0][at.here],
            group=group[1][self.usable],
            level=self._options.level,
            floor=self._options.floor,
            annotators=self._options.annotators,
        )
        return None if share.tier == "refused" else share

    def _parts(self, here: Flags) -> tuple[Codes | None, Codes | None]:
        """Parts of the population's groups and of the labelled rows, numbered without gaps in this slice."""
        if self._part is None:
            return None, None
        frame, rows = self._part
        present = np.unique(frame[here & (self._judged.count > 0)])
        found = np.searchsorted(present, frame[here])
        return np.minimum(found, max(0, len(present) - 1)), np.minimum(
            np.searchsorted(present, rows), max(0, len(present) - 1)
        )


def _annotators(labelled: LabelledRows, options: Options, usable: Flags) -> Codes | None:
    """Who gave the label of each usable row, as a whole number; None where it makes no difference."""
    # What is adjudicated stays as it is, whoever came first.
    if labelled.annotator is None or (options.annotators == "these annotators" and options.target == "B"):
        return None
    names = np.asarray(labelled.annotator, dtype=object)[usable]
    return np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _second(metric: Metric, adjudicated: Adjudicated | None, usable: Flags) -> Second | None:
    if adjudicated is None:
        return None
    return _values(metric, adjudicated, adjudicated.overlap, usable)


def _another(metric: Metric, another: SecondLabels | None, usable: Flags) -> Second | None:
    return None if another is None else _values(metric, another, np.ones(len(usable), dtype=bool), usable)


def _values(metric: Metric, said: Adjudicated | SecondLabels, overlap: Flags, usable: Flags) -> Second:
    num, den = metric.terms(said.C, said.A, said.G, said.D)
    chosen = overlap & ~np.isnan(den)
    return Second(chosen=chosen[usable], num=np.where(chosen, num, 0.0)[usable], den=np.where(chosen, den, 0.0)[usable])


def _named(metric: Metric, place: Slice, method: Method, options: Options, share: Share) -> Estimate:
    human = method != "naive"
    return Estimate(
        metric=metric.name,
        slice=dict(place),
        method=method,
        target=options.target if human else None,
        population=options.about if human and share.tier != "borrowed" else "these responses",
        annotators=options.annotators if human else "these annotators",
        contexts=options.contexts if human else "all",
        value=share.value,
        low=share.low,
        high=share.high,
        level=options.level if human else None,
        n=share.n,
        n_effective=share.n_effective,
        n_dropped=share.n_dropped,
        tier=share.tier,
        why_undefined=share.why_undefined,
    )
