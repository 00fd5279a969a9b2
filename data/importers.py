"""Bringing files in: the whole file is read, every problem is reported, nothing is imported on error.

A batch of records is in memory at a time, and one short entry per id: a million responses need no gigabyte.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Map
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from data.checks import Ids, declared, known_keys, references
from data.errors import Problem, StudyProblem
from data.flat_passages import gathered
from data.mapping import Mapping
from data.parsing import NEEDED, RECORDS
from data.reading import Progress, read
from data.record_parser import Parser
from data.records import Passage
from data.rows import Rows
from data.study import Study, writing
from data.texts import add_part, next_part, parts

BATCH = 10_000
"""Records that are written together."""

Found = Iterator[tuple[str, Any] | Problem]
"""Records with their places, and what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import brought in."""

    kind: str
    n: int
    n_repeated: int = 0
    """Rows that repeated a record word for word, where the mapping says that rows do."""
    n_skips: int = 0
    """Labels without a value but with the reason, which are kept as skips."""
    n_blank: int = 0
    """Labels that say nothing, as they have neither; they finish no work and are not counted in n."""
    n_passed_over: int = 0
    """Labels of items that are not drawn, where these were to be passed over."""
    unread_marks: Map[str, int] = field(default_factory=dict)
    """Texts marked in another tool that are no evidence of a label here, by the tag they were marked with."""
    n_below: int = 0
    """Files in folders inside the folder that was read, which were not read."""
    skipped: tuple[Problem, ...] = ()
    """What was left out because it is wrong, where that was asked for."""
    problems_in: Path | None = None
    """The file that holds all of `skipped`, when it is more than can be shown."""
    ignored: tuple[str, ...] = ()
    """Fields of the file that no record and no mapping knows."""
    recognised: str | None = None
    """What a file turned out to be that nobody had named; None for our own field names."""


def records_in(kind: str, rows: Rows, mappings: Sequence[Mapping], where: str) -> Found:
    """Every record of some rows with its place, and every problem; what is wrong with the whole comes last.

    Args:
        kind: What the rows are.
        rows: The rows.
        mappings: How a record is read off a row, once each.
        where: How to name the whole.

    Raises:
        StudyProblem: A mapping names a field that this kind does not have.
    """
    _known_fields(kind, mappings)
    parsers = [Parser(kind, mapping) for mapping in mappings]
    names: dict[str, Any] = {}
    # A path into a list or an object may lead nowhere in a field that is there.
    unseen = [
        (mapping, ours) for mapping in mappings for ours, theirs in mapping.fields.items()
        if isinstance(theirs, str) and "." in theirs and not theirs.startswith("#")
    ]  # fmt: skip
    for number, row in enumerate(gathered(rows, mappings[0]) if kind == "contexts" else rows, 1):
        if isinstance(row, Problem):
            yield row
            continue
        names |= row.values if names.keys() != row.values.keys() else {}
        unseen = [(mapping, ours) for mapping, ours in unseen if mapping.origin(ours).value(row.values) is None]
        for parser in parsers:
            for found in parser.read(row, number):
                yield found if isinstance(found, Problem) else (row.where, found)
    yield from _absent(kind, where, mappings, list(names), unseen)


def read_records(
    kind: str, path: Path, mappings: Sequence[Mapping], rows: Rows | None = None
) -> tuple[list[tuple[str, Any]], list[Problem]]:
    """Every record of a file with its place, and every problem; all of it in memory.

    Raises:
        StudyProblem: The file cannot be read at all, or a mapping names a field that this kind does not have.
    """
    records: list[tuple[str, Any]] = []
    problems: list[Problem] = []
    for found in records_in(kind, rows if rows is not None else read(path), mappings, str(path)):
        if isinstance(found, Problem):
            problems.append(found)
        else:
            records.append(found)
    return records, without_echoes(problems, str(path))


def without_echoes(problems: Sequence[Problem], whole: str) -> list[Problem]:
    """What is wrong with the whole first and once, instead of in every row."""
    general = dict.fromkeys(problem for problem in problems if problem.where == whole)
    said = {problem.field for problem in general if problem.field}
    return [*general, *(one for one in problems if one.where != whole and one.field not in said)]


def _absent(
    kind: str, where: str, mappings: Sequence[Mapping], names: Sequence[str], unseen: Sequence[tuple[Mapping, str]]
) -> Iterator[Problem]:
    """The fields that are needed or mapped and that no row has: said once, with the names that there are."""
    for mapping in mappings:
        asked = {ours for ours, theirs in mapping.fields.items() if isinstance(theirs, str)}
        for ours in sorted(asked | NEEDED[kind]) if names else ():
            origin = mapping.origin(ours)
            if origin.paths and not any(path in names or path.split(".")[0] in (*names, "#key", "#value")
                                        for path in origin.paths):  # fmt: skip
                message = (
                    f"is in no row; the file has {', '.join(names)}. Say which of them is our {ours!r} with "
                    f"--map {ours}=THEIRS, or in a mapping file (--mapping FILE)"
                )
                yield Problem(where=where, field=str(origin), message=message)
            elif (mapping, ours) in unseen:
                message = (
                    f"leads to a value in no row, so no record would have {ours!r}; mend the path, or write it as a "
                    f'list in a mapping file ({ours} = ["{origin}"]) if all may be without'
                )
                yield Problem(where=where, field=str(origin), message=message)


def _known_fields(kind: str, mappings: Sequence[Mapping]) -> None:
    """A misspelt name in a mapping would silently do nothing."""
    ours, passage = ({spec.name for spec in fields(record)} for record in (RECORDS[kind], Passage))
    for mapping in mappings:
        unknown = sorted(set(mapping.fields) - ours) + sorted(set(mapping.passage) - passage)
        if unknown:
            raise StudyProblem(
                f"mapping: {kind} have no field {unknown[0]!r}; expected some of {', '.join(sorted(ours))}"
            )


class _Import:
    """One import of tasks, contexts, responses or verdicts, while it runs."""

    def __init__(self, study: Study, kind: str, path: Path, mappings: Sequence[Mapping], *, skip_bad: bool) -> None:
        self._study, self._path, self._skip_bad = study, path, skip_bad
        self._ids = Ids(known_keys(study, kind), distinct=any(mapping.distinct for mapping in mappings))
        self._checks = [*references(study, kind), *declared(study, kind)]
        self.problems: list[Problem] = []
        self.n = self.n_read = self.n_repeated = 0

    def batches(self, found: Found) -> Iterator[list[Any]]:
        """The good records, some at a time, until the first bad one where none may be bad.

        Raises:
            StudyProblem: In the end, with every problem, unless what is wrong is to be skipped; or nothing is left.
        """
        batch: list[Any] = []
        for one in found:
            if isinstance(one, Problem):
                self.problems.append(one)
                continue
            record = self._checked(*one)
            if record is None or (self.problems and not self._skip_bad):
                continue
            batch.append(record)
            if len(batch) == BATCH:
                self.n += len(batch)
                yield batch
                batch = []
        self._settle(bool(batch))
        self.n += len(batch)
        if batch:
            yield batch

    def _checked(self, where: str, record: Any) -> Any:
        """The record if all is well with it; None after noting what is not, or for an expected repeat."""
        self.n_read += 1
        if self._ids.repeats(record):
            self.n_repeated += 1
            return None
        wrong = [problem for check in self._checks if (problem := check(where, record))]
        # What is left out anyway must not keep its id from a good record.
        if not (wrong and self._skip_bad) and (twice := self._ids.problem(where, record)):
            wrong.append(twice)
        self.problems += wrong
        return None if wrong else record

    def _settle(self, more: bool) -> None:
        """Raises what stands against the import when all is read."""
        if self.n_read > 1 and self._ids.n_known == self.n_read:
            message = f"all {self.n_read} records were imported before; nothing to do"
            raise StudyProblem([Problem(where=str(self._path), message=message)])
        places = (str(self._path), str(self._study.path.resolve()))
        whole = [one for one in self.problems if one.stops or one.where in places]
        if whole or (self.problems and not self._skip_bad):
            told = without_echoes(self.problems, str(self._path))
            raise StudyProblem(dict.fromkeys(told))
        if not (self.n or more):
            bad = f"; all {len(self.problems)} rows are bad" if self.problems else ""
            raise StudyProblem(self.problems or f"{self._path}: no rows; nothing was imported{bad}")


def import_file(
    study: Study,
    kind: str,
    path: Path,
    mappings: Sequence[Mapping],
    *,
    rows: Rows | None = None,
    skip_bad: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Imports tasks, contexts, responses or verdicts, all of the file or nothing.

    Args:
        study: The study.
        kind: What the rows are.
        path: A file, a folder of them or a pattern of names.
        mappings: How a record is read off a row, once each.
        rows: The rows of the file where it is not read by the ending of its name.
        skip_bad: Import what is good, and tell what was left out.
        progress: Told now and then how much is read.

    Raises:
        StudyProblem: With every problem of the file.
    """
    target = next_part(study, kind)
    run = _Import(study, kind, path, mappings, skip_bad=skip_bad)
    found = records_in(kind, rows if rows is not None else read(path, progress), mappings, str(path))
    with writing(study.path):
        add_part(study, kind, run.batches(found), target)
    return Imported(kind=kind, n=run.n, n_repeated=run.n_repeated, skipped=tuple(run.problems))


def is_empty(study: Study) -> bool:
    """Whether nothing was imported yet."""
    return not parts(study, "tasks")
