"""Rows that hold several things, unfolded: a row for each, with its place inside, and each fault told by itself."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from data.errors import Problem
from data.rows import Raw, Row, Rows, kind_of

Values = dict[str, Raw]


class Odd(ValueError):
    """Something that is not as this tool writes it; the text says what was expected."""


Parts = Iterator[tuple[str, Values | Odd]]
"""What a row holds: where inside it ("" for the row itself), and the values, or what is wrong there."""

Unfold = Callable[[Values], Parts]


def unfolded(rows: Rows, unfold: Unfold) -> Rows:
    """The rows that each row holds, all in its place."""
    for row in rows:
        if isinstance(row, Problem):
            yield row
            continue
        for place, found in part("", unfold(row.values)):
            where = f"{row.where} ({place})" if place else row.where
            yield Problem(where=where, message=str(found)) if isinstance(found, Odd) else Row(where=where, values=found)


def part(place: str, found: Iterable[Values | tuple[str, Values | Odd]]) -> Parts:
    """What stands at one place inside a row; a fault there ends it, and not the row."""
    try:
        for one in found:
            inside, values = one if isinstance(one, tuple) else ("", one)
            yield ", ".join(filter(None, (place, inside))), values
    except Odd as odd:
        yield place, odd


def name_of(value: Raw, otherwise: int) -> str:
    """What to call an entry of a list: its id, or its number where it has none."""
    return value if isinstance(value, str) and value else str(otherwise)


def joined(given: Raw) -> Raw:
    """A single choice as its text, several as a JSON list."""
    if isinstance(given, list) and len(given) == 1 and not isinstance(given[0], list | dict):
        return given[0]  # type: ignore[no-any-return]  # an entry of a list as written is a value as written
    return json.dumps(given, ensure_ascii=False) if isinstance(given, list | dict) else given


def an_object(value: Any, name: str) -> Values:
    """The value, if it is an object.

    Raises:
        Odd: It is none.
    """
    if not isinstance(value, dict):
        raise Odd(f"{name} is {kind_of(value)}; expected an object")
    return value


def a_list(value: Any, name: str) -> list[Any]:
    """The value, if it is a list.

    Raises:
        Odd: It is none.
    """
    if not isinstance(value, list):
        raise Odd(f"{name} is {kind_of(value)}; expected a list of objects")
    return value


def objects(value: Any, name: str) -> list[Values]:
    """The value, if it is a list of objects.

    Raises:
        Odd: It is none.
    """
    return [an_object(one, f"{name}.{n}") for n, one in enumerate(a_list(value, name))]
