"""Words as they are compared: case, accents, Unicode forms, punctuation and invisible marks do not count.

Every word keeps the code-point offsets of the original text, so that what is found can be shown where it stands.
"""

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u309f"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that put no space between words (Thai, Lao, Burmese, Khmer, Hiragana, Han): each letter is a word."""

_APOSTROPHES = "'’‘ʼ＇`´"
_LETTERS = str.maketrans("øłđıæœßþðأإآٱىئؤةیک", "oldi\ue000\ue001\ue002\ue003dاااايءءهيك")
_LIGATURES = {"\ue000": "ae", "\ue001": "oe", "\ue002": "ss", "\ue003": "th"}
_DROPPED = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u093c\u20d0-\u20ff"
    + _APOSTROPHES
    + "]"
)
"""Accents, vowel points and the like; vowel signs of Indian scripts are letters and stay."""


def _of_category(*wanted: str) -> str:
    """A character class of these categories, as ranges."""
    ranges: list[list[int]] = []
    for code in range(0x300, min(sys.maxunicode, 0x20000)):
        if unicodedata.category(chr(code)) in wanted:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


_MARKS = _of_category("Mn", "Mc", "Me")
_UNSEEN = "\u00ad" + _of_category("Cf")
_GLUE = f"{_MARKS}{_UNSEEN}"
_LETTER = rf"[^\W\d_{_UNSPACED}]"
_WORD = re.compile(
    rf"\d[\d{_GLUE}]*(?:[.,٫٬’'][{_GLUE}]*\d[\d{_GLUE}]*)*(?:{_LETTER}[{_GLUE}]*)*"
    rf"|[{_UNSPACED}][{_MARKS}{_UNSEEN}]*"
    rf"|{_LETTER}(?:[^\W_{_UNSPACED}]|[{_GLUE}]|[{_APOSTROPHES}](?=[^\W_]))*"
)
_GROUPS = re.compile(r"(?<=\d)[,٬’'](?=\d{3}(?!\d))")


class Word(NamedTuple):
    """One folded word and where it stands in the original text."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=200_000)
def fold(word: str) -> str:
    """One word without case, accents, Unicode forms, digits of its script and digit grouping.

    >>> fold("Élysée"), fold("ＦＵＬＬ"), fold("3,600,000"), fold("١٩٧٤"), fold("Straße")
    ('elysee', 'full', '3600000', '1974', 'strasse')
    """
    plain = word.casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain).casefold().translate(_LETTERS)
        plain = "".join(map(_plain, _DROPPED.sub("", plain)))
        plain = unicodedata.normalize("NFC", plain).translate(_LETTERS)
        plain = "".join(_LIGATURES.get(c, c) for c in plain)
    plain = _GROUPS.sub("", plain) if plain[:1].isdigit() else plain
    return _DROPPED.sub("", plain)


def _plain(letter: str) -> str:
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    return {"٫": ".", "٬": ","}.get(letter, "" if unicodedata.category(letter) == "Cf" else letter)


def words(text: str) -> list[Word]:
    """The folded words of a text, with their places in it.

    >>> words("The Élysée, 1974年")
    [Word(text='the', start=0, end=3), Word(text='elysee', start=4, end=10), Word(text='1974', start=12, end=16), \
Word(text='年', start=16, end=17)]
    """
    return list(_words(text))


def _words(text: str) -> Iterator[Word]:
    for found in _WORD.finditer(text):
        folded = fold(found[0])
        if folded:
            yield Word(folded, found.start(), found.end())


@lru_cache(maxsize=200_000)
def is_unspaced(word: str) -> bool:
    """Whether a folded word is one letter of a script that puts no space between words."""
    return re.match(f"[{_UNSPACED}]", word) is not None
