"""A slice with few labels of its own, corrected by the judge's errors elsewhere."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from metrics.annotators import between_annotators
from metrics.case import check_case
from metrics.estimate import Annotators
from metrics.homogeneity import homogeneity
from metrics.interval import interval
from metrics.patterns import distances
from metrics.prediction import left_out
from metrics.sample import Population, Sample
from metrics.share import Share
from metrics.slips import slip_variance
from metrics.uncertainty import Bracket

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def borrowed(
    sample: Sample,
    population: Population,
    *,
    condition: Codes,
    population_condition: Codes,
    group: Codes,
    level: float = 0.95,
    floor: int = 30,
    annotators: Annotators = "these annotators",
) -> Share:
    """The metric of a slice from what people say elsewhere of the same judge pattern under the same condition.

    R = sum of N_c numbar_c / sum of N_c denbar_c over the slice's cells c = judge pattern × condition, with numbar_c
    and denbar_c the weighted human means over *all* sampled rows of the cell. A cell without rows takes those of the
    nearest pattern, of its own condition if there is one. The standard error is linearised over the whole sample, and
    adds what the slice's own responses may differ by, as a draw from like ones.

    Right only if people say the same of a pattern in the slice as in the groups that lend, so if the judge errs alike
    *and* what it judges is alike; the interval does not show the bias where it is not so. The test
    beside it (`homogeneity`) sees much of that, but not all where labels are few.

    Args:
        sample: Every usable row of the draw; `in_slice` marks the slice's own, of which there may be none.
        population: Groups of rows of the slice.
        condition: Of each sampled row, shape (n,).
        population_condition: Of each group of rows, shape (k,).
        group: What is pooled over (the models, or the prompts), of each sampled row, shape (n,).
        level: Confidence level in (0, 1).
        floor: Labels in the denominator that the cells of the slice need, pooled.
        annotators: For which annotators, as for `correction.corrected`; those of the rows that lend.

    Returns:
        A share of tier "borrowed", or "refused" below the floor; n counts the rows that lend.

    Raises:
        ValueError: It is to be for annotators like these, and who labelled the rows is not given; or sample and
            population do not fit, as for `correction.corrected`.

    Source: Rao & Molina (2015), Small Area Estimation, section 3.2 (synthetic estimation),
    doi:10.1002/9781118735855.
    """
    check_case(sample, population, level)
    cell, size = _cells(sample, population, condition, population_condition)
    lends = size[cell] > 0
    counted = int(np.sum(lends & (sample.den > 0)))
    n = int(lends.sum())
    if counted < max(floor, 1):
        why = f"refused: {counted} labels in the denominator to borrow from, {floor} needed"
        return Share(value=None, n=n, tier="refused", why_undefined=why)
    weight = sample.design.weight
    known = np.bincount(cell, weight, len(size))
    factor = np.divide(size, known, out=np.zeros(len(size)), where=known > 0)[cell]
    over = float(weight @ (factor * sample.den))
    if over <= 0:
        why = "undefined: the estimated denominator is not above 0"
        return Share(value=None, n=n, tier="borrowed", why_undefined=why)
    ratio = float(weight @ (factor * sample.num)) / over
    missed = np.where(lends, _missed(sample, cell, ratio), 0.0)
    own = float(size / np.maximum(known, 1e-300) @ np.bincount(cell, weight * missed**2, len(size)))
    slips = slip_variance(sample, factor * missed, factor * _apart(sample, ratio), lends)
    variance = (sample.design.variance(factor * missed) + own + slips) / over**2
    trials = float((weight[lends].sum()) ** 2 / (weight[lends] @ weight[lends])) * counted / n
    df = float(sample.design.degrees_of_freedom(lends))
    value = min(max(ratio, 0.0), 1.0)
    low, high = interval(value, sqrt(variance), df, level, trials, census=False)
    around = Bracket(low=low, high=high, kind="logit-t" if 0 < ratio < 1 and variance > 0 else "exact")
    alike = homogeneity(sample, cell=cell, ratio=ratio, group=np.where(lends, group, -1), df=df)
    if annotators == "annotators like these":
        between = between_annotators(sample, factor * missed / over, lends)
        if isinstance(between, str):
            return Share(value=None, n=n, tier="borrowed", why_undefined=between)
        around, over_people = between.widen(around, value, rest=own / over**2, df=df, level=level, trials=trials)
        variance = max(variance, over_people)
    return Share(
        value=ratio,
        se=sqrt(variance),
        low=around.low,
        high=around.high,
        interval=around.kind,
        n=n,
        n_denominator=counted,
        n_effective=trials,
        tier="borrowed",
        homogeneity=alike,
    )


def _apart(sample: Sample, ratio: float) -> Floats:
    """By how much each residual differs with a second annotator's label."""
    another = sample.another
    if another is None:
        return np.zeros(len(sample.num))
    moved = sample.by(another)
    return moved.num - sample.num - ratio * (moved.den - sample.den)


def _missed(sample: Sample, cell: Codes, ratio: float) -> Floats:
    """By how much each row's residual differs from the mean of its cell, had it no part in that mean."""
    weight = sample.design.weight
    z = sample.num - ratio * sample.den
    missed = z - (np.bincount(cell, weight * z) / np.maximum(np.bincount(cell, weight), 1e-300))[cell]
    growth = left_out(cell, sample.design.stratum, weight)
    return missed * np.where(np.isinf(growth), 1.0, growth)


def _cells(
    sample: Sample, population: Population, condition: Codes, population_condition: Codes
) -> tuple[Codes, Floats]:
    """Cell of each sampled row, and rows of the slice that each cell stands for."""
    seen, cell = np.unique(np.column_stack([sample.code, condition]), axis=0, return_inverse=True)
    if not len(seen):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    stands_for = np.round(np.bincount(cell.ravel(), sample.design.weight), 6)
    wanted, which = np.unique(np.column_stack([population.code, population_condition]), axis=0, return_inverse=True)
    far = distances(wanted[:, 0], seen[:, 0]) + 0.5 * (wanted[:, 1][:, None] != seen[:, 1][None, :])
    source = np.array([np.lexsort((seen[:, 1], seen[:, 0], -stands_for, row))[0] for row in far], dtype=np.int64)
    size = np.bincount(source[which.ravel()], population.count, len(seen)).astype(np.float64)
    return cell.ravel().astype(np.int64), size
