"""The labelling loop: what somebody sees next, and what becomes of their answer."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from audit_app.actions.answers import Answer, Refused, comment, sequence
from audit_app.actions.repeating import repeat_later
from audit_app.actions.staffing import is_soft
from data.records import Assignment, Person
from data.rubric import Question
from data.store import assignments, claims, events, items
from data.store.connection import Store, now, open_store
from data.study import Study
from data.views import TITLES, VIEWS, Item, View, artifacts

LEASE = timedelta(minutes=30)
"""How long an item stays with somebody who does nothing."""

SCREENS = {"label": ("evidence", "correctness"), "context": ("context",)}
"""The passes of each screen, in the order in which they are offered."""

SCREEN_TITLES = {"label": "Label", "context": "Context audit"}

SKIP = "skip"


def next_view(study: Study, person: Person, screen: str) -> dict[str, Any]:
    """What this person sees next on this screen: the view of one label, or a sentence why there is none.

    Begun work comes first, then the next opening of the plan. What is shown is logged before it is returned.

    Raises:
        Refused: The screen is unknown.
    """
    passes = _passes(study, person, screen)
    with open_store(study) as store, store.transaction():
        while True:
            assignment = _take(store, study, person, passes)
            if assignment is None:
                return _empty(store, study, person, screen, passes)
            item = items.load(store, assignment.item_kind, assignment.item_id)
            owed = _owed(store, study, assignment, item)
            answered = events.current(store, assignment.assignment_id)
            left = [label for label in owed if label not in answered]
            if left:
                return _shown(store, study, person, assignment, item, owed, left)
            # A rubric that asks less than it did leaves begun items with nothing owed.
            assignments.finish(store, assignment.assignment_id, "done")


def commit(study: Study, person: Person, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Keeps one answer, then says what comes next. Sending the same answer again changes nothing.

    Args:
        study: The study.
        person: Who answers.
        answer: `screen, assignment_id, label, value, comment, evidence, client_seq, active_seconds`.

    Raises:
        Refused: 403 not theirs, 409 the item has moved on, 422 the value does not fit.
    """
    _passes(study, person, str(answer.get("screen")))
    if not person.may_label:
        raise Refused(403, "Whoever has seen results does not label. Your earlier answers are saved.")
    with open_store(study) as store, store.transaction():
        saved = _keep(store, study, person, answer)
    return {"saved": saved, "next": next_view(study, person, str(answer["screen"]))}


def tag(person: Person) -> str:
    """Who a view was made for, without saying who: two people who share a browser must not answer for each other."""
    return sha256(person.person_id.encode()).hexdigest()[:16]


def _passes(study: Study, person: Person, screen: str) -> list[str]:
    """The passes that this person may be given on this screen."""
    if screen not in SCREENS:
        raise Refused(422, f"screen {screen!r}; expected one of {', '.join(SCREENS)}")
    if not person.may_label:
        return []
    kind = "context" if screen == "context" else "response"
    asked = study.rubric.passes(kind)
    return [p for p in SCREENS[screen] if p in asked and (not person.teams or p in person.teams)]


def _until() -> str:
    return (datetime.now(UTC) + LEASE).isoformat(timespec="microseconds")


def _in_evidence(study: Study, person: Person) -> bool:
    return person.may_label and "evidence" in study.rubric.passes("response") and _may(person, "evidence")


def _may(person: Person, pass_: str) -> bool:
    return not person.teams or pass_ in person.teams


def _take(store: Store, study: Study, person: Person, passes: list[str]) -> Assignment | None:
    """What this person has begun, else the next opening they may have."""
    begun = assignments.in_hand(store, person.person_id, passes)
    if begun:
        assignments.renew(store, begun.assignment_id, _until())
        return begun
    soft, evidence = is_soft(store), _in_evidence(study, person)
    for pass_ in passes:
        taken = claims.claim(store, person.person_id, pass_, until=_until(), evidence=evidence, soft=soft)
        if taken:
            return taken
    return None


def _owed(store: Store, study: Study, assignment: Assignment, item: Item) -> list[str]:
    drawn = items.in_subsample(store, "diagnostics", assignment.item_kind, assignment.item_id)
    return study.rubric.asked(item, assignment.pass_, diagnostics=drawn)


def _shown(
    store: Store, study: Study, person: Person, assignment: Assignment, item: Item, owed: list[str], left: list[str]
) -> dict[str, Any]:
    """The view of the first label that is still owed, logged as shown."""
    question = study.rubric[left[0]]
    view = VIEWS[question.view].of(item)
    events.expose(store, assignment.assignment_id, person.person_id, question.view, sorted(artifacts(question.view)))
    return {
        "state": "view",
        "who": tag(person),
        "assignment_id": assignment.assignment_id,
        "pass": assignment.pass_,
        "view": question.view,
        "artifacts": _artifacts(view),
        "label": _question(question, left[0]),
        "step": {
            "number": len(owed) - len(left) + 1,
            "of": len(owed),
            "answered": [label for label in owed if label not in left],
        },
        "progress": _progress(store, study, person, [assignment.pass_]),
        "client_seq": events.next_seq(store, assignment.assignment_id),
        "lease_until": _until(),
        "rubric_hash": study.rubric.hash,
        "skip_reasons": list(study.rubric.skip_reasons),
    }


def _artifacts(view: View) -> list[dict[str, Any]]:
    """The fields of a view as the browser gets them: nothing is added, nothing is left out."""
    shown = []
    for name, value in asdict(view).items():
        kind = "passages" if name == "passages" else "texts" if isinstance(value, tuple | list) else "text"
        shown.append({"name": name, "title": TITLES[name], kind: list(value) if kind != "text" else value})
    return shown


def _question(question: Question, label: str) -> dict[str, Any]:
    passage = label.partition(".")[2]
    return {
        "name": label,
        "title": question.title,
        "question": question.question,
        "definition": question.definition,
        "kind": question.kind,
        "passage": int(passage) if passage else None,
        "values": [asdict(value) for value in question.values],
    }


def _progress(store: Store, study: Study, person: Person, passes: list[str]) -> dict[str, int]:
    """Items finished, and items there are for this person, the one in hand included."""
    done = assignments.done_by(store, person.person_id, passes)
    return {"done": done, "of": done + _waiting(store, study, person, passes)}


def _waiting(store: Store, study: Study, person: Person, passes: list[str]) -> int:
    """Items that this person has in hand or could be given now."""
    soft, evidence = is_soft(store), _in_evidence(study, person)
    begun = 1 if assignments.in_hand(store, person.person_id, passes) else 0
    return begun + sum(
        claims.open_for(store, person.person_id, pass_, evidence=evidence, soft=soft) for pass_ in passes
    )


def _empty(store: Store, study: Study, person: Person, screen: str, passes: list[str]) -> dict[str, Any]:
    """Why there is nothing to do, in words, and where there is more."""
    states = [row for row in assignments.progress(store) if row["pass"] in passes]
    count = {state: sum(row["n"] for row in states if row["state"] == state) for state in ("open", "claimed")}
    done = assignments.done_by(store, person.person_id, passes)
    if person.results_opened_at and person.role != "lead":
        reason = "You have seen results of this study, so there is nothing for you to label in it."
    elif person.role == "lead":
        reason = "Leads see results and therefore do not label. Sign in with an annotator's link to label."
    elif not passes:
        reason = "You are not on the team for this screen. Ask the lead if you expected work here."
    elif not states:
        reason = "Nothing is planned for this screen yet. The lead draws a sample with `evidence-audit sample draw`."
    elif count["open"] and _waits_for_evidence(store, study, person, passes):
        reason = (
            "Label the responses first (screen Label): the work here shows reference answers, "
            "so it is offered once you have judged the grounding of what is planned for you."
        )
    elif count["open"]:
        reason = (
            f"Nothing more for you here: {count['open']} assignments are left, but they are planned for other people, "
            "or on items or questions that you have worked on already. Thank you!"
        )
    elif count["claimed"]:
        last = "the last item" if count["claimed"] == 1 else f"the last {count['claimed']} items"
        reason = f"You are done for now: other people are at work on {last}. Thank you!"
    else:
        reason = "All done: everything that was planned for this screen has been labelled. Thank you!"
    other = next(name for name in SCREENS if name != screen)
    more = _waiting(store, study, person, _passes(study, person, other))
    if more and not _waits_for_evidence(store, study, person, passes):
        reason += f" There is more for you on the screen {SCREEN_TITLES[other]}: {more} items."
    return {
        "state": "empty",
        "who": tag(person),
        "reason": reason,
        "progress": {"done": done, "of": done or count["open"]},
    }


def _waits_for_evidence(store: Store, study: Study, person: Person, passes: list[str]) -> bool:
    """Whether this person could still be given evidence work, or has some in hand; then gold answers wait."""
    if "evidence" in passes or not _in_evidence(study, person):
        return False
    return _waiting(store, study, person, ["evidence"]) > 0


def _keep(store: Store, study: Study, person: Person, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as a row, after every check. Runs inside a transaction."""
    label, seq = str(raw.get("label")), sequence(raw)
    if raw.get("who") not in (None, tag(person)):
        raise Refused(409, "Somebody else has signed in with this browser. Reload the page, or use another browser.")
    assignment = assignments.find(store, ascii(raw.get("assignment_id")).strip("'"))
    if assignment is None or assignment.person_id != person.person_id:
        raise Refused(403, "This item is not yours any more. The next one will be shown.")
    if label == SKIP:
        return _skip(store, study, assignment, raw)
    owed = _owed(store, study, assignment, items.load(store, assignment.item_kind, assignment.item_id))
    if label not in owed:
        raise Refused(422, f"label {label!r} is not asked for this item; expected one of {', '.join(owed)}")
    answer = Answer.of(study.rubric[label], raw)
    there = events.find(store, assignment.assignment_id, seq)
    if there and (there.label, there.value, there.comment) == (label, answer.value, answer.comment):
        return {"label": label, "value": answer.value, "created_at": there.created_at}
    answered = events.current(store, assignment.assignment_id)
    left = [name for name in owed if name not in answered]
    if assignment.state != "claimed" or label != left[0] or seq != events.next_seq(store, assignment.assignment_id):
        raise Refused(409, "This question was answered already, perhaps in another tab. The current one will be shown.")
    at = _add(store, study, person, assignment, label, answer, seq)
    if left == [label]:
        assignments.finish(store, assignment.assignment_id, "done")
        repeat_later(store, assignment)
    else:
        assignments.renew(store, assignment.assignment_id, _until())
    return {"label": label, "value": answer.value, "created_at": at}


def _add(
    store: Store, study: Study, person: Person, assignment: Assignment, label: str, answer: Answer, seq: int
) -> str:
    """Keeps the answer, with what its giver had seen before; when it was kept."""
    at = now()
    event = {
        "assignment_id": assignment.assignment_id,
        "label": label,
        "value": answer.value,
        "evidence": answer.quotes,
        "comment": answer.comment,
        "seen_before": events.seen_before(store, assignment.assignment_id, person.person_id),
        "active_seconds": answer.seconds,
        "rubric_hash": study.rubric.hash,
        "client_seq": seq,
        "created_at": at,
    }
    events.add(store, event)
    return at


def _skip(store: Store, study: Study, assignment: Assignment, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The item is given back for good, with a reason: it counts as not answered and nobody takes its place."""
    reason = comment(raw)
    if not reason:
        raise Refused(422, f"a skip needs a reason: {', '.join(study.rubric.skip_reasons)}")
    if assignment.state == "done":
        raise Refused(409, "This item is finished already. The next one will be shown.")
    assignments.finish(store, assignment.assignment_id, "skipped", reason)
    return {"label": SKIP, "value": reason, "created_at": now()}
