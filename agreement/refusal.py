"""Arguments that make no sense, all of them named at once and before anything is computed."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.tally import Floats


def refuse(*problems: str | None) -> None:
    """Stop if something is wrong; None is no problem.

    Raises:
        ValueError: A line for every problem.

    >>> refuse(None, "weights: 3 of 5 are not > 0", "level is 95")
    Traceback (most recent call last):
    ValueError: weights: 3 of 5 are not > 0
    level is 95
    """
    found = [problem for problem in problems if problem]
    if found:
        raise ValueError("\n".join(found))


def no_level(level: float, name: str = "level") -> str | None:
    """Why a confidence level is none, such as 95."""
    return None if 0 < level < 1 else f"{name} is {level}; expected a share in (0, 1), such as 0.95"


def no_labels(
    name: str, labels: ArrayLike, n_categories: int, *, axes: tuple[str, ...] = ("row",), called: Sequence[str] = ()
) -> str | None:
    """Why these are not integers 0..K-1 with -1 for missing, with as many dimensions as `axes`; and where."""
    array: NDArray[Any] = np.asarray(labels)
    called_so = f" ({', '.join(called)})" if called else ""
    declared = f"0..{n_categories - 1}{called_so}"
    if array.ndim != len(axes):
        return f"{name} has shape {array.shape}; expected ({', '.join(axis + 's' for axis in axes)})"
    if array.size and array.dtype.kind not in "iub":
        return f"{name} has type {array.dtype}; expected integers {declared}, with -1 for missing"
    if not array.size or (array.min() >= -1 and array.max() < n_categories):
        return None
    outside = np.argwhere((array < -1) | (array >= n_categories))
    where = ", ".join(f"{axis} {place}" for axis, place in zip(axes, outside[0], strict=True))
    return (
        f"{name}: {len(outside)} not declared, the first is {array[tuple(outside[0])]} ({where}); declared are "
        f"{declared} and -1 for missing. Declare the category or set the label to -1."
    )


def no_column(name: str, column: ArrayLike | None, n: int) -> str | None:
    """Why these are not n values, one a row; None may be given for no column."""
    shape = None if column is None else np.shape(np.asarray(column))
    return None if shape in (None, (n,)) else f"{name} has shape {shape}; expected ({n},), one a row"


def no_weights(name: str, weights: ArrayLike | None, n: int) -> str | None:
    """Why these are not n design weights."""
    misshapen = no_column(name, weights, n)
    if misshapen or weights is None:
        return misshapen
    array = numbers(weights)
    if array is None:
        return f"{name} is not numeric"
    wrong = array[~(np.isfinite(array) & (array > 0))]
    if len(wrong):
        return (
            f"{name}: {len(wrong)} of {n} are not finite numbers > 0, the first is {wrong[0]:g}; "
            "leave out what stands for nothing"
        )
    return None


def numbers(given: ArrayLike) -> Floats | None:
    """The same as floats; None if they are none."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        return None
