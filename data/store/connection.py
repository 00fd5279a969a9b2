"""One short-lived connection to study.db: opened per call, closed after it, never shared between threads."""

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from data.errors import StudyProblem
from data.migrations import migrations
from data.study import Study

BUSY_SECONDS = 10.0

Connection = sqlite3.Connection


class StudyBusy(StudyProblem):
    """The database could not be written just now (locked, or the disk is full): trying again may work."""


class Store:
    """An open study.db. Use `open_store`, which closes it."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def rows(self, sql: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> list[dict[str, Any]]:
        """All rows of a query; a statement with RETURNING is committed."""
        return list(self.db.query(sql, dict(values) if isinstance(values, Mapping) else list(values)))

    def row(self, sql: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> dict[str, Any] | None:
        """The first row of a query, or None."""
        return next(iter(self.rows(sql, values)), None)

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]], *, ignore: bool = False) -> None:
        """Adds rows of the same columns, all or none; lists and objects are stored as JSON.

        With `ignore`, rows that are there already stay as they are.
        """
        if not rows:
            return
        # Not INSERT OR IGNORE: that would pass over values that a column refuses as well.
        names, rest = list(rows[0]), " ON CONFLICT DO NOTHING" if ignore else ""
        columns, marks = ", ".join(f"[{name}]" for name in names), ", ".join("?" * len(names))
        with self.db.atomic():
            self.db.conn.executemany(
                f"INSERT INTO [{table}] ({columns}) VALUES ({marks}){rest}",
                ([encode(row[name]) for name in names] for row in rows),
            )

    def change(self, sql: str, values: Mapping[str, Any] | Sequence[Any]) -> int:
        """Runs one statement and says how many rows it touched."""
        return self.db.execute(sql, dict(values) if isinstance(values, Mapping) else list(values)).rowcount

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing. Takes the write lock first: a read that later wants to write would fail at once."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.rollback()
            raise
        self.db.commit()


def encode(value: Any) -> Any:
    """Lists, tuples and objects as JSON text; anything else as it is."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | dict) else value


def now() -> str:
    """The time, UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def new_id() -> str:
    """An id that says nothing."""
    return secrets.token_hex(8)


@contextmanager
def open_store(study: Study) -> Iterator[Store]:
    """A connection to the study's database, made and migrated when it is new.

    Raises:
        StudyProblem: The file is damaged or was written by a newer version.
        StudyBusy: It could not be written just now.
    """
    with _speaking(study.database):
        fresh = not study.database.exists()
        conn = sqlite3.connect(study.database, timeout=BUSY_SECONDS, isolation_level=None)
        db = Database(conn)
        try:
            if fresh:
                _to_wal(conn)
            conn.execute("PRAGMA synchronous = NORMAL")
            conn.execute("PRAGMA foreign_keys = ON")
            # Without it, INSERT OR REPLACE would delete answers behind the back of the append-only triggers.
            conn.execute("PRAGMA recursive_triggers = ON")
            _migrate(db, study.database)
            yield Store(db)
        finally:
            conn.close()


def hold_open(study: Study) -> sqlite3.Connection:
    """A connection that a server keeps and does nothing with, which makes every other one cheap to close.

    Whoever closes the last connection to a WAL database copies the log into it and waits for the disk.

    Raises:
        StudyProblem: The file cannot be read.
    """
    with _speaking(study.database):
        conn = sqlite3.connect(study.database, timeout=BUSY_SECONDS, check_same_thread=False)
        conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # one that has read nothing holds nothing
        return conn


def _to_wal(conn: sqlite3.Connection) -> None:
    """Switches a new file to WAL; when two processes do so at once, SQLite refuses one of them without waiting."""
    for attempt in range(50):
        try:
            conn.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if attempt == 49:
                raise
            time.sleep(0.05)


def _migrate(db: Database, path: Path) -> None:
    """Brings the tables up to date, one process at a time."""
    known = {migration.name for migration in migrations._migrations}
    applied = {migration.name for migration in migrations.applied(db)}
    newer = sorted(applied - known)
    if newer:
        raise StudyProblem(
            f"{path} was written by a newer version (it has {', '.join(newer)}); update evidence-audit to open it"
        )
    if applied == known:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        migrations.apply(db)
    except BaseException:
        db.rollback()
        raise
    db.commit()


@contextmanager
def _speaking(path: Path) -> Iterator[None]:
    """What SQLite says, in a sentence that tells what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "locked" in text or "busy" in text:
            raise StudyBusy(f"{path} is busy: another program is writing; try again in a moment") from None
        if "full" in text or "disk I/O" in text:
            raise StudyBusy(f"{path}: the disk is full; nothing was changed. Free some space and try again") from None
        if "readonly" in text or "unable to open" in text:
            raise StudyProblem(f"{path} cannot be written ({text}); check the permissions of its folder") from None
        raise
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError):
            raise
        raise StudyProblem(f"{path} is not a readable database ({error}); restore it from a copy") from None
