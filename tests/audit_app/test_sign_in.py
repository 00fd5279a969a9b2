"""Name and password: who gets in, and how guessing is slowed down."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from threading import Barrier, Thread
from typing import Any, Self

import pytest

from audit_app.actions import passwords, people, sign_in
from audit_app.actions.answers import Refused
from audit_app.actions.people import add_person
from audit_app.actions.sign_in import FREE, TooEarly, person_of, set_password
from data.errors import StudyProblem
from data.store import attempts
from data.store.connection import open_store
from data.study import Study

RIGHT = "correct horse battery"
WRONG = "wrong horse battery"


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashing that costs nothing: what is tested here is who gets in."""
    monkeypatch.setattr(passwords, "COST", {"n": 2, "r": 1, "p": 1})
    monkeypatch.setattr(passwords, "_NOBODY", passwords.hash_of("nobody"))


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that goes on only by `later`: on a slow machine a wait of two seconds would be over by itself."""
    at = datetime.now(UTC)

    class Still(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromisoformat(at.isoformat())

    monkeypatch.setattr(attempts, "datetime", Still)
    monkeypatch.setattr(attempts, "now", lambda: at.isoformat(timespec="microseconds"))


@pytest.fixture
def study(study_from: Any) -> Study:
    made: Study = study_from({})
    add_person(made, "Ann Lee", person_id="ann")
    set_password(made, "ann", RIGHT)
    return made


def knock(study: Study, name: str = "Ann Lee", password: str = RIGHT, address: str = "192.0.2.1") -> str | None:
    return sign_in.enter_by_password(study, name, password, address=address)


def later(study: Study, seconds: float) -> None:
    """As if every try had been this long ago."""
    with open_store(study) as store:
        for row in store.rows("SELECT key, last_at FROM sign_in_attempt"):
            at = datetime.fromisoformat(row["last_at"]) - timedelta(seconds=seconds)
            store.change("UPDATE sign_in_attempt SET last_at = ? WHERE key = ?",
                         [at.astimezone(UTC).isoformat(timespec="microseconds"), row["key"]])  # fmt: skip


@pytest.mark.parametrize("name", ["Ann Lee", " ann  LEE ", "ann"])
def test_name_or_id_and_password_let_in(study: Study, name: str) -> None:
    found = person_of(study, knock(study, name))
    assert found
    assert found.person_id == "ann"


@pytest.mark.parametrize(
    ("name", "password"),
    [("Ann Lee", WRONG), ("Ann Lee", ""), ("Ann", RIGHT), ("", RIGHT), ("nobody", RIGHT), ("ANN", RIGHT),
     ("%", RIGHT), ("Ann Lee", RIGHT + " "), ("Ann Lee", "x" * 100_000)],
)  # fmt: skip
def test_anything_else_does_not(study: Study, name: str, password: str) -> None:
    assert knock(study, name, password) is None


def test_no_password_is_stored(study: Study) -> None:
    with open_store(study) as store:
        store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert RIGHT.encode() not in study.database.read_bytes()


def test_two_who_share_a_name_sign_in_by_id(study: Study) -> None:
    add_person(study, "ann lee", person_id="ann-2")
    assert set_password(study, "ann-2", "another horse battery") == "ann-2"
    assert knock(study) is None
    assert knock(study, "ann")
    assert knock(study, "ann-2", "another horse battery")


def test_an_id_goes_before_a_name_that_reads_like_it(study: Study) -> None:
    add_person(study, "ann", person_id="mallory")
    set_password(study, "mallory", WRONG)
    assert knock(study, "ann", WRONG) is None
    assert knock(study, "ann", RIGHT)


def test_a_new_password_ends_the_old_one_and_its_sessions(study: Study) -> None:
    session = knock(study)
    assert set_password(study, "ann", "another horse battery") == "Ann Lee"
    assert person_of(study, session) is None
    assert knock(study) is None
    assert knock(study, password="another horse battery")


def test_revoking_takes_the_password_away_for_good(study: Study) -> None:
    people.revoke(study, "ann")
    assert knock(study) is None
    with pytest.raises(StudyProblem, match="people link ann"):
        set_password(study, "ann", RIGHT)
    people.new_link(study, "ann")
    assert knock(study) is None


def test_somebody_who_is_paused_is_told_so_only_with_the_right_password(study: Study) -> None:
    people.pause(study, "ann")
    assert knock(study, password=WRONG) is None
    with pytest.raises(Refused, match="paused") as refused:
        knock(study)
    assert refused.value.status == 403


@pytest.mark.parametrize("name", ["Ann Lee", "nobody"])
def test_guessing_under_a_name_gets_slower_and_slower(study: Study, name: str) -> None:
    waits = []
    for n in range(FREE["name"] + 12):
        try:
            assert knock(study, name, WRONG, f"192.0.2.{n}") is None
        except TooEarly as early:
            waits.append(early.seconds)
            later(study, early.seconds)
            assert knock(study, name, WRONG, f"198.51.100.{n}") is None
    assert waits[:4] == [2, 4, 8, 16]
    assert waits[-1] == 900
    with pytest.raises(TooEarly):
        knock(study, name, RIGHT, "203.0.113.1")


def test_guessing_from_an_address_gets_slower_whatever_the_name(study: Study) -> None:
    for n in range(FREE["address"]):
        assert knock(study, f"somebody {n}", WRONG) is None
    with pytest.raises(TooEarly) as early:
        knock(study, "Ann Lee", RIGHT)
    assert early.value.seconds == 2
    assert knock(study, "Ann Lee", RIGHT, "198.51.100.1")


def test_the_right_password_makes_a_name_start_anew_but_not_the_address(study: Study) -> None:
    for _ in range(FREE["address"] // (FREE["name"] - 1)):
        for _ in range(FREE["name"] - 1):
            assert knock(study, password=WRONG) is None
        assert knock(study, address="198.51.100.1")
    with pytest.raises(TooEarly):
        knock(study)


def test_many_who_share_an_address_all_get_in(study: Study) -> None:
    for _ in range(3 * FREE["address"]):
        assert knock(study)


def test_tries_are_forgotten_after_a_day(study: Study) -> None:
    for _ in range(FREE["name"]):
        knock(study, password=WRONG)
    later(study, 90_000)
    assert knock(study)
    with open_store(study) as store:
        assert store.row("SELECT sum(failures) AS n FROM sign_in_attempt") == {"n": 0}


def test_tries_at_the_same_moment_are_no_way_around(study: Study) -> None:
    n, let_through = 3 * FREE["name"], []
    start = Barrier(n)

    def guess() -> None:
        start.wait()
        try:
            knock(study, password=WRONG)
            let_through.append(True)
        except TooEarly:
            pass

    threads = [Thread(target=guess) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(let_through) == FREE["name"]


def test_an_unknown_name_costs_as_much_as_a_wrong_password(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[tuple[int, ...]] = []
    derive: Callable[..., bytes] = passwords._derived

    def counted(password: str, salt: bytes, **cost: int) -> bytes:
        hashed.append(tuple(cost.values()))
        return derive(password, salt, **cost)

    monkeypatch.setattr(passwords, "_derived", counted)
    knock(study, "nobody", WRONG)
    knock(study, "Ann Lee", WRONG)
    assert hashed == [(2, 1, 1), (2, 1, 1)]


def test_one_s_own_sessions_are_listed_and_ended(study: Study) -> None:
    here, there = knock(study), knock(study)
    add_person(study, "Ben", person_id="ben")
    set_password(study, "ben", RIGHT)
    bens = knock(study, "Ben")
    ann, ben = person_of(study, here), person_of(study, bens)
    assert ann
    assert ben
    listed = sign_in.my_sessions(study, ann, here)
    assert sorted(session.here for session in listed) == [False, True]
    other = next(session for session in listed if not session.here)
    assert sign_in.end_session(study, ben, other.number) == 0
    assert sign_in.end_session(study, ann, other.number) == 1
    assert person_of(study, there) is None
    there = knock(study)
    assert sign_in.end_others(study, ann, here) == 1
    assert person_of(study, there) is None
    assert person_of(study, here)
    assert person_of(study, bens)
