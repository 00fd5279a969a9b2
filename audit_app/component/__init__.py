"""The labelling loop in the browser: one component, plain JavaScript, that talks to our own JSON routes.

It goes through no Streamlit rerun: Streamlit only puts it on the page and lends it the theme.
"""

from importlib.resources import files

import streamlit as st

_HERE = files("audit_app.component")

_mount = st.components.v2.component(
    "evidence_audit_label",
    css=_HERE.joinpath("label.css").read_text(encoding="utf-8"),
    js=_HERE.joinpath("label.js").read_text(encoding="utf-8"),
)


def labelling(screen: str) -> None:
    """Puts the loop of one screen on the page.

    Args:
        screen: What `GET /api/view` is asked for: "label" or "context".
    """
    _mount(key=f"labelling-{screen}", data={"screen": screen})
