"""Facts about the study itself: whether results are sealed."""

import json
from typing import Any

from data.store.connection import Store, encode


def read(store: Store, name: str) -> Any:
    """A setting, or None."""
    row = store.row("SELECT value FROM setting WHERE name = ?", [name])
    return json.loads(row["value"]) if row else None


def write(store: Store, name: str, value: dict[str, Any]) -> None:
    """Keeps a setting, once: what is there already stays."""
    store.insert("setting", [{"name": name, "value": encode(value)}], ignore=True)
