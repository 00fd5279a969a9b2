"""Two slices under one audit: as people would have it, how much do they differ."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from metrics.correction import FLOOR, Population, Sample, Share, corrected, predicting
from metrics.difference import NOTHING, Difference
from metrics.estimate import About
from metrics.greg import Greg, greg
from metrics.interval import Interval
from metrics.prediction import Prediction
from metrics.slips import slip_variance
from metrics.tasks import over_tasks, task_scores, tasks_of
from sampling.design import Design

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Variances = tuple[float, ...]
"""Of a difference, of its first and of its second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Side:
    """One of the two slices that are compared; worked out once, however many others it is compared with."""

    sample: Sample
    population: Population
    share: Share
    about: About
    score: Floats
    """What each sampled row adds to the share as its weight grows, shape (n,); 0 if all of the slice is labelled."""
    apart: Floats
    """By how much that differs with a second annotator's label, shape (n,); 0 likewise, and where there is none."""
    ratio: Greg | None
    """None when the share is undefined."""

    @classmethod
    def of(
        cls,
        sample: Sample,
        population: Population,
        *,
        level: float = 0.95,
        floor: int = FLOOR,
        prediction: Prediction | None = None,
        about: About = "these responses",
    ) -> Self:
        """A slice of the frame, and the rows of the whole draw with `in_slice` marking it.

        Args:
            sample: As for `corrected`, and so are the others; "such tasks" needs the task of every row, numbered alike
                in both slices.
            population: The slice on the frame.
            level: Confidence level in (0, 1).
            floor: Labels in the denominator that the slice needs.
            prediction: `Prediction.none()` compares people's labels alone.
            about: For which population.

        Raises:
            ValueError: The sample holds adjudicated values, or as for `corrected`.
        """
        if sample.second is not None:
            raise ValueError("adjudicated values are not compared; give the labels of target A alone")
        share = corrected(sample, population, level=level, floor=floor, prediction=prediction, about=about)
        defined = share.value is not None
        ratio = greg(sample, population, predicting(sample, population, prediction)) if defined else None
        census = int(sample.in_slice.sum()) == population.size
        score = apart = np.zeros(len(sample.num))
        if ratio is not None and not census:
            score, apart = ratio.score(sample), ratio.apart(sample)
        return cls(
            sample=sample, population=population, share=share, about=about, score=score, apart=apart, ratio=ratio
        )

    @property
    def ends(self) -> tuple[float, float, float]:
        """Value, low and high of a share that is defined."""
        share = self.share
        if share.value is None or share.low is None or share.high is None:
            raise ValueError("a share without an interval cannot be compared")
        return share.value, share.low, share.high


def slice_difference(first: Side, second: Side, *, level: float = 0.95) -> Difference:
    """A metric on one slice less that on another, both corrected, from one draw.

    Each ratio R is that of `correction.corrected`; the variance is the design's of one linearised variable over the
    whole sample,

        e = e_first / T_first(den) - e_second / T_second(den),   SE = sqrt(V(e)),

    so what the two have in common counts: rows of one stratum, and units that were drawn for both, such as one task,
    condition and run answered by two models. For such tasks in general it is the variance over tasks of z_first -
    z_second, see `tasks.task_variance`, unless the design's is larger: a task that is hard for both costs nothing.
    Speaks of these annotators, by the labels of target A; what they slip is in V, see `slips`.

    The interval joins those of the two shares, with r the correlation of the two estimates under the design:

        low  = d - sqrt( (R1 - low1)^2  + (high2 - R2)^2 - 2 r (R1 - low1)  (high2 - R2) )
        high = d + sqrt( (high1 - R1)^2 + (R2 - low2)^2  - 2 r (high1 - R1) (R2 - low2) )

    Near the middle this is d ± t SE; near 0 and 1 it leans as the shares' own intervals do, and it keeps a width
    where no event was seen. Where the SE of the difference is 0 although not everything was labelled, r is taken as 0.
    The p value is below 1 - level exactly when the interval leaves 0 out: it is Student's, with the distance from d
    to the end that faces 0 in the place of t SE.

    Args:
        first: One slice.
        second: The other, of the same sampled rows; numerator and judge may differ too.
        level: Confidence level in (0, 1), as the two were made with.

    Returns:
        `n` counts the sampled rows in either slice. Undefined when one of the two is refused or undefined; the reason
        says which. Of zero width only if all of both slices is labelled and the difference is for these responses.

    Raises:
        ValueError: The samples are not of the same rows.

    Source: variance: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, sections 5.5 and 5.7;
    interval: Zou & Donner (2008), Stat. Med. 27(10), 1693-1702, doi:10.1002/sim.3095.

    >>> design = Design.of_draws(stratum=["all"] * 4, stratum_size=[8] * 4, inclusion_probability=[0.5] * 4,
    ...                          unit=["1", "2", "3", "4"])
    >>> def rows(*inside: bool) -> Sample:
    ...     return Sample(num=np.array([1.0, 1, 1, 0]), den=np.ones(4), code=np.full(4, 80),
    ...                   in_slice=np.array(inside), design=design)
    >>> frame = Population(code=np.array([80]), count=np.array([4]))
    >>> sides = [Side.of(rows(*inside), frame, floor=1, prediction=Prediction.none())
    ...          for inside in ((True, True, False, False), (False, False, True, True))]
    >>> found = slice_difference(*sides)
    >>> found.value, round(found.se, 4)
    (0.5, 0.2887)
    """
    design = first.sample.design
    _check_same_rows(design, second.sample.design)
    either = first.sample.in_slice | second.sample.in_slice
    rows, clusters = int(either.sum()), len(np.unique(design.cluster[either]))
    missing = [
        f"{which} slice {side.share.why_undefined}"
        for which, side in (("first", first), ("second", second))
        if side.share.value is None
    ]
    variances = _of_draw(first, second, either)
    df = design.degrees_of_freedom(either)
    if first.about == "such tasks" and not missing:
        of_tasks, tasks = _by_tasks(first, second)
        if tasks < 2:
            missing = ["all responses are of one task, which says nothing about other tasks"]
        elif of_tasks[0] > variances[0]:
            variances, df = of_tasks, tasks - 1
    if missing:
        why = f"undefined: {'; '.join(missing)}"
        return Difference(value=None, level=level, n=rows, clusters=clusters, why_undefined=why)
    value, se = first.ends[0] - second.ends[0], sqrt(variances[0])
    low, high = _joined(first.ends, second.ends, _correlation(*variances))
    p = _p_value(value, low, high, df, level)
    return Difference(value=value, se=se, low=low, high=high, level=level, df=df, p=p, n=rows, clusters=clusters)


def _check_same_rows(first: Design, second: Design) -> None:
    if first is second:
        return
    for name in ("weight", "stratum", "unit", "cluster"):
        if not np.array_equal(getattr(first, name), getattr(second, name)):
            raise ValueError(f"the two samples differ in their design's {name}; mark two slices of the same rows")


def _of_draw(first: Side, second: Side, either: Flags) -> Variances:
    """Variances over samples and annotators of the difference and of the two."""
    sample, apart = first.sample, (first.apart, second.apart)
    if sample.another is not None and second.sample.another is not None:
        both = sample.another.chosen & second.sample.another.chosen
        sample = replace(sample, another=replace(sample.another, chosen=both))

    def variance(score: Floats, moved: Floats) -> float:
        return sample.design.variance(score) + slip_variance(sample, score, moved, either)

    return (
        variance(first.score - second.score, apart[0] - apart[1]),
        variance(first.score, apart[0]),
        variance(second.score, apart[1]),
    )


def _by_tasks(one: Side, other: Side) -> tuple[Variances, int]:
    """Variances over tasks of the difference and of the two, and how many tasks there are."""
    tasks = np.unique(np.concatenate([tasks_of(side.sample, side.population) for side in (one, other)]))
    first, second = (
        np.zeros(len(tasks)) if side.ratio is None else task_scores(side.sample, side.population, side.ratio, tasks)
        for side in (one, other)
    )
    return (over_tasks(first - second), over_tasks(first), over_tasks(second)), len(tasks)


def _correlation(of_difference: float, of_first: float, of_second: float) -> float:
    """Of the two estimates, from the three variances; 0 where one of them is blind."""
    if min(of_difference, of_first, of_second) <= NOTHING**2:
        return 0.0
    return min(max((of_first + of_second - of_difference) / (2 * sqrt(of_first * of_second)), -1.0), 1.0)


def _p_value(value: float, low: float, high: float, df: float, level: float) -> float | None:
    """By Student's t, with the error that the interval shows towards 0; None where it has no width."""
    reach = value - low if value > 0 else high - value
    if high - low <= NOTHING:
        return None
    return float(2 * t.sf(t.ppf((1 + level) / 2, df) * abs(value) / max(reach, NOTHING), df))


def _joined(first: tuple[float, float, float], second: tuple[float, float, float], r: float) -> Interval:
    """The interval of the difference from the intervals of the two; inside [-1, 1] when r >= 0."""
    value = first[0] - second[0]

    def reach(one: float, other: float) -> float:
        return sqrt(max(one**2 + other**2 - 2 * r * one * other, 0.0))

    low = value - reach(first[0] - first[1], second[2] - second[0])
    high = value + reach(first[2] - first[0], second[0] - second[1])
    return max(low, -1.0), min(high, 1.0)
