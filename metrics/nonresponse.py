"""How far responses without a usable label could move a metric: the two extreme assumptions about them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.definitions import LABELS, Metric
from metrics.rows import Adjudicated, JudgedRows, LabelledRows, Slice
from metrics.table import Options, detailed

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The corrected metric if every unusable label had been as unfavourable, and as favourable, as it can be."""

    metric: str
    slice: Mapping[str, str]
    lowest: float | None
    highest: float | None
    low: float | None
    """Lower end of the interval of the lowest."""
    high: float | None
    """Upper end of the interval of the highest."""
    n_unusable: int
    """Labelled rows of the slice to which this was done."""
    why_undefined: str | None


def extreme_labels(metric: Metric, C: ArrayLike, A: ArrayLike, G: ArrayLike, D: ArrayLike) -> tuple[Floats, Floats]:
    """The labels with each missing one filled in so as to make the metric lowest, and highest; shape (4, n) each.

    A usable label is kept, so a row with C = 0 cannot be made to count as correct. For the lowest, a row is best in
    the denominator only, then nowhere, then in both; for the highest the other way round. This is right whatever the
    share is. Args as for `Metric.terms`.

    Source: Manski (1990), American Economic Review 80(2), 319-323 (worst-case bounds).

    >>> from metrics.definitions import METRICS
    >>> low, high = extreme_labels(METRICS["ESD"], [1.0], [1.0], [np.nan], [np.nan])
    >>> low[:, 0].tolist(), high[:, 0].tolist()
    ([1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0])
    """
    labels = np.array([C, A, G, D], dtype=np.float64)
    found = []
    for order in ({(0, 1): 0, (0, 0): 1, (1, 1): 2}, {(1, 1): 0, (0, 0): 1, (0, 1): 2}):
        best, best_rank = labels.copy(), np.full(labels.shape[1], np.inf)
        for filling in product((0.0, 1.0), repeat=len(LABELS)):
            filled = np.where(np.isnan(labels), np.array(filling)[:, None], labels)
            num, den = metric.terms(*filled)
            rank = np.array([order[int(a), int(b)] for a, b in zip(num, den, strict=True)], dtype=np.float64)
            better = rank < best_rank
            best, best_rank = np.where(better, filled, best), np.minimum(rank, best_rank)
        found.append(best)
    return found[0], found[1]


def bounds(
    judged: JudgedRows,
    labelled: LabelledRows,
    *,
    metrics: Iterable[Metric],
    slices: Iterable[Slice],
    options: Options,
) -> list[Bounds]:
    """The two extremes of each metric on each slice, by the corrected method.

    Rows that people dealt with but left without a usable label (skipped, cannot judge, an unresolved tie) are kept in
    the sample at their own weight. Metrics that need no label have nothing to bound.

    Args and errors as for `table.detailed`.
    """
    places, only = list(slices), replace(options, methods=("corrected",))
    found = []
    for metric in metrics:
        if not metric.needs:
            continue
        usual = detailed(judged, labelled, metrics=[metric], slices=places, options=only)
        sides = [
            detailed(judged, rows, metrics=[metric], slices=places, options=only) for rows in _filled(metric, labelled)
        ]
        for (estimate, _), (lowest, _), (highest, _) in zip(usual, *sides, strict=True):
            found.append(
                Bounds(
                    metric=metric.name,
                    slice=estimate.slice,
                    lowest=lowest.value,
                    highest=highest.value,
                    low=lowest.low,
                    high=highest.high,
                    n_unusable=estimate.n_dropped,
                    why_undefined=lowest.why_undefined or highest.why_undefined,
                )
            )
    return found


def _filled(metric: Metric, labelled: LabelledRows) -> list[LabelledRows]:
    first = extreme_labels(metric, labelled.C, labelled.A, labelled.G, labelled.D)
    rows = [replace(labelled, C=C, A=A, G=G, D=D) for C, A, G, D in first]
    settled = labelled.adjudicated
    if settled is None:
        return rows
    second = extreme_labels(metric, settled.C, settled.A, settled.G, settled.D)
    return [
        replace(row, adjudicated=Adjudicated(overlap=settled.overlap, C=C, A=A, G=G, D=D))
        for row, (C, A, G, D) in zip(rows, second, strict=True)
    ]
