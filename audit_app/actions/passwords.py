"""Passwords, kept as salted scrypt hashes."""

import hmac
import secrets
import unicodedata
from base64 import b64decode, b64encode
from hashlib import scrypt

from audit_app.actions.names import folded
from audit_app.language import _
from data.errors import StudyProblem

SHORTEST = 10
LONGEST = 256

COST = {"n": 2**14, "r": 8, "p": 5}
"""One of the settings that OWASP's Password Storage Cheat Sheet gives for scrypt: 16 MiB, a fifth of a second here."""


def check_new(password: str, *names: str) -> None:
    """Refuses a password that is too short, too long or somebody's name.

    Raises:
        StudyProblem: Saying what was expected.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise StudyProblem(
            _("the password has {n_password} characters; expected {shortest} to {longest}").format(
                n_password=len(password), shortest=SHORTEST, longest=LONGEST
            )
        )
    if folded(password) in {folded(name) for name in names} or len(set(password)) < 3:
        raise StudyProblem(_("the password is too easy to guess; a few random words make a good one"))


def hash_of(password: str) -> str:
    """What is stored of a password: the way it was hashed, the salt and the hash.

    >>> matches("correct horse", hash_of("correct horse")), matches("wrong horse", hash_of("correct horse"))
    (True, False)
    """
    salt = secrets.token_bytes(16)
    parts = [b64encode(part).decode() for part in (salt, _derived(password, salt, **COST))]
    return "$".join(["scrypt", *map(str, COST.values()), *parts])


def matches(password: str, stored: str | None) -> bool:
    """Whether a password is the stored one; takes as long where nothing is stored."""
    _, n, r, p, salt, expected = (stored or _NOBODY).split("$")
    derived = _derived(password, b64decode(salt), n=int(n), r=int(r), p=int(p))
    return hmac.compare_digest(derived, b64decode(expected)) and stored is not None


def _derived(password: str, salt: bytes, *, n: int, r: int, p: int) -> bytes:
    # Normalised: the same letters are typed as different code points on different keyboards.
    typed = unicodedata.normalize("NFKC", password).encode("utf-8", "replace")
    return scrypt(typed, salt=salt, n=n, r=r, p=p, maxmem=2**26, dklen=32)


_NOBODY = "$".join(["scrypt", *map(str, COST.values()), b64encode(bytes(16)).decode(), b64encode(bytes(32)).decode()])
