"""Whose turn it is at what: the screens, the passes that somebody may be given on each, and who a view is for."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

from audit_app.actions.answers import Refused, expected
from audit_app.actions.attention import is_diagnosed
from audit_app.language import _, mark
from data.records import Assignment, Person
from data.rubric import Rubric
from data.store import assignments, calibrations, canaries, items
from data.store.connection import Store
from data.study import Study
from data.views import Item

SCREENS = {"label": ("evidence", "correctness"), "context": ("context",)}
"""The passes of each screen, in the order in which they are offered."""

SCREEN_TITLES = {"label": mark("Label"), "context": mark("Context audit")}


def passes_of(study: Study, person: Person, screen: str) -> list[str]:
    """The passes that this person may be given on this screen.

    Raises:
        Refused: The screen is unknown.
    """
    if screen not in SCREENS:
        raise Refused(422, expected("screen", screen, SCREENS))
    if not person.may_label:
        return []
    asked = study.rubric.passes("context" if screen == "context" else "response")
    return [p for p in SCREENS[screen] if p in asked and may(person, p)]


def may(person: Person, pass_: str) -> bool:
    """Whether this person works in a pass."""
    return not person.teams or pass_ in person.teams


def in_evidence(study: Study, person: Person) -> bool:
    """Whether this person may be given grounding labels; then gold answers wait for those."""
    return person.may_label and "evidence" in study.rubric.passes("response") and may(person, "evidence")


def tag(person: Person) -> str:
    """Who a view was made for, without saying who: two people who share a browser must not answer for each other."""
    return sha256(person.person_id.encode()).hexdigest()[:16]


def require_same(person: Person, who: object) -> None:
    """Refuses what was made up on the screen of somebody else, who used this browser before."""
    if who not in (None, tag(person)):
        raise Refused(409, _("Somebody else has signed in with this browser. Reload the page, or use another browser."))


def require_may_label(person: Person) -> None:
    """Refuses whatever would change labels or work from those who have seen results."""
    if not person.may_label:
        raise Refused(403, _("Whoever has seen results does not label. Your earlier answers are saved."))


def theirs(store: Store, person: Person, assignment_id: object) -> Assignment:
    """An assignment of this person.

    Raises:
        Refused: 403, it is none, or it has gone to somebody else.
    """
    assignment = assignments.find(store, ascii(assignment_id).strip("'"))
    if assignment is None or assignment.person_id != person.person_id:
        raise Refused(
            403,
            _(
                "This item is not yours any more: its time ran out and somebody else has it now, "
                "or a lead took it back."
            ),
        )
    return assignment


def owed(store: Store, rubric: Rubric, assignment: Assignment, item: Item) -> list[str]:
    """The labels that are asked for an assignment, in order; for practice those that have an agreed answer."""
    if assignment.purpose == calibrations.PURPOSE:
        agreed = calibrations.of_assignment(store, assignment)
        return [label for label in rubric.asked(item, assignment.pass_, diagnostics=True) if label in agreed]
    if assignment.purpose == canaries.PURPOSE:
        drawn = is_diagnosed(store, assignment)
    else:
        drawn = items.in_subsample(store, "diagnostics", assignment.item_kind, assignment.item_id)
    return rubric.asked(item, assignment.pass_, diagnostics=drawn)


def lease_seconds(study: Study) -> float:
    """How long an item stays with somebody who does nothing."""
    return 60 * study.labelling.lease_minutes


def lease_end(study: Study) -> str:
    """When an item that is taken or worked on now would be free again."""
    return (datetime.now(UTC) + timedelta(seconds=lease_seconds(study))).isoformat(timespec="microseconds")


def midnight() -> str:
    """When today began where the server stands, in UTC."""
    start = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return start.astimezone(UTC).isoformat(timespec="microseconds")
