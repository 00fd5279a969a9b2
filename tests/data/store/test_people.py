import sqlite3

import pytest

from data.errors import StudyProblem
from data.records import Person
from data.store import people
from data.store.connection import open_store
from data.study import Study


def person(name: str, role: str = "annotator", **values: object) -> Person:
    return Person(person_id=name, display_name=f"Display {name}", role=role, **values)  # type: ignore[arg-type]  # test


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
        found = people.of_link(store, token)
        assert found
        assert found.role == "lead"


def test_a_new_link_takes_the_place_of_the_one_before(study: Study) -> None:
    with open_store(study) as store:
        first = people.add(store, person("p1"))
        second = people.new_link(store, "p1")
        assert people.of_link(store, first) is None
        assert people.of_link(store, second) == person("p1")


@pytest.mark.parametrize("wrong", ["", "%", "cut", "longer", "its own hash"])
def test_what_is_no_link_is_nobodys(study: Study, wrong: str) -> None:
    with open_store(study) as store:
        token = people.add(store, person("p1"))
        people.ensure(store, person("imported"))
        made = {"cut": token[:-1], "longer": token + "x", "its own hash": people.hashed(token)}
        assert people.of_link(store, made.get(wrong, wrong)) is None


def test_a_link_or_a_password_is_a_way_in(study: Study) -> None:
    with open_store(study) as store:
        people.add(store, person("linked"))
        for name in ("knows", "imported"):
            people.ensure(store, person(name))
        people.set_password(store, "knows", "a hash")
        assert people.invited(store) == {"linked", "knows"}
        assert people.ways_in(store) == {"linked": ("link",), "knows": ("password",)}
        assert people.passwords(store) == {"knows": "a hash"}
        people.shut_out(store, "linked")
        people.shut_out(store, "knows")
        assert people.invited(store) == set()


def test_only_those_who_may_label_count_as_at_work(study: Study) -> None:
    with open_store(study) as store:
        for name, role in (("a", "annotator"), ("b", "annotator"), ("c", "annotator"), ("d", "lead")):
            people.add(store, person(name, role=role))
        people.update(store, person("a", status="paused"))
        people.results_opened(store, "b")
        assert people.at_work(store, "evidence") == 1


def test_when_results_were_first_opened_stays(study: Study) -> None:
    with open_store(study) as store:
        people.add(store, person("p1", role="lead"))
        people.results_opened(store, "p1")
        first = people.find(store, "p1")
        people.results_opened(store, "p1")
        assert first
        assert first.results_opened_at
        assert people.find(store, "p1") == first
