"""The current answer of a label is looked up, not searched for among all answers of the study."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    "CREATE INDEX label_event_label ON label_event (assignment_id, label)",
    "DROP VIEW current_label",
    """CREATE VIEW current_label AS
        SELECT * FROM label_event AS given WHERE NOT EXISTS (
            SELECT 1 FROM label_event AS newer WHERE newer.assignment_id = given.assignment_id
            AND newer.label = given.label AND newer.event_id > given.event_id
        )
    """,
)


@migrations()
def m009_current_label(db: Database) -> None:
    """The current answer of a label is looked up, not searched for among all answers of the study."""
    for statement in _STATEMENTS:
        db.execute(statement)
