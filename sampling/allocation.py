"""How many items each stratum gets: whole numbers that add up exactly and never exceed a stratum."""

from collections.abc import Mapping
from fractions import Fraction
from math import floor as whole


def proportional(
    sizes: Mapping[str, int],
    total: int,
    *,
    floor: int = 2,
    cap: int | None = None,
    at_least: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Share `total` over strata in proportion to their sizes, by largest remainder.

    Shares below the floor are raised to it and shares above a stratum's size or the cap are lowered to it; the
    other strata make up the difference in proportion. What is left by rounding down goes to the largest
    remainders, ties by name. A larger total can take one item from a stratum (the Alabama paradox of largest
    remainders): when topping up, give what was drawn as `at_least`.

    Args:
        sizes: Items in each stratum (N_h).
        total: Items wanted; all items if there are no more.
        floor: Fewest items per stratum; a smaller stratum is taken whole. Two are needed for a variance.
        cap: Most items per stratum; None for no cap.
        at_least: Items already drawn in each stratum (absent = 0): none gets fewer, the cap included.

    Returns:
        Items per stratum (n_h), which sum to the smaller of `total` and the population.

    Raises:
        ValueError: The floors need more than `total`, the caps allow less, or a number is negative.

    Source: Cochran (1977), Sampling Techniques, 3rd ed., sections 5.3, 5.8; largest remainder: Balinski & Young (2001),
    Fair Representation, 2nd ed., appendix A.

    >>> proportional({"a": 70, "b": 29, "c": 1}, 10)
    {'a': 6, 'b': 3, 'c': 1}
    """
    return _allocate(sizes, dict(sizes), total, floor=floor, cap=cap, at_least=at_least or {})


def equal(
    sizes: Mapping[str, int],
    total: int,
    *,
    floor: int = 2,
    cap: int | None = None,
    at_least: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Share `total` over strata in equal parts; a stratum with fewer items than its part is taken whole.

    Arguments, result and errors are those of `proportional`. An empty stratum gets nothing.

    >>> equal({"a": 70, "b": 29, "c": 1}, 10)
    {'a': 5, 'b': 4, 'c': 1}
    """
    return _allocate(sizes, dict.fromkeys(sizes, 1), total, floor=floor, cap=cap, at_least=at_least or {})


def _allocate(
    sizes: Mapping[str, int],
    weights: Mapping[str, int],
    total: int,
    *,
    floor: int,
    cap: int | None,
    at_least: Mapping[str, int],
) -> dict[str, int]:
    _check(sizes, total, floor, cap, at_least)
    lower = {name: max(min(floor, size), at_least.get(name, 0)) for name, size in sizes.items()}
    upper = {name: size if cap is None else max(min(cap, size), lower[name]) for name, size in sizes.items()}
    wanted = min(total, sum(sizes.values()))
    least, most = sum(lower.values()), sum(upper.values())
    if least > wanted:
        raise ValueError(
            f"{wanted} items cannot give {len(sizes)} strata their minimum of {floor} (a smaller stratum: all of it)"
            f"{' and what was already drawn' if at_least else ''}; the smallest total that works is {least}"
        )
    if most < wanted:
        raise ValueError(
            f"with at most {cap} items per stratum, {len(sizes)} strata of {sum(sizes.values())} items give {most}, "
            f"not {wanted}; ask for {most} at most or raise the cap"
        )
    return _round({name: weights[name] for name in sizes}, lower, upper, wanted)


def _check(sizes: Mapping[str, int], total: int, floor: int, cap: int | None, at_least: Mapping[str, int]) -> None:
    for name, size in sizes.items():
        if size < 0:
            raise ValueError(f"stratum {name!r} has size {size}; a size is 0 or more")
    if total < 0 or floor < 0:
        raise ValueError(f"total is {total} and floor is {floor}; neither may be negative")
    if cap is not None and cap < floor:
        raise ValueError(f"cap is {cap}, below the floor of {floor}; lower the floor or raise the cap")
    for name, drawn in at_least.items():
        if not 0 <= drawn <= sizes.get(name, 0):
            raise ValueError(f"stratum {name!r} has {sizes.get(name, 0)} items, so {drawn} cannot have been drawn")


def _round(
    weights: Mapping[str, int], lower: Mapping[str, int], upper: Mapping[str, int], total: int
) -> dict[str, int]:
    """Largest-remainder rounding of the exact shares; a share is whole where a bound holds it."""
    rate = _rate(weights, lower, upper, total)
    share = {name: _share(rate, weights[name], lower[name], upper[name]) for name in weights}
    given = {name: whole(exact) for name, exact in share.items()}
    left = total - sum(given.values())
    for name in sorted(share, key=lambda name: (given[name] - share[name], name))[:left]:
        given[name] += 1
    return given


def _share(rate: Fraction, weight: int, lower: int, upper: int) -> Fraction:
    return min(max(rate * weight, Fraction(lower)), Fraction(upper))


def _rate(weights: Mapping[str, int], lower: Mapping[str, int], upper: Mapping[str, int], total: int) -> Fraction:
    """The rate at which the bounded shares add up to `total`, in exact arithmetic.

    The sum of the bounded shares grows with the rate and bends only where some share meets a bound, so the two
    neighbouring bends are found by bisection and the rate between them by proportion.
    """

    def reached(rate: Fraction) -> Fraction:
        return sum((_share(rate, weights[name], lower[name], upper[name]) for name in weights), Fraction(0))

    bounds = ((bound[name], weights[name]) for name in weights for bound in (lower, upper) if weights[name])
    bends = sorted({Fraction(0), *(Fraction(value, weight) for value, weight in bounds)})
    low, high = 0, len(bends) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reached(bends[middle]) <= total else (low, middle)
    at_low, at_high = reached(bends[low]), reached(bends[high])
    if at_high == at_low:
        return bends[low]
    return bends[low] + (bends[high] - bends[low]) * (total - at_low) / (at_high - at_low)
