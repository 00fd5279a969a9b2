"""An answer as a client sends it: read and checked before anything is touched."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from data.errors import StudyProblem
from data.records import CANNOT_JUDGE
from data.rubric import Question

DAY = 86_400


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
    def of(cls, question: Question, raw: Mapping[str, Any]) -> Self:
        """The answer to a question.

        Raises:
            Refused: 422, saying what was expected.
        """
        quotes, seconds = raw.get("evidence") or [], raw.get("active_seconds")
        try:
            json.dumps([quotes, raw.get("comment")], ensure_ascii=False, allow_nan=False).encode()
        except ValueError:
            raise Refused(422, "the note or a quote holds half a character, or a number that is none") from None
        if not isinstance(quotes, list):
            raise Refused(422, "evidence: expected a list of quotes")
        plausible = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds <= DAY
        return cls(
            value=_value(question, raw),
            comment=comment(raw),
            quotes=quotes,
            seconds=float(seconds) if plausible and seconds is not None else None,
        )


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
        raise Refused(422, f"client_seq {number!r}; expected a whole number")
    return number


def _value(question: Question, raw: Mapping[str, Any]) -> str:
    """The stored value; "cannot judge" needs a note, a list is kept in the rubric's order."""
    value = raw.get("value")
    allowed = [entry.value for entry in question.values]
    if value == CANNOT_JUDGE:
        if not comment(raw):
            raise Refused(422, "“Cannot judge” needs a note that says why.")
        return CANNOT_JUDGE
    if question.kind == "many":
        if not isinstance(value, list) or any(code not in allowed for code in value):
            raise Refused(422, f"{question.name}: {value!r}; expected a list of {', '.join(allowed)}")
        return json.dumps([code for code in allowed if code in value])
    if value not in allowed:
        raise Refused(422, f"{question.name}: {value!r}; expected one of {', '.join(allowed)}")
    return str(value)
