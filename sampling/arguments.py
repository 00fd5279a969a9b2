"""What a design refuses by name, before anything is computed from it."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _check_rows(h: NDArray[np.intp], shares: Mapping[str, Floats], others: Sequence[Floats | NDArray[np.intp]]) -> None:
    """One entry per row in every argument, and shares in (0, 1].

    Raises:
        ValueError: They are not; all shares at once.
    """
    lengths = {len(h), *(len(values) for values in (*shares.values(), *others))}
    if len(lengths) > 1:
        raise ValueError(f"all arguments need one entry per row; found lengths {sorted(lengths)}")
    wrong = [
        f"{name} must lie in (0, 1]; found {share[outside][0]} in {outside.sum()} rows"
        for name, share in shares.items()
        if (outside := ~((share > 0) & (share <= 1))).any()
    ]
    if wrong:
        raise ValueError("; ".join(wrong))


def check_strata(
    strata: NDArray[np.object_],
    h: NDArray[np.intp],
    size: Floats,
    shares: Mapping[str, Floats],
    codes: Sequence[NDArray[np.intp]],
) -> None:
    """As `_check_rows`; and one size per stratum, not below the rows at hand.

    Raises:
        ValueError: All strata at once.
    """
    _check_rows(h, shares, (size, *codes))
    rows = np.bincount(h, minlength=len(strata))
    smallest, largest = np.full(len(strata), np.inf), np.full(len(strata), -np.inf)
    np.minimum.at(smallest, h, size)
    np.maximum.at(largest, h, size)
    wrong = [
        f"stratum {strata[k]!r} has {rows[k]} rows and sizes from {smallest[k]:g} to {largest[k]:g}"
        for k in np.flatnonzero(~((smallest == largest) & (smallest >= rows)))
    ]
    if wrong:
        raise ValueError(f"{'; '.join(wrong)}; give the one number of rows that the population has in it")


def refuse_unknown(strata: Collection[str], given: Mapping[str, Collection[str]]) -> None:
    """Names in any of several arguments, by the argument's name, that are none of the strata.

    Raises:
        ValueError: There are such names; all of them at once.

    >>> refuse_unknown({"a": 5}, {"spread": {"a": 1.0, "b": 2.0}})
    Traceback (most recent call last):
    ValueError: spread names the strata 'b', which there are not; expected some of 'a'
    """
    there = ", ".join(map(repr, sorted(strata))) or "none"
    wrong = [
        f"{name} names the strata {', '.join(map(repr, unknown))}, which there are not; expected some of {there}"
        for name, names in given.items()
        if (unknown := sorted(set(names) - set(strata)))
    ]
    if wrong:
        raise ValueError("; ".join(wrong))


def refuse_lonely(strata: NDArray[np.object_]) -> None:
    """Strata of a single usable unit have no variance to show.

    Raises:
        ValueError: There are such strata.
    """
    if len(strata):
        raise ValueError(f"strata with a single usable unit: {', '.join(map(repr, strata))}; merge them first")


def check_total(stratum_size: Mapping[str, int], total: int) -> None:
    """Sizes of strata and of the sample are counts.

    Raises:
        ValueError: One is negative; all of them at once.
    """
    wrong = [
        f"stratum {name!r} has size {size}; a size is 0 or more" for name, size in stratum_size.items() if size < 0
    ]
    if total < 0:
        wrong.append(f"total is {total}; expected 0 items or more")
    if wrong:
        raise ValueError("; ".join(wrong))
