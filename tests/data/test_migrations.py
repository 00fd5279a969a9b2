import sqlite3

import pytest
from sqlite_utils import Database

from data.errors import StudyProblem
from data.migrations import migrations
from data.records import Person
from data.store import assignments, events, people
from data.store.connection import Store, open_store
from data.study import Study

TABLES = {
    "setting", "text", "item", "sample", "draw", "subsample", "person", "session", "assignment", "label_event",
    "exposure", "resolution", "top_up", "registration", "flag", "sign_in_attempt", "round",
    "calibration_set", "agreed_answer", "asking", "practice_again", "judgement", "judge_trial", "judge_run", "seen",
}  # fmt: skip


def test_a_new_database_has_every_table_and_records_its_steps(study: Study) -> None:
    with open_store(study) as store:
        assert set(store.db.table_names()) >= TABLES
        assert "current_label" in store.db.view_names()
        assert [step.name for step in migrations.applied(store.db)] == [step.name for step in migrations._migrations]


def test_opening_again_changes_nothing(study: Study) -> None:
    with open_store(study) as store:
        before = store.db.schema
    with open_store(study) as store:
        assert store.db.schema == before


def test_every_table_of_ours_refuses_values_of_the_wrong_type(study: Study) -> None:
    with open_store(study) as store:
        assert all(store.db.table(name).strict for name in TABLES)


def test_a_study_of_a_newer_version_is_refused_and_left_alone(study: Study) -> None:
    with open_store(study) as store:
        values = ["evidence-audit", "m999_later", "2030-01-01"]
        store.change("INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)", values)
    before = study.database.read_bytes()
    with pytest.raises(StudyProblem, match=r"written by a newer version .*m999_later.*; update evidence-audit"):
        open_store(study).__enter__()
    assert study.database.read_bytes() == before


def test_a_step_that_fails_leaves_nothing_behind(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(db: Database) -> None:
        db.execute("CREATE TABLE half (a TEXT)")
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(migrations._migrations[0], "fn", fail)
    with pytest.raises(StudyProblem, match="the disk is full; nothing was changed"):
        open_store(study).__enter__()
    monkeypatch.undo()
    with open_store(study) as store:
        assert "half" not in store.db.table_names()
        assert set(store.db.table_names()) >= TABLES


def test_unknown_kinds_and_people_are_refused(study: Study) -> None:
    with open_store(study) as store:
        with pytest.raises(sqlite3.IntegrityError):
            store.insert("item", [{"item_kind": "task", "item_id": "x", "task_id": "t"}])
        with pytest.raises(sqlite3.IntegrityError):
            store.insert("session", [{"secret_hash": "x", "person_id": "nobody", "created_at": "now"}])


def test_work_that_was_finished_before_there_was_a_time_for_it_gets_that_of_its_last_answer(study: Study) -> None:
    with open_store(study) as store:
        for statement in ("DROP TABLE flag", "DROP INDEX assignment_finished",
                          "ALTER TABLE assignment DROP COLUMN finished_at"):  # fmt: skip
            store.change(statement, ())
        store.change("DELETE FROM _sqlite_migrations WHERE name LIKE 'm004%'", ())
        store.insert("item", [{"item_kind": "response", "item_id": "r", "task_id": "t", "context_id": None}])
        opening = assignments.opening({"item_kind": "response", "item_id": "r", "task_id": "t", "context_id": None},
                                      "evidence", 1, 0)  # fmt: skip
        assignments.add(store, [{**opening, "assignment_id": "a", "state": "done"}])
        assignments.add(store, [{**opening, "assignment_id": "b", "plan_order": 2}])
        for seq, at in ((1, "2026-01-01"), (2, "2026-01-02")):
            event = {"assignment_id": "a", "label": "D", "value": "1", "evidence": [], "seen_before": {}}
            store.insert("label_event", [{**event, "rubric_hash": "h", "client_seq": seq, "created_at": at}])
    with open_store(study) as store:
        rows = store.rows("SELECT assignment_id, finished_at FROM assignment ORDER BY assignment_id")
    assert [row["finished_at"] for row in rows] == ["2026-01-02", None]


def test_an_adjudication_that_a_file_brought_becomes_a_decision(study: Study) -> None:
    with open_store(study) as store:
        people.ensure(store, Person(person_id="zoe", display_name="zoe", role="adjudicator"))
        store.insert("item", [{"item_kind": "response", "item_id": item, "task_id": "t"} for item in ("r1", "r2")])
        for item in ("r1", "r2"):
            row = assignments.opening({"item_kind": "response", "item_id": item, "task_id": "t", "context_id": None},
                                      "evidence", 1, 0)  # fmt: skip
            assignments.add(store, [{**row, "purpose": "adjudication", "person_id": "zoe", "state": "done"}])
            said = {"assignment_id": row["assignment_id"], "label": "D", "value": "0", "evidence": [], "comment": "no",
                    "seen_before": {}, "rubric_hash": "h", "client_seq": 1}  # fmt: skip
            events.add(store, said)
        resolution = {"item_id": "r2", "item_kind": "response", "label": "D", "person_id": "zoe", "resolves": []}
        events.resolve(store, {**resolution, "value": "1"})
        added = ("queue_order", "rubric_hash", "assignment_id")
        dropped = (f"ALTER TABLE resolution DROP COLUMN {name}" for name in added)
        undo(store, "m008_adjudication", "DROP INDEX resolution_item", *dropped)
    with open_store(study) as store:
        found = [(one.item_id, one.value, one.reason) for one in events.resolutions(store)]
    assert found == [("r2", "1", None), ("r1", "0", "no")]


def test_what_was_on_screen_before_there_was_a_table_for_it_is_gathered_from_the_log(study: Study) -> None:
    with open_store(study) as store:
        people.ensure(store, Person(person_id="ann", display_name="ann", role="annotator"))
        undo(store, "m019_seen", "DROP INDEX assignment_done", "DROP TRIGGER exposure_seen", "DROP TABLE seen")
        shown = (("r1", "c1", ["question"]), ("r2", "c1", ["passages"]), ("r3", "c2", ["gold_answer"]))
        for item, context, fields in shown:
            store.insert("item", [{"item_kind": "response", "item_id": item, "task_id": "t", "context_id": context}])
            row = assignments.opening({"item_kind": "response", "item_id": item, "task_id": "t",
                                       "context_id": context}, "evidence", 1, 0)  # fmt: skip
            assignments.add(store, [row])
            events.expose(store, row["assignment_id"], "ann", "a view", fields)
    with open_store(study) as store:
        before = store.rows("SELECT context_id, gold, passages FROM seen ORDER BY context_id")
        events.expose(store, row["assignment_id"], "ann", "a view", ["passages"])
        after = store.rows("SELECT context_id, gold, passages FROM seen ORDER BY context_id")
    seen = [(row["context_id"], row["gold"], row["passages"]) for row in before]
    assert seen == [("c1", 0, 1), ("c2", 1, 0)]
    assert after[1] == {"context_id": "c2", "gold": 1, "passages": 1}


def undo(store: Store, step: str, *statements: str) -> None:
    """The database as it was before a step."""
    for statement in (*statements, f"DELETE FROM _sqlite_migrations WHERE name = '{step}'"):
        store.db.execute(statement)
