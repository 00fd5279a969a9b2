"""The random part of the sample that several people label."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from sampling.allocation import proportional
from sampling.numbers import permanent_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Which drawn items several annotators label, and how many label each."""

    overlap: frozenset[str]
    core: frozenset[str]
    people: dict[str, int]
    """Annotators of every drawn item."""


def overlap(
    items: Mapping[str, str], share: float, *, seed: int, purpose: str = "overlap", keep: Collection[str] = ()
) -> frozenset[str]:
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
        keep: The overlap of an earlier, smaller draw, which stays in it: with the items that have come in before
            its last one, so the overlap may then be larger than the share.

    Returns:
        The item ids in the overlap; none for 0, all for 1.

    Raises:
        ValueError: The share is outside [0, 1].

    >>> sorted(overlap({"r1": "a", "r2": "a", "r3": "b", "r4": "b"}, 0.5, seed=1))
    ['r2', 'r4']
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}; expected a number from 0 to 1")
    wanted = floor(Fraction(str(share)) * len(items) + Fraction(1, 2))
    return _smallest(items, wanted, seed=seed, purpose=purpose, keep=keep)


def shared(
    items: Mapping[str, str],
    *,
    share: float,
    people: int = 2,
    core: int = 0,
    core_people: int = 3,
    seed: int,
    purpose: str = "overlap",
    keep: Collection[str] = (),
    keep_core: Collection[str] = (),
) -> Shared:
    """The overlap and the core of a draw: `people` annotators in the overlap, `core_people` in the core, else one.

    Overlap and core are random subsamples of each stratum by numbers of their own, so neither contains the other;
    an item of both gets the larger number. The core's probability is its size over the items of its stratum.

    Args:
        items: Stratum of each drawn item, by item id.
        share: Share of the items in [0, 1] in the overlap; 1 gives every item to `people`.
        people: Annotators of an item in the overlap, at least 1.
        core: Items in the core, for the tests that need several people; all items if there are no more.
        core_people: Annotators of an item in the core.
        seed: The study's seed.
        purpose: Salts the overlap's numbers; the core's are salted with "core:" before it.
        keep: The overlap of an earlier draw, as in `overlap`.
        keep_core: The core of an earlier draw, likewise.

    Raises:
        ValueError: The share is outside [0, 1], or a number of people or the core's size is too small.

    >>> shared({"r1": "a", "r2": "a", "r3": "b", "r4": "b"}, share=0.5, core=1, seed=1).people
    {'r1': 3, 'r2': 2, 'r3': 1, 'r4': 2}
    """
    if people < 1 or core_people < 1 or core < 0:
        raise ValueError(f"people is {people}, core_people {core_people} and core {core}; expected 1, 1 and 0 or more")
    doubled = overlap(items, share, seed=seed, purpose=purpose, keep=keep)
    central = _smallest(items, core, seed=seed, purpose=f"core:{purpose}", keep=keep_core)
    return Shared(
        overlap=doubled,
        core=central,
        people={i: max(people if i in doubled else 1, core_people if i in central else 1) for i in items},
    )


def _smallest(
    items: Mapping[str, str], wanted: int, *, seed: int, purpose: str, keep: Collection[str]
) -> frozenset[str]:
    """The items with the smallest numbers of each stratum, `wanted` in all, and up to the last that is to be kept."""
    strata: dict[str, list[str]] = defaultdict(list)
    for item in sorted(items, key=lambda item: (permanent_number(seed, purpose, item), item)):
        strata[items[item]].append(item)
    least = {
        name: max((rank for rank, item in enumerate(members, start=1) if item in keep), default=0)
        for name, members in strata.items()
    }
    counts = {name: len(members) for name, members in strata.items()}
    sizes = proportional(counts, max(wanted, sum(least.values())), floor=0, at_least=least)
    return frozenset(item for name, size in sizes.items() for item in strata[name][:size])
