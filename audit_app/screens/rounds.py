"""The versions of the rubric that people worked under, and what changed."""

import streamlit as st

from audit_app import figures, state
from audit_app.actions import rounds
from audit_app.actions.rounds import Round
from audit_app.language import _, mark

ABOUT = mark(
    "A change of rubric.toml counts from the next question on and starts a new round. Labels "
    "given before stay, each tied to its version; open work is asked under the new one."
)


def render() -> None:
    """Draws the screen."""
    study = state.study()
    with figures.screen(study, _("Rounds")):
        found = rounds.rubric_rounds(study, by=state.person())
        st.html(figures.sentence(rounds.says(found)))
        st.html(figures.sentence(_(ABOUT), soft=True))
        st.html(figures.table([rounds.row(one) for one in reversed(found)]))
        before, now = rounds.previous(found), rounds.current_round(found)
        if before is not None:
            st.html(figures.heading(_("What changed since the round before")))
            _changes(before, now)
        with st.expander(_("The rubric as it is now")):
            st.code(now.text or "", language=None, wrap_lines=True)


def _changes(before: Round, now: Round) -> None:
    if before.text is None:
        st.html(figures.sentence(_("The text of that version was not kept, so the two cannot be compared."), soft=True))
    else:
        st.code(rounds.changes(before, now), language=None, wrap_lines=True)
