"""The two parts of a sample's tasks: dev, for tuning a judge, and validation, which stays sealed until the end.

What was tuned on the audit is not validated by it, and a prompt first used after results were opened may have been.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from audit_app.actions.seal import Seal
from data.errors import StudyProblem
from data.frame import Frame, prompt_dates
from data.store import events, judgements
from data.store.connection import Store
from metrics.correction import FLOOR
from sampling.split import part

Split = Literal["dev", "validation"]
OfTask = Callable[[str], bool]


def part_of(sample: Mapping[str, Any], task_id: str) -> Split | None:
    """Dev or validation, for good; None when the sample has no such split."""
    return part(task_id, sample["dev"], seed=sample["seed"]) if sample["dev"] else None


def tasks_of(sample: Mapping[str, Any], split: Split | None) -> OfTask:
    """Whether a task is of this part; all are where no part is asked for.

    Raises:
        StudyProblem: The sample has no such parts.
    """
    if split is None:
        return lambda task_id: True
    if not sample["dev"]:
        raise StudyProblem(
            f"sample {sample['sample_id']} has no dev part: no tasks were set aside for tuning a judge. Draw with "
            "`evidence-audit sample draw --dev 0.3`"
        )
    return lambda task_id: part_of(sample, task_id) == split


def notes_of_split(sample: Mapping[str, Any], draws: Sequence[Mapping[str, Any]]) -> list[str]:
    """What to say of a sample where a side of its split has too few responses to be of use."""
    if not sample["dev"] or not draws:
        return []
    n = Counter(part_of(sample, draw["task_id"]) for draw in draws)
    notes = [] if n["dev"] else ["no drawn response is of a dev task: there is nothing to tune a judge on; raise --dev"]
    if n["validation"] < FLOOR:
        notes.append(
            f"{n['validation']} of {len(draws)} drawn responses are left to validate a judge on; fewer than {FLOOR} "
            "say little: lower --dev, or draw more"
        )
    return notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """Which prompts of a judge may have been tuned on what it is checked against."""

    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels whose prompt was first used after results were opened, and when."""
    n_undated: int = 0
    """Imported verdicts of which nobody knows when their prompt was first used."""
    n: int = 0
    """Imported verdicts."""


def tuned(store: Store, frame: Frame, judge: str, seal: Seal, labels: Sequence[str]) -> Tuned:
    """What is known of a judge's prompts: by label where it was run here, else by what its verdicts say of their dates.

    Results are open from the moment that somebody opened them, else from the last planned label on.
    """
    opened = seal.opened_at or _last_planned(store)
    if judge in judgements.judges(store):
        first, n_undated, n = judgements.first_asked(store, judge), 0, 0
    else:
        newest, n_undated, n = prompt_dates(frame, judge)
        first = dict.fromkeys(labels, newest or "")
    late = {label: at for label, at in first.items() if seal.is_open and opened is not None and at > opened}
    return Tuned(labels=late, n_undated=n_undated, n=n)


def _last_planned(store: Store) -> str | None:
    given = [row["created_at"] for kind in ("response", "context") for row in events.answers(store, kind)
             if row["purpose"] == "plan" and row["created_at"]]  # fmt: skip
    return max(given, default=None)
