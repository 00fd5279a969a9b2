"""Tests that judges were put to, and runs of judges; added to, never changed."""

from sqlite_utils import Database

from data.migrations.steps import append_only, migrations

_STATEMENTS = (
    """CREATE TABLE judge_trial (
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('canary', 'ablation')),
        at TEXT NOT NULL,
        judge TEXT NOT NULL,
        metric TEXT NOT NULL,
        passed INTEGER,
        sentence TEXT NOT NULL,
        set_hash TEXT,
        scores TEXT NOT NULL,
        baseline INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE judge_run (
        number INTEGER PRIMARY KEY,
        judge TEXT NOT NULL,
        command TEXT,
        begun_at TEXT NOT NULL,
        ended_at TEXT NOT NULL,
        n_calls INTEGER NOT NULL,
        n_left INTEGER NOT NULL,
        cost REAL,
        stopped TEXT
    ) STRICT""",
    "CREATE INDEX judge_run_judge ON judge_run (judge, number)",
    *append_only("judge_trial", "judge_run"),
)


@migrations()
def m018_judge_trials(db: Database) -> None:
    """Tests that judges were put to, and runs of judges; added to, never changed."""
    for statement in _STATEMENTS:
        db.execute(statement)
