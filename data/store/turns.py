"""Turns at something that one run at a time may do in a study; whoever dies gives theirs back."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

from data.study import Study, writing

FOLDER = "locks"
"""In the folder of a study; its files are empty."""


@contextmanager
def turns(study: Study, names: Sequence[str]) -> Iterator[str | None]:
    """Takes a turn at each of the names, all of them or none, for as long as the block lasts.

    A turn is a lock of the operating system, held through an empty database: it ends with the process that took it,
    however that ends, so there is nothing to clear away after a crash.

    Yields:
        A name at which somebody else has the turn, when nothing was taken; None when all were.
    """
    folder = study.path / FOLDER
    with writing(study.path):
        folder.mkdir(exist_ok=True)
    with ExitStack() as held:
        # In one order and no further than the first that is taken: of two who want the same, one gets all of it.
        busy = next((name for name in sorted(set(names)) if not _take(held, folder, name)), None)
        if busy is not None:
            held.close()
        yield busy


def _take(held: ExitStack, folder: Path, name: str) -> bool:
    # The file stays for the next one: between two who open it, it must be the same.
    file = folder / f"{sha256(name.encode()).hexdigest()[:16]}.lock"
    with writing(folder):
        file.touch()
    conn = sqlite3.connect(file, timeout=0, isolation_level=None)
    held.callback(conn.close)
    try:
        conn.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
