"""What the browser gets: the view of one label, with the fields that its definition compares and no others."""

from collections.abc import Mapping, Sequence
from typing import Any

from audit_app.actions.leaks import REASONS
from audit_app.actions.turns import lease_end, lease_seconds, tag
from audit_app.language import _, mark
from data.leaks.screen import MENTION
from data.questions import Question
from data.records import CANNOT_JUDGE, Assignment, LabelEvent, Person
from data.store import events, flags
from data.store.calibrations import PURPOSE
from data.store.connection import Store
from data.study import Study
from data.views import TITLES, VIEWS, Item, ShownHit, View, artifacts

SAID = (
    mark("Question"),
    mark("Response"),
    mark("Supplied context"),
    mark("Reference answer"),
    mark("Also accepted"),
    mark("Condition"),
    mark("What the leak screens found"),
)
"""The titles of `data.views`, which knows no language, for the catalogue."""


def shown(
    store: Store,
    study: Study,
    person: Person,
    assignment: Assignment,
    item: Item,
    label: str,
    owed: Sequence[str],
    answered: Mapping[str, LabelEvent],
) -> dict[str, Any]:
    """The view of one label of an assignment, logged as shown; `answered` are its current answers."""
    question = study.rubric[label]
    view = VIEWS[question.view].of(item)
    events.expose(store, assignment.assignment_id, person.person_id, question.view, sorted(artifacts(question.view)))
    return {
        "state": "view",
        "who": tag(person),
        "assignment_id": assignment.assignment_id,
        "pass": assignment.pass_,
        "practice": assignment.purpose == PURPOSE,
        "view": question.view,
        "artifacts": _artifacts(view),
        "label": _question(question, label),
        "step": {
            "number": owed.index(label) + 1,
            "of": len(owed),
            "answered": [name for name in owed if name in answered],
        },
        "client_seq": events.seq_after(answered),
        "lease_until": lease_end(study),
        "lease_seconds": lease_seconds(study),
        "break_minutes": study.labelling.break_minutes,
        "rubric_hash": study.rubric.hash,
        "skip_reasons": list(study.rubric.skip_reasons),
        "flags": flags.notes(store, assignment.assignment_id, "flag"),
        "review": None,
    }


def _artifacts(view: View) -> list[dict[str, Any]]:
    """The fields of a view as the browser gets them: nothing is added, nothing is left out."""
    found: list[dict[str, Any]] = []
    for name, value in _as_object(view).items():
        if name == "passages":
            shown: dict[str, Any] = {"passages": [_as_object(passage) for passage in value]}
        elif name == "screen_hits":
            shown = {"hits": [{**_as_object(hit), "said": _said(hit)} for hit in value]}
        else:
            shown = {"texts": list(value)} if isinstance(value, tuple | list) else {"text": value}
        found.append({"name": name, "title": _(TITLES[name]), **shown})
    return found


FIELDS = {"title": mark("in the title"), "url": mark("in the address"), "publisher": mark("in the publisher")}
NAMED = mark("named to deny it, or because the question names it")


def _said(hit: ShownHit) -> str:
    """Why a place was found, and where it is when not in the text."""
    parts = [_(REASONS[hit.reason])]
    parts += [_(FIELDS[hit.field])] if hit.field in FIELDS else []
    return _(", ").join([*parts, *([_(NAMED)] if hit.kind == MENTION else [])])


def _as_object(record: Any) -> dict[str, Any]:
    """A record as JSON has it. Not `asdict`, which copies every text: this is done before each answer's reply."""
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def _question(question: Question, label: str) -> dict[str, Any]:
    passage = label.partition(".")[2]
    return {
        "name": label,
        "title": question.title,
        "question": question.question,
        "definition": question.definition,
        "examples": [_as_object(example) for example in question.examples],
        "kind": question.kind,
        "passage": int(passage) if passage else None,
        "values": [_as_object(value) for value in question.values],
    }


def in_words(question: Question, value: str) -> str:
    """An answer as it reads on the screen."""
    if value == CANNOT_JUDGE:
        return _("Cannot judge")
    chosen = [entry.text for entry in question.values if entry.value in question.codes(value)]
    return ", ".join(chosen) if chosen else _("None of these")
