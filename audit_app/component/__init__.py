"""The labelling loop in the browser: one component, plain JavaScript, that talks to our own JSON routes.

It goes through no Streamlit rerun: Streamlit only puts it on the page and lends it the theme.
"""

from importlib.resources import files

import streamlit as st

from audit_app.gate import EVERY
from audit_app.language import _, current, direction, for_scripts

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


_watch = st.components.v2.component("evidence_audit_watch", css=_read("watch.css"), js=_read("watch.js"))


def watch_page(*, until_well: bool = False) -> None:
    """Tells the browser its language and the way of its lines (Streamlit says English), and what to watch.

    See `audit_app.gate.EVERY`.

    Args:
        until_well: The page only says that it cannot be drawn: it is drawn anew once the server answers well.
    """
    away = _("The server cannot be reached. What this page shows may be out of date; it goes on by itself.")
    told = {"lang": current(), "dir": direction(), "every": EVERY, "away": away, "until_well": until_well}
    _watch(key="unwell" if until_well else "watch", data=told)


def labelling(screen: str) -> None:
    """Puts the loop of one screen on the page.

    Args:
        screen: What `GET /api/view` is asked for: "label", "context" or "adjudicate".
    """
    _mount(key=f"labelling-{screen}", data={"screen": screen, **for_scripts()})
