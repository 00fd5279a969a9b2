"""Before a lead sees results for the first time: what that means for them, and one button."""

import streamlit as st

from audit_app import figures
from audit_app.actions.access import open_results
from audit_app.actions.seal import OPENING
from audit_app.language import _, mark
from data.study import Study

BESIDE = mark("People, Assignments, Rounds and the queue of adjudication show none.")


def render(study: Study) -> None:
    """Draws the screen."""
    with figures.screen(study, _("Results")):
        st.html(figures.sentence(_(OPENING)))
        st.html(figures.sentence(_(BESIDE), soft=True))
        if st.button(_("Open results"), type="primary") and study.asked_by is not None:
            open_results(study, study.asked_by)
            st.rerun()
