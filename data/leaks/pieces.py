"""Detector of an answer that two passages give together: each has a part that the other lacks."""

from collections.abc import Iterator, Sequence

from data.leaks.answer import Answer
from data.leaks.forms import alike
from data.leaks.matches import Match
from data.leaks.written import FUNCTION, Written

MOST_PARTS = 4


def pieces(answer: Answer, texts: Sequence[Written]) -> Iterator[tuple[int, Match]]:
    """A part of the answer in one text and the rest in another, both where the question is spoken of.

    Args:
        answer: What is looked for.
        texts: The texts of the passages, in order.

    Yields:
        The index of a text, and where the part stands in it.
    """
    keys = [key for key in dict.fromkeys(term.key for term in answer.content) if key not in answer.question.places]
    if not 2 <= len(keys) <= MOST_PARTS or not answer.is_spaced or not _are_telling(answer, keys):
        return
    topic = [word.text for word in answer.question.words if word.text not in FUNCTION and len(word.text) > 3]
    held = [(i, {key for key in keys if text.places.get(key)}) for i, text in enumerate(texts)]
    about = {i for i, text in enumerate(texts) if _is_about(text, topic)}
    for i, mine in held:
        for j, other in held[i + 1 :]:
            if mine and other and mine != set(keys) != other and mine | other == set(keys) and {i, j} <= about:
                yield i, _place(texts[i], sorted(mine, key=keys.index), 0.5)
                yield j, _place(texts[j], sorted(other - mine, key=keys.index), 0.5)
                return


def _are_telling(answer: Answer, keys: Sequence[str]) -> bool:
    """Whether every part is a name or a number of its own: an everyday word is in many texts."""
    first = {term.key: answer.text[answer.words[term.first].start] for term in answer.content}
    return all((key.startswith("#") and len(key) > 2) or (first[key].isupper() and len(key) > 2) or
               (first[key].isalpha() and not first[key].isascii() and len(key) > 2) for key in keys)  # fmt: skip


def _is_about(text: Written, topic: Sequence[str]) -> bool:
    return 2 * sum(bool(text.forms(word, alike)) for word in topic) >= max(len(topic), 1)


def _place(text: Written, keys: Sequence[str], strength: float) -> Match:
    term = text.terms[text.places[keys[0]][0]]
    return Match(*text.span(term.first, term.last), strength)
