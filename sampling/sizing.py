"""The smallest draw with which every slice is as precise as wished, for a given rule of sharing a total over strata."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from sampling.arguments import refuse_unknown
from sampling.expected import Assumptions, Expected
from sampling.planner import DIRECT, EVERYTHING, Purchase, outlook, shortfall, smallest

Sharing = Callable[[int], Mapping[str, int]]
"""Labels for every stratum from a total: what a draw would do with it."""


def draw_buys(
    strata: Mapping[str, Expected],
    total: int,
    sharing: Sharing,
    *,
    slices: Mapping[str, str] | None = None,
    assume: Assumptions | None = None,
) -> Purchase:
    """What `total` labels buy when the draw shares them by its rule; see `planner.outlook` for what is assumed.

    Raises:
        ValueError: As `planner.outlook`, or the rule refuses the total.

    >>> one = {"all": Expected(stratum_size=5000, rate=0.2, sensitivity=0.8, specificity=0.95)}
    >>> round(draw_buys(one, 400, lambda n: {"all": n}).slices["everything"].half_width, 4)
    0.0249
    """
    labels = sharing(min(total, sum(expected.stratum_size for expected in strata.values())))
    looks = outlook(strata, labels, slices=slices, assume=assume)
    return Purchase(labels=dict(labels), total=sum(labels.values()), slices=looks)


def draw_needed(
    strata: Mapping[str, Expected],
    half_width: float,
    sharing: Sharing,
    *,
    slices: Mapping[str, str] | None = None,
    assume: Assumptions | None = None,
    fewest: int = 1,
    least: int = DIRECT,
) -> Purchase:
    """The smallest total that gives every slice a half-width of at most `half_width`, shared by the draw's rule.

    A slice that even its last response would not bring there says why in `falls_short`, and the total is what the
    others need; where none can be brought there, it is all responses. A slice that this labels whole needs no `least`
    labels in its denominator: nothing is estimated there.

    Args:
        strata: What is expected of every stratum.
        half_width: Wanted, above 0, on the scale of the share: 0.03 for three points.
        sharing: What the draw does with a total.
        slices: Slice of every stratum; None for one slice, everything.
        assume: Level, design effect, and annotators.
        fewest: Smallest total that the rule accepts.
        least: Fewest labels expected in the denominator of a slice.

    Raises:
        ValueError: The half-width is not above 0, or as `planner.outlook`.

    >>> one = {"all": Expected(stratum_size=5000, rate=0.2, sensitivity=0.8, specificity=0.95)}
    >>> draw_needed(one, 0.03, lambda n: {"all": n}).total
    285
    """
    if not half_width > 0:
        raise ValueError(f"half_width is {half_width}; expected a number above 0, such as 0.03")

    def at(total: int) -> Purchase:
        return draw_buys(strata, total, sharing, slices=slices, assume=assume)

    size = sum(expected.stratum_size for expected in strata.values())
    short = {part: shortfall(seen, half_width, least) for part, seen in at(size).slices.items()}
    can_be = [part for part, why in short.items() if why is None]

    def do(total: int) -> bool:
        seen = at(total).slices
        return not any(shortfall(seen[part], half_width, least) for part in can_be)

    found = at(smallest(do, min(fewest, size), size) if can_be else size)
    sizes = slice_sizes(strata, slices)
    return replace(
        found,
        slices={
            part: replace(
                seen, falls_short=shortfall(seen, half_width, 0) if seen.labels == sizes[part] else short[part]
            )
            for part, seen in found.slices.items()
        },
    )


def slice_sizes(strata: Mapping[str, Expected], slices: Mapping[str, str] | None = None) -> Counter[str]:
    """Responses of every slice.

    Raises:
        ValueError: A stratum has no slice, or is unknown.

    >>> slice_sizes({"all": Expected(stratum_size=500, rate=0.2, sensitivity=0.8, specificity=0.95)})
    Counter({'everything': 500})
    """
    refuse_unknown(strata, {"slices": slices or {}})
    lost = sorted(set(strata) - set(slices)) if slices is not None else []
    if lost:
        raise ValueError(f"the strata {', '.join(map(repr, lost))} have no slice; give the slice of every stratum")
    sizes: Counter[str] = Counter()
    for name, expected in strata.items():
        sizes[EVERYTHING if slices is None else slices[name]] += expected.stratum_size
    return sizes


def best_half_width(
    strata: Mapping[str, Expected],
    sharing: Sharing,
    *,
    slices: Mapping[str, str] | None = None,
    assume: Assumptions | None = None,
) -> float:
    """The widest slice's half-width once everything is labelled: above 0 only where annotators differ.

    >>> one = {"all": Expected(stratum_size=500, rate=0.2, sensitivity=0.8, specificity=0.95)}
    >>> best_half_width(one, lambda n: {"all": n})
    0.0
    """
    whole = draw_buys(strata, sum(e.stratum_size for e in strata.values()), sharing, slices=slices, assume=assume)
    return max(seen.half_width for seen in whole.slices.values())


def enough_annotators(
    strata: Mapping[str, Expected],
    half_width: float,
    sharing: Sharing,
    *,
    slices: Mapping[str, str] | None = None,
    assume: Assumptions,
    most: int = 1000,
) -> int | None:
    """The fewest annotators with whom the half-width can be reached at all; None when `most` would not do.

    >>> one = {"all": Expected(stratum_size=500, rate=0.2, sensitivity=0.8, specificity=0.95)}
    >>> enough_annotators(one, 0.05, lambda n: {"all": n}, assume=Assumptions(annotators=2, rho=0.05))
    6
    """

    def do(annotators: int) -> bool:
        assumed = replace(assume, annotators=annotators)
        return best_half_width(strata, sharing, slices=slices, assume=assumed) <= half_width

    found = smallest(do, 1, most + 1)
    return found if found <= most else None
