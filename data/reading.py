"""Reading files into rows of text, with the place of every row: one file, a folder of them, or a pattern of names.

Nothing is converted: numbers and booleans come back as they are written.
"""

import gzip
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

from data.errors import StudyProblem
from data.eval_archive import eval_archive
from data.json_rows import json_lines, json_objects
from data.rows import Reader, Row, Rows, Source, files_of, suffix_of
from data.table_rows import parquet, separated

__all__ = ["EVERY", "READERS", "Progress", "Row", "read"]

Progress = Callable[[float], None]
"""Is told now and then which share of the work is done."""

EVERY = 1000
"""Rows between two reports of progress."""

READERS: dict[str, Reader] = {
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".json": json_objects,
    ".csv": separated,
    ".tsv": separated,
    ".parquet": parquet,
    ".eval": eval_archive,
}
"""How to read a file, by the ending of its name."""


def read(path: Path, progress: Progress | None = None, *, readers: Mapping[str, Reader] = READERS) -> Rows:
    """Every row of the files that a name stands for, or the problem that stands in its place.

    Args:
        path: A file, a folder or a pattern.
        progress: Told after every `EVERY` rows.
        readers: How to read a file, by the ending of its name.

    Raises:
        StudyProblem: A file is missing, of an unknown format, or not what its name says.
    """
    files = files_of(path, readers)
    for number, file in enumerate(files):
        if suffix_of(file) not in readers:
            raise StudyProblem(f"{file}: unknown format {file.suffix!r}; expected one of {', '.join(readers)} (or .gz)")
        if not files[1:]:
            yield from _read_one(file, readers[suffix_of(file)], progress)
        else:
            yield from _read_one(file, readers[suffix_of(file)], _part(progress, number, len(files)))


def _part(progress: Progress | None, number: int, of: int) -> Progress | None:
    return progress and (lambda share: progress((number + share) / of))


def _read_one(path: Path, reader: Reader, progress: Progress | None) -> Rows:
    try:
        with path.open("rb") as packed, _unpacked(path, packed) as binary:
            source, size = Source(path=path, binary=binary, packed=packed), path.stat().st_size or 1
            for number, row in enumerate(reader(source), 1):
                if progress and number % EVERY == 0:
                    progress(packed.tell() / size if source.share is None else source.share)
                yield row
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise StudyProblem(f"{path}: not a whole gzip file ({error}); pack it again") from None
    except OSError as error:
        raise StudyProblem(f"{path}: {error.strerror or error}; check the name and the permissions") from None


def _unpacked(path: Path, packed: IO[bytes]) -> IO[bytes]:
    # A decompressor that the caller may close before the file itself.
    return gzip.open(packed) if path.suffix.lower() == ".gz" else packed  # type: ignore[return-value]  # GzipFile reads
