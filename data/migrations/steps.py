"""The one list that every step adds itself to, and what several steps are made of."""

from sqlite_utils import Migrations

migrations = Migrations("evidence-audit")


def append_only(*tables: str) -> tuple[str, ...]:
    """The statements after which rows of these tables are neither changed nor deleted."""
    return tuple(
        f"""CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table}
        BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"""
        for table in tables
        for verb in ("UPDATE", "DELETE")
    )
