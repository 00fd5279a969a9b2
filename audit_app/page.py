"""The script Streamlit runs for every page: who is looking, where they can go, and the screen itself."""

from collections.abc import Callable
from html import escape

import streamlit as st

from audit_app import language, state
from audit_app.actions.answers import Refused
from audit_app.actions.seal import is_about_to_open
from audit_app.component import watch_page
from audit_app.gate import BROKEN, SIGN_IN
from audit_app.language import _
from audit_app.literal import literal
from audit_app.reasons import told
from audit_app.screens import context_audit, label, opening
from data.errors import StudyProblem
from data.records import Person

STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding: 4rem 1rem 0.5rem; }
[data-testid="stElementContainer"]:has(.who) { height: 0; position: absolute; }
.who { font-size: 0.875rem; position: fixed; inset-inline-end: 3.5rem; top: 1.1rem; z-index: 999991; }
/* Streamlit moves its closed sidebar out to the left, where in a page from right to left it stays in sight. */
[dir="rtl"] [data-testid="stSidebar"][data-collapsed="true"] { display: none; }
/* The knob of its switches moves to the right in every language: out of a switch that begins there. */
[dir="rtl"] [data-testid="stCheckbox"] label > span + div { direction: ltr; }
/* "Press Enter to apply": Streamlit says it in English only. */
html:not([lang="en"]) [data-testid="InputInstructions"] { display: none; }
.who a { color: inherit; margin-inline-start: 0.75rem; }
.who span { display: inline-block; max-width: 16rem; overflow: hidden; text-overflow: ellipsis;
  vertical-align: bottom; white-space: nowrap; }
/* Streamlit's sign that it is at work stands where we say who is signed in: below that, it covers nothing. */
[data-testid="stStatusWidget"] { position: fixed; inset-inline-end: 3.5rem; top: 2.5rem; z-index: 999990; }
@media (max-width: 700px) { .who span { display: none; } }
@media (max-width: 767.9px) {
  [data-testid="stToolbar"] { direction: ltr; }
  .who, [data-testid="stStatusWidget"] { inset-inline: auto; right: 3.5rem; }
}
</style>"""


def results(render: Callable[[], None]) -> None:
    """Draws a screen with results, once its lead has said that they want to see them."""
    study = state.study()
    if is_about_to_open(study):
        opening.render(study)
    else:
        render()


def agreement() -> None:
    """The lead's view of how well people agree."""
    from audit_app.screens.agreement import render

    results(render)


def judge() -> None:
    """The lead's view of how far the judge can be trusted."""
    from audit_app.screens.judge import render

    results(render)


def report() -> None:
    """The lead's view of the corrected numbers."""
    from audit_app.screens.report import render

    results(render)


def compare() -> None:
    """The lead's view of models, prompts and judges side by side."""
    from audit_app.screens.compare import render

    results(render)


def people() -> None:
    """The lead's view of who is in the study and how far they are."""
    from audit_app.screens.people import render

    render()


def adjudicate() -> None:
    """Where adjudicators decide; leads also see what waits."""
    from audit_app.screens.adjudicate import render

    render()


def assignments() -> None:
    """The lead's view of who holds which work."""
    from audit_app.screens.assignments import render

    render()


def rounds() -> None:
    """The lead's view of the versions of the rubric."""
    from audit_app.screens.rounds import render

    render()


def settings() -> None:
    """The lead's view of how the work is set up."""
    from audit_app.screens.settings import render

    render()


def pages(person: Person) -> list[tuple[str, str, Callable[[], None]]]:
    """Title, address and function of every screen this person may open."""
    working = [(_("Label"), "label", label.render), (_("Context audit"), "context", context_audit.render)]
    deciding = [(_("Adjudicate"), "adjudicate", adjudicate)]
    leading = [
        (_("Report"), "report", report),
        (_("Compare"), "compare", compare),
        (_("Judge"), "judge", judge),
        (_("Agreement"), "agreement", agreement),
        (_("People"), "people", people),
        (_("Assignments"), "assignments", assignments),
        (_("Rounds"), "rounds", rounds),
        (_("Settings"), "settings", settings),
        *deciding,
    ]
    if person.role == "lead":
        return leading
    return deciding + working if person.role == "adjudicator" else working


def first_page(person: Person) -> str:
    """The address of the screen that somebody begins at.

    A lead begins at results only where they have opened them before; whoever only audits contexts begins there.
    """
    if person.role == "lead":
        return "report" if person.results_opened_at else "people"
    if person.role == "annotator" and set(person.teams) == {"context"}:
        return "context"
    return pages(person)[0][1]


def who(person: Person) -> str:
    """Who is signed in, and the way out."""
    account, out = escape(_("Account")), escape(_("Sign out"))
    return (
        # The blanks keep the letters of two links from being joined where a script joins them.
        f'<div class="who"><span>{escape(person.display_name)}</span> '
        f'<a href="/account" target="_self">{account}</a> '
        f'<a href="/out" target="_self">{out}</a></div>'
    )


def main() -> None:
    """One run of the script."""
    language.use(language.chosen(st.context.cookies, st.context.headers.get("Accept-Language")))
    st.set_page_config(page_title="Evidence Audit", layout="wide", initial_sidebar_state="collapsed")
    person = None
    try:
        person = state.signed_in()
        if person is None:
            st.html(literal(_("You are signed out") + ". " + _(SIGN_IN)))
            return
        language.use(person.language or language.current())
        screens = {path: st.Page(screen, title=title, url_path=path) for title, path, screen in pages(person)}
        # The default page has no address of its own; going on from it lets every screen be reloaded and bookmarked.
        first = screens[first_page(person)]
        start = st.Page(lambda: st.switch_page(first), title="Start", default=True, visibility="hidden")
        chosen = st.navigation([start, *screens.values()], position="top")
        st.html(STYLE + who(person))
        watch_page()
        chosen.run()
    except Refused as refused:
        st.html(literal(told(str(refused)), language.direction()))
    except StudyProblem as problem:
        if person and person.role == "lead":
            st.html(literal(told(str(problem)), language.direction()))
            return
        # Files and folders are nothing to an annotator; the gate has written into the log what is wrong.
        st.html(literal(_("The study cannot be opened right now") + ". " + _(BROKEN), language.direction()))
        watch_page(until_well=True)


if __name__ == "__main__":
    main()
