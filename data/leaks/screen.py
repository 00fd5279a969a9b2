"""The screen: every detector over every field of a context, and one score in [0, 1] from what they found."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter

from data.leaks.address import decoded
from data.leaks.answer import Answer, answers
from data.leaks.denial import is_denied
from data.leaks.figures import date, figure, has_other_unit, is_count_of_some, is_counted
from data.leaks.initials import acronym, initials
from data.leaks.lookalikes import is_lookalike
from data.leaks.matches import Match, exact, fuzzy, inflected, normalised, number_word, reordered
from data.leaks.pieces import pieces
from data.leaks.scripts import transliterated
from data.leaks.surname import surname
from data.leaks.written import Written

Detector = Callable[[Answer, Written], Iterator[Match]]

DETECTORS: Mapping[str, Detector] = {
    one.__name__: one
    for one in (
        exact,
        normalised,
        number_word,
        date,
        figure,
        inflected,
        reordered,
        transliterated,
        acronym,
        initials,
        fuzzy,
        surname,
    )
}
"""Every detector of one text, the surest first."""

VERSION = 5
"""Goes up when a change of the screens can change a score: what was kept of older ones is then computed again."""

FIELDS = ("text", "title", "url", "publisher")
FLAGGED = 0.5
"""The least score of a context that is flagged."""

MOST = 500
"""Places of one wording in one field that a detector is asked for: what the first do not prove, no further one does."""

LEAK, MENTION = "leak", "mention"
_ASKED, _SMALL, _COUNT, _LETTER, _NARROWED = 0.3, 0.45, 0.6, 0.6, 0.45
"""What is left of a hit when the question says it itself, for a small number, for one that counts something, for a
letter or two, and for an everyday word that the answer narrows by a gloss in brackets: Football (American)."""
_OF_MENTION = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One place where the answer, or a part of it, seems to stand."""

    passage: int
    """Number of the passage, as people see it."""
    field: str
    """One of `FIELDS`."""
    start: int
    end: int
    """Code-point offsets in that field."""
    reason: str
    """Name of the detector."""
    kind: str
    """leak, or mention when the text names the answer to deny it, or when the question names it."""
    strength: float
    """How much this alone proves, in (0, 1]."""
    answer: str
    """The wording that was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What the screen says of one context."""

    score: float
    """In [0, 1]: the strongest hit; a mention counts a quarter. Not a probability before it is calibrated."""
    hits: tuple[Hit, ...]
    """By passage, field and place."""

    @property
    def is_flagged(self) -> bool:
        """Whether the context should be looked at for a leak."""
        return self.score >= FLAGGED


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """One passage as the screen reads it."""

    number: int
    text: str
    title: str | None = None
    url: str | None = None
    publisher: str | None = None


def screen(question: str, wordings: Sequence[str], passages: Sequence[Fields]) -> Screened:
    """Whether passages give an answer away.

    Args:
        question: The question; what it says itself gives nothing away.
        wordings: The reference answer and its aliases.
        passages: The passages of one context.

    Returns:
        The hits and the score; no hits and 0 where there is nothing to look for.

    >>> found = screen("Which body was set up?", ["International Energy Agency"], [Fields(number=1, text="The IEA …")])
    >>> found.score, [(hit.reason, hit.start, hit.end) for hit in found.hits]
    (0.85, [('acronym', 4, 7)])
    """
    wanted = list(answers(wordings, question))
    read = [
        (passage.number, field, Written(value))
        for passage in passages
        for field in FIELDS
        if field != "url" and (value := getattr(passage, field))
    ]
    found = [hit for one in passages if one.url for hit in _in_address(wanted, one.number, one.url)]
    found += [hit for number, field, text in read for hit in _in_field(wanted, number, field, text)]
    if not any(hit.kind == LEAK and hit.reason != surname.__name__ for hit in found):
        found += _together(wanted, [(number, text) for number, field, text in read if field == "text"])
    hits = _distinct(found)
    score = max((hit.strength * (1 if hit.kind == LEAK else _OF_MENTION) for hit in hits), default=0.0)
    return Screened(score=round(score, 4), hits=hits)


def _in_address(wanted: Sequence[Answer], number: int, url: str) -> Iterator[Hit]:
    """The hits in an address, which is read decoded; their offsets are those of the address as it is written."""
    plain, places = decoded(url)
    for hit in _in_field(wanted, number, "url", Written(plain)):
        yield replace(hit, start=places[hit.start], end=places[hit.end])


def _in_field(wanted: Sequence[Answer], number: int, field: str, text: Written) -> Iterator[Hit]:
    for answer in wanted:
        for name, detector in DETECTORS.items():
            for match in islice(detector(answer, text), MOST):
                if has_other_unit(answer, text, match.start) or is_lookalike(answer, text, match.start, match.end):
                    continue
                weight = _weight(answer, text, match)
                is_named = weight == _ASKED or (field == "text" and is_denied(text, match.start, match.end))
                yield Hit(
                    passage=number,
                    field=field,
                    start=match.start,
                    end=match.end,
                    reason=name,
                    kind=MENTION if is_named else LEAK,
                    strength=round(match.strength * weight, 4),
                    answer=answer.text,
                )


def _weight(answer: Answer, text: Written, match: Match) -> float:
    """How much a hit of this answer says: less where the wording stands in many texts for other reasons."""
    said = text.text[match.start : match.end]
    if answer.is_asked or answer.is_in_question(said):
        return _ASKED
    if answer.is_small_number:
        last = text.word_from(match.end)
        if is_counted(answer.topic, text, last):
            return 1.0
        return _COUNT if is_count_of_some(answer, text, last) else _SMALL
    if answer.gloss and said.islower() and " " not in said and not answer.is_glossed(text):
        return _NARROWED
    return _LETTER if len(said) <= 2 and said.isascii() else 1.0


def _together(wanted: Sequence[Answer], texts: Sequence[tuple[int, Written]]) -> Iterator[Hit]:
    for answer in wanted:
        for at, match in pieces(answer, [text for _, text in texts]):
            yield Hit(passage=texts[at][0], field="text", start=match.start, end=match.end, reason="pieces", kind=LEAK,
                      strength=match.strength, answer=answer.text)  # fmt: skip


def _distinct(found: Sequence[Hit]) -> tuple[Hit, ...]:
    """The strongest of hits that overlap, in the order of reading."""
    kept: dict[tuple[int, str], list[Hit]] = defaultdict(list)
    for hit in sorted(found, key=lambda hit: (-hit.strength, hit.start - hit.end)):
        beside = kept[hit.passage, hit.field]
        at = bisect_left(beside, hit.start, key=attrgetter("start"))
        if not any(hit.start < other.end and other.start < hit.end for other in beside[max(at - 1, 0) : at + 1]):
            beside.insert(at, hit)
    places = sorted(kept, key=lambda place: (place[0], FIELDS.index(place[1])))
    return tuple(hit for place in places for hit in kept[place])
