"""The reference answer, or one of its aliases, as the detectors look for it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from data.leaks.folding import is_unspaced
from data.leaks.forms import alike
from data.leaks.lexicon import listed
from data.leaks.written import ARTICLES, FUNCTION, Term, Written

_WORDLESS = frozenset({*listed("wordless"), "n a"})
"""Answers that stand everywhere and say nothing by being there."""

_GLOSS = re.compile(r"^(.*\S)\s*[(（\[]([^()（）\[\]]*)[)）\]]\s*$", re.DOTALL)
_ABOUT = frozenset(listed("about"))
MOST_WORDS = 12
"""An answer longer than this is a text of its own: only word for word, or with small changes, does it count."""


@dataclass(frozen=True)
class Answer(Written):
    """One wording of the reference answer."""

    question: Written = field(default_factory=lambda: Written(""))
    gloss: str = ""
    """What stood in brackets behind it."""

    @cached_property
    def core(self) -> Sequence[Term]:
        """Its terms without a leading article and words like "about"; never empty where there is any word."""
        terms = list(self.terms)
        while len(terms) > 1 and terms[0].key in ARTICLES | _ABOUT and not _is_name(self, terms):
            terms = terms[1:]
        return terms

    @cached_property
    def content(self) -> Sequence[Term]:
        """The terms of its core that carry the answer."""
        return [term for term in self.core if term.key not in FUNCTION] or self.core

    @cached_property
    def is_spaced(self) -> bool:
        """Whether its words stand apart; the letters of a script without spaces must not be moved about."""
        return not any(is_unspaced(word.text) for word in self.words)

    @cached_property
    def is_asked(self) -> bool:
        """Whether the question says it all: repeating that gives nothing away."""
        wanted, said = [term.key for term in self.core], [term.key for term in self.question.terms]
        runs = (said[at : at + len(wanted)] for at in range(len(said) - len(wanted) + 1))
        return any(all(map(alike, wanted, run)) for run in runs)

    @cached_property
    def topic(self) -> Sequence[str]:
        """The words of the question that say something."""
        return [word.text for word in self.question.words if word.text not in FUNCTION]

    def is_in_question(self, said: str) -> bool:
        """Whether the question has these very words, such as the acronym that it asks about."""
        wanted = [word.text for word in Written(said).words]
        known = [word.text for word in self.question.words]
        return any(known[at : at + len(wanted)] == wanted for at in range(len(known)))

    def is_glossed(self, text: Written) -> bool:
        """Whether a text says the gloss too."""
        return all(word.text in text.places for word in Written(self.gloss).words if word.text not in FUNCTION)

    @cached_property
    def is_name(self) -> bool:
        """Whether it is a name of several words: each is capitalised."""
        initials = [self.text[self.words[term.first].start] for term in self.content]
        return len(initials) > 1 and all(not letter.islower() for letter in initials)

    @cached_property
    def is_small_number(self) -> bool:
        """Whether it is a bare number below a hundred, which stands in many texts for other reasons."""
        quantity = self.quantities[0] if len(self.quantities) == 1 else None
        if quantity is None or len(self.core) != 1 or quantity.number.tail:
            return False
        return quantity.kind is None and quantity.value < 100


def _is_name(answer: Answer, terms: Sequence[Term]) -> bool:
    """The Who: what is left without the article would be an everyday word; or it is no article, but part of a word."""
    rest = terms[1:]
    if answer.words[terms[0].first].end == answer.words[rest[0].first].start:
        return True
    return len(rest) == 1 and (len(rest[0].key) <= 3 or rest[0].key in FUNCTION) and not rest[0].key.startswith("#")


def answers(wordings: Sequence[str], question: str) -> Iterator[Answer]:
    """What to look for: every wording, and what stands before a gloss in brackets; nothing that is said everywhere.

    >>> [answer.text for answer in answers(["肅侯 (serious marquis)", "no"], "")]
    ['肅侯 (serious marquis)', '肅侯']
    """
    asked, seen = Written(question), set()
    for wording in wordings:
        gloss = _GLOSS.match(wording)
        for text, aside in ((wording, ""), (gloss[1], gloss[2])) if gloss else ((wording, ""),):
            answer = Answer(text.strip(), asked, aside)
            key = " ".join(word.text for word in answer.words)
            if key and key not in _WORDLESS and key not in seen:
                seen.add(key)
                yield answer
