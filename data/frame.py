"""The frame: everything that could be sampled, one flat row per response × judge and one per context.

It is only ever aggregated or picked from. This is the one module that speaks to the analytical engine.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandas as pd
from ibis.backends.duckdb import Backend
from ibis.expr.types import Table

from data.errors import StudyProblem
from data.records import DIAGNOSTICS
from data.study import Study, drafting, replace_text, writing
from data.texts import is_made_here, parts, schema

SLICES = ("model", "prompt", "condition", "regime", "run")
"""Columns by which results can be cut, and that strata may use."""

LABEL_COLUMNS = ("C", "A", "G", "D", *DIAGNOSTICS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The frame of a study, ready to be counted."""

    contexts: Path
    responses: Path
    hash: str
    """Of the imported parts: the same files give the same frame, whatever judges that are run here say of it."""
    hash_with_judges: str
    """Of what these judges say as well; samples and registrations of older versions have this one."""


def open_frame(study: Study) -> Frame:
    """The frame of everything imported so far, rebuilt when an import came in since.

    Raises:
        StudyProblem: No responses and no contexts were imported, or the folder cannot be written.
    """
    contexts, responses = study.frame / "contexts.parquet", study.frame / "responses.parquet"
    mark, stamp = study.frame / "frame.hash", _stamp(study)
    found = mark.read_text(encoding="utf-8").split() if mark.is_file() else []
    built = len(found) == 3 and found[0] == stamp and responses.is_file() and contexts.is_file()
    of_imported, of_all = found[1:] if built else _build(study, contexts, responses, stamp)
    return Frame(contexts=contexts, responses=responses, hash=of_imported, hash_with_judges=of_all)


def imported(study: Study) -> list[Path]:
    """The parts that came from files."""
    return [part for part in _parts(study) if not is_made_here(part)]


def _parts(study: Study) -> list[Path]:
    """The parts that a frame is built of: what was imported, then what judges that are run here say."""
    return [part for kind in ("tasks", "contexts", "responses", "verdicts") for part in parts(study, kind)]


def _stamp(study: Study) -> str:
    """Changes with every import and every run of a judge, at the cost of a glance at the folder."""
    facts = [(part.name, part.stat().st_size, part.stat().st_mtime_ns) for part in _parts(study)]
    return sha256(repr(facts).encode()).hexdigest()[:16]


def _build(study: Study, contexts: Path, responses: Path, stamp: str) -> tuple[str, str]:
    """Writes the frame and returns its hashes, which are of contents: a copied study keeps them."""
    if not parts(study, "responses") and not parts(study, "contexts"):
        raise StudyProblem(
            f"{study.path}: nothing to sample yet; import tasks, contexts and responses first (evidence-audit import …)"
        )
    hashes = hash_of(imported(study)), hash_of(_parts(study))
    with writing(study.path), _engine() as engine:
        _write(engine, _contexts(engine, study), contexts)
        _write(engine, _responses(engine, study), responses)
        replace_text(study.frame / "frame.hash", " ".join((stamp, *hashes)))
    return hashes


def hash_of(files: Sequence[Path]) -> str:
    """The hash of a frame that is built of these parts, in their order."""
    content = sha256()
    for part in files:
        content.update(part.name.encode())
        content.update(part.read_bytes())
    return content.hexdigest()[:16]


@contextmanager
def _engine() -> Iterator[Backend]:
    """A connection of its own for every question: the engine's shared default does not bear several threads."""
    engine = ibis.duckdb.connect()
    try:
        yield engine
    finally:
        engine.disconnect()


def _write(engine: Backend, table: Table, target: Path) -> None:
    with drafting(target) as draft:
        try:
            engine.to_parquet(table, draft)
        except duckdb.IOException as error:
            raise OSError(str(error)) from None


def _read(engine: Backend, *files: Path) -> Table:
    # The engine takes names as patterns: a folder may well be called "study [2]". Parts of older versions lack columns.
    table: Table = engine.read_parquet([escape(str(file)) for file in files], union_by_name=True)
    return table


def _kind(engine: Backend, study: Study, kind: str, columns: Sequence[str]) -> Table:
    files = parts(study, kind)
    if files:
        table = _read(engine, *files)
        return table.mutate(**{n: ibis.null("string") for n in columns if n not in table.columns}).select(*columns)
    return ibis.memtable(schema(kind).empty_table().select(list(columns)))


def _contexts(engine: Backend, study: Study) -> Table:
    contexts = _kind(engine, study, "contexts", ["context_id", "task_id", "condition"])
    return contexts.left_join(_kind(engine, study, "tasks", ["task_id", "regime"]), "task_id").select(
        "context_id", "task_id", "condition", "regime"
    )


def _responses(engine: Backend, study: Study) -> Table:
    """One row per response × judge; a response without a verdict has one row without a judge."""
    responses = _kind(engine, study, "responses", ["response_id", "context_id", "task_id", "model", "prompt", "run"])
    contexts = _kind(engine, study, "contexts", ["context_id", "task_id", "condition"]).rename(own_task="task_id")
    verdict_columns = ["response_id", "judge", "judge_model", "prompt_hash", *LABEL_COLUMNS, "unscored_reason",
                       "created_at"]  # fmt: skip
    joined = responses.left_join(contexts, "context_id").mutate(task_id=ibis.coalesce(ibis._.own_task, ibis._.task_id))
    joined = joined.select(*responses.columns, "condition")
    joined = joined.left_join(_kind(engine, study, "tasks", ["task_id", "regime"]), "task_id")
    joined = joined.select(*responses.columns, "condition", "regime")
    verdicts = _kind(engine, study, "verdicts", verdict_columns)
    return joined.left_join(verdicts, "response_id").select(
        *responses.columns, "condition", "regime", *verdict_columns[1:]
    )


def judges(frame: Frame) -> list[str]:
    """The judges that gave verdicts, those with most of them first, else by name.

    So the judge of the whole study comes before one that was tried on a part of it, whatever they are called.
    """
    with _engine() as engine:
        table = _read(engine, frame.responses)
        counted = _rows(engine, _counted(table.filter(table.judge.notnull()), ["judge"]))
        return list(counted.sort_values(["n", "judge"], ascending=[False, True])["judge"])


def prompt_dates(frame: Frame, judge: str) -> tuple[str | None, int, int]:
    """When the prompts of a judge were first used, as far as verdicts say when they were given.

    A prompt was first used when the first dated verdict with its hash was given, by whichever judge; a verdict without
    a hash has a prompt of its own.

    Returns:
        When the newest of these prompts was first used (None when nothing is dated), how many verdicts have a prompt of
        which nothing is dated, and how many there are.
    """
    with _engine() as engine:
        table = _read(engine, frame.responses)
        of_prompt = table.filter(table.prompt_hash.notnull()).group_by("prompt_hash").agg(first=ibis._.created_at.min())
        own = table.filter(table.judge == judge).select("prompt_hash", "created_at").left_join(of_prompt, "prompt_hash")
        own = own.mutate(first=ibis.coalesce(ibis._.first, ibis._.created_at))
        row = engine.to_pandas(own.agg(newest=own.first.max(), n_undated=own.first.isnull().sum(), n=own.count()))
    newest, n_undated, n = row.iloc[0]
    return (newest if isinstance(newest, str) else None), int(n_undated or 0), int(n)


def context_rows(frame: Frame) -> pd.DataFrame:
    """Every context with its slice columns, missing as empty text."""
    with _engine() as engine:
        return _filled(_rows(engine, _read(engine, frame.contexts)))


def response_rows(frame: Frame) -> pd.DataFrame:
    """Every response once, ids and slice columns only, missing as empty text."""
    with _engine() as engine:
        table = _read(engine, frame.responses)
        return _filled(_rows(engine, table.select("response_id", "context_id", "task_id", *SLICES).distinct()))


def judged_rows(frame: Frame, judge: str | None, response_ids: Sequence[str]) -> pd.DataFrame:
    """The rows of some responses with one judge's labels (all missing when there is no judge)."""
    wanted = ibis.memtable({"response_id": list(response_ids)}, schema={"response_id": "string"})
    with _engine() as engine:
        return _filled(_rows(engine, _one_judge(engine, frame, judge).semi_join(wanted, "response_id")))


def pattern_counts(
    frame: Frame, judge: str | None, by: Sequence[str], labels: Sequence[str] = ("C", "A", "G", "D")
) -> pd.DataFrame:
    """How many responses there are per slice × pattern of one judge's labels.

    Returns:
        Columns `by` (missing as empty text), the labels (1, 0 or missing; diagnostics 0 to 2) and n, in the order of
        these columns: sums over the rows then come out the same to the last digit every time.
    """
    with _engine() as engine:
        table = _one_judge(engine, frame, judge)
        return _filled(_rows(engine, _counted(table, [*by, *labels])))


def _counted(table: Table, columns: Sequence[str]) -> Table:
    """How often each combination occurs, in order."""
    return table.group_by(columns).agg(n=ibis._.count()).order_by(columns)


def _rows(engine: Backend, table: Table) -> pd.DataFrame:
    rows: pd.DataFrame = engine.to_pandas(table)
    return rows


def _one_judge(engine: Backend, frame: Frame, judge: str | None) -> Table:
    """Every response once, with one judge's labels where it gave any."""
    table = _read(engine, frame.responses)
    ids = ["response_id", "context_id", "task_id", *SLICES]
    everything = table.select(*ids).distinct()
    labels = table.filter(table.judge == judge) if judge is not None else table.filter(ibis.literal(False))
    own = labels.select("response_id", *LABEL_COLUMNS, "unscored_reason", "prompt_hash")
    return everything.left_join(own, "response_id").drop("response_id_right")


def matched_counts(
    frame: Frame, by: str, *, judge: str | None = None, within: Mapping[str, str] | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Responses that differ in one column only, two by two, counted by task and by both patterns of labels.

    Two responses are a pair when task and all slice columns but `by` are the same; with `by="judge"` a pair is two
    verdicts on one response. Rows that these columns do not tell apart have no partner of their own.

    Args:
        frame: The frame.
        by: The column in which the two differ: one of `SLICES`, or "judge".
        judge: Whose labels; not used with `by="judge"`.
        within: Columns and the value that both must have.

    Returns:
        The pairs, with columns first < second (the two values of `by`), task_id, model, C, A, G, D and C_second to
        D_second (1, 0 or missing) and n; with `by="model"` the column model is empty. And the rows of each value, with
        columns value and n. Missing texts are empty texts.
    """
    of_judges = by == "judge"
    labels = ("C", "A", "G", "D")
    with _engine() as engine:
        table = _read(engine, frame.responses) if of_judges else _one_judge(engine, frame, judge)
        table = table.filter(table.judge.notnull()) if of_judges else table
        texts = {name: table[name].fill_null("") for name in ("task_id", *SLICES)}
        table = table.mutate(**texts, value=table.judge if of_judges else texts[by])
        table = table.mutate(model=ibis.literal("")) if by == "model" else table
        for name, value in (within or {}).items():
            table = table.filter(table[name] == value)
        key = ["response_id"] if of_judges else [name for name in SLICES if name != by]
        key = ["task_id", *dict.fromkeys([*key, "model"])]
        own = {name: table[name].max() for name in labels}
        side = table.group_by([*key, "value"]).agg(copies=table.count(), **own).filter(ibis._.copies == 1)
        other = side.rename({f"{name}_second": name for name in labels} | {"second": "value"}).drop("copies")
        pairs = side.rename(first="value").join(other, key).filter(ibis._.first < ibis._.second)
        group = ["first", "second", "task_id", "model", *labels, *(f"{name}_second" for name in labels)]
        return _rows(engine, _counted(pairs, group)), _rows(engine, _counted(table, ["value"]))


def _filled(rows: pd.DataFrame) -> pd.DataFrame:
    """Missing texts become empty, so that slices compare as texts; labels stay missing."""
    for column in rows.columns:
        if column not in LABEL_COLUMNS and column != "n":
            rows[column] = rows[column].astype("str").where(rows[column].notna(), "")
    return rows


def pick(rows: pd.DataFrame, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """The rows as plain tuples of some columns."""
    return list(rows[list(columns)].itertuples(index=False, name=None))
