"""Rows out of tables: CSV, tab-separated values and Parquet."""

import csv
import math
import sys
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.errors import Problem, StudyProblem
from data.rows import Raw, Row, Rows, Source, Unreadable, undecoded

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


def separated(source: Source) -> Rows:
    """The rows of a CSV or TSV file, named by its header; a row that is none is a problem, and reading goes on."""
    path, wrong = source.path, list[Problem]()
    with TextIOWrapper(source.binary, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        lines = _decoded(file, str(path), wrong)
        reader = csv.reader(lines, delimiter="\t" if source.suffix == ".tsv" else ",", strict=True)
        header = _header(str(path), reader, wrong)
        _check_separator(str(path), header, source.suffix)
        while True:
            where = f"{path}:{reader.line_num + 1}"
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield _not_csv(where, error, reader.line_num)
                cells = []
            if wrong:
                yield from wrong
                wrong.clear()
            elif cells is None:
                return
            elif len(cells) == len(header):
                yield Row(where=where, values=dict(zip(header, cells, strict=True)))
            elif cells:
                yield Problem(where=where, message=f"{len(cells)} cells; the header has {len(header)} columns")


def _decoded(file: Iterable[str], path: str, wrong: list[Problem]) -> Iterator[str]:
    """The lines as they are; those that hold a byte that is not UTF-8 are added to `wrong`."""
    for number, line in enumerate(file, 1):
        try:
            _ = line.isascii() or line.encode("utf-8", "surrogateescape").decode("utf-8")
        except UnicodeDecodeError as error:
            wrong.append(undecoded(f"{path}:{number}", error))
        yield line


def _not_csv(where: str, error: csv.Error, line: int) -> Problem:
    """A row with a wrong quote; one that is never closed takes the rest of the file with it."""
    if "unexpected end of data" not in str(error):
        return Problem(where=where, message=f"not CSV: {error}; check the quotes")
    message = (
        f"not CSV: a quote that opens in this row is not closed, so everything up to line {line} is one cell and "
        "nothing of it can be imported; close the quote (is the file half-written?)"
    )
    return Problem(where=where, message=message, stops=True)


def _header(path: str, reader: Iterator[list[str]], wrong: list[Problem]) -> list[str]:
    try:
        header = next(reader, None)
    except csv.Error as error:
        raise StudyProblem(f"{path}:1: not CSV: {error}; check the quotes of the header") from None
    if wrong:
        raise StudyProblem(wrong)
    if header is None:
        raise StudyProblem(f"{path}: the file is empty; expected a header that names the columns, then rows")
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated or not header:
        raise StudyProblem(f"{path}:1: no header, or columns given twice: {', '.join(repeated)}; name each once")
    return header


def _check_separator(path: str, header: list[str], suffix: str) -> None:
    """Refuses a header of one column that another separator makes several of."""
    others = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "bars"}
    found = next((name for mark, name in others.items() if len(header) == 1 and mark in header[0]), None)
    if found:
        expected = (
            "tabs between them (or commas, as .csv)" if suffix == ".tsv" else "commas between them (or tabs, as .tsv)"
        )
        message = (
            f"one column, {header[0][:80]!r}; it seems to have {found} between its columns; save it with {expected}"
        )
        raise StudyProblem(f"{path}:1: {message}")


def parquet(source: Source) -> Rows:
    """The rows of a Parquet file, by number."""
    number = 0
    # Packed once more it cannot be read from the middle; in one piece it can.
    content = source.path if source.binary is source.packed else pa.BufferReader(source.binary.read())
    try:
        with pq.ParquetFile(content) as file:
            names = file.schema_arrow.names
            repeated = sorted({name for name in names if names.count(name) > 1})
            if repeated:
                raise StudyProblem(f"{source.path}: columns given twice: {', '.join(repeated)}; name each once")
            for batch in file.iter_batches(batch_size=1024):
                for values in zip(*map(_column, names, batch.columns), strict=True):
                    number += 1
                    source.share = number / file.metadata.num_rows
                    yield Row(where=f"{source.path}: row {number}", values=dict(zip(names, values, strict=True)))
    except (pa.ArrowException, UnicodeDecodeError) as error:  # the latter of the names of columns
        raise StudyProblem(f"{source.path}: not a whole Parquet file ({error}); write it again") from None


def _column(name: str, column: pa.Array) -> list[Raw]:
    """The values of a column as written. What cannot be read spoils nobody's file who does not ask for this column."""
    try:
        values = list(_plain(column).to_pylist())
    except (ValueError, OverflowError, LookupError, pa.ArrowException):
        # Bytes that are no text are told apart value by value; dates and times of other ages and zones only as text.
        values = [_told(name, value) if value.is_valid else None for value in column]
    return [_as_written(name, value) for value in values]


def _plain(column: pa.Array) -> pa.Array:
    """The column in a type whose Python values hold all that it holds, and no more."""
    if pa.types.is_time64(column.type):
        return column.cast(pa.string())
    if pa.types.is_float16(column.type) or pa.types.is_float32(column.type):
        # By way of its shortest decimals: 0.1 is not 0.10000000149011612.
        return column.cast(pa.float32()).cast(pa.string()).cast(pa.float64())
    return column


def _told(name: str, value: pa.Scalar) -> Any:
    try:
        if pa.types.is_string(value.type) or pa.types.is_large_string(value.type):
            return value.cast(pa.large_binary()).as_py()
        said = str(value.cast(pa.string()).as_py())
    except (ValueError, OverflowError, LookupError, pa.ArrowException) as error:
        said = f"<{error}"
    return Unreadable(f"a {value.type} that cannot be read (column {name!r})") if said.startswith("<") else said


def _as_written(name: str, value: Any) -> Raw:
    """A Parquet value as the text a person would write."""
    if isinstance(value, str | bool | Unreadable) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [_as_written(name, entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): _as_written(name, entry) for key, entry in value.items()}
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return Unreadable(f"bytes that are not UTF-8 (column {name!r}; write text columns as text)")
    if isinstance(value, float):
        return None if math.isnan(value) else _number(value)
    return str(value)


def _number(value: float) -> str:
    """A column of whole numbers with a gap is one of floats to pandas: there 1.0 was written as 1."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else str(value)
