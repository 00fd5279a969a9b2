"""Inviting and changing people: links are stored as hashes, work that is done stays, and leads alone may do it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from audit_app.actions import people
from audit_app.actions.answers import Refused
from audit_app.actions.dealing import deal
from audit_app.actions.people import add_person, list_people
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.sign_in import PAUSED, enter, person_of, sign_out
from data.errors import StudyProblem
from data.records import Person
from data.store.connection import open_store
from data.study import Study


@pytest.fixture
def study(study_from: Any) -> Study:
    made: Study = study_from({})
    return made


@pytest.fixture
def drawn(study_from: Any, grid: Any) -> Study:
    made: Study = study_from(grid(4))
    draw_sample(made, Plan(size=None))
    return made


def token_of(link: str) -> str:
    return link.rsplit("/", 1)[1]


def states(study: Study) -> list[tuple[str, str | None]]:
    with open_store(study) as store:
        rows = store.rows("SELECT state, person_id FROM assignment WHERE state <> 'open' ORDER BY position")
    return [(row["state"], row["person_id"]) for row in rows]


def test_a_link_lets_its_owner_in_until_they_sign_out(study: Study) -> None:
    invited = add_person(study, " Annotator one ", address="https://audit.example/")
    address, token = invited.link.rsplit("/", 1)
    assert address == "https://audit.example/in"
    session = enter(study, token)
    assert session is not None
    found = person_of(study, session)
    assert found is not None
    assert (found.person_id, found.display_name, found.role) == (invited.person_id, "Annotator one", "annotator")
    sign_out(study, session)
    assert person_of(study, session) is None
    assert enter(study, token) not in (None, session)


def test_no_secret_is_stored(study: Study) -> None:
    token = token_of(add_person(study, "Annotator one").link)
    session = enter(study, token)
    assert session
    with open_store(study) as store:
        store.db.conn.execute("PRAGMA wal_checkpoint")
    stored = b"".join(path.read_bytes() for path in study.path.glob("study.db*"))
    assert token.encode() not in stored
    assert session.encode() not in stored


@pytest.mark.parametrize("secret", [None, "", "wrong"])
def test_nobody_is_nobody(study: Study, secret: str | None) -> None:
    add_person(study, "Annotator one")
    assert person_of(study, secret) is None
    assert enter(study, secret or "") is None


def test_a_link_of_somebody_who_left_does_not_work(study: Study) -> None:
    token = token_of(add_person(study, "Annotator one").link)
    session = enter(study, token)
    with open_store(study) as store:
        store.change("UPDATE person SET status = 'left'", [])
    assert enter(study, token) is None
    assert person_of(study, session) is None


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("  ", {}, "give a name"),
        ("A", {"role": "boss"}, "expected one of annotator, adjudicator, lead"),
        ("A", {"teams": ("evidence", "sales")}, "unknown team 'sales'; teams are evidence, correctness, context"),
        ("A", {"person_id": "a b"}, "use letters, digits"),
        ("A", {"person_id": ""}, "use letters, digits"),
        ("A", {"person_id": "x" * 65}, "at most 64"),
        ("A", {"person_id": "taken"}, "there is a person 'taken' already"),
    ],
)
def test_who_cannot_be_added_is_told_why(study: Study, name: str, options: dict[str, Any], message: str) -> None:
    add_person(study, "First", person_id="taken")
    with pytest.raises(StudyProblem, match=message):
        add_person(study, name, **options)
    assert len(list_people(study)) == 1


def test_people_are_listed_as_they_came(study: Study) -> None:
    for name in ("zoe", "ann"):
        add_person(study, name, role="lead", teams=("context",), person_id=name)
    assert [(p.person_id, p.role, p.teams) for p in list_people(study)] == [
        ("zoe", "lead", ("context",)), ("ann", "lead", ("context",))
    ]  # fmt: skip


def test_a_revoked_person_is_out_at_once_and_a_new_link_lets_them_in_again(study: Study) -> None:
    first = add_person(study, "Ann", person_id="ann")
    session = enter(study, token_of(first.link))
    changed = people.revoke(study, "ann")
    assert (changed.person.status, changed.n_sessions) == ("revoked", 1)
    assert "Signed out in 1 place." in changed.sentence
    assert person_of(study, session) is None
    assert enter(study, token_of(first.link)) is None
    second = people.new_link(study, "ann", address="https://audit.example")
    assert second.link.startswith("https://audit.example/in/")
    assert enter(study, token_of(first.link)) is None
    assert person_of(study, enter(study, token_of(second.link)))


def test_a_new_link_ends_the_old_one_and_its_sessions(study: Study) -> None:
    first = add_person(study, "Ann", person_id="ann")
    session = enter(study, token_of(first.link))
    people.new_link(study, "ann")
    assert person_of(study, session) is None
    assert enter(study, token_of(first.link)) is None


def test_a_new_link_does_not_end_a_pause(study: Study) -> None:
    add_person(study, "Ann", person_id="ann")
    people.pause(study, "ann")
    token = token_of(people.new_link(study, "ann").link)
    with pytest.raises(Refused, match="paused"):
        enter(study, token)


def test_a_paused_person_is_told_so_and_goes_on_where_they_were_when_resumed(study: Study) -> None:
    token = token_of(add_person(study, "Ann", person_id="ann").link)
    session = enter(study, token)
    people.pause(study, "ann")
    knocks: list[tuple[Callable[[], object], int]] = [
        (lambda: person_of(study, session), 401), (lambda: enter(study, token), 403)
    ]  # fmt: skip
    for knock, status in knocks:
        with pytest.raises(Refused) as refused:
            knock()
        assert (refused.value.status, str(refused.value)) == (status, PAUSED)
    people.resume(study, "ann")
    assert person_of(study, session)


@pytest.mark.parametrize("change", [people.pause, people.resume])
def test_who_has_no_way_in_can_be_neither_paused_nor_resumed(study: Study, change: Callable[..., Any]) -> None:
    add_person(study, "Ann", person_id="ann")
    people.revoke(study, "ann")
    with pytest.raises(StudyProblem, match="people link ann"):
        change(study, "ann")


@pytest.mark.parametrize("leave", [people.pause, people.revoke])
def test_who_leaves_gives_back_what_has_no_answer(
    drawn: Study, person_in: Any, desk: Any, leave: Callable[..., people.Changed]
) -> None:
    ann = desk(drawn, person_in(drawn, "ann"))
    ann.view()
    assert states(drawn) == [("claimed", "ann")]
    changed = leave(drawn, "ann")
    assert changed.n_released == 1
    assert "Given back: 1 item begun without an answer." in changed.sentence
    assert states(drawn) == []
    with pytest.raises(Refused):
        ann.answer({"assignment_id": "any", "label": {"name": "D"}, "client_seq": 1}, "1")


def test_an_item_with_an_answer_stays_with_whoever_began_it(drawn: Study, person_in: Any, desk: Any) -> None:
    ann = desk(drawn, person_in(drawn, "ann"))
    ann.answer(ann.view(), "1")
    assert people.pause(drawn, "ann").n_released == 0
    assert people.revoke(drawn, "ann").n_released == 0
    assert states(drawn) == [("claimed", "ann")]


def test_finished_work_is_never_touched(drawn: Study, person_in: Any, desk: Any) -> None:
    ann = desk(drawn, person_in(drawn, "ann", teams=("evidence",)))
    ann.finish(lambda view: view["label"]["values"][0]["value"])
    before = states(drawn)
    assert before
    people.revoke(drawn, "ann")
    people.change_person(drawn, "ann", role="lead")
    assert states(drawn) == before


def kept_for(study: Study) -> Counter[str | None]:
    with open_store(study) as store:
        rows = store.rows("SELECT reserved_for FROM assignment WHERE state = 'open'")
    return Counter(row["reserved_for"] for row in rows)


def test_what_was_dealt_to_somebody_who_leaves_is_dealt_again(drawn: Study, person_in: Any) -> None:
    for name in ("ann", "ben", "cleo"):
        person_in(drawn, name)
    deal(drawn)
    before = kept_for(drawn)
    changed = people.pause(drawn, "ann")
    assert changed.n_passed_on == before["ann"] > 0
    assert f"Dealt to others: {before['ann']} openings" in changed.sentence
    after = kept_for(drawn)
    assert set(after) <= {"ben", "cleo", None}
    assert after.total() == before.total()


def test_with_too_few_left_to_deal_to_the_work_is_anybodys(drawn: Study, person_in: Any, desk: Any) -> None:
    for name in ("ann", "ben"):
        person_in(drawn, name)
    deal(drawn)
    before = kept_for(drawn)
    people.revoke(drawn, "ann")
    assert kept_for(drawn) == {"ben": before["ben"], None: before[None] + before["ann"]}


def test_name_role_and_teams_can_be_changed_one_at_a_time(study: Study) -> None:
    add_person(study, "Ann", person_id="ann", teams=("evidence",))
    assert people.change_person(study, "ann", name=" Anne ").person == Person(
        person_id="ann", display_name="Anne", role="annotator", teams=("evidence",)
    )
    changed = people.change_person(study, "ann", role="adjudicator", teams=()).person
    assert (changed.display_name, changed.role, changed.teams) == ("Anne", "adjudicator", ())
    assert list_people(study) == [changed]


@pytest.mark.parametrize(
    ("change", "message"),
    [({"name": " "}, "give a name"), ({"role": "boss"}, "expected one of"), ({"teams": ("x",)}, "unknown team 'x'")],
)
def test_what_cannot_be_changed_is_said_and_nothing_is(study: Study, change: dict[str, Any], message: str) -> None:
    add_person(study, "Ann", person_id="ann")
    before = list_people(study)
    with pytest.raises(StudyProblem, match=message):
        people.change_person(study, "ann", **{"name": "New", **change})
    assert list_people(study) == before


def test_whoever_becomes_a_lead_gives_back_what_they_hold(drawn: Study, person_in: Any, desk: Any) -> None:
    desk(drawn, person_in(drawn, "ann")).view()
    assert people.change_person(drawn, "ann", role="lead").n_released == 1
    assert states(drawn) == []


USE_CASES: dict[str, Callable[[Study, Person], object]] = {
    "add": lambda study, by: add_person(study, "New", by=by),
    "change": lambda study, by: people.change_person(study, "other", role="lead", by=by),
    "pause": lambda study, by: people.pause(study, "other", by=by),
    "resume": lambda study, by: people.resume(study, "other", by=by),
    "revoke": lambda study, by: people.revoke(study, "other", by=by),
    "link": lambda study, by: people.new_link(study, "other", by=by),
    "sign out": lambda study, by: people.sign_out_everywhere(study, "other", by=by),
}


@pytest.mark.parametrize("use_case", USE_CASES)
@pytest.mark.parametrize("role", ["annotator", "adjudicator"])
def test_only_leads_may(study: Study, person_in: Any, use_case: str, role: str) -> None:
    person_in(study, "other")
    by = person_in(study, "somebody", role=role)
    before = list_people(study)
    with pytest.raises(Refused, match="Only leads") as refused:
        USE_CASES[use_case](study, by)
    assert refused.value.status == 403
    assert list_people(study) == before
    assert USE_CASES[use_case](study, person_in(study, "lead", role="lead"))


@pytest.mark.parametrize("change", [people.pause, people.revoke])
def test_a_lead_does_not_lock_themselves_out(study: Study, person_in: Any, change: Callable[..., Any]) -> None:
    lead = person_in(study, "lead", role="lead")
    with pytest.raises(StudyProblem, match="ask another lead"):
        change(study, "lead", by=lead)
    with pytest.raises(StudyProblem, match="ask another lead"):
        people.change_person(study, "lead", role="annotator", by=lead)
    assert people.change_person(study, "lead", name="Boss", by=lead).person.display_name == "Boss"
    assert people.new_link(study, "lead", by=lead).link


@pytest.mark.parametrize("use_case", sorted(set(USE_CASES) - {"add"}))
def test_nobody_unknown_is_changed(study: Study, person_in: Any, use_case: str) -> None:
    lead = person_in(study, "lead", role="lead")
    with pytest.raises(StudyProblem, match="there is no person 'other'; see `evidence-audit people list`"):
        USE_CASES[use_case](study, lead)
