"""Where somebody is signed in. A session's secret is kept as a hash only."""

import secrets
from typing import Any

from data.records import Person
from data.store.connection import Store, now
from data.store.people import hashed, of_row

MINUTE = 60.0


def start(store: Store, person_id: str, device: str | None = None) -> str:
    """The secret of a new session."""
    secret = secrets.token_urlsafe(24)
    at = now()
    session = {"secret_hash": hashed(secret), "person_id": person_id, "created_at": at, "seen_at": at, "device": device}
    store.insert("session", [session])
    return secret


def person_of(store: Store, secret: str, *, since: str) -> Person | None:
    """Whose session this is; None when it ended or began before `since`.

    That somebody was here is written down once a minute at most: this is asked before every page and every answer.
    """
    row = store.row(
        "SELECT person.*, session.rowid AS session, "
        "coalesce(julianday('now') - julianday(seen_at), 1) * 86400 > ? AS stale "
        "FROM session JOIN person USING (person_id) WHERE secret_hash = ? AND ended_at IS NULL "
        "AND session.created_at >= ?",
        [MINUTE, hashed(secret), since],
    )
    if row is None:
        return None
    if row["stale"]:
        store.change("UPDATE session SET seen_at = ? WHERE rowid = ?", [now(), row["session"]])
    return of_row(row)


def end(store: Store, secret: str) -> None:
    """Signs out."""
    store.change("UPDATE session SET ended_at = ? WHERE secret_hash = ?", [now(), hashed(secret)])


def end_all(store: Store, person_id: str, *, but: str | None = None) -> int:
    """Signs somebody out everywhere, but here where the secret of one session is given; how many sessions ended."""
    return store.change(
        "UPDATE session SET ended_at = ? WHERE person_id = ? AND ended_at IS NULL AND secret_hash <> ?",
        [now(), person_id, hashed(but) if but else ""],
    )


def end_one(store: Store, person_id: str, number: int) -> int:
    """Ends one session of somebody by its number; how many ended: 1, or 0 when there is no such session."""
    return store.change(
        "UPDATE session SET ended_at = ? WHERE person_id = ? AND rowid = ? AND ended_at IS NULL",
        [now(), person_id, number],
    )


def running(store: Store, *, since: str) -> list[dict[str, Any]]:
    """Sessions that are neither ended nor older than `since`, the last seen first.

    Each has number, person_id, created_at, seen_at, device and secret_hash.
    """
    return store.rows(
        "SELECT rowid AS number, person_id, created_at, coalesce(seen_at, created_at) AS seen_at, device, secret_hash "
        "FROM session WHERE ended_at IS NULL AND created_at >= ? ORDER BY seen_at DESC, number DESC",
        [since],
    )


def last_seen(store: Store) -> dict[str, str]:
    """When each person was last here, by person_id; without those who never were."""
    rows = store.rows("SELECT person_id, max(coalesce(seen_at, created_at)) AS at FROM session GROUP BY person_id")
    return {row["person_id"]: row["at"] for row in rows}
