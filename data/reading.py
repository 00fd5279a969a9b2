"""Reading a file into rows of text: JSON lines, CSV or Parquet, with the line of every row.

Nothing is converted: numbers and booleans come back as they are written.
"""

import csv
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.errors import Problem, StudyProblem

Raw = str | bool | list[Any] | dict[str, Any] | None
"""A value as written: text, true/false, a list, an object, or nothing."""

FORMATS = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a file, and where it stands."""

    where: str
    values: dict[str, Raw]


def read(path: Path) -> Iterator[Row | Problem]:
    """Every row of a file, or the problem that stands in its place.

    Raises:
        StudyProblem: The file is missing, of an unknown format, not UTF-8, or not what its name says.
    """
    if path.suffix.lower() not in FORMATS:
        raise StudyProblem(f"{path}: unknown format {path.suffix!r}; expected one of {', '.join(FORMATS)}")
    try:
        if path.suffix.lower() == ".parquet":
            yield from _parquet(path)
        elif path.suffix.lower() in (".csv", ".tsv"):
            yield from _csv(path)
        else:
            yield from _json_lines(path)
    except UnicodeDecodeError as error:
        raise StudyProblem(
            f"{path}:{_line_of(path, error)}: not UTF-8 ({error.reason}); save the file as UTF-8 and import it again"
        ) from None
    except OSError as error:
        raise StudyProblem(f"{path}: {error.strerror or error}; check the name and the permissions") from None


def _line_of(path: Path, error: UnicodeDecodeError) -> int:
    """The line of the first byte that is not UTF-8: the decoder only knows its place in a buffer."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return error.start


def _json_lines(path: Path) -> Iterator[Row | Problem]:
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            where = f"{path}:{number}"
            try:
                # Numbers stay as written: 007, 1e5 and 1.0 are texts here.
                value = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
            except (json.JSONDecodeError, RecursionError) as error:
                reason = getattr(error, "msg", "nested too deeply")
                column = getattr(error, "colno", 1)
                cut = "" if line.endswith("\n") else " (the last line has no end: is the file half-written?)"
                yield Problem(
                    where=where, message=f"column {column}: not JSON: {reason}{cut}; expected one object on the line"
                )
                continue
            if isinstance(value, dict):
                yield Row(where=where, values=value)
            else:
                yield Problem(where=where, message=f"found {_kind(value)}; expected one object on each line")


def _csv(path: Path) -> Iterator[Row | Problem]:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            header = next(reader, None)
            if header is None:
                raise StudyProblem(f"{path}: the file is empty; expected a header that names the columns, then rows")
            repeated = sorted({name for name in header if header.count(name) > 1})
            if repeated or not header:
                raise StudyProblem(
                    f"{path}:1: no header, or columns given twice: {', '.join(repeated)}; name each once"
                )
            start = reader.line_num + 1
            for cells in reader:
                where, start = f"{path}:{start}", reader.line_num + 1
                if len(cells) == len(header):
                    yield Row(where=where, values=dict(zip(header, cells, strict=True)))
                elif cells:
                    yield Problem(where=where, message=f"{len(cells)} cells; the header has {len(header)} columns")
        except csv.Error as error:
            yield Problem(where=f"{path}:{reader.line_num}", message=f"not CSV: {error}; check the quotes")


def _parquet(path: Path) -> Iterator[Row | Problem]:
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=4096):
                for values in batch.to_pylist():
                    number += 1
                    yield _parquet_row(f"{path}: row {number}", values)
    except pa.ArrowException as error:
        raise StudyProblem(f"{path}: not a whole Parquet file ({error}); write it again") from None


def _parquet_row(where: str, values: dict[str, Any]) -> Row | Problem:
    try:
        return Row(where=where, values={name: _as_written(value) for name, value in values.items()})
    except UnicodeDecodeError as error:
        return Problem(where=where, message=f"bytes that are not UTF-8 ({error.reason}); write text columns as text")


def _as_written(value: Any) -> Raw:
    """A Parquet value as the text a person would write."""
    if isinstance(value, list):
        return [_as_written(entry) for entry in value]
    if isinstance(value, dict):
        return {str(name): _as_written(entry) for name, entry in value.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, float) and math.isnan(value):
        return None
    return value if value is None or isinstance(value, str | bool) else str(value)


def _kind(value: object) -> str:
    names = {list: "a list", dict: "an object", bool: "true or false", str: "a single value", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def kind_of(value: Raw) -> str:
    """What a raw value is, in the words of a message."""
    return "text" if isinstance(value, str) else _kind(value)
