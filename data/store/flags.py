"""What people said about items beside their labels: flags, and slips noticed too late. Rows that are only added."""

from collections.abc import Mapping
from typing import Any

from data.store.connection import Store, now


def add(store: Store, flag: Mapping[str, Any]) -> None:
    """Keeps a flag or a slip: assignment_id, person_id, kind, label, note. The same one again changes nothing."""
    store.insert("flag", [{"created_at": now(), **flag}], ignore=True)


def notes(store: Store, assignment_id: str, kind: str, label: str | None = None) -> list[str]:
    """The notes of one kind at an assignment, of one label or of all, oldest first."""
    rows = store.rows(
        "SELECT note FROM flag WHERE assignment_id = ? AND kind = ? AND ? IN (label, '') ORDER BY flag_id",
        [assignment_id, kind, label or ""],
    )
    return [row["note"] for row in rows]


def everything(store: Store) -> list[dict[str, Any]]:
    """Every flag and slip with the item it is about, oldest first."""
    return store.rows(
        "SELECT flag.kind, flag.label, flag.note, flag.person_id, flag.created_at, flag.assignment_id, "
        "a.item_id, a.item_kind, a.task_id, a.context_id, a.pass, a.purpose, a.occasion "
        "FROM flag JOIN assignment AS a USING (assignment_id) ORDER BY flag_id"
    )
