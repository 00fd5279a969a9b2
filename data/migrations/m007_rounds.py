"""Every version of the rubric that work was done under, added to, never changed."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    """CREATE TABLE round (
        number INTEGER PRIMARY KEY,
        rubric_hash TEXT NOT NULL UNIQUE,
        version TEXT NOT NULL,
        body TEXT NOT NULL,
        started_at TEXT NOT NULL
    ) STRICT""",
    *(
        f"""CREATE TRIGGER round_{verb.lower()} BEFORE {verb} ON round
        BEGIN SELECT RAISE(ABORT, 'round is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
)


@migrations()
def m007_rounds(db: Database) -> None:
    """Every version of the rubric that work was done under, added to, never changed."""
    for statement in _STATEMENTS:
        db.execute(statement)
