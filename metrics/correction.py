"""A metric on a slice of the population: as the judge has it, and as people would have it."""

from dataclasses import replace
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from metrics.adjudication import adjudicated_rows, adjusted
from metrics.case import check_case
from metrics.definitions import Metric
from metrics.estimate import About, Annotators
from metrics.greg import greg
from metrics.patterns import decode
from metrics.precision import with_interval
from metrics.prediction import Prediction, left_out
from metrics.sample import Population, Sample
from metrics.share import Share

__all__ = ["FLOOR", "Population", "Sample", "Share", "corrected", "human_only", "naive"]

FLOOR = 30
"""Labels in the denominator below which a slice is refused, unless all of it is labelled."""


def naive(metric: Metric, codes: ArrayLike, counts: ArrayLike, parts: ArrayLike | None = None) -> Share:
    """The metric with the judge's labels taken at face value; no interval, as all responses are counted.

    Args:
        metric: What to compute.
        codes: Judge patterns in the slice, shape (k,).
        counts: Rows of the slice with that pattern, shape (k,).
        parts: Part of the slice from 0, shape (k,), for the plain mean of the parts' ratios; None for one ratio.

    Returns:
        `n` counts the rows with usable labels and `n_dropped` the others. The value is None when no row is
        usable, or none counts in the denominator.

    Raises:
        ValueError: A count is below 0, or a code is outside 0..80.

    >>> from metrics.definitions import METRICS
    >>> share = naive(METRICS["Acc"], [27, 0, 80], [3, 1, 2])
    >>> share.value, share.n, share.n_dropped
    (0.75, 4, 2)
    """
    num, den = metric.terms(*decode(codes))
    count = np.asarray(counts, dtype=np.int64)
    if (count < 0).any():
        raise ValueError(f"{int((count < 0).sum())} counts are below 0; expected how many rows have each pattern")
    part = np.zeros(len(count), dtype=np.int64) if parts is None else np.asarray(parts, dtype=np.int64)
    usable = ~np.isnan(den)
    n, dropped = int(count[usable].sum()), int(count[~usable].sum())
    size = int(part.max()) + 1 if len(part) else 1
    over = np.bincount(part[usable], count[usable] * den[usable], size)
    if (over > 0).all():
        value = float((np.bincount(part[usable], count[usable] * num[usable], size) / over).mean())
        return Share(value=value, n=n, n_dropped=dropped)
    why = f"none of the {n} judged responses counts in the denominator" if n else "no response has a usable judge label"
    if size > 1 and n:
        why = f"{int((over == 0).sum())} of the {size} parts to average have nothing in the denominator"
    return Share(value=None, n=n, n_dropped=dropped, why_undefined=f"undefined: {why}")


def human_only(
    sample: Sample,
    population: Population,
    *,
    level: float = 0.95,
    floor: int = FLOOR,
    about: About = "these responses",
    annotators: Annotators = "these annotators",
    seed: int = 0,
) -> Share:
    """The metric from people's labels alone: the ratio of the two weighted totals over the sampled rows in the slice.

    Arguments, result and errors as for `corrected`; of the population, only its size is used.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, section 5.6.
    """
    check_case(sample, population, level, by_judge=False)
    return _share(sample, population, Prediction.none(), level, floor, about, annotators, seed)


def corrected(
    sample: Sample,
    population: Population,
    *,
    level: float = 0.95,
    floor: int = FLOOR,
    prediction: Prediction | None = None,
    about: About = "these responses",
    annotators: Annotators = "these annotators",
    seed: int = 0,
) -> Share:
    """The metric as people would have it, from their labels on a sample and the judge's on everything.

    Both totals are model-assisted (GREG): the prediction from the judge's pattern, summed over the slice, plus
    the weighted total of what it misses on the sampled rows,

        T(y) = sum over the slice of yhat(pattern) + sum over sampled rows in the slice of w (y - yhat(pattern)),
        R = T(num) / T(den),   e = (num - numhat) - R (den - denhat) in the slice, else 0,
        SE(R) = sqrt(V(e)) / |T(den)|,

    with V the variance of the design. About unbiased however wrong the judge is; a poor judge only makes it wider.
    Equal to `human_only` where strata are made of judge patterns and the slice of strata, or where the slice has
    no judge label at all. `se` treats the predictions as given; the interval allows for their being fitted to the
    same rows (`prediction.left_out`) and, where the labels are thin evidence, for errors that none of them shows
    (`uncertainty.bracket`). Of adjudicated samples the residual is split in two, see `adjudication`.

    Args:
        sample: Usable rows of the whole draw. Rows of the slice are among those the population counts.
        population: Judge patterns of the slice.
        level: Confidence level in (0, 1).
        floor: Labels in the denominator that the slice needs.
        prediction: Another prediction than `fit(sample)`, or that one, when it serves several slices.
        about: What the interval is for: these responses, or such tasks in general, of which these are a sample
            (`tasks.task_variance`); never the narrower of the two.
        annotators: Whether the interval is for these annotators, with what they slip (`slips.slip_variance`), or for
            others like them (`annotators.between_annotators`), which is never the narrower of the two. With
            adjudicated labels only what differs by who came first counts: what adjudication settles is taken to be
            its own.
        seed: Of the completions behind a Dirichlet-multinomial interval.

    Returns:
        `n` counts the sampled rows in the slice. `n_effective` is n / deff, with deff the variance (fpc included)
        over that of a simple random sample with replacement of n rows of the slice (for target B, both by the settled
        rows); where no variation was seen
        it is the effective number of labels in the denominator by the weights alone (Kish 1965, Survey Sampling,
        section 11.7), rows of one cluster counting as one. If all of the slice is labelled, it is the plain human
        ratio, of zero width.

        The value is None when the slice has fewer labels in the denominator than `floor` (tier "refused"; the
        reason says how many more to label), its estimated denominator is 0, or it is to be for annotators like these
        and has fewer than five, or none who share a stratum. In tiny samples the ratio can leave
        [0, 1]: it is then moved to the nearer end, `clipped_from` keeps what it was, and the interval is exact.

    Raises:
        ValueError: More rows of the slice are sampled than the population has, or a judge pattern that it lacks; a
            numerator exceeds its denominator; a pattern is not declared; the level is no share; or the tasks or
            annotators that the interval is to be for are not given. What is wrong with the rows is listed at once.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, chapters 6, 7 and 10,
    doi:10.1007/978-1-4612-4378-6.

    >>> from sampling.design import Design
    >>> design = Design.of_draws(stratum=["all"] * 4, stratum_size=[8] * 4, inclusion_probability=[0.5] * 4,
    ...                          unit=["1", "2", "3", "4"])
    >>> sample = Sample(num=np.array([1.0, 1, 0, 0]), den=np.ones(4), code=np.array([27, 27, 27, 0]),
    ...                 in_slice=np.ones(4, dtype=bool), design=design)
    >>> frame = Population(code=np.array([27, 0]), count=np.array([3, 5]))
    >>> round(corrected(sample, frame, floor=4).value, 6)  # the judge says yes on 3 of 8, and is right on 2 of 3
    0.25
    """
    check_case(sample, population, level)
    return _share(sample, population, prediction, level, floor, about, annotators, seed)


def _share(
    sample: Sample,
    population: Population,
    prediction: Prediction | None,
    level: float,
    floor: int,
    about: About,
    annotators: Annotators,
    seed: int,
) -> Share:
    n = int(np.sum(sample.in_slice))
    basis = adjudicated_rows(sample)
    # Other annotators would have labelled the same responses otherwise; what is adjudicated stays as it is.
    settled = annotators == "these annotators" or sample.second is not None
    if int(np.sum(basis.in_slice)) == population.size and about == "these responses" and settled:
        return _census(basis)
    enough = max(floor, 1)
    counted = int(np.sum(basis.in_slice & (basis.den > 0)))
    if counted < enough:
        why = _refusal(counted, enough, n, population.size)
        if sample.second is not None:
            why = _unsettled(counted, enough, int(np.sum(basis.in_slice)), n)
        return Share(value=None, n=n, tier="refused", why_undefined=why)
    short = _short_parts(basis, population)
    if short:
        return Share(value=None, n=n, tier="refused", why_undefined=short)
    prediction = predicting(sample, population, prediction)
    # Strata that the slice does not touch have no part in what follows; with many slices this saves most of the work.
    touched = np.bincount(sample.design.stratum, sample.in_slice)[sample.design.stratum] > 0
    if not touched.all():
        sample = sample.only(touched)
        if prediction.growth is not None:
            prediction = replace(prediction, growth=prediction.growth[touched])
    found = greg(adjusted(sample), population, prediction)
    if found is None:
        why = "undefined: the estimated denominator is not above 0; label more responses of this slice"
        return Share(value=None, n=n, tier="direct", why_undefined=why)
    share = with_interval(sample, population, found, level=level, about=about, annotators=annotators, seed=seed)
    return replace(share, n_denominator=counted)


def predicting(sample: Sample, population: Population, prediction: Prediction | None = None) -> Prediction:
    """The prediction for a slice: the one given, else `fit(sample)`; none where the judge left no label in the slice.

    Pooled over all slices, the pattern without labels would borrow their level and tell nothing about this one.
    """
    if population.unjudged and (prediction is None or prediction.growth is not None):
        return Prediction.none()
    return fit(sample) if prediction is None else prediction


def fit(sample: Sample) -> Prediction:
    """What people would answer, by judge pattern, from all sampled rows, of the slice or not."""
    weight = sample.design.weight
    prediction = Prediction.of_sample(num=sample.num, den=sample.den, code=sample.code, weight=weight)
    return replace(prediction, growth=left_out(sample.code, sample.design.stratum, weight))


def _census(sample: Sample) -> Share:
    here = sample.in_slice
    n = int(np.sum(here))
    num, den = np.bincount(sample.parts[here], sample.num[here]), np.bincount(sample.parts[here], sample.den[here])
    if not n or (den == 0).any():
        why = f"none of the {n} labelled responses counts in the denominator" if n else "no response is in the slice"
        return Share(value=None, n=n, tier="direct", why_undefined=f"undefined: {why}")
    value = float((num / den).mean())
    return Share(
        value=value,
        se=0.0,
        low=value,
        high=value,
        interval="census",
        n=n,
        n_denominator=int(np.sum(sample.den[here] > 0)),
        n_effective=float(n),
        tier="direct",
    )


def _refusal(counted: int, floor: int, n: int, size: int) -> str:
    """What is missing, at the share of labels that counted so far; labelling the whole slice is always enough."""
    more = _more(counted, floor, n, size)
    return f"refused: {counted} labels in the denominator, {floor} needed; label about {more} more"


def _unsettled(counted: int, floor: int, n: int, size: int) -> str:
    """The same for target B, where labels count once the overlap up to them is settled."""
    more = _more(counted, floor, n, size)
    return f"refused: {counted} settled labels in the denominator, {floor} needed; settle about {more} more"


def _more(counted: int, floor: int, n: int, size: int) -> int:
    return min(ceil((floor - counted) * (n / counted if counted else 1)), size - n)


def _short_parts(sample: Sample, population: Population) -> str | None:
    """Why a mean over parts is refused: a part that hardly anyone labelled would count as much as the others."""
    parts = int(population.parts.max(initial=0)) + 1
    here = sample.in_slice
    counted = np.bincount(sample.parts[here & (sample.den > 0)], minlength=parts)
    complete = np.bincount(sample.parts[here], minlength=parts) == np.bincount(
        population.parts, population.count, parts
    )
    short = int(np.sum((counted < 2) & ~complete))
    if parts == 1 or not short:
        return None
    return f"refused: {short} of the {parts} parts to average have fewer than 2 labels in the denominator; label more"
