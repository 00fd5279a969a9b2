"""Bringing files in: the whole file is read, every problem is reported, nothing is imported on error."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from data.errors import Problem, StudyProblem
from data.mapping import Mapping
from data.parsing import KEYS, RECORDS, parse
from data.reading import read
from data.records import Context, Label, Passage, Response, Task, Verdict
from data.study import Study, writing
from data.texts import add_part, next_part, parts, read_columns

REFERS = {
    "contexts": (("task_id", "tasks"),),
    "responses": (("context_id", "contexts"), ("task_id", "tasks")),
    "verdicts": (("response_id", "responses"),),
}


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


def read_records(kind: str, path: Path, mappings: Sequence[Mapping]) -> tuple[list[tuple[str, Any]], list[Problem]]:
    """Every record of a file with its place, and every problem.

    Raises:
        StudyProblem: The file cannot be read at all, or a mapping names a field that this kind does not have.
    """
    _known_fields(kind, mappings)
    records: list[tuple[str, Any]] = []
    problems: list[Problem] = []
    names: dict[str, None] = {}
    for row in read(path):
        if isinstance(row, Problem):
            problems.append(row)
            continue
        names.update(dict.fromkeys(row.values))
        for mapping in mappings:
            for found in parse(kind, row, mapping):
                if isinstance(found, Problem):
                    problems.append(found)
                else:
                    records.append((row.where, found))
    absent = _absent(kind, path, mappings, names)
    return records, [*absent, *(p for p in problems if p.field not in {a.field for a in absent})]


def _absent(kind: str, path: Path, mappings: Sequence[Mapping], names: Collection[str]) -> list[Problem]:
    """The fields that are needed or mapped and that no row has: said once, with the names that there are."""
    needed = {spec.name for spec in fields(RECORDS[kind]) if spec.default is MISSING}
    absent = []
    for mapping in mappings:
        for ours in sorted({*mapping.fields, *needed} - set(mapping.constants)):
            theirs = mapping.theirs(ours)
            if names and theirs not in names and theirs.split(".")[0] not in names:
                message = (
                    f"is in no row; the file has {', '.join(names)}. Say which of them is our {ours!r} with "
                    f"--map {ours}=THEIRS, or in a mapping"
                )
                absent.append(Problem(where=str(path), field=theirs, message=message))
    return absent


def _known_fields(kind: str, mappings: Sequence[Mapping]) -> None:
    """A misspelt name in a mapping would silently do nothing."""
    ours, passage = ({spec.name for spec in fields(record)} for record in (RECORDS[kind], Passage))
    for mapping in mappings:
        unknown = sorted({*mapping.fields, *mapping.constants} - ours) + sorted(set(mapping.passage) - passage)
        if unknown:
            raise StudyProblem(
                f"mapping: {kind} have no field {unknown[0]!r}; expected some of {', '.join(sorted(ours))}"
            )


def key_of(record: Task | Context | Response | Verdict | Label) -> tuple[str, ...]:
    """What makes a record the same record."""
    match record:
        case Task():
            return (record.task_id,)
        case Context():
            return (record.context_id,)
        case Response():
            return (record.response_id,)
        case Verdict():
            return (record.response_id, record.judge)
        case Label():
            return (
                record.item_kind, record.item_id, record.person_id, record.label, record.purpose, str(record.occasion),
            )  # fmt: skip


def unique(
    records: Iterable[tuple[str, Any]], known: set[tuple[str, ...]], *, distinct: bool
) -> tuple[list[tuple[str, Any]], list[Problem]]:
    """The records without word-for-word repeats (where those are expected), and a problem for every other duplicate."""
    first: dict[tuple[str, ...], tuple[str, Any]] = {}
    problems = []
    records = list(records)
    if len(records) > 1 and all(key_of(record) in known for _, record in records):
        message = f"all {len(records)} records were imported before; nothing to do"
        return [], [Problem(where=records[0][0].rsplit(":", 1)[0], message=message)]
    for where, record in records:
        key = key_of(record)
        if key in known:
            problems.append(Problem(where=where, message=f"{' / '.join(key)} was imported before; remove the row"))
        elif key not in first:
            first[key] = (where, record)
        elif not (distinct and first[key][1] == record):
            problems.append(
                Problem(where=where, message=f"{' / '.join(key)} stands in {first[key][0]} already; ids must be unique")
            )
    return list(first.values()), problems


def known_keys(study: Study, kind: str) -> set[tuple[str, ...]]:
    """The keys of everything imported so far."""
    columns = [KEYS[kind]] if kind in KEYS else ["response_id", "judge"]
    table = read_columns(study, kind, columns)
    return set(zip(*(table[column].to_pylist() for column in columns), strict=True))


def dangling(study: Study, kind: str, records: Iterable[tuple[str, Any]]) -> list[Problem]:
    """A problem for every reference to something that was not imported."""
    problems = []
    for field, target in REFERS.get(kind, ()):
        known = known_keys(study, target)
        if not known and any(getattr(record, field) is not None for _, record in records):
            message = f"no {target} are imported yet; import them first: evidence-audit import {target} FILE"
            problems.append(Problem(where=str(study.path), field=field, message=message))
            continue
        for where, record in records:
            value = getattr(record, field)
            if value is not None and (value,) not in known:
                message = f"{value!r} is not among the {len(known)} imported {target}; import it first or mend the id"
                problems.append(Problem(where=where, field=field, message=message))
    return problems


def undeclared(study: Study, records: Iterable[tuple[str, Any]]) -> list[Problem]:
    """A problem for every condition or regime that study.toml does not declare (when it declares any)."""
    problems = []
    for where, record in records:
        for field, allowed in (("condition", study.conditions), ("regime", study.regimes)):
            value = getattr(record, field, None)
            if value is not None and allowed and value not in allowed:
                message = f"{value!r} is not declared; expected one of {', '.join(allowed)}, or add it to study.toml"
                problems.append(Problem(where=where, field=field, message=message))
    return problems


def import_file(study: Study, kind: str, path: Path, mappings: Sequence[Mapping]) -> Imported:
    """Imports tasks, contexts, responses or verdicts, all of the file or nothing.

    Raises:
        StudyProblem: With every problem of the file.
    """
    target = next_part(study, kind)
    records, problems = read_records(kind, path, mappings)
    n_read = len(records)
    records, duplicates = unique(records, known_keys(study, kind), distinct=any(m.distinct for m in mappings))
    problems += duplicates + dangling(study, kind, records) + undeclared(study, records)
    if problems:
        raise StudyProblem(problems)
    if not records:
        raise StudyProblem(f"{path}: no rows; nothing was imported")
    with writing(study.path):
        add_part(study, kind, [record for _, record in records], target)
    return Imported(kind=kind, n=len(records), n_repeated=n_read - len(records))


def is_empty(study: Study) -> bool:
    """Whether nothing was imported yet."""
    return not parts(study, "tasks")
