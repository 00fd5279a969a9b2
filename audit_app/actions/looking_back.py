"""Looking back: one's own finished items, which answers may still be changed, and what has become final."""

from collections.abc import Sequence
from typing import Any

from audit_app.actions.answers import Refused
from audit_app.actions.practising import feedback
from audit_app.actions.showing import in_words, shown
from audit_app.actions.turns import owed, passes_of, tag, theirs
from audit_app.language import _, mark
from data.records import CANNOT_JUDGE, Assignment, Person
from data.store import assignments, events, flags, items
from data.store.calibrations import PURPOSE
from data.store.connection import Store, open_store
from data.study import Study
from data.views import FINAL_ONCE_SHOWN

AT_MOST = 100
"""Finished items that are listed."""

SEEN_SINCE = {
    "passages": mark("You have seen the supplied context since."),
    "gold_answer": mark("You have seen the reference answer since."),
    "condition": mark("You have seen the condition since."),
    "screen_hits": mark("You have seen what the leak screens found since."),
}
"""Why an answer is final, for each artifact that can make it so."""

OPENING = 90
"""Characters by which an item is recognised in the list."""


def why_final(store: Store, study: Study, person: Person, assignment: Assignment, label: str) -> str | None:
    """Why this person's answer can no longer be changed; None when it can.

    An answer is final once something that its label must not see was shown after it was first given (`data.views`),
    once it was decided in adjudication, and once its item came again.
    """
    given = events.first_given(store, assignment.assignment_id)
    if label not in given:
        return _("It was not answered.")
    if assignment.state == "skipped":
        return _("The item was skipped.")
    if events.current(store, assignment.assignment_id)[label].rubric_hash != study.rubric.hash:
        return _("It was given under an earlier version of the guidelines.")
    if assignment.purpose == PURPOSE:
        return _("You have seen the agreed answer since.")
    decided = events.is_resolved(store, assignment.item_kind, assignment.item_id, label)
    if decided or assignment.purpose not in ("plan", "repeat", "canary"):
        return _("It has been decided upon since.")
    seen = events.shown_since(store, assignment.assignment_id, person.person_id, given[label])
    spoilt = sorted(FINAL_ONCE_SHOWN[study.rubric[label].view] & seen)
    if spoilt:
        return " ".join(_(SEEN_SINCE[name]) for name in spoilt)
    if assignments.came_again(store, assignment):
        return _("You have seen more of this item since.")
    return None


def look_back(
    study: Study, person: Person, screen: str, assignment_id: str | None, label: str | None, *, before: bool
) -> dict[str, Any]:
    """One answer that this person gave, with the view it was given from, logged as shown.

    Args:
        study: The study.
        person: Who looks back.
        screen: Where they work.
        assignment_id: Whose answer; None for the item that was finished last.
        label: Which answer; None for the last one of the item.
        before: The answer before that one, of this item or of the one finished before it.

    Raises:
        Refused: 403 not theirs, 404 there is none.
    """
    passes = passes_of(study, person, screen)
    with open_store(study) as store, store.transaction():
        place = _place(store, person, passes, assignment_id, label, before)
        if place is None:
            raise Refused(404, _("There is nothing before this that you answered here."))
        assignment, name = place
        item = items.load(store, assignment.item_kind, assignment.item_id)
        asked = owed(store, study.rubric, assignment, item)
        if name not in asked:
            raise Refused(404, _("The guidelines have changed: {name!r} is not asked any more.").format(name=name))
        answered = events.current(store, assignment.assignment_id)
        view = shown(store, study, person, assignment, item, name, asked, answered)
        return {**view, "review": _review(store, study, person, assignment, name)}


def _place(
    store: Store, person: Person, passes: Sequence[str], assignment_id: str | None, label: str | None, before: bool
) -> tuple[Assignment, str] | None:
    """The assignment and the label of the answer that is meant."""
    finished = assignments.looked_back_at(store, person.person_id, passes)
    if assignment_id is None:
        return _last(store, finished)
    assignment = theirs(store, person, assignment_id)
    given = list(events.first_given(store, assignment_id))
    if assignment.pass_ not in passes:
        return None
    if not before:
        return (assignment, label) if label in given else None
    earlier = given[: given.index(label)] if label in given else given
    if earlier:
        return assignment, earlier[-1]
    ids = [other.assignment_id for other in finished]
    return _last(store, finished[ids.index(assignment_id) + 1 :] if assignment_id in ids else finished)


def _last(store: Store, finished: Sequence[Assignment]) -> tuple[Assignment, str] | None:
    """The last answer of the first of these that has one (a skipped item may have none)."""
    for assignment in finished:
        given = list(events.first_given(store, assignment.assignment_id))
        if given:
            return assignment, given[-1]
    return None


def _review(store: Store, study: Study, person: Person, assignment: Assignment, label: str) -> dict[str, Any]:
    event, question = events.current(store, assignment.assignment_id)[label], study.rubric[label]
    many = question.kind == "many" and event.value != CANNOT_JUDGE
    return {
        "value": question.codes(event.value) if many else event.value,
        "comment": event.comment,
        "evidence": list(event.evidence),
        "given_at": event.created_at,
        "final": why_final(store, study, person, assignment, label),
        "slips": flags.notes(store, assignment.assignment_id, "slip", label),
        "feedback": feedback(store, study, assignment.assignment_id, label),
    }


def my_items(study: Study, person: Person, screen: str) -> dict[str, Any]:
    """What this person has finished on this screen, the newest first, with every answer and whether it is final."""
    passes = passes_of(study, person, screen)
    with open_store(study) as store:
        finished = assignments.looked_back_at(store, person.person_id, passes) if passes else []
        return {
            "who": tag(person),
            "items": [_entry(store, study, person, assignment) for assignment in finished[:AT_MOST]],
            "n": len(finished),
        }


def _entry(store: Store, study: Study, person: Person, assignment: Assignment) -> dict[str, Any]:
    item = items.load(store, assignment.item_kind, assignment.item_id)
    text = item.response.text if item.response else item.task.question
    current = events.current(store, assignment.assignment_id)
    given = [name for name in events.first_given(store, assignment.assignment_id) if _known(study, name)]
    return {
        "assignment_id": assignment.assignment_id,
        "pass": assignment.pass_,
        "state": assignment.state,
        "reason": assignment.reason,
        "finished_at": assignment.finished_at,
        "opening": text[:OPENING],
        "active_seconds": events.active_seconds(store, assignment.assignment_id),
        "flags": flags.notes(store, assignment.assignment_id, "flag"),
        "answers": [
            {
                "label": name,
                "title": study.rubric[name].title,
                "passage": int(passage) if (passage := name.partition(".")[2]) else None,
                "text": in_words(study.rubric[name], current[name].value),
                "final": why_final(store, study, person, assignment, name),
                "slips": flags.notes(store, assignment.assignment_id, "slip", name),
            }
            for name in given
        ],
    }


def _known(study: Study, label: str) -> bool:
    return label.partition(".")[0] in study.rubric.names()
