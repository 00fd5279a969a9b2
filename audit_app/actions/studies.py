"""Making a study and opening one: the folder and its database together."""

from collections.abc import Sequence
from pathlib import Path

from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study, init_study, open_study


def make_study(path: Path, *, name: str | None = None, labels: Sequence[str] | None = None) -> Study:
    """A new study, its database included.

    Raises:
        StudyProblem: A study is there already, a label is unknown, or the folder cannot be written.
    """
    study = init_study(path, name=name, labels=labels)
    try:
        with open_store(study):
            return study
    except StudyProblem:
        # Without its database it would be half a study, and a second `init` would refuse to finish it.
        for left in ("study.toml", "rubric.toml", "study.db", "study.db-wal", "study.db-shm"):
            (path / left).unlink(missing_ok=True)
        raise


def checked_study(path: Path) -> Study:
    """The study in a folder, its database opened once: a damaged, unwritable or newer one is refused before any work.

    Raises:
        StudyProblem: There is no study, or it cannot be used.
    """
    study = open_study(path)
    with open_store(study):
        return study
