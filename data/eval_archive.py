"""Rows out of an Inspect `.eval` log: a zip archive with a header and one JSON file per sample."""

import json
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from data.errors import Problem, StudyProblem
from data.rows import JSON, Raw, Row, Rows, Source

HEADERS = ("header.json", "_journal/start.json")
"""Where the log says what was evaluated: once it is finished, and from its start."""

DAMAGE = (BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, zlib.error, json.JSONDecodeError,
          RecursionError, UnicodeDecodeError, ValueError)  # fmt: skip
"""What a broken or packed otherwise archive can raise."""


def eval_archive(source: Source) -> Rows:
    """A row per sample, in the shape of a JSON log with that sample alone.

    Raises:
        StudyProblem: It is no such archive, or its header cannot be read.
    """
    try:
        archive = ZipFile(BytesIO(source.binary.read()) if source.binary is not source.packed else source.packed)
        names = archive.namelist()
        header = next((name for name in HEADERS if name in names), None)
        about = _json(archive, header) if header else {}
    except DAMAGE as error:
        raise StudyProblem(f"{source.path}: not a whole Inspect log ({_said(error)}); write it again") from None
    if not isinstance(about, dict) or not isinstance(about.get("eval"), dict):
        raise StudyProblem(f"{source.path}: not an Inspect log: no header.json with an object `eval` in it")
    with archive:
        # Without samples it reads as a log of none, which is told as such.
        if not any(name.startswith("samples/") for name in names):
            yield Row(where=str(source.path), values={"eval": about["eval"], "samples": []})
        for number, name in enumerate(sorted(names)):
            source.share = number / len(names)
            if name.startswith("samples/") and name.endswith(".json"):
                yield from _sample(archive, f"{source.path}/{name}", name, about["eval"])


def _sample(archive: ZipFile, where: str, name: str, about: Raw) -> Iterator[Row | Problem]:
    if name.count("/") > 1:
        if name.endswith("/sample.json"):
            message = "a sample in pieces (log version 3); write the log as JSON with `inspect log convert`"
            yield Problem(where=where, message=message)
        return
    try:
        sample = _json(archive, name)
    except DAMAGE as error:
        yield Problem(where=where, message=f"not a whole sample ({_said(error)}); write the log again")
        return
    yield Row(where=where, values={"eval": about, "samples": [sample]})


def _json(archive: ZipFile, name: str) -> Any:
    return JSON.decode(archive.read(name).decode("utf-8"))


def _said(error: Exception) -> str:
    if isinstance(error, NotImplementedError):
        return "packed in a way that this Python cannot unpack: write it as JSON with `inspect log convert --to json`"
    return " ".join(str(error).split())[:200] or type(error).__name__
