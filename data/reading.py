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
        if path.exists() and not path.is_file():
            # A pipe is read once, if ever; opening one waits for whoever writes into it.
            raise StudyProblem(f"{path}: is no file (but a folder, a pipe or a device); give a file")
        with path.open("rb") as packed, _unpacked(path, packed) as binary:
            _check_kind(path, binary)
            source, size = Source(path=path, binary=binary, packed=packed), path.stat().st_size or 1
            for number, row in enumerate(reader(source), 1):
                if progress and number % EVERY == 0:
                    progress(packed.tell() / size if source.share is None else source.share)
                yield row
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise StudyProblem(f"{path}: not a whole gzip file ({error}); pack it again") from None
    except OSError as error:
        raise StudyProblem(f"{path}: {error.strerror or error}; check the name and the permissions") from None


TEXTS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")

KINDS = {
    b"\x1f\x8b": "gzip; let its name end in .gz, or unpack it (once more)",
    b"PAR1\x15": "Parquet; let its name end in .parquet",
    b"PK\x03\x04": "zip; unpack it (a spreadsheet: save it as CSV in UTF-8)",
}
"""How a file begins that is no text, and what it is then."""


def _check_kind(path: Path, binary: IO[bytes]) -> None:
    """Refuses a file whose name says that it is text, and which is not."""
    start = binary.peek(8) if suffix_of(path) in TEXTS else b""  # type: ignore[attr-defined]  # both readers have it
    for mark, kind in KINDS.items():
        if start.startswith(mark):
            raise StudyProblem(f"{path}: not {suffix_of(path)[1:].upper()} but {kind}")


def _unpacked(path: Path, packed: IO[bytes]) -> IO[bytes]:
    # A decompressor that the caller may close before the file itself.
    return gzip.open(packed) if path.suffix.lower() == ".gz" else packed  # type: ignore[return-value]  # GzipFile reads
