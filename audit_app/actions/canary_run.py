"""A judge on the canaries: does it find grounded what no passage establishes, more than when it was first asked?"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

from audit_app.actions.judge_trials import Record, Trial, record, trials
from audit_app.actions.wording import percent
from data.canaries import PREFIX, canaries, canary_hash
from data.errors import StudyProblem
from data.store.connection import now
from judge.harness import Harness
from judge.samples import sample_of
from metrics.ablation import Reading, reading
from metrics.canary import Rise, rise

NAN = float("nan")
Scores = list[list[float]]

GROUNDED = 0.5
"""A canary is called grounded from this mean score on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryRun:
    """What a judge makes of the canaries now, beside the baseline."""

    judge: str
    metric: str
    set_hash: str
    n: int
    repeats: int
    now: Reading
    baseline: Reading
    """The same as `now` when this run is the baseline."""
    baseline_at: str
    is_baseline: bool
    rise: Rise | None
    """None when there was nothing to compare with."""
    rose: tuple[str, ...]
    """Names of the canaries on which the score is higher now, those that rose most first."""
    grounded: tuple[str, ...]
    """Names of the canaries that are called grounded now."""
    problems: dict[str, int]
    """Why scores are missing, and how often."""
    sentence: str

    @property
    def passed(self) -> bool:
        """Whether grounding did not rise."""
        return self.rise is None or not self.rise.rose


def run_canaries(
    harness: Harness,
    judge: str,
    metric: str,
    kept: Record,
    *,
    repeats: int = 5,
    level: float = 0.99,
    renew: bool = False,
    on_answer: Callable[[int, int], None] = lambda done, total: None,
) -> CanaryRun:
    """Asks a judge about the canaries, compares with the baseline, and records the run.

    The baseline is the last run of this judge, on this metric and this very set, that was recorded as one; where there
    is none, this run becomes it.

    Args:
        harness: The judge.
        judge: Its name in the record.
        metric: Which of its scores is grounding.
        kept: The record.
        repeats: How often every canary is asked, at least 1.
        level: 1 less the chance that noise alone is taken for a rise.
        renew: Make this run the baseline of later ones, whatever was recorded.
        on_answer: Told after each answer how many there are, of how many.

    Raises:
        StudyProblem: The harness cannot be run, few scores could be read, or the record cannot be used.
    """
    before = trials(kept)
    scores, problems = _ask(harness, metric, repeats, on_answer)
    found = reading(scores)
    if 2 * found.n < len(scores):
        why = max(problems, key=lambda problem: problems[problem], default="no answer")
        raise StudyProblem(f"a score of {metric} could be read on {found.n} of {len(scores)} canaries; expected half "
                           f"of them at least. Most often: {why}")  # fmt: skip
    old = None if renew else _baseline(before, judge, metric)
    compared = None if old is None else rise(_floats(old), scores, level=level)
    names = [canary.item_id.removeprefix(PREFIX) for canary in canaries()]
    rose = tuple(names[place] for place in compared.samples) if compared else ()
    grounded = tuple(name for name, row in zip(names, scores, strict=True) if _mean(row) >= GROUNDED)
    base = found if old is None else reading(_floats(old))
    sentence = _compared(judge, found, base, old, compared, rose) if old and compared else _recorded(
        judge, metric, before, found, len(grounded)
    )  # fmt: skip
    trial = Trial(
        kind="canary", at=now(), judge=judge, metric=metric, sentence=sentence, set_hash=canary_hash(),
        passed=compared is None or not compared.rose, baseline=old is None,
        scores=tuple(tuple(None if isnan(score) else score for score in row) for row in scores),
    )  # fmt: skip
    record(kept, trial)
    return CanaryRun(
        judge=judge, metric=metric, set_hash=canary_hash(), n=len(names), repeats=repeats, now=found, baseline=base,
        baseline_at=old.at if old else trial.at, is_baseline=old is None, rise=compared, rose=rose, grounded=grounded,
        problems=problems, sentence=sentence,
    )  # fmt: skip


def _ask(
    harness: Harness, metric: str, repeats: int, on_answer: Callable[[int, int], None]
) -> tuple[Scores, dict[str, int]]:
    """All calls in one order that is always the same, so that a judge that tires does so evenly."""
    samples = [sample_of(canary.item, str(place)) for place, canary in enumerate(canaries())]
    calls = [(place, k) for place in range(len(samples)) for k in range(repeats)]
    random.Random(1).shuffle(calls)
    asked = [{**samples[place], "id": str(number)} for number, (place, _) in enumerate(calls)]
    scores, problems = [[NAN] * repeats for _ in samples], dict[str, int]()
    try:
        for done, (answer, (place, k)) in enumerate(zip(harness(asked), calls, strict=True), 1):
            score, problem = answer.score(metric)
            if score is not None:
                scores[place][k] = score
            elif problem:
                problems[problem] = problems.get(problem, 0) + 1
            on_answer(done, len(calls))
    except ValueError as error:
        raise StudyProblem(str(error)) from None
    return scores, problems


def _baseline(before: Sequence[Trial], judge: str, metric: str) -> Trial | None:
    """The last one, so that a baseline can be renewed."""
    key = ("canary", judge, metric, canary_hash(), True)
    return next((one for one in reversed(before) if _key(one) == key), None)


def _key(one: Trial) -> tuple[str, str, str, str | None, bool]:
    return one.kind, one.judge, one.metric, one.set_hash, one.baseline


def _floats(trial: Trial) -> Scores:
    return [[NAN if score is None else score for score in row] for row in trial.scores]


def _mean(row: Sequence[float]) -> float:
    there = [score for score in row if not isnan(score)]
    return sum(there) / len(there) if there else 0.0


def _recorded(judge: str, metric: str, before: Sequence[Trial], found: Reading, n_grounded: int) -> str:
    """Why there was nothing to compare with, and what the baseline is worth."""
    canary = [one for one in before if one.kind == "canary" and one.baseline]
    own = [one for one in canary if (one.judge, one.metric) == (judge, metric)]
    why = "nothing was recorded yet"
    if own:
        same = own[-1].set_hash == canary_hash()
        why = "a new baseline was asked for" if same else f"the set has changed since that of {own[-1].at[:10]}"
    elif canary:
        why = f"the record is of {', '.join(sorted({f'{one.judge} ({one.metric})' for one in canary}))}"
    scored = f"It scores {percent(found.value)} on {found.n} canaries."
    said = f"This run is the baseline of {judge} ({metric}): {why}. {scored}"
    if not n_grounded:
        return said
    return (
        f"{said} {n_grounded} of them are called grounded although no passage establishes them: try `evidence-audit "
        "judge ablate`, it may be shown the gold answer."
    )


def _compared(judge: str, found: Reading, base: Reading, old: Trial, compared: Rise, rose: Sequence[str]) -> str:
    if compared.value is None or compared.band is None:
        raise StudyProblem(f"{judge} cannot be compared with its baseline: {compared.why_undefined}")
    numbers = (
        f"{percent(found.value)} on {compared.n} canaries, {percent(base.value)} in the baseline of {old.at[:10]}"
        f" ({100 * compared.value:+z.1f} points, its noise reaches {100 * compared.band:.1f})"
    )
    if compared.rose:
        return f"{judge} finds more grounded than it did: {numbers}. Higher: {', '.join(rose)}."
    return f"{judge} finds no more grounded than it did: {numbers}."
