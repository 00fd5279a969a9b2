"""What was decided before results were seen; added to, never changed."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    """CREATE TABLE registration (
        number INTEGER PRIMARY KEY,
        body TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE
    ) STRICT""",
    *(
        f"""CREATE TRIGGER registration_{verb.lower()} BEFORE {verb} ON registration
        BEGIN SELECT RAISE(ABORT, 'registration is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
)


@migrations()
def m003_register(db: Database) -> None:
    """What was decided before results were seen; added to, never changed."""
    for statement in _STATEMENTS:
        db.execute(statement)
