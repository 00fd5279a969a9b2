"""Finite populations with the structure of the study, and the samples that audit them."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from metrics.patterns import encode

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Logits of C, A, G (where A) and D for the five conditions, from the full evidence to none.
MIDDLE = {
    "C": [1.5, 0.3, 0.3, 0.0, -0.8],
    "A": [3.5, 3.0, 3.0, 2.2, 0.8],
    "G": [2.0, 1.0, 1.0, 0.5, -1.0],
    "D": [-2.2, -1.4, -1.4, -0.4, 0.4],
}
"""Silent shifts at about .2 of the responses."""
LOW = {
    "C": [1.5, 0.6, 0.6, 0.3, -0.2],
    "A": [3.5, 3.0, 3.0, 2.2, 0.8],
    "G": [3.7, 2.8, 2.8, 2.2, 0.6],
    "D": [-2.0, -1.4, -1.4, -0.8, 0.2],
}
"""Silent shifts at about .05."""
RARE = {
    "C": [2.0, 1.0, 1.0, 0.5, 0.0],
    "A": [3.5, 3.0, 3.0, 2.2, 0.8],
    "G": [3.2, 2.6, 2.6, 2.1, 1.0],
    "D": [-2.0, -1.4, -1.4, -0.8, 0.2],
}
"""As `LOW`, for judge-defined strata."""
NEAR_ONE = {
    "C": [3.6] * 5,
    "A": [3.5, 3.0, 3.0, 2.2, 2.0],
    "G": [1.0, 0.7, 0.7, 0.5, 0.3],
    "D": [3.6, 3.5, 3.5, 3.3, 3.3],
}
"""Accuracy and disclosure near .96."""

JUDGE_ERROR = np.array([0.03, 0.06, 0.08, 0.12, 0.18])
"""By condition, at the median task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Every response of a population; arrays of shape (N,), human of shape (4, N)."""

    human: Floats
    code: Codes
    """The judge's pattern."""
    stratum: Codes
    setting: Codes
    task: Codes
    condition: Codes
    run: Codes

    @property
    def context(self) -> Codes:
        """What was read: one per task and condition."""
        return self.task * 5 + self.condition

    @property
    def unit(self) -> Codes:
        """What settings are compared on: one per context and run."""
        return self.context * 3 + self.run

    def tasks(self, rng: np.random.Generator) -> "Frame":
        """As many tasks, drawn with replacement: the frame of a study from the same kind of tasks."""
        rows_of = np.argsort(self.task, kind="stable").reshape(int(self.task.max()) + 1, -1)
        rows = rows_of[rng.integers(0, len(rows_of), len(rows_of))].ravel()
        taken = {field.name: getattr(self, field.name)[..., rows] for field in fields(self)}
        return Frame(**taken | {"task": np.repeat(np.arange(len(rows_of)), rows_of.shape[1])})


def frame(
    rates: dict[str, list[float]],
    *,
    tasks: int,
    settings: int,
    by_judge: bool = False,
    errors: Floats | None = None,
    style: float = 0.3,
    seed: int = 20,
) -> Frame:
    """Tasks × 5 conditions × 3 runs × settings; tasks differ in difficulty, and so does the judge on them.

    Strata are setting × condition, or what the judge says: no shift, disclosed, silent. `errors` of shape (settings,)
    multiplies the judge's odds of an error by setting; `style` is the spread of settings on the logit scale.
    """
    rng = np.random.default_rng(seed)
    task, condition, run, setting = (axis.ravel() for axis in np.indices((tasks, 5, 3, settings)))
    ease = rng.normal(0, 0.7, tasks)[task]
    harder_to_judge = rng.normal(0, 0.6, tasks)[task]
    style = rng.normal(0, style, settings)[setting]

    def yes(label: str, more: Floats | float) -> Floats:
        chance = expit(np.array(rates[label])[condition] + more)
        return np.where(rng.random(len(task)) < chance, 1.0, 0.0)

    correct, answers = yes("C", ease + style), yes("A", 0.0)
    human = np.array([correct, answers, answers * yes("G", 0.5 * ease + style), yes("D", style)])
    by_setting = 0.0 if errors is None else np.log(errors)[setting]
    wrong = rng.random(human.shape) < expit(logit(JUDGE_ERROR)[condition] + harder_to_judge + by_setting)
    judge = np.where(wrong, 1 - human, human)
    shift = (judge[1] == 1) & (judge[2] == 0)
    verdict = np.where(~shift, 0, np.where(judge[3] == 1, 1, 2))
    stratum = verdict if by_judge else setting * 5 + condition
    return Frame(
        human=human,
        code=encode(*judge),
        stratum=stratum.astype(np.int64),
        setting=setting,
        task=task,
        condition=condition,
        run=run,
    )
