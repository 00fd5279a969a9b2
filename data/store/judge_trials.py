"""What came out whenever a judge was put to a test, oldest first; added to, never changed."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from data.store import settings
from data.store.connection import Store, now

COLUMNS = ("kind", "at", "judge", "metric", "passed", "sentence", "set_hash", "scores", "baseline")

TAKEN_OVER = "judge_trials_read"


def add(store: Store, rows: Sequence[Mapping[str, Any]]) -> None:
    """Keeps outcomes, with `COLUMNS`."""
    store.insert("judge_trial", [{name: row[name] for name in COLUMNS} for row in rows])


def everything(store: Store) -> list[dict[str, Any]]:
    """All of them."""
    rows = store.rows(f"SELECT {', '.join(COLUMNS)} FROM judge_trial ORDER BY number")
    return [
        {**row, "scores": json.loads(row["scores"]), "baseline": bool(row["baseline"]),
         "passed": None if row["passed"] is None else bool(row["passed"])}
        for row in rows
    ]  # fmt: skip


def is_taken_over(store: Store) -> bool:
    """Whether the file in which older versions kept them was read in."""
    return settings.read(store, TAKEN_OVER) is not None


def take_over(store: Store, rows: Sequence[Mapping[str, Any]]) -> None:
    """Keeps what older versions kept in a file, once; whoever comes second adds nothing."""
    with store.transaction():
        if not is_taken_over(store):
            add(store, rows)
            settings.write(store, TAKEN_OVER, {"at": now(), "n": len(rows)})
