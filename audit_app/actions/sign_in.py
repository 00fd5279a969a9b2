"""Coming in and going out: personal links, and the sessions that they begin."""

from datetime import UTC, datetime, timedelta

from audit_app.actions.answers import Refused
from data.records import Person
from data.store import people, sessions
from data.store.connection import Store, open_store
from data.study import Study

PAUSED = (
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


def begin(store: Store, person: Person, device: str | None) -> str | None:
    """The secret of a new session of somebody; None when they left.

    Raises:
        Refused: 403, they are paused.
    """
    if person.status == "paused":
        raise Refused(403, PAUSED)
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
        raise Refused(401, PAUSED)
    return person if person and person.status == "active" else None


def sign_out(study: Study, secret: str) -> None:
    """Ends the session."""
    with open_store(study) as store:
        sessions.end(store, secret)
