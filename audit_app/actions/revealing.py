"""What an adjudicator sees once they have voted: the answers of all, as A, B, C, with their quotes and notes."""

from collections.abc import Sequence
from typing import Any

from audit_app.actions.cases import WHY, Case
from audit_app.actions.showing import in_words
from audit_app.language import _, mark
from data.questions import Question
from data.records import CANNOT_JUDGE, CAUSES, Assignment, Person
from data.store import adjudications, events
from data.store.connection import Store
from data.study import Study
from sampling.numbers import permanent_number

_MARKED = (
    mark("rubric unclear"),
    mark("The definition does not say how to answer this."),
    mark("slip"),
    mark("Somebody pressed or read the wrong thing."),
    mark("genuinely ambiguous"),
    mark("Careful people can differ here, whatever the definition says."),
    mark("context broken"),
    mark("The passages or the reference answer are not as they should be."),
)
"""`data.records.CAUSES` for the catalogue: the data room knows no languages."""

VIEW = "AnswersView"
"""What the exposure log calls it."""


def revealed(
    store: Store, study: Study, person: Person, assignment: Assignment, label: str, case: Case | None
) -> dict[str, Any]:
    """The answers to a label in somebody's hands, beside their own vote, logged as shown.

    Nobody is named, and what is said of other labels of the item stays where it is: it may show what this one must
    not see.
    """
    events.expose(store, assignment.assignment_id, person.person_id, VIEW, ["answers"])
    question, place = study.rubric[label], place_of(assignment)
    notes = adjudications.notes_on(store, place, label)
    given = adjudications.answers_to(store, place, label)
    order = letters(store, assignment, [row["person_id"] for row in given])
    vote = events.current(store, assignment.assignment_id)[label]
    at_stake = next((one for one in case.disputes if one.label == label), None) if case else None
    return {
        "why": [_(WHY[why]) for why in at_stake.why] if at_stake else [],
        "vote": {**_said(question, vote.value), "comment": vote.comment, "evidence": list(vote.evidence)},
        "answers": sorted((_answer(question, row, order, notes) for row in given), key=lambda one: one["who"]),
        "causes": [{"cause": cause, "title": _(cause), "help": _(text)} for cause, text in CAUSES.items()],
    }


def place_of(assignment: Assignment) -> dict[str, str]:
    """The item and pass of an assignment, as the store asks for them."""
    return {"item_kind": assignment.item_kind, "item_id": assignment.item_id, "pass": assignment.pass_}


def letters(store: Store, assignment: Assignment, people: Sequence[str]) -> dict[str, str]:
    """A, B, C for the people of an item, in an order of its own that stays: by a permanent number of each in it.

    After Z comes A2, as no item has so many people that a name must be nice.
    """
    seed = adjudications.draws(store)[assignment.item_kind, assignment.item_id]["seed"]
    purpose = f"adjudication:{assignment.item_kind}:{assignment.item_id}"
    order = sorted(people, key=lambda who: (permanent_number(seed, purpose, who), who))
    return {who: f"{chr(65 + n % 26)}{n // 26 + 1 if n > 25 else ''}" for n, who in enumerate(order)}


def _answer(
    question: Question, row: dict[str, Any], order: dict[str, str], notes: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    mine = [note for note in notes if note["person_id"] == row["person_id"]]
    skipped = row["state"] == "skipped" or row["value"] is None
    skip = _("Skipped: {reason}").format(reason=row["reason"]) if row["reason"] else _("Not answered")
    said = {"value": None, "text": skip}
    return {
        "who": order[row["person_id"]],
        **(said if skipped else _said(question, row["value"])),
        "comment": row["comment"],
        "evidence": row["evidence"],
        **{f"{kind}s": [note["note"] for note in mine if note["kind"] == kind] for kind in ("slip", "flag")},
    }


def _said(question: Question, value: str) -> dict[str, Any]:
    """An answer as the browser gets it: coded and in words."""
    many = question.kind == "many" and value != CANNOT_JUDGE
    return {"value": question.codes(value) if many else value, "text": in_words(question, value)}
