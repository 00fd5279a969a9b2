"""Asking again can be taken back; and somebody can be made to practise again. Both are events, none is changed."""

from sqlite_utils import Database

from data.migrations.steps import append_only, migrations

_STATEMENTS = (
    """CREATE TABLE asking (
        event_id INTEGER PRIMARY KEY,
        assignment_id TEXT NOT NULL REFERENCES assignment,
        label TEXT NOT NULL,
        rubric_hash TEXT NOT NULL,
        is_asked INTEGER NOT NULL CHECK (is_asked IN (0, 1)),
        person_id TEXT REFERENCES person,
        created_at TEXT NOT NULL
    ) STRICT""",
    """INSERT INTO asking (assignment_id, label, rubric_hash, is_asked, created_at)
        SELECT assignment_id, label, rubric_hash, 1, asked_at FROM asked_again ORDER BY rowid""",
    "DROP TABLE asked_again",
    "CREATE INDEX asking_answer ON asking (assignment_id, label, rubric_hash)",
    # What is asked again now: the last word on each answer counts.
    """CREATE VIEW asked_again AS SELECT assignment_id, label, rubric_hash, created_at AS asked_at FROM asking AS a
        WHERE is_asked AND NOT EXISTS (SELECT 1 FROM asking AS b WHERE b.assignment_id = a.assignment_id
        AND b.label = a.label AND b.rubric_hash = a.rubric_hash AND b.event_id > a.event_id)""",
    """CREATE TABLE practice_again (
        event_id INTEGER PRIMARY KEY,
        person_id TEXT NOT NULL REFERENCES person,
        pass TEXT NOT NULL,
        occasion INTEGER NOT NULL,
        asked_by TEXT REFERENCES person,
        created_at TEXT NOT NULL
    ) STRICT""",
    *append_only("asking", "practice_again"),
)


@migrations()
def m017_again(db: Database) -> None:
    """Asking again can be taken back; and somebody can be made to practise again."""
    for statement in _STATEMENTS:
        db.execute(statement)
