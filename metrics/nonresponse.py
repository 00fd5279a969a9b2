"""How far responses without a usable label could move a metric: the two extreme assumptions about them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from metrics.definitions import LABELS, Metric
from metrics.domain import sources
from metrics.rows import Adjudicated, Flags, Floats, JudgedRows, LabelledRows, Slice, inside
from metrics.share import outer
from metrics.table import Options, detailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The corrected metric if every unusable label had been as unfavourable, and as favourable, as it can be."""

    metric: str
    slice: Mapping[str, str]
    lowest: float | None
    """Never above the number itself, which takes them to be like others and need not lie between two ratios."""
    highest: float | None
    """Never below it."""
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

    So are rows whose context has no verdict, where contexts matter: they count where that is most unfavourable, or
    favourable. With re-classified contexts a row whose context is broken, and no other condition either, stays where
    it was stated to be, with the most unfavourable and favourable labels: nobody knows what would have been answered.
    A context without a verdict is taken to be what it states, or whatever some audited context of that statement is.

    Args and errors as for `table.detailed`.
    """
    places, only = list(slices), replace(options, methods=("corrected",))
    groups: dict[str | None, list[int]] = {}
    for k, place in enumerate(places):
        wanted = place.get(options.condition) if options.contexts == "reclassified" else None
        groups.setdefault(wanted, []).append(k)
    found: dict[tuple[str, int], Bounds] = {}
    for metric, (wanted, group) in product([metric for metric in metrics if metric.needs], groups.items()):
        here = [places[k] for k in group]
        sides = [labelled, *_filled(metric, labelled, wanted, options)]
        numbers = [detailed(judged, rows, metrics=[metric], slices=here, options=only) for rows in sides]
        for k, (usual, _), (lowest, _), (highest, _) in zip(group, *numbers, strict=True):
            found[metric.name, k] = Bounds(
                metric=metric.name,
                slice=usual.slice,
                lowest=outer(min, lowest.value, usual.value),
                highest=outer(max, highest.value, usual.value),
                low=outer(min, lowest.low, usual.low),
                high=outer(max, highest.high, usual.high),
                n_unusable=usual.n_dropped + _n_excluded(metric, labelled, places[k], options),
                why_undefined=lowest.why_undefined or highest.why_undefined,
            )
    return [found[name, k] for name in dict.fromkeys(name for name, _ in found) for k in range(len(places))]


def _excluded(labelled: LabelledRows, options: Options) -> Flags:
    """Rows whose context is broken and no other condition either."""
    if options.contexts != "reclassified" or labelled.valid is None:
        return np.zeros(len(labelled.code), dtype=bool)
    other = labelled.recondition or [None] * len(labelled.code)
    return np.array(
        [valid == 0 and name is None for valid, name in zip(labelled.valid, other, strict=True)], dtype=bool
    )


def _n_excluded(metric: Metric, labelled: LabelledRows, place: Slice, options: Options) -> int:
    usable = ~np.isnan(metric.terms(labelled.C, labelled.A, labelled.G, labelled.D)[1])
    return int(np.sum(_excluded(labelled, options) & usable & inside(labelled.columns, place, labelled.code)))


def _filled(metric: Metric, labelled: LabelledRows, wanted: str | None, options: Options) -> list[LabelledRows]:
    """The rows as unfavourable, and as favourable, as they can be for the slices of the wanted condition."""
    unknown = _excluded(labelled, options)

    def extremes(rows: LabelledRows | Adjudicated) -> tuple[Floats, Floats]:
        return extreme_labels(
            metric, *(np.where(unknown, np.nan, values) for values in (rows.C, rows.A, rows.G, rows.D))
        )

    first, settled = extremes(labelled), labelled.adjudicated
    second = None if settled is None else extremes(settled)
    found = []
    for side, favoured in enumerate((0.0, 1.0)):
        C, A, G, D = final = first[side]
        rows = replace(labelled, C=C, A=A, G=G, D=D)
        if settled is not None and second is not None:
            C, A, G, D = second[side]
            rows = replace(rows, adjudicated=Adjudicated(overlap=settled.overlap, C=C, A=A, G=G, D=D))
            final = np.where(settled.overlap, second[side], final)
        found.append(_placed(rows, metric.terms(*final)[0] == favoured, unknown, wanted, options))
    return found


def _placed(rows: LabelledRows, enters: Flags, excluded: Flags, wanted: str | None, options: Options) -> LabelledRows:
    """The rows with a verdict on every context: one without counts where it `enters`, an excluded one as stated."""
    if options.contexts == "all" or rows.valid is None:
        return rows
    unaudited, moves = np.isnan(rows.valid), np.zeros(len(rows.code), dtype=bool)
    if wanted is not None:
        givers = sources(rows, options.condition).get(wanted, ())
        moves = unaudited & enters & np.array([name in givers for name in rows.columns[options.condition]], dtype=bool)
    valid = np.where(excluded | (unaudited & enters & ~moves), 1.0, np.where(unaudited, 0.0, rows.valid))
    others = zip(moves.tolist(), unaudited.tolist(), rows.recondition or [None] * len(rows.code), strict=True)
    real = [wanted if moved else None if unknown else other for moved, unknown, other in others]
    return replace(rows, valid=valid, recondition=real)
