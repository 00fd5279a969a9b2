"""The one list that every step adds itself to."""

from sqlite_utils import Migrations

migrations = Migrations("evidence-audit")
