"""The random part of the sample that several people label."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from math import floor

from sampling.allocation import proportional
from sampling.numbers import permanent_number


def overlap(items: Mapping[str, str], share: float, *, seed: int, purpose: str = "overlap") -> frozenset[str]:
    """A random share of each stratum's items, by permanent number of the item id.

    The number of items is `share` times all items, halves rounded up, shared over strata by largest remainder.
    In a stratum the items with the smallest numbers are taken (ties by item id), so for two shares one stratum's
    members always contain the other's; and a larger share takes at most one member from a stratum, when the
    rounding moves to another. Within a stratum the members are a simple random sample of its items; their
    numbers are independent of the draw's as long as the purposes differ.

    Args:
        items: Stratum of each drawn item, by item id.
        share: Share of the items in [0, 1]; read as the decimal that is printed, so that 0.15 of 20 is 3.
        seed: The study's seed.
        purpose: Salts the numbers.

    Returns:
        The item ids in the overlap; none for 0, all for 1.

    Raises:
        ValueError: The share is outside [0, 1].

    >>> sorted(overlap({"r1": "a", "r2": "a", "r3": "b", "r4": "b"}, 0.5, seed=1))
    ['r2', 'r4']
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}; expected a number from 0 to 1")
    strata: dict[str, list[str]] = defaultdict(list)
    for item, stratum in items.items():
        strata[stratum].append(item)
    wanted = floor(Fraction(str(share)) * len(items) + Fraction(1, 2))
    sizes = proportional({name: len(members) for name, members in strata.items()}, wanted, floor=0)
    members: set[str] = set()
    for name, size in sizes.items():
        members.update(sorted(strata[name], key=lambda item: (permanent_number(seed, purpose, item), item))[:size])
    return frozenset(members)
