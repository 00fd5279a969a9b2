"""Rows out of JSON: one object on each line, or one list of objects in the file."""

import json
import re
from typing import Any

from data.errors import Problem, StudyProblem
from data.rows import JSON, NOT_JSON, GivenTwice, Row, Rows, Source, kind_of, undecoded

SPACE = re.compile(r"[ \t\n\r]*")

_REST = (
    "what follows in a JSON document cannot be read then, so nothing is imported; mend it, or name it .jsonl with one \
object a line"
)


def json_lines(source: Source) -> Rows:
    """One object on each line; a line that is none is a problem, and reading goes on."""
    decode, path = JSON.decode, str(source.path)
    for number, raw in enumerate(source.binary, 1):
        where, line = f"{path}:{number}", ""
        try:
            line = raw.decode("utf-8" if number > 1 else "utf-8-sig")
            value = decode(line)
        except UnicodeDecodeError as error:
            yield undecoded(where, error)
            continue
        except NOT_JSON as error:
            if line.strip():
                yield Problem(where=where, message=_no_json(error, line, "one object on the line"))
            continue
        if isinstance(value, dict):
            yield Row(where=where, values=value)
        else:
            message = f"found {_what(value)}; expected one object on each line"
            yield Problem(where=where, message=message)


def _no_json(error: Exception, line: str, expected: str) -> str:
    if isinstance(error, GivenTwice):
        return f"{error}; give it once"
    reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
    column = error.colno if isinstance(error, json.JSONDecodeError) else 1
    cut = "" if line.endswith("\n") else " (the last line has no end: is the file half-written?)"
    return f"column {column}: not JSON: {reason}{cut}; expected {expected}"


def _what(value: Any) -> str:
    # A number comes as its text, but whoever looks at the line sees a number.
    return "a single value" if isinstance(value, str) else kind_of(value)


def json_objects(source: Source) -> Rows:
    """The objects of a list, with the line on which each begins; a file that is one object is one row."""
    text = _document(source)
    path, start = str(source.path), _space(text, 0)
    if not text.startswith("[", start):
        yield _object(path, text, start)
        return
    place, counted, line = _space(text, start + 1), 0, 1
    while not text.startswith("]", place):
        line, counted = line + text.count("\n", counted, place), place
        try:
            value, place = JSON.raw_decode(text, place)
        except NOT_JSON as error:
            yield _broken(path, text, line, error)
            return
        source.share = place / len(text)
        if isinstance(value, dict):
            yield Row(where=f"{path}:{line}", values=value)
        else:
            yield Problem(where=f"{path}:{line}", message=f"found {_what(value)}; expected a list of objects")
        place = _space(text, place)
        if text.startswith(",", place):
            place = _space(text, place + 1)
        elif not text.startswith("]", place):
            where = f"{path}:{text.count(chr(10), 0, place) + 1}"
            message = f"not JSON: the list has no end here (is the file half-written?); {_REST}"
            yield Problem(where=where, message=message, stops=True)
            return
    if _space(text, place + 1) < len(text):
        yield Problem(
            where=path, message="there is more after the end of the list; for one object a line name it .jsonl"
        )


def _document(source: Source) -> str:
    try:
        return source.binary.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        begin = error.object.rfind(b"\n", 0, error.start) + 1
        column = len(error.object[begin : error.start].decode("utf-8")) + 1
        raise StudyProblem(
            f"{source.path}:{line}: column {column}: not UTF-8 ({error.reason}); a JSON document is read whole or not "
            "at all: save it as UTF-8, or write one object a line (.jsonl), of which --skip-bad can leave out some"
        ) from None


def _object(path: str, text: str, start: int) -> Row | Problem:
    if start == len(text):
        raise StudyProblem(f"{path}: the file is empty; expected a list of objects")
    try:
        value, end = JSON.raw_decode(text, start)
    except NOT_JSON as error:
        return _broken(path, text, 1, error)
    if _space(text, end) < len(text):
        return Problem(where=f"{path}:1", message="more than one value; expected a list of objects, or name it .jsonl")
    if isinstance(value, dict):
        return Row(where=f"{path}:1", values=value)
    return Problem(where=f"{path}:1", message=f"found {_what(value)}; expected a list of objects")


def _broken(path: str, text: str, line: int, error: Exception) -> Problem:
    if isinstance(error, json.JSONDecodeError):
        line = error.lineno
    message = f"{_no_json(error, text + chr(10), 'a list of objects')}; {_REST}"
    return Problem(where=f"{path}:{line}", message=message, stops=True)


def _space(text: str, place: int) -> int:
    found = SPACE.match(text, place)
    return found.end() if found else place
