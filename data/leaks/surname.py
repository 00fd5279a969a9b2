"""Detector of a surname that stands alone: Kennedy, where somebody asks for John Fitzgerald Kennedy."""

from collections.abc import Iterator, Sequence

from data.leaks.answer import Answer
from data.leaks.folding import Word
from data.leaks.forms import is_same_name
from data.leaks.lexicon import listed
from data.leaks.matches import Match, exact, normalised
from data.leaks.written import Written

ALONE, WITH_MORE = 0.3, 0.55
"""What a surname says by itself, and where another part of the name stands in the same text."""

_WHO = frozenset(listed("persons", "asked"))
_TITLES = frozenset(listed("persons", "titles"))
_CALLED = frozenset(listed("persons", "called"))


def surname(answer: Answer, text: Written) -> Iterator[Match]:
    """The last of several names, where a person is asked for and the text does not have the whole name anyway."""
    names = answer.words[answer.core[0].first : answer.core[-1].last]
    if not _WHO & {word.text for word in answer.question.words} or not _is_person(answer, names):
        return
    last, others = names[-1].text, [word.text for word in names[:-1] if len(word.text) >= 3]
    if last in answer.question.word_places or any(True for find in (exact, normalised) for _ in find(answer, text)):
        return
    places = [at for form in text.forms(last, is_same_name) for at in text.word_places.get(form, ())]
    alone = [at for at in places if _stands_alone(text, at)]
    more = any(_stands_alone(text, at) for name in others for at in text.word_places.get(name, ()))
    for at in alone:
        # A man called Kennedy is somebody new.
        is_new = at > 0 and text.words[at - 1].text in _CALLED
        yield Match(text.words[at].start, text.words[at].end, WITH_MORE if more and not is_new else ALONE)


def _is_person(answer: Answer, names: Sequence[Word]) -> bool:
    return (
        answer.is_name and answer.is_spaced and 2 <= len(names) <= 5 and len(names[-1].text) >= 4
        and names[-1].text.isalpha() and answer.text[names[-1].start].isupper()
    )  # fmt: skip


def _stands_alone(text: Written, at: int) -> bool:
    """Whether a name stands there that is no part of a longer one: President Kennedy, not Kennedy Airport."""
    if not _is_capital(text, at):
        return False
    after = at + 1 < len(text.words) and _is_capital(text, at + 1) and _joins(text, at)
    title = at > 0 and text.words[at - 1].text in _TITLES
    return not after and (title or at == 0 or not (_is_capital(text, at - 1) and _joins(text, at - 1)))


def _is_capital(text: Written, at: int) -> bool:
    return text.text[text.words[at].start].isupper()


def _joins(text: Written, at: int) -> bool:
    """Whether only blanks, dots of initials or hyphens stand between a word and the next."""
    one, other = text.words[at], text.words[at + 1]
    between = text.text[one.end : other.start]
    return not between.strip(" \u00a0-" + ("." if one.end - one.start == 1 else ""))
