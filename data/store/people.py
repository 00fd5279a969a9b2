"""People, their links and their sessions. Secrets are kept as hashes only."""

import json
import secrets
from hashlib import sha256
from typing import Any

from data.errors import StudyProblem
from data.records import Person
from data.store.connection import Store, now

ROLES = ("annotator", "adjudicator", "lead")


def hashed(secret: str) -> str:
    """What is stored of a secret: it is long and random, so a plain hash does."""
    return sha256(secret.encode()).hexdigest()


def _person(row: dict[str, Any]) -> Person:
    return Person(
        person_id=row["person_id"],
        display_name=row["display_name"],
        role=row["role"],
        teams=tuple(json.loads(row["teams"])),
        status=row["status"],
    )


def add(store: Store, person: Person) -> str:
    """Adds somebody and returns the secret of their personal link, which is not stored.

    Raises:
        StudyProblem: The id is taken or the role unknown.
    """
    if person.role not in ROLES:
        raise StudyProblem(f"role {person.role!r}; expected one of {', '.join(ROLES)}")
    if find(store, person.person_id):
        raise StudyProblem(f"there is a person {person.person_id!r} already; choose another id")
    token = secrets.token_urlsafe(24)
    store.insert("person", [{**_row(person), "link_hash": hashed(token)}])
    return token


def ensure(store: Store, person: Person) -> None:
    """Adds somebody without a link, unless they are there."""
    store.insert("person", [_row(person)], ignore=True)


def _row(person: Person) -> dict[str, Any]:
    return {
        "person_id": person.person_id,
        "display_name": person.display_name,
        "role": person.role,
        "teams": person.teams,
        "status": person.status,
        "created_at": now(),
    }


def find(store: Store, person_id: str) -> Person | None:
    """Somebody by id."""
    row = store.row("SELECT * FROM person WHERE person_id = ?", [person_id])
    return _person(row) if row else None


def everyone(store: Store) -> list[Person]:
    """All people, in the order in which they came."""
    return [_person(row) for row in store.rows("SELECT * FROM person ORDER BY rowid")]


def invited(store: Store) -> set[str]:
    """Who has a link to sign in with; people whose labels were imported have none."""
    return {row["person_id"] for row in store.rows("SELECT person_id FROM person WHERE link_hash IS NOT NULL")}


def at_work(store: Store, pass_: str) -> int:
    """How many active annotators work in a pass."""
    annotators = [p for p in everyone(store) if p.role == "annotator" and p.status == "active"]
    return sum(not person.teams or pass_ in person.teams for person in annotators)


def start_session(store: Store, token: str) -> str | None:
    """A session secret for whoever holds this link; None when nobody active does."""
    row = store.row("SELECT person_id FROM person WHERE link_hash = ? AND status = 'active'", [hashed(token)])
    if row is None:
        return None
    secret = secrets.token_urlsafe(24)
    session = {"secret_hash": hashed(secret), "person_id": row["person_id"], "created_at": now()}
    store.insert("session", [session])
    return secret


def of_session(store: Store, secret: str) -> Person | None:
    """Whose session this is; None when it ended or the person is no longer active."""
    row = store.row(
        "SELECT person.* FROM session JOIN person USING (person_id) "
        "WHERE secret_hash = ? AND ended_at IS NULL AND status = 'active'",
        [hashed(secret)],
    )
    return _person(row) if row else None


def end_session(store: Store, secret: str) -> None:
    """Signs out."""
    store.change("UPDATE session SET ended_at = ? WHERE secret_hash = ?", [now(), hashed(secret)])
