"""Two sets of verdicts of one judge, of two dates: does it still say the same?"""

from dataclasses import dataclass

import numpy as np

from audit_app.actions.pairing import Matched
from data import frame as frames
from data.errors import StudyProblem
from data.records import LABELS
from metrics.definitions import LABELS as ORDER
from metrics.difference import Difference
from metrics.mcnemar import Discordant
from metrics.multiple import holm
from metrics.paired import Pairs, clustered
from metrics.permutation import sign_flip


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One label at two dates, on the responses that have it at both."""

    label: str
    difference: Difference
    """Share of yes later less earlier; tasks are whole."""
    p: float | None
    """By sign flips of whole tasks."""
    p_adjusted: float | None
    """Holm's, over the labels."""
    flips: Discordant
    """Yes only later (`only_first`), and yes only earlier."""


def judge_drift(frame: frames.Frame, earlier: str, later: str, *, seed: int = 1, level: float = 0.95) -> list[Drift]:
    """How a judge changed between two dates, label by label; needs no labels of people.

    Flips that balance are noise, or an unstable judge; a difference of the shares is drift.

    Raises:
        StudyProblem: The two have no response in common.
    """
    matched = Matched.of(frame, "judge", None, {})
    pair = (later, earlier)
    if earlier == later or not matched.size(pair):
        raise StudyProblem(
            f"no response has verdicts of both {earlier!r} and {later!r}; give the two dates of a judge names of their "
            "own (judge run --judge NAME, or the field judge of imported verdicts)"
        )
    counted = matched.counted[pair]
    found = []
    for label in LABELS:
        new, old = (side[ORDER.index(label)] for side in counted.labels)
        flips = Discordant.of_answers(new, old, counted.n)
        if not flips.n:
            continue
        ones = np.ones(len(new))
        pairs = Pairs.of_terms((new, ones), (old, ones), counted.task, count=counted.n)
        found.append((label, clustered(pairs, level=level), sign_flip(pairs, seed=seed).p, flips))
    adjusted = holm([p for _, _, p, _ in found])
    return [
        Drift(label=label, difference=difference, p=p, p_adjusted=after, flips=flips)
        for (label, difference, p, flips), after in zip(found, adjusted, strict=True)
    ]
