"""Cells of a table that hold a list or an object as text."""

from ast import literal_eval
from io import StringIO
from itertools import pairwise
from tokenize import NEWLINE, NL, STRING, TokenError, generate_tokens
from typing import Any

from data.rows import JSON, NOT_JSON, Raw


def unpacked(cell: str) -> Raw:
    """What a cell of CSV holds: JSON, or a list of texts as Python writes it (pandas and Ragas do).

    Raises:
        ValueError: Neither; the text says what was found.

    >>> unpacked('["a", "b"]'), unpacked("['a', 'b']"), unpacked('{"a": 1}')
    (['a', 'b'], ['a', 'b'], {'a': '1'})
    """
    try:
        value: Raw = JSON.decode(cell)
    except NOT_JSON:
        value = _python_list(cell)
    return value


def _python_list(cell: str) -> Raw:
    try:
        value = literal_eval(cell)
        kinds = [token.type for token in generate_tokens(StringIO(cell).readline) if token.type not in (NL, NEWLINE)]
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, TokenError):
        value, kinds = None, []
    # Python joins texts that follow each other, and numpy prints no commas: ['a' 'b'] would be one passage "ab".
    if (STRING, STRING) in pairwise(kinds):
        raise ValueError(f"found {cell[:40]!r}, which looks like a numpy array; write lists as JSON")
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError(f"found {cell[:40]!r}; expected a JSON list")
    return value


def opened(value: Any) -> Any:
    """The list or the object that a cell holds as text; anything else as it is."""
    if not (isinstance(value, str) and value.startswith(("[", "{"))):
        return value
    try:
        return unpacked(value)
    except ValueError:
        return value
