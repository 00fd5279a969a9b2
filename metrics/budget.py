"""Where the width of an interval comes from, and which purchase would shrink it most."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

import numpy as np

from metrics.annotators import between_annotators
from metrics.arguments import check
from metrics.correction import FLOOR, corrected, predicting
from metrics.definitions import Metric
from metrics.estimate import About
from metrics.greg import Greg, greg
from metrics.prediction import Prediction
from metrics.rows import Codes, Floats, JudgedRows, LabelledRows, Slice, joined
from metrics.runs import run_variance
from metrics.sample import Population, Sample
from metrics.slips import slip_variance
from metrics.table import OfMetric, Options, columns_of
from metrics.tasks import over_tasks, task_scores, tasks_of
from sampling.design import OVERALL_MEAN, Design

Source = Literal["tasks", "runs", "labels", "annotators", "judge"]

SOURCES: tuple[Source, ...] = ("tasks", "runs", "labels", "annotators", "judge")

PURCHASES: dict[Source, str] = {
    "labels": "doubling the labels",
    "tasks": "doubling the tasks",
    "runs": "doubling the runs",
    "annotators": "having the same labels from twice as many annotators",
    "judge": "a second verdict of the judge on everything",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One source of the variance of an estimate."""

    source: Source
    share: float | None
    """Of the variance, in [0, 1]; the known shares add up to 1. None where the data cannot tell."""
    doubled: float | None
    """Half the width of the interval with twice as much of it, in the metric's unit; None where the data cannot tell,
    or where more of it would be another question."""
    why_unknown: str | None = None
    """A sentence for a person when the share, or what more of it would do, is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The uncertainty budget of one estimate."""

    n: int
    """Labelled rows of the slice."""
    half_width: float | None
    """Half the width of its interval now; None when there is none."""
    parts: tuple[Part, ...] = ()
    why_undefined: str | None = None
    """A sentence for a person, exactly when there is no half width."""

    @property
    def best(self) -> Part | None:
        """What would shrink the interval most if there were twice as much of it; None if nothing is known to."""
        known = [part for part in self.parts if part.doubled is not None]
        return min(known, key=lambda part: part.doubled or 0.0, default=None)

    @property
    def sentence(self) -> str:
        """What to buy next, and what the others would do."""
        if self.half_width is None:
            return self.why_undefined or ""
        known = sorted((part.doubled, part.source) for part in self.parts if part.doubled is not None)
        helps = [(width, source) for width, source in known if width < self.half_width]
        if not helps:
            return f"±{100 * self.half_width:.1f} points; nothing that could be bought is known to shrink it"
        (first, source), *rest = helps
        others = "".join(f"; {PURCHASES[other]} to ±{100 * width:.1f}" for width, other in rest)
        # More tasks with the same labels spread these thinner, which can cost more than it brings.
        others += "".join(f"; {PURCHASES[other]} alone would not shrink it" for _, other in known[len(helps) :])
        now = f"from ±{100 * self.half_width:.1f} to ±{100 * first:.1f} points"
        return f"{PURCHASES[source]} would shrink the interval {now}{others}"


def budget(
    sample: Sample,
    population: Population,
    *,
    questions: tuple[Codes, Codes] | None = None,
    again: Codes | None = None,
    prediction: Prediction | None = None,
    level: float = 0.95,
    floor: int = FLOOR,
    about: About = "such tasks",
) -> Budget:
    """The shares of tasks, runs, labels, annotators and judge noise in the variance of a corrected metric.

    With u = (num - R den) / T(den) of every response, uhat its prediction and e what the prediction misses,

        labels:      the design's variance V(e), with its finite-population correction, and what annotators slip, which
                     has none (`slips`);
        tasks, runs: G/(G-1) sum_g (z_g - zbar)^2 of `tasks.task_variance`, less what the draw of labels puts into it;
        runs:        sum over questions of r times the variance of u between its r runs, by uhat on the frame and by
                     products of e in labelled pairs of runs; the rest is of tasks;
        annotators:  `annotators.between_annotators` less the draw that is in it;
        judge:       V((e - e') / 2^.5) from a second verdict e' of the same judge; it is taken out of the labels.

    Twice as many labels, tasks or runs halve their part; the labels' part changes by the finite-population correction
    too (the labels stay as many when tasks or runs double). The interval shrinks by the root of the variance.

    Assumes that tasks, runs within a question and annotators are like random samples of such.

    Args:
        sample: As for `corrected`, of target A; with `task`, and with `annotator` to tell annotators apart.
        population: As for `corrected`, with `task`.
        questions: What was asked in each group of the population and in each sampled row: rows of one question (task,
            condition, model and prompt) are its runs. None where that is not known.
        again: Patterns of a second verdict of the same judge on the sampled rows, made without the first; None where
            there is none.
        prediction: As for `corrected`.
        level: Confidence level in (0, 1).
        floor: As for `corrected`.
        about: Of these responses there are no other tasks or runs: only labels, annotators and judge count.

    Returns:
        Shares of what the data can tell; for the others, why not. Undefined as `corrected` is.

    Raises:
        ValueError: As for `corrected`; the sample holds adjudicated values.

    Source: Searle, Casella & McCulloch (1992), Variance Components, chapter 3, doi:10.1002/9780470316856; components
    under a sampling design: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, chapters 4 and 9.
    """
    if sample.second is not None:
        raise ValueError("adjudicated values have no budget; give the labels of target A alone")
    share = corrected(sample, population, level=level, floor=floor, prediction=prediction, about=about)
    n = int(np.sum(sample.in_slice))
    if share.value is None or share.low is None or share.high is None:
        return Budget(n=n, half_width=None, why_undefined=share.why_undefined)
    found = greg(sample, population, predicting(sample, population, prediction))
    if found is None or not share.se:
        return Budget(n=n, half_width=None, why_undefined="undefined: no variation was seen that could be divided")
    parts = _Variances(sample, population, found, about).parts(questions, again)
    whole = sum(part.now for part in parts if part.why is None)
    # The interval may also be for other annotators, which `share` is not.
    half_width = (share.high - share.low) / 2 * max(1.0, sqrt(whole) / share.se)
    return Budget(n=n, half_width=half_width, parts=tuple(_part(part, parts, whole, half_width) for part in parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A variance now, and by how much the whole falls when there is twice as much of its source."""

    source: Source
    now: float = 0.0
    saved: float | None = None
    why: str | None = None
    note: str | None = None


def _part(piece: _Piece, pieces: Sequence[_Piece], whole: float, half_width: float) -> Part:
    if piece.why is not None or whole <= 0:
        return Part(source=piece.source, share=None, doubled=None, why_unknown=piece.why or "no variance was seen")
    left = None if piece.saved is None else half_width * sqrt(max(whole - piece.saved, 0.0) / whole)
    return Part(source=piece.source, share=piece.now / whole, doubled=left, why_unknown=piece.note)


class _Variances:
    """The pieces of one estimate; the scores are those of `greg.Greg`."""

    def __init__(self, sample: Sample, population: Population, found: Greg, about: About) -> None:
        self._sample, self._population, self._found, self._about = sample, population, found, about
        self._score = found.score(sample)
        self._of_draw = sample.design.variance(self._score)
        self._slips = slip_variance(sample, self._score, found.apart(sample), sample.in_slice)

    def parts(self, questions: tuple[Codes, Codes] | None, again: Codes | None) -> list[_Piece]:
        """One piece per source, in order."""
        tasks, runs = self._tasks_and_runs(questions)
        judge = self._judge(again)
        twice = self._of_draw - _redrawn(self._sample.design, self._score, labels=2)
        labels = _Piece(source="labels", now=self._of_draw + self._slips - judge.now, saved=twice)
        return [tasks, runs, labels, self._annotators(), judge]

    def _tasks_and_runs(self, questions: tuple[Codes, Codes] | None) -> tuple[_Piece, _Piece]:
        if self._about == "these responses":
            note = "the interval is for these responses: others would be another population"
            return _Piece(source="tasks", note=note), _Piece(source="runs", note=note)
        sample, design = self._sample, self._sample.design
        tasks = tasks_of(sample, self._population)
        spread = over_tasks(task_scores(sample, self._population, self._found, tasks))
        # The draw is in each task's score without its stratum's mean taken off.
        plain = replace(design, centre=np.full(len(self._score), OVERALL_MEAN, dtype=np.int64))
        both = max(spread - plain.variance(self._score) - self._slips, 0.0)
        of_frame = self._of_draw - _redrawn(design, self._score, frame=2)
        runs = run_variance(sample, self._population, self._found, questions)
        if isinstance(runs, str):
            together = "with the runs, which the data do not tell apart"
            return (
                _Piece(source="tasks", now=both, saved=both / 2 + of_frame, note=together),
                _Piece(source="runs", why=runs),
            )
        of_runs = min(max(runs, 0.0), both)
        within = self._of_draw - _redrawn(design, self._score, frame=2, same_contexts=True)
        return (
            _Piece(source="tasks", now=both - of_runs, saved=both / 2 + of_frame),
            _Piece(source="runs", now=of_runs, saved=of_runs / 2 + within),
        )

    def _annotators(self) -> _Piece:
        sample = self._sample
        if sample.annotator is None:
            return _Piece(source="annotators", why="not known: who labelled which response is not given")
        between = between_annotators(sample, self._score, sample.in_slice)
        if isinstance(between, str):
            return _Piece(source="annotators", why=between)
        nothing = np.zeros(len(self._score))
        drawn = replace(sample.design, first_fraction=nothing, second_fraction=nothing).variance(self._score)
        now = max(between.variance - drawn, 0.0)
        return _Piece(source="annotators", now=now, saved=now / 2)

    def _judge(self, again: Codes | None) -> _Piece:
        if again is None:
            why = "not known: every response has one verdict; what the judge misses is in the labels"
            return _Piece(source="judge", why=why)
        moved = self._found.score(replace(self._sample, code=again)) - self._score
        now = min(self._sample.design.variance(moved) / 2, self._of_draw)
        return _Piece(source="judge", now=now, saved=now / 2)


def _redrawn(
    design: Design, score: Floats, *, labels: float = 1, frame: float = 1, same_contexts: bool = False
) -> float:
    """The design's variance with so many times the labels from a frame so many times as large.

    In a linked draw the contexts grow with both, unless these stay the same and only hold more responses.
    """
    grown = "second_fraction"
    if not same_contexts and bool((design.first_fraction < 1).any()):
        grown = "first_fraction"
    fraction = np.minimum(1, getattr(design, grown) * labels / frame)
    return replace(design, **{grown: fraction}).variance(score) / labels


def budgets(
    judged: JudgedRows,
    labelled: LabelledRows,
    *,
    metrics: Iterable[Metric],
    slices: Iterable[Slice],
    options: Options,
    question: Sequence[str] = ("task_id", "condition", "model", "prompt"),
) -> list[tuple[str, Slice, Budget]]:
    """The budget of each metric on each slice, with the metric's name.

    Args:
        judged: As for `table.detailed`.
        labelled: As for `table.detailed`; with `annotator` to tell annotators apart.
        metrics: What was computed.
        slices: Where.
        options: As for `table.detailed`.
        question: Columns that together say what was asked of whom; rows alike in all of them are its runs. Unless both
            tables have all of them, runs are not told apart.

    Raises:
        ValueError: As for `table.detailed`; the labels are adjudicated.
        KeyError: As for `table.detailed`.
    """
    places = list(slices)
    check(judged, labelled, places, needed=columns_of(options), contexts=options.contexts)
    known = all(column in rows.columns for rows in (judged, labelled) for column in question)
    asked = joined(judged.columns, labelled.columns, question) if known else None
    found = []
    for metric in metrics:
        # The annotators count whenever they are known.
        of = OfMetric(metric, judged, labelled, replace(options, annotators="annotators like these"))
        for place in places:
            at = of.where(place)
            sample, population = of.case(at)
            one = budget(
                sample,
                population,
                questions=None if asked is None else (asked[0][at.here], asked[1][of.usable]),
                prediction=of.prediction_at(at),
                level=options.level,
                floor=options.floor,
                about=options.about,
            )
            found.append((metric.name, place, one))
    return found
