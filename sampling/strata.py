"""Strata: their readable names, and the merging of strata that are too small to stand alone."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from sampling.arguments import check_total, refuse_unknown

ANY = "*"
MISSING = "(none)"
EVERYTHING = "everything"
MERGE_ORDER = ("run", "prompt", "model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Several strata that became one."""

    stratum: str
    """The new name; columns that no longer matter are `*`."""
    members: tuple[str, ...]
    stratum_size: int
    usable_units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Which strata were put together so that every variance can be estimated."""

    stratum: Mapping[str, str]
    """Old stratum to new stratum, for every old stratum."""
    stratum_size: Mapping[str, int]
    """Rows of the population in each new stratum; they sum to what the old ones summed to."""
    merges: tuple[Merged, ...]
    """What was merged, for the report; empty when nothing was."""
    too_few: tuple[str, ...]
    """New strata that still have fewer than two usable units; at most one, with every column dropped."""


def stratum_name(values: Sequence[str]) -> str:
    r"""The name of the stratum with these column values, for people to read.

    Different values never share a name: `|` and a backslash inside a value are escaped, an empty value is
    written `(none)`, no columns at all `everything`, and a value that looks like one of these words, or like
    the `*` of a merged stratum, gets a backslash in front.

    >>> stratum_name(["clean", "longfact"])
    'clean | longfact'
    >>> print(stratum_name(["a|b", "", "*"]))
    a\|b | (none) | \*
    """
    return " | ".join(map(_written, values)) if values else EVERYTHING


def stratum_values(name: str) -> tuple[str, ...]:
    r"""The column values behind a stratum's name: the inverse of `stratum_name`.

    A column that a merge has dropped comes back as `*`.

    >>> stratum_values(r"a\|b | (none) | \*")
    ('a|b', '', '*')
    """
    return tuple("" if piece == MISSING else re.sub(r"\\(.)", r"\1", piece, flags=re.S) for piece in _pieces(name))


def _written(value: str) -> str:
    if value in ("", MISSING, ANY, EVERYTHING):
        return f"\\{value}" if value else MISSING
    return re.sub(r"([\\|])", r"\\\1", value)


def _pieces(name: str) -> list[str]:
    """The escaped values; no value is written as an empty text, and one space on either side of a bar is not its."""
    if name == EVERYTHING:
        return []
    found = re.findall(r"(?:\\.|[^\\|])+", name, flags=re.S)
    last = len(found) - 1
    return [text[i > 0 : len(text) - (i < last)] for i, text in enumerate(found)]


def merge_small(
    strata: Sequence[str],
    columns: Sequence[str],
    usable_units: Mapping[str, int | Collection[str]],
    stratum_size: Mapping[str, int],
    order: Sequence[str] = MERGE_ORDER,
) -> Merge:
    """Merge strata with fewer than two usable units, along a fixed order of columns.

    A stratum is small when it has fewer than two usable units and is not complete (every row usable). Columns
    are dropped one after the other; whenever small strata remain, each is merged with all strata that agree
    with it on the columns still kept. Sizes and counts of usable labels decide, never what a label says:
    merging by outcomes would bias the estimate.

    Args:
        strata: All strata, as named by `stratum_name`.
        columns: The names of the columns behind the strata, in the order of their values.
        usable_units: For each stratum how many units carry a usable label (absent = 0); or which, where strata
            share units: then a unit is counted once in a merged stratum. In a linked draw count the contexts.
        stratum_size: Rows of the population in each stratum; an empty stratum is never small.
        order: Columns to drop, first one first. Names that are not columns are passed over; columns that are
            not named follow, from the last to the first.

    Raises:
        ValueError: A stratum has no size, does not fit the columns, or is listed twice; or one with usable units is
            not listed.

    Source: collapsed strata with a choice that does not look at the outcome: Cochran (1977), Sampling
    Techniques, 3rd ed., section 5A.12.

    >>> names = ["a | 1", "a | 2", "b | 1"]
    >>> sizes = {name: 10 for name in names}
    >>> merge_small(names, ["condition", "run"], {"a | 1": 1, "a | 2": 4, "b | 1": 2}, sizes).stratum
    {'a | 1': 'a | *', 'a | 2': 'a | *', 'b | 1': 'b | 1'}
    """
    _check(strata, columns, stratum_size)
    refuse_unknown(strata, {"usable_units": usable_units})

    def is_small(members: Sequence[str]) -> bool:
        return _is_small(members, usable_units, stratum_size)

    return _merge(strata, columns, is_small, usable_units, stratum_size, order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Small:
    """A stratum that is too small to stand alone in a draw."""

    stratum: str
    stratum_size: int
    planned: float
    """Its proportional share of the sample, before any floor."""


def small_strata(stratum_size: Mapping[str, int], total: int, *, least: int = 2, smallest: int = 0) -> list[Small]:
    """The strata whose proportional share of a sample is under `least`, or that have under `smallest` items.

    A floor would still give each of them `least` items, at the cost of the others: report them, and merge them with
    `collapse` if that cost is too high. A stratum that its share takes whole is not small, unless `smallest` says so.

    Args:
        stratum_size: Items of the population in each stratum; an empty stratum is never small.
        total: Items that will be drawn.
        least: Fewest items that a stratum is worth having for; two are needed for a variance.
        smallest: Fewest items of the population in a stratum.

    Raises:
        ValueError: A size or the total is negative.

    >>> small_strata({"a": 90, "b": 10}, 10)
    [Small(stratum='b', stratum_size=10, planned=1.0)]
    """
    check_total(stratum_size, total)
    planned = _planned(stratum_size, total)
    return [
        Small(stratum=name, stratum_size=size, planned=planned[name])
        for name, size in stratum_size.items()
        if _is_thin([name], stratum_size, planned, least, smallest)
    ]


def collapse(
    stratum_size: Mapping[str, int],
    columns: Sequence[str],
    total: int,
    *,
    least: int = 2,
    smallest: int = 0,
    order: Sequence[str] = MERGE_ORDER,
) -> Merge:
    """Merge the strata that `small_strata` finds, before the draw, by the rule of `merge_small`.

    Only the sizes of the frame and of the sample decide, so a draw from the merged strata needs no correction.
    `usable_units` of the report is the planned share, rounded down; `too_few` names what is still small.

    Args:
        stratum_size: Items of the population in each stratum, as named by `stratum_name`.
        columns: The names of the columns behind the strata, in the order of their values.
        total: As in `small_strata`, as are `least` and `smallest`.
        least: See there.
        smallest: See there.
        order: As in `merge_small`.

    Raises:
        ValueError: A stratum does not fit the columns, or a size or the total is negative.

    >>> collapse({"a | 1": 90, "a | 2": 5, "b | 1": 45}, ["condition", "run"], 28).stratum
    {'a | 1': 'a | *', 'a | 2': 'a | *', 'b | 1': 'b | 1'}
    """
    strata = list(stratum_size)
    _check(strata, columns, stratum_size)
    check_total(stratum_size, total)
    planned = _planned(stratum_size, total)

    def is_small(members: Sequence[str]) -> bool:
        return _is_thin(members, stratum_size, planned, least, smallest)

    return _merge(strata, columns, is_small, planned, stratum_size, order)


def _planned(stratum_size: Mapping[str, int], total: int) -> dict[str, float]:
    population = sum(stratum_size.values())
    return {name: min(total, population) * size / population if size else 0.0 for name, size in stratum_size.items()}


def _is_thin(
    members: Sequence[str],
    stratum_size: Mapping[str, int],
    planned: Mapping[str, float],
    least: int,
    smallest: int,
) -> bool:
    size, share = (sum(values[name] for name in members) for values in (stratum_size, planned))
    return 0 < size < smallest or share < min(least, size) - 1e-9


def _merge(
    strata: Sequence[str],
    columns: Sequence[str],
    is_small: Callable[[Sequence[str]], bool],
    units: Mapping[str, int | Collection[str]] | Mapping[str, float],
    stratum_size: Mapping[str, int],
    order: Sequence[str],
) -> Merge:
    """Drops columns one after the other, as long as there are small strata, and puts those with their siblings."""
    pieces = {name: _pieces(name) for name in strata}
    groups = {name: [name] for name in strata}
    dropped: set[int] = set()
    for column in _positions(columns, order):
        dropped.add(column)
        small = [old for old in groups.values() if is_small(old)]
        if not small:
            break
        keys = {_kept(pieces[members[0]], dropped) for members in small}
        groups = _regroup(groups, pieces, dropped, keys)
    size = {new: sum(stratum_size[old] for old in members) for new, members in groups.items()}
    return Merge(
        stratum={old: new for new, members in groups.items() for old in members},
        stratum_size=size,
        merges=tuple(
            Merged(stratum=new, members=tuple(old), stratum_size=size[new], usable_units=int(_count(old, units)))
            for new, old in groups.items()
            if len(old) > 1
        ),
        too_few=tuple(new for new, old in groups.items() if is_small(old)),
    )


def _check(strata: Sequence[str], columns: Sequence[str], stratum_size: Mapping[str, int]) -> None:
    if len(set(strata)) < len(strata):
        raise ValueError("a stratum is listed twice; give each stratum once")
    for name in strata:
        if name not in stratum_size:
            raise ValueError(f"stratum {name!r} has no size; give the rows of the population in every stratum")
        if len(_pieces(name)) != len(columns):
            raise ValueError(
                f"stratum {name!r} has {len(_pieces(name))} values for the {len(columns)} columns "
                f"{', '.join(columns)}; name strata with `stratum_name`, one value per column"
            )


def _positions(columns: Sequence[str], order: Sequence[str]) -> list[int]:
    """Positions of the columns, in the order in which they are dropped."""
    named = [columns.index(column) for column in order if column in columns]
    return named + [i for i in reversed(range(len(columns))) if i not in named]


def _count(members: Sequence[str], units: Mapping[str, int | Collection[str]] | Mapping[str, float]) -> float:
    """Units of the strata together; units given by name are counted once."""
    found = [units.get(name, 0) for name in members]
    known = {unit for some in found if not isinstance(some, int | float) for unit in some}
    return len(known) + sum(some for some in found if isinstance(some, int | float))


def _is_small(
    members: Sequence[str], usable_units: Mapping[str, int | Collection[str]], stratum_size: Mapping[str, int]
) -> bool:
    if _count(members, usable_units) >= 2:
        return False
    return any(_count([name], usable_units) < stratum_size[name] for name in members)


def _kept(pieces: Sequence[str], dropped: Collection[int]) -> tuple[str, ...]:
    """The values that still matter, with `*` in place of the others."""
    return tuple(ANY if i in dropped else piece for i, piece in enumerate(pieces))


def _regroup(
    groups: Mapping[str, list[str]],
    pieces: Mapping[str, list[str]],
    dropped: Collection[int],
    keys: Collection[tuple[str, ...]],
) -> dict[str, list[str]]:
    """The groups, with all that agree with one of `keys` put together; a group without siblings keeps its name."""
    siblings: dict[str, list[str]] = {}
    for name, members in groups.items():
        key = _kept(pieces[members[0]], dropped)
        siblings.setdefault(" | ".join(key) if key in keys else name, []).append(name)
    return {
        new if len(names) > 1 else names[0]: [member for name in names for member in groups[name]]
        for new, names in siblings.items()
    }
