"""Detectors of short forms: acronyms both ways, and names with initials."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from data.leaks.answer import Answer
from data.leaks.folding import Word
from data.leaks.matches import Match
from data.leaks.written import FUNCTION, Written

_DOTTED = re.compile(r"(?<!\w)(?:[^\W\d_]\.\s?){2,}(?:[^\W\d_](?!\w))?")


def acronym(answer: Answer, text: Written) -> Iterator[Match]:
    """The first letters of the answer's words, as IEA or I.E.A., or the words behind an acronym."""
    yield from _shortened(answer, text)
    yield from _spelled_out(answer, text)


def _shortened(answer: Answer, text: Written) -> Iterator[Match]:
    words = [word for word in answer.words if word.text not in FUNCTION]
    if len(words) < 2 or not all(answer.text[word.start].isupper() for word in words):
        return
    # With and without the small words: DoD, but also USofA.
    forms = {_first_letters(answer, words), _first_letters(answer, answer.words)}
    short = {form.casefold() for form in forms if len(form) >= 3}
    places = [(word.start, word.end) for word in text.words if word.text in short]
    yield from (Match(start, end, 0.85) for start, end in places if sum(map(str.isupper, text.text[start:end])) >= 2)
    for found in _DOTTED.finditer(text.text):
        if "".join(filter(str.isalpha, found[0])).casefold() in {form.casefold() for form in forms}:
            yield Match(found.start(), found.end(), 0.85)
    if len(words) == 2 and len(answer.words) == 2:
        yield from _two_letters(_first_letters(answer, words), text)


def _two_letters(form: str, text: Written) -> Iterator[Match]:
    """UK, NZ: so short that they count in capitals only, and not where everything is in capitals."""
    if text.text.isupper():
        return
    for at in text.places.get(form.casefold(), ()):
        start, end = text.span(text.terms[at].first, text.terms[at].last)
        if text.text[start:end] == form:
            yield Match(start, end, 0.85)


def _first_letters(answer: Written, words: Sequence[Word]) -> str:
    return "".join(answer.text[word.start].upper() for word in words)


def _spelled_out(answer: Answer, text: Written) -> Iterator[Match]:
    """International Energy Agency, where the answer is IEA: capitalised words, small words between them."""
    letters = "".join(filter(str.isalnum, answer.text)).casefold()
    is_short = answer.text.isupper() or re.fullmatch(r"(?:[^\W\d_]\.\s?)+[^\W\d_]?", answer.text.strip())
    if not is_short or not 3 <= len(letters) <= 8 or not letters.isalpha():
        return
    for at in range(len(text.words)):
        end = _spelling(text, at, letters)
        if end is not None:
            yield Match(*text.span(at, end), 0.8)


def _spelling(text: Written, at: int, letters: str) -> int | None:
    """The word after the run that begins here and spells the letters; None when there is none."""
    done = 0
    while at < len(text.words):
        word = text.words[at]
        if word.text[0] == letters[done] and text.text[word.start].isupper():
            done += 1
        elif word.text not in FUNCTION or not done:
            return None
        at += 1
        if done == len(letters):
            return at
    return None


def initials(answer: Answer, text: Written) -> Iterator[Match]:
    """A name with given names shortened, written out or left away: J. F. Kennedy, John Kennedy."""
    names = [word.text for word in answer.words[answer.core[0].first : answer.core[-1].last]]
    if not 2 <= len(names) <= 5 or not all(answer.text[word.start].isupper() for word in answer.words[-1:]):
        return
    if any(name[0].isdigit() for name in names) or len(names[-1]) < 3 or not answer.is_spaced:
        return
    for at in text.places.get(names[-1], ()):
        last = text.terms[at].first
        first = _given(text, last, names[:-1])
        if first is not None and [word.text for word in text.words[first:last]] != names[:-1]:
            yield Match(*text.span(first, last + 1), 0.75)


def _given(text: Written, last: int, given: Sequence[str]) -> int | None:
    """Where a run before the surname begins that can stand for these given names; None when there is none."""
    for count in range(len(given) + 2, 0, -1):
        run = [word.text for word in text.words[max(last - count, 0) : last]]
        if len(run) == count and _stands_for(run, given) and _are_names(text, last - count, last):
            return last - count
    return None


def _stands_for(run: Sequence[str], given: Sequence[str]) -> bool:
    """Whether the first names agree, by initial at least, and middle names at most are missing."""
    if not _agrees(run[0], given[0]):
        return False
    short, long = sorted((list(run[1:]), list(given[1:])), key=len)
    rest = iter(long)
    is_part = all(any(_agrees(name, other) for other in rest) for name in short)
    return is_part and (len(run) == len(given) or len(run) < len(given) or len(given) > 1 or len(run) == 2)


def _agrees(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _are_names(text: Written, first: int, last: int) -> bool:
    """Whether every word is capitalised and only dots and blanks stand between them."""
    words = text.words[first : last + 1]
    return all(text.text[word.start].isupper() for word in words) and all(
        not text.text[a.end : b.start].strip(". \u00a0-") for a, b in pairwise(words)
    )
