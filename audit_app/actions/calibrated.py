"""How people did in the calibration round: who passed, label by label, and in how many tries. For leads."""

from dataclasses import dataclass

from audit_app.actions.access import require_lead
from audit_app.actions.agreeing import CalibrationSet, calibration_set
from audit_app.actions.people import shown_names
from audit_app.actions.tries import LabelTries, Stage, stages
from audit_app.language import _, mark, ngettext
from data.records import Person
from data.store import people
from data.store.connection import open_store
from data.study import Study

STATES = {
    "passed": mark("passed"),
    "not passed": mark("not passed"),
    "under way": mark("under way"),
    "not begun": mark("not begun"),
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
    names = {**{who: who for who in here}, **shown_names(everyone)}
    return CalibrationRound(
        set=calibration_set(study),
        required=study.calibration.required,
        people=tuple(_of(who, names[who], found) for who, found in here.items()),
    )


def _of(person_id: str, name: str, found: list[Stage]) -> Calibrated:
    labels = tuple(label for stage in found for label in stage.labels)
    if not labels:
        state = "not asked"
    elif all(stage.passed for stage in found):
        state = "passed"
    elif any(stage.is_begun for stage in found):
        state = "under way"
    else:
        state = "not passed" if any(label.scores for label in labels) else "not begun"
    return Calibrated(person_id=person_id, name=name, state=state, labels=labels)


def round_rows(found: CalibrationRound) -> list[dict[str, str]]:
    """One row per person: the best try at each label, and how many there were."""
    labels = list(dict.fromkeys(answer.label for answer in found.set.answers))
    return [
        {
            _("person"): each.name,
            _("calibration"): _(STATES[each.state]),
            _("tries"): str(max((len(label.scores) for label in each.labels), default=0)),
            **{label: _best({one.label: one for one in each.labels}.get(label)) for label in labels},
        }
        for each in found.people
    ]


def _best(label: LabelTries | None) -> str:
    """The best try at a label, and what it takes."""
    if label is None or label.best is None:
        return ""
    best, sign = label.best, "✓" if label.passed else "✗"
    said = _("{sign} {right} of {n} ({share}, needed {mark})")
    return said.format(
        sign=sign, right=best.n_right, n=best.n, share=f"{100 * best.share:.0f} %", mark=f"{100 * label.mark:.0f} %"
    )
