"""The words that the screens know, from lexicon.toml: numbers, units, endings, little words."""

import tomllib
from importlib.resources import files
from typing import Any

LEXICON: dict[str, Any] = tomllib.loads(files("data.leaks").joinpath("lexicon.toml").read_text(encoding="utf-8"))


def listed(*path: str) -> tuple[str, ...]:
    """The words at a place of the file.

    >>> listed("numbers", "tens")[:3]
    ('twenty', 'thirty', 'forty')
    """
    found: Any = LEXICON
    for key in path:
        found = found[key]
    return tuple(found.split())
