"""The folder of everything imported: one Parquet part per import, every text byte for byte."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq

from data.errors import StudyProblem
from data.parsing import RECORDS
from data.records import Passage
from data.study import Study, drafting


def _type_of(annotation: Any) -> pa.DataType:
    inner = [a for a in get_args(annotation) if a not in (type(None), ...)]
    if isinstance(annotation, UnionType):
        return _type_of(inner[0])
    if get_origin(annotation) is tuple:
        return pa.list_(_type_of(inner[0]))
    if annotation is Passage:
        return pa.struct([(spec.name, _type_of(spec.type)) for spec in fields(Passage)])
    return pa.int64() if annotation is int else pa.string()


def schema(kind: str) -> pa.Schema:
    """The columns of one kind of record, in the order of its fields."""
    return pa.schema([(spec.name, _type_of(spec.type)) for spec in fields(RECORDS[kind])])


def parts(study: Study, kind: str) -> list[Path]:
    """The files that hold one kind, in the order in which they came."""
    return sorted(study.texts.glob(f"{kind}-*.parquet"))


def next_part(study: Study, kind: str) -> Path:
    """Where the next import of this kind goes."""
    return study.texts / f"{kind}-{len(parts(study, kind)) + 1:05d}.parquet"


def add_part(study: Study, kind: str, records: Sequence[Any], target: Path | None = None) -> Path:
    """Writes the records of one import as a new part, whole or not at all.

    Args:
        study: The study.
        kind: What the records are.
        records: Records of that kind.
        target: The `next_part` when the records were checked; taken now by default.

    Raises:
        StudyProblem: Another import of this kind came in since the target was chosen.
    """
    target = target or next_part(study, kind)
    table = pa.Table.from_pylist([asdict(record) for record in records], schema=schema(kind))
    if target.exists():
        raise StudyProblem(f"other {kind} were imported at the same time; nothing was imported. Import the file again")
    write_whole(table, target)
    return target


def put_part(study: Study, kind: str, name: str, records: Sequence[Any]) -> Path:
    """Writes a part that is made here and not imported, in the place of what it was before; whole or not at all."""
    target = study.texts / f"{kind}-{name}.parquet"
    write_whole(pa.Table.from_pylist([asdict(record) for record in records], schema=schema(kind)), target)
    return target


def write_whole(table: pa.Table, target: Path) -> None:
    """Writes a Parquet file beside its place, then moves it there."""
    with drafting(target) as draft, draft.open("wb") as file:
        pq.write_table(table, file, compression="zstd")
        file.flush()
        os.fsync(file.fileno())


def read_columns(study: Study, kind: str, columns: list[str]) -> pa.Table:
    """Some columns of one kind, over all parts."""
    files = parts(study, kind)
    if not files:
        return schema(kind).empty_table().select(columns)
    return pa.concat_tables(pq.read_table(part, columns=columns) for part in files)


def pick(study: Study, kind: str, key: str, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows whose `key` is among `ids`, as plain values, over all parts."""
    wanted = pa.array(list(ids), pa.string())
    for part in parts(study, kind):
        table = pq.read_table(part)
        yield from table.filter(pa.compute.is_in(table[key], wanted)).to_pylist()
