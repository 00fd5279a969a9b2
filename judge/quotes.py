"""Whether what a judge quotes stands in the passages. What does not was made up, or read where it should not be."""

import re
from collections.abc import Sequence

from data.views import ShownPassage
from judge.judge import Quote

_MARKS = str.maketrans(dict.fromkeys("“”„‟«»″＂", '"') | dict.fromkeys("‘’‚‛‹›′＇`´", "'"))
_SPACE = re.compile(r"\s+")


def normalised(text: str) -> str:
    r"""A text with every run of white space as one blank and every quote mark straight.

    >>> normalised(" He said:\n “it’s  over” ")
    'He said: "it\'s over"'
    """
    return _SPACE.sub(" ", text.translate(_MARKS)).strip()


def found_in(passages: Sequence[ShownPassage], quotes: Sequence[str], claim: int | None = None) -> tuple[Quote, ...]:
    """Each quote with the number of the first passage that holds it, in its text or its title.

    Quote marks around the whole are the judge's own and fall away; so do quotes without a word.
    """
    places = [(passage.number, normalised(f"{passage.title or ''}\n{passage.text}")) for passage in passages]
    bare = [(quote, normalised(quote).strip("\"'").strip()) for quote in quotes]
    return tuple(
        Quote(text=quote, passage=next((number for number, text in places if words in text), None), claim=claim)
        for quote, words in bare
        if words
    )
