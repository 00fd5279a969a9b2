"""Whether the order of models survives another judge, or another draw of tasks."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kendalltau, spearmanr

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
    15(1), 72-101, doi:10.2307/1412159; both by scipy.

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
    found = kendalltau(x, y) if kind == "kendall" else spearmanr(x, y)
    return float(found.statistic)


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
