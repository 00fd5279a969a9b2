"""Inviting people, and changing who they are to the study: role, teams, pause, a new link, no way in any more."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from audit_app.actions.access import require_lead
from audit_app.actions.dealing import deal_in
from audit_app.actions.names import folded
from audit_app.language import _, mark, ngettext
from data.errors import StudyProblem
from data.records import Person
from data.rubric import PASSES
from data.store import people, reservations, rounds, sessions
from data.store.connection import Store, new_id, open_store
from data.study import Study

HERE = "http://127.0.0.1:8501"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """Somebody who was added, and the link that lets them in. The link is shown once and stored as a hash only."""

    person_id: str
    role: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What became of somebody, and of the work they had."""

    person: Person
    n_released: int
    """Items that they had begun without an answer: given back."""
    n_passed_on: int
    """Openings that were dealt to them and not begun: dealt again among the others."""
    n_sessions: int = 0
    """Places where they were signed in and are no more."""

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        said = f"{self.person.display_name or self.person.person_id}: {_(self.person.role)}, {_(self.person.status)}."
        if self.n_sessions:
            n = self.n_sessions
            said += " " + ngettext("Signed out in {n} place.", "Signed out in {n} places.", n).format(n=n)
        if self.n_released:
            n = self.n_released
            said += " " + ngettext(
                "Given back: {n} item begun without an answer.", "Given back: {n} items begun without an answer.", n
            ).format(n=n)
        if self.n_passed_on:
            n = self.n_passed_on
            said += " " + ngettext(
                "Dealt to others: {n} opening that had been kept for them.",
                "Dealt to others: {n} openings that had been kept for them.",
                n,
            ).format(n=n)
        return said


def add_person(
    study: Study,
    name: str,
    *,
    role: str = "annotator",
    teams: tuple[str, ...] = (),
    person_id: str | None = None,
    address: str = HERE,
    email: str | None = None,
    by: Person | None = None,
) -> Invited:
    """Adds somebody and gives their personal link.

    Args:
        study: The study.
        name: Display name; shown to leads only.
        role: annotator, adjudicator or lead.
        teams: Passes this person works in (evidence, correctness, context); none means all.
        person_id: An id of your own choice; a random one by default.
        address: Where the app is served, for the link.
        email: The address of their account with the organisation's sign-in, where there is one.
        by: Who invites; None for the command line.

    Raises:
        StudyProblem: The name is empty, the role or a team unknown, or the id taken.
        Refused: Whoever invites is no lead.
    """
    require_lead(by)
    _check_teams(teams)
    _check_name(name)
    if person_id is not None and not re.fullmatch(r"[\w.@-]{1,64}", person_id):
        raise StudyProblem(f"person id {person_id!r}; use letters, digits and . _ @ - only, at most 64")
    person = Person(person_id=person_id or new_id(), display_name=name.strip(), role=role, teams=teams)
    with open_store(study) as store, store.transaction():
        token = people.add(store, person)
        if email:
            _set_email(store, person.person_id, email)
    return Invited(person_id=person.person_id, role=role, link=_link(address, token))


def register_email(study: Study, person_id: str, email: str, *, by: Person | None = None) -> str:
    """Lets somebody in by their account with the organisation; an account they used before is forgotten. The address.

    Raises:
        StudyProblem: There is no such person, they have no way in, or the address is no address or somebody else's.
        Refused: Whoever asks is no lead.
    """
    with changing(study, person_id, by, oneself=True) as (store, person):
        if person.status == "revoked":
            raise StudyProblem(_(NO_WAY_IN).format(person_id=person_id))
        return _set_email(store, person_id, email)


def _set_email(store: Store, person_id: str, email: str) -> str:
    address = folded(email)
    if not re.fullmatch(r"[^\s@<>,]+@[^\s@<>,]+", address):
        raise StudyProblem(_("e-mail address {email!r}; expected one like ann@example.org").format(email=email))
    other = people.of_email(store, address)
    if other and other[0].person_id != person_id:
        raise StudyProblem(
            _("{address} is registered for {person_id} already; an account is one person's").format(
                address=address, person_id=other[0].person_id
            )
        )
    people.set_email(store, person_id, address)
    return address


def _check_teams(teams: Sequence[str]) -> None:
    unknown = [team for team in teams if team not in PASSES]
    if unknown:
        raise StudyProblem(f"unknown team {unknown[0]!r}; teams are {', '.join(PASSES)}")


def _check_name(name: str) -> None:
    if not name.strip():
        raise StudyProblem(_("give a name"))


def _link(address: str, token: str) -> str:
    return f"{address.rstrip('/')}/in/{token}"


def list_people(study: Study) -> list[Person]:
    """Everybody, in the order in which they came."""
    with open_store(study) as store:
        return people.everyone(store)


def shown_names(everyone: Sequence[Person]) -> dict[str, str]:
    """What each person is called; the id only where a name is missing or not the only one of its kind."""
    often = Counter(person.display_name for person in everyone)
    return {
        person.person_id: person.display_name
        if often[person.display_name] == 1
        else f"{person.display_name} ({person.person_id})".strip()
        for person in everyone
        if person.display_name
    }


@contextmanager
def changing(
    study: Study, person_id: str, by: Person | None, *, oneself: bool = False
) -> Iterator[tuple[Store, Person]]:
    """Somebody, inside a transaction in which a lead changes them.

    Raises:
        StudyProblem: There is no such person.
        Refused: Whoever asks is no lead, or is this person and would lock themselves out.
    """
    require_lead(by)
    with open_store(study) as store, store.transaction():
        person = people.find(store, person_id)
        if person is None:
            raise StudyProblem(
                _("there is no person {person_id!r}; see `evidence-audit people list`").format(person_id=person_id)
            )
        if by is not None and by.person_id == person_id and not oneself:
            raise StudyProblem(_("this is you: ask another lead, so that the study is not left without one"))
        yield store, person


def change_person(
    study: Study,
    person_id: str,
    *,
    name: str | None = None,
    role: str | None = None,
    teams: tuple[str, ...] | None = None,
    email: str | None = None,
    by: Person | None = None,
) -> Changed:
    """Gives somebody another name, role, teams or account; what is None stays.

    Whoever becomes a lead gives back what they had begun: leads see results. An account that came with another address
    is forgotten; the same address again changes nothing.

    Raises:
        StudyProblem: There is no such person, role or team, the name is empty, or the address is no address or somebody
            else's.
        Refused: Whoever asks is no lead.
    """
    if role is not None:
        people.check_role(role)
    if name is not None:
        _check_name(name)
    _check_teams(teams or ())
    with changing(study, person_id, by, oneself=role in (None, "lead")) as (store, before):
        after = replace(
            before,
            display_name=before.display_name if name is None else name.strip(),
            role=role or before.role,
            teams=before.teams if teams is None else teams,
        )
        if email is not None and folded(email) != people.emails(store).get(person_id):
            _set_email(store, person_id, email)
        return _stored(study, store, after)


def pause(study: Study, person_id: str, *, by: Person | None = None) -> Changed:
    """Somebody is away for a while: no page and no work until they are resumed; what they had begun is given back.

    Raises:
        StudyProblem: There is no such person, or they have no way in.
        Refused: Whoever asks is no lead.
    """
    return _with_status(study, person_id, "paused", by)


def resume(study: Study, person_id: str, *, by: Person | None = None) -> Changed:
    """Somebody is back: their link, password and sessions work again.

    Raises:
        StudyProblem: There is no such person, or they have no way in.
        Refused: Whoever asks is no lead.
    """
    return _with_status(study, person_id, "active", by)


def _with_status(study: Study, person_id: str, status: str, by: Person | None) -> Changed:
    """Somebody who still has a way in, with another status."""
    with changing(study, person_id, by) as (store, person):
        if person.status == "revoked":
            raise StudyProblem(_(NO_WAY_IN).format(person_id=person_id))
        return _stored(study, store, replace(person, status=status))


NO_WAY_IN = mark("{person_id} has no way in any more; give a new link with `evidence-audit people link {person_id}`")


def revoke(study: Study, person_id: str, *, by: Person | None = None) -> Changed:
    """Takes away every way in and ends all sessions; finished work stays, what was only begun is given back.

    Of what they were asked again the earlier answers stand.

    Raises:
        StudyProblem: There is no such person.
        Refused: Whoever asks is no lead.
    """
    with changing(study, person_id, by) as (store, person):
        people.shut_out(store, person_id)
        rounds.let_rest(store, of=person_id)
        return _stored(study, store, replace(person, status="revoked"), sign_out=True)


def new_link(study: Study, person_id: str, *, address: str = HERE, by: Person | None = None) -> Invited:
    """Another personal link: the one before does not work any more, and all sessions end.

    Raises:
        StudyProblem: There is no such person.
        Refused: Whoever asks is no lead.
    """
    with changing(study, person_id, by, oneself=True) as (store, person):
        token = people.new_link(store, person_id)
        if person.status == "revoked":
            people.update(store, replace(person, status="active"))
        sessions.end_all(store, person_id)
    return Invited(person_id=person_id, role=person.role, link=_link(address, token))


def sign_out_everywhere(study: Study, person_id: str, *, by: Person | None = None) -> Changed:
    """Ends all sessions of somebody; link and password work on.

    Raises:
        StudyProblem: There is no such person.
        Refused: Whoever asks is no lead.
    """
    with changing(study, person_id, by, oneself=True) as (store, person):
        return _stored(study, store, person, sign_out=True)


def _stored(study: Study, store: Store, person: Person, *, sign_out: bool = False) -> Changed:
    """Somebody as they are now; who may not label keeps nothing but what has an answer."""
    people.update(store, person)
    n_sessions = sessions.end_all(store, person.person_id) if sign_out else 0
    if person.may_label:
        return Changed(person=person, n_released=0, n_passed_on=0, n_sessions=n_sessions)
    n_released = reservations.let_go(store, person.person_id)
    n_passed_on = sum(row["n_waiting"] for row in people.work(store) if row["person_id"] == person.person_id)
    if n_passed_on and deal_in(store, study) is None:
        reservations.open_to_all(store, person.person_id)
    return Changed(person=person, n_released=n_released, n_passed_on=n_passed_on, n_sessions=n_sessions)
