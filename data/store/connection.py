"""One connection to study.db per call, never shared between threads: closed after it, or kept for the next one."""

import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlite_utils import Database

from data.errors import StudyProblem
from data.migrations import migrations
from data.study import Study

BUSY_SECONDS = 10.0
MOST = 200
"""Records that a server keeps in memory: a few for each of the people at work."""

T = TypeVar("T")


class StudyBusy(StudyProblem):
    """The database could not be written just now (locked, or the disk is full): trying again may work."""


class Store:
    """An open study.db. Use `open_store`, which closes it.

    Args:
        db: The connection.
        held: The connections of the server that this one is kept by, if any.
    """

    def __init__(self, db: Database, held: "Held | None" = None) -> None:
        self.db = db
        self._held = held
        self._turn = held.turn if held else threading.Lock()

    def rows(self, sql: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> list[dict[str, Any]]:
        """All rows of a query; a statement with RETURNING is committed."""
        # Not `db.query`, which puts a savepoint around every read and so triples what is asked.
        found = self.db.conn.execute(sql, dict(values) if isinstance(values, Mapping) else list(values))
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

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
        sql = f"INSERT INTO [{table}] ({columns}) VALUES ({marks}){rest}"
        values = ([encode(row[name]) for name in names] for row in rows)
        if len(rows) == 1:  # all or none by itself
            self.db.conn.execute(sql, next(values))
            return
        with self.db.atomic():
            self.db.conn.executemany(sql, values)

    def change(self, sql: str, values: Mapping[str, Any] | Sequence[Any]) -> int:
        """Runs one statement and says how many rows it touched."""
        # Not `db.execute`, which reads the statement first to see whether it has to commit: nothing is left open here.
        return self.db.conn.execute(sql, dict(values) if isinstance(values, Mapping) else list(values)).rowcount

    def lately(self, key: Hashable, seconds: float, count: Callable[[], int]) -> int:
        """A number that is for orientation only and costs a while: in a server it may be some seconds old."""
        return self._held.lately(key, seconds, count) if self._held else count()

    def once(self, key: Hashable, read: Callable[[], T]) -> T:
        """Something that never changes, once it is there: in a server it is read once."""
        return self._held.once(key, read) if self._held else read()

    @contextmanager
    def part(self) -> Iterator[None]:
        """Inside a transaction: all of this or nothing of it, and what came before is kept all the same."""
        self.db.conn.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.db.conn.execute("ROLLBACK TO part")
            raise
        finally:
            self.db.conn.execute("RELEASE part")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing. Takes the write lock first: a read that later wants to write would fail at once.

        The threads of a server stand in line for it: SQLite lets those who wait sleep, ever longer, and wakes nobody.
        """
        in_line = self._turn.acquire(timeout=BUSY_SECONDS)
        try:
            self.db.conn.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.db.rollback()
                raise
            self.db.commit()
        finally:
            if in_line:
                self._turn.release()


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
        held = _held.get(study.database)
        db = (held.take() if held else None) or _connect(study.database)
        kept, before = False, db.conn.total_changes
        try:
            yield Store(db, held)
            kept = held is not None and held.keep(db, wrote=db.conn.total_changes > before)
        finally:
            if not kept:
                db.conn.close()


def _connect(path: Path) -> Database:
    fresh = not path.exists()
    if fresh and path in _served:
        # A drive that is away for a moment: a new file would sign everybody out, and hide theirs when it is back.
        raise StudyProblem(f"{path} is gone; it was here when the server began. Put it back: nothing was changed")
    # Not bound to a thread, because a server keeps it for another one; two never have it at once.
    conn = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        if fresh:
            _to_wal(conn)
        conn.execute("PRAGMA synchronous = NORMAL")
        # Whoever copies the log into the database lets the others wait: one answer in 40 at every 1,000 pages, which is
        # the default, and one in 400 at 40 MB.
        conn.execute("PRAGMA wal_autocheckpoint = 10000")
        # By default 2 MB, which the texts of items push the rest out of.
        conn.execute("PRAGMA cache_size = -32000")
        conn.execute("PRAGMA foreign_keys = ON")
        # Without it, INSERT OR REPLACE would delete answers behind the back of the append-only triggers.
        conn.execute("PRAGMA recursive_triggers = ON")
        db = Database(conn)
        _migrate(db, path)
    except BaseException:
        conn.close()
        raise
    return db


class Held:
    """The connections that a server keeps between calls. Use `hold_open`.

    A kept connection has read the tables and prepared its statements; a new one does both anew. Whoever closes the last
    one to a WAL database also copies the log into it and waits for the disk.
    """

    def __init__(self, path: Path) -> None:
        self.turn = threading.Lock()
        self._path = path
        self._idle = [_connect(path)]
        self._made_for = self._now(self._idle[0])
        self._counted: dict[Hashable, tuple[float, int]] = {}
        self._read: dict[Hashable, Any] = {}

    def _now(self, db: Database) -> tuple[int, int]:
        """Which file is there, and which version of its tables."""
        version: int = db.conn.execute("PRAGMA schema_version").fetchone()[0]
        return os.stat(self._path).st_ino, version

    def take(self) -> Database | None:
        """A connection that nobody uses; None when all are in use, or the file is not the one that it was."""
        try:
            db = self._idle.pop()
        except IndexError:
            return None
        try:
            if self._now(db) == self._made_for:
                return db
        except (OSError, sqlite3.Error):
            pass
        db.conn.close()
        self.close()
        return None

    def keep(self, db: Database, *, wrote: bool) -> bool:
        """Keeps a connection for the next call, unless something on it is unfinished."""
        if db.conn.in_transaction or _held.get(self._path) is not self:
            return False
        # Whoever wrote last has the pages in memory as they are now; the next call gets this one.
        self._idle.insert(len(self._idle) if wrote else 0, db)
        return True

    def lately(self, key: Hashable, seconds: float, count: Callable[[], int]) -> int:
        """A number as it was so many seconds ago at most."""
        at, number = self._counted.get(key, (-seconds, 0))
        if time.monotonic() - at >= seconds:
            at, number = self._counted[key] = time.monotonic(), count()
        return number

    def once(self, key: Hashable, read: Callable[[], T]) -> T:
        """What was read under this key before, else what is read now; the `MOST` last ones are kept."""
        found: T | None = self._read.pop(key, None)  # by several threads at once
        if found is None:
            found = read()
        self._read[key] = found
        for oldest in list(self._read)[:-MOST]:
            self._read.pop(oldest, None)
        return found

    def close(self) -> None:
        """Closes what is kept; from now on every call opens its own."""
        with _holding:
            if _held.get(self._path) is self:
                del _held[self._path]
        while self._idle:
            self._idle.pop().conn.close()


_held: dict[Path, Held] = {}
_served: set[Path] = set()  # whatever was ever held in this process
_holding = threading.Lock()


def hold_open(study: Study) -> Held:
    """Keeps connections to the study's database open between calls, in this process, until it is closed.

    Raises:
        StudyProblem: The file cannot be read.
    """
    with _holding, _speaking(study.database):
        if study.database not in _held:
            _held[study.database] = Held(study.database)
            _served.add(study.database)
        return _held[study.database]


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
