"""How a sample was designed and extended, and who is meant to do what."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    "ALTER TABLE sample ADD COLUMN people INTEGER NOT NULL DEFAULT 2",
    "ALTER TABLE sample ADD COLUMN core INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE sample ADD COLUMN repeats REAL NOT NULL DEFAULT 0",
    "ALTER TABLE sample ADD COLUMN dev REAL NOT NULL DEFAULT 0",
    "ALTER TABLE sample ADD COLUMN design TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE sample ADD COLUMN dealt TEXT",
    """CREATE TABLE top_up (
        sample_id TEXT NOT NULL REFERENCES sample,
        number INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        n_responses INTEGER NOT NULL,
        n_contexts INTEGER NOT NULL,
        n_done INTEGER NOT NULL,
        results_open INTEGER NOT NULL,
        frame_hash TEXT NOT NULL,
        replaced TEXT NOT NULL,
        PRIMARY KEY (sample_id, number)
    ) STRICT""",
    *(
        f"""CREATE TRIGGER top_up_{verb.lower()} BEFORE {verb} ON top_up
        BEGIN SELECT RAISE(ABORT, 'top_up is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
    "ALTER TABLE assignment ADD COLUMN reserved_for TEXT REFERENCES person",
    "ALTER TABLE assignment ADD COLUMN due INTEGER",
    """CREATE INDEX assignment_queue ON assignment (pass, reserved_for, position, plan_order)
        WHERE state IN ('open', 'claimed')""",
)


@migrations()
def m002_designs_and_deals(db: Database) -> None:
    """How a sample was designed and extended, and who is meant to do what."""
    for statement in _STATEMENTS:
        db.execute(statement)
