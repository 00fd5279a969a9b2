"""Who is in the study: invite, see how far everybody is, pause, renew or take away a way in."""

import streamlit as st

from audit_app import figures, outcome, state
from audit_app.actions import people
from audit_app.actions.calibrated import CalibrationRound, calibration_round, practise_again, round_rows
from audit_app.actions.names import look_alikes, warning
from audit_app.actions.people import shown_names
from audit_app.actions.progress import Progress, progress
from audit_app.actions.wording import when
from audit_app.language import _, joined, mark, ngettext
from data.records import Person
from data.rubric import PASSES
from data.store.people import ROLES
from data.study import Study

ROLE_WORDS = {
    "annotator": mark("labels items, blind."),
    "adjudicator": mark("decides where annotators disagree."),
    "lead": mark("sees results and invites people; gets nothing to label."),
}


def render() -> None:
    """Draws the screen."""
    study, by = state.study(), state.person()
    with figures.screen(study, _("People")):
        found = progress(study, by=by)
        outcome.say()
        st.html(figures.sentence(summary(found)))
        alike = look_alikes([each.person for each in found])
        if alike:
            said = "\n".join(f"{warning(one.display_name, other)}." for one, other in alike)
            st.html(figures.sentence(said, notice=True))
        st.html(figures.table([row(each) for each in found]))
        practice = calibration_round(study, by=by)
        _calibration(practice)
        left, right = st.columns(2, gap="large")
        with left:
            _invite(study, by)
        with right:
            _change(study, by, found, practice)


def _calibration(found: CalibrationRound) -> None:
    """Who has passed the calibration round; nothing where there is none, as most studies begin without."""
    if found.set.set_id is None:
        return
    st.html(figures.heading(_("Calibration")))
    st.html(figures.sentence(found.sentence))
    if found.people:
        st.html(figures.table(round_rows(found)))


def summary(found: tuple[Progress, ...]) -> str:
    """Who is there, in a sentence; what to do first where nobody can label."""
    working = [each for each in found if each.person.may_label and each.has_link]
    if not working:
        return _(
            "Nobody can label yet. Invite somebody below and send them the link; with two annotators "
            "or more, items that go to two people show how well they agree."
        )
    here = sum(each.n_sessions > 0 for each in working)
    done = sum(each.n_done for each in found)
    n = len(working)
    able = ngettext(
        "{n} person can label, {here} of them signed in.", "{n} people can label, {here} of them signed in.", n
    )
    return f"{able} ".format(n=n, here=here) + _("Finished: {done} items of all passes.").format(done=done)


def row(each: Progress) -> dict[str, str]:
    """One person as a row of the table."""
    person, seconds = each.person, each.seconds_per_item
    return {
        "name": person.display_name or person.person_id,
        "role": _(person.role),
        "teams": joined(map(_, person.teams)) or _("all"),
        "state": state_of(each),
        "signs in with": _(" or ").join(map(_, each.ways_in)) or _("nothing"),
        "done": str(each.n_done),
        "skipped": str(each.n_skipped) if each.n_skipped else "",
        "in hand": str(each.n_in_hand) if each.n_in_hand else "",
        "dealt, not begun": str(each.n_waiting) if each.n_waiting else "",
        "median time": "" if seconds is None else _("{seconds:.0f} s an item").format(seconds=seconds),
        "attention checks": each.checks,
        "last seen": when(each.last_seen) if each.last_seen else _("never"),
    }


def state_of(each: Progress) -> str:
    """Whether somebody can come in, in a word or two."""
    if each.person.status != "active":
        return _(each.person.status)
    if not each.has_link:
        return _("no link")
    if each.person.results_opened_at and each.person.role != "lead":
        return _("has seen results")
    return _("signed in") if each.n_sessions else _("active")


def _address() -> str:
    """Where this browser reaches the app."""
    parts = (st.context.url or people.HERE).split("/")
    return "/".join(parts[:3])


def _invite(study: Study, by: Person) -> None:
    st.html(figures.heading(_("Invite somebody")))
    with st.form("invite", clear_on_submit=True, border=False):
        name = st.text_input(
            _("Name"), max_chars=100, help=_("For display only; annotators never see each other's names.")
        )
        role = st.selectbox(_("Role"), ROLES, format_func=_, key="invite-role")
        teams = st.multiselect(_("Teams"), PASSES, format_func=_, placeholder=_("all passes"), key="invite-teams")
        email = _email(study, "invite-email")
        sent = st.form_submit_button(_("Invite"))
    st.html(figures.defined(ROLE_WORDS))
    if sent:
        passes, at = tuple(teams), _address()
        outcome.of(lambda: people.add_person(study, name, role=role, teams=passes, email=email, address=at, by=by))


def _email(study: Study, key: str, before: str = "") -> str | None:
    """The address of an account; asked for only where the organisation's sign-in is used, None where none is given."""
    if study.oidc is None:
        return None
    given = st.text_input(_("E-mail address of their account"), before, max_chars=254, key=key, help=_(EMAIL))
    return given.strip() or None


EMAIL = mark(
    "Lets them in by the sign-in of your organisation, beside their link. A new address unties the account before."
)


def _change(study: Study, by: Person, found: tuple[Progress, ...], practice: CalibrationRound) -> None:
    st.html(figures.heading(_("Change somebody")))
    everyone = {each.person.person_id: each.person for each in found}
    names = {**{key: key for key in everyone}, **shown_names(list(everyone.values()))}
    who = st.selectbox(
        _("Person"), list(everyone), None, format_func=names.__getitem__, placeholder=_("choose somebody"), key="person"
    )
    if who is None:
        return
    person, me = everyone[who], who == by.person_id
    address = next(each.email for each in found if each.person == person) or ""
    with st.form(f"change-{who}", border=False):
        name = st.text_input(_("Name"), person.display_name, max_chars=100, key=f"name-{who}")
        role = st.selectbox(_("Role"), ROLES, ROLES.index(person.role), format_func=_, key=f"role-{who}", disabled=me)
        teams = st.multiselect(
            _("Teams"), PASSES, person.teams, format_func=_, placeholder=_("all passes"), key=f"teams-{who}"
        )
        email = _email(study, f"email-{who}", address)
        if st.form_submit_button(_("Save")):
            passes, renamed = tuple(teams), None if name == person.display_name else name
            becomes = None if me else role
            outcome.of(
                lambda: (
                    people.change_person(
                        study, who, name=renamed, role=becomes, teams=passes, email=email, by=by
                    ).sentence
                )
            )
    with st.container(horizontal=True):
        _pause(study, by, person, disabled=me)
        if any(each.person_id == who and any(label.best for label in each.labels) for each in practice.people):
            _practise(study, by, who, names[who])
        _ways_in(study, by, person, names[who], disabled=me)


def _pause(study: Study, by: Person, person: Person, *, disabled: bool) -> None:
    if person.status == "paused":
        if st.button(_("Resume"), key="resume"):
            outcome.of(lambda: people.resume(study, person.person_id, by=by).sentence)
    elif person.status == "active" and st.button(_("Pause"), key="pause", disabled=disabled, help=_(PAUSE)):
        outcome.of(lambda: people.pause(study, person.person_id, by=by).sentence)


PAUSE = mark("No page and no work until resumed. What they had begun without an answer goes back, finished work stays.")


def _practise(study: Study, by: Person, person_id: str, name: str) -> None:
    with st.popover(_("Practise again")):
        st.html(
            figures.sentence(
                _(
                    "{name} gets the calibration items again before other work. The results so far stay in the "
                    "record and count no more."
                ).format(name=name)
            )
        )
        if st.button(_("Let them practise again"), key="practise"):
            outcome.of(lambda: practise_again(study, person_id, by=by))


def _ways_in(study: Study, by: Person, person: Person, name: str, *, disabled: bool) -> None:
    """What takes a way in away is asked about once more; a lead's own stays, or its new link would never be seen."""
    with st.popover(_("New link"), disabled=disabled):
        st.html(
            figures.sentence(
                _("{name} gets another link. The one before stops working, and all sessions end.").format(name=name)
            )
        )
        if st.button(_("Make a new link"), key="link"):
            outcome.of(lambda: people.new_link(study, person.person_id, address=_address(), by=by))
    with st.popover(_("Sign out"), disabled=disabled):
        st.html(figures.sentence(_("Ends all sessions of {name}. Link and password work on.").format(name=name)))
        if st.button(_("Sign out everywhere"), key="sign-out"):
            outcome.of(lambda: people.sign_out_everywhere(study, person.person_id, by=by).sentence)
    with st.popover(_("Revoke"), disabled=disabled or person.status == "revoked"):
        st.html(
            figures.sentence(
                _(
                    "Takes away link, password and account of {name} and ends all sessions. Finished work "
                    "stays; what is only begun or dealt goes to others. A new link lets them in again."
                ).format(name=name)
            )
        )
        if st.button(_("Revoke access"), key="revoke", type="primary"):
            outcome.of(lambda: people.revoke(study, person.person_id, by=by).sentence)
