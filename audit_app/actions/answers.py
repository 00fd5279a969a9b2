"""An answer as a client sends it: read and checked before anything is touched."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from audit_app.language import _, joined
from data.errors import StudyProblem
from data.questions import Question, Value
from data.records import CANNOT_JUDGE, QUOTED
from data.rubric import QUOTE, REQUIRED
from data.views import ShownPassage

DAY = 86_400
PLACE = ("passage", "start", "end", "text")
NAMED = re.compile(r"(?<![\w.,])\d{1,9}(?!\w|[.,]\d)")
"""A whole number in a note: the passage where the words stand."""
OTHER = "other"
"""The reason for a skip that says nothing by itself."""


class Refused(StudyProblem):
    """An answer that cannot be taken, with the HTTP status that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What somebody answered to one question."""

    value: str
    comment: str | None
    quotes: list[Any]
    seconds: float | None
    """Active seconds as the browser counted them; None when implausible."""

    @classmethod
    def of(cls, question: Question, raw: Mapping[str, Any], passages: Sequence[ShownPassage] = ()) -> Self:
        """The answer to a question, its quotes compared with the passages that the question shows.

        Raises:
            Refused: 422, saying what was expected.
        """
        seconds = raw.get("active_seconds")
        encodable(raw.get("evidence"), raw.get("comment"))
        value, said = _value(question, raw), comment(raw)
        quoted = _given_codes(question, value, quotes(raw.get("evidence"), passages))
        _check_shown(question, value, said, quoted, passages)
        plausible = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds <= DAY
        return cls(
            value=value,
            comment=said,
            quotes=quoted,
            seconds=float(seconds) if plausible and seconds is not None else None,
        )


def _given_codes(question: Question, value: str, quoted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The quotes, each with the chosen code that it shows; of one that does not say, the only code that asks for any.

    Raises:
        Refused: 422, a quote shows what is not chosen.
    """
    codes = question.codes(value)
    for code in [quote["code"] for quote in quoted if "code" in quote]:
        if code not in codes:
            said = _("evidence: a quote for {code}, which is not among the values given: {codes}")
            raise Refused(422, said.format(code=_brief(code), codes=joined(codes)))
    asking = [entry.value for entry in _chosen(question, value) if entry.evidence]
    if question.kind != "many" or len(asking) != 1:
        return quoted
    return [{**quote, "code": quote.get("code", asking[0])} for quote in quoted]


def _chosen(question: Question, value: str) -> list[Value]:
    codes = question.codes(value)
    return [entry for entry in question.values if entry.value in codes]


def _check_shown(
    question: Question,
    value: str,
    said: str | None,
    quoted: Sequence[Mapping[str, Any]],
    passages: Sequence[ShownPassage],
) -> None:
    """Refuses an answer that has to show where it comes from, or to say what it is, and does not."""
    chosen = _chosen(question, value)
    if any(str(getattr(passage, field) or "").strip() for passage in passages for field in QUOTED):
        shown = {quote.get("code", value) for quote in quoted}
        bare = [entry for entry in chosen if entry.value not in shown]
        unquoted = [entry.text for entry in bare if entry.evidence == QUOTE]
        named = {int(number) for number in NAMED.findall(said or "")} & {passage.number for passage in passages}
        unshown = [] if named else [entry.text for entry in bare if entry.evidence == REQUIRED]
        if unquoted:
            raise Refused(422, _("Quote the words that show it: {answers}.").format(answers=_listed(unquoted)))
        if unshown:
            asked = _("Quote the words that show it, or name the passage by its number in the note: {answers}.")
            raise Refused(422, asked.format(answers=_listed(unshown)))
    if not said and any(entry.note for entry in chosen):
        raise Refused(422, _("This answer needs a note that says what is meant."))


def encodable(*said: object) -> None:
    """Refuses what cannot be kept as UTF-8, or is no JSON."""
    try:
        json.dumps(said, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        raise Refused(422, _("the note or a quote holds half a character, or a number that is none")) from None


def expected(name: str, value: object, allowed: Iterable[str]) -> str:
    """That something is none of what it can be.

    >>> expected("kind", "a", ("flag", "slip"))
    "kind: 'a'; expected one of flag, slip"
    """
    said = _("{name}: {value!r}; expected one of {allowed}")
    return said.format(name=name, value=value, allowed=joined(allowed))


def quotes(raw: object, passages: Sequence[ShownPassage]) -> list[dict[str, Any]]:
    """The quotes as they are kept: passage number, code-point offsets, and the text that stands there.

    Raises:
        Refused: 422, a quote is not to be found where it says.
    """
    if raw is not None and not isinstance(raw, list):
        raise Refused(422, _("evidence: expected a list of quotes"))
    shown: dict[int, list[ShownPassage]] = {}
    for passage in passages:
        shown.setdefault(passage.number, []).append(passage)
    return [_quote(quote, shown) for quote in raw or []]


def _quote(raw: object, shown: Mapping[int, Sequence[ShownPassage]]) -> dict[str, Any]:
    if not isinstance(raw, dict) or not set(PLACE) <= set(raw) <= {*PLACE, "field", "code"}:
        said = _("evidence: {quote}; expected a quote with {fields}, and no more than field and code beside them")
        raise Refused(422, said.format(quote=_brief(raw), fields=joined(PLACE)))
    field, code = raw.get("field", "text"), raw.get("code", "")
    if field not in QUOTED or not isinstance(code, str):
        said = _("evidence: {quote}; expected as field one of {fields}, and as code a text")
        raise Refused(422, said.format(quote=_brief(raw), fields=joined(QUOTED)))
    numbers = [raw[name] for name in PLACE[:3]]
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
        said = _("evidence: {quote}; passage, start and end are whole numbers")
        raise Refused(422, said.format(quote=_brief(raw)))
    number, start, end = numbers
    if number not in shown:
        said = _("evidence: passage {number} is not shown with this question, so it cannot be quoted")
        raise Refused(422, said.format(number=number))
    texts = [getattr(passage, field) or "" for passage in shown[number]]
    if not any(0 <= start < end <= len(text) and text[start:end] == raw["text"] for text in texts):
        said = _(
            "evidence: characters {start} to {end} of the {field} of passage {number} are not the quoted text; offsets "
            "count code points of what is stored, from 0, the end excluded"
        )
        raise Refused(422, said.format(start=start, end=end, field=field, number=number))
    more = {"field": field if field != "text" else None, "code": code or None}
    return {**{name: raw[name] for name in PLACE}, **{name: value for name, value in more.items() if value}}


def _listed(answers: Sequence[str]) -> str:
    return joined(_("“{answer}”").format(answer=answer) for answer in answers)


def _brief(raw: object) -> str:
    return ascii(raw)[:80]


def skip_reason(raw: Mapping[str, Any], reasons: Sequence[str]) -> str:
    """Why an item is skipped: a reason of the rubric's list, alone or with a note ("reason: note").

    Raises:
        Refused: 422, it is none of the list, or "other" without a note.
    """
    said = comment(raw) or ""
    encodable(said)
    if not any(said == reason or said.startswith(f"{reason}: ") for reason in reasons):
        raise Refused(422, _("a skip needs a reason: {reasons}").format(reasons=joined(reasons)))
    if said.partition(":")[0] == OTHER and not said.partition(":")[2].strip():
        raise Refused(422, _("the reason “{reason}” needs a note that says which").format(reason=OTHER))
    return said


def comment(raw: Mapping[str, Any]) -> str | None:
    """The note, as typed; None when there is nothing in it."""
    text = raw.get("comment")
    return text if isinstance(text, str) and text.strip() else None


def sequence(raw: Mapping[str, Any]) -> int:
    """The client's sequence number.

    Raises:
        Refused: 422, it is not a whole number.
    """
    number = raw.get("client_seq")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**31:
        raise Refused(422, _("client_seq {number!r}; expected a whole number").format(number=number))
    return number


def _value(question: Question, raw: Mapping[str, Any]) -> str:
    """The stored value; "cannot judge" needs a note, a list is kept in the rubric's order."""
    value = raw.get("value")
    allowed = [entry.value for entry in question.values]
    if value == CANNOT_JUDGE:
        if not comment(raw):
            raise Refused(422, _("“Cannot judge” needs a note that says why."))
        return CANNOT_JUDGE
    if question.kind == "many":
        if not isinstance(value, list) or any(code not in allowed for code in value):
            said = _("{name}: {value!r}; expected a list of {allowed}")
            raise Refused(422, said.format(name=question.name, value=value, allowed=joined(allowed)))
        return json.dumps([code for code in allowed if code in value])
    if value not in allowed:
        raise Refused(422, expected(question.name, value, allowed))
    return str(value)
