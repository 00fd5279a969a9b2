"""Names that people could take for each other. A name is for display; who is who is decided by ids."""

import unicodedata
from collections.abc import Sequence

from audit_app.language import _
from data.records import Person

# Cyrillic and Greek letters that are drawn like a Latin one. Not all of Unicode's confusables: enough for a warning.
_DRAWN_ALIKE = {
    "A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "J": "Ј", "K": "КΚ", "M": "МΜ", "N": "Ν",
    "O": "ОΟ", "P": "РΡ", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ", "Y": "УΥ", "Z": "Ζ",
    "a": "аα", "b": "вβ", "c": "с", "d": "ԁ", "e": "еε", "h": "нһ", "i": "іιı", "j": "ј", "k": "кκ", "l": "ł", "m": "м",
    "n": "η", "o": "оοø", "p": "рρ", "q": "ԛ", "r": "г", "s": "ѕ", "t": "тτ", "u": "υ", "v": "ν", "w": "ԝ", "x": "хχ",
    "y": "уγ",
}  # fmt: skip
_LATIN = str.maketrans({other: latin for latin, others in _DRAWN_ALIKE.items() for other in others})
_SMALL = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})


def folded(name: str) -> str:
    """A name as it is compared where somebody types it: without regard to case and blanks.

    >>> folded(" Ann  LEE ") == folded("ann lee")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _shape(name: str) -> str:
    """What is left to the eye: no accents, blanks, punctuation or invisible characters, no difference of alphabet."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)).translate(_LATIN)
    drawn = bare.casefold().translate(_SMALL).replace("rn", "m")
    return "".join(c for c in drawn if c.isalnum())


def _shapes(name: str) -> set[str]:
    # Twice: a letter's capital may look like a letter that its small form does not (Greek Ν and ν).
    return {_shape(name), _shape(name.casefold())} - {""}


def alike(one: str, other: str) -> bool:
    """Whether two names could be taken for each other.

    >>> alike("Ann Lee", "ann-lée"), alike("Anna", "Аnnа"), alike("Ann", "Anne")
    (True, True, False)
    """
    return one == other or bool(_shapes(one) & _shapes(other))


def looking_like(name: str, everyone: Sequence[Person]) -> tuple[Person, ...]:
    """The people whose names could be taken for this one."""
    return tuple(person for person in everyone if alike(name, person.display_name))


def look_alikes(everyone: Sequence[Person]) -> list[tuple[Person, Person]]:
    """All two people whose names could be taken for each other."""
    return [
        (one, other)
        for n, one in enumerate(everyone)
        for other in looking_like(one.display_name, everyone[n + 1 :])
    ]  # fmt: skip


def warning(one: str, other: Person) -> str:
    """What is said about a name that looks like somebody's."""
    return _(
        "“{one}” can be taken for “{display_name}” ({person_id}). The app keeps them apart by "
        "id; people do not, so give one of them another name"
    ).format(one=one, display_name=other.display_name, person_id=other.person_id)
