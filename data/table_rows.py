"""Rows out of tables: CSV, tab-separated values and Parquet."""

import csv
import math
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.errors import Problem, StudyProblem
from data.rows import Raw, Row, Rows, Source, Unreadable

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


def separated(source: Source) -> Rows:
    """The rows of a CSV or TSV file, named by its header; a row that is none is a problem, and reading goes on."""
    path = source.path
    with TextIOWrapper(source.binary, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter="\t" if source.suffix == ".tsv" else ",", strict=True)
        header = _header(str(path), reader)
        while True:
            where = f"{path}:{reader.line_num + 1}"
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield Problem(where=where, message=f"not CSV: {error}; check the quotes")
                continue
            if cells is None:
                return
            if len(cells) == len(header):
                yield Row(where=where, values=dict(zip(header, cells, strict=True)))
            elif cells:
                yield Problem(where=where, message=f"{len(cells)} cells; the header has {len(header)} columns")


def _header(path: str, reader: Iterator[list[str]]) -> list[str]:
    try:
        header = next(reader, None)
    except csv.Error as error:
        raise StudyProblem(f"{path}:1: not CSV: {error}; check the quotes of the header") from None
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
                for values in zip(*map(_column, names, batch.columns), strict=True):
                    number += 1
                    source.share = number / file.metadata.num_rows
                    yield Row(where=f"{source.path}: row {number}", values=dict(zip(names, values, strict=True)))
    except pa.ArrowException as error:
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
