"""Practice on sets of agreed answers, canaries mixed into the work, and what is asked again in a later round."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    """CREATE TABLE calibration_set (
        set_id INTEGER PRIMARY KEY,
        seed INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        withdrawn_at TEXT
    ) STRICT""",
    """CREATE TABLE agreed_answer (
        set_id INTEGER NOT NULL REFERENCES calibration_set,
        item_kind TEXT NOT NULL,
        item_id TEXT NOT NULL,
        label TEXT NOT NULL,
        value TEXT NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (set_id, item_kind, item_id, label),
        FOREIGN KEY (item_kind, item_id) REFERENCES item
    ) STRICT""",
    *(
        f"""CREATE TRIGGER agreed_answer_{verb.lower()} BEFORE {verb} ON agreed_answer
        BEGIN SELECT RAISE(ABORT, 'agreed_answer is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
    "ALTER TABLE assignment ADD COLUMN set_id INTEGER REFERENCES calibration_set",
    "CREATE INDEX assignment_set ON assignment (set_id, person_id) WHERE set_id IS NOT NULL",
    "ALTER TABLE sample ADD COLUMN canaries REAL NOT NULL DEFAULT 0",
    """CREATE TABLE asked_again (
        assignment_id TEXT NOT NULL REFERENCES assignment,
        label TEXT NOT NULL,
        rubric_hash TEXT NOT NULL,
        asked_at TEXT NOT NULL,
        PRIMARY KEY (assignment_id, label, rubric_hash)
    ) STRICT""",
)


@migrations()
def m010_calibration(db: Database) -> None:
    """Practice on sets of agreed answers, canaries mixed into the work, and what is asked again in a later round."""
    for statement in _STATEMENTS:
        db.execute(statement)
