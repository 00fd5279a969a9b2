"""Flags and slips: what somebody says of an item beside its labels. Neither changes a label or a status."""

from collections.abc import Mapping
from typing import Any

from audit_app.actions.answers import Refused, comment, encodable, expected
from audit_app.actions.looking_back import why_final
from audit_app.actions.turns import require_may_label, require_same, theirs
from audit_app.language import _
from data.records import Assignment, Person
from data.store import events, flags
from data.store.connection import Store, open_store
from data.study import Study

KINDS = ("flag", "slip")


def flag(study: Study, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Keeps a flag (something about the item should be looked at) or a slip (a final answer was a mistake).

    Both go to adjudication with their note; the answer stays as it is. Sending the same again changes nothing.

    Args:
        study: The study.
        person: Who says so.
        sent: `assignment_id, label, kind, note`, optionally `who`.

    Raises:
        Refused: 403 not theirs, 409 a slip of an answer that can still be changed, 422 it does not fit.
    """
    require_may_label(person)
    require_same(person, sent.get("who"))
    kind, note, label = sent.get("kind"), comment({"comment": sent.get("note")}) or "", str(sent.get("label"))
    encodable(note, label)
    if kind not in KINDS:
        raise Refused(422, expected("kind", kind, KINDS))
    with open_store(study) as store, store.transaction():
        assignment = theirs(store, person, sent.get("assignment_id"))
        if label.partition(".")[0] not in study.rubric.names(assignment.item_kind):
            raise Refused(422, expected("label", label, study.rubric.names(assignment.item_kind)))
        if kind == "slip":
            _check_slip(store, study, person, assignment, label, note)
        row = {"assignment_id": assignment.assignment_id, "person_id": person.person_id, "kind": kind}
        flags.add(store, {**row, "label": label, "note": note})
    return {"flagged": {"kind": kind, "label": label, "note": note}}


def _check_slip(store: Store, study: Study, person: Person, assignment: Assignment, label: str, note: str) -> None:
    if not note:
        raise Refused(422, _("a slip needs a note that says what was meant"))
    if label not in events.first_given(store, assignment.assignment_id):
        raise Refused(409, _("This question was not answered yet, so there is no slip."))
    if why_final(store, study, person, assignment, label) is None:
        raise Refused(409, _("This answer can still be changed: give the new one instead."))
