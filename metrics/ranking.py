"""Whether the order of models survives another judge, or another draw of tasks."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import spearmanr

from agreement.interval import check_level

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOrder:
    """How often the higher of two models stays the higher one."""

    higher: int
    """Index of the model with the higher value in the reference."""
    lower: int
    holds: float | None
    """Share in [0, 1] of the alternatives in which it is higher; a tie is not."""
    n: int
    """Alternatives that have a value for both."""
    why_undefined: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """A reference order of models against alternatives, one entry per alternative or per pair of models."""

    kendall: tuple[float | None, ...]
    """Kendall's tau-b of each alternative with the reference, in [-1, 1]; None where either has no order."""
    spearman: tuple[float | None, ...]
    """Spearman's rank correlation, likewise."""
    pairs: tuple[PairOrder, ...]
    """Each two models, by index."""
    first_holds: float | None
    """Share of complete alternatives in which the first model of the reference is first, alone."""
    whole_order_holds: float | None
    """Share of complete alternatives in which every pair keeps its order."""
    n: int
    """Complete alternatives: those with a value for every model."""
    n_dropped: int
    """Alternatives that lack a model; they still count for the pairs they have."""
    why_undefined: str | None = None
    """A sentence for a person when `first_holds` or `whole_order_holds` is None."""


def ranking_stability(reference: ArrayLike, alternatives: ArrayLike) -> Stability:
    """How far the order of models by a metric depends on who judged, or on which tasks were drawn.

    Nothing is assumed of the alternatives: they may be judges, prompts of a judge, or bootstrap replicates. Only
    over replicates is a share also a statement of uncertainty; over a few judges it is a count.

    Args:
        reference: Value of each model, shape (models,); at least 2, higher is first (turn the sign if lower is better).
        alternatives: The same under each alternative, shape (alternatives, models); nan where it has none.

    Returns:
        A pair that ties in the reference has no order to hold, and its share is None.

    Raises:
        ValueError: Shapes do not fit, fewer than two models, or a reference value is not finite.

    Source: Kendall (1945), Biometrika 33(3), 239-251, doi:10.1093/biomet/33.3.239; Spearman (1904), Am. J. Psychol.
    15(1), 72-101, doi:10.2307/1412159; Spearman by scipy.

    >>> found = ranking_stability([0.9, 0.8, 0.3], [[0.7, 0.8, 0.2], [0.9, 0.6, 0.1]])
    >>> [round(tau, 3) for tau in found.kendall], found.first_holds
    ([0.333, 1.0], 0.5)
    >>> [(pair.higher, pair.lower, pair.holds) for pair in found.pairs]
    [(0, 1, 0.5), (0, 2, 1.0), (1, 2, 1.0)]
    """
    base, others = np.asarray(reference, dtype=np.float64), np.asarray(alternatives, dtype=np.float64)
    if base.ndim != 1 or others.ndim != 2 or others.shape[1] != len(base):
        raise ValueError(f"reference has shape {base.shape} and alternatives {others.shape}; expected (m,) and (k, m)")
    if len(base) < 2:
        raise ValueError(f"{len(base)} model has no order; give at least 2")
    if not np.isfinite(base).all() or np.isinf(others).any():
        raise ValueError("a value is not finite; leave the model out where the reference lacks it")
    pairs = tuple(_pair(base, others, *models) for models in combinations(range(len(base)), 2))
    complete = others[~np.isnan(others).any(axis=1)]
    first, whole, why = _shares(base, complete)
    return Stability(
        kendall=tuple(_correlation(base, row, "kendall") for row in others),
        spearman=tuple(_correlation(base, row, "spearman") for row in others),
        pairs=pairs,
        first_holds=first,
        whole_order_holds=whole,
        n=len(complete),
        n_dropped=len(others) - len(complete),
        why_undefined=why,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTasks:
    """How surely two orders of models agree, by resampling the tasks."""

    kendall: float | None
    """Kendall's tau-b of the two orders on all tasks, in [-1, 1]."""
    low: float | None = None
    high: float | None = None
    """Percentiles of tau over the resamples, which hold tau; they can be one value, as few models have few orders."""
    same_order: float | None = None
    """Share of the resamples in which the two put all models in the same order, without a tie."""
    level: float
    tasks: int
    models: int
    why_undefined: str | None = None
    """A sentence for a person when there is no interval."""


def order_over_tasks(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    *,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
) -> OverTasks:
    """Whether two judges order the models alike on such tasks in general; whole tasks are resampled for both at once.

    As in `paired.bootstrapped`, G - 1 of the G tasks are drawn with replacement. Assumes independent tasks.

    Args:
        first: Totals of numerator and denominator by the first judge, shape (tasks, models) each.
        second: The same by the second judge.
        seed: Of the generator.
        replicates: At least 100.
        level: Confidence level in (0, 1).

    Returns:
        Undefined with fewer than two models or tasks, where a model has nothing in a denominator, or one of the judges
        sees no difference between models. Resamples of that kind count as another order, and not for the percentiles,
        of which there are none when more than 1 in 20 are of that kind.

    Raises:
        ValueError: Fewer than 100 replicates, or shapes that differ.

    Source: Kendall (1945), as below; resampling: Rao & Wu (1988), J. Am. Stat. Assoc. 83(401), 231-241.

    >>> ones = [[1, 1]] * 9
    >>> found = order_over_tasks(([[1, 0]] * 9, ones), ([[1, 0]] * 8 + [[0, 1]], ones), seed=1)
    >>> found.kendall, found.low, found.same_order > 0.99
    (1.0, 1.0, True)
    """
    if replicates < 100:
        raise ValueError(f"replicates is {replicates}; percentiles need at least 100")
    check_level(level)
    totals = np.array([*first, *second], dtype=np.float64)
    tasks, models = totals.shape[1:]
    tau = kendall(_ratios(totals[:2].sum(axis=1)), _ratios(totals[2:].sum(axis=1))) if tasks else np.nan
    if tasks < 2 or models < 2 or np.isnan(tau):
        why = f"undefined: {models} models on {tasks} tasks that differ under both judges; an order needs two of each"
        return OverTasks(kendall=None, level=level, tasks=tasks, models=models, why_undefined=why)
    drawn = np.random.default_rng(seed).multinomial(tasks - 1, np.full(tasks, 1 / tasks), size=replicates)
    again = np.einsum("rg,kgm->krm", drawn, totals, optimize=True)
    taus = kendall(_ratios(again[:2]), _ratios(again[2:]))
    ordered, same = taus[~np.isnan(taus)], float((taus >= 1 - 1e-9).mean())
    if len(ordered) < 0.95 * replicates:
        why = f"no interval: {replicates - len(ordered)} of {replicates} resamples of the tasks have no order"
        return OverTasks(
            kendall=float(tau), same_order=same, level=level, tasks=tasks, models=models, why_undefined=why
        )
    low, high = np.quantile(ordered, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return OverTasks(
        kendall=float(tau),
        low=min(float(low), float(tau)),
        high=max(float(high), float(tau)),
        same_order=same,
        level=level,
        tasks=tasks,
        models=models,
    )


def _ratios(totals: Floats) -> Floats:
    """Numerator over denominator, rounded so that what is equal on paper ties; nan where there is no denominator."""
    num, den = totals
    ratio: Floats = np.divide(num, den, out=np.full(num.shape, np.nan), where=den > 0)
    return np.round(ratio, 12)


def kendall(first: ArrayLike, second: ArrayLike) -> Floats:
    """Kendall's tau-b of two rows of values, or of every two rows of two tables, shape (..., models).

    nan where a value is missing or one of the rows is constant.

    >>> kendall([[1, 2, 3], [1, 1, 1]], [[1, 3, 2], [1, 2, 3]]).round(3).tolist()
    [0.333, nan]
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    one, other = np.triu_indices(x.shape[-1], 1)
    rising_x, rising_y = np.sign(x[..., one] - x[..., other]), np.sign(y[..., one] - y[..., other])
    size = np.sqrt((rising_x**2).sum(axis=-1) * (rising_y**2).sum(axis=-1))
    both = np.asarray((rising_x * rising_y).sum(axis=-1))
    tau: Floats = np.divide(both, size, out=np.full(both.shape, np.nan), where=size > 0)
    return tau


def _pair(base: Floats, others: Floats, one: int, other: int) -> PairOrder:
    higher, lower = (one, other) if base[one] >= base[other] else (other, one)
    gap = others[:, higher] - others[:, lower]
    present = gap[~np.isnan(gap)]
    if base[one] == base[other]:
        why = "undefined: the two models are equal in the reference"
    elif not len(present):
        why = f"undefined: none of the {len(others)} alternatives has a value for both models"
    else:
        return PairOrder(higher=higher, lower=lower, holds=float((present > 0).mean()), n=len(present))
    return PairOrder(higher=higher, lower=lower, holds=None, n=len(present), why_undefined=why)


def _correlation(base: Floats, row: Floats, kind: str) -> float | None:
    here = ~np.isnan(row)
    x, y = base[here], row[here]
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return None
    return float(kendall(x, y)) if kind == "kendall" else float(spearmanr(x, y).statistic)


def _shares(base: Floats, complete: Floats) -> tuple[float | None, float | None, str | None]:
    """Share in which the first stays first, share in which all stay in order, and why one of them is None."""
    if not len(complete):
        return None, None, "undefined: no alternative has a value for every model"
    order = np.argsort(-base, kind="stable")
    steps = np.diff(base[order])
    ordered = complete[:, order]
    first = float((ordered[:, :1] > ordered[:, 1:]).all(axis=1).mean()) if steps[0] < 0 else None
    whole = float((np.diff(ordered, axis=1) < 0).all(axis=1).mean()) if (steps < 0).all() else None
    return first, whole, None if whole is not None else "undefined: models are equal in the reference"
