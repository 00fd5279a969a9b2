import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_app.actions.names import alike, folded, look_alikes, looking_like
from data.records import Person


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Ann Lee", "ann lee", id="case"),
        pytest.param("Ann Lee", "Ann  Lee ", id="blanks"),
        pytest.param("AnnLee", "Ann Lee", id="no-blank"),
        pytest.param("O'Neil", "O Neil", id="punctuation"),
        pytest.param("René", "Rene", id="accent"),
        pytest.param("Rene\u0301", "René", id="two-ways-to-write-an-accent"),
        pytest.param("Søren", "Soren", id="stroke"),
        pytest.param("Anna", "Аnnа", id="Cyrillic-a"),
        pytest.param("Rosa", "Rоsа", id="Cyrillic-o"),
        pytest.param("NINA", "ΝΙΝΑ", id="Greek-capitals"),
        pytest.param("Νίκος", "νικοσ", id="Greek-case-and-accent"),
        pytest.param("Ian", "lan", id="capital-i-small-l"),
        pytest.param("Bob", "B0b", id="digit"),
        pytest.param("Arne", "Ame", id="rn-m"),
        pytest.param("Ann", "A\u200bnn", id="invisible"),
        pytest.param("Ann", "Ａｎｎ", id="full-width"),
        pytest.param("山田", "山田", id="the-same"),
        pytest.param("???", "???", id="the-same-without-letters"),
    ],
)
def test_names_that_could_be_taken_for_each_other(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "Anne"),
        ("Ann", "Ben"),
        ("山田", "山本"),
        ("Нина", "Ирина"),
        ("???", "!!!"),
        ("Annotator 2", "Annotator 3"),
    ],
)
def test_names_that_are_plainly_different(one: str, other: str) -> None:
    assert not alike(one, other)


@given(st.text(min_size=1))
def test_every_name_looks_like_itself_in_any_case(name: str) -> None:
    assert alike(name, name)
    assert alike(name, f" {name} ") or not any(c.isalnum() for c in name)


@given(st.text())
def test_folding_twice_is_folding_once(name: str) -> None:
    assert folded(f" {folded(name)} ") == folded(folded(name))


def test_who_looks_like_whom() -> None:
    everyone = [
        Person(person_id=f"p{n}", display_name=name, role="annotator")
        for n, name in enumerate(["Ann", "Ben", "ANN", "Bén"])
    ]
    assert [(one.person_id, other.person_id) for one, other in look_alikes(everyone)] == [("p0", "p2"), ("p1", "p3")]
    assert [person.person_id for person in looking_like("ánn", everyone)] == ["p0", "p2"]
