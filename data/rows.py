"""Rows of text with their places, and the files that a name stands for."""

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import IO, Any

from data.errors import Problem, StudyProblem


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A value that could not be read; a problem only where somebody asks for it."""

    why: str
    """What it is, in the words of a message."""


Raw = str | bool | list[Any] | dict[str, Any] | Unreadable | None
"""A value as written: text, true/false, a list, an object, or nothing."""


class GivenTwice(ValueError):
    """A field that stands twice in one JSON object: which of the two is meant cannot be told."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise GivenTwice(f"field {twice!r} stands twice in one object")
    return found


JSON = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_object)
"""Numbers stay as written: 1e5 and 1.0 are texts here; a field given twice is an error."""

NOT_JSON = (json.JSONDecodeError, GivenTwice, RecursionError)
"""What decoding can raise."""


@dataclass(slots=True, kw_only=True)
class Row:
    """One row of a file, and where it stands. Not frozen: a million of these are made, and nobody keeps them."""

    where: str
    values: dict[str, Raw]


Rows = Iterator[Row | Problem]


@dataclass(slots=True, kw_only=True)
class Source:
    """A file that is being read."""

    path: Path
    binary: IO[bytes]
    """Its content, unpacked."""
    packed: IO[bytes]
    """The file itself, which knows how far it is read."""
    share: float | None = None
    """How much of it has become rows, where the place in the file does not tell."""

    @property
    def suffix(self) -> str:
        """What kind of file it is by its name, packed or not."""
        return suffix_of(self.path)


Reader = Callable[[Source], Rows]
"""How one kind of file becomes rows."""


def suffix_of(path: Path) -> str:
    """The ending that tells the kind of a file: `a.jsonl.gz` is JSON lines.

    >>> suffix_of(Path("a.JSONL.gz")), suffix_of(Path("a.gz"))
    ('.jsonl', '')
    """
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return name.suffix.lower()


def files_of(path: Path, endings: Collection[str]) -> list[Path]:
    """The files that a name stands for: itself, every readable file of a folder, or what a pattern matches; by name.

    Raises:
        StudyProblem: The folder or the pattern has no file that can be read.
    """
    if path.is_dir():
        found = [file for file in path.iterdir() if suffix_of(file) in endings and not file.name.startswith(".")]
    elif not path.exists() and any(mark in str(path) for mark in "*?["):
        found = [Path(name) for name in glob(str(path), recursive=True) if Path(name).is_file()]
    else:
        return [path]
    if not found:
        below = len(files_below(path, endings))
        inside = f"; {below} are in folders inside it, which '{path}/**/*.jsonl' would read" if below else ""
        message = f"no file to read there; expected files that end in {', '.join(endings)} (or .gz){inside}"
        raise StudyProblem(f"{path}: {message}")
    return sorted(found)


def files_below(path: Path, endings: Collection[str]) -> list[Path]:
    """The readable files in folders inside a folder, which do not belong to it; hidden ones do not count."""
    if not path.is_dir():
        return []
    inside = (file.relative_to(path) for file in path.rglob("*") if suffix_of(file) in endings and file.is_file())
    return [
        path / file for file in inside if len(file.parts) > 1 and not any(one.startswith(".") for one in file.parts)
    ]


def undecoded(where: str, error: UnicodeDecodeError) -> Problem:
    """A line with a byte that is not UTF-8: a problem of this line alone.

    Raises:
        StudyProblem: The line begins as UTF-16 does, so that no other will be UTF-8 either.
    """
    if error.object.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise StudyProblem(f"{where}: not UTF-8 but UTF-16; save the file as UTF-8 and import it again")
    column = len(error.object[: error.start].decode("utf-8")) + 1
    message = f"column {column}: not UTF-8 ({error.reason}); save the file as UTF-8 and import it again"
    return Problem(where=where, message=message)


def kind_of(value: Raw) -> str:
    """What a raw value is, in the words of a message."""
    if isinstance(value, Unreadable):
        return value.why
    names = {list: "a list", dict: "an object", bool: "true or false", str: "text", type(None): "null"}
    return names.get(type(value), type(value).__name__)
