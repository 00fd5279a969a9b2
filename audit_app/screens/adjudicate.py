"""Adjudication: the loop of votes and decisions, and for leads what waits in the queue."""

import streamlit as st

from audit_app import figures, state
from audit_app.actions.adjudicating import SCREEN, why_never
from audit_app.actions.disputes import Disputes, dispute_rows, disputes, reason_rows
from audit_app.component import labelling
from audit_app.language import _

AT_MOST = 200
"""Rows of the queue that are drawn; the command lists all."""


def render() -> None:
    """Draws the screen."""
    person = state.person()
    if person.role != "lead":
        labelling(SCREEN)
        return
    study = state.study()
    with figures.screen(study, _("Adjudicate")):
        found = disputes(study, by=person)
        # Whoever votes blind may know how many wait, not which and why.
        _queue(found, listed=not person.may_adjudicate)
        if not person.may_adjudicate:
            st.html(figures.sentence(why_never(person), soft=True))
    if person.may_adjudicate and found.waiting:
        labelling(SCREEN)


def _queue(found: Disputes, *, listed: bool) -> None:
    st.html(figures.sentence(" ".join(found.sentences)))
    if not found.waiting:
        return
    st.html(figures.table(reason_rows(found)))
    if not listed:
        return
    with st.expander(_("What waits, in the order of the queue")):
        st.html(figures.table(dispute_rows(found)[:AT_MOST]))
        if len(found.waiting) > AT_MOST:
            more = _("The first {shown} of {n}; `evidence-audit adjudicate list` has all of them.").format(
                shown=AT_MOST, n=len(found.waiting)
            )
            st.html(figures.sentence(more, soft=True))
