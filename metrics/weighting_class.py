"""Weights for responses of which some labels are known, but not those that would settle a metric."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sampling.design import Design

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def class_weighted(labels: Floats, usable: Flags, partly: Flags, design_of: Callable[[Flags], Design]) -> Design:
    """The design of the usable rows, in which rows with the same known labels stand for those that are partly known.

    Whether a row settles a metric depends on what was answered (C = 0 settles a product with C, C = 1 does not). If a
    row that does not were given to its whole stratum, those that do would weigh too much. So it is given to the usable
    rows that agree with it in every label that it has: those of its stratum, or where there is none of the whole draw.
    If there is none at all, it is given to rows with all labels, of its stratum or of the draw; what was answered has
    not selected those. Rows with most labels are given away first, so that others see the classes with them.

    Assumes that, among responses alike in the known labels, a label is missing by chance.

    Args:
        labels: People's labels that the metric reads, 0, 1 or nan, shape (k, n).
        usable: Rows that settle the metric, shape (n,).
        partly: Rows that do not though they are to count, shape (n,); those without any label are ignored.
        design_of: The design of the rows where a flag, shape (n,), is true.

    Returns:
        The design of the usable rows. Its weights add up to the size of the population, less partly known rows that
        nobody stands for because no row has all labels.

    Source: weighting-class adjustment; Lohr, Sampling: Design and Analysis, 3rd ed., section 8.5.

    >>> def design_of(rows: Flags) -> Design:
    ...     n = int(rows.sum())
    ...     return Design.of_draws(stratum=["all"] * n, stratum_size=[8] * n, inclusion_probability=[n / 8] * n,
    ...                            unit=[str(i) for i in range(n)])
    >>> labels = np.array([[0.0, 1, 1, 1], [np.nan, 0, 1, np.nan]])  # of C and S, say: the last may be 0 or 1
    >>> class_weighted(labels, np.array([True] * 3 + [False]), np.array([False] * 3 + [True]), design_of).weight
    array([2., 3., 3.])
    """
    design = design_of(usable)
    partly = partly & ~usable & (~np.isnan(labels)).any(axis=0)
    if not partly.any() or not usable.any():
        return design
    both: Flags = usable | partly
    wide, known, gives = design_of(both), labels[:, both], usable[both]
    whole = gives & ~np.isnan(known).any(axis=0)
    weight = np.where(gives, wide.weight, 0.0)
    for row in _firsts(known, ~gives):
        pattern = known[:, [row]]
        same = ~gives & ((known == pattern) | (np.isnan(known) & np.isnan(pattern))).all(axis=0)
        alike = gives & (np.isnan(pattern) | (known == pattern)).all(axis=0)
        weight = _given(weight, wide, same, alike if alike.any() else whole)
    return replace(design, weight=weight[gives])


def _firsts(known: Floats, partly: Flags) -> list[int]:
    """One row of each combination of known labels among the partly known, those with most labels first."""
    code = (np.where(np.isnan(known), 2, known).astype(np.int64) * 3 ** np.arange(len(known))[:, None]).sum(axis=0)
    rows = np.flatnonzero(partly)
    firsts = rows[np.unique(code[rows], return_index=True)[1]]
    return sorted(firsts.tolist(), key=lambda row: int(np.isnan(known[:, row]).sum()))


def _given(weight: Floats, wide: Design, rows: Flags, donors: Flags) -> Floats:
    """The weights after those of some rows went to donors of their stratum, or else to all donors."""
    strata = int(wide.stratum.max()) + 1
    gift = np.bincount(wide.stratum[rows], wide.weight[rows], strata)
    have = np.bincount(wide.stratum[donors], weight[donors], strata)
    here = have > 0
    share = np.divide(gift, have, out=np.zeros(strata), where=here)[wide.stratum]
    rest, everywhere = float(gift[~here].sum()), float(have.sum())
    return weight * (1 + donors * (share + (rest / everywhere if everywhere else 0.0)))
