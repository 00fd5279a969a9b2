"""Adjudication: a blind vote first, then the answers of all, then a decision with its reason and cause."""

from collections.abc import Mapping
from typing import Any

from audit_app.actions.adjudicators import WHY_NOT, Adjudicator
from audit_app.actions.answers import Answer, Refused, comment, encodable, expected, sequence
from audit_app.actions.cases import Case, Place, Queue, in_order, read_queue
from audit_app.actions.labelling import MOVED_ON, SKIP, answer_to, give_back, keep, same_answer
from audit_app.actions.revealing import place_of, revealed
from audit_app.actions.showing import shown
from audit_app.actions.turns import lease_end, lease_seconds, require_same, tag, theirs
from audit_app.language import _, ngettext
from data.records import CAUSES, Assignment, Person
from data.store import adjudications, assignments, events, items
from data.store.connection import Store, now, open_store
from data.study import Study

SCREEN = "adjudicate"


def next_case(study: Study, person: Person) -> dict[str, Any]:
    """What this person adjudicates next, or a sentence why there is nothing.

    Before the vote it is the view of the label at stake and nothing else (`case.stage` "vote"); after it also what
    everybody said (`case.stage` "decide"). What is begun comes first. What is shown is logged before it is returned.
    """
    with open_store(study) as store, store.transaction():
        return _next(store, study, person)


def _next(store: Store, study: Study, person: Person) -> dict[str, Any]:
    if not person.may_adjudicate:
        return _empty(store, person, why_never(person))
    queue = read_queue(store, study)
    while True:
        me = Adjudicator.read_from(store, study, person, queue)
        assignment = _take(store, study, me, queue)
        if assignment is None:
            return _empty(store, person, _why_nothing(me, queue))
        case = queue.find(Place(assignment.item_kind, assignment.item_id, assignment.pass_))
        label = _undecided(store, study, assignment) or (me.next_label(case) if case else None)
        if label:
            return _shown(store, study, person, me, queue, assignment, case, label)
        assignments.finish(store, assignment.assignment_id, "done")


def _take(store: Store, study: Study, me: Adjudicator, queue: Queue) -> Assignment | None:
    begun = adjudications.in_hand(store, me.person_id)
    if begun:
        assignments.renew(store, begun.assignment_id, lease_end(study))
        return begun
    case = next(iter(me.takeable(queue)), None)
    return adjudications.take(store, case.as_row(), me.person_id, lease_end(study)) if case else None


def _undecided(store: Store, study: Study, assignment: Assignment) -> str | None:
    """A label that was voted on and waits for the decision: what was once shown is brought to an end."""
    for label in events.current(store, assignment.assignment_id):
        known = label.partition(".")[0] in study.rubric.names(assignment.item_kind)
        if known and adjudications.decision(store, assignment.assignment_id, label) is None:
            return label
    return None


def _shown(
    store: Store,
    study: Study,
    person: Person,
    me: Adjudicator,
    queue: Queue,
    assignment: Assignment,
    case: Case | None,
    label: str,
) -> dict[str, Any]:
    item = items.load(store, assignment.item_kind, assignment.item_id)
    voted = events.current(store, assignment.assignment_id)
    mine = {*voted, *(me.labels(case) if case else ()), label}
    steps = sorted((name for name in mine if name.partition(".")[0] in study.rubric.names()),
                   key=lambda name: in_order(study.rubric, name))  # fmt: skip
    view = shown(store, study, person, assignment, item, label, steps, voted)
    found = {"stage": "decide", **revealed(store, study, person, assignment, label, case)} if label in voted else None
    done = adjudications.decided_by(store, person.person_id)
    others = sum(
        me.why_not(one) in (None, "grounding") for one in queue.cases if case is None or one.place != case.place
    )
    return {**view, "case": found or {"stage": "vote"}, "progress": {"done": done, "of": done + 1 + others}}


def vote(study: Study, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Keeps a blind vote, then shows what everybody said. Sending the same again changes nothing.

    The vote is one more label event, of purpose adjudication: it enters no estimate and no coefficient.

    Args:
        study: The study.
        person: Who votes.
        sent: As for `labelling.commit`; the label "skip" gives the item back.

    Raises:
        Refused: 403 not theirs, or they may not adjudicate, 409 the vote is cast or the item has moved on, 422 the
            value does not fit.
    """
    with open_store(study) as store:
        with store.transaction():
            saved = _keep_vote(store, study, person, sent)
        # A transaction of its own: the vote is kept whatever becomes of the next view.
        with store.transaction():
            return {"saved": saved, "next": _next(store, study, person)}


def _keep_vote(store: Store, study: Study, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
    label, assignment = str(sent.get("label")), _theirs(store, person, sent)
    if label == SKIP:
        ended = _("This item is decided already. The next one will be shown.")
        return give_back(store, study, assignment, sent, ended=ended)
    seq = sequence(sent)
    if label.partition(".")[0] not in study.rubric.names(assignment.item_kind):
        raise Refused(422, expected("label", label, study.rubric.names(assignment.item_kind)))
    item = items.load(store, assignment.item_kind, assignment.item_id)
    answer = answer_to(study, item, label, sent)
    there = events.find(store, assignment.assignment_id, seq)
    if there and same_answer(there, label, answer):
        return {"label": label, "value": answer.value, "created_at": there.created_at}
    if label in events.current(store, assignment.assignment_id):
        raise Refused(409, _("Your vote on this is cast, and what others said was shown to you: it cannot be changed."))
    queue = read_queue(store, study)
    case = queue.find(Place(assignment.item_kind, assignment.item_id, assignment.pass_))
    me = Adjudicator.read_from(store, study, person, queue)
    if assignment.state != "claimed" or case is None or me.next_label(case) != label:
        raise Refused(409, _(MOVED_ON))
    if seq != events.next_seq(store, assignment.assignment_id):
        raise Refused(409, _(MOVED_ON))
    at = keep(store, study, person, assignment, label, answer, seq)
    assignments.renew(store, assignment.assignment_id, lease_end(study))
    return {"label": label, "value": answer.value, "created_at": at}


def _theirs(store: Store, person: Person, sent: Mapping[str, Any]) -> Assignment:
    """What this person has in hand to adjudicate.

    Raises:
        Refused: 403 or 409, it is none.
    """
    if not person.may_adjudicate:
        raise Refused(403, why_never(person))
    require_same(person, sent.get("who"))
    assignment = theirs(store, person, sent.get("assignment_id"))
    if assignment.purpose != "adjudication":
        raise Refused(403, _("This item is not yours to decide: you labelled it."))
    return assignment


def decide(study: Study, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Keeps a decision, then says what comes next. Sending the same again changes nothing.

    The answers that it is about stay as they are: agreement is computed on them.

    Args:
        study: The study.
        person: Who decides.
        sent: `assignment_id, label, value, reason, cause`, optionally `who`.

    Raises:
        Refused: 403 not theirs, or they may not adjudicate, 409 not voted on, decided or moved on, 422 it does not fit.
    """
    with open_store(study) as store:
        with store.transaction():
            decided = _keep_decision(store, study, person, sent)
        with store.transaction():
            return {"decided": decided, "next": _next(store, study, person)}


def _keep_decision(store: Store, study: Study, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
    label, assignment = str(sent.get("label")), _theirs(store, person, sent)
    vote_cast = events.current(store, assignment.assignment_id).get(label)
    if vote_cast is None:
        raise Refused(409, _("Vote first, without knowing what others said: the decision comes after that."))
    reason, cause = _reason(sent), sent.get("cause")
    if cause not in CAUSES:
        raise Refused(422, expected("cause", cause, CAUSES))
    # A reason and no quotes of its own: the words that show it are quoted with the answers that are decided on.
    value = Answer.of(study.rubric[label], {"value": sent.get("value"), "comment": reason}).value
    found = {"label": label, "value": value, "reason": reason, "cause": cause}
    there = adjudications.decision(store, assignment.assignment_id, label)
    if there:
        if {name: there[name] for name in found} != found:
            raise Refused(409, _("This is decided already, and decisions are not changed."))
        return {**found, "created_at": there["created_at"]}
    if assignment.state != "claimed":
        raise Refused(409, _("This item is not in your hands any more: its time ran out, or you gave it back."))
    at = now()
    answers = adjudications.answers_to(store, place_of(assignment), label)
    events.resolve(store, {
        **found,
        "item_id": assignment.item_id,
        "item_kind": assignment.item_kind,
        "person_id": person.person_id,
        "resolves": [row["event_id"] for row in answers if row["event_id"] is not None],
        "assignment_id": assignment.assignment_id,
        "rubric_hash": study.rubric.hash,
        "queue_order": study.adjudication_order,
        "created_at": at,
    })  # fmt: skip
    assignments.renew(store, assignment.assignment_id, lease_end(study))
    return {**found, "created_at": at}


def _reason(sent: Mapping[str, Any]) -> str:
    reason = comment({"comment": sent.get("reason")})
    if reason is None:
        raise Refused(422, _("a decision needs a reason, in a few words"))
    encodable(reason)
    return reason


def renew(study: Study, person: Person, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Says that an adjudicator is at work on what they have in hand, which is then theirs for longer.

    Raises:
        Refused: 403 somebody else has it, 409 it is decided or was given back.
    """
    with open_store(study) as store, store.transaction():
        assignment = _theirs(store, person, sent)
        if assignment.state != "claimed":
            raise Refused(409, _(MOVED_ON))
        assignments.renew(store, assignment.assignment_id, lease_end(study))
    return {"lease_seconds": lease_seconds(study)}


def _empty(store: Store, person: Person, reason: str) -> dict[str, Any]:
    done = adjudications.decided_by(store, person.person_id)
    return {"state": "empty", "who": tag(person), "reason": reason, "progress": {"done": done, "of": done}}


def why_never(person: Person) -> str:
    """Why somebody is given nothing to decide."""
    if person.results_opened_at:
        return _("You have seen results of this study, so there is nothing for you to decide in it.")
    return _("Adjudicators decide where people disagree, and you are not one of them. Ask the lead of the study.")


def _why_nothing(me: Adjudicator, queue: Queue) -> str:
    kept = me.kept_back(queue)
    said = _("There is nothing to decide. Thank you!")
    if kept:
        reasons = "; ".join(f"{n}: {_(WHY_NOT[why])}" for why, n in sorted(kept.items()))
        said = ngettext(
            "{n} item waits for a decision, but not from you now ({reasons}).",
            "{n} items wait for a decision, but not from you now ({reasons}).",
            kept.total(),
        ).format(n=kept.total(), reasons=reasons)
    if queue.n_unripe:
        more = ngettext(
            "{n} more comes up once everybody of the plan has labelled it.",
            "{n} more come up once everybody of the plan has labelled them.",
            queue.n_unripe,
        ).format(n=queue.n_unripe)
        return f"{said} {more}"
    return said
