"""How many items each stratum gets: whole numbers that add up exactly and never exceed a stratum."""

from collections.abc import Mapping
from fractions import Fraction
from math import floor as whole
from math import isfinite, sqrt

from sampling.arguments import refuse_unknown


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


def neyman(
    sizes: Mapping[str, int],
    spread: Mapping[str, float],
    total: int,
    *,
    floor: int = 2,
    cap: int | None = None,
    at_least: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Share `total` over strata in proportion to size times standard deviation: the smallest variance for a total.

    A stratum whose share exceeds its size is taken whole (a certainty stratum) and the rest is shared again, until
    every share fits. Strata without spread get the floor; they get more, by size, only when all others are full.

    Args:
        sizes: Items in each stratum (N_h).
        spread: Standard deviation of the value in each stratum (S_h), such as `sampling.spread.of_counts` gives.
        total: As in `proportional`; as are floor, cap, at_least, the result and the errors.
        floor: See there.
        cap: See there.
        at_least: See there.

    Raises:
        ValueError: As `proportional`; or a stratum has no spread, or one that is negative or not finite; or a spread
            is given for a stratum that there is not.

    Source: Neyman (1934), J. R. Stat. Soc. 97(4), 558-625, doi:10.2307/2342192; strata taken whole: Cochran (1977),
    Sampling Techniques, 3rd ed., section 5.8.

    >>> neyman({"a": 10, "b": 200, "c": 40}, {"a": 5, "b": 0.1, "c": 0.2}, 60)
    {'a': 10, 'b': 36, 'c': 14}
    """
    shares = neyman_shares(sizes, spread, total, floor=floor, cap=cap, at_least=at_least)
    return _round(shares, int(sum(shares.values())))


def neyman_shares(
    sizes: Mapping[str, int],
    spread: Mapping[str, float],
    total: int,
    *,
    floor: int = 2,
    cap: int | None = None,
    at_least: Mapping[str, int] | None = None,
) -> dict[str, Fraction]:
    """What `neyman` gives before it rounds to whole items; exact, and adding up to its total.

    >>> neyman_shares({"a": 30, "b": 30}, {"a": 1, "b": 2}, 20)
    {'a': Fraction(20, 3), 'b': Fraction(40, 3)}
    """
    refuse_unknown(sizes, {"spread": spread})
    _check_spread(sizes, spread)
    lower, upper, wanted = _bounds(sizes, total, floor=floor, cap=cap, at_least=at_least or {})
    shares = _shares({name: size * Fraction(spread[name]) for name, size in sizes.items()}, lower, upper, wanted)
    if sum(shares.values()) == wanted:
        return shares
    # All strata with spread are full; what they left goes to the others by size.
    full = {name: upper[name] if spread[name] else lower[name] for name in sizes}
    return _shares({name: Fraction(size) for name, size in sizes.items()}, full, upper, wanted)


def anticipated_se(
    sizes: Mapping[str, int], spread: Mapping[str, float], allocated: Mapping[str, float | Fraction]
) -> float:
    """Standard error of the stratified mean that an allocation would have.

    sqrt(sum_h (N_h/N)^2 (1/n_h - 1/N_h) S_h^2); 0 when everything is drawn.

    Args:
        sizes: Items in each stratum (N_h).
        spread: Standard deviation of the value in each stratum (S_h).
        allocated: Items to draw, whole or not (n_h).

    Raises:
        ValueError: The population is empty, or a stratum with items gets none, so that its mean cannot be estimated;
            or a stratum is unknown, has no spread, or gets more items than it has.

    Source: Cochran (1977), Sampling Techniques, 3rd ed., theorem 5.3.

    >>> round(anticipated_se({"a": 50, "b": 50}, {"a": 1, "b": 3}, {"a": 5, "b": 15}), 4)
    0.3873
    """
    refuse_unknown(sizes, {"spread": spread, "allocated": allocated})
    _check_spread(sizes, spread)
    population = sum(sizes.values())
    over = [f"{name!r} has {size} items, not {allocated[name]:g}" for name, size in sizes.items()
            if allocated.get(name, 0) > size]  # fmt: skip
    if over:
        raise ValueError(f"more is drawn than there is: stratum {'; stratum '.join(over)}")
    missed = [name for name, size in sizes.items() if size and not allocated.get(name, 0) > 0]
    if missed or not population:
        raise ValueError(f"no item is drawn in {', '.join(map(repr, missed)) or 'an empty population'}: no mean")
    return sqrt(
        sum(
            (size / population * spread[name]) ** 2 * max(0.0, float(1 / allocated[name]) - 1 / size)
            for name, size in sizes.items()
            if size
        )
    )


def _check_spread(sizes: Mapping[str, int], spread: Mapping[str, float]) -> None:
    for name in sizes:
        deviation = spread.get(name)
        if deviation is None or not (isfinite(deviation) and deviation >= 0):
            raise ValueError(f"stratum {name!r} has spread {deviation}; expected a standard deviation of 0 or more")


Bounds = tuple[dict[str, int], dict[str, int], int]
"""Fewest and most items of every stratum, and how many there will be in all."""


def _allocate(
    sizes: Mapping[str, int],
    weights: Mapping[str, int],
    total: int,
    *,
    floor: int,
    cap: int | None,
    at_least: Mapping[str, int],
) -> dict[str, int]:
    lower, upper, wanted = _bounds(sizes, total, floor=floor, cap=cap, at_least=at_least)
    return _round(_shares({name: Fraction(weights[name]) for name in sizes}, lower, upper, wanted), wanted)


def _bounds(
    sizes: Mapping[str, int], total: int, *, floor: int, cap: int | None, at_least: Mapping[str, int]
) -> Bounds:
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
    return lower, upper, wanted


def _check(sizes: Mapping[str, int], total: int, floor: int, cap: int | None, at_least: Mapping[str, int]) -> None:
    for name, size in sizes.items():
        if size < 0:
            raise ValueError(f"stratum {name!r} has size {size}; a size is 0 or more")
    if total < 0 or floor < 0:
        raise ValueError(f"total is {total} and floor is {floor}; neither may be negative")
    if cap is not None and cap < floor:
        raise ValueError(f"cap is {cap}, below the floor of {floor}; lower the floor or raise the cap")
    refuse_unknown(sizes, {"at_least": at_least})
    for name, drawn in at_least.items():
        if not 0 <= drawn <= sizes[name]:
            raise ValueError(f"stratum {name!r} has {sizes[name]} items, so {drawn} cannot have been drawn")


def _shares(
    weights: Mapping[str, Fraction], lower: Mapping[str, int], upper: Mapping[str, int], total: int
) -> dict[str, Fraction]:
    """The exact shares: in proportion to the weights, except where a bound holds them; they are whole there."""
    rate = _rate(weights, lower, upper, total)
    return {name: _share(rate, weights[name], lower[name], upper[name]) for name in weights}


def _round(share: Mapping[str, Fraction], total: int) -> dict[str, int]:
    """Largest-remainder rounding of shares that add up to `total`."""
    given = {name: whole(exact) for name, exact in share.items()}
    left = total - sum(given.values())
    for name in sorted(share, key=lambda name: (given[name] - share[name], name))[:left]:
        given[name] += 1
    return given


def _share(rate: Fraction, weight: Fraction, lower: int, upper: int) -> Fraction:
    return min(max(rate * weight, Fraction(lower)), Fraction(upper))


def _rate(weights: Mapping[str, Fraction], lower: Mapping[str, int], upper: Mapping[str, int], total: int) -> Fraction:
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
