"""Who holds which work; only what has no answer changes hands, and never against the rules of blinding."""

from collections.abc import Callable
from typing import Any

import pytest

from audit_app.actions import holdings, people
from audit_app.actions.access import open_results
from audit_app.actions.answers import Refused
from audit_app.actions.dealing import deal
from audit_app.actions.holdings import hand_over, reassign, release
from audit_app.actions.sampling import Plan, draw_sample
from data.errors import StudyProblem
from data.records import Person
from data.store import assignments
from data.store import people as stored_people
from data.store.connection import open_store
from data.study import Study


@pytest.fixture
def study(study_from: Any, grid: Any) -> Study:
    made: Study = study_from(grid(6, conditions=("clean",)), labels=["D", "A", "G", "C"])
    draw_sample(made, Plan(size=None))
    return made


def kept(study: Study, person_id: str) -> list[dict[str, Any]]:
    with open_store(study) as store:
        return store.rows("SELECT * FROM assignment WHERE state = 'open' AND reserved_for = ?", [person_id])


def found(study: Study, person_id: str) -> Person:
    with open_store(study) as store:
        person = stored_people.find(store, person_id)
    assert person
    return person


def test_what_people_hold_is_listed(study: Study, person_in: Any, desk: Any) -> None:
    ann, ben = desk(study, person_in(study, "ann")), desk(study, person_in(study, "ben"))
    view = ann.view()
    ben.answer(ben.view(), "1")
    deal(study)
    seen = holdings.holdings(study)
    assert [(each.person_id, each.pass_, each.n_answers, each.ran_out) for each in seen.in_hand] == [
        ("ann", "evidence", 0, False), ("ben", "evidence", 1, False)
    ]  # fmt: skip
    assert seen.in_hand[0].assignment_id == view["assignment_id"]
    assert seen.in_hand[0].shown_at
    with open_store(study) as store:
        n = sum(row["n"] for row in assignments.progress(store))
    assert sum(each.n_items for each in seen.waiting) + seen.n_anybodys + 2 == n
    assert {each.person_id for each in seen.waiting} == {"ann", "ben"}
    assert seen.sentence.startswith("0 assignments are finished, 2 in hand, ")


def test_a_released_item_goes_to_whoever_asks_next(study: Study, person_in: Any, desk: Any) -> None:
    ann, ben = desk(study, person_in(study, "ann")), desk(study, person_in(study, "ben"))
    view = ann.view()
    release(study, view["assignment_id"])
    assert ben.view()["assignment_id"] == view["assignment_id"]
    with pytest.raises(Refused, match="not yours any more"):
        ann.answer(view, "1")


def test_a_reassigned_item_goes_to_whom_it_is_meant_for(study: Study, person_in: Any, desk: Any) -> None:
    ann, ben, cleo = (desk(study, person_in(study, name)) for name in ("ann", "ben", "cleo"))
    view = ann.view()
    reassign(study, view["assignment_id"], "cleo")
    assert ben.view()["assignment_id"] != view["assignment_id"]
    assert cleo.view()["assignment_id"] == view["assignment_id"]


@pytest.mark.parametrize("give", [release, lambda study, one: reassign(study, one, "ben")])
def test_what_has_an_answer_stays(study: Study, person_in: Any, desk: Any, give: Callable[[Study, str], None]) -> None:
    ann = desk(study, person_in(study, "ann"))
    person_in(study, "ben")
    view = ann.view()
    ann.answer(view, "1")
    with pytest.raises(StudyProblem, match="has an answer"):
        give(study, view["assignment_id"])
    assert ann.view()["assignment_id"] == view["assignment_id"]


def test_nobody_gets_what_they_may_not_have(study: Study, person_in: Any, desk: Any) -> None:
    ann = desk(study, person_in(study, "ann"))
    one = ann.view()["assignment_id"]
    person_in(study, "auditor", teams=("context",))
    person_in(study, "lead", role="lead")
    person_in(study, "away")
    people.pause(study, "away")
    for who, why in (
        ("ann", "they have, or had, this item already"),
        ("auditor", "not in the team evidence"),
        ("lead", "not at work"),
        ("away", "not at work"),
    ):
        with pytest.raises(StudyProblem, match=why):
            reassign(study, one, who)
    with open_store(study) as store:
        stored_people.ensure(store, Person(person_id="imported", display_name="imported", role="annotator"))
    with pytest.raises(StudyProblem, match="imported has no link"):
        reassign(study, one, "imported")
    assert {person.person_id for person in holdings.holdings(study).takers} == {"ann", "auditor"}
    with pytest.raises(StudyProblem, match="no person 'nobody'"):
        reassign(study, one, "nobody")
    with pytest.raises(StudyProblem, match="no assignment 'none'"):
        reassign(study, "none", "ann")
    assert ann.view()["assignment_id"] == one


def test_whoever_has_seen_the_reference_answer_does_not_get_grounding(study: Study, person_in: Any, desk: Any) -> None:
    ann, cy = desk(study, person_in(study, "ann")), desk(study, person_in(study, "cy", teams=("correctness",)))
    shown = cy.view()
    assert shown["view"] == "CorrectnessView"
    person = people.change_person(study, "cy", teams=("evidence",)).person
    with open_store(study) as store:
        task = store.row("SELECT task_id FROM assignment WHERE assignment_id = ?", [shown["assignment_id"]])
        evidence = store.rows("SELECT * FROM assignment WHERE pass = 'evidence' ORDER BY position, plan_order")
    assert task
    same, other = (
        next(row["assignment_id"] for row in evidence if (row["task_id"] == task["task_id"]) is wanted)
        for wanted in (True, False)
    )
    with pytest.raises(StudyProblem, match="they know its reference answer"):
        reassign(study, same, "cy")
    reassign(study, other, "cy")
    assert desk(study, person).view()["assignment_id"] == other
    assert ann.view()["state"] == "view"


def test_only_one_context_of_a_task_is_handed_over(study_from: Any, grid: Any, person_in: Any) -> None:
    study = study_from(grid(4, conditions=("clean", "evidence_absence")), labels=["D", "G"])
    draw_sample(study, Plan(size=None, overlap=0))
    for name in ("ann", "ben", "cleo"):
        person_in(study, name)
    deal(study)
    n = {who: len(kept(study, who)) for who in ("ann", "ben", "cleo")}
    outcome = hand_over(study, "ann", "ben")
    assert outcome.n_moved + sum(outcome.kept.values()) == n["ann"]
    assert set(outcome.kept) == {"another context of its task is meant for them"}
    assert len(kept(study, "ben")) == n["ben"] + outcome.n_moved
    read = {(row["task_id"], row["context_id"]) for row in kept(study, "ben")}
    assert len(read) == len({task for task, _ in read})
    assert (outcome.n_moved, outcome.sentence.partition(" over")[0]) == (1, "1 opening went")


def test_what_is_handed_over_can_be_labelled_to_the_end(study_from: Any, grid: Any, person_in: Any, desk: Any) -> None:
    study = study_from(grid(60, conditions=("clean",)), labels=["D", "G"])
    draw_sample(study, Plan(size=None, overlap=0, repeats=0.5))
    ann, ben = person_in(study, "ann"), person_in(study, "ben")
    deal(study)
    assert [row for row in kept(study, "ann") if row["purpose"] == "repeat"]
    n = len(kept(study, "ann")) + len(kept(study, "ben"))
    assert n
    outcome = hand_over(study, "ann", "ben")
    assert kept(study, "ann") == []
    desk(study, ben).finish(lambda view: view["label"]["values"][0]["value"])
    assert kept(study, "ben") == []
    assert desk(study, ann).view()["state"] == "empty"
    assert outcome.kept == {}


def test_whoever_opened_results_gets_nothing_to_label(study: Study, person_in: Any, desk: Any) -> None:
    lead = person_in(study, "lead", role="lead")
    open_results(study, lead)
    first = found(study, "lead").results_opened_at
    assert first
    open_results(study, found(study, "lead"))
    person = people.change_person(study, "lead", role="annotator").person
    assert person.results_opened_at == first
    empty = desk(study, person).view()
    assert (empty["state"], "seen results" in empty["reason"]) == ("empty", True)
    with pytest.raises(Refused, match="seen results"):
        desk(study, person).answer({"assignment_id": "any", "label": {"name": "D"}, "client_seq": 1}, "1")
    ann = desk(study, person_in(study, "ann"))
    with pytest.raises(StudyProblem, match="have seen results"):
        reassign(study, ann.view()["assignment_id"], "lead")
    person_in(study, "ben")
    assert "lead" not in {portion.person_id for portion in deal(study).portions}


@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_results_and_holdings_are_for_leads(study: Study, person_in: Any, desk: Any, role: str) -> None:
    person, other = person_in(study, "somebody", role=role), person_in(study, "other")
    one = desk(study, other).view()["assignment_id"]
    uses: list[Callable[[], object]] = [
        lambda: open_results(study, person),
        lambda: holdings.holdings(study, by=person),
        lambda: release(study, one, by=person),
        lambda: reassign(study, one, "somebody", by=person),
        lambda: hand_over(study, "other", "somebody", by=person),
    ]
    for use in uses:
        with pytest.raises(Refused, match="Only leads"):
            use()
    assert found(study, "somebody").results_opened_at is None
    assert desk(study, other).view()["assignment_id"] == one
