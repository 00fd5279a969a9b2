"""Practice before other work: which item with agreed answers comes next, and what is said after each answer."""

from typing import Any

from audit_app.actions.showing import in_words
from audit_app.actions.tries import LabelTries, Stage, stages
from audit_app.actions.turns import lease_end
from audit_app.actions.wording import percent
from audit_app.language import _
from data.records import Assignment, Person
from data.rubric import Rubric
from data.store import assignments, calibrations, events
from data.store.calibrations import PURPOSE
from data.store.connection import Store
from data.study import Study


def due(store: Store, study: Study, person: Person) -> Stage | None:
    """The stage of the calibration round that this person has to go on with; None without any."""
    if not person.may_label:
        return None
    here = stages(store, study, person)
    return next((stage for stage in here if stage.is_due(required=study.calibration.required)), None)


def take(store: Store, study: Study, person: Person, stage: Stage) -> Assignment:
    """The next item of a stage that is due, in this person's hands. Runs inside a transaction."""
    position, item = next((n, item) for n, item in enumerate(stage.order) if item not in stage.done)
    return calibrations.take(
        store,
        stage.set_id,
        item,
        stage.pass_,
        person_id=person.person_id,
        occasion=stage.occasion,
        position=position,
        until=lease_end(study),
    )


def progress(store: Store, study: Study, person: Person, assignment_id: str) -> dict[str, Any]:
    """How far somebody is in the try that an assignment belongs to: its number, items done, and items in all."""
    found = assignments.row_of(store, assignment_id)
    stage = next(
        (s for s in stages(store, study, person) if (s.pass_, s.occasion) == (found["pass"], found["occasion"])), None
    )
    # None once the set was withdrawn: what was begun is finished all the same.
    return {"done": len(stage.done), "of": len(stage.order), "try": stage.number} if stage else {"done": 0, "of": 1}


def feedback(store: Store, study: Study, assignment_id: str, label: str) -> dict[str, Any] | None:
    """What somebody is told of an answer that they have given for practice; None for any other answer.

    Nothing but the agreed answer to this very label, which is final from here on.
    """
    assignment = assignments.find(store, assignment_id)
    if assignment is None or assignment.purpose != PURPOSE:
        return None
    agreed, event = calibrations.of_assignment(store, assignment), events.current(store, assignment_id).get(label)
    if label not in agreed or event is None:
        return None
    question = study.rubric[label]
    return {
        "label": label,
        "right": event.value == agreed[label].value,
        "text": in_words(question, event.value),
        "agreed": in_words(question, agreed[label].value),
        "reason": agreed[label].reason,
    }


def outcome(store: Store, study: Study, person: Person, assignment_id: str) -> str | None:
    """What a try came to, just after the last answer of its last item, which is of this practice; None before."""
    done = assignments.find(store, assignment_id)
    if done is None or done.state != "done":
        return None
    here = ((stage.pass_, stage.occasion - 1, stage) for stage in stages(store, study, person))
    stage = next((found for pass_, last, found in here if (pass_, last) == (done.pass_, done.occasion)), None)
    if stage is None:
        return None
    again = stage.is_due(required=study.calibration.required)
    came = _("; ").join(_came(study.rubric, each) for each in stage.labels if each.scores)
    if stage.passed:
        return _("You have passed: {labels}.").format(labels=came)
    if again:
        said = _("Not passed yet: {labels}. The same items come once more, in another order.")
        return said.format(labels=came)
    return _("Not passed: {labels}. You can go on all the same.").format(labels=came)


def _came(rubric: Rubric, each: LabelTries) -> str:
    score = each.scores[-1]
    said = _("{title} {right} of {n} as agreed ({share} needed)")
    return said.format(title=rubric[each.label].title, right=score.n_right, n=score.n, share=percent(each.mark, 0))
