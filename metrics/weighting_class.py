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
    rows of its stratum that agree with it in every label that it has; if there is none, to the whole stratum.

    Assumes that, among responses of a stratum alike in the known labels, a label is missing by chance.

    Args:
        labels: People's labels that the metric reads, 0, 1 or nan, shape (k, n).
        usable: Rows that settle the metric, shape (n,).
        partly: Rows that do not though they are to count, shape (n,); those without any label are ignored.
        design_of: The design of the rows where a flag, shape (n,), is true.

    Returns:
        The design of the usable rows. Its weights add up to the size of each stratum, as before.

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
    growth = np.ones(int(both.sum()))
    for row in np.flatnonzero(~gives):
        alike = (np.isnan(known[:, [row]]) | (known == known[:, [row]])).all(axis=0)
        donors = gives & alike & (wide.stratum == wide.stratum[row])
        if donors.any():
            growth[donors] += wide.weight[row] / wide.weight[donors].sum()
    grown = design.weight * growth[gives]
    size, now = (np.bincount(design.stratum, weight) for weight in (design.weight, grown))
    return replace(design, weight=grown * (size / now)[design.stratum])
