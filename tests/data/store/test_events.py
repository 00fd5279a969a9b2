import sqlite3
from collections.abc import Iterator

import pytest

from data.records import Context, Passage, Person, Response, Task
from data.store import assignments, events, items, people
from data.store.connection import Store, open_store
from data.study import Study
from data.views import Item

EVENT = {
    "label": "G", "value": "established", "evidence": [{"passage": 1, "start": 0, "end": 3, "text": "é\r\n"}],
    "comment": "=1", "seen_before": {"fields": []}, "active_seconds": 2.5, "rubric_hash": "h",
}  # fmt: skip


@pytest.fixture
def store(study: Study) -> Iterator[Store]:
    """Two contexts of one task with one response each, taken by one person."""
    task = Task(task_id="t", question="?", gold_answer="x")
    with open_store(study) as store:
        people.ensure(store, Person(person_id="p", display_name="p", role="annotator"))
        for name in ("1", "2"):
            context = Context(context_id=f"c{name}", task_id="t", passages=(Passage(passage_id="1", rank=1, text="x"),))
            item = Item(
                task=task, context=context, response=Response(response_id=f"r{name}", context_id=f"c{name}", text="x")
            )
            items.add(store, [item])
            row = {"item_kind": "response", "item_id": f"r{name}", "task_id": "t", "context_id": f"c{name}"}
            opening = assignments.opening(row, "evidence", 1, int(name))
            assignments.add(store, [{**opening, "assignment_id": f"a{name}", "state": "claimed", "person_id": "p"}])
        yield store


def say(store: Store, seq: int, assignment_id: str = "a1", **values: object) -> None:
    events.add(store, {**EVENT, "assignment_id": assignment_id, "client_seq": seq, **values})


def test_an_answer_comes_back_as_it_was_given(store: Store) -> None:
    say(store, 1, created_at="2020-01-01T00:00:00+00:00")
    event = events.find(store, "a1", 1)
    assert event
    assert event.evidence == tuple(EVENT["evidence"])  # type: ignore[arg-type]  # a list in the table above
    assert (event.value, event.comment, event.seen_before) == ("established", "=1", {"fields": []})
    assert event.created_at == "2020-01-01T00:00:00+00:00"
    assert events.find(store, "a1", 2) is None


def test_the_current_answer_is_the_last_and_the_first_is_kept(store: Store) -> None:
    assert events.next_seq(store, "a1") == 1
    say(store, 1)
    say(store, 2, value="partly")
    say(store, 3, label="D", value="1")
    current = events.current(store, "a1")
    assert {label: event.value for label, event in current.items()} == {"G": "partly", "D": "1"}
    assert store.rows("SELECT count(*) AS n FROM label_event") == [{"n": 3}]
    assert events.next_seq(store, "a1") == 4
    assert events.current(store, "a2") == {}


def test_current_answers_are_looked_up_without_reading_the_whole_study(store: Store) -> None:
    # What one commit costs may not grow with what everybody has answered before.
    for sql in (
        "SELECT * FROM current_label WHERE assignment_id = 'a1'",
        "SELECT l.value FROM assignment AS a LEFT JOIN current_label AS l USING (assignment_id) WHERE a.item_id = 'r1'",
    ):
        steps = [row["detail"] for row in store.rows(f"EXPLAIN QUERY PLAN {sql}")]
        assert [step for step in steps if "label_event" in step or "newer" in step or "given" in step]
        assert not [step for step in steps if step.startswith("SCAN") and "a USING" not in step and step != "SCAN a"]


def test_a_number_is_used_once(store: Store) -> None:
    say(store, 1)
    with pytest.raises(sqlite3.IntegrityError):
        say(store, 1, value="partly")
    assert [event.value for event in events.current(store, "a1").values()] == ["established"]


@pytest.mark.parametrize("table", ["label_event", "exposure", "resolution"])
def test_what_people_did_can_only_be_added_to(store: Store, table: str) -> None:
    say(store, 1)
    events.expose(store, "a1", "p", "GroundingView", ["passages", "response"])
    resolution = {"item_id": "r1", "item_kind": "response", "label": "G", "value": "1", "person_id": "p"}
    events.resolve(store, {**resolution, "resolves": [1]})
    before = store.rows(f"SELECT * FROM {table}")
    assert len(before) == 1
    column = next(iter(before[0]))
    for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}"):
        with pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only"):
            store.db.execute(statement)
    assert store.rows(f"SELECT * FROM {table}") == before


def test_replacing_is_no_way_around_it(store: Store) -> None:
    say(store, 1)
    row = store.row("SELECT * FROM label_event")
    assert row
    marks = ", ".join(f":{name}" for name in row)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.change(f"INSERT OR REPLACE INTO label_event VALUES ({marks})", {**row, "value": "partly"})
    assert store.row("SELECT * FROM label_event") == row


def test_what_somebody_saw_before_is_known(store: Store) -> None:
    assert events.seen_before(store, "a1", "p") == {"fields": [], "other_contexts": 0}
    events.expose(store, "a1", "p", "GroundingView", ["passages", "response"])
    events.expose(store, "a1", "p", "DisclosureView", ["response"])
    assert events.seen_before(store, "a1", "p") == {"fields": [], "other_contexts": 0}
    assert events.seen_before(store, "a2", "p") == {"fields": ["passages", "response"], "other_contexts": 1}
    assert events.seen_before(store, "a2", "somebody else") == {"fields": [], "other_contexts": 0}


def test_answers_are_one_row_per_label_with_skips_as_rows_without_one(store: Store) -> None:
    say(store, 1)
    say(store, 2, value="partly")
    assignments.finish(store, "a2", "skipped", "broken text")
    rows = events.answers(store, "response")
    assert [(row["item_id"], row["label"], row["value"], row["reason"]) for row in rows] == [
        ("r1", "G", "partly", None),
        ("r2", None, None, "broken text"),
    ]
    assert events.answers(store, "context") == []


def test_resolutions_come_oldest_first(store: Store) -> None:
    for value in ("1", "0"):
        events.resolve(
            store,
            {"item_id": "r1", "item_kind": "response", "label": "D", "value": value, "person_id": "p", "resolves": []},
        )
    assert [one.value for one in events.resolutions(store)] == ["1", "0"]
