"""When work was finished, and what people said of it afterwards: flags and slips, added to, never changed."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    "ALTER TABLE assignment ADD COLUMN finished_at TEXT",
    """UPDATE assignment SET finished_at = (
        SELECT max(created_at) FROM label_event AS l WHERE l.assignment_id = assignment.assignment_id)
        WHERE state IN ('done', 'skipped')""",
    "CREATE INDEX assignment_finished ON assignment (person_id, finished_at)",
    """CREATE TABLE flag (
        flag_id INTEGER PRIMARY KEY,
        assignment_id TEXT NOT NULL REFERENCES assignment,
        person_id TEXT NOT NULL REFERENCES person,
        kind TEXT NOT NULL CHECK (kind IN ('flag', 'slip')),
        label TEXT NOT NULL,
        note TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (assignment_id, person_id, kind, label, note)
    ) STRICT""",
    *(
        f"""CREATE TRIGGER flag_{verb.lower()} BEFORE {verb} ON flag
        BEGIN SELECT RAISE(ABORT, 'flag is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
)


@migrations()
def m004_looking_back(db: Database) -> None:
    """When work was finished, and what people said of it afterwards: flags and slips, added to, never changed."""
    for statement in _STATEMENTS:
        db.execute(statement)
