"""Who holds which work, and giving it to others."""

import streamlit as st

from audit_app import figures, outcome, state
from audit_app.actions import holdings as held
from audit_app.actions.dealing import deal
from audit_app.actions.holdings import Holdings, InHand
from audit_app.actions.people import shown_names
from audit_app.actions.wording import when
from audit_app.language import _, mark
from data.records import Person
from data.rubric import PASSES
from data.study import Study

DEAL = mark(
    "Deals everything that nobody has begun to the active annotators, at random, so that "
    "what people differ by can be told from what they read. Do it when people come or go."
)


def render() -> None:
    """Draws the screen."""
    study, by = state.study(), state.person()
    with figures.screen(study, _("Assignments")):
        found = held.holdings(study, by=by)
        outcome.say()
        if not found.n_finished and not found.in_hand and not found.waiting and not found.n_anybodys:
            st.html(figures.sentence(_("Nothing is planned yet: nobody has work, and nothing waits."), notice=True))
            st.html(figures.steps())
            return
        st.html(figures.sentence(found.sentence))
        _in_hand(study, by, found)
        _waiting(study, by, found)


def _in_hand(study: Study, by: Person, found: Holdings) -> None:
    st.html(figures.heading(_("In hand")))
    if not found.in_hand:
        st.html(figures.sentence(_("Nobody has an item open."), soft=True))
        return
    st.html(figures.table([row(each) for each in found.in_hand]))
    free = {each.assignment_id: each for each in found.in_hand if not each.n_answers}
    if not free:
        st.html(figures.sentence(_("All of them have an answer already, so they stay where they are."), soft=True))
        return
    with st.form("one", border=False):
        one = st.selectbox(_("Item without an answer"), list(free), format_func=lambda key: title(free[key]), key="one")
        to = _pick(_("Give it to"), {"": _("whoever asks next"), **_names(found)}, "one-to")
        if st.form_submit_button(_("Take it away from them")):
            outcome.of(lambda: _give(study, by, one, to))


def _give(study: Study, by: Person, one: str, to: str) -> str:
    if to:
        held.reassign(study, one, to, by=by)
        return _("Done: it is kept for them, and comes up when they ask for work.")
    held.release(study, one, by=by)
    return _("Done: whoever asks next may have it.")


def _waiting(study: Study, by: Person, found: Holdings) -> None:
    st.html(figures.heading(_("Kept for somebody, not begun")))
    if found.waiting:
        st.html(figures.table(kept_rows(found)))
    else:
        st.html(figures.sentence(_("Nothing is dealt: whoever asks gets the next item of the plan."), soft=True))
    left, right = st.columns(2, gap="large")
    with left:
        st.html(figures.sentence(_(DEAL), soft=True))
        if st.button(_("Deal again at random"), key="deal"):
            outcome.of(lambda: deal(study, by=by).sentence)
    with right:
        holders = {waiting.person_id: waiting.name for waiting in found.waiting}
        if holders:
            _hand_over(study, by, holders, _names(found))


def _hand_over(study: Study, by: Person, holders: dict[str, str], others: dict[str, str]) -> None:
    with st.form("hand-over", border=False):
        st.html(figures.sentence(_("Or give one person's share to another. That is a choice, not chance."), soft=True))
        person_id = _pick(_("From"), holders, "from")
        to = _pick(_("To"), others, "to")
        if st.form_submit_button(_("Hand over")) and person_id and to:
            outcome.of(lambda: held.hand_over(study, person_id, to, by=by).sentence)


def _names(found: Holdings) -> dict[str, str]:
    """Those who can be given work, by id."""
    return {**{person.person_id: person.person_id for person in found.takers}, **shown_names(found.takers)}


def _pick(label: str, options: dict[str, str], key: str) -> str:
    chosen: str | None = st.selectbox(label, list(options), format_func=options.__getitem__, key=key)
    return chosen or ""


def kept_rows(found: Holdings) -> list[dict[str, str]]:
    """What is kept for each person, a column for each pass."""
    rows: dict[str, dict[str, str]] = {}
    for pass_ in PASSES:
        for each in found.waiting:
            row = rows.setdefault(each.person_id, {"person": each.name})
            if each.pass_ == pass_:
                row[pass_] = str(each.n_items)
    return list(rows.values())


def called(each: InHand) -> str:
    """Its id, or its number where the id must not be seen."""
    return each.item_id or _("no. {n}").format(n=each.number)


def title(each: InHand) -> str:
    """An item in one line."""
    return _("{name}: {item} ({team})").format(name=each.name, item=called(each), team=_(each.pass_))


def row(each: InHand) -> dict[str, str]:
    """One item in somebody's hands as a row of the table."""
    return {
        "person": each.name,
        "pass": _(each.pass_),
        "item": called(each),
        "purpose": _(each.purpose),
        "answers": str(each.n_answers),
        "last shown": when(each.shown_at) if each.shown_at else "",
        "note": _("lease ran out") if each.ran_out else "",
    }
