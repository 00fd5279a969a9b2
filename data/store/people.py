"""People, and the links and passwords that let them in. Secrets are kept as hashes only."""

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


def of_row(row: dict[str, Any]) -> Person:
    """A person from their stored row."""
    return Person(
        person_id=row["person_id"],
        display_name=row["display_name"],
        role=row["role"],
        teams=tuple(json.loads(row["teams"])) if row["teams"] != "[]" else (),
        status=row["status"],
        results_opened_at=row["results_opened_at"],
        language=row["language"],
    )


def add(store: Store, person: Person) -> str:
    """Adds somebody and returns the secret of their personal link, which is not stored.

    Raises:
        StudyProblem: The id is taken or the role unknown.
    """
    check_role(person.role)
    if find(store, person.person_id):
        raise StudyProblem(f"there is a person {person.person_id!r} already; choose another id")
    store.insert("person", [_row(person)])
    return new_link(store, person.person_id)


def check_role(role: str) -> None:
    """Refuses a role that there is not.

    Raises:
        StudyProblem: Naming those that there are.
    """
    if role not in ROLES:
        raise StudyProblem(f"role {role!r}; expected one of {', '.join(ROLES)}")


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
    return of_row(row) if row else None


def everyone(store: Store) -> list[Person]:
    """All people, in the order in which they came."""
    return [of_row(row) for row in store.rows("SELECT * FROM person ORDER BY rowid")]


def invited(store: Store) -> set[str]:
    """Who has a link, a password or an account to sign in with; people whose labels were imported have none."""
    return set(ways_in(store))


def ways_in(store: Store) -> dict[str, tuple[str, ...]]:
    """What lets each person sign in (link, password, account), by person_id; who has none is not in it."""
    stored = "link_hash IS NOT NULL AS link, password_hash IS NOT NULL AS password, email IS NOT NULL AS account"
    rows = store.rows(f"SELECT person_id, {stored} FROM person")
    ways = ("link", "password", "account")
    found = {row["person_id"]: tuple(way for way in ways if row[way]) for row in rows}
    return {person_id: held for person_id, held in found.items() if held}


def at_work(store: Store, pass_: str) -> int:
    """How many annotators that may label work in a pass."""
    annotators = [p for p in everyone(store) if p.role == "annotator" and p.may_label]
    return sum(not person.teams or pass_ in person.teams for person in annotators)


def new_link(store: Store, person_id: str) -> str:
    """The secret of a new personal link, which is not stored; the one before does not work any more."""
    token = secrets.token_urlsafe(24)
    store.change("UPDATE person SET link_hash = ? WHERE person_id = ?", [hashed(token), person_id])
    return token


def of_link(store: Store, token: str) -> Person | None:
    """Whose link this is."""
    row = store.row("SELECT * FROM person WHERE link_hash = ?", [hashed(token)])
    return of_row(row) if row else None


def set_password(store: Store, person_id: str, password_hash: str) -> None:
    """Keeps the hash of a password."""
    store.change("UPDATE person SET password_hash = ? WHERE person_id = ?", [password_hash, person_id])


def passwords(store: Store) -> dict[str, str]:
    """The hashes of all passwords, by person_id."""
    rows = store.rows("SELECT person_id, password_hash FROM person WHERE password_hash IS NOT NULL")
    return {row["person_id"]: row["password_hash"] for row in rows}


def shut_out(store: Store, person_id: str) -> None:
    """Neither link nor password nor account work any more."""
    store.change(
        "UPDATE person SET link_hash = NULL, password_hash = NULL, email = NULL, oidc_issuer = NULL, "
        "oidc_subject = NULL WHERE person_id = ?",
        [person_id],
    )


def set_language(store: Store, person_id: str, language: str) -> None:
    """Keeps the language that somebody chose for the screens."""
    store.change("UPDATE person SET language = ? WHERE person_id = ?", [language, person_id])


def set_email(store: Store, person_id: str, email: str) -> None:
    """Keeps the address that somebody's account is known by; whose account it is shows when they first come in."""
    store.change(
        "UPDATE person SET email = ?, oidc_issuer = NULL, oidc_subject = NULL WHERE person_id = ?", [email, person_id]
    )


def emails(store: Store) -> dict[str, str]:
    """The registered addresses, by person_id; without those who have none."""
    rows = store.rows("SELECT person_id, email FROM person WHERE email IS NOT NULL")
    return {row["person_id"]: row["email"] for row in rows}


def of_account(store: Store, issuer: str, subject: str) -> Person | None:
    """Whose account this is."""
    row = store.row("SELECT * FROM person WHERE oidc_issuer = ? AND oidc_subject = ?", [issuer, subject])
    return of_row(row) if row else None


def of_email(store: Store, email: str) -> tuple[Person, bool] | None:
    """Whose address this is, and whether they have come in with an account already."""
    row = store.row("SELECT * FROM person WHERE email = ?", [email])
    return (of_row(row), row["oidc_subject"] is not None) if row else None


def bind_account(store: Store, person_id: str, issuer: str, subject: str) -> None:
    """From now on this account is theirs, whatever address it comes with."""
    store.change(
        "UPDATE person SET oidc_issuer = ?, oidc_subject = ? WHERE person_id = ?", [issuer, subject, person_id]
    )


def update(store: Store, person: Person) -> None:
    """Stores name, role, teams and status as they are now."""
    store.change(
        "UPDATE person SET display_name = :display_name, role = :role, teams = :teams, status = :status "
        "WHERE person_id = :person_id",
        {**_row(person), "teams": json.dumps(person.teams)},
    )


def results_opened(store: Store, person_id: str) -> None:
    """Somebody has a screen with results before them; the first time counts."""
    store.change(
        "UPDATE person SET results_opened_at = ? WHERE person_id = ? AND results_opened_at IS NULL",
        [now(), person_id],
    )


def work(store: Store) -> list[dict[str, Any]]:
    """What each person has: person_id, n_done, n_skipped, n_in_hand, n_waiting (dealt and not begun), seconds (a list).

    Practice is not counted. `seconds` are the active seconds of each finished item of the plan, over all its answers.
    """
    return store.rows(
        "WITH spent AS (SELECT assignment_id, sum(active_seconds) AS seconds FROM label_event GROUP BY assignment_id) "
        "SELECT coalesce(a.person_id, a.reserved_for) AS person_id, sum(a.state = 'done') AS n_done, "
        "sum(a.state = 'skipped') AS n_skipped, sum(a.state = 'claimed') AS n_in_hand, "
        "sum(a.state = 'open') AS n_waiting, json_group_array(seconds) "
        "FILTER (WHERE a.state = 'done' AND a.purpose = 'plan' AND seconds IS NOT NULL) AS seconds "
        "FROM assignment AS a LEFT JOIN spent USING (assignment_id) "
        "WHERE coalesce(a.person_id, a.reserved_for) IS NOT NULL AND a.purpose <> 'calibration' GROUP BY 1"
    )
