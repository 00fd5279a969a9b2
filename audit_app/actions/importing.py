"""Bringing files into a study: which format a file is in, and every problem of it in a file of its own."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from audit_app.actions.recorded import import_labels
from data.errors import Problem, StudyProblem, all_said
from data.exporters import COLUMNS
from data.formats import OWN, Format, noting, read_format, recognised, rows_of, unknown_fields
from data.importers import Imported, import_file
from data.reading import READERS, Progress
from data.rows import files_below
from data.study import Study, drafting, writing

PROBLEMS = "import-problems.csv"
"""In the study's folder: all problems of the last import that had more than can be shown."""


def import_records(
    study: Study,
    kind: str,
    path: Path,
    *,
    mapping: str | None = None,
    pairs: Sequence[str] = (),
    drawn_only: bool = False,
    skip_bad: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Imports a file of tasks, contexts, responses, verdicts or labels: all of it, or nothing and every problem.

    Args:
        study: The study.
        kind: What the rows are.
        path: A file, a folder of them or a pattern of names.
        mapping: A mapping file, or the name of a format that ships; told from the file by default.
        pairs: `ours=theirs` field names, over those of the format.
        drawn_only: Labels of items that are not drawn are passed over instead of being a problem.
        skip_bad: Import what is good, and tell what was left out.
        progress: Told now and then how much is read.

    Raises:
        StudyProblem: With every problem of the file.
    """
    found = _format(kind, path, mapping, pairs)
    names: set[str] = set()
    mappings, rows = found.mappings(kind, pairs), noting(rows_of(found, path, progress), names)
    try:
        if kind == "labels":
            done = import_labels(study, path, mappings, rows, drawn_only=drawn_only, skip_bad=skip_bad)
        else:
            done = import_file(study, kind, path, mappings, rows=rows, skip_bad=skip_bad)
    except StudyProblem as problem:
        raise StudyProblem(problem.problems or str(problem), all_in=_kept(study, problem.problems)) from None
    name = None if mapping or found is OWN else found.title
    # An export of labels holds more than an import reads, and is known all the same.
    ignored = unknown_fields(names - set(COLUMNS), found, mappings)
    below = len(files_below(path, READERS))
    return replace(done, recognised=name, ignored=ignored, n_below=below, problems_in=_kept(study, done.skipped))


def _format(kind: str, path: Path, name: str | None, pairs: Sequence[str]) -> Format:
    if name is not None:
        return read_format(name)
    return OWN if pairs else recognised(path, kind)


def _kept(study: Study, problems: Sequence[Problem]) -> Path | None:
    """The file that holds all problems; none is written when all are shown."""
    if all_said(problems):
        return None
    target = study.path / PROBLEMS
    with writing(study.path), drafting(target) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["where", "field", "message"])
        writer.writerows([one.where, one.field or "", one.message] for one in problems)
    return target
