"""A judge asked about the same samples again and again, each time with one artifact changed."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from judge.harness import Harness
from judge.samples import Change, Sample, blanked, exchanged, misled, partners
from judge.wiring import ARTIFACTS, Artifact, Wiring

INSTRUCTION = "Judge by the supplied passages alone; ignore the reference answer even where it is shown."
"""What the reading "told to ignore it" adds to a sample."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to show the samples: as given, with one artifact changed, or with the instruction."""

    artifact: Artifact | None = None
    change: Change | None = None
    told: bool = False


GIVEN = Variant()
TOLD = Variant(told=True)
PASSAGES_ONLY = Variant("gold", "blank")
GOLD_ONLY = Variant("passages", "blank")


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores per metric and variant, as lists of samples × repeats; nan where none could be read."""

    values: dict[tuple[str, Variant], list[list[float]]]
    problems: dict[str, int] = field(default_factory=dict)
    """Why scores are missing, and how often."""

    def of(self, metric: str, variant: Variant) -> list[list[float]]:
        """Scores of one metric under one variant."""
        return self.values[metric, variant]


def variants(wirings: Iterable[Wiring]) -> list[Variant]:
    """The samples as given, and every change that tells something of one of these metrics.

    What a metric must not see is blanked and exchanged, the gold answer also falsified; what it must see is blanked.
    The instruction is given where the gold answer is out of bounds and the passages are not.
    """
    wired = list(wirings)
    outside = {artifact for wiring in wired for artifact in wiring.outside}
    found = [GIVEN]
    for artifact in ARTIFACTS:
        found.append(Variant(artifact, "blank"))
        found += [Variant(artifact, "swap")] * (artifact in outside)
    found += [Variant("gold", "false")] * ("gold" in outside)
    found += [TOLD] * any(has_readings(wiring) for wiring in wired)
    return found


def has_readings(wiring: Wiring) -> bool:
    """Whether the four readings with and without the gold answer make sense of this metric."""
    return "gold" in wiring.outside and "passages" in wiring.inside


def shown(sample: Sample, variant: Variant, other: Sample) -> Sample:
    """The sample under a variant; `other` is of another task."""
    if variant.told:
        return {**sample, "instruction": INSTRUCTION}
    if variant.artifact is None:
        return sample
    if variant.change == "swap":
        return exchanged(sample, variant.artifact, other)
    return misled(sample) if variant.change == "false" else blanked(sample, variant.artifact)


def ablate(
    harness: Harness,
    samples: Sequence[Sample],
    tasks: Sequence[str],
    wirings: Sequence[Wiring],
    *,
    repeats: int,
    seed: int,
    on_answer: Callable[[int, int], None] = lambda done, total: None,
) -> Scores:
    """Scores of every variant.

    All calls are made in one random order, so that a judge that drifts while it is asked drifts under every variant
    alike; ids are numbers in that order and say nothing.

    Args:
        harness: The judge.
        samples: At least two, of two tasks or more.
        tasks: Task of each sample.
        wirings: The metrics that are read from its answers.
        repeats: How often every variant is asked, at least 1.
        seed: Of the order and of the exchanges.
        on_answer: Told after each answer how many there are, of how many.

    Raises:
        ValueError: The samples are all of one task.
    """
    partner, ways = partners(tasks, seed), variants(wirings)
    calls = [(i, way, k) for i in range(len(samples)) for way in ways for k in range(repeats)]
    random.Random(seed).shuffle(calls)
    asked = [
        {**shown(samples[i], way, samples[partner[i]]), "id": str(number)} for number, (i, way, _) in enumerate(calls)
    ]
    missing = float("nan")
    found = Scores({(w.name, way): [[missing] * repeats for _ in samples] for w in wirings for way in ways})
    for done, (answer, (i, way, k)) in enumerate(zip(harness(asked), calls, strict=True), 1):
        for wiring in wirings:
            score, problem = answer.score(wiring.name)
            if score is not None:
                found.values[wiring.name, way][i][k] = score
            elif problem:
                found.problems[problem] = found.problems.get(problem, 0) + 1
        on_answer(done, len(calls))
    return found
