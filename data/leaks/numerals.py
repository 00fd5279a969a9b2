"""Numbers as they are written: digits, number words, scale words, Chinese and Indian numerals, as one value each."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

from data.leaks.folding import Word
from data.leaks.lexicon import LEXICON, listed

SMALL = {word: value for value, word in enumerate(listed("numbers", "ones"))} | {
    word: 10 * value for value, word in enumerate(listed("numbers", "tens"), 2)
}
"""Number words below a hundred."""

ORDINALS = (
    {f"{word}th": value for word, value in SMALL.items() if value and word[-1] not in "etoy"}
    | {f"{word[:-1]}ieth": value for word, value in SMALL.items() if value >= 20}
    | {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
)
DECADES = {f"{word[:-1]}ies": value for word, value in SMALL.items() if value >= 20}
"""Twenties to nineties; a number with the tail "s", as in 70s."""
SCALES = {word: int(value) for value in LEXICON["scales"] for word in listed("scales", value)}
"""Scale words by their value, as folded."""

LOOSE = frozenset(listed("numbers", "loose"))
"""Scale words that count only where a number stands right before them."""

_CJK_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "両": 2, "两": 2}
_CJK_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_FORM = re.compile(r"(\d+(?:[.,]\d+)*)([^\W\d]*)")


class Number(NamedTuple):
    """A number in a text: its value, the first word and the one after the last, and how it is written."""

    value: Decimal
    first: int
    last: int
    is_ordinal: bool
    tail: str
    """Letters glued to the digits that are no scale or ordinal ending: the "km" of "98km"."""


def numbers(found: Sequence[Word], text: str) -> list[Number]:
    """Every number of a text, longest first reading, left to right.

    >>> from data.leaks.folding import words
    >>> text = "nineteen seventy-four, 3.6 million, 三百六十万"
    >>> [str(number.value) for number in numbers(words(text), text)]
    ['1974', '3600000.0', '3600000']
    """
    at, result = 0, []
    while at < len(found):
        number = _digits(found, at, text) or _spelled(found, at) or _chinese(found, at)
        if number is not None:
            result.append(number)
        at = number.last if number is not None else at + 1
    return result


@lru_cache(maxsize=50_000)
def decimal(digits: str) -> Decimal | None:
    """The value of folded digits; a comma or point before three digits groups, else it is the decimal sign.

    >>> decimal("3.6"), decimal("3,6"), decimal("3.600.000"), decimal("1.2.3")
    (Decimal('3.6'), Decimal('3.6'), Decimal('3600000'), None)
    """
    if re.fullmatch(r"\d{1,3}([.,]\d{3}){2,}", digits):
        digits = re.sub("[.,]", "", digits)
    try:
        return Decimal(digits.replace(",", "."))
    except InvalidOperation:
        return None


def _digits(found: Sequence[Word], at: int, text: str) -> Number | None:
    form = _FORM.fullmatch(found[at].text)
    if form is None:
        return None
    digits, tail, last = form[1], form[2], at + 1
    # 3 600 000, with spaces of any width between groups of three.
    while not tail and len(digits) <= 3 * (last - at) and "." not in digits and _continues(found, last, text):
        digits, last = digits + found[last].text, last + 1
    value = decimal(digits)
    if value is None:
        return None
    if not tail and last < len(found) and found[last].text == "s" and text[found[last].start - 1] in "'’":
        # The 1970's.
        tail, last = "s", last + 1
    is_ordinal = tail in ("st", "nd", "rd", "th")
    if tail in SCALES and not is_ordinal:
        value, tail = value * SCALES[tail], ""
    # 1.2 m is a length; 1.2m is a million for most writers.
    while not tail and last < len(found) and found[last].text != "m" and (scale := _scale(found, last)):
        value, last = value * scale, last + 1
    return Number(value, at, last, is_ordinal, "" if is_ordinal else tail)


def _continues(found: Sequence[Word], at: int, text: str) -> bool:
    if at >= len(found) or not re.fullmatch(r"\d{3}", found[at].text) or len(found[at - 1].text) > 3:
        return False
    return text[found[at - 1].end : found[at].start] in (" ", "\u00a0", "\u202f", "\u2009")


def _scale(found: Sequence[Word], at: int) -> int:
    word = found[at].text
    return SCALES.get(word, 0) or _CJK_SCALES.get(word, 0)


def _spelled(found: Sequence[Word], at: int) -> Number | None:
    """English number words: a year in two pairs, a decimal with "point", a sum with scales; the longest that fits."""
    total, group, last, is_ordinal = Decimal(0), None, at, False
    while last < len(found) and not is_ordinal:
        word = found[last].text
        if word in SMALL and _may_follow(group, SMALL[word], total):
            group = (group or Decimal(0)) + SMALL[word]
        elif word in ORDINALS and _may_follow(group, ORDINALS[word], total):
            group, is_ordinal = (group or Decimal(0)) + ORDINALS[word], True
        elif group is not None and word in SCALES and word not in LOOSE and (SCALES[word] > 100 or group < 100):
            group, total = _scaled(group, total, SCALES[word])
        elif group is not None and 10 <= group < 100 and word in SMALL and SMALL[word] >= 10 and not total:
            # Nineteen seventy-four, twenty twenty: a year, or a house number.
            return _year(found, at, last, group)
        elif group is not None and 10 <= group < 100 and word in DECADES and not total:
            return Number(group * 100 + DECADES[word], at, last + 1, False, "s")
        elif word == "point" and group is not None and _is_small(found, last + 1):
            return _point(found, at, last, total + group)
        elif word == "oh" and group is not None and 10 <= group < 100 and not total and _is_small(found, last + 1):
            return Number(group * 100 + SMALL.get(found[last + 1].text, 0), at, last + 2, False, "")
        elif word == "and" and group is not None and _is_small(found, last + 1) and _joins(total, group):
            pass
        else:
            break
        last += 1
    if group is None and not total:
        return _special(found, at)
    return Number(total + (group or 0), at, last, is_ordinal, "")


def _may_follow(group: Decimal | None, value: int, total: Decimal) -> bool:
    """Whether a small number continues the group: after nothing or a scale, ones after tens, both after hundreds."""
    if group is None or (not group and total):
        return True
    rest = int(group) % 100
    return (rest == 0 and group > 0) or (rest >= 20 and rest % 10 == 0 and 0 < value < 10)


def _scaled(group: Decimal, total: Decimal, scale: int) -> tuple[Decimal, Decimal]:
    return (group * scale, total) if scale == 100 else (Decimal(0), total + (group or Decimal(1)) * scale)


def _is_small(found: Sequence[Word], at: int) -> bool:
    return at < len(found) and (found[at].text in SMALL or found[at].text in ORDINALS)


def _joins(total: Decimal, group: Decimal) -> bool:
    """Whether "and" goes on with the number (two hundred and five) rather than lists another (one and two)."""
    return (group >= 100 and int(group) % 100 == 0) or (not group and total > 0)


def _year(found: Sequence[Word], at: int, last: int, group: Decimal) -> Number:
    rest, end = SMALL[found[last].text], last + 1
    if rest >= 20 and end < len(found) and 0 < SMALL.get(found[end].text, 0) < 10:
        rest, end = rest + SMALL[found[end].text], end + 1
    return Number(group * 100 + rest, at, end, False, "")


def _point(found: Sequence[Word], at: int, last: int, whole: Decimal) -> Number:
    end, digits = last + 1, ""
    while end < len(found) and SMALL.get(found[end].text, 10) < 10:
        digits, end = digits + str(SMALL[found[end].text]), end + 1
    value = Decimal(f"{whole}.{digits or 0}")
    while end < len(found) and found[end].text in SCALES and found[end].text not in LOOSE:
        value, end = value * SCALES[found[end].text], end + 1
    return Number(value, at, end, False, "")


def _special(found: Sequence[Word], at: int) -> Number | None:
    """A dozen, half a million, the seventies; a hundred, where a scale follows."""
    here = found[at].text
    after = found[at + 1].text if at + 1 < len(found) else ""
    if here in DECADES:
        return Number(Decimal(DECADES[here]), at, at + 1, False, "s")
    if here == "dozen" or (here == "a" and after == "dozen"):
        return Number(Decimal(12), at, at + 1 + (here == "a"), False, "")
    if here in ("a", "an") and after in SCALES and after not in LOOSE:
        return Number(Decimal(SCALES[after]), at, at + 2, False, "")
    if here == "half" and after == "a" and at + 2 < len(found) and found[at + 2].text in SCALES:
        return Number(Decimal(SCALES[found[at + 2].text]) / 2, at, at + 3, False, "")
    return None


def _chinese(found: Sequence[Word], at: int) -> Number | None:
    """Chinese numerals: by place value (三百六十万) or digit by digit (一九七四)."""
    last = at
    while last < len(found) and (found[last].text in _CJK_DIGITS or found[last].text in _CJK_SCALES):
        last += 1
    letters = [word.text for word in found[at:last]]
    if not letters or letters[0] in "百千万萬亿億兆":
        return None
    if all(letter in _CJK_DIGITS for letter in letters):
        return Number(Decimal("".join(str(_CJK_DIGITS[letter]) for letter in letters)), at, last, False, "")
    total = section = digit = 0
    for letter in letters:
        scale = _CJK_SCALES.get(letter, 0)
        if not scale:
            digit = _CJK_DIGITS[letter]
        elif scale < 10**4:
            section, digit = section + (digit or 1) * scale, 0
        else:
            total, section, digit = total + (section + digit) * scale, 0, 0
    return Number(Decimal(total + section + digit), at, last, False, "")
