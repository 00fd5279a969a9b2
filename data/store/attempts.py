"""How often signing in failed, by name and by address, so that guessing gets slower and slower."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from data.store.connection import Store, now
from data.store.people import hashed

LONGEST = 900.0
"""The longest wait, in seconds."""

FORGOTTEN = timedelta(days=1)


def wait(store: Store, free: Mapping[str, int]) -> float:
    """Counts one try under each of these keys, unless it comes too early; the seconds to wait then, else 0.

    It is counted before anybody knows whether it fails: tries that come at once are then no way around.
    Runs inside a transaction.

    Args:
        store: The open study.
        free: How many failures each key has before there is a wait; it doubles with every further one.
    """
    store.change("DELETE FROM sign_in_attempt WHERE last_at < ?", [_text(datetime.now(UTC) - FORGOTTEN)])
    longest = max(_left(store, key, n) for key, n in free.items())
    if longest > 0:
        return longest
    for key in free:
        store.change(
            "INSERT INTO sign_in_attempt (key, failures, last_at) VALUES (?, 1, ?) "
            "ON CONFLICT (key) DO UPDATE SET failures = failures + 1, last_at = excluded.last_at",
            [hashed(key), now()],
        )
    return 0.0


def _left(store: Store, key: str, free: int) -> float:
    row = store.row("SELECT failures, last_at FROM sign_in_attempt WHERE key = ?", [hashed(key)])
    if row is None or row["failures"] < free:
        return 0.0
    pause: float = min(2.0 ** min(row["failures"] - free + 1, 30), LONGEST)
    return pause - (datetime.now(UTC) - datetime.fromisoformat(row["last_at"])).total_seconds()


def _text(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")


def succeeded(store: Store, name: str, address: str) -> None:
    """The try was none to count: the name starts anew, the address has one failure less."""
    store.change("DELETE FROM sign_in_attempt WHERE key = ?", [hashed(name)])
    store.change("UPDATE sign_in_attempt SET failures = max(failures - 1, 0) WHERE key = ?", [hashed(address)])
