"""What judges said, one row per label of an item each time; added to, never changed."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    """CREATE TABLE judgement (
        number INTEGER PRIMARY KEY,
        judge TEXT NOT NULL,
        item_kind TEXT NOT NULL CHECK (item_kind IN ('response', 'context')),
        item_id TEXT NOT NULL,
        label TEXT NOT NULL,
        value TEXT,
        evidence TEXT NOT NULL,
        rationale TEXT,
        unscored_reason TEXT,
        answered INTEGER NOT NULL,
        asked INTEGER NOT NULL,
        model TEXT NOT NULL,
        judge_model TEXT,
        prompt_hash TEXT NOT NULL,
        view_hash TEXT NOT NULL,
        parameters TEXT NOT NULL,
        input_tokens INTEGER,
        output_tokens INTEGER,
        seconds REAL,
        n_retries INTEGER NOT NULL,
        reply_format TEXT,
        created_at TEXT NOT NULL,
        CHECK ((value IS NULL) <> (unscored_reason IS NULL))
    ) STRICT""",
    "CREATE INDEX judgement_item ON judgement (judge, item_kind, item_id, label, number)",
    "CREATE INDEX judgement_key ON judgement (view_hash, prompt_hash, model, parameters) WHERE answered",
    *(
        f"""CREATE TRIGGER judgement_{verb.lower()} BEFORE {verb} ON judgement
        BEGIN SELECT RAISE(ABORT, 'judgement is append-only'); END"""
        for verb in ("UPDATE", "DELETE")
    ),
)


@migrations()
def m014_judgements(db: Database) -> None:
    """What judges said, one row per label of an item each time; added to, never changed."""
    for statement in _STATEMENTS:
        db.execute(statement)
