"""Calibration sets: one is in use, answers never change, and what was given back is taken over."""

import sqlite3
from collections.abc import Iterator

import pytest

from data.records import Person
from data.store import assignments, calibrations, events, people, reservations
from data.store.calibrations import Agreed
from data.store.connection import Store, open_store
from data.study import Study

LATER = "2999-01-01T00:00:00"
SET = [("r1", "D", Agreed(value="1", reason="one")), ("r1", "G", Agreed(value="partly", reason="two")),
       ("r2", "D", Agreed(value="0", reason="three"))]  # fmt: skip


@pytest.fixture
def store(study: Study) -> Iterator[Store]:
    with open_store(study) as store:
        store.insert("item", [{"item_kind": "response", "item_id": f"r{n}", "task_id": f"t{n}", "context_id": f"c{n}"}
                              for n in (1, 2, 3)])  # fmt: skip
        for who in ("p1", "p2"):
            people.ensure(store, Person(person_id=who, display_name="x", role="annotator"))
        yield store


def take(store: Store, set_id: int, item: str, person: str, occasion: int = 1) -> str:
    found = calibrations.take(
        store, set_id, item, "evidence", person_id=person, occasion=occasion, position=0, until=LATER
    )
    assert (found.purpose, found.person_id, found.state) == ("calibration", person, "claimed")
    return found.assignment_id


def test_the_newest_set_is_the_one_in_use(store: Store) -> None:
    assert calibrations.current(store) is None
    assert calibrations.next_number(store) == 1
    first = calibrations.add(store, 7, SET)
    assert calibrations.agreed(store, first) == {
        "r1": {"D": SET[0][2], "G": SET[1][2]}, "r2": {"D": SET[2][2]},
    }  # fmt: skip
    second = calibrations.add(store, 8, [("r3", "D", SET[0][2])])
    found = calibrations.current(store)
    assert found
    assert (found["set_id"], found["seed"], second) == (second, 8, first + 1)
    assert calibrations.tasks(store) == {"t3"}
    assert calibrations.item_tasks(store, first) == {"r1": "t1", "r2": "t2"}
    assert (calibrations.withdraw(store), calibrations.withdraw(store)) == (1, 0)
    assert calibrations.current(store) is None
    assert calibrations.tasks(store) == set()


@pytest.mark.parametrize("sql", ["UPDATE agreed_answer SET value = '1'", "DELETE FROM agreed_answer"])
def test_what_was_agreed_does_not_change(store: Store, sql: str) -> None:
    calibrations.add(store, 1, SET)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.change(sql, ())


def test_each_person_has_an_assignment_of_their_own_and_what_was_given_back_is_taken_over(store: Store) -> None:
    set_id = calibrations.add(store, 1, SET)
    one, two = take(store, set_id, "r1", "p1"), take(store, set_id, "r1", "p2")
    assert one != two
    found = assignments.find(store, one)
    assert found
    assert calibrations.of_assignment(store, found) == {"D": SET[0][2], "G": SET[1][2]}
    events.expose(store, one, "p1", "DisclosureView", ["response"])
    assert reservations.take_back(store, one) == 1
    assert [row["person_id"] for row in calibrations.practised(store, set_id)] == ["p2"]
    assert take(store, set_id, "r1", "p1") == one
    assert take(store, set_id, "r1", "p1", occasion=2) not in (one, two)
    assert calibrations.last_occasion(store, "p1", "evidence") == 2
    assert calibrations.last_occasion(store, "p1", "correctness") == 0


def test_the_reference_answers_that_somebody_saw(store: Store) -> None:
    set_id = calibrations.add(store, 1, SET)
    events.expose(store, take(store, set_id, "r1", "p1"), "p1", "DisclosureView", ["response"])
    events.expose(store, take(store, set_id, "r2", "p1"), "p1", "CorrectnessView", ["gold_answer", "response"])
    assert calibrations.gold_seen(store, "p1") == {"t2"}
    assert calibrations.gold_seen(store, "p2") == set()
