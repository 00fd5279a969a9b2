"""Detector of a name in another alphabet: Толстой for Tolstoy, Papandreou for Παπανδρέου.

Languages write foreign names by their own ear (Chekhov, Tschechow, Tchekhov), so two spellings are compared by what is
left of both when the letters that they differ in are folded together.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from data.leaks.answer import Answer
from data.leaks.forms import nominatives
from data.leaks.lexicon import LEXICON
from data.leaks.matches import Match
from data.leaks.written import FUNCTION, Written

_FOREIGN = re.compile("[\u0370-\u052f\u1f00-\u1fff]")

LEAST, LEAST_SOUNDS = 4, 3
"""Fewest letters of a name, and of its sound, that are compared."""

_LETTERS: dict[str, str] = {**LEXICON["latin"]["cyrillic"], **LEXICON["latin"]["greek"]}
_PAIRS: dict[str, str] = LEXICON["latin"]["pairs"]
_SOUNDS = tuple((re.compile(pattern), sound) for pattern, sound in LEXICON["latin"]["sounds"])


def transliterated(answer: Answer, text: Written) -> Iterator[Match]:
    """A name whose words stand in their order, at least one in another alphabet."""
    words = answer.words[answer.core[0].first : answer.core[-1].last]
    if len(words) > 5 or not all(answer.text[w.start].isupper() or w.text in FUNCTION for w in words):
        return
    wanted = [word.text for word in words]
    if _is_latin(wanted[0]) and not _FOREIGN.search(text.text):
        return
    for at in range(len(text.words) - len(wanted) + 1):
        run = text.words[at : at + len(wanted)]
        if text.text[run[0].start].isupper() and _is_said(wanted, [word.text for word in run]):
            yield Match(*text.span(at, at + len(wanted)), 0.75 if len(wanted) > 1 else 0.6)


def _is_said(wanted: Sequence[str], run: Sequence[str]) -> bool:
    pairs = list(zip(wanted, run, strict=True))
    return any(a != b for a, b in pairs) and all(a == b or sounds_alike(a, b) for a, b in pairs)


@lru_cache(maxsize=200_000)
def sounds_alike(one: str, other: str) -> bool:
    """Whether two folded words, one in Latin letters and one in Cyrillic or Greek ones, can be one name.

    >>> sounds_alike("dostoyevsky", "достоевскии"), sounds_alike("tolstoi", "толстого"), sounds_alike("lenin", "ленин")
    (True, True, True)
    >>> sounds_alike("papandreou", "παπανδρεου"), sounds_alike("tolstoi", "толстои"), sounds_alike("oslo", "орел")
    (True, True, False)
    """
    if _is_latin(one) == _is_latin(other):
        return False
    latin, foreign = (one, other) if _is_latin(one) else (other, one)
    said = _sound(latin)
    if min(len(latin), len(foreign)) < LEAST or len(said) < LEAST_SOUNDS or said[0] != _sound(foreign)[:1]:
        return False
    return any(_sound(form) == said for form in nominatives(foreign))


def _is_latin(word: str) -> bool:
    return word[0] < "\u0370"


@lru_cache(maxsize=200_000)
def _sound(word: str) -> str:
    for pair, latin in _PAIRS.items():
        word = word.replace(pair, latin)
    said = "".join(_LETTERS.get(letter, letter) for letter in word)
    for pattern, sound in _SOUNDS:
        said = pattern.sub(sound, said)
    return said
