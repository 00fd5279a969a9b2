"""What was registered, in order: the text as it was frozen, and its hash. Rows are added, never changed."""

from typing import Any

from data.store.connection import Store


def add(store: Store, body: str, body_hash: str) -> None:
    """Keeps one registration or amendment."""
    store.insert("registration", [{"body": body, "hash": body_hash}])


def everything(store: Store) -> list[dict[str, Any]]:
    """All of them, the first one first: number, body, hash."""
    return store.rows("SELECT number, body, hash FROM registration ORDER BY number")
