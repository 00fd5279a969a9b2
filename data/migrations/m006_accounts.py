"""Whose account with the organisation's sign-in is whose."""

from sqlite_utils import Database

from data.migrations.steps import migrations

_STATEMENTS = (
    "ALTER TABLE person ADD COLUMN email TEXT",
    "ALTER TABLE person ADD COLUMN oidc_issuer TEXT",
    "ALTER TABLE person ADD COLUMN oidc_subject TEXT",
    "CREATE UNIQUE INDEX person_email ON person (email) WHERE email IS NOT NULL",
    "CREATE UNIQUE INDEX person_account ON person (oidc_issuer, oidc_subject) WHERE oidc_subject IS NOT NULL",
)


@migrations()
def m006_accounts(db: Database) -> None:
    """Whose account with the organisation's sign-in is whose."""
    for statement in _STATEMENTS:
        db.execute(statement)
