"""Numbers with their units: lengths, weights, durations, shares and money, in one base unit each."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from data.leaks.folding import Word
from data.leaks.lexicon import LEXICON, listed
from data.leaks.numerals import Number

UNITS = {
    name: (kind, Decimal(size))
    for kind, sizes in LEXICON["units"].items()
    if kind != "short"
    for size in sizes
    for name in listed("units", kind, size)
}
"""What a folded unit measures, and how large it is in the base unit of that."""

_SHORT = frozenset(listed("units", "short"))
"""Units so short that they count only right behind digits."""

_SIGNS = {"%": ("share", Decimal("0.01")), "％": ("share", Decimal("0.01")), "٪": ("share", Decimal("0.01")),
          "℃": ("celsius", Decimal(1)), "℉": ("fahrenheit", Decimal(1))}  # fmt: skip
_BEFORE = {"$": ("USD", Decimal(1)), "€": ("EUR", Decimal(1)), "£": ("GBP", Decimal(1))}


_TEMPERATURES = {"c": "celsius", "f": "fahrenheit", "celsius": "celsius", "centigrade": "celsius",
                 "fahrenheit": "fahrenheit"}  # fmt: skip


class Quantity(NamedTuple):
    """A number with what it counts: value in the base unit, what is measured (None for a bare number), words used."""

    value: Decimal
    kind: str | None
    first: int
    last: int
    number: Number
    size: Decimal
    """Of its unit, in the base unit."""


def quantities(found: Sequence[Word], numbers: Sequence[Number], text: str) -> list[Quantity]:
    """Every number with its unit, neighbours of one kind added up: an hour and a half, 1 h 30 min.

    >>> from data.leaks.folding import words
    >>> from data.leaks.numerals import numbers
    >>> w = words(t := "an hour and a half; 90 minutes")
    >>> [(str(q.value), q.kind) for q in quantities(w, numbers(w, t), t)]
    [('5400.0', 'duration'), ('5400', 'duration')]
    """
    single = sorted((*_counted(found, numbers, text), *_worded(found)), key=lambda quantity: quantity.first)
    result: list[Quantity] = []
    for one in single:
        last = result[-1] if result else None
        if last is not None and one.first < last.last:
            continue
        if last is not None and _adds(found, last, one, text):
            result[-1] = last._replace(value=last.value + one.value, last=one.last)
        else:
            result.append(one)
    return result


def _counted(found: Sequence[Word], numbers: Sequence[Number], text: str) -> Iterator[Quantity]:
    for number in numbers:
        unit, last = _unit(found, number, text)
        kind, size = unit or (None, Decimal(1))
        value = number.value * size
        if kind is not None and (extra := _half(found, last)):
            value, last = value + size * extra[0], extra[1]
        yield Quantity(value, kind, number.first, last, number, size)


def _unit(found: Sequence[Word], number: Number, text: str) -> tuple[tuple[str, Decimal] | None, int]:
    """The unit of a number and the word after it."""
    at = number.last
    if number.tail:
        # 1860s are years, 90s are seconds or years: no unit is read.
        return UNITS.get(number.tail) if number.tail != "s" else None, at
    if (degrees := _degrees(found, at, text)) is not None:
        return degrees
    after = text[found[at - 1].end :].lstrip()[:1] if at else ""
    before = text[: found[number.first].start].rstrip()[-1:]
    if after in _SIGNS or before in _BEFORE:
        return _SIGNS.get(after) or _BEFORE[before], at
    word = found[at].text if at < len(found) else ""
    if word == "per" and at + 1 < len(found) and found[at + 1].text == "cent":
        return UNITS["percent"], at + 2
    if word == "and" and (extra := _half(found, at)) and extra[1] < len(found) and found[extra[1]].text in UNITS:
        # One and a half hours.
        kind, size = UNITS[found[extra[1]].text]
        return (kind, size * (1 + extra[0] / number.value) if number.value else size), extra[1] + 1
    is_written = found[number.last - 1].text[:1].isdigit()
    return (UNITS[word], at + 1) if word in UNITS and (is_written or word not in _SHORT) else (None, at)


def _degrees(found: Sequence[Word], at: int, text: str) -> tuple[tuple[str, Decimal], int] | None:
    """30 °C, 30 degrees Celsius, 30°: the scale where it is said; None where there are no degrees."""
    is_signed = text[found[at - 1].end :].lstrip()[:1] == "°"
    after = at if is_signed else at + 1
    if not is_signed and (at >= len(found) or UNITS.get(found[at].text, ("",))[0] != "degree"):
        return None
    is_near = after < len(found) and text[found[after - 1].end : found[after].start].strip() in ("", "°")
    scale = _TEMPERATURES.get(found[after].text) if is_near else None
    return (scale or "degree", Decimal(1)), after + (scale is not None)


_PARTS = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}


def _half(found: Sequence[Word], at: int) -> tuple[Decimal, int] | None:
    """The "and a half" at a place, and the word after it."""
    here = [word.text for word in found[at : at + 3]]
    return (_PARTS[here[2]], at + 3) if here[:2] == ["and", "a"] and here[2:] and here[2] in _PARTS else None


def _worded(found: Sequence[Word]) -> Iterator[Quantity]:
    """An hour, half a century, a fortnight: no number is written."""
    for at in range(len(found) - 1):
        here, after = found[at].text, found[at + 1].text
        if here == "half" and after in ("a", "an") and at + 2 < len(found) and found[at + 2].text in UNITS:
            yield _one(found, at, at + 2, Decimal("0.5"))
        elif here in ("a", "an") and after in UNITS and after not in _SHORT:
            yield _one(found, at, at + 1, Decimal(1))


def _one(found: Sequence[Word], first: int, at: int, part: Decimal) -> Quantity:
    kind, size = UNITS[found[at].text]
    extra = _half(found, at + 1)
    value, last = (part + extra[0], extra[1]) if extra else (part, at + 1)
    return Quantity(value * size, kind, first, last, Number(value, first, last, False, ""), size)


def _adds(found: Sequence[Word], one: Quantity, other: Quantity, text: str) -> bool:
    """Whether a smaller unit of the same kind follows at once."""
    between = text[found[one.last - 1].end : found[other.first].start].strip()
    return (
        one.kind in ("duration", "length", "mass")
        and one.kind == other.kind
        and between in ("", "and")
        and other.size < one.size
    )
