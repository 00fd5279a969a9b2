"""All the numbers of a report: metrics × slices × methods, as a list of estimates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.correction import FLOOR, corrected, fit, human_only, naive
from metrics.definitions import Metric
from metrics.estimate import About, Estimate, Method, Target
from metrics.patterns import restrict
from metrics.sample import Population, Sample, Second
from metrics.share import Share
from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Slice = Mapping[str, str]
Columns = Mapping[str, Sequence[str]]

Average = Literal["pooled", "runs", "regimes"]

METHODS: tuple[Method, ...] = ("naive", "human-only", "corrected")

PARTS: Mapping[Average, str] = {"runs": "run", "regimes": "regime"}
"""The column whose values are averaged over, each with the same weight."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedRows:
    """The frame under one judge, counted: one entry per group of like rows, shape (k,) each."""

    columns: Columns
    """Slice columns by name."""
    code: Codes
    """The judge's pattern of the group, 0 to 80."""
    count: Codes
    """Rows in the group."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Adjudicated:
    """Adjudicated (else unanimous) labels on a random share of the labelled rows; shape (n,) each, as those."""

    overlap: Flags
    """Rows of the random overlap that are settled; others, adjudicated for a flag or a slip, stay out."""
    C: Floats
    """1, 0 or nan (unusable, or not in the overlap), as are A, G and D."""
    A: Floats
    G: Floats
    D: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledRows:
    """The rows of the draw that people have dealt with, shape (n,) each; rows still waiting are left out."""

    columns: Columns
    """Slice columns by name, as in the frame."""
    code: Codes
    """The judge's pattern."""
    C: Floats
    """Human label of the target: 1, 0 or nan (skipped, cannot judge), as are A, G and D."""
    A: Floats
    G: Floats
    D: Floats
    design_of: Callable[[Flags], Design]
    """The design of the rows where the flag, shape (n,), is true: those usable for a metric."""
    adjudicated: Adjudicated | None = None
    """For target B: the labels above are those of target A, on all rows, and these correct them."""


def slices_by(judged: JudgedRows, columns: Sequence[str]) -> list[dict[str, str]]:
    """One slice per combination of the columns' values that the frame has, sorted; without columns, everything.

    >>> rows = JudgedRows(columns={"model": ["b", "a", "b"]}, code=np.zeros(3), count=np.ones(3))
    >>> slices_by(rows, ["model"]), slices_by(rows, [])
    ([{'model': 'a'}, {'model': 'b'}], [{}])
    """
    seen = {tuple(judged.columns[column][row] for column in columns) for row in np.flatnonzero(judged.count).tolist()}
    return [dict(zip(columns, values, strict=True)) for values in sorted(seen)]


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
    places = list(slices)
    found = []
    for metric in metrics:
        of_metric = _OfMetric(metric, judged, labelled, options)
        for place, method in product(places, options.methods):
            share = of_metric.share(place, method)
            found.append((_named(metric, place, method, options, share), share))
    return found


class _OfMetric:
    """The rows as one metric sees them; its design and its prediction are worked out once for all slices."""

    def __init__(self, metric: Metric, judged: JudgedRows, labelled: LabelledRows, options: Options) -> None:
        self._metric, self._judged, self._labelled, self._options = metric, judged, labelled, options
        num, den = metric.terms(labelled.C, labelled.A, labelled.G, labelled.D)
        self._usable: Flags = ~np.isnan(den)
        usable = self._usable
        self._part = _coded(judged.columns, labelled.columns, PARTS.get(options.average))
        self._task = _coded(judged.columns, labelled.columns, options.task if options.about == "such tasks" else None)
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
        self._prediction = fit(self._sample) if usable.any() else None

    def share(self, place: Slice, method: Method) -> Share:
        here = _inside(self._judged.columns, place, self._judged.code)
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
        inside = _inside(self._labelled.columns, place, self._labelled.code)
        sample = replace(
            self._sample,
            in_slice=inside[self._usable],
            part=None if row_part is None else row_part[self._usable],
        )
        options = self._options
        if method == "human-only":
            share = human_only(
                sample, population, level=options.level, floor=options.floor, about=options.about, seed=options.seed
            )
        else:
            share = corrected(
                sample,
                population,
                level=options.level,
                floor=options.floor,
                prediction=self._prediction,
                about=options.about,
                seed=options.seed,
            )
        return share.dropping(int(np.sum(inside & ~self._usable)))

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


def _coded(frame: Columns, rows: Columns, column: str | None) -> tuple[Codes, Codes] | None:
    """The column of both tables as the same whole numbers."""
    if column is None:
        return None
    values = np.concatenate([np.asarray(side[column], dtype=object) for side in (frame, rows)])
    codes = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes[: len(frame[column])], codes[len(frame[column]) :]


def _second(metric: Metric, adjudicated: Adjudicated | None, usable: Flags) -> Second | None:
    if adjudicated is None:
        return None
    num, den = metric.terms(adjudicated.C, adjudicated.A, adjudicated.G, adjudicated.D)
    chosen = adjudicated.overlap & ~np.isnan(den)
    return Second(chosen=chosen[usable], num=np.where(chosen, num, 0.0)[usable], den=np.where(chosen, den, 0.0)[usable])


def _inside(columns: Columns, place: Slice, like: ArrayLike) -> Flags:
    """Which rows are of the slice."""
    inside = np.ones(np.shape(like), dtype=bool)
    for column, value in place.items():
        inside &= np.asarray(columns[column], dtype=object) == value
    return inside


def _named(metric: Metric, place: Slice, method: Method, options: Options, share: Share) -> Estimate:
    human = method != "naive"
    return Estimate(
        metric=metric.name,
        slice=dict(place),
        method=method,
        target=options.target if human else None,
        population=options.about if human else "these responses",
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
