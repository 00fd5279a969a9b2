"""The settings of the work that leads change on a screen; they stand in study.toml and count at once."""

from collections.abc import Mapping
from dataclasses import dataclass

from audit_app.actions.access import require_lead
from audit_app.actions.agreeing import calibration_set
from audit_app.actions.tries import PASSES
from audit_app.language import _, mark
from data.errors import StudyProblem
from data.records import Person
from data.settings import change_settings as write_settings
from data.store.connection import open_store
from data.study import Study, open_study

Value = float | bool | None

NAMES = {
    "labelling.daily_limit": mark("Items a person can finish in a day"),
    "labelling.break_minutes": mark("Minutes of work until a break is suggested"),
    "labelling.lease_minutes": mark("Minutes an item stays with somebody who does nothing"),
    "calibration.required": mark("Work only after passing the calibration"),
    "calibration.pass_mark": mark("Pass mark"),
}
MARK = "calibration.marks."
"""Before the name of a label: its own pass mark; None for the one of all labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be set, as it is."""

    values: dict[str, Value]
    """By the names of `NAMES`, and `MARK` with a label: None where it has no mark of its own."""
    labels: dict[str, str]
    """The labels that can be practised and their titles."""
    practice: str
    """Where the calibration set stands, or how to make one."""


def settings(study: Study, *, by: Person | None = None) -> Settings:
    """The settings as they are in study.toml now.

    Raises:
        Refused: Whoever asks is no lead.
    """
    found = calibration_set(study, by=by)
    practised = dict.fromkeys(answer.label for answer in found.answers)
    asked = [q.name for q in study.rubric.questions if q.pass_ in PASSES and not q.diagnostic]
    return Settings(
        values=_values(study),
        labels={name: study.rubric[name].title for name in practised or asked},
        practice=found.sentence,
    )


def _values(study: Study) -> dict[str, Value]:
    marks = dict(study.calibration.marks)
    return {
        "labelling.daily_limit": study.labelling.daily_limit,
        "labelling.break_minutes": study.labelling.break_minutes,
        "labelling.lease_minutes": study.labelling.lease_minutes,
        "calibration.required": study.calibration.required,
        "calibration.pass_mark": study.calibration.pass_mark,
        **{f"{MARK}{name}": marks.get(name) for name in study.rubric.names()},
    }


def change_settings(study: Study, changes: Mapping[str, Value], *, by: Person | None = None) -> str:
    """Writes settings into study.toml and leaves the rest of the file as it is; a sentence.

    Args:
        study: The study.
        changes: New values by name, as in `Settings.values`; what is not named stays.
        by: Who asks; None for the command line.

    Raises:
        StudyProblem: There is no such setting, or a value does not fit; nothing is changed then.
        Refused: Whoever asks is no lead.
    """
    require_lead(by)
    # One after the other: two leads who save at once must not undo each other's changes.
    with open_store(study) as store, store.transaction():
        before = _values(open_study(study.path))
        unknown = [name for name in changes if name not in before]
        if unknown:
            raise StudyProblem(_("there is no setting {name!r} to change here").format(name=unknown[0]))
        new = {name: _whole(value) for name, value in changes.items() if value != before[name]}
        if not new:
            return _("Nothing to change: it is all as it was.")
        write_settings(study.path, new)
    said = [f"{called(study, name)}: {_in_words(before[name], name)} → {_in_words(new[name], name)}" for name in new]
    return _("Saved, and in force from now on: {changes}.").format(changes=_("; ").join(said))


def _whole(value: Value) -> Value:
    """30 rather than 30.0, as people write it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def called(study: Study, name: str) -> str:
    """A setting in words."""
    if name in NAMES:
        return _(NAMES[name])
    return _("Pass mark of {label}").format(label=study.rubric[name.removeprefix(MARK)].title)


def _in_words(value: Value, name: str) -> str:
    if value is None:
        return _("as for all labels")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return f"{100 * value:.4g} %" if name.startswith("calibration.") else f"{value:g}"
