"""True categories and raters' error rates estimated together, when nobody knows the truth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from agreement.refusal import no_column, no_labels, refuse
from agreement.tally import Floats, Integers

Rows = tuple[tuple[float, ...] | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DawidSkene:
    """Maximum-likelihood estimates, and whether to believe them."""

    items: NDArray[np.generic]
    """The items, sorted, shape (I,)."""
    raters: NDArray[np.generic]
    """The raters, sorted, shape (R,)."""
    posterior: Floats
    """Probability that an item belongs to each category, shape (I, K); rows add up to 1."""
    class_shares: Floats
    """Share of each category among the items, shape (K,)."""
    error_rates: tuple[Rows, ...]
    """Of each rater and true category, the share of each answer; None where a rater met no such item."""
    n: int
    """Readings used."""
    n_dropped: int
    """Readings given but missing."""
    iterations: int
    log_likelihood: float
    converged: bool
    """Whether no posterior moved by as much as the tolerance in the last iteration."""
    why_not_identified: str | None
    """Why the readings cannot settle the estimates, as a sentence; None if nothing speaks against them."""


def dawid_skene(
    item: ArrayLike,
    rater: ArrayLike,
    label: ArrayLike,
    *,
    n_categories: int,
    tolerance: float = 1e-8,
    most_iterations: int = 20_000,
) -> DawidSkene:
    """Posterior categories by expectation-maximisation from the vote shares, without priors.

    One reading a row; a rater who read an item several times counts several times. Raters are taken to err
    independently of each other given the true category.

    Args:
        item: What was read, any values that sort, shape (n,).
        rater: Who read it, any values that sort, shape (n,).
        label: The answer, 0..K-1 or -1 for missing, shape (n,).
        n_categories: Declared categories K, at least 2.
        tolerance: Iterate until no posterior changes by as much.
        most_iterations: Stop there in any case; `converged` is then False.

    Returns:
        Estimates; where `why_not_identified` is set, read them as a description of the votes at most.

    Raises:
        ValueError: Shapes differ, a label is not declared, or there is no reading.

    Source: Dawid & Skene (1979), J. R. Stat. Soc. C 28(1), 20-28, doi:10.2307/2346806.

    >>> votes = [(i, r, (i % 2) if r < 3 else 0) for i in range(12) for r in range(4)]
    >>> found = dawid_skene(*zip(*votes), n_categories=2)
    >>> found.class_shares.round(3).tolist(), found.error_rates[3][1]
    ([0.5, 0.5], (1.0, 0.0))
    """
    items, raters, readings, dropped = _checked(item, rater, label, n_categories)
    votes = np.bincount(readings[0] * n_categories + readings[2], minlength=len(items) * n_categories)
    posterior = votes.reshape(len(items), n_categories) / np.bincount(readings[0])[:, None]
    change, iterations, log_likelihood = np.inf, 0, -np.inf
    while change >= tolerance and iterations < most_iterations:
        shares, rates = _maximised(posterior, readings, len(raters))
        renewed, log_likelihood = _expected(shares, rates, readings, len(items))
        change = float(np.abs(renewed - posterior).max())
        posterior, iterations = renewed, iterations + 1
    shares, rates = _maximised(posterior, readings, len(raters))
    return DawidSkene(
        items=items,
        raters=raters,
        posterior=posterior,
        class_shares=shares,
        error_rates=tuple(_rows(one) for one in rates),
        n=len(readings[0]),
        n_dropped=dropped,
        iterations=iterations,
        log_likelihood=log_likelihood,
        converged=change < tolerance,
        why_not_identified=_doubt(readings, len(items), len(raters), shares),
    )


Readings = tuple[Integers, Integers, Integers]
"""Item, rater and label of every reading, coded from 0, shape (n,) each."""


def _checked(
    item: ArrayLike, rater: ArrayLike, label: ArrayLike, n_categories: int
) -> tuple[NDArray[np.generic], NDArray[np.generic], Readings, int]:
    what, who, said = np.asarray(item), np.asarray(rater), np.asarray(label)
    refuse(
        no_column("item", what, said.size),
        no_column("rater", who, said.size),
        None if n_categories >= 2 else f"n_categories is {n_categories}; expected at least 2",
        no_labels("label", said, n_categories),
    )
    kept = said >= 0
    if not kept.any():
        raise ValueError(f"none of the {len(said)} readings has a label")
    items, item_code = np.unique(what[kept], return_inverse=True)
    raters, rater_code = np.unique(who[kept], return_inverse=True)
    return items, raters, (item_code, rater_code, said[kept].astype(np.int64)), int((~kept).sum())


def _maximised(posterior: Floats, readings: Readings, raters: int) -> tuple[Floats, Floats]:
    """Class shares (K,) and error rates (R, K, K), the rates NaN where a rater met no item of a category."""
    item, rater, label = readings
    k = posterior.shape[1]
    told = np.stack(
        [np.bincount(rater * k + label, posterior[item, true], raters * k).reshape(raters, k) for true in range(k)],
        axis=1,
    )
    met = told.sum(axis=2, keepdims=True)
    return posterior.mean(axis=0), np.divide(told, met, out=np.full(told.shape, np.nan), where=met > 0)


def _expected(shares: Floats, rates: Floats, readings: Readings, items: int) -> tuple[Floats, float]:
    """Posteriors (I, K) and the log-likelihood."""
    item, rater, label = readings
    with np.errstate(divide="ignore"):
        # A category that a rater never met has no rate: it has no item, so any value will do.
        log_rates, log_shares = np.log(np.nan_to_num(rates, nan=1.0)), np.log(shares)
    logs = np.stack(
        [
            log_share + np.bincount(item, log_rates[rater, true, label], items)
            for true, log_share in enumerate(log_shares)
        ],
        axis=1,
    )
    highest = logs.max(axis=1, keepdims=True)
    likely = np.exp(logs - highest)
    total = likely.sum(axis=1, keepdims=True)
    return likely / total, float((highest + np.log(total)).sum())


def _rows(rates: Floats) -> Rows:
    return tuple(None if np.isnan(row).any() else tuple(float(rate) for rate in row) for row in rates)


def _doubt(readings: Readings, items: int, raters: int, shares: Floats) -> str | None:
    """Why the estimates are not identified, or None."""
    item, rater, _ = readings
    k = len(shares)
    seen = coo_array((np.ones(len(item)), (item, rater)), shape=(items, raters)).tocsr()
    several = int((np.diff(seen.indptr) >= 3).sum())
    linked = connected_components(coo_array((np.ones(len(item)), (item, items + rater)), shape=(items + raters,) * 2))
    free = (k - 1) + raters * k * (k - 1)
    if raters < 3:
        return f"not identified: {raters} raters, and with fewer than 3 any error rates fit; the votes say it all"
    if not several:
        return "not identified: no item was read by 3 raters, so nobody's errors can be told from the others'"
    if linked[0] > 1:
        return f"not identified: the readings fall into {linked[0]} groups that share neither items nor raters"
    if len(item) < free:
        return f"not identified: {len(item)} readings for {free} error rates and shares; label more items"
    if (shares * items < 1).any():
        return "not identified: a category has less than one item, so nobody's errors on it can be estimated"
    return None
