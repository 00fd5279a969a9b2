"""Coming in and going out: personal links, names with passwords, and the sessions that they begin."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

from audit_app.actions import passwords
from audit_app.actions.answers import Refused
from audit_app.actions.names import folded
from audit_app.actions.people import NO_WAY_IN, changing
from audit_app.language import _, mark
from data.errors import StudyProblem
from data.records import Person
from data.store import attempts, people, sessions
from data.store.connection import Store, open_store
from data.study import Study

PAUSED = mark(
    "Your part in this study is paused: you are signed out and there is no work for you until the lead resumes it. "
    "Everything you have answered is saved."
)


def since(study: Study) -> str:
    """Sessions that began before this time are over."""
    return (datetime.now(UTC) - timedelta(days=study.session_days)).isoformat(timespec="microseconds")


def enter(study: Study, token: str, device: str | None = None) -> str | None:
    """The secret of a new session for whoever holds this link; None for a link that is unknown or revoked.

    Raises:
        Refused: 403, its owner is paused.
    """
    with open_store(study) as store, store.transaction():
        person = people.of_link(store, token)
        return begin(store, person, device) if person else None


def both(study: Study, secret: str | None, token: str) -> tuple[Person | None, Person | None]:
    """Who is signed in with this session, and whose link this is."""
    with open_store(study) as store:
        here = sessions.person_of(store, secret, since=since(study)) if secret else None
        return here, people.of_link(store, token)


def begin(store: Store, person: Person, device: str | None) -> str | None:
    """The secret of a new session of somebody; None when they left.

    Raises:
        Refused: 403, they are paused.
    """
    if person.status == "paused":
        raise Refused(403, _(PAUSED))
    return sessions.start(store, person.person_id, device) if person.status == "active" else None


def person_of(study: Study, secret: str | None) -> Person | None:
    """Who is signed in with this session; None when nobody is.

    Raises:
        Refused: 401, whoever is signed in is paused.
    """
    if not secret:
        return None
    with open_store(study) as store:
        person = sessions.person_of(store, secret, since=since(study))
    if person is not None and person.status == "paused":
        raise Refused(401, _(PAUSED))
    return person if person and person.status == "active" else None


def sign_out(study: Study, secret: str) -> None:
    """Ends the session."""
    with open_store(study) as store:
        sessions.end(store, secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One place where somebody is signed in."""

    number: int
    device: str
    created_at: str
    seen_at: str
    here: bool
    """Whether this is the session that asks."""


def my_sessions(study: Study, person: Person, secret: str | None) -> tuple[Session, ...]:
    """Where somebody is signed in, the last seen first."""
    with open_store(study) as store:
        rows = sessions.running(store, since=since(study))
    mine = people.hashed(secret or "")
    return tuple(
        Session(
            number=row["number"],
            device=row["device"] or "A browser",
            created_at=row["created_at"],
            seen_at=row["seen_at"],
            here=row["secret_hash"] == mine,
        )
        for row in rows
        if row["person_id"] == person.person_id
    )


def end_session(study: Study, person: Person, number: int) -> int:
    """Ends one session of one's own; how many ended."""
    with open_store(study) as store:
        return sessions.end_one(store, person.person_id, number)


def end_others(study: Study, person: Person, secret: str | None) -> int:
    """Ends all sessions of one's own but the one that asks; how many ended."""
    with open_store(study) as store:
        return sessions.end_all(store, person.person_id, but=secret)


FREE = {"name": 5, "address": 20}
"""Failures before there is a wait: people mistype, and many may share an address."""

NO_MATCH = mark("Name and password do not match. Check both, or open your personal link instead.")


class TooEarly(Refused):
    """Too many tries: the next one has to wait."""

    def __init__(self, seconds: float) -> None:
        self.seconds = ceil(seconds)
        super().__init__(429, _("Too many tries. Wait {n} s, then try again.").format(n=self.seconds))


def enter_by_password(study: Study, name: str, password: str, *, address: str, device: str | None = None) -> str | None:
    """The secret of a new session for whoever knows name and password; None for everybody else.

    An unknown name takes as long, and is limited, as a known one.

    Args:
        study: The study.
        name: Display name (case and blanks do not matter), or id.
        password: What they typed.
        address: Where the request comes from.
        device: In words, for the list of sessions.

    Raises:
        TooEarly: 429, too many tries under this name or from this address.
        Refused: 403, the password is right, but its owner is paused.
    """
    keys = {"name": f"name:{folded(name)}", "address": f"address:{address}"}
    with open_store(study) as store, store.transaction():
        seconds = attempts.wait(store, {key: FREE[kind] for kind, key in keys.items()})
        person, stored = _meant(store, name)
    if seconds > 0:
        raise TooEarly(seconds)
    # Not inside the transaction: hashing takes a while, and others want to save their answers.
    if not passwords.matches(password[: passwords.LONGEST], stored) or person is None:
        return None
    with open_store(study) as store, store.transaction():
        attempts.succeeded(store, **keys)
        return begin(store, person, device)


def _meant(store: Store, name: str) -> tuple[Person | None, str | None]:
    """Whose name this is and the hash of their password; nobody where two share a name, and they sign in by id."""
    stored = people.passwords(store)
    known = [person for person in people.everyone(store) if person.person_id in stored]
    found = [person for person in known if person.person_id == name.strip()]
    found = found or [person for person in known if folded(person.display_name) == folded(name)]
    return (found[0], stored[found[0].person_id]) if len(found) == 1 else (None, None)


def set_password(study: Study, person_id: str, password: str) -> str:
    """Gives somebody a password, in place of the one before, and ends their sessions; what to type as the name.

    Raises:
        StudyProblem: There is no such person, they have no way in, or the password is too weak.
    """
    with changing(study, person_id, None) as (store, person):
        if person.status == "revoked":
            raise StudyProblem(NO_WAY_IN.format(person_id=person_id))
        passwords.check_new(password, person_id, person.display_name)
        people.set_password(store, person_id, passwords.hash_of(password))
        sessions.end_all(store, person_id)
        return person.display_name if _meant(store, person.display_name)[0] == person else person_id


def has_password(study: Study, person: Person) -> bool:
    """Whether somebody has a password to change."""
    with open_store(study) as store:
        return person.person_id in people.passwords(store)


def change_password(study: Study, person: Person, old: str, new: str, secret: str | None) -> None:
    """Gives somebody another password of their own, and ends their sessions but the one that asks.

    Raises:
        TooEarly: 429, too many tries at the password until now.
        Refused: 403, that password is wrong.
        StudyProblem: The new one is too weak.
    """
    key = f"change:{person.person_id}"
    with open_store(study) as store, store.transaction():
        seconds = attempts.wait(store, {key: FREE["name"]})
        stored = people.passwords(store).get(person.person_id)
    if seconds > 0:
        raise TooEarly(seconds)
    if not passwords.matches(old[: passwords.LONGEST], stored):
        raise Refused(403, _("The password until now is not right."))
    passwords.check_new(new, person.person_id, person.display_name)
    hashed = passwords.hash_of(new)
    with open_store(study) as store, store.transaction():
        # Asked once more: while this was hashed, the lead may have set another or taken the way in away.
        if people.passwords(store).get(person.person_id) != stored:
            raise Refused(403, _("The password was changed meanwhile. Sign in again."))
        attempts.succeeded(store, name=key, address=key)
        people.set_password(store, person.person_id, hashed)
        sessions.end_all(store, person.person_id, but=secret)
