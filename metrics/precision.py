"""How sure an estimate is: its standard error and interval, for the population and the annotators asked for."""

from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from metrics.adjudication import adjudicated_rows, adjusted, three_phase_variance
from metrics.annotators import Between, between_annotators
from metrics.estimate import About, Annotators
from metrics.greg import Greg
from metrics.prediction import Prediction
from metrics.sample import Population, Sample
from metrics.share import Share
from metrics.slips import slip_variance
from metrics.tasks import task_variance
from metrics.uncertainty import Bracket, bracket, widened

Floats = NDArray[np.float64]


def with_interval(
    sample: Sample,
    population: Population,
    found: Greg,
    *,
    level: float,
    about: About,
    annotators: Annotators,
    seed: int,
) -> Share:
    """The estimate as a share with its interval; without a value where nothing can be said of other annotators.

    The interval for these responses and these annotators comes first, see `uncertainty.bracket`; where several of these
    labelled, it holds what they slip (`slips`). Tasks, and then
    annotators, bring the variance over what they are a sample of, and never make it narrower.
    """
    basis = adjudicated_rows(sample)
    score = found.score(basis)
    grown = _grown(sample, basis, found, score)
    slips = slip_variance(sample, found.score(sample), found.apart(sample), sample.in_slice)
    variance = three_phase_variance(sample, found, with_score=score) + slips
    wider = variance if grown is score else three_phase_variance(sample, found, with_score=grown) + slips
    value, trials = _inside(found.value), _trials(basis)
    df = float(basis.design.degrees_of_freedom(basis.in_slice))
    se = sqrt(max(variance, wider))
    slipping = sqrt(variance / (variance - slips)) if variance > slips > 0 else 1.0
    around = bracket(
        basis,
        value,
        grown,
        found.step(basis),
        se=se,
        df=df,
        trials=trials,
        level=level,
        slipping=slipping,
        seed=seed,
    )
    of_draw, enough = variance, trials
    if about == "such tasks":
        over_tasks, tasks = task_variance(adjusted(sample), population, found)
        variance, df, enough = max(variance, over_tasks), max(tasks - 1.0, 1.0), min(trials, tasks)
        around = widened(around, value, se=sqrt(over_tasks), df=df, level=level, trials=enough)
    if annotators == "annotators like these":
        between = _between(adjusted(sample), found)
        if isinstance(between, str):
            return Share(value=None, n=int(np.sum(sample.in_slice)), tier="direct", why_undefined=between)
        rest = variance - of_draw
        around, over_people = between.widen(around, value, rest=rest, df=df, level=level, trials=enough)
        variance = max(variance, over_people)
    return _share(sample, basis, found, variance, around)


def _share(sample: Sample, basis: Sample, found: Greg, variance: float, around: Bracket) -> Share:
    value, simple = _inside(found.value), _simple_variance(basis, found.value)
    n = int(np.sum(sample.in_slice))
    return Share(
        value=value,
        se=sqrt(variance),
        low=around.low,
        high=around.high,
        interval=around.kind,
        evidence=around.evidence,
        n=n,
        n_effective=int(np.sum(basis.in_slice)) * simple / variance if simple > 0 and variance > 0 else _trials(basis),
        tier="direct",
        # A ratio that leaves [0, 1] by rounding only was not moved.
        clipped_from=found.value if abs(found.value - value) > 1e-9 else None,
    )


def _inside(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _between(sample: Sample, found: Greg) -> Between | str:
    return between_annotators(sample, _grown(sample, sample, found, found.score(sample)), sample.in_slice)


def _grown(sample: Sample, basis: Sample, found: Greg, score: Floats) -> Floats:
    """The scores had each row had no part in its own prediction; of a row alone in its pattern, without any."""
    growth = found.prediction.growth
    if growth is None:
        return score
    if sample.second is not None:
        growth = growth[sample.second.chosen]
    alone = np.isinf(growth)
    unaided = replace(found, prediction=Prediction.none())
    return np.where(alone, unaided.score(basis), score * np.where(alone, 1.0, growth))


def _simple_variance(sample: Sample, ratio: float) -> float:
    """Variance of the ratio under simple random sampling with replacement of as many rows of the slice."""
    weight = sample.design.weight[sample.in_slice]
    den = sample.den[sample.in_slice]
    z = sample.num[sample.in_slice] - ratio * den
    n = len(z)
    if n < 2:
        return 0.0
    spread = weight @ (z - weight @ z / weight.sum()) ** 2 / weight.sum() * n / (n - 1)
    return float(spread / n / (weight @ den / weight.sum()) ** 2)


def _trials(sample: Sample) -> float:
    """Effective number of labels in the denominator, by the weights alone."""
    counted = sample.in_slice & (sample.den > 0)
    cluster = np.bincount(sample.design.cluster[counted], sample.design.weight[counted])
    return float(cluster.sum() ** 2 / (cluster @ cluster))
