"""All the numbers of a report: metrics × slices × methods, as a list of estimates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.correction import FLOOR, Population, Sample, Share, corrected, human_only, naive
from metrics.definitions import Metric
from metrics.estimate import Estimate, Method, Target
from metrics.patterns import restrict
from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Slice = Mapping[str, str]
Columns = Mapping[str, Sequence[str]]

METHODS: tuple[Method, ...] = ("naive", "human-only", "corrected")


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


def slices_by(judged: JudgedRows, columns: Sequence[str]) -> list[dict[str, str]]:
    """One slice per combination of the columns' values that the frame has, sorted; without columns, everything.

    >>> rows = JudgedRows(columns={"model": ["b", "a", "b"]}, code=np.zeros(3), count=np.ones(3))
    >>> slices_by(rows, ["model"]), slices_by(rows, [])
    ([{'model': 'a'}, {'model': 'b'}], [{}])
    """
    seen = {tuple(judged.columns[column][row] for column in columns) for row in np.flatnonzero(judged.count).tolist()}
    return [dict(zip(columns, values, strict=True)) for values in sorted(seen)]


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
) -> list[Estimate]:
    """One estimate per metric, slice and method, in that order.

    Args:
        judged: The population, with the judge's labels.
        labelled: The sampled rows, with human labels.
        metrics: What to compute.
        slices: Where; `{}` is everything.
        target: Which human the labels are: A one trained annotator, B adjudicated.
        methods: How.
        level: Confidence level in (0, 1).
        floor: Labels in the denominator below which a slice is refused.

    Returns:
        Estimates; `n_dropped` counts the judged (naive) or labelled rows of the slice without a usable label.

    Raises:
        ValueError: A label or a code is out of range, or a slice has more labelled rows than the frame has rows.
        KeyError: A slice names an unknown column.
    """
    places, ways = list(slices), list(methods)
    found = []
    for metric in metrics:
        of_metric = _OfMetric(metric, judged, labelled, level, floor)
        for place, method in product(places, ways):
            found.append(_named(metric, place, method, target, level, of_metric.share(place, method)))
    return found


class _OfMetric:
    """The rows as one metric sees them; its design is worked out once for all slices."""

    def __init__(self, metric: Metric, judged: JudgedRows, labelled: LabelledRows, level: float, floor: int) -> None:
        self._metric, self._judged, self._labelled = metric, judged, labelled
        self._level, self._floor = level, floor
        num, den = metric.terms(labelled.C, labelled.A, labelled.G, labelled.D)
        self._usable: Flags = ~np.isnan(den)
        self._num, self._den = num[self._usable], den[self._usable]
        self._code = restrict(labelled.code, metric.reads)[self._usable]
        self._design = labelled.design_of(self._usable)

    def share(self, place: Slice, method: Method) -> Share:
        here = _inside(self._judged.columns, place, self._judged.code)
        code, count = self._judged.code[here], self._judged.count[here]
        if method == "naive":
            return naive(self._metric, code, count)
        population = Population(code=restrict(code, self._metric.reads), count=count)
        inside = _inside(self._labelled.columns, place, self._labelled.code)
        sample = Sample(
            num=self._num, den=self._den, code=self._code, in_slice=inside[self._usable], design=self._design
        )
        way = human_only if method == "human-only" else corrected
        share = way(sample, population, level=self._level, floor=self._floor)
        return share.dropping(int(np.sum(inside & ~self._usable)))


def _inside(columns: Columns, place: Slice, like: ArrayLike) -> Flags:
    """Which rows are of the slice."""
    inside = np.ones(np.shape(like), dtype=bool)
    for column, value in place.items():
        inside &= np.asarray(columns[column], dtype=object) == value
    return inside


def _named(metric: Metric, place: Slice, method: Method, target: Target, level: float, share: Share) -> Estimate:
    human = method != "naive"
    return Estimate(
        metric=metric.name,
        slice=dict(place),
        method=method,
        target=target if human else None,
        value=share.value,
        low=share.low,
        high=share.high,
        level=level if human else None,
        n=share.n,
        n_effective=share.n_effective,
        n_dropped=share.n_dropped,
        tier=share.tier,
        why_undefined=share.why_undefined,
    )
