import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from data.records import Person
from data.store import assignments, claims, events, people
from data.store.connection import Store, open_store
from data.study import Study

LATER, PAST = "2999-01-01T00:00:00", "2000-01-01T00:00:00"
PASSAGES, GOLD = ["passages", "response"], ["gold_answer", "response"]


def item(task: str, context: str | None, name: str, kind: str = "response") -> dict[str, Any]:
    return {"item_kind": kind, "item_id": name, "task_id": task, "context_id": context}


def plan(store: Store, openings: list[tuple[dict[str, Any], str, int]], n_people: int = 4) -> None:
    """Openings as (item, pass, how many people), in the order given, and people p1, p2, …"""
    store.insert("item", [entry for entry, _, _ in openings], ignore=True)
    rows = [
        assignments.opening(entry, pass_, order, position)
        for position, (entry, pass_, n) in enumerate(openings)
        for order in range(1, n + 1)
    ]
    assignments.add(store, rows)
    for n in range(1, n_people + 1):
        people.ensure(store, Person(person_id=f"p{n}", display_name="x", role="annotator"))


def take(
    store: Store, person: str, pass_: str = "evidence", *, soft: bool = False, evidence: bool = True
) -> str | None:
    found = claims.claim(store, person, pass_, until=LATER, evidence=evidence, soft=soft)
    n = claims.open_for(store, person, pass_, evidence=evidence, soft=soft)
    assert found or n == 0
    return found.item_id if found else None


def show(store: Store, person: str, pass_: str, fields: list[str]) -> None:
    held = assignments.in_hand(store, person, [pass_])
    assert held
    events.expose(store, held.assignment_id, person, "AnyView", fields)


def done(store: Store, person: str, pass_: str = "evidence") -> None:
    held = assignments.in_hand(store, person, [pass_])
    assert held
    assignments.finish(store, held.assignment_id, "done")


def expire(store: Store, person: str) -> None:
    store.change("UPDATE assignment SET lease_until = ? WHERE person_id = ? AND state = 'claimed'", [PAST, person])


@pytest.fixture
def store(study: Study) -> Iterator[Store]:
    with open_store(study) as store:
        yield store


def test_openings_come_in_the_plans_order_and_an_item_once_per_person(store: Store) -> None:
    plan(store, [(item("t2", "c2", "r2"), "evidence", 1), (item("t1", "c1", "r1"), "evidence", 2)])
    assert claims.open_for(store, "p1", "evidence", evidence=True, soft=False) == 2
    taken = []
    for person in ("p1", "p1", "p1", "p2", "p2"):
        taken.append(take(store, person))
        if taken[-1]:
            done(store, person)
    assert taken == ["r2", "r1", None, "r1", None]
    orders = store.rows("SELECT person_id, plan_order FROM assignment WHERE item_id = 'r1' ORDER BY plan_order")
    assert [row["person_id"] for row in orders] == ["p1", "p2"]


def test_a_claim_says_who_has_it_and_until_when(store: Store) -> None:
    plan(store, [(item("t", "c", "r"), "evidence", 1)])
    taken = claims.claim(store, "p1", "evidence", until=LATER, evidence=True, soft=False)
    assert taken
    assert (taken.person_id, taken.state, taken.lease_until, taken.purpose) == ("p1", "claimed", LATER, "plan")
    assert assignments.find(store, taken.assignment_id) == taken
    assert assignments.in_hand(store, "p1", ["correctness", "evidence"]) == taken
    assert assignments.in_hand(store, "p2", ["evidence"]) is None
    assert assignments.find(store, "gone") is None


def test_openings_that_are_planned_already_stay_as_they_are(store: Store) -> None:
    openings = [(item("t", "c", "r"), "evidence", 1)]
    plan(store, openings)
    assert take(store, "p1") == "r"
    plan(store, openings)
    assert store.rows("SELECT person_id FROM assignment") == [{"person_id": "p1"}]
    assert take(store, "p2") is None


def test_a_contexts_responses_go_to_one_person_in_a_row(store: Store) -> None:
    responses = [(item("t", "c", f"r{n}"), "evidence", 1) for n in range(3)]
    plan(store, [*responses, (item("u", "d", "s"), "evidence", 1)])
    # p2 comes while p1 reads c: it takes another context rather than break into this one.
    assert (take(store, "p1"), take(store, "p2")) == ("r0", "s")
    for expected in ("r1", "r2", None):
        done(store, "p1")
        assert take(store, "p1") == expected


def test_as_many_people_as_the_strict_rule_needs_are_enough(store: Store) -> None:
    plan(store, [(item("t", f"c{c}", f"r{c}{n}"), "evidence", 1) for c in range(2) for n in range(2)], n_people=2)
    assert assignments.most_contexts(store) == 2
    assert (take(store, "p1"), take(store, "p2")) == ("r00", "r10")
    done(store, "p1")
    done(store, "p2")
    assert (take(store, "p1"), take(store, "p2")) == ("r01", "r11")


def test_a_person_gets_one_context_of_a_task_unless_the_rule_is_soft(store: Store) -> None:
    plan(store, [(item("t", "c", "r"), "evidence", 1), (item("t", "d", "s"), "evidence", 1)])
    assert take(store, "p1") == "r"
    done(store, "p1")
    assert take(store, "p1") is None
    assert take(store, "p1", soft=True) == "s"


def test_a_context_that_was_only_seen_counts_as_well(store: Store) -> None:
    plan(store, [(item("t", "c", "r"), "evidence", 1)])
    assert take(store, "p1") == "r"
    show(store, "p1", "evidence", PASSAGES)
    expire(store, "p1")
    assert take(store, "p2") == "r"
    plan(store, [(item("t", "d", "s"), "evidence", 1)])
    assert take(store, "p1") is None
    assert take(store, "p3") == "s"


def test_an_expired_lease_without_answers_is_offered_again_and_one_with_answers_is_not(store: Store) -> None:
    plan(store, [(item("t", "c", "r"), "evidence", 1), (item("u", "d", "s"), "evidence", 1)])
    assert (take(store, "p1"), take(store, "p2")) == ("r", "s")
    assert take(store, "p3") is None
    held = assignments.in_hand(store, "p1", ["evidence"])
    assert held
    events.add(store, {"assignment_id": held.assignment_id, "label": "D", "value": "1", "evidence": [], "client_seq": 1,
                       "seen_before": {}, "rubric_hash": "h"})  # fmt: skip
    expire(store, "p1")
    expire(store, "p2")
    assert claims.open_for(store, "p3", "evidence", evidence=True, soft=False) == 1
    assert take(store, "p3") == "s"
    assert take(store, "p4") is None
    still = assignments.in_hand(store, "p1", ["evidence"])
    assert still
    assert still.item_id == "r"
    assert assignments.in_hand(store, "p2", ["evidence"]) is None


def test_a_renewed_lease_is_not_offered(store: Store) -> None:
    plan(store, [(item("t", "c", "r"), "evidence", 1)])
    take(store, "p1")
    expire(store, "p1")
    held = assignments.in_hand(store, "p1", ["evidence"])
    assert held
    assignments.renew(store, held.assignment_id, LATER)
    assert take(store, "p2") is None


@pytest.mark.parametrize("state", ["done", "skipped"])
def test_finished_work_is_never_offered_again(store: Store, state: str) -> None:
    plan(store, [(item("t", "c", "r"), "evidence", 1)])
    take(store, "p1")
    held = assignments.in_hand(store, "p1", ["evidence"])
    assert held
    assignments.finish(store, held.assignment_id, state, "why")
    expire(store, "p1")
    assignments.renew(store, held.assignment_id, PAST)
    assert take(store, "p2") is None
    assert assignments.done_by(store, "p1", ["evidence"]) == 1
    assert assignments.progress(store) == [{"pass": "evidence", "state": state, "n": 1}]


def test_gold_waits_for_those_who_could_still_label_the_evidence(store: Store) -> None:
    plan(store, [(item("t", "c", "r"), "correctness", 1), (item("t", "c", "r"), "evidence", 1)])
    assert take(store, "p1", "correctness") is None
    assert take(store, "p2", "correctness", evidence=False) == "r"
    assert take(store, "p1") == "r"


def test_gold_waits_for_those_who_hold_evidence_whatever_their_team(store: Store) -> None:
    plan(store, [(item("t", "c", "r"), "evidence", 1), (item("t", "c", "s"), "correctness", 1)])
    assert take(store, "p1") == "r"
    assert take(store, "p1", "correctness", evidence=False) is None
    done(store, "p1")
    assert take(store, "p1", "correctness", evidence=False) == "s"


@pytest.mark.parametrize("pass_", ["correctness", "context"])
def test_who_saw_gold_gets_no_evidence_of_the_task(store: Store, pass_: str) -> None:
    kind = "response" if pass_ == "correctness" else "context"
    entry = item("t", "c", "r" if kind == "response" else "c", kind)
    plan(store, [(entry, pass_, 1), (item("t", "c", "s"), "evidence", 1), (item("u", "d", "x"), "evidence", 1)])
    assert take(store, "p1", pass_, evidence=False)
    assert take(store, "p1", soft=True) == "x"
    done(store, "p1")
    assert take(store, "p1", soft=True) is None
    assert take(store, "p2") == "s"


def test_gold_that_was_seen_is_not_forgotten_when_the_lease_ends(store: Store) -> None:
    plan(store, [(item("t", "c", "r"), "correctness", 1), (item("t", "c", "s"), "evidence", 1)])
    take(store, "p1", "correctness", evidence=False)
    show(store, "p1", "correctness", GOLD)
    expire(store, "p1")
    assert take(store, "p2", "correctness", evidence=False) == "r"
    assert take(store, "p1", soft=True) is None


def test_a_context_audit_waits_for_evidence_of_the_task(store: Store) -> None:
    plan(store, [(item("t", "c", "c", "context"), "context", 1), (item("t", "c", "r"), "evidence", 1)])
    assert take(store, "p1", "context") is None
    assert take(store, "p1") == "r"
    assert take(store, "p1", "context") is None
    done(store, "p1")
    assert take(store, "p1", "context") == "c"


def test_responses_without_a_context_are_one_place(store: Store) -> None:
    plan(store, [(item("t", None, f"r{n}"), "evidence", 1) for n in range(2)])
    assert assignments.most_contexts(store) == 1
    assert take(store, "p1") == "r0"
    done(store, "p1")
    assert take(store, "p1") == "r1"


def test_the_people_needed_are_counted_per_task(store: Store) -> None:
    assert assignments.most_contexts(store) == 0
    plan(store, [(item("t", "c", "r"), "evidence", 2), (item("t", "d", "s"), "evidence", 1)])
    plan(store, [(item("u", "e", "x"), "evidence", 2), (item("u", "e", "e", "context"), "context", 2)])
    assert assignments.most_contexts(store) == 3


WORK = """
import sys
from pathlib import Path
from data.store import assignments, claims
from data.store.connection import open_store
from data.study import open_study
study, person = open_study(Path(sys.argv[1])), sys.argv[2]
sys.stdin.readline()
while True:
    with open_store(study) as store:
        taken = claims.claim(store, person, "evidence", until="2999", evidence=True, soft=False)
        if taken is None:
            break
        assignments.finish(store, taken.assignment_id, "done")
    print(taken.item_id, taken.plan_order)
"""


def test_eight_processes_never_take_an_opening_twice(study: Study) -> None:
    with open_store(study) as store:
        plan(store, [(item(f"t{n}", f"c{n}", f"r{n}"), "evidence", 2) for n in range(60)], n_people=8)
    root, started = Path(__file__).parents[3], []
    for n in range(1, 9):
        command = [sys.executable, "-c", WORK, str(study.path), f"p{n}"]
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        started.append(subprocess.Popen(command, cwd=root, text=True, **pipes))
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [process.communicate() for process in started]
    assert [said for _, said in results] == [""] * 8
    taken = [line for printed, _ in results for line in printed.splitlines()]
    assert sorted(taken) == sorted(f"r{n} {order}" for n in range(60) for order in (1, 2))
    with open_store(study) as store:
        per_item = store.rows("SELECT count(DISTINCT person_id) AS n FROM assignment GROUP BY item_id")
    assert {row["n"] for row in per_item} == {2}


def test_a_claim_in_a_large_plan_is_quick(store: Store) -> None:
    def large() -> Iterator[tuple[dict[str, Any], str, int]]:
        for c in range(1000):
            for n in range(4):
                yield item(f"t{c // 5}", f"c{c}", f"r{c}-{n}"), "evidence", 2
                yield item(f"t{c // 5}", f"c{c}", f"r{c}-{n}"), "correctness", 1
            yield item(f"t{c // 5}", f"c{c}", f"c{c}", "context"), "context", 1

    def seconds(person: str, pass_: str) -> list[float]:
        start = time.process_time()
        taken = claims.claim(store, person, pass_, until=LATER, evidence=pass_ == "evidence", soft=False)
        middle = time.process_time()
        claims.open_for(store, person, pass_, evidence=pass_ == "evidence", soft=False)
        end = time.process_time()
        if taken:
            events.expose(store, taken.assignment_id, person, "GroundingView", PASSAGES)
            assignments.finish(store, taken.assignment_id, "done")
        return [middle - start, end - middle]

    with store.transaction():
        plan(store, list(large()))
    with store.transaction():
        times = [spent for _ in range(15) for person in ("p1", "p2") for spent in seconds(person, "evidence")]
        times += [spent for pass_ in ("correctness", "context") for _ in range(3) for spent in seconds("p3", pass_)]
    # 20 ms is the aim on an idle machine; the processor's time and the best of many say so on a busy one too.
    assert sorted(times)[len(times) // 4] < 0.03


def test_a_claim_takes_no_longer_for_all_that_somebody_has_done(study: Study) -> None:
    """Steps of SQLite's machine for one claim and what its person saw before, after few items and ten times as many."""
    steps: dict[int, int] = {}
    with open_store(study) as store, store.transaction():
        for n in (40, 400):
            names = [f"{n}-{k}" for k in range(n + 3)]
            plan(store, [(item(f"t{name}", f"c{name}", f"r{name}"), "evidence", 1) for name in names])
            for _ in range(n):
                taken = claims.claim(store, "p1", "evidence", until=LATER, evidence=True, soft=False)
                assert taken
                events.expose(store, taken.assignment_id, "p1", "GroundingView", PASSAGES)
                assignments.finish(store, taken.assignment_id, "done")
            ticks: list[int] = []
            store.db.conn.set_progress_handler(partial(ticks.append, 10), 10)
            taken = claims.claim(store, "p1", "evidence", until=LATER, evidence=True, soft=False)
            assert taken
            events.seen_before(store, taken.assignment_id, "p1")
            store.db.conn.set_progress_handler(None, 0)
            steps[n] = sum(ticks)
    assert steps[400] < 1.5 * steps[40] + 500, steps


@pytest.mark.parametrize("waits", [False, True], ids=["evidence of others is open", "gold waits for the evidence"])
def test_a_claim_does_not_look_through_the_plan(study: Study, waits: bool) -> None:
    """Steps of SQLite's machine for one claim of the correctness pass, in a short plan and in one ten times as long."""
    steps: dict[int, int] = {}
    with open_store(study) as store:
        for n in (60, 600):
            first = sum(steps)
            names = [f"t{first + k}" for k in range(n)]
            plan(store, [(item(name, f"c-{name}", f"r-{name}"), "evidence", 1) for name in names])
            plan(store, [(item(name, f"c-{name}", f"r-{name}"), "correctness", 1) for name in names])
            # What was dealt to others is none of this person's business; their own first items are.
            store.change("UPDATE assignment SET reserved_for = 'p2' WHERE pass = 'evidence'", [])
            if waits:
                mine = "reserved_for = 'p1' WHERE pass = 'evidence' AND task_id IN (?, ?)"
                store.change(f"UPDATE assignment SET {mine}", names[:2])
            ticks: list[int] = []
            store.db.conn.set_progress_handler(partial(ticks.append, 10), 10)
            taken = claims.claim(store, "p1", "correctness", until=LATER, evidence=True, soft=False)
            store.db.conn.set_progress_handler(None, 0)
            assert taken
            steps[n] = sum(ticks)
            with store.transaction():
                for table in ("assignment", "item"):
                    store.change(f"DELETE FROM {table}", [])
    assert steps[600] < 2 * steps[60] + 500, steps
