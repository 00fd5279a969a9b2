"""The frame: everything that could be sampled, one flat row per response × judge and one per context.

It is only ever aggregated or picked from. This is the one module that speaks to the analytical engine.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import ibis
import pandas as pd
from ibis.expr.types import Table

from data.errors import StudyProblem
from data.records import DIAGNOSTICS
from data.study import Study, replace_text, writing
from data.texts import parts, schema

SLICES = ("model", "prompt", "condition", "regime", "run")
"""Columns by which results can be cut, and that strata may use."""

LABEL_COLUMNS = ("C", "A", "G", "D", *DIAGNOSTICS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The frame of a study, ready to be counted."""

    contexts: Path
    responses: Path
    hash: str
    """Of the imported parts: the same files give the same frame."""


def open_frame(study: Study) -> Frame:
    """The frame of everything imported so far, rebuilt when an import came in since.

    Raises:
        StudyProblem: No responses and no contexts were imported, or the folder cannot be written.
    """
    stamp = sha256()
    for kind in ("tasks", "contexts", "responses", "verdicts"):
        for part in parts(study, kind):
            stamp.update(f"{part.name}:{part.stat().st_size}:{part.stat().st_mtime_ns}\n".encode())
    frame = Frame(
        contexts=study.frame / "contexts.parquet",
        responses=study.frame / "responses.parquet",
        hash=stamp.hexdigest()[:16],
    )
    mark = study.frame / "frame.hash"
    if not mark.is_file() or mark.read_text() != frame.hash:
        _build(study, frame, mark)
    return frame


def _build(study: Study, frame: Frame, mark: Path) -> None:
    if not parts(study, "responses") and not parts(study, "contexts"):
        raise StudyProblem(
            f"{study.path}: nothing to sample yet; import tasks, contexts and responses first (evidence-audit import …)"
        )
    with writing(study.path):
        _write(_contexts(study), frame.contexts)
        _write(_responses(study), frame.responses)
        replace_text(mark, frame.hash)


def _write(table: Table, target: Path) -> None:
    draft = target.with_suffix(f".{os.getpid()}.draft")
    table.to_parquet(draft)
    os.replace(draft, target)


def _kind(study: Study, kind: str, columns: Sequence[str]) -> Table:
    files = parts(study, kind)
    if files:
        return ibis.read_parquet([str(file) for file in files]).select(*columns)
    return ibis.memtable(schema(kind).empty_table().select(list(columns)))


def _contexts(study: Study) -> Table:
    contexts = _kind(study, "contexts", ["context_id", "task_id", "condition"])
    return contexts.left_join(_kind(study, "tasks", ["task_id", "regime"]), "task_id").select(
        "context_id", "task_id", "condition", "regime"
    )


def _responses(study: Study) -> Table:
    """One row per response × judge; a response without a verdict has one row without a judge."""
    responses = _kind(study, "responses", ["response_id", "context_id", "task_id", "model", "prompt", "run"])
    contexts = _kind(study, "contexts", ["context_id", "task_id", "condition"]).rename(own_task="task_id")
    verdict_columns = ["response_id", "judge", "judge_model", "prompt_hash", *LABEL_COLUMNS, "unscored_reason"]
    joined = responses.left_join(contexts, "context_id").mutate(task_id=ibis.coalesce(ibis._.own_task, ibis._.task_id))
    joined = joined.select(*responses.columns, "condition")
    joined = joined.left_join(_kind(study, "tasks", ["task_id", "regime"]), "task_id")
    joined = joined.select(*responses.columns, "condition", "regime")
    verdicts = _kind(study, "verdicts", verdict_columns)
    return joined.left_join(verdicts, "response_id").select(
        *responses.columns, "condition", "regime", *verdict_columns[1:]
    )


def judges(frame: Frame) -> list[str]:
    """The judges that gave verdicts, by name."""
    table = ibis.read_parquet(frame.responses)
    return sorted(table.filter(table.judge.notnull()).select("judge").distinct().to_pandas()["judge"])


def context_rows(frame: Frame) -> pd.DataFrame:
    """Every context with its slice columns, missing as empty text."""
    return _filled(ibis.read_parquet(frame.contexts).to_pandas())


def response_rows(frame: Frame) -> pd.DataFrame:
    """Every response once, ids and slice columns only, missing as empty text."""
    table = ibis.read_parquet(frame.responses)
    return _filled(table.select("response_id", "context_id", "task_id", *SLICES).distinct().to_pandas())


def judged_rows(frame: Frame, judge: str | None, response_ids: Sequence[str]) -> pd.DataFrame:
    """The rows of some responses with one judge's labels (all missing when there is no judge)."""
    table = _one_judge(frame, judge)
    wanted = ibis.memtable({"response_id": list(response_ids)}, schema={"response_id": "string"})
    return _filled(table.semi_join(wanted, "response_id").to_pandas())


def pattern_counts(frame: Frame, judge: str | None, by: Sequence[str]) -> pd.DataFrame:
    """How many responses there are per slice × pattern of one judge's labels C, A, G, D.

    Returns:
        Columns `by` (missing as empty text), C, A, G, D (1, 0 or missing) and n.
    """
    table = _one_judge(frame, judge)
    return _filled(table.group_by([*by, "C", "A", "G", "D"]).agg(n=ibis._.count()).to_pandas())


def _one_judge(frame: Frame, judge: str | None) -> Table:
    """Every response once, with one judge's labels where it gave any."""
    table = ibis.read_parquet(frame.responses)
    ids = ["response_id", "context_id", "task_id", *SLICES]
    everything = table.select(*ids).distinct()
    labels = table.filter(table.judge == judge) if judge is not None else table.filter(ibis.literal(False))
    own = labels.select("response_id", *LABEL_COLUMNS, "unscored_reason", "prompt_hash")
    return everything.left_join(own, "response_id").drop("response_id_right")


def _filled(rows: pd.DataFrame) -> pd.DataFrame:
    """Missing texts become empty, so that slices compare as texts; labels stay missing."""
    for column in rows.columns:
        if column not in LABEL_COLUMNS and column != "n":
            rows[column] = rows[column].astype("str").where(rows[column].notna(), "")
    return rows


def pick(rows: pd.DataFrame, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """The rows as plain tuples of some columns."""
    return list(rows[list(columns)].itertuples(index=False, name=None))
