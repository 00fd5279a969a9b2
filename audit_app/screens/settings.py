"""The settings of the work: daily limit, breaks, leases, and what it takes to pass the calibration round."""

from math import ceil

import streamlit as st

from audit_app import figures, outcome, state
from audit_app.actions import settings
from audit_app.actions.settings import MARK, Settings, Value
from audit_app.language import _, mark
from data.records import Person
from data.study import Study

LIMIT = mark("0 for as many as there are. Practice counts, too.")
BREAK = mark("0 for never.")
LEASE = mark("Then whoever asks next may have it. What has an answer stays.")
REQUIRED = mark("Otherwise one try is enough, passed or not.")
PASS = mark(
    "The share of the answers to a label that have to be as agreed, in percent. Counts for tries that are over."
)
OWN = mark("As for all labels until it is changed here; the same value as above takes its own mark away.")
ABOUT = mark(
    "A change counts at once, for everybody, also while people are at work. It is written into study.toml, where "
    "regimes, conditions, the length of a session and the order of adjudication stand as well."
)
MOST = 999_999.0


def render() -> None:
    """Draws the screen."""
    study, by = state.study(), state.person()
    with figures.screen(study, _("Settings")):
        found = settings.settings(study, by=by)
        outcome.say()
        st.html(figures.sentence(_(ABOUT), soft=True))
        with st.form("settings", border=False):
            left, right = st.columns(2, gap="large")
            with left:
                given = _work(study, found)
            with right:
                given |= _practice(study, found)
            if st.form_submit_button(_("Save")):
                _save(study, by, found, given)


def _work(study: Study, found: Settings) -> dict[str, Value]:
    st.html(figures.heading(_("Work")))
    return {
        "labelling.daily_limit": _number(study, found, "labelling.daily_limit", help_=LIMIT),
        "labelling.break_minutes": _number(study, found, "labelling.break_minutes", help_=BREAK),
        "labelling.lease_minutes": _number(study, found, "labelling.lease_minutes", least=0.05, help_=LEASE),
    }


def _practice(study: Study, found: Settings) -> dict[str, Value]:
    st.html(figures.heading(_("Calibration")))
    st.html(figures.sentence(found.practice))
    required = bool(found.values["calibration.required"])
    given: dict[str, Value] = {
        "calibration.required": st.checkbox(
            settings.called(study, "calibration.required"), required, key=f"required-{required}", help=_(REQUIRED)
        )
    }
    for_all = _share(study, "calibration.pass_mark", found.values["calibration.pass_mark"], help_=PASS)
    columns = st.columns(2)
    for n, name in enumerate(f"{MARK}{label}" for label in found.labels):
        own = found.values[name]
        now = found.values["calibration.pass_mark"] if own is None else own
        with columns[n % 2]:
            share = _share(study, name, now, help_=OWN)
        given[name] = own if share == now else None if share == for_all else share
    return {**given, "calibration.pass_mark": for_all}


def _number(study: Study, found: Settings, name: str, *, least: float = 0.0, help_: str) -> Value:
    now, label = found.values[name], settings.called(study, name)
    key = f"{name}={now}"  # named by its value, so that what another lead changed is drawn
    if isinstance(now, int):
        return st.number_input(label, ceil(least), int(MOST), now, step=1, key=key, help=_(help_))
    return st.number_input(label, least, MOST, float(now or 0), step=1.0, format="%g", key=key, help=_(help_))


def _share(study: Study, name: str, now: Value, *, help_: str) -> Value:
    """A share, as percent."""
    percent = 100 * float(now or 0)
    given = st.number_input(
        _("{setting} (%)").format(setting=settings.called(study, name)),
        *(0.0, 100.0, percent),
        step=1.0,
        format="%.4g",
        key=f"{name}={now}",
        help=_(help_),
    )
    return now if given == percent else round(given / 100, 6)


def _save(study: Study, by: Person, found: Settings, given: dict[str, Value]) -> None:
    changes = {name: value for name, value in given.items() if value != found.values[name]}
    outcome.of(lambda: settings.change_settings(study, changes, by=by))
