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
from data.rows import Raw, Row, Rows, Source, undecoded

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


def separated(source: Source) -> Rows:
    """The rows of a CSV or TSV file, named by its header; a row that is none is a problem, and reading goes on."""
    path, wrong = source.path, list[Problem]()
    with TextIOWrapper(source.binary, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        lines = _decoded(file, str(path), wrong)
        reader = csv.reader(lines, delimiter="\t" if source.suffix == ".tsv" else ",", strict=True)
        header = _header(str(path), reader, wrong)
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
                for values in zip(*map(_column, batch.columns), strict=True):
                    number += 1
                    source.share = number / file.metadata.num_rows
                    yield _row(f"{source.path}: row {number}", dict(zip(names, values, strict=True)))
    except pa.ArrowException as error:
        raise StudyProblem(f"{source.path}: not a whole Parquet file ({error}); write it again") from None


def _column(column: pa.Array) -> list[Any]:
    """The values of a column; times finer than Python's own as text."""
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        # Bytes that are no text are told apart value by value, nanoseconds only as text.
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            return list(column.cast(pa.large_binary()).to_pylist())
        return [str(value.cast(pa.string())) if value.is_valid else None for value in column]


def _row(where: str, values: dict[str, Any]) -> Row | Problem:
    try:
        return Row(where=where, values={name: _as_written(value) for name, value in values.items()})
    except UnicodeDecodeError as error:
        return Problem(where=where, message=f"bytes that are not UTF-8 ({error.reason}); write text columns as text")


def _as_written(value: Any) -> Raw:
    """A Parquet value as the text a person would write."""
    if isinstance(value, str | bool) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [_as_written(entry) for entry in value]
    if isinstance(value, dict):
        return {str(name): _as_written(entry) for name, entry in value.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return None if isinstance(value, float) and math.isnan(value) else str(value)
