"""What a Streamlit screen knows: the study it is served from, and the person who is looking."""

from dataclasses import replace

import streamlit as st

from audit_app.actions import sign_in
from audit_app.gate import COOKIE
from audit_app.launch import study_folder
from data.records import Person
from data.study import Study, open_study


def study() -> Study:
    """The study of this server as whoever is looking may see it: actions ask it who that is.

    Raises:
        StudyProblem: There is none, or it cannot be read.
    """
    return replace(open_study(study_folder()), asked_by=person())


def signed_in() -> Person | None:
    """Who is looking, asked anew on every run: a session that was ended elsewhere shows nothing more.

    Raises:
        Refused: They are paused.
    """
    return sign_in.person_of(open_study(study_folder()), st.context.cookies.get(COOKIE))


def person() -> Person:
    """Who is looking; on a screen there is always somebody, the page itself saw to it."""
    found = signed_in()
    if found is None:
        st.stop()
    return found
