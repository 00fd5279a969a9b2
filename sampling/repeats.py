"""Hidden repeats: items that the same annotator sees a second time, to learn how steady their answers are."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from sampling.numbers import as_share, permanent_number, unit_key

PURPOSE = "repeat"
PLACE = "repeat:place"
GAP = 20
"""Fewest other items between the two showings, so that the first is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """One place in an annotator's queue."""

    item_id: str
    repeat: bool
    """The second showing; its label serves self-consistency only, never an estimate."""


def with_repeats(
    queue: Sequence[str],
    share: float,
    *,
    annotator: str,
    seed: int,
    gap: int = GAP,
    together: Mapping[str, str] | None = None,
) -> list[Showing]:
    """An annotator's queue with a random share of its items shown again later.

    Items repeat by their own permanent numbers, different for each annotator. A repeat comes at a random place, at
    least `gap` other items after the first showing, so an item can repeat only if that many follow it: the queue must
    be in random order for those to stand for all. First showings keep their order.

    Args:
        queue: Item ids in the order in which they are shown, each once.
        share: Repeats wanted, as a share in [0, 1] of the queue; as many as can, if fewer items can repeat.
        annotator: Whose queue it is.
        seed: The study's seed.
        gap: Fewest other items between the two showings, at least 1.
        together: What must not be torn apart (the context of each item): no repeat comes in the midst of it.

    Raises:
        ValueError: The share is outside [0, 1], the gap below 1, or an item is in the queue twice.

    >>> [s.item_id + "*" * s.repeat for s in with_repeats(["a", "b", "c", "d"], 0.5, annotator="p1", seed=1, gap=1)]
    ['a', 'b', 'c', 'd', 'b*', 'c*']
    """
    if not 0 <= share <= 1 or gap < 1 or len(set(queue)) < len(queue):
        raise ValueError(
            f"share is {share}, gap {gap}, and {len(queue) - len(set(queue))} items are in the queue twice; expected "
            "a share from 0 to 1, a gap of at least 1, and every item once"
        )
    borders = _borders(queue, together or {})
    able = queue[: max(0, len(queue) - gap)]
    wanted = floor(Fraction(str(share)) * len(queue) + Fraction(1, 2))
    ranked = sorted(able, key=lambda item: (permanent_number(seed, PURPOSE, unit_key(annotator, item)), item))
    after: dict[int, list[str]] = {}
    position = {item: i for i, item in enumerate(queue)}
    for item in sorted(ranked[:wanted], key=position.__getitem__):
        number = as_share(permanent_number(seed, PLACE, unit_key(annotator, item)))
        first, last = position[item] + 1 + gap, len(queue)
        place = first + floor(number * (last - first + 1))
        after.setdefault(borders[bisect_left(borders, place)], []).append(item)
    showings: list[Showing] = []
    for i, item in enumerate(queue, start=1):
        showings.append(Showing(item_id=item, repeat=False))
        showings += [Showing(item_id=again, repeat=True) for again in after.get(i, [])]
    return showings


def repeat_after(item: str, share: float, *, annotator: str, seed: int, gap: int = GAP) -> int | None:
    """After how many further items an item is shown again, where the queue is not known beforehand; None for never.

    Each item repeats with probability `share` by the number that `with_repeats` uses, `gap` to 2 `gap` items later.
    The number of repeats is therefore random, and those that fall beyond the end of the work never come.

    Raises:
        ValueError: The share is outside [0, 1] or the gap below 1.

    >>> [repeat_after(item, 0.2, annotator="p1", seed=1) for item in "abcd"]
    [None, None, 37, 38]
    """
    if not 0 <= share <= 1 or gap < 1:
        raise ValueError(f"share is {share}, gap {gap}; expected a share from 0 to 1 and a gap of at least 1")
    chance, place = (
        as_share(permanent_number(seed, purpose, unit_key(annotator, item))) for purpose in (PURPOSE, PLACE)
    )
    return gap + floor(place * (gap + 1)) if chance < share else None


def _borders(queue: Sequence[str], together: Mapping[str, str]) -> list[int]:
    """After how many items of the queue a repeat may come."""
    return [
        i
        for i in range(1, len(queue) + 1)
        if i == len(queue) or queue[i - 1] not in together or together[queue[i - 1]] != together.get(queue[i])
    ]
