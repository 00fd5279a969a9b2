"""What a change on a screen came to: it is said on the run that follows, above everything that it changed."""

from collections.abc import Callable

import streamlit as st

from audit_app import figures
from audit_app.actions.people import Invited
from audit_app.language import _
from data.errors import StudyProblem

_SAID = "outcome"


def of(change: Callable[[], str | Invited]) -> None:
    """Does it, then draws the screen anew; what cannot be done is said, and nothing is changed."""
    try:
        st.session_state[_SAID] = change()
    except StudyProblem as problem:
        st.session_state[_SAID] = _("Nothing was changed: {problem}.").format(problem=problem)
    st.rerun()


def say() -> None:
    """Says what the last change came to, once. A link stays until it is put away: it cannot be shown again."""
    said: str | Invited | None = st.session_state.get(_SAID)
    if isinstance(said, str):
        st.html(figures.sentence(said, notice=True))
        del st.session_state[_SAID]
    elif said is not None:
        st.html(figures.sentence(_("Their personal link, shown this once. Send it to this person only:"), notice=True))
        st.code(said.link, language=None, wrap_lines=True)
        if st.button(_("I have copied it"), key="copied"):
            del st.session_state[_SAID]
            st.rerun()
