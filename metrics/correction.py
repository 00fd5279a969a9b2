"""A metric on a slice of the population: as the judge has it, and as people would have it."""

from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.definitions import Metric
from metrics.estimate import Tier
from metrics.interval import interval
from metrics.patterns import MISSING, decode
from metrics.prediction import Prediction
from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

FLOOR = 30
"""Labels in the denominator below which a slice is refused, unless all of it is labelled."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Every row of the draw that is usable for the metric, not only those of the slice; shape (n,) each."""

    num: Floats
    """Human numerator, 0 or 1."""
    den: Floats
    """Human denominator, 0 or 1."""
    code: Codes
    """The judge's pattern, 0 to 80; best restricted to the labels that the metric reads, see `patterns.restrict`."""
    in_slice: Flags
    """The slice is a flag: dropping the other rows would understate the variance."""
    design: Design
    """The design of exactly these rows."""

    def __post_init__(self) -> None:
        shapes = {np.shape(x) for x in (self.num, self.den, self.code, self.in_slice, self.design.weight)}
        if len(shapes) > 1:
            raise ValueError(f"the arrays of a sample must have one shape; found {sorted(shapes)}")
        if not (np.isfinite(self.num).all() and np.isfinite(self.den).all()):
            raise ValueError("a row of the sample has no usable label for the metric; leave it out, in its design too")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """How many rows of the slice have each judge pattern, from the frame; shape (k,) each, patterns may repeat."""

    code: Codes
    count: Codes

    @property
    def size(self) -> int:
        """Rows of the slice."""
        return int(np.sum(self.count))

    @property
    def unjudged(self) -> bool:
        """Whether the judge left no label at all in the slice."""
        return bool((np.asarray(self.code)[np.asarray(self.count) > 0] == MISSING).all())

    def total(self, predicted: Floats) -> float:
        """Total over the slice of a value per pattern, shape (81,)."""
        return float(np.asarray(self.count) @ predicted[np.asarray(self.code, dtype=np.int64)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A metric on a slice by one method, without saying which; the fields are those of `Estimate`."""

    value: float | None
    se: float | None = None
    """Standard error over repeated draws; 0 when everything is labelled, None for the naive number."""
    low: float | None = None
    high: float | None = None
    n: int
    n_effective: float | None = None
    n_dropped: int = 0
    tier: Tier | None = None
    why_undefined: str | None = None
    clipped_from: float | None = None
    """The estimate before it was moved to the nearer end of [0, 1]; None when it was inside."""

    def dropping(self, rows: int) -> Self:
        """The same share, with that many unusable rows on record."""
        return replace(self, n_dropped=rows)


def naive(metric: Metric, codes: ArrayLike, counts: ArrayLike) -> Share:
    """The metric with the judge's labels taken at face value; no interval, as all responses are counted.

    Args:
        metric: What to compute.
        codes: Judge patterns in the slice, shape (k,).
        counts: Rows of the slice with that pattern, shape (k,).

    Returns:
        `n` counts the rows with usable labels and `n_dropped` the others. The value is None when no row is
        usable, or none counts in the denominator.

    >>> from metrics.definitions import METRICS
    >>> share = naive(METRICS["Acc"], [27, 0, 80], [3, 1, 2])
    >>> share.value, share.n, share.n_dropped
    (0.75, 4, 2)
    """
    num, den = metric.terms(*decode(codes))
    count = np.asarray(counts, dtype=np.int64)
    usable = ~np.isnan(den)
    n, dropped = int(count[usable].sum()), int(count[~usable].sum())
    over = float(count[usable] @ den[usable])
    if over > 0:
        return Share(value=float(count[usable] @ num[usable]) / over, n=n, n_dropped=dropped)
    why = f"none of the {n} judged responses counts in the denominator" if n else "no response has a usable judge label"
    return Share(value=None, n=n, n_dropped=dropped, why_undefined=f"undefined: {why}")


def human_only(sample: Sample, population: Population, *, level: float = 0.95, floor: int = FLOOR) -> Share:
    """The metric from people's labels alone: the ratio of the two weighted totals over the sampled rows in the slice.

    Arguments, result and errors as for `corrected`; of the population, only its size is used.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, section 5.6.
    """
    return _share(sample, population, Prediction.none(), level=level, floor=floor)


def corrected(
    sample: Sample,
    population: Population,
    *,
    level: float = 0.95,
    floor: int = FLOOR,
    prediction: Prediction | None = None,
) -> Share:
    """The metric as people would have it, from their labels on a sample and the judge's on everything.

    Both totals are model-assisted (GREG): the prediction from the judge's pattern, summed over the slice, plus
    the weighted total of what it misses on the sampled rows,

        T(y) = sum over the slice of yhat(pattern) + sum over sampled rows in the slice of w (y - yhat(pattern)),
        R = T(num) / T(den),   e = (num - numhat) - R (den - denhat) in the slice, else 0,
        SE(R) = sqrt(V(e)) / |T(den)|,

    with V the variance of the design. About unbiased however wrong the judge is; a poor judge only makes it wider.
    Equal to `human_only` where strata are made of judge patterns and the slice of strata, or where the slice has
    no judge label at all. The variance treats the predictions as given: with few rows per pattern it is a little
    small, and it is blind to judge errors too rare to be among the sampled rows of the slice.

    Args:
        sample: Usable rows of the whole draw. Rows of the slice are among those the population counts.
        population: Judge patterns of the slice.
        level: Confidence level in (0, 1).
        floor: Labels in the denominator that the slice needs.
        prediction: Another prediction than the mean of the human terms per pattern, fixed without these labels.

    Returns:
        `n` counts the sampled rows in the slice. `n_effective` is n / deff, with deff the variance (fpc included)
        over that of a simple random sample with replacement of n rows of the slice; where no variation was seen
        it is the effective number of labels in the denominator by the weights alone (Kish 1965, Survey Sampling,
        section 11.7), rows of one cluster counting as one. If all of the slice is labelled, it is the plain human
        ratio, of zero width.

        The value is None when the slice has fewer labels in the denominator than `floor` (tier "refused"; the
        reason says how many more to label) or its estimated denominator is 0. In tiny samples the ratio can leave
        [0, 1]: it is then moved to the nearer end, `clipped_from` keeps what it was, and the interval is exact.

    Raises:
        ValueError: More rows of the slice are sampled than the population has.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, chapters 6, 7 and 10,
    doi:10.1007/978-1-4612-4378-6.

    >>> design = Design.of_draws(stratum=["all"] * 4, stratum_size=[8] * 4, inclusion_probability=[0.5] * 4,
    ...                          unit=["1", "2", "3", "4"])
    >>> sample = Sample(num=np.array([1.0, 1, 0, 0]), den=np.ones(4), code=np.array([27, 27, 27, 0]),
    ...                 in_slice=np.ones(4, dtype=bool), design=design)
    >>> frame = Population(code=np.array([27, 0]), count=np.array([3, 5]))
    >>> round(corrected(sample, frame, floor=4).value, 6)  # the judge says yes on 3 of 8, and is right on 2 of 3
    0.25
    """
    return _share(sample, population, prediction, level=level, floor=floor)


def _share(sample: Sample, population: Population, prediction: Prediction | None, *, level: float, floor: int) -> Share:
    n = int(np.sum(sample.in_slice))
    if n > population.size:
        raise ValueError(f"{n} sampled rows are in the slice, but the population has only {population.size} there")
    if n == population.size:
        return _census(sample)
    enough = max(floor, 1)
    counted = int(np.sum(sample.in_slice & (sample.den > 0)))
    if counted < enough:
        return Share(value=None, n=n, tier="refused", why_undefined=_refusal(counted, enough, n, population.size))
    if prediction is None and population.unjudged:
        # Pooled over all slices, the pattern without labels would borrow their level and tell nothing about this one.
        prediction = Prediction.none()
    elif prediction is None:
        weight = sample.design.weight
        prediction = Prediction.of_sample(num=sample.num, den=sample.den, code=sample.code, weight=weight)
    return _greg(sample, population, prediction, level)


def _census(sample: Sample) -> Share:
    n = int(np.sum(sample.in_slice))
    over = float(sample.den[sample.in_slice].sum())
    if over == 0:
        why = f"undefined: none of the {n} labelled responses counts in the denominator"
        return Share(
            value=None, n=n, tier="direct", why_undefined=why if n else "undefined: no response is in the slice"
        )
    value = float(sample.num[sample.in_slice].sum()) / over
    return Share(value=value, se=0.0, low=value, high=value, n=n, n_effective=float(n), tier="direct")


def _refusal(counted: int, floor: int, n: int, size: int) -> str:
    """What is missing, at the share of labels that counted so far; labelling the whole slice is always enough."""
    more = min(ceil((floor - counted) * (n / counted if counted else 1)), size - n)
    return f"refused: {counted} labels in the denominator, {floor} needed; label about {more} more"


def _greg(sample: Sample, population: Population, prediction: Prediction, level: float) -> Share:
    missed_num = np.where(sample.in_slice, sample.num - prediction.num[sample.code], 0.0)
    missed_den = np.where(sample.in_slice, sample.den - prediction.den[sample.code], 0.0)
    over = population.total(prediction.den) + sample.design.total(missed_den)
    n = int(np.sum(sample.in_slice))
    if over <= 0:
        why = "undefined: the estimated denominator is not above 0; label more responses of this slice"
        return Share(value=None, n=n, tier="direct", why_undefined=why)
    ratio = (population.total(prediction.num) + sample.design.total(missed_num)) / over
    variance = sample.design.variance(missed_num - ratio * missed_den) / over**2
    value = min(max(ratio, 0.0), 1.0)
    trials = _trials(sample)
    low, high = interval(
        value, sqrt(variance), sample.design.degrees_of_freedom(sample.in_slice), level, trials, census=False
    )
    simple = _simple_variance(sample, ratio)
    return Share(
        value=value,
        se=sqrt(variance),
        low=low,
        high=high,
        n=n,
        n_effective=n * simple / variance if simple > 0 and variance > 0 else trials,
        tier="direct",
        # A ratio that leaves [0, 1] by rounding only was not moved.
        clipped_from=ratio if abs(ratio - value) > 1e-9 else None,
    )


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
