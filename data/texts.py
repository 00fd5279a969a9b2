"""The folder of everything imported: one Parquet part per import, every text byte for byte."""

import filecmp
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq

from data.errors import StudyProblem
from data.parsing import RECORDS
from data.study import Study, drafting


def _type_of(annotation: Any) -> pa.DataType:
    inner = [a for a in get_args(annotation) if a not in (type(None), ...)]
    if isinstance(annotation, UnionType):
        return _type_of(inner[0])
    if get_origin(annotation) is tuple:
        return pa.list_(_type_of(inner[0]))
    if is_dataclass(annotation):
        return pa.struct([(spec.name, _type_of(spec.type)) for spec in fields(annotation)])
    return {int: pa.int64(), float: pa.float64()}.get(annotation, pa.string())


def schema(kind: str) -> pa.Schema:
    """The columns of one kind of record, in the order of its fields."""
    return pa.schema([(spec.name, _type_of(spec.type)) for spec in fields(RECORDS[kind])])


def parts(study: Study, kind: str) -> list[Path]:
    """The files that hold one kind, in the order in which they came."""
    return sorted(study.texts.glob(f"{kind}-*.parquet"))


def is_made_here(part: Path) -> bool:
    """Whether `put_part` wrote it, and no import."""
    return not part.stem.rpartition("-")[2].isdigit()


def next_part(study: Study, kind: str) -> Path:
    """Where the next import of this kind goes."""
    last = max((int(part.stem.rpartition("-")[2]) for part in parts(study, kind) if not is_made_here(part)), default=0)
    return study.texts / f"{kind}-{last + 1:05d}.parquet"


def table_of(kind: str, records: Sequence[Any]) -> pa.Table:
    """The records of one kind as columns."""
    columns = schema(kind)
    return pa.Table.from_arrays(
        [_array(list(map(attrgetter(spec.name), records)), spec.type) for spec in columns], schema=columns
    )


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    return pa.array(map(_plain, values) if pa.types.is_nested(kind) else values, kind)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def add_part(study: Study, kind: str, batches: Iterable[Sequence[Any]], target: Path | None = None) -> Path:
    """Writes the records of one import as a new part, whole or not at all; one batch at a time is in memory.

    Args:
        study: The study.
        kind: What the records are.
        batches: Records of that kind, some at a time; whatever this raises is passed on, and nothing is written.
        target: The `next_part` when the records were checked; taken now by default.

    Raises:
        StudyProblem: Another import of this kind came in since the target was chosen.
    """
    target = target or next_part(study, kind)
    with drafting(target) as draft:
        _write(draft, kind, batches)
        if target.exists():
            raise StudyProblem(
                f"other {kind} were imported at the same time; nothing was imported. Import the file again"
            )
    return target


def put_part(study: Study, kind: str, name: str, batches: Iterable[Sequence[Any]]) -> Path:
    """Writes a part that was made here and not imported, in the place of what it was before; whole or not at all.

    Its name is no number, so that it never stands in the way of an import. Where it says what it said before it looks
    untouched, and nothing that was made of it has to be made again.
    """
    target = study.texts / f"{kind}-{name}.parquet"
    with drafting(target) as draft:
        _write(draft, kind, batches)
        if target.exists() and filecmp.cmp(draft, target, shallow=False):
            shutil.copystat(target, draft)
    return target


def _write(draft: Path, kind: str, batches: Iterable[Sequence[Any]]) -> None:
    with draft.open("wb") as file:
        with pq.ParquetWriter(file, schema(kind), compression="zstd") as writer:
            for records in batches:
                writer.write_table(table_of(kind, records))
        file.flush()
        os.fsync(file.fileno())


def read_columns(study: Study, kind: str, columns: list[str]) -> pa.Table:
    """Some columns of one kind, over all parts."""
    files = parts(study, kind)
    if not files:
        return schema(kind).empty_table().select(columns)
    return pa.concat_tables(pq.read_table(part, columns=columns) for part in files)


def everything(study: Study, kind: str) -> Iterator[dict[str, Any]]:
    """Every record of one kind as plain values, a batch of them in memory at a time."""
    for part in parts(study, kind):
        with pq.ParquetFile(part) as file:
            for batch in file.iter_batches(batch_size=1024):
                yield from batch.to_pylist()


def pick(study: Study, kind: str, key: str, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows whose `key` is among `ids`, as plain values, over all parts."""
    wanted = pa.array(list(ids), pa.string())
    for part in parts(study, kind):
        table = pq.read_table(part)
        yield from table.filter(pa.compute.is_in(table[key], wanted)).to_pylist()
