"""Two slices under one audit: as people would have it, how much do they differ."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from metrics.correction import FLOOR, Population, Sample, Share, corrected, predicting
from metrics.difference import NOTHING, Difference
from metrics.estimate import About
from metrics.greg import Greg, greg
from metrics.interval import Interval
from metrics.prediction import Prediction
from metrics.tasks import over_tasks, task_scores, tasks_of
from sampling.design import Design

Floats = NDArray[np.float64]
Case = tuple[Sample, Population]
Variances = tuple[float, float, float]


def slice_difference(
    first: Sample,
    second: Sample,
    populations: tuple[Population, Population],
    *,
    level: float = 0.95,
    floor: int = FLOOR,
    predictions: tuple[Prediction | None, Prediction | None] = (None, None),
    about: About = "these responses",
) -> Difference:
    """A metric on one slice less that on another, both corrected, from one draw.

    Each ratio R is that of `correction.corrected`; the variance is the design's of one linearised variable over the
    whole sample,

        e = e_first / T_first(den) - e_second / T_second(den),   SE = sqrt(V(e)),

    so what the two have in common counts: rows of one stratum, and units that were drawn for both, such as one task,
    condition and run answered by two models. For such tasks in general it is the variance over tasks of z_first -
    z_second, see `tasks.task_variance`, unless the design's is larger: a task that is hard for both costs nothing.
    Speaks of these annotators, by the labels of target A.

    The interval joins those of the two shares, with r the correlation of the two estimates under the design:

        low  = d - sqrt( (R1 - low1)^2  + (high2 - R2)^2 - 2 r (R1 - low1)  (high2 - R2) )
        high = d + sqrt( (high1 - R1)^2 + (R2 - low2)^2  - 2 r (high1 - R1) (R2 - low2) )

    Near the middle this is d ± t SE; near 0 and 1 it leans as the shares' own intervals do, and it keeps a width
    where no event was seen. Where the SE of the difference is 0 although not everything was labelled, r is taken as 0.
    The p value is below 1 - level exactly when the interval leaves 0 out: it is Student's, with the distance from d
    to the end that faces 0 in the place of t SE.

    Args:
        first: The rows of the whole draw, `in_slice` marking the first slice.
        second: The same rows, marking the second; numerator and judge may differ too.
        populations: The two slices on the frame.
        level: Confidence level in (0, 1).
        floor: Labels in the denominator that each slice needs.
        predictions: As for `corrected`, of each; `Prediction.none()` for both compares people's labels alone.
        about: For which population; "such tasks" needs the task of every row, numbered alike in both.

    Returns:
        `n` counts the sampled rows in either slice. Undefined when one of the two is refused or undefined; the reason
        says which. Of zero width only if all of both slices is labelled.

    Raises:
        ValueError: The samples are not of the same rows or hold adjudicated values, or as for `corrected`.

    Source: variance: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, sections 5.5 and 5.7;
    interval: Zou & Donner (2008), Stat. Med. 27(10), 1693-1702, doi:10.1002/sim.3095.

    >>> design = Design.of_draws(stratum=["all"] * 4, stratum_size=[8] * 4, inclusion_probability=[0.5] * 4,
    ...                          unit=["1", "2", "3", "4"])
    >>> def rows(*inside: bool) -> Sample:
    ...     return Sample(num=np.array([1.0, 1, 1, 0]), den=np.ones(4), code=np.full(4, 80),
    ...                   in_slice=np.array(inside), design=design)
    >>> frame = Population(code=np.array([80]), count=np.array([4]))
    >>> found = slice_difference(rows(True, True, False, False), rows(False, False, True, True), (frame, frame),
    ...                          floor=1, predictions=(Prediction.none(), Prediction.none()))
    >>> found.value, round(found.se, 4)
    (0.5, 0.2887)
    """
    _check_same_rows(first.design, second.design)
    if first.second is not None or second.second is not None:
        raise ValueError("adjudicated values are not compared; give the labels of target A alone")
    either = first.in_slice | second.in_slice
    rows, clusters = int(either.sum()), len(np.unique(first.design.cluster[either]))
    cases = list(zip((first, second), populations, strict=True))
    shares = [
        corrected(*case, level=level, floor=floor, prediction=prediction, about=about)
        for case, prediction in zip(cases, predictions, strict=True)
    ]
    missing = [
        f"{which} slice {share.why_undefined}"
        for which, share in zip(("first", "second"), shares, strict=True)
        if share.value is None
    ]
    if missing:
        why = f"undefined: {'; '.join(missing)}"
        return Difference(value=None, level=level, n=rows, clusters=clusters, why_undefined=why)
    found = [greg(*case, predicting(*case, prediction)) for case, prediction in zip(cases, predictions, strict=True)]
    variances, df = _by_design(cases, found), first.design.degrees_of_freedom(either)
    if about == "such tasks":
        of_tasks, tasks = _by_tasks(cases, found)
        if of_tasks[0] > variances[0]:
            variances, df = of_tasks, max(1, tasks - 1)
    ends = [_ends(share) for share in shares]
    value, se = ends[0][0] - ends[1][0], sqrt(variances[0])
    low, high = _joined(ends[0], ends[1], _correlation(*variances))
    p = _p_value(value, low, high, df, level)
    return Difference(value=value, se=se, low=low, high=high, level=level, df=df, p=p, n=rows, clusters=clusters)


def _check_same_rows(first: Design, second: Design) -> None:
    if first is second:
        return
    for name in ("weight", "stratum", "unit", "cluster"):
        if not np.array_equal(getattr(first, name), getattr(second, name)):
            raise ValueError(f"the two samples differ in their design's {name}; mark two slices of the same rows")


def _by_design(cases: Sequence[Case], found: Sequence[Greg | None]) -> Variances:
    """Variances, over repeated draws, of the difference and of the two; what is all labelled does not vary."""
    first, second = (
        np.zeros(len(sample.num))
        if ratio is None or int(sample.in_slice.sum()) == population.size
        else ratio.score(sample)
        for (sample, population), ratio in zip(cases, found, strict=True)
    )
    design = cases[0][0].design
    return design.variance(first - second), design.variance(first), design.variance(second)


def _by_tasks(cases: Sequence[Case], found: Sequence[Greg | None]) -> tuple[Variances, int]:
    """The same over tasks, and how many tasks there are."""
    tasks = np.unique(np.concatenate([tasks_of(*case) for case in cases]))
    first, second = (
        np.zeros(len(tasks)) if ratio is None else task_scores(*case, ratio, tasks)
        for case, ratio in zip(cases, found, strict=True)
    )
    return (over_tasks(first - second), over_tasks(first), over_tasks(second)), len(tasks)


def _ends(share: Share) -> tuple[float, float, float]:
    """Value, low and high of a share that is defined."""
    if share.value is None or share.low is None or share.high is None:
        raise ValueError("a share without an interval cannot be compared")
    return share.value, share.low, share.high


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
