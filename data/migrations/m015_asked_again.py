"""Which finished answers a lead has asked for again, under which version of the rubric."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    """CREATE TABLE asked_again (
        assignment_id TEXT NOT NULL REFERENCES assignment,
        label TEXT NOT NULL,
        rubric_hash TEXT NOT NULL,
        asked_at TEXT NOT NULL,
        PRIMARY KEY (assignment_id, label, rubric_hash)
    ) STRICT""",
    *(
        f"""CREATE TRIGGER asked_again_{verb.lower()} BEFORE {verb} ON asked_again
        BEGIN SELECT RAISE(ABORT, 'asked_again is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
)


@migrations()
def m015_asked_again(db: Database) -> None:
    """Which finished answers a lead has asked for again, under which version of the rubric."""
    for statement in _STATEMENTS:
        db.execute(statement)
