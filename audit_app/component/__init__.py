"""The labelling loop in the browser: one component, plain JavaScript, that talks to our own JSON routes.

It goes through no Streamlit rerun: Streamlit only puts it on the page and lends it the theme.
"""

from importlib.resources import files

import streamlit as st

from audit_app.language import current, direction, for_scripts

_HERE = files("audit_app.component")
_SCRIPTS = (
    "parts.js", "wire.js", "reading.js", "picking.js", "panels.js", "evidence.js", "deciding.js", "practice.js",
    "question.js", "sitting.js", "tabs.js", "mine.js", "keys.js", "bar.js", "label.js",
)  # fmt: skip


def _read(name: str) -> str:
    return _HERE.joinpath(name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "evidence_audit_label",
    css=_read("label.css"),
    js="\n".join(map(_read, _SCRIPTS)),  # one module: Streamlit takes one script, and there is no build step
)


_turn = st.components.v2.component(
    "evidence_audit_language",
    js="export default ({ data }) => { Object.assign(document.documentElement, { lang: data.lang, dir: data.dir }) }",
)


def turn_page() -> None:
    """Tells the browser which language the page is in and which way its lines run; Streamlit says English always."""
    _turn(key="language", data={"lang": current(), "dir": direction()})


def labelling(screen: str) -> None:
    """Puts the loop of one screen on the page.

    Args:
        screen: What `GET /api/view` is asked for: "label", "context" or "adjudicate".
    """
    _mount(key=f"labelling-{screen}", data={"screen": screen, **for_scripts()})
