"""What of which task was on whose screen, kept beside the log of it: looked up once per opening, not gathered anew."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_ROW = """INSERT INTO seen (person_id, task_id, context_id, gold, passages)
    SELECT e.person_id, a.task_id, coalesce(a.context_id, ''),
        e.fields LIKE '%"gold_answer"%', e.fields LIKE '%"passages"%'
    FROM exposure AS e JOIN assignment AS a USING (assignment_id) WHERE {those}
    ON CONFLICT DO UPDATE SET gold = max(gold, excluded.gold), passages = max(passages, excluded.passages)"""

_STATEMENTS = (
    """CREATE TABLE seen (
        person_id TEXT NOT NULL REFERENCES person,
        task_id TEXT NOT NULL,
        context_id TEXT NOT NULL,
        gold INTEGER NOT NULL,
        passages INTEGER NOT NULL,
        PRIMARY KEY (person_id, task_id, context_id)
    ) STRICT, WITHOUT ROWID""",
    _ROW.format(those="true"),
    # By a trigger, so that whatever logs an exposure cannot forget it.
    f"CREATE TRIGGER exposure_seen AFTER INSERT ON exposure BEGIN {_ROW.format(those='e.rowid = new.rowid')}; END",
    """CREATE TRIGGER seen_forgets BEFORE DELETE ON seen
    BEGIN SELECT RAISE(ABORT, 'what was seen stays seen'); END""",
    "CREATE INDEX assignment_done ON assignment (person_id, pass, state, purpose)",
)


@migrations()
def m019_seen(db: Database) -> None:
    """What of which task was on whose screen."""
    for statement in _STATEMENTS:
        db.execute(statement)
