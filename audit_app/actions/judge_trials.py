"""What came out whenever a judge was put to a test: one line of JSON each, added to a file and never changed."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from audit_app.actions.seal import require_results
from data.errors import StudyProblem
from data.store.connection import now
from data.study import Study, writing

NAME = "judge_trials.jsonl"
"""In the folder of a study, where there is one."""


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


def trials(path: Path) -> list[Trial]:
    """What was recorded in a file, oldest first; nothing when there is no such file.

    Raises:
        StudyProblem: A line is no record of a test.
    """
    return list(_read(path)) if path.exists() else []


def trials_of(study: Study) -> list[Trial]:
    """What was recorded in a study."""
    return trials(study.path / NAME)


def latest(study: Study) -> list[Trial]:
    """The last outcome of every test, judge and metric, the newest first."""
    require_results(study)
    found = {(one.kind, one.judge, one.metric): one for one in trials_of(study)}
    return sorted(found.values(), key=lambda one: one.at, reverse=True)


def _read(path: Path) -> Iterator[Trial]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            values = json.loads(line)
            yield Trial(**{**values, "scores": tuple(map(tuple, values.get("scores") or ()))})
        except (TypeError, ValueError, AttributeError):
            raise StudyProblem(
                f"{path}:{number}: no record of a judge's test; delete the line, or name another file"
            ) from None


def record(path: Path, trial: Trial) -> None:
    """Adds one outcome.

    Raises:
        StudyProblem: The file cannot be written.
    """
    with writing(path.parent), path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(trial), ensure_ascii=False, allow_nan=False) + "\n")


def note_ablation(study: Study, judge: str, metric: str, *, passed: bool | None, sentence: str) -> None:
    """Keeps what an ablation found of one metric."""
    trial = Trial(kind="ablation", at=now(), judge=judge, metric=metric, passed=passed, sentence=sentence)
    record(study.path / NAME, trial)
