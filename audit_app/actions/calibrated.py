"""How people did in the calibration round, label by label, and making somebody practise again. For leads."""

from dataclasses import dataclass

from audit_app.actions.access import require_lead
from audit_app.actions.agreeing import CalibrationSet, calibration_set
from audit_app.actions.people import changing, shown_names
from audit_app.actions.tries import LabelTries, Score, Stage, stages
from audit_app.actions.wording import when
from audit_app.language import _, mark, ngettext
from data.errors import StudyProblem
from data.records import Person
from data.store import calibrations, people
from data.store.connection import open_store
from data.study import Study

STATES = {
    "passed": mark("passed"),
    "not passed": mark("not passed"),
    "under way": mark("under way"),
    "not begun": mark("not begun"),
    "to practise again": mark("to practise again"),
    "not asked": mark("not asked"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """One person in the calibration round."""

    person_id: str
    name: str
    state: str
    """One of `STATES`; "not asked" of whoever works in no pass with agreed answers."""
    labels: tuple[LabelTries, ...]
    again_at: str | None
    """When they were last made to practise again; their tries before that stay, and count no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRound:
    """The set, and everybody who labels."""

    set: CalibrationSet
    required: bool
    people: tuple[Calibrated, ...]

    @property
    def sentence(self) -> str:
        """Where the round stands, in words; how to begin one where there is none."""
        if self.set.set_id is None:
            return self.set.sentence
        asked = [each for each in self.people if each.state != "not asked"]
        passed = sum(each.state == "passed" for each in asked)
        said = ngettext("{passed} of {n} person has passed.", "{passed} of {n} people have passed.", len(asked))
        rule = (
            _("Nobody gets other work before that.")
            if self.required
            else _("Whoever has tried once gets other work all the same.")
        )
        return f"{said.format(passed=passed, n=len(asked))} {rule}"


def calibration_round(study: Study, *, by: Person | None = None) -> CalibrationRound:
    """Who has passed.

    Raises:
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    with open_store(study) as store:
        everyone = [person for person in people.everyone(store) if person.may_label and person.role != "lead"]
        invited = people.invited(store)
        here = {person.person_id: stages(store, study, person) for person in everyone if person.person_id in invited}
        again = calibrations.asked_to_practise_again(store)
    names = {**{who: who for who in here}, **shown_names(everyone)}
    return CalibrationRound(
        set=calibration_set(study),
        required=study.calibration.required,
        people=tuple(_of(who, names[who], found, again.get(who)) for who, found in here.items()),
    )


def practise_again(study: Study, person_id: str, *, by: Person | None = None) -> str:
    """Makes somebody practise the calibration set again before they get other work; a sentence.

    What they did so far stays in the record and counts no more; a try that is under way counts.

    Raises:
        StudyProblem: There is no such person or no set, they get nothing to label, or have not practised yet.
        Refused: Whoever asks is no lead.
    """
    with changing(study, person_id, by) as (store, person):
        here, name = stages(store, study, person), person.display_name or person_id
        if not person.may_label:
            raise StudyProblem(_("{name} gets nothing to label, so there is nothing to practise").format(name=name))
        if not here:
            raise StudyProblem(
                _("there are no agreed answers to practise on in the passes of {name}").format(name=name)
            )
        if not any(label.best for stage in here for label in stage.labels):
            raise StudyProblem(_("{name} is to practise already: no try has been finished yet").format(name=name))
        for stage in here:
            author = by.person_id if by else None
            calibrations.practise_again(store, person_id, stage.pass_, stage.occasion - 1, by=author)
    return _(
        "{name} practises again before other work; what is begun is finished first. The results so far stay, "
        "and count no more."
    ).format(name=name)


def _of(person_id: str, name: str, found: list[Stage], again_at: str | None) -> Calibrated:
    labels = tuple(label for stage in found for label in stage.labels)
    if not labels:
        state = "not asked"
    elif all(stage.passed for stage in found):
        state = "passed"
    elif any(stage.is_begun for stage in found):
        state = "under way"
    elif any(label.best for label in labels):
        state = "not passed"
    else:
        state = "to practise again" if any(label.n_before for label in labels) else "not begun"
    return Calibrated(person_id=person_id, name=name, state=state, labels=labels, again_at=again_at)


def round_rows(found: CalibrationRound) -> list[dict[str, str]]:
    """One row per person: the best try at each label, and how many there were."""
    labels = list(dict.fromkeys(answer.label for answer in found.set.answers))
    again = any(each.again_at for each in found.people)
    return [
        {
            _("person"): each.name,
            _("calibration"): _(STATES[each.state]),
            _("tries"): str(max((len(label.scores) for label in each.labels), default=0)),
            **({_("made to practise again"): when(each.again_at) if each.again_at else ""} if again else {}),
            **{label: _best({one.label: one for one in each.labels}.get(label)) for label in labels},
        }
        for each in found.people
    ]


def _best(label: LabelTries | None) -> str:
    """The best try at a label, and what it takes; before somebody tries again, the best of those before."""
    if label is None:
        return ""
    best, before = label.best, label.best_before
    if best is None:
        return _("before: {result}").format(result=_result(before, label.mark)) if before else ""
    return _result(best, label.mark)


def _result(score: Score, needed: float) -> str:
    said = _("{sign} {right} of {n} ({share}, needed {mark})")
    sign, share = "✓" if score.share >= needed else "✗", f"{100 * score.share:.0f} %"
    return said.format(sign=sign, right=score.n_right, n=score.n, share=share, mark=f"{100 * needed:.0f} %")
