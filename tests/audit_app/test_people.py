"""Links let people in, are stored as hashes, and end."""

from typing import Any

import pytest

from audit_app.actions.people import add_person, enter, list_people, person_of, sign_out
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study


@pytest.fixture
def study(study_from: Any) -> Study:
    made: Study = study_from({})
    return made


def test_a_link_lets_its_owner_in_until_they_sign_out(study: Study) -> None:
    invited = add_person(study, " Annotator one ", address="https://audit.example")
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
    token = add_person(study, "Annotator one").link.rsplit("/", 1)[1]
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
    token = add_person(study, "Annotator one").link.rsplit("/", 1)[1]
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
