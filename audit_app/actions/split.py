"""The two parts of a sample's tasks: dev, for tuning a judge, and validation, which stays sealed until the end.

What was tuned on the audit is not validated by it, and a prompt first used after results were opened may have been.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from audit_app.actions.seal import Seal
from data.errors import StudyProblem
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


def tuned_labels(store: Store, judge: str, seal: Seal) -> dict[str, str]:
    """Labels of a judge whose prompt was first used after results were opened, and when; of judges that were run here.

    Results are open from the moment that somebody opened them, else from the last planned label on.
    """
    opened = seal.opened_at or _last_planned(store)
    if not seal.is_open or opened is None:
        return {}
    return {label: first for label, first in judgements.first_asked(store, judge).items() if first > opened}


def _last_planned(store: Store) -> str | None:
    given = [row["created_at"] for kind in ("response", "context") for row in events.answers(store, kind)
             if row["purpose"] == "plan" and row["created_at"]]  # fmt: skip
    return max(given, default=None)
