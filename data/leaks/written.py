"""A text as the detectors read it: its words, numbers, quantities and dates, each found once."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from data.leaks.dates import Date, dates
from data.leaks.folding import Word, words
from data.leaks.lexicon import listed
from data.leaks.numerals import Number, numbers
from data.leaks.quantities import Quantity, quantities

ARTICLES = frozenset({"the", "a", "an"})
FUNCTION = ARTICLES | frozenset(listed("function"))
"""Words that carry no answer of their own."""

_ROMAN = re.compile(r"(?=[IVX])(X{0,3})(IX|IV|V?I{0,3})")
_TENS_AND_ONES = {"": 0, "X": 10, "XX": 20, "XXX": 30, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7,
                  "VIII": 8, "IX": 9}  # fmt: skip


class Term(NamedTuple):
    """One unit of comparison: a word, or a number however it is written."""

    key: str
    first: int
    last: int


@dataclass(frozen=True)
class Written:
    """A text with what can be read from it; nothing is read before it is asked for."""

    text: str

    @cached_property
    def words(self) -> Sequence[Word]:
        """Its folded words."""
        return words(self.text)

    @cached_property
    def numbers(self) -> Sequence[Number]:
        """Its numbers."""
        return numbers(self.words, self.text)

    @cached_property
    def number_starts(self) -> frozenset[int]:
        """Where its numbers begin, in code points."""
        return frozenset(self.words[number.first].start for number in self.numbers)

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        """Its numbers with their units."""
        return quantities(self.words, self.numbers, self.text)

    @cached_property
    def quantity_at(self) -> Mapping[int, Quantity]:
        """The first of its quantities that begins at an offset."""
        return {self.words[found.first].start: found for found in reversed(self.quantities)}

    @cached_property
    def measured(self) -> frozenset[int]:
        """The words before which a number with a unit ends."""
        return frozenset(found.number.last for found in self.quantities if found.kind is not None)

    @cached_property
    def dates(self) -> Sequence[Date]:
        """Its dates."""
        return dates(self.words, self.numbers, self.text)

    @cached_property
    def terms(self) -> Sequence[Term]:
        """Its words with every number as its value, so that "eleven", "11" and "XI" compare equal."""
        by_first = {number.first: number for number in self.numbers}
        at, found = 0, []
        while at < len(self.words):
            number = by_first.get(at)
            last = number.last if number else at + 1
            found.append(Term(_key(number) if number else self._key_of_word(at), at, last))
            at = last
        return found

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """Where each term stands, by key."""
        found: dict[str, list[int]] = defaultdict(list)
        for at, term in enumerate(self.terms):
            found[term.key].append(at)
        return found

    def forms(self, key: str, same: Callable[[str, str], bool]) -> Sequence[str]:
        """The keys that are the same as one by some rule; letters of the alphabet never change at the front."""
        near = self._by_letter.get(key[0], ()) if key.isascii() else self.places
        return [other for other in near if same(key, other)]

    @cached_property
    def _by_letter(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for key in self.places:
            found[key[0]].append(key)
        return found

    @cached_property
    def word_places(self) -> Mapping[str, Sequence[int]]:
        """Where each folded word stands."""
        found: dict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(self.words):
            found[word.text].append(at)
        return found

    def _key_of_word(self, at: int) -> str:
        """A word, or the value of a Roman numeral behind a capitalised word."""
        word = self.words[at]
        roman = _ROMAN.fullmatch(self.text[word.start : word.end]) if at else None
        if roman and (self.text[self.words[at - 1].start].isupper() or word.end - word.start > 1):
            return f"#{_TENS_AND_ONES[roman[1]] + _TENS_AND_ONES[roman[2]]}"
        return word.text

    def word_from(self, offset: int) -> int:
        """The first word that begins at an offset or behind it; the number of words when none does."""
        return bisect_left(self.words, offset, key=attrgetter("start"))

    def term_from(self, word: int) -> int:
        """The first term that begins at a word or behind it; the number of terms when none does."""
        return bisect_left(self.terms, word, key=attrgetter("first"))

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Code-point offsets of the words first … last - 1."""
        return self.words[first].start, self.words[last - 1].end


def _key(number: Number) -> str:
    value = f"{number.value:f}"
    plain = value.rstrip("0").rstrip(".") if "." in value else value
    return f"#{plain}{'.' if number.is_ordinal else ''}{number.tail}"
