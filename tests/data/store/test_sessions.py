import pytest

from data.records import Person
from data.store import people, sessions
from data.store.connection import Store, now, open_store
from data.study import Study

ALWAYS = "2000-01-01"
LATER = "2999-01-01"
ANN = Person(person_id="p1", display_name="Ann", role="annotator", teams=("evidence",))


def begun(store: Store, device: str | None = None) -> str:
    people.ensure(store, ANN)
    return sessions.start(store, "p1", device)


def test_a_session_is_somebody_until_it_ends(study: Study) -> None:
    with open_store(study) as store:
        first, second = begun(store), begun(store)
        assert first != second
        assert sessions.person_of(store, first, since=ALWAYS) == ANN
        sessions.end(store, first)
        assert sessions.person_of(store, first, since=ALWAYS) is None
        assert sessions.person_of(store, second, since=ALWAYS) == ANN


def test_a_session_that_is_too_old_is_over(study: Study) -> None:
    with open_store(study) as store:
        assert sessions.person_of(store, begun(store), since=LATER) is None
        assert sessions.running(store, since=LATER) == []


@pytest.mark.parametrize("wrong", ["", "%", "hash"])
def test_what_is_no_session_is_nobody(study: Study, wrong: str) -> None:
    with open_store(study) as store:
        secret = begun(store)
        assert sessions.person_of(store, people.hashed(secret) if wrong == "hash" else wrong, since=ALWAYS) is None


def test_sessions_are_listed_and_ended_elsewhere(study: Study) -> None:
    with open_store(study) as store:
        here, there, gone = begun(store, "Firefox on Linux"), begun(store, "Chrome on Android"), begun(store)
        sessions.end(store, gone)
        listed = sessions.running(store, since=ALWAYS)
        assert [row["device"] for row in listed] == ["Chrome on Android", "Firefox on Linux"]
        assert sessions.end_one(store, "somebody else", listed[0]["number"]) == 0
        assert sessions.end_one(store, "p1", listed[0]["number"]) == 1
        assert sessions.person_of(store, there, since=ALWAYS) is None
        third = begun(store)
        assert sessions.end_all(store, "p1", but=here) == 1
        assert sessions.person_of(store, third, since=ALWAYS) is None
        assert sessions.person_of(store, here, since=ALWAYS) == ANN
        assert sessions.end_all(store, "p1") == 1


def test_when_somebody_was_here_is_written_once_a_minute(study: Study) -> None:
    with open_store(study) as store:
        secret = begun(store)
        for seen, moves in (("2020-01-01T00:00:00.000000+00:00", True), (now(), False)):
            store.change("UPDATE session SET seen_at = ?", [seen])
            sessions.person_of(store, secret, since=ALWAYS)
            assert (sessions.last_seen(store)["p1"] != seen) is moves


def test_sessions_of_an_earlier_version_count(study: Study) -> None:
    with open_store(study) as store:
        secret = begun(store)
        store.change("UPDATE session SET seen_at = NULL, device = NULL", [])
        assert sessions.last_seen(store)["p1"]
        assert len(sessions.running(store, since=ALWAYS)) == 1
        assert sessions.person_of(store, secret, since=ALWAYS) == ANN


def test_no_secret_is_stored(study: Study) -> None:
    with open_store(study) as store:
        token, secret = people.add(store, ANN), begun(store)
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = study.database.read_bytes()
    assert token.encode() not in stored
    assert secret.encode() not in stored
