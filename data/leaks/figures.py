"""Detectors of numbers, units, durations and dates that are written in another way; they do no arithmetic."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from data.leaks.answer import Answer
from data.leaks.forms import alike
from data.leaks.lexicon import listed
from data.leaks.matches import Match
from data.leaks.numerals import decimal
from data.leaks.quantities import Quantity
from data.leaks.written import FUNCTION, Written

DISTINCT = 100
"""A bare number from here on says something by itself; below, the thing that is counted must stand beside it."""


def figure(answer: Answer, text: Written) -> Iterator[Match]:
    """The answer's number with its unit, however both are written: 3.6 million, ninety minutes, an hour and a half."""
    if len(answer.quantities) != 1 or answer.dates:
        return
    asked = answer.quantities[0]
    words = [w.text for i, w in enumerate(answer.words) if not asked.first <= i < asked.last]
    nouns = [
        word for word in words if word not in FUNCTION and word not in ("about", "approximately", "around", "over")
    ]
    if len(nouns) > 2 or (asked.number.is_ordinal and nouns):
        return
    for found in text.quantities:
        strength = _strength(answer, asked, found, text, nouns)
        if strength and not _is_same(answer, text, found):
            yield Match(*text.span(found.first, found.last), strength)


def _strength(answer: Answer, asked: Quantity, found: Quantity, text: Written, nouns: list[str]) -> float:
    if asked.number.tail == "s":
        return 0.7 if not nouns and _is_decade(asked, found, text) else 0.0
    if not _equal(asked, found, text) or asked.number.is_ordinal != found.number.is_ordinal:
        return 0.0
    if asked.kind is not None:
        return 0.9
    if is_counted(nouns or answer.topic, text, found.last):
        return 0.9
    # What else the answer names (a place, a style) is missing here; only the thing that is counted may be.
    is_whole = len(nouns) <= 1 and not any(answer.text[w.start].isupper() for w in answer.words if w.text in nouns)
    return 0.7 if asked.value >= DISTINCT and is_whole else 0.0


def _is_decade(asked: Quantity, found: Quantity, text: Written) -> bool:
    """Whether both are one decade; without a century it is one of the twentieth, unless it is somebody's age."""
    if found.number.tail != "s" or (found.first and text.words[found.first - 1].text in _OWNERS):
        return False
    short, long = sorted((asked.value, found.value))
    return short == long or (short < 100 and long == 1900 + short)


_OWNERS = frozenset(listed("owners"))


def is_counted(nouns: Sequence[str], text: Written, last: int) -> bool:
    """Whether one of the things that are counted stands right behind a number that ends before a word."""
    beside = {word.text for word in text.words[last : last + 3]}
    return any(alike(noun, other) for noun in nouns for other in beside if len(noun) > 2)


def is_count_of_some(answer: Answer, text: Written, last: int) -> bool:
    """Whether an amount is asked, and ten or more of something stand here: 12 apostles, not room 12 or 12 hours.

    Two digits seldom agree by chance; what is counted may have another name in the question.
    """
    if answer.quantities[0].value < 10 or not asks_amount(answer) or last >= len(text.words):
        return False
    if last in text.measured:
        return False
    noun = text.words[last]
    is_beside = not text.text[text.words[last - 1].end : noun.start].strip()
    return is_beside and len(noun.text) > 3 and noun.text.endswith("s") and not noun.text.endswith("ss")


_AMOUNT = frozenset(listed("amount"))


def asks_amount(answer: Answer) -> bool:
    """Whether the question asks how many or how much."""
    return not _AMOUNT.isdisjoint(answer.topic)


def has_other_unit(answer: Answer, text: Written, start: int) -> bool:
    """Whether a place has the answer's number without the sign that gives it its unit: ten, for 10 %."""
    asked = answer.quantities[0] if len(answer.quantities) == 1 else None
    if asked is None or asked.kind is None or asked.last != asked.number.last or asked.number.tail:
        return False
    here = text.quantity_at.get(start)
    return here is not None and here.kind != asked.kind


def _equal(asked: Quantity, found: Quantity, text: Written) -> bool:
    """Equal values of one kind; a bare number is equal to one with a unit, where the answer names none."""
    if asked.kind is not None and found.kind is not None:
        return _is_one_kind(asked.kind, found.kind) and abs(asked.value - found.value) <= abs(asked.value) * Decimal(
            "1e-9"
        )
    if asked.kind is not None:
        return False
    if asked.number.tail != found.number.tail:
        return False
    values = {found.number.value}
    digits = text.words[found.first].text
    if re.fullmatch(r"\d{1,3}\.\d{3}", digits) and found.number.value == decimal(digits):
        values.add(found.number.value * 1000)
    return asked.value in values and (found.kind is None or found.kind in ("USD", "EUR", "GBP"))


def _is_one_kind(one: str, other: str) -> bool:
    """The same, or degrees whose scale only one of them names."""
    return one == other or ("degree" in (one, other) and {one, other} <= {"degree", "celsius", "fahrenheit"})


def _is_same(answer: Answer, text: Written, found: Quantity) -> bool:
    """Whether the very words of the answer stand here, which other detectors report."""
    keys = [term.key for term in answer.core]
    at = text.term_from(found.first)
    return [term.key for term in text.terms[at : at + len(keys)]] == keys and (
        " ".join(w.text for w in answer.words[answer.core[0].first : answer.core[-1].last])
        == " ".join(w.text for w in text.words[found.first : found.first + len(keys)])
    )


def date(answer: Answer, text: Written) -> Iterator[Match]:
    """The answer's date in another form: 12 May, May 12th, 1974-05-12, in any language that is read."""
    if len({date[:3] for date in answer.dates}) not in (1, 2) or len(answer.content) > 5:
        yield from _year(answer, text)
        return
    keys = [term.key for term in answer.core]
    for found in text.dates:
        said = [term.key for term in text.terms[text.term_from(found.first) : text.term_from(found.last)]]
        if said != keys and any(found.establishes(asked) for asked in answer.dates):
            yield Match(*text.span(found.first, found.last), 0.9)


def _year(answer: Answer, text: Written) -> Iterator[Match]:
    """A bare year inside a date that is all numbers."""
    year = answer.numbers[0].value if len(answer.core) == 1 and len(answer.numbers) == 1 else None
    for found in text.dates if year is not None and year >= 1000 else ():
        if found.year == year and found.last - found.first <= 1:
            yield Match(*text.span(found.first, found.last), 0.9)
