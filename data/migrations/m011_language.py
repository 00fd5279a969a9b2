"""The language that somebody chose for the screens."""

from sqlite_utils import Database

from data.migrations.steps import migrations


@migrations()
def m011_language(db: Database) -> None:
    """The language that somebody chose for the screens."""
    db.execute("ALTER TABLE person ADD COLUMN language TEXT")
