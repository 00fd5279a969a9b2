"""What the leak screens find: which contexts are flagged, above all those of evidence absence, and where."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit_app.actions.openings import read_items
from audit_app.actions.wording import percent
from audit_app.language import mark
from data.errors import StudyProblem
from data.leak_scores import ScreenedContext, screened_contexts
from data.leaks.screen import FLAGGED, Hit
from data.records import Passage
from data.study import Study

ABSENCE = "evidence_absence"

REASONS = {
    "exact": mark("the answer word for word"),
    "normalised": mark("the answer, but for case, accents, punctuation or articles"),
    "number_word": mark("the answer, with a number written otherwise"),
    "date": mark("the date in another form"),
    "figure": mark("the number in another form"),
    "inflected": mark("the answer in another form of its words"),
    "reordered": mark("the answer in another order of its words"),
    "transliterated": mark("the name in another alphabet"),
    "acronym": mark("the answer as an acronym, or spelt out"),
    "initials": mark("the name with initials, or spelt out"),
    "fuzzy": mark("the answer misspelt"),
    "surname": mark("the surname alone, where a person is asked for"),
    "pieces": mark("a part of the answer; another passage has the rest"),
}
"""What each detector means, for people."""

AROUND = 40
"""Letters that are quoted on either side of a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedHit:
    """A hit with the words around it."""

    hit: Hit
    before: str
    said: str
    after: str

    @property
    def quote(self) -> str:
        """The words in their surroundings, the hit in brackets."""
        return f"{self.before}[{self.said}]{self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedContext:
    """One flagged context with its hits."""

    context_id: str
    task_id: str
    condition: str | None
    score: float
    hits: tuple[QuotedHit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The contexts of one condition."""

    condition: str | None
    n: int
    """Contexts that were screened."""
    n_flagged: int
    n_unscreened: int
    """Contexts of tasks without a reference answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaks:
    """What the screens say of the contexts that were asked about."""

    about: str | None
    """The condition; None for all of them."""
    flagged: tuple[FlaggedContext, ...]
    """The highest score first."""
    conditions: tuple[Condition, ...]
    unfound: tuple[str, ...]
    """Contexts of other conditions than absence in which the screens do not find the answer."""

    @property
    def sentence(self) -> str:
        """How many are flagged, and what that means."""
        n, unscreened = sum(one.n for one in self.conditions), sum(one.n_unscreened for one in self.conditions)
        what = "contexts" if self.about is None else f"{self.about} contexts"
        none = f" {unscreened} more have no reference answer to look for." if unscreened else ""
        if not n:
            return (
                f"No {what} could be screened: {unscreened} have no reference answer to look for. It comes with the "
                "tasks, in the field gold_answer (`evidence-audit import tasks --help`)."
            )
        found = len(self.flagged)
        flags = f"{found} of {n} {what} {'is' if found == 1 else 'are'} flagged ({percent(found / n)})"
        if self.about is None:
            lacking = f" They do not find it in {', '.join(self.unfound)}." if self.unfound else ""
            absent = sum(one.n_flagged for one in self.conditions if one.condition == ABSENCE)
            must_not = f"{absent} of them {'is' if absent == 1 else 'are'} {ABSENCE}, which must not have it."
            return f"{flags}: the screens find the reference answer there. {must_not}{lacking}{none}"
        if not found:
            return (
                f"{flags}: the screens find the reference answer in none. People may still find it; audit some.{none}"
            )
        return f"{flags}: the screens find the reference answer in them. Whether it is one, people decide.{none}"


def leaks(
    study: Study, *, condition: str | None = ABSENCE, tell: Callable[[float], None] = lambda share: None
) -> Leaks:
    """The contexts of one condition, or of all, in which the leak screens find the reference answer.

    `tell` is told the share in [0, 1] that is screened by now.

    Raises:
        StudyProblem: No contexts are imported, or none of this condition.
    """
    everything = screened_contexts(study, tell)
    if not everything:
        raise StudyProblem(
            "no contexts are imported, so there is nothing to screen; bring them in with "
            "`evidence-audit import contexts FILE`"
        )
    asked = [one for one in everything if condition is None or one.condition == condition]
    if not asked:
        known = sorted({one.condition for one in everything if one.condition})
        there = f"there are {', '.join(known)}; name one with --condition" if known else "they state none"
        raise StudyProblem(f"no contexts are of condition {condition!r}: {there}, or use --all")
    flagged = [one for one in asked if one.screened and one.screened.is_flagged]
    unfound = [
        one.context_id for one in asked if one.condition != ABSENCE and one.screened and not one.screened.is_flagged
    ]
    return Leaks(
        about=condition, flagged=_quoted(study, flagged), conditions=_conditions(asked), unfound=tuple(unfound)
    )


def _conditions(asked: Sequence[ScreenedContext]) -> tuple[Condition, ...]:
    names = sorted({one.condition for one in asked}, key=lambda name: name or "")
    groups = {name: [one for one in asked if one.condition == name] for name in names}
    return tuple(
        Condition(
            condition=name,
            n=sum(one.screened is not None for one in group),
            n_flagged=sum(one.screened is not None and one.screened.is_flagged for one in group),
            n_unscreened=sum(one.screened is None for one in group),
        )
        for name, group in groups.items()
    )


def _quoted(study: Study, flagged: Sequence[ScreenedContext]) -> tuple[FlaggedContext, ...]:
    contexts = {
        item.context.context_id: item.context
        for item in read_items(study, [("context", one.context_id) for one in flagged])
        if item.context
    }
    found = [
        FlaggedContext(
            context_id=one.context_id,
            task_id=one.task_id,
            condition=one.condition,
            score=one.screened.score,
            hits=tuple(_quote(hit, contexts[one.context_id].passages) for hit in one.screened.hits),
        )
        for one in flagged
        if one.screened
    ]
    return tuple(sorted(found, key=lambda one: (-one.score, one.context_id)))


def _quote(hit: Hit, passages: Sequence[Passage]) -> QuotedHit:
    # Two passages may state one rank: the hit is in the one whose field is long enough.
    texts = [getattr(passage, hit.field) or "" for passage in passages if passage.rank == hit.passage]
    text = next((text for text in texts if len(text) >= hit.end), "")
    return QuotedHit(
        hit=hit,
        before=text[max(hit.start - AROUND, 0) : hit.start],
        said=text[hit.start : hit.end],
        after=text[hit.end : hit.end + AROUND],
    )


def condition_rows(found: Leaks) -> list[dict[str, str]]:
    """One row per condition."""
    return [
        {
            "condition": one.condition or "(none)",
            "flagged": f"{one.n_flagged} of {one.n}",
            "share": percent(one.n_flagged / one.n) if one.n else "–",
            "no reference answer": str(one.n_unscreened) if one.n_unscreened else "",
        }
        for one in found.conditions
    ]


def hit_rows(found: Sequence[FlaggedContext], most: int | None = None) -> list[dict[str, str]]:
    """One row per hit of the flagged contexts, at most so many of each."""
    return [
        {
            "context": one.context_id,
            "condition": one.condition or "",
            "score": f"{one.score:.2f}",
            "passage": str(quoted.hit.passage),
            "field": "" if quoted.hit.field == "text" else quoted.hit.field,
            "place": f"{quoted.hit.start}–{quoted.hit.end}",
            "why": REASONS[quoted.hit.reason] + (", to deny it" if quoted.hit.kind == "mention" else ""),
            "words": quoted.quote,
        }
        for one in found
        for quoted in one.hits[:most]
    ]


def as_json(found: Leaks) -> dict[str, Any]:
    """Everything, for scripts."""
    return {
        "condition": found.about,
        "flagged_from": FLAGGED,
        "sentence": found.sentence,
        "unfound": list(found.unfound),
        "conditions": [_plain(one) for one in found.conditions],
        "flagged": [
            {
                "context_id": one.context_id,
                "task_id": one.task_id,
                "condition": one.condition,
                "score": one.score,
                "hits": [{**_plain(quoted.hit), "text": quoted.said} for quoted in one.hits],
            }
            for one in found.flagged
        ],
    }


def _plain(record: Any) -> Mapping[str, Any]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}
