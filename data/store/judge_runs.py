"""Runs of judges, as they ended; added to, never changed. A run that was killed left only what the judge said."""

from collections.abc import Mapping
from typing import Any

from data.store.connection import Store, now


def add(store: Store, run: Mapping[str, Any]) -> None:
    """Keeps a run that is over: judge, command, begun_at, n_calls, n_left, cost and stopped."""
    store.insert("judge_run", [{**run, "ended_at": now()}])


def of_judge(store: Store, judge: str) -> list[dict[str, Any]]:
    """The runs of one judge, oldest first."""
    return store.rows("SELECT * FROM judge_run WHERE judge = ? ORDER BY number", [judge])
