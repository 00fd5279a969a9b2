"""What came out whenever a judge was put to a test: kept in a study, or outside of one as lines of JSON in a file."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from audit_app.actions.seal import require_results
from data.errors import StudyProblem
from data.store import judge_trials as kept_trials
from data.store.connection import Store, now, open_store
from data.study import Study, writing

OLD = "judge_trials.jsonl"
"""In the folder of a study, where older versions kept them; read once, and left alone."""

Record = Study | Path
"""Where outcomes are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One test of one judge on one metric."""

    kind: Literal["canary", "ablation"]
    at: str
    judge: str
    metric: str
    passed: bool | None
    """None where it cannot be told."""
    sentence: str
    set_hash: str | None = None
    """Of the canaries."""
    scores: tuple[tuple[float | None, ...], ...] = ()
    """Of the canaries, samples × repeats; None where there was none."""
    baseline: bool = False
    """Whether later runs on the canaries are compared with this one."""


def trials(kept: Record) -> list[Trial]:
    """What was recorded, oldest first; nothing when there is no such file.

    Raises:
        StudyProblem: A line of a file is no record of a test.
    """
    if isinstance(kept, Path):
        return list(_read(kept)) if kept.exists() else []
    with open_store(kept) as store:
        _take_over(store, kept.path / OLD)
        return [_trial(row) for row in kept_trials.everything(store)]


def _take_over(store: Store, old: Path) -> None:
    if old.exists() and not kept_trials.is_taken_over(store):
        kept_trials.take_over(store, [asdict(one) for one in _read(old)])


def _trial(values: dict[str, Any]) -> Trial:
    return Trial(**{**values, "scores": tuple(map(tuple, values.get("scores") or ()))})


def latest(study: Study) -> list[Trial]:
    """The last outcome of every test, judge and metric, the newest first."""
    require_results(study)
    found = {(one.kind, one.judge, one.metric): one for one in trials(study)}
    return sorted(found.values(), key=lambda one: one.at, reverse=True)


def _read(path: Path) -> Iterator[Trial]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield _trial(json.loads(line))
        except (TypeError, ValueError, AttributeError):
            raise StudyProblem(
                f"{path}:{number}: no record of a judge's test; delete the line, or name another file"
            ) from None


def record(kept: Record, trial: Trial) -> None:
    """Adds one outcome.

    Raises:
        StudyProblem: It cannot be written.
    """
    if isinstance(kept, Study):
        with open_store(kept) as store:
            _take_over(store, kept.path / OLD)
            kept_trials.add(store, [asdict(trial)])
        return
    with writing(kept.parent), kept.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(trial), ensure_ascii=False, allow_nan=False) + "\n")


def note_ablation(study: Study, judge: str, metric: str, *, passed: bool | None, sentence: str) -> None:
    """Keeps what an ablation found of one metric."""
    trial = Trial(kind="ablation", at=now(), judge=judge, metric=metric, passed=passed, sentence=sentence)
    record(study, trial)
