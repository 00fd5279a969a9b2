from base64 import b64encode

import pytest

from audit_app.actions.passwords import check_new, hash_of, matches
from data.errors import StudyProblem

# RFC 7914, section 12, the vector of N = 16384, r = 8, p = 1; the first 32 of its 64 bytes (the last step of scrypt is
# PBKDF2, whose output of a shorter length is the beginning of a longer one).
PUBLISHED = "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"


def test_a_hash_of_the_standard_is_matched() -> None:
    salt, expected = (b64encode(part).decode() for part in (b"SodiumChloride", bytes.fromhex(PUBLISHED)))
    stored = f"scrypt$16384$8$1${salt}${expected}"
    assert matches("pleaseletmein", stored)
    assert not matches("pleaseletmeout", stored)


def test_a_password_matches_its_own_hash_only_and_no_two_hashes_are_alike() -> None:
    one, other = hash_of("correct horse battery"), hash_of("correct horse battery")
    assert one != other
    assert "correct" not in one
    assert matches("correct horse battery", one)
    assert matches("correct horse battery", other)
    assert not matches("correct horse batterY", one)
    assert not matches("", one)


def test_it_does_not_matter_how_an_accent_was_typed() -> None:
    assert matches("Caf\u00e9 cre\u0300me", hash_of("Cafe\u0301 cr\u00e8me"))


def test_nobody_has_no_password() -> None:
    assert not matches("", None)
    assert not matches("anything", None)


@pytest.mark.parametrize(
    ("password", "message"),
    [("short", "has 5 characters; expected 10 to 256"), ("x" * 257, "257 characters"), ("aaaaaaaaaaaa", "too easy"),
     ("ANN  leeson-1", "too easy")],
)  # fmt: skip
def test_a_weak_password_is_refused(password: str, message: str) -> None:
    with pytest.raises(StudyProblem, match=message):
        check_new(password, "p1", "Ann Leeson-1")


def test_a_good_one_is_taken() -> None:
    check_new("correct horse battery", "p1", "Ann")
