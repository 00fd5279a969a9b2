"""A numeric score as a stratum column: cut points, and what the bins are called."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isnan

from numpy import format_float_positional


def quantile_cuts(scores: Iterable[float | None], bins: int) -> tuple[float, ...]:
    """Cut points that share the scores into `bins` groups of about equal size.

    A cut is a short decimal that parts the same scores, so the names of the bins stay readable. Equal scores
    are never parted; where that leaves no group, there are fewer cuts, down to none when all scores are equal.

    Args:
        scores: One for each item of the frame, never of a sample; None or nan is missing and does not count.
        bins: Groups wanted, at least 1.

    Returns:
        Rising cut points; a score equal to a cut belongs above it.

    Raises:
        ValueError: `bins` is below 1.

    >>> quantile_cuts([0.11, 0.12, 0.31, 0.4, 0.87, 0.9], 3)
    (0.2, 0.6)
    """
    if bins < 1:
        raise ValueError(f"bins is {bins}; expected 1 or more")
    ordered = sorted(score for score in scores if score is not None and not isnan(score))
    n = len(ordered)
    places = {_boundary(ordered, -(-k * n // bins)) for k in range(1, bins)} if n else set()
    return tuple(_between(ordered[i - 1], ordered[i]) for i in sorted(places - {0, n}))


def bin_names(scores: Iterable[float | None], cuts: Sequence[float]) -> list[str]:
    """The readable bin of each score, to be used as a value of a stratum column; empty where the score is missing.

    Args:
        scores: Scores, None or nan where missing.
        cuts: Rising cut points; a score equal to a cut belongs above it.

    Raises:
        ValueError: The cuts do not rise, or one is not a number.

    >>> bin_names([0.1, 0.2, 0.7, None], [0.2, 0.5])
    ['below 0.2', '0.2 to below 0.5', '0.5 or more', '']
    """
    if any(not low < high for low, high in pairwise(cuts)) or any(map(isnan, cuts)):
        raise ValueError(f"cut points are {list(cuts)}; expected numbers that rise")
    names = _names([_decimal(cut) for cut in cuts])
    return ["" if score is None or isnan(score) else names[bisect_right(cuts, score)] for score in scores]


def _names(cuts: Sequence[str]) -> list[str]:
    if not cuts:
        return ["any score"]
    middle = [f"{low} to below {high}" for low, high in pairwise(cuts)]
    return [f"below {cuts[0]}", *middle, f"{cuts[-1]} or more"]


def _decimal(value: float) -> str:
    return format_float_positional(value, trim="-")


def _boundary(ordered: Sequence[float], place: int) -> int:
    """The nearest place at which two different scores meet; 0 or the end when there is none nearer."""
    below = above = place
    while 0 < below < len(ordered) and ordered[below - 1] == ordered[below]:
        below -= 1
    while 0 < above < len(ordered) and ordered[above - 1] == ordered[above]:
        above += 1
    inside = [p for p in (below, above) if 0 < p < len(ordered)]
    return min(inside, key=lambda p: abs(p - place)) if inside else 0


def _between(low: float, high: float) -> float:
    """The middle, rounded to as few digits as leave it above `low` and at most `high`."""
    middle = low + (high - low) / 2
    for digits in range(1, 18):
        rounded = float(f"{middle:.{digits}g}")
        if low < rounded <= high:
            return rounded
    return high
