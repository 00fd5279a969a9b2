"""All the numbers of a report: metrics × slices × methods, as a list of estimates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.borrowing import borrowed
from metrics.correction import FLOOR, corrected, fit, human_only, naive
from metrics.definitions import Metric
from metrics.estimate import About, Estimate, Method, Target
from metrics.patterns import restrict
from metrics.rows import Adjudicated, JudgedRows, LabelledRows, Slice, coded, inside, joined, slices_by
from metrics.sample import Population, Sample, Second
from metrics.share import Share

__all__ = [
    "METHODS",
    "Adjudicated",
    "Average",
    "JudgedRows",
    "LabelledRows",
    "Options",
    "detailed",
    "slices_by",
    "table",
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
    average: Average = "pooled"
    """One ratio of all rows, or the plain mean of the ratios of the runs or regimes (Mean@3 over three runs)."""
    task: str = "task_id"
    borrow: Sequence[str] | None = None
    """Columns, such as the condition, within which a refused slice may borrow the judge's errors from others."""
    seed: int = 0
    """Of the random completions behind some intervals."""


def table(
    judged: JudgedRows,
    labelled: LabelledRows,
    *,
    metrics: Iterable[Metric],
    slices: Iterable[Slice],
    target: Target,
    methods: Iterable[Method] = METHODS,
    level: float = 0.95,
    floor: int = FLOOR,
    about: About = "these responses",
    average: Average = "pooled",
) -> list[Estimate]:
    """One estimate per metric, slice and method, in that order.

    Args:
        judged: The population, with the judge's labels.
        labelled: The sampled rows, with human labels.
        metrics: What to compute.
        slices: Where; `{}` is everything.
        target: As in `Options`, and so are the following.
        methods: How.
        level: Confidence level.
        floor: Labels in the denominator that a slice needs.
        about: For which population.
        average: Over what.

    Returns:
        Estimates; `n_dropped` counts the judged (naive) or labelled rows of the slice without a usable label.

    Raises:
        ValueError: A label or a code is out of range, or a slice has more labelled rows than the frame has rows.
        KeyError: A slice names an unknown column, or the option chosen needs a column that is not there.
    """
    options = Options(target=target, methods=tuple(methods), level=level, floor=floor, about=about, average=average)
    return [estimate for estimate, _ in detailed(judged, labelled, metrics=metrics, slices=slices, options=options)]


def detailed(
    judged: JudgedRows,
    labelled: LabelledRows,
    *,
    metrics: Iterable[Metric],
    slices: Iterable[Slice],
    options: Options,
) -> list[tuple[Estimate, Share]]:
    """As `table`, each estimate with its share: the standard error, the kind of interval and what chose it."""
    # Which rows are of a slice is worked out once, not for every metric.
    places = [
        (place, inside(judged.columns, place, judged.code), inside(labelled.columns, place, labelled.code))
        for place in slices
    ]
    found = []
    for metric in metrics:
        of_metric = _OfMetric(metric, judged, labelled, options)
        for (place, here, own), method in product(places, options.methods):
            share = of_metric.share(place, here, own, method)
            found.append((_named(metric, place, method, options, share), share))
    return found


class _OfMetric:
    """The rows as one metric sees them; its design and its prediction are worked out once for all slices."""

    def __init__(self, metric: Metric, judged: JudgedRows, labelled: LabelledRows, options: Options) -> None:
        self._metric, self._judged, self._labelled, self._options = metric, judged, labelled, options
        num, den = metric.terms(labelled.C, labelled.A, labelled.G, labelled.D)
        self._usable: Flags = ~np.isnan(den)
        usable = self._usable
        self._part = coded(judged.columns, labelled.columns, PARTS.get(options.average))
        self._task = coded(judged.columns, labelled.columns, options.task if options.about == "such tasks" else None)
        self._sample = Sample(
            num=num[usable],
            den=den[usable],
            code=restrict(labelled.code, metric.reads)[usable],
            in_slice=np.ones(int(usable.sum()), dtype=bool),
            design=labelled.design_of(usable),
            task=None if self._task is None else self._task[1][usable],
            patterns=metric.patterns,
            second=_second(metric, labelled.adjudicated, usable),
        )
        self._lost = _lost(metric, labelled.adjudicated, usable)
        self._prediction = fit(self._sample) if usable.any() else None

    def share(self, place: Slice, here: Flags, own: Flags, method: Method) -> Share:
        """The metric where the flags are true: `here` of the population's groups, `own` of the labelled rows."""
        code, count = self._judged.code[here], self._judged.count[here]
        part, row_part = self._parts(here)
        if method == "naive":
            return naive(self._metric, code, count, part)
        population = Population(
            code=restrict(code, self._metric.reads),
            count=count,
            part=part,
            task=None if self._task is None else self._task[0][here],
        )
        sample = replace(
            self._sample,
            in_slice=own[self._usable],
            part=None if row_part is None else row_part[self._usable],
        )
        options = self._options
        share = (
            human_only(
                sample, population, level=options.level, floor=options.floor, about=options.about, seed=options.seed
            )
            if method == "human-only"
            else corrected(
                sample,
                population,
                level=options.level,
                floor=options.floor,
                prediction=self._prediction,
                about=options.about,
                seed=options.seed,
            )
        )
        if share.tier == "refused" and method == "corrected" and options.borrow is not None:
            share = self._borrowed(place, here, sample, population) or share
        return share.dropping(int(np.sum(own & self._lost)))

    def _borrowed(self, place: Slice, here: Flags, sample: Sample, population: Population) -> Share | None:
        """The same slice with the judge's errors of the others; None where that is refused too, or not defined."""
        within = self._options.borrow or ()
        over = [column for column in place if column not in within]
        if not over or sample.second is not None or self._part is not None:
            return None
        condition = joined(self._judged.columns, self._labelled.columns, within)
        group = joined(self._judged.columns, self._labelled.columns, over)
        share = borrowed(
            sample,
            population,
            condition=condition[1][self._usable],
            population_condition=condition[0][here],
            group=group[1][self._usable],
            level=self._options.level,
            floor=self._options.floor,
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


def _second(metric: Metric, adjudicated: Adjudicated | None, usable: Flags) -> Second | None:
    if adjudicated is None:
        return None
    num, den = metric.terms(adjudicated.C, adjudicated.A, adjudicated.G, adjudicated.D)
    chosen = adjudicated.overlap & ~np.isnan(den)
    return Second(chosen=chosen[usable], num=np.where(chosen, num, 0.0)[usable], den=np.where(chosen, den, 0.0)[usable])


def _lost(metric: Metric, adjudicated: Adjudicated | None, usable: Flags) -> Flags:
    """Rows without a usable label, and those of which it is settled that nobody can say."""
    if adjudicated is None:
        return ~usable
    den = metric.terms(adjudicated.C, adjudicated.A, adjudicated.G, adjudicated.D)[1]
    return ~usable | (adjudicated.overlap & np.isnan(den))


def _named(metric: Metric, place: Slice, method: Method, options: Options, share: Share) -> Estimate:
    human = method != "naive"
    return Estimate(
        metric=metric.name,
        slice=dict(place),
        method=method,
        target=options.target if human else None,
        population=options.about if human and share.tier != "borrowed" else "these responses",
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
