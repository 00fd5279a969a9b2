"""What folds to the answer and is something else: who, for WHO; 1,974 sheep, for the year 1974."""

import re

from data.leaks.answer import Answer
from data.leaks.figures import asks_amount, is_counted
from data.leaks.lexicon import listed
from data.leaks.written import Written

_WORDS = frozenset(listed("acronym_words"))
_GROUPED = re.compile(r"\d{1,3}[,.٬’' \u00a0\u202f\u2009]\d{3}")


def is_lookalike(answer: Answer, text: Written, start: int, end: int) -> bool:
    """Whether these words of a text are the everyday word that an acronym spells, or a count where a year is asked.

    >>> is_lookalike(Answer("WHO"), Written("who said so?"), 0, 3)
    True
    """
    said = text.text[start:end]
    if answer.text.isupper() and len(answer.words) == 1 and answer.words[0].text in _WORDS:
        return " " not in said and not said.isupper()
    if not _GROUPED.fullmatch(said) or not _is_year(answer):
        return False
    return not is_counted(answer.topic, text, text.word_from(end))


def _is_year(answer: Answer) -> bool:
    """Whether it is a bare number that can be a year and is written like one, and the question asks for no amount."""
    return re.fullmatch(r"\s*(?:1\d|2[01])\d\d\s*", answer.text) is not None and not asks_amount(answer)
