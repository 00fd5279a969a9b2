"""Whether a judge's metrics see what they must not see: samples, calls, findings and one sentence per metric."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from audit_app.actions.wiring_verdict import Changed, Found
from data.errors import Problem, StudyProblem
from data.reading import read
from data.rows import Row
from data.rubric import Rubric
from data.store import items
from data.store.connection import open_store
from data.study import Study
from judge import ablation
from judge.ablation import GIVEN, GOLD_ONLY, PASSAGES_ONLY, TOLD, Scores, Variant
from judge.harness import Harness
from judge.samples import Sample, sample_from, sample_of
from judge.wiring import Wiring, wirings
from metrics.ablation import Leak, Reading, reading, shifts


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """What a judge is asked about, and the task of each."""

    samples: tuple[Sample, ...]
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricWiring:
    """What was found of one metric."""

    metric: str
    given: Reading
    changes: tuple[Changed, ...]
    readings: tuple[tuple[str, Reading], ...]
    """The four readings with and without the gold answer, where they make sense; else empty."""
    leak: Leak | None
    verdict: str
    """wired, leaks, blind, unread (too many scores are missing), floor (nothing that could fall) or unclear."""
    sentence: str

    @property
    def passed(self) -> bool:
        """Whether it does not leak, and looks at what it must."""
        return self.verdict in ("wired", "unclear")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """What was found of a judge."""

    n: int
    repeats: int
    margin: float
    level: float
    metrics: tuple[MetricWiring, ...]
    problems: dict[str, int]
    """Why scores are missing, and how often."""

    @property
    def passed(self) -> bool:
        """Whether no metric leaks, and none fails to look at what it must."""
        return all(metric.passed for metric in self.metrics)


def known(rubric: Rubric, names: Sequence[str]) -> list[Wiring]:
    """The wirings of metrics by their names.

    Raises:
        StudyProblem: There is no such metric.
    """
    there = wirings(rubric.questions)
    unknown = [name for name in names if name not in there]
    if unknown:
        raise StudyProblem(f"no metric {', '.join(unknown)}; expected some of {', '.join(there)}")
    return [there[name] for name in dict.fromkeys(names)]


def drawn_samples(study: Study, size: int, seed: int) -> Samples:
    """Drawn responses that have passages and a gold answer, at most `size` of them at random.

    Raises:
        StudyProblem: There are none.
    """
    with open_store(study) as store:
        rows = sorted(
            (row for row in items.everything(store) if row["item_kind"] == "response" and row["context_id"]),
            key=lambda row: str(row["item_id"]),
        )
        random.Random(seed).shuffle(rows)
        loaded = (items.load(store, "response", row["item_id"]) for row in rows)
        found = [item for item in loaded if item.task.gold_answer][:size]
    if not found:
        raise StudyProblem("no drawn response has passages and a gold answer; draw a sample, or give --samples FILE")
    return Samples(
        samples=tuple(sample_of(item, str(k)) for k, item in enumerate(found)),
        tasks=tuple(item.task.task_id for item in found),
    )


def file_samples(path: Path, size: int, seed: int) -> Samples:
    """The samples of a file, at most `size` of them at random.

    Raises:
        StudyProblem: With every problem of the file.
    """
    problems: list[Problem] = []
    found: list[tuple[Sample, str]] = []
    for row in read(path):
        if isinstance(row, Row):
            try:
                found.append(sample_from(row.values, str(len(found))))
            except ValueError as error:
                problems.append(Problem(where=row.where, message=str(error)))
        else:
            problems.append(row)
    if problems or not found:
        raise StudyProblem(problems or f"{path}: no samples; expected one a row")
    random.Random(seed).shuffle(found)
    samples, tasks = zip(*found[:size], strict=True)
    return Samples(samples=samples, tasks=tasks)


def ablate(
    harness: Harness,
    chosen: Samples,
    wired: Sequence[Wiring],
    *,
    repeats: int = 5,
    margin: float = 0.05,
    level: float = 0.99,
    seed: int = 1,
    on_answer: Callable[[int, int], None] = lambda done, total: None,
) -> Ablation:
    """Asks a judge about every variant of the samples, and says of each metric how it is wired.

    Raises:
        StudyProblem: The samples are of one task, the harness cannot be run, or no score could be read.
    """
    try:
        scores = ablation.ablate(
            harness, chosen.samples, chosen.tasks, wired, repeats=repeats, seed=seed, on_answer=on_answer
        )
    except ValueError as error:
        raise StudyProblem(str(error)) from None
    metrics = tuple(_metric(scores, wiring, chosen.tasks, margin, level) for wiring in wired)
    return Ablation(
        n=len(chosen.samples), repeats=repeats, margin=margin, level=level, metrics=metrics, problems=scores.problems
    )


def _metric(scores: Scores, wiring: Wiring, tasks: Sequence[str], margin: float, level: float) -> MetricWiring:
    name, given = wiring.name, reading(scores.of(wiring.name, GIVEN))
    if given.value is None:
        why = max(scores.problems, key=lambda problem: scores.problems[problem], default="no answer")
        raise StudyProblem(f"no score of {name} could be read; most often: {why}")
    changes = (*_changes(scores, wiring, tasks, margin, level),)
    readings = _readings(scores, wiring)
    values = [value for _, one in readings if (value := one.value) is not None]
    leak = Leak(**dict(zip(Leak.__slots__, values, strict=True))) if len(values) == len(Leak.__slots__) else None
    calls = sum(map(len, scores.of(name, GIVEN)))
    verdict, sentence = Found(
        wiring=wiring, given=given, changes=changes, calls=calls, margin=margin, problems=scores.problems
    ).verdict()
    return MetricWiring(
        metric=name,
        given=given,
        changes=changes,
        readings=readings,
        leak=leak,
        verdict=verdict,
        sentence=sentence,
    )


def _changes(scores: Scores, wiring: Wiring, tasks: Sequence[str], margin: float, level: float) -> list[Changed]:
    """What must not be seen is one family of tests; what must be seen has to move the score every time."""
    found = []
    for artifacts, outside in ((wiring.outside, True), (wiring.inside, False)):
        ways = [way for way in ablation.variants([wiring]) if way.artifact in artifacts]
        moved = shifts(
            scores.of(wiring.name, GIVEN),
            {_label(way): scores.of(wiring.name, way) for way in ways},
            tasks,
            margin=margin,
            level=level,
        )
        found += [
            Changed(
                artifact=way.artifact,
                change=way.change,
                outside=outside,
                score=reading(scores.of(wiring.name, way)),
                shift=moved[_label(way)],
            )
            for way in ways
            if way.artifact and way.change
        ]
    return found


def _label(way: Variant) -> str:
    return f"{way.artifact} {way.change}"


def _readings(scores: Scores, wiring: Wiring) -> tuple[tuple[str, Reading], ...]:
    if not ablation.has_readings(wiring):
        return ()
    ways = {
        "passages only": PASSAGES_ONLY,
        "passages + gold answer": GIVEN,
        "passages + gold answer + “ignore it”": TOLD,
        "gold answer only": GOLD_ONLY,
    }
    return tuple((name, reading(scores.of(wiring.name, way))) for name, way in ways.items())
