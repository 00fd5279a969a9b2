"""Where, by which rubric and in which order something was decided; what a file brought is decided, too."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    "ALTER TABLE resolution ADD COLUMN assignment_id TEXT REFERENCES assignment",
    "ALTER TABLE resolution ADD COLUMN rubric_hash TEXT",
    "ALTER TABLE resolution ADD COLUMN queue_order TEXT",
    "CREATE INDEX resolution_item ON resolution (item_kind, item_id, label)",
    # Until now an imported adjudication was read as a decision unless there was another.
    """INSERT INTO resolution (item_id, item_kind, label, value, person_id, reason, resolves, created_at, rubric_hash)
        SELECT item_id, item_kind, label, value, person_id, comment, '[]', created_at, rubric_hash
        FROM assignment AS a JOIN current_label AS l USING (assignment_id)
        WHERE purpose = 'adjudication' AND state <> 'skipped' AND person_id IS NOT NULL
        AND (item_kind, item_id, label) NOT IN (SELECT item_kind, item_id, label FROM resolution)
        ORDER BY event_id""",
)


@migrations()
def m008_adjudication(db: Database) -> None:
    """Where, by which rubric and in which order something was decided; what a file brought is decided, too."""
    for statement in _STATEMENTS:
        db.execute(statement)
