"""Who may sign in how, from where somebody is signed in, and who has seen results."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    "ALTER TABLE person ADD COLUMN password_hash TEXT",
    "ALTER TABLE person ADD COLUMN results_opened_at TEXT",
    "ALTER TABLE session ADD COLUMN seen_at TEXT",
    "ALTER TABLE session ADD COLUMN device TEXT",
    "CREATE INDEX session_person ON session (person_id)",
    """CREATE TABLE sign_in_attempt (
        key TEXT PRIMARY KEY,
        failures INTEGER NOT NULL,
        last_at TEXT NOT NULL
    ) STRICT""",
)


@migrations()
def m005_access(db: Database) -> None:
    """Who may sign in how, from where somebody is signed in, and who has seen results."""
    for statement in _STATEMENTS:
        db.execute(statement)
