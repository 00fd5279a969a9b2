"""Sets of items with agreed answers that people practise on; and how many canaries a sample mixes into the work."""

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
)


@migrations()
def m010_calibration(db: Database) -> None:
    """Sets of items with agreed answers that people practise on; and how many canaries a sample mixes into the work."""
    for statement in _STATEMENTS:
        db.execute(statement)
