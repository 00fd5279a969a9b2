"""Many comparisons at once: p values adjusted for the size of the family."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PValues = Sequence[float | None]


def holm(p: PValues) -> list[float | None]:
    """Adjusted so that "any of these is real" is wrongly said at most at the level, whatever their dependence.

    Args:
        p: P values in [0, 1]; None or nan where a comparison is undefined.

    Returns:
        In the given order, never below p, at most 1. What is missing stays None and does not count in the family.

    Raises:
        ValueError: A p value is outside [0, 1].

    Source: Holm (1979), Scand. J. Stat. 6(2), 65-70.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    present, sorted_p, order = _ranked(p)
    m = len(sorted_p)
    return _restored(present, order, np.maximum.accumulate(sorted_p * (m - np.arange(m))))


def benjamini_hochberg(p: PValues) -> list[float | None]:
    """Adjusted so that a list of all with a value below q has an expected share of false entries of at most q.

    Arguments, result and errors as for `holm`. Assumes independent or positively dependent comparisons.

    Source: Benjamini & Hochberg (1995), J. R. Stat. Soc. B 57(1), 289-300, doi:10.1111/j.2517-6161.1995.tb02031.x.

    >>> benjamini_hochberg([0.01, None, 0.04, 0.02])
    [0.03, None, 0.04, 0.03]
    """
    present, sorted_p, order = _ranked(p)
    m = len(sorted_p)
    from_largest = (sorted_p * m / np.arange(1, m + 1))[::-1]
    return _restored(present, order, np.minimum.accumulate(from_largest)[::-1])


def _ranked(p: PValues) -> tuple[NDArray[np.bool_], Floats, NDArray[np.intp]]:
    """Which are present, these in rising order, and the order."""
    values = np.array([np.nan if x is None else x for x in p], dtype=np.float64)
    outside = (values < 0) | (values > 1)
    if outside.any():
        raise ValueError(f"a p value is {values[outside][0]:g}; expected a number in [0, 1], or None")
    present = ~np.isnan(values)
    order = np.argsort(values[present], kind="stable")
    return present, values[present][order], order


def _restored(present: NDArray[np.bool_], order: NDArray[np.intp], adjusted: Floats) -> list[float | None]:
    inverse = np.empty(len(order))
    inverse[order] = np.minimum(adjusted, 1)
    found = iter(inverse.tolist())
    return [next(found) if there else None for there in present.tolist()]
