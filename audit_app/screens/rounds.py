"""The versions of the rubric that people worked under, and what changed."""

import streamlit as st

from audit_app import figures, outcome, state
from audit_app.actions import asking_again, rounds
from audit_app.actions.rounds import Round
from audit_app.language import _, mark
from data.records import Person
from data.study import Study

ABOUT = mark(
    "A change of rubric.toml counts from the next question on and starts a new round. Labels "
    "given before stay, each tied to its version; open work is asked under the new one."
)


def render() -> None:
    """Draws the screen."""
    study, by = state.study(), state.person()
    with figures.screen(study, _("Rounds")):
        found = rounds.rubric_rounds(study, by=by)
        outcome.say()
        st.html(figures.sentence(rounds.says(found)))
        st.html(figures.sentence(_(ABOUT), soft=True))
        st.html(figures.table([rounds.row(one) for one in reversed(found)]))
        before, now = rounds.previous(found), rounds.current_round(found)
        _again(study, by)
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


ASKS = mark(
    "The answers given under earlier versions are asked again of the people who gave them, under the rubric as it is "
    "now. Only of those who have not seen since what the label must not know; the earlier answers count until then."
)
TAKES_BACK = mark("Items of which nothing is answered anew are closed again, and their earlier answers stand.")


def _again(study: Study, by: Person) -> None:
    """Asking earlier answers again, and taking that back; nothing where all were given under the rubric as it is."""
    found = asking_again.pending(study, by=by)
    if not found.n_old and not found.n_labels:
        return
    st.html(figures.heading(_("Ask again")))
    st.html(figures.sentence(found.sentence))
    with st.container(horizontal=True):
        if found.n_old:
            _ask(study, by)
        if found.answers:
            with st.popover(_("Take it back")):
                st.html(figures.sentence(_(TAKES_BACK)))
                if st.button(_("Ask no more"), key="take-back", type="primary"):
                    outcome.of(lambda: asking_again.take_back(study, by=by).sentence)


def _ask(study: Study, by: Person) -> None:
    with st.popover(_("Ask again")):
        st.html(figures.sentence(_(ASKS)))
        names = study.rubric.names()
        labels = st.multiselect(
            _("Labels"),
            names,
            format_func=lambda name: study.rubric[name].title,
            placeholder=_("all labels"),
            key="again-labels",
        )
        if st.button(_("Ask them again"), key="ask-again", type="primary"):
            outcome.of(lambda: asking_again.ask_again(study, labels, by=by).sentence)
