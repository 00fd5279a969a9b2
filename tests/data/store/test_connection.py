import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.errors import StudyProblem
from data.store import connection, settings
from data.store.connection import MOST, Held, Store, StudyBusy, encode, hold_open, open_store
from data.study import Study, init_study


def put(store: Store, name: str) -> None:
    store.insert("setting", [{"name": name, "value": "1"}])


def names(study: Study) -> list[str]:
    with open_store(study) as store:
        return [row["name"] for row in store.rows("SELECT name FROM setting ORDER BY name")]


def test_the_database_keeps_a_log_and_checks_references(study: Study) -> None:
    with open_store(study) as store:
        assert store.row("PRAGMA journal_mode") == {"journal_mode": "wal"}
        assert store.row("PRAGMA foreign_keys") == {"foreign_keys": 1}
        assert store.row("PRAGMA recursive_triggers") == {"recursive_triggers": 1}


def test_what_is_written_is_there_for_the_next_connection(study: Study) -> None:
    with open_store(study) as store:
        put(store, "a")
        assert store.rows("UPDATE setting SET value = '2' RETURNING value") == [{"value": "2"}]
    with open_store(study) as store:
        assert store.row("SELECT value FROM setting") == {"value": "2"}


def test_a_transaction_is_all_or_nothing(study: Study) -> None:
    def half() -> None:
        with open_store(study) as store, store.transaction():
            put(store, "a")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        half()
    assert names(study) == []
    with open_store(study) as store, store.transaction():
        put(store, "b")
    assert names(study) == ["b"]


def test_nothing_to_insert_is_fine(study: Study) -> None:
    with open_store(study) as store:
        store.insert("setting", [])
        store.insert("setting", [], ignore=True)
    assert names(study) == []


def test_rows_that_are_there_stay_when_asked_to(study: Study) -> None:
    with open_store(study) as store:
        settings.write(store, "seal", {"by": "x"})
        settings.write(store, "seal", {"by": "y"})
        assert settings.read(store, "seal") == {"by": "x"}
        assert settings.read(store, "other") is None
        with pytest.raises(sqlite3.IntegrityError):
            put(store, "seal")


@pytest.mark.parametrize(
    ("value", "expected"), [(["é"], '["é"]'), ((1,), "[1]"), ({"a": None}, '{"a": null}'), ("x", "x"), (None, None)]
)
def test_lists_and_objects_are_kept_as_json(value: Any, expected: Any) -> None:
    assert encode(value) == expected


def test_a_study_that_somebody_else_writes_is_busy_and_unchanged(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(study) as first, first.transaction():
        put(first, "a")
        monkeypatch.setattr(connection, "BUSY_SECONDS", 0.05)
        with pytest.raises(StudyBusy, match="another program is writing; try again"), open_store(study) as second:
            put(second, "b")
        with open_store(study) as reader:
            assert reader.rows("SELECT name FROM setting") == []
    assert names(study) == ["a"]


@pytest.mark.parametrize(
    ("said", "sentence", "kind"),
    [
        ("database or disk is full", "the disk is full; nothing was changed", StudyBusy),
        ("database is locked", "is busy", StudyBusy),
        ("attempt to write a readonly database", "check the permissions", StudyProblem),
        ("unable to open database file", "check the permissions", StudyProblem),
    ],
)
def test_what_sqlite_says_becomes_a_sentence(study: Study, said: str, sentence: str, kind: type[StudyProblem]) -> None:
    def fail() -> None:
        with open_store(study):
            raise sqlite3.OperationalError(said)

    with pytest.raises(kind, match=sentence) as caught:
        fail()
    assert "\n" not in str(caught.value)


def test_faults_of_the_program_are_not_dressed_up(study: Study) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"), open_store(study) as store:
        store.rows("SELECT * FROM nowhere")


def test_a_file_that_is_no_database_is_one_sentence(study: Study) -> None:
    study.database.write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(StudyProblem, match="not a readable database"):
        open_store(study).__enter__()


def test_a_folder_that_cannot_hold_the_database_is_one_sentence(study: Study) -> None:
    study.database.mkdir()
    with pytest.raises(StudyProblem, match="cannot be written"):
        open_store(study).__enter__()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder]).returncode:
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_really_full_loses_nothing(small_disk: Path) -> None:
    study = init_study(small_disk / "study")

    def fill() -> None:
        with open_store(study) as store, store.transaction():
            store.insert("setting", [{"name": f"big {n}", "value": "x" * 50_000} for n in range(60)])

    with open_store(study) as store:
        put(store, "a")
    with pytest.raises(StudyBusy, match="the disk is full; nothing was changed"):
        fill()
    assert names(study) == ["a"]
    with open_store(study) as store:
        put(store, "b")
    assert names(study) == ["a", "b"]


OPEN = """
import sys
from pathlib import Path
from data.store.connection import open_store
from data.study import open_study
study = open_study(Path(sys.argv[1]))
sys.stdin.readline()
with open_store(study) as store:
    store.insert("setting", [{"name": sys.argv[2], "value": "1"}])
"""


def test_several_processes_may_make_the_database_at_once(study: Study) -> None:
    command = [sys.executable, "-c", OPEN, str(study.path)]
    root = Path(__file__).parents[3]
    started = [
        subprocess.Popen([*command, str(n)], cwd=root, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for n in range(3)
    ]
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[1] for process in started] == [""] * 3
    assert names(study) == [str(n) for n in range(3)]


def test_a_held_connection_spares_the_others_the_copying_of_the_log(study: Study) -> None:
    log = study.database.with_name("study.db-wal")
    with open_store(study) as store:
        put(store, "before")
    assert not log.exists()
    held = hold_open(study)
    with open_store(study) as store:
        put(store, "after")
    assert log.stat().st_size > 0
    assert names(study) == ["after", "before"]
    held.close()
    assert not log.exists()
    assert names(study) == ["after", "before"]


@pytest.fixture
def held(study: Study) -> Iterator[Held]:
    with open_store(study) as store:
        put(store, "before")
    made = hold_open(study)
    yield made
    made.close()


def test_a_held_connection_is_used_again_by_one_at_a_time(study: Study, held: Held) -> None:
    with open_store(study) as store:
        first = store.db
        with open_store(study) as other:
            assert other.db is not first
    with open_store(study) as store, open_store(study) as other:
        assert first in (store.db, other.db)
    assert hold_open(study) is held


def test_what_went_wrong_on_a_connection_ends_it(study: Study, held: Held) -> None:
    def fail() -> None:
        with open_store(study) as store:
            seen.append(store.db)
            put(store, "before")  # is there already

    seen: list[Any] = []
    with pytest.raises(sqlite3.IntegrityError):
        fail()
    with open_store(study) as store:
        assert store.db is not seen[0]
        store.db.execute("BEGIN IMMEDIATE")
        put(store, "never finished")
        seen.append(store.db)
    with open_store(study) as store:
        assert store.db is not seen[1]
    assert names(study) == ["before"]


def test_a_file_that_was_put_in_its_place_is_seen(study: Study, held: Held, tmp_path: Path) -> None:
    other = init_study(tmp_path / "other")
    with open_store(other) as store:
        put(store, "from a copy")
    for rest in ("-wal", "-shm"):
        study.database.with_name(f"study.db{rest}").unlink(missing_ok=True)
    os.replace(other.database, study.database)
    assert names(study) == ["from a copy"]
    with open_store(study) as store:
        put(store, "after")
    assert names(study) == ["after", "from a copy"]


def test_a_file_that_is_away_for_a_moment_is_not_made_anew(study: Study, held: Held) -> None:
    away = study.database.with_name("away.db")
    study.database.rename(away)
    for _ in range(2):
        with pytest.raises(StudyProblem, match=r"study\.db is gone; it was here when the server began"):
            names(study)
    assert not study.database.exists()
    away.rename(study.database)
    assert names(study) == ["before"]


def test_a_newer_version_is_noticed_while_the_server_runs(study: Study, held: Held) -> None:
    other = sqlite3.connect(study.database)
    other.execute("ALTER TABLE setting ADD COLUMN newer TEXT")
    other.execute("UPDATE _sqlite_migrations SET name = 'm999_later' WHERE name LIKE 'm001%'")
    other.commit()
    other.close()
    with pytest.raises(StudyProblem, match="newer version"):
        names(study)


def test_threads_of_a_server_write_one_after_the_other(study: Study, held: Held) -> None:
    def write(n: int) -> None:
        for k in range(20):
            with open_store(study) as store, store.transaction():
                put(store, f"{n} {k} {len(store.rows('SELECT * FROM setting'))}")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(name.split()[2]) for name in names(study) if name != "before") == list(range(1, 161))


def test_a_number_for_orientation_is_counted_again_after_a_while(study: Study, held: Held) -> None:
    counts = iter(range(9))
    with open_store(study) as store:
        assert [store.lately("a", 60, lambda: next(counts)) for _ in range(3)] == [0, 0, 0]
        assert store.lately("b", 60, lambda: next(counts)) == 1
        assert [store.lately("a", 0, lambda: next(counts)) for _ in range(2)] == [2, 3]
    held.close()
    with open_store(study) as store:
        assert [store.lately("a", 60, lambda: next(counts)) for _ in range(2)] == [4, 5]


def test_a_damaged_file_is_not_held(study: Study) -> None:
    study.database.write_bytes(b"no database at all" * 100)
    with pytest.raises(StudyProblem, match="not a readable database"):
        hold_open(study)


def refuse(store: Store) -> None:
    put(store, "gone")
    raise StudyProblem("no")


def test_a_part_that_fails_takes_nothing_of_what_came_before(study: Study) -> None:
    with open_store(study) as store, store.transaction():
        put(store, "before")
        with pytest.raises(sqlite3.IntegrityError), store.part():
            store.insert("setting", [{"name": "gone", "value": "1"}, {"name": "before", "value": "1"}])
        with pytest.raises(StudyProblem), store.part():
            refuse(store)
        with store.part():
            put(store, "after")
    assert names(study) == ["after", "before"]


def test_what_never_changes_is_read_once_by_a_server_and_each_time_by_a_command(study: Study) -> None:
    read: list[int] = []

    def count() -> int:
        read.append(len(read) + 1)
        return read[-1]

    with open_store(study) as store:
        assert [store.once("a", count), store.once("a", count)] == [1, 2]
    held = hold_open(study)
    try:
        with open_store(study) as store:
            assert [store.once("a", count), store.once("a", count), store.once("b", count)] == [3, 3, 4]
            assert [store.once(n, count) for n in range(MOST)][-1] == MOST + 4
            assert store.once("a", count) == MOST + 5, "only the last ones are kept"
    finally:
        held.close()
