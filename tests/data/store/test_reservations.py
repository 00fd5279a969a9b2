"""What was dealt is kept for somebody, taken back when it was not begun, and repeats wait for their time."""

from collections.abc import Iterator
from typing import Any

import pytest

from data.records import Person
from data.store import assignments, claims, events, people, reservations
from data.store.connection import Store, open_store
from data.study import Study

LATER, PAST = "2999-01-01T00:00:00", "2000-01-01T00:00:00"


@pytest.fixture
def store(study: Study) -> Iterator[Store]:
    """Three items of one opening each, in the evidence pass, and p1 and p2."""
    with open_store(study) as store:
        rows = [
            {"item_kind": "response", "item_id": f"r{n}", "task_id": f"t{n}", "context_id": f"c{n}"} for n in range(3)
        ]
        store.insert("item", rows)
        assignments.add(store, [assignments.opening(row, "evidence", 1, n) for n, row in enumerate(rows)])
        for who in ("p1", "p2"):
            people.ensure(store, Person(person_id=who, display_name="x", role="annotator"))
        yield store


def take(store: Store, person: str) -> str | None:
    found = claims.claim(store, person, "evidence", until=LATER, evidence=True, soft=False)
    n = claims.open_for(store, person, "evidence", evidence=True, soft=False)
    assert found or n == 0
    return found.item_id if found else None


def finish(store: Store, person: str, state: str = "done") -> None:
    held = assignments.in_hand(store, person, ["evidence"])
    assert held
    assignments.finish(store, held.assignment_id, state)


def row(store: Store, item: str) -> dict[str, Any]:
    (found,) = store.rows("SELECT * FROM assignment WHERE item_id = ? AND purpose = 'plan'", [item])
    return found


def reserve(store: Store, **who: str) -> None:
    reservations.reserve(store, [(row(store, item)["assignment_id"], person) for item, person in who.items()])


def test_ones_own_come_first_and_what_is_kept_for_others_is_not_given(store: Store) -> None:
    reserve(store, r0="p2", r2="p1")
    taken = []
    while (item := take(store, "p1")) is not None:
        taken.append(item)
        finish(store, "p1")
    assert taken == ["r2", "r1"]
    assert take(store, "p2") == "r0"


def test_what_was_not_begun_is_taken_back(store: Store) -> None:
    reserve(store, r0="p1", r1="p1", r2="p2")
    take(store, "p1")
    free = {found["item_id"]: found["free"] for found in reservations.release(store, ["p1", "p2"])}
    assert free == {"r0": 0, "r1": 1, "r2": 1}
    assert [row(store, item)["reserved_for"] for item in ("r0", "r1", "r2")] == ["p1", None, None]


@pytest.mark.parametrize(("here", "answered", "free"), [(True, False, 0), (False, True, 0), (False, False, 1)])
def test_what_somebody_gone_let_run_out_without_an_answer_is_taken_back(
    store: Store, here: bool, answered: bool, free: int
) -> None:
    reserve(store, r0="p1")
    take(store, "p1")
    store.change("UPDATE assignment SET lease_until = ? WHERE state = 'claimed'", [PAST])
    if answered:
        events.add(store, {"assignment_id": row(store, "r0")["assignment_id"], "label": "D", "value": "1",
                           "evidence": [], "client_seq": 1, "seen_before": {}, "rubric_hash": "h"})  # fmt: skip
    found = {r["item_id"]: r["free"] for r in reservations.release(store, ["p1", "p2"] if here else ["p2"])}
    assert found["r0"] == free
    if free:
        reserve(store, r0="p2")
        assert take(store, "p2") == "r0"


def test_what_people_know_is_what_they_saw_or_hold(store: Store) -> None:
    take(store, "p1")
    events.expose(store, row(store, "r0")["assignment_id"], "p2", "CorrectnessView", ["gold_answer", "response"])
    known = {(r["person_id"], r["task_id"], r["context_id"], r["gold"], r["passages"])
             for r in reservations.knowledge(store)}  # fmt: skip
    assert known == {("p1", "t0", "c0", 0, 1), ("p2", "t0", "c0", 1, 0)}


def again(store: Store, item: str, due: int, person: str = "p1") -> None:
    assignments.add(store, [reservations.repeat(row(store, item), person, due)])


def test_a_repeat_comes_when_it_is_due_to_its_person_only(store: Store) -> None:
    again(store, "r0", due=2)
    # Counted from the start, so that the sum does not grow.
    assert claims.open_for(store, "p1", "evidence", evidence=True, soft=False) == 4
    assert claims.open_for(store, "p2", "evidence", evidence=True, soft=False) == 3
    taken = []
    while (item := take(store, "p1")) is not None:
        taken.append(item)
        finish(store, "p1")
    assert taken == ["r0", "r1", "r0", "r2"]
    assert take(store, "p2") is None


def test_a_repeat_that_can_never_be_due_is_neither_offered_nor_counted(store: Store) -> None:
    again(store, "r0", due=9)
    assert claims.open_for(store, "p1", "evidence", evidence=True, soft=False) == 3
    for _ in range(3):
        take(store, "p1")
        finish(store, "p1")
    assert take(store, "p1") is None


def test_what_was_skipped_is_not_shown_again(store: Store) -> None:
    again(store, "r0", due=1)
    take(store, "p1")
    finish(store, "p1", "skipped")
    for expected in ("r1", "r2"):
        assert take(store, "p1") == expected
        finish(store, "p1")
    assert take(store, "p1") is None


def test_a_repeat_of_a_task_whose_gold_answer_was_seen_is_dropped(store: Store) -> None:
    again(store, "r0", due=1)
    take(store, "p1")
    finish(store, "p1")
    events.expose(store, row(store, "r0")["assignment_id"], "p1", "CorrectnessView", ["gold_answer", "response"])
    assert take(store, "p1") == "r1"


def test_a_repeat_is_put_off_and_never_brought_forward(store: Store) -> None:
    again(store, "r0", due=5)
    take(store, "p1")
    held = assignments.in_hand(store, "p1", ["evidence"])
    assert held
    for due in (8, 3):
        reservations.delay_repeat(store, held, due)
        assert [r["due"] for r in store.rows("SELECT due FROM assignment WHERE purpose = 'repeat'")] == [8]
    assert reservations.repeats(store) == {("p1", "evidence", "r0")}
    reservations.release(store, ["p1"])
    assert reservations.repeats(store) == set()


@pytest.mark.parametrize("purpose", ["repeat", "canary"])
def test_what_is_mixed_in_falls_away_unless_it_was_on_a_screen(store: Store, purpose: str) -> None:
    """Deleting what is in the log of what was shown would fail, and with it whatever the lead wanted."""
    for n, item in enumerate(("r0", "r1"), start=2):
        hidden = reservations.repeat(row(store, item), "p1", 0)
        assignments.add(store, [{**hidden, "purpose": purpose, "occasion": n}])
    sql = "SELECT * FROM assignment WHERE purpose = ? ORDER BY item_id"
    seen = store.rows(sql, [purpose])[0]
    events.expose(store, seen["assignment_id"], "p1", "DisclosureView", ["response"])
    reservations.release(store, ["p1"])
    assert [left["item_id"] for left in store.rows(sql, [purpose])] == ["r0"]
    assert store.rows(sql, [purpose])[0]["reserved_for"] == "p1"
    reservations.open_to_all(store, "p1")
    assert store.rows(sql, [purpose])[0]["reserved_for"] == "p1", "nobody else is meant to see it"
