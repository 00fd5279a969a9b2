"""The labelling loop: what somebody sees next, and what becomes of their answer."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from audit_app.actions import practising
from audit_app.actions.answers import Answer, Refused, sequence, skip_reason
from audit_app.actions.attention import canary_later
from audit_app.actions.looking_back import why_final
from audit_app.actions.repeating import repeat_later
from audit_app.actions.showing import shown
from audit_app.actions.staffing import is_soft
from audit_app.actions.turns import (
    in_evidence,
    lease_end,
    lease_seconds,
    owed,
    passes_of,
    require_may_label,
    require_same,
    theirs,
)
from audit_app.actions.waiting import is_enough_for_today, nothing, progress
from audit_app.language import _, joined, mark
from data.records import Assignment, LabelEvent, Person
from data.store import assignments, claims, events, items, rounds
from data.store.connection import Store, now, open_store
from data.study import Study
from data.views import VIEWS, Item

SKIP = "skip"


def next_view(study: Study, person: Person, screen: str) -> dict[str, Any]:
    """What this person sees next on this screen: the view of one label, or a sentence why there is none.

    Begun work comes first, then practice that is due, then the next opening of the plan. What is shown is logged
    before it is returned.

    Raises:
        Refused: The screen is unknown.
    """
    with open_store(study) as store:
        return _next(store, study, person, screen)


def _next(store: Store, study: Study, person: Person, screen: str) -> dict[str, Any]:
    passes = passes_of(study, person, screen)
    with store.transaction():
        view = _show(store, study, person, passes)
    return _counted(store, study, person, screen, passes, view)


def _counted(
    store: Store, study: Study, person: Person, screen: str, passes: list[str], view: dict[str, Any] | None
) -> dict[str, Any]:
    """The view with its progress, or why there is none. After the transaction: nobody has to wait for counting."""
    if view is None:
        return nothing(store, study, person, screen, passes)
    if view["practice"]:
        return {**view, "progress": practising.progress(store, study, person, view["assignment_id"])}
    return {**view, "progress": progress(store, study, person, [view["pass"]])}


def _show(store: Store, study: Study, person: Person, passes: list[str]) -> dict[str, Any] | None:
    """The view of the first label that is owed on what this person has in hand, or could have; None without any."""
    while True:
        assignment = _take(store, study, person, passes)
        if assignment is None:
            return None
        item = items.load(store, assignment.item_kind, assignment.item_id)
        asked = owed(store, study.rubric, assignment, item)
        answered = events.current(store, assignment.assignment_id)
        left = _left(store, study, assignment, asked, answered)
        if left:
            rounds.begin(store, study.rubric)
            return shown(store, study, person, assignment, item, left[0], asked, answered)
        # A rubric that asks less than it did leaves begun items with nothing owed.
        assignments.finish(store, assignment.assignment_id, "done")


def _left(
    store: Store, study: Study, assignment: Assignment, asked: Sequence[str], answered: Collection[str]
) -> list[str]:
    """The labels that are still to be answered, those that a lead asks again included."""
    again = rounds.again(store, assignment.assignment_id, study.rubric.hash)
    return [label for label in asked if label not in answered or label in again]


def commit(study: Study, person: Person, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Keeps one answer, then says what comes next; for practice also what was agreed. Sending it again changes nothing.

    Args:
        study: The study.
        person: Who answers.
        answer: `screen, assignment_id, label, value, comment, evidence, client_seq, active_seconds`; `revise` true for
            a new version of an answer that was given already.

    Raises:
        Refused: 403 not theirs, 409 the item has moved on or the answer is final, 422 the value does not fit.
    """
    passes_of(study, person, str(answer.get("screen")))
    require_may_label(person)
    passes = passes_of(study, person, str(answer["screen"]))
    failed: Exception | None = None
    with open_store(study) as store:
        with store.transaction():
            saved = _keep(store, study, person, answer)
            told = _told(store, study, person, str(answer.get("assignment_id")), saved["label"])
            try:
                with store.part():
                    view = _show(store, study, person, passes)
            except Exception as problem:  # the answer is kept whatever becomes of the next view
                failed = problem
        if failed:
            raise failed
        following = {"next": _counted(store, study, person, str(answer["screen"]), passes, view)}
        return {"saved": saved, "feedback": told, **following} if told else {"saved": saved, **following}


def _told(store: Store, study: Study, person: Person, assignment_id: str, label: str) -> dict[str, Any] | None:
    """What is said of an answer for practice; None of any other."""
    told = practising.feedback(store, study, assignment_id, label)
    return told and {**told, "outcome": practising.outcome(store, study, person, assignment_id)}


def renew(study: Study, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Says that somebody is at work on what they have in hand, which is then theirs for longer.

    An item whose time ran out is taken again if nobody else has it by now; finished work is never touched.

    Args:
        study: The study.
        person: Who is at work.
        sent: `assignment_id`, optionally `who`.

    Raises:
        Refused: 403 somebody else has it, 409 it is finished.
    """
    require_may_label(person)
    require_same(person, sent.get("who"))
    with open_store(study) as store, store.transaction():
        assignment = theirs(store, person, sent.get("assignment_id"))
        if assignment.state != "claimed":
            raise Refused(409, _("This item was finished already, perhaps in another tab. The next one will be shown."))
        assignments.renew(store, assignment.assignment_id, lease_end(study))
    return {"lease_seconds": lease_seconds(study)}


def _take(store: Store, study: Study, person: Person, passes: list[str]) -> Assignment | None:
    """What this person has begun, else practice that is due, else the next opening they may have."""
    begun = assignments.in_hand(store, person.person_id, passes)
    if begun:
        assignments.renew(store, begun.assignment_id, lease_end(study))
        return begun
    if is_enough_for_today(store, study, person):
        return None
    practice = practising.due(store, study, person)
    if practice:
        return practising.take(store, study, person, practice) if practice.pass_ in passes else None
    soft, evidence = is_soft(store), in_evidence(study, person)
    for pass_ in passes:
        taken = claims.claim(store, person.person_id, pass_, until=lease_end(study), evidence=evidence, soft=soft)
        if taken:
            return taken
    return None


def _keep(store: Store, study: Study, person: Person, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as a row, after every check. Runs inside a transaction."""
    label, seq = str(raw.get("label")), sequence(raw)
    require_same(person, raw.get("who"))
    assignment = theirs(store, person, raw.get("assignment_id"))
    if label == SKIP:
        ended = _("This item is finished already. The next one will be shown.")
        return give_back(store, study, assignment, raw, ended=ended)
    item = items.load(store, assignment.item_kind, assignment.item_id)
    asked = owed(store, study.rubric, assignment, item)
    if label not in asked:
        said = _("label {label!r} is not asked for this item; expected one of {labels}")
        raise Refused(422, said.format(label=label, labels=joined(asked)))
    answer = answer_to(study, item, label, raw)
    there = events.find(store, assignment.assignment_id, seq)
    if there and same_answer(there, label, answer):
        return {"label": label, "value": answer.value, "created_at": there.created_at}
    answered = events.current(store, assignment.assignment_id)
    left = _left(store, study, assignment, asked, answered)
    revise = raw.get("revise") is True
    if revise:
        _check_revision(store, study, person, assignment, label)
    elif assignment.state != "claimed" or label not in left[:1]:
        raise Refused(409, _(MOVED_ON))
    if seq != events.seq_after(answered):
        raise Refused(409, _(MOVED_ON))
    at = keep(store, study, person, assignment, label, answer, seq)
    if not revise and left == [label]:
        assignments.finish(store, assignment.assignment_id, "done")
        sample = items.sample_of(store, assignment.item_kind, assignment.item_id)
        repeat_later(store, assignment, sample)
        canary_later(store, assignment, sample)
    else:
        assignments.renew(store, assignment.assignment_id, lease_end(study))
    return {"label": label, "value": answer.value, "created_at": at}


MOVED_ON = mark("This question was answered already, perhaps in another tab. The current one will be shown.")


def answer_to(study: Study, item: Item, label: str, raw: Mapping[str, Any]) -> Answer:
    """What was answered to a label of an item, its quotes compared with what its view shows."""
    question = study.rubric[label]
    return Answer.of(question, raw, getattr(VIEWS[question.view].of(item), "passages", ()))


def same_answer(there: LabelEvent, label: str, answer: Answer) -> bool:
    """Whether this very answer is kept already."""
    kept = (there.label, there.value, there.comment, list(there.evidence))
    return kept == (label, answer.value, answer.comment, answer.quotes)


def _check_revision(store: Store, study: Study, person: Person, assignment: Assignment, label: str) -> None:
    final = why_final(store, study, person, assignment, label)
    if final:
        said = _("This answer cannot be changed any more. {why} If it was a slip, say so instead.")
        raise Refused(409, said.format(why=final))


def keep(
    store: Store, study: Study, person: Person, assignment: Assignment, label: str, answer: Answer, seq: int
) -> str:
    """Keeps the answer, with what its giver had seen before; when it was kept."""
    at = now()
    rounds.begin(store, study.rubric)
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


def give_back(
    store: Store, study: Study, assignment: Assignment, raw: Mapping[str, Any], *, ended: str
) -> dict[str, Any]:
    """Ends work on an item for good, with a reason; what was answered stays in the record.

    Of the plan it counts as not answered and nobody takes its place; an adjudicator's goes to another. Of an item that
    was asked again the earlier answers stand.

    Raises:
        Refused: 409 it is done (said as `ended`), 422 the reason is none of the rubric's.
    """
    if assignment.state == "done" and assignment.reason is None:
        raise Refused(409, ended)
    reason = skip_reason(raw, study.rubric.skip_reasons)
    rested = assignment.state == "done" or rounds.let_rest(store, of=assignment.assignment_id, reason=reason)
    if not rested and assignment.state != "skipped":
        assignments.finish(store, assignment.assignment_id, "skipped", reason)
    return {"label": SKIP, "value": assignment.reason or reason, "created_at": now()}
