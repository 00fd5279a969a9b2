import sqlite3

import pytest

from data.errors import StudyProblem
from data.records import Person
from data.store import people
from data.store.connection import open_store
from data.study import Study


def person(name: str, role: str = "annotator", **values: object) -> Person:
    return Person(person_id=name, display_name=f"Display {name}", role=role, **values)  # type: ignore[arg-type]  # test


def test_somebody_comes_in_by_their_link_and_stays_until_they_sign_out(study: Study) -> None:
    with open_store(study) as store:
        token = people.add(store, person("p1", teams=("evidence",)))
        secret = people.start_session(store, token)
        assert secret
        found = people.of_session(store, secret)
        assert found == person("p1", teams=("evidence",))
        people.end_session(store, secret)
        assert people.of_session(store, secret) is None
        assert people.start_session(store, token)


def test_a_link_works_in_several_browsers_at_once(study: Study) -> None:
    with open_store(study) as store:
        token = people.add(store, person("p1"))
        first, second = people.start_session(store, token), people.start_session(store, token)
        assert first
        assert second
        people.end_session(store, first)
        assert people.of_session(store, second)


def test_unknown_links_and_sessions_are_nobody(study: Study) -> None:
    with open_store(study) as store:
        token = people.add(store, person("p1"))
        for wrong in ("", token[:-1], token + "x", people.hashed(token), "%"):
            assert people.start_session(store, wrong) is None
            assert people.of_session(store, wrong) is None


def test_somebody_who_left_is_nobody(study: Study) -> None:
    with open_store(study) as store:
        token = people.add(store, person("p1"))
        secret = people.start_session(store, token)
        assert secret
        store.change("UPDATE person SET status = 'left' WHERE person_id = ?", ["p1"])
        assert people.of_session(store, secret) is None
        assert people.start_session(store, token) is None


def test_secrets_are_never_stored(study: Study) -> None:
    with open_store(study) as store:
        token = people.add(store, person("p1"))
        secret = people.start_session(store, token)
        assert secret
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = study.database.read_bytes()
    assert token.encode() not in stored
    assert secret.encode() not in stored


def test_links_differ_and_are_long(study: Study) -> None:
    with open_store(study) as store:
        tokens = [people.add(store, person(f"p{n}")) for n in range(5)]
    assert len(set(tokens)) == 5
    assert min(map(len, tokens)) >= 32


def test_a_taken_id_and_an_unknown_role_are_refused(study: Study) -> None:
    with open_store(study) as store:
        people.add(store, person("p1"))
        with pytest.raises(StudyProblem, match="there is a person 'p1' already"):
            people.add(store, person("p1"))
        with pytest.raises(StudyProblem, match="expected one of annotator, adjudicator, lead"):
            people.add(store, person("p2", role="boss"))
        with pytest.raises(sqlite3.IntegrityError):
            people.ensure(store, person("p3", role="boss"))
        assert [p.person_id for p in people.everyone(store)] == ["p1"]


def test_ids_and_names_are_compared_byte_for_byte(study: Study) -> None:
    ids = ["Ann", "ann", "O'Neil", "O Neil", "山田", "山本", "e\u0301", "é"]
    with open_store(study) as store:
        for name in ids:
            people.add(store, person(name))
        assert [p.person_id for p in people.everyone(store)] == ids
        assert people.find(store, "ANN") is None


def test_ensuring_somebody_who_is_there_changes_nothing(study: Study) -> None:
    with open_store(study) as store:
        token = people.add(store, person("p1", role="lead"))
        people.ensure(store, person("p1"))
        people.ensure(store, person("p2"))
        assert [(p.person_id, p.role) for p in people.everyone(store)] == [("p1", "lead"), ("p2", "annotator")]
        assert people.start_session(store, token)
