"""Detectors of words: the answer word for word, in another order, inflected, or with a slip of the pen."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from data.leaks.answer import MOST_WORDS, Answer
from data.leaks.folding import Word
from data.leaks.forms import alike, is_inflected, is_same_name
from data.leaks.lexicon import listed
from data.leaks.written import ARTICLES, FUNCTION, Term, Written


class Match(NamedTuple):
    """Where a detector found the answer: code-point offsets of the original text, and how much it proves, in (0, 1]."""

    start: int
    end: int
    strength: float


def exact(answer: Answer, text: Written) -> Iterator[Match]:
    """The answer word for word, as it is written."""
    for start, end in _runs(answer, text):
        if text.text[start:end] in answer.text:
            yield Match(start, end, 1.0)


def normalised(answer: Answer, text: Written) -> Iterator[Match]:
    """The answer word for word, apart from case, accents, Unicode forms, punctuation and articles."""
    for start, end in _runs(answer, text):
        if text.text[start:end] not in answer.text:
            yield Match(start, end, 0.95)


def _runs(answer: Answer, text: Written) -> Iterator[tuple[int, int]]:
    """Where the words of the answer's core stand in their order; articles in between do not count."""
    wanted = [word.text for word in _core(answer)]
    for at in text.word_places.get(wanted[0], ()):
        last = _end(text.words, at, wanted)
        if last is not None:
            yield text.span(at, last)


def _core(answer: Answer) -> Sequence[Word]:
    words = answer.words[answer.core[0].first : answer.core[-1].last]
    return [word for i, word in enumerate(words) if not i or word.text not in ARTICLES]


def _end(found: Sequence[Word], at: int, wanted: Sequence[str]) -> int | None:
    """The word after the run that begins here; None when it is another."""
    matched = 0
    while at < len(found) and matched < len(wanted):
        if found[at].text == wanted[matched]:
            matched += 1
        elif found[at].text not in ARTICLES:
            return None
        at += 1
    return at if matched == len(wanted) else None


def number_word(answer: Answer, text: Written) -> Iterator[Match]:
    """The answer word for word, with a number in it written otherwise: Apollo Eleven, Louis the Fourteenth."""
    keys = [term.key for i, term in enumerate(answer.core) if not i or term.key not in ARTICLES]
    if not any(key.startswith("#") for key in keys):
        return
    said = [word.text for word in answer.words[answer.core[0].first : answer.core[-1].last]]
    for at in text.places.get(keys[0], ()):
        run = _numbered(text.terms, at, keys)
        if run:
            first, last = run[0].first, run[-1].last
            if [word.text for word in text.words[first:last]] != said:
                yield Match(*text.span(first, last), 0.9)


def _numbered(terms: Sequence[Term], at: int, keys: Sequence[str]) -> list[Term]:
    """The terms with these keys that begin at a place, articles in between left out; empty when others stand there.

    Behind a name a number may be an ordinal or not.
    """
    run: list[Term] = []
    while at < len(terms) and len(run) < len(keys):
        term, key = terms[at], keys[len(run)]
        if term.key == key or (run and key[0] == "#" and term.key.rstrip(".") == key.rstrip(".")):
            run.append(term)
        elif not run or term.key not in ARTICLES:
            return []
        at += 1
    return run if len(run) == len(keys) else []


def inflected(answer: Answer, text: Written) -> Iterator[Match]:
    """The answer's words in their order, at least one in another form."""
    keys = [term.key for term in answer.core if term.key not in ARTICLES]
    if not keys or not answer.is_spaced or len(keys) > MOST_WORDS:
        return
    # Иванов is no plural of Иван; a lone word that is capitalised in such a script is a name.
    is_name = answer.is_name or (
        not keys[0].isascii() and answer.text[answer.words[answer.core[0].first].start].isupper()
    )
    terms, same = text.terms, is_same_name if is_name else alike
    first_forms = [at for form in text.forms(keys[0], same) for at in text.places[form]]
    for at in sorted(first_forms):
        run = [term.key for term in terms[at : at + len(keys)]]
        if len(run) == len(keys) and run != keys and all(map(same, keys, run)):
            # A lone word of another kind (writer, write) is a hint, no more.
            is_hint = len(keys) == 1 and not is_inflected(keys[0], run[0]) and run[0] not in _people(keys[0])
            yield Match(*text.span(terms[at].first, terms[at + len(keys) - 1].last), 0.45 if is_hint else 0.75)


def _people(word: str) -> set[str]:
    """Those who do what a word names: footballer, cellist."""
    return {word + ending for ending in listed("endings", "people")}


SIGHT = 8
"""Words for each word of the answer that are looked through at most: those in a row that say nothing are few."""


def reordered(answer: Answer, text: Written) -> Iterator[Match]:
    """All words that carry the answer within a few words, in any order and form: Presley, Elvis."""
    keys = list(dict.fromkeys(term.key for term in answer.content))
    if not 2 <= len(keys) <= MOST_WORDS or not answer.is_spaced or all(key.startswith("#") for key in keys):
        return
    same = is_same_name if answer.is_name else alike
    forms = {key: text.forms(key, same) for key in keys}
    if not all(forms.values()):
        return
    places = sorted((at, key) for key in keys for other in forms[key] for at in text.places[other])
    last = -1
    for i, (at, _) in enumerate(places):
        end = _shortest(places, i, keys) if at > last else None
        if end is None or not _is_close(text, at, end, len(keys)):
            continue
        run = [term.key for term in text.terms[at : end + 1] if term.key not in FUNCTION]
        if run != [term.key for term in answer.content]:
            is_plain = all(key in run for key in keys)
            yield Match(*text.span(text.terms[at].first, text.terms[end].last), 0.75 if is_plain else 0.45)
        last = end


def _shortest(places: Sequence[tuple[int, str]], first: int, keys: Sequence[str]) -> int | None:
    """Where the run that begins with a place has every key; None when it never has, or not within sight."""
    seen: set[str] = set()
    for i in range(first, len(places)):
        at, key = places[i]
        if at > places[first][0] + SIGHT * len(keys):
            return None
        seen.add(key)
        if len(seen) == len(keys):
            return at
    return None


def _is_close(text: Written, first: int, last: int, n_keys: int) -> bool:
    """Whether at most one word that says something stands between."""
    return sum(term.key not in FUNCTION for term in text.terms[first : last + 1]) <= n_keys + 1


_ENDS = frozenset("aeiouysаеиоуыюяьй")
"""Last letters by which names and forms of one word differ; socialism and socialist do by two that are no such."""

LEAST_FUZZY, ALIKE = 7, 88
"""Fewest letters of an answer that is compared letter by letter, and the least similarity in per cent."""


def fuzzy(answer: Answer, text: Written) -> Iterator[Match]:
    """The answer with a slip of the pen or another transliteration: every number and every first letter agrees."""
    words = [word.text for word in answer.words[answer.core[0].first : answer.core[-1].last]]
    yield from _misspelt(answer, text, words)
    glue = " " if answer.is_spaced else ""
    wanted = glue.join(words)
    if len(wanted) < LEAST_FUZZY or wanted.replace(" ", "").isdigit():
        return
    joined = glue.join(word.text for word in text.words)
    found = fuzz.partial_ratio_alignment(wanted, joined, score_cutoff=ALIKE - 8)
    if found is None or found.dest_end <= found.dest_start:
        return
    first, last = _words_at(text, found.dest_start, found.dest_end, len(glue))
    run = [word.text for word in text.words[first:last]]
    if run != words and fuzz.ratio(wanted, glue.join(run)) >= ALIKE and _may_be_slip(words, run):
        yield Match(*text.span(first, last), 0.6)


LEAST_NAME = 6
"""Fewest letters of a name that may be misspelt by one letter."""


def _misspelt(answer: Answer, text: Written, words: Sequence[str]) -> Iterator[Match]:
    """A name of which one word is wrong by one letter, too many, missing, another or swapped with the next."""
    if not answer.is_spaced or answer.text[answer.words[answer.core[0].first].start].islower():
        return
    if max(map(len, words)) < LEAST_NAME:
        return
    near = (form for form in text.word_places if form[0] == words[0][0])
    first = [form for form in near if form == words[0] or _is_misspelt(words[0], form)]
    for at in (at for form in first for at in text.word_places[form] if at + len(words) <= len(text.words)):
        wrong = [(a, b.text) for a, b in zip(words, text.words[at : at + len(words)], strict=True) if a != b.text]
        if len(wrong) == 1 and _is_misspelt(*wrong[0]) and not text.text[text.words[at].start].islower():
            yield Match(*text.span(at, at + len(words)), 0.6)


def _is_misspelt(name: str, other: str) -> bool:
    """Whether one letter is wrong, and neither the first nor an ending: Martina is no slip of Martin."""
    if len(name) < LEAST_NAME or name[0] != other[0] or not (name + other).isalpha() or alike(name, other):
        return False
    if OSA.distance(name, other, score_cutoff=1) > 1 or name.startswith(other) or other.startswith(name):
        return False
    last = {name[-1], other[-1]}
    return name[:-1] != other[:-1] or not (last & _ENDS or last == {"m", "t"})


def _words_at(text: Written, start: int, end: int, glue: int) -> tuple[int, int]:
    at, first, last = 0, None, 0
    for i, word in enumerate(text.words):
        if at + len(word.text) > start and first is None:
            first = i
        if at < end:
            last = i + 1
        at += len(word.text) + glue
    return first or 0, last


def _may_be_slip(words: Sequence[str], run: Sequence[str]) -> bool:
    """Whether one word is misspelt, or one is written apart; a number, or another ending, is no slip."""
    if any(c.isdigit() for word in {*words} ^ {*run} for c in word):
        return False
    if len(words) != len(run):
        return fuzz.ratio("".join(words), "".join(run)) >= 95
    pairs = [(a, b) for a, b in zip(words, run, strict=True) if a != b]
    return len(pairs) == 1 and all(
        min(len(a), len(b)) >= 4 and fuzz.ratio(a, b) >= 75 and a[0] == b[0] and a[:-2] != b[:-2] and not alike(a, b)
        for a, b in pairs
    )
