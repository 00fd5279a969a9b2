"""What the leak screens say of every imported context: computed once, kept beside the frame."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet as pq

from data.leaks.screen import VERSION, Hit, Screened
from data.records import context_of, task_of
from data.screening import screen_context
from data.study import Study, drafting, writing
from data.texts import parts, read_columns, schema

_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("context_id", "task_id", "condition", "regime")]
    + [("score", pa.float64()), ("hits", pa.string())]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenedContext:
    """One context with what the screens say of it."""

    context_id: str
    task_id: str
    condition: str | None
    regime: str | None
    screened: Screened | None
    """None where the task has no reference answer: there is nothing to look for."""


def screened_contexts(study: Study, tell: Callable[[float], None] = lambda share: None) -> Sequence[ScreenedContext]:
    """Every imported context in the order of import, screened; what was screened before is read again.

    Args:
        study: The study.
        tell: Is told the share in [0, 1] that is screened by now.

    Raises:
        StudyProblem: The folder cannot be written.
    """
    kept = study.frame / f"leaks-{_stamp(study)}.parquet"
    if not kept.is_file():
        found = _screen_all(study, tell)
        with writing(study.path):
            kept.parent.mkdir(exist_ok=True)
            for old in study.frame.glob("leaks-*.parquet"):
                old.unlink()
            with drafting(kept) as draft:
                pq.write_table(pa.Table.from_pylist([_row(one) for one in found], schema=_SCHEMA), draft)
        return found
    return [_of_row(row) for row in pq.read_table(kept).to_pylist()]


def leak_scores(study: Study) -> Mapping[str, float | None]:
    """The score of every context by context_id; None where there is nothing to look for."""
    return {one.context_id: one.screened.score if one.screened else None for one in screened_contexts(study)}


def _stamp(study: Study) -> str:
    """Changes with every import of tasks or contexts, and with the screens themselves."""
    files = [part for kind in ("tasks", "contexts") for part in parts(study, kind)]
    facts = [(part.name, part.stat().st_size, part.stat().st_mtime_ns) for part in files]
    return sha256(repr((VERSION, facts)).encode()).hexdigest()[:16]


def _screen_all(study: Study, tell: Callable[[float], None]) -> list[ScreenedContext]:
    tasks = {row["task_id"]: task_of(row) for row in _rows(study, "tasks")}
    found, rows = [], _rows(study, "contexts")
    for n, context in enumerate(map(context_of, rows)):
        tell(n / len(rows))
        task = tasks[context.task_id]
        found.append(
            ScreenedContext(
                context_id=context.context_id,
                task_id=context.task_id,
                condition=context.condition,
                regime=task.regime,
                screened=screen_context(task, context),
            )
        )
    return found


def _rows(study: Study, kind: str) -> Sequence[dict[str, object]]:
    rows: list[dict[str, object]] = read_columns(study, kind, schema(kind).names).to_pylist()
    return rows


def _row(one: ScreenedContext) -> dict[str, object]:
    screened = one.screened
    ids = {name: getattr(one, name) for name in ("context_id", "task_id", "condition", "regime")}
    hits = json.dumps([asdict(hit) for hit in screened.hits], ensure_ascii=False) if screened else None
    return {**ids, "score": screened.score if screened else None, "hits": hits}


def _of_row(row: dict[str, object]) -> ScreenedContext:
    hits, score = row.pop("hits"), row.pop("score")
    screened = None
    if isinstance(hits, str) and isinstance(score, float):
        screened = Screened(score=score, hits=tuple(Hit(**hit) for hit in json.loads(hits)))
    return ScreenedContext(**row, screened=screened)  # type: ignore[arg-type]  # the schema says what each column holds
