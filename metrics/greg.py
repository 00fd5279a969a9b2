"""The model-assisted (GREG) ratio of two totals, and how much each row moves it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.prediction import Prediction
from metrics.sample import Population, Sample

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Greg:
    """The ratio of a slice, or the plain mean of the ratios of its parts, and its first-order expansion."""

    value: float
    """Can leave [0, 1] in tiny samples."""
    ratio: Floats
    """Ratio of each part, shape (P,)."""
    scale: Floats
    """P times the estimated denominator of each part, shape (P,)."""
    prediction: Prediction

    def score(self, sample: Sample) -> Floats:
        """What a row adds to the value when its weight grows by one, shape (n,); 0 outside the slice.

        ((num - numhat) - R (den - denhat)) / T(den), in a mean over P parts divided by P. The variance of the value
        is the design's variance of the total of these.
        """
        part = np.where(sample.in_slice, sample.parts, 0)
        num, den = self.prediction.of(sample.code)
        missed = sample.num - num - self.ratio[part] * (sample.den - den)
        return np.where(sample.in_slice, missed / self.scale[part], 0.0)

    def apart(self, sample: Sample) -> Floats:
        """By how much the score of a row differs with the label of another annotator, shape (n,); 0 without one."""
        another = sample.another
        return np.zeros(len(sample.num)) if another is None else self.score(sample.by(another)) - self.score(sample)

    def step(self, sample: Sample) -> Floats:
        """By how much the value moves when a row's numerator does, shape (n,); 0 outside the slice."""
        part = np.where(sample.in_slice, sample.parts, 0)
        return np.where(sample.in_slice, sample.design.weight / self.scale[part], 0.0)

    def predicted_score(self, population: Population) -> Floats:
        """The same of a row of each group of the population, as it is predicted, shape (k,)."""
        num, den = self.prediction.of(population.code)
        return (num - self.ratio[population.parts] * den) / self.scale[population.parts]


def greg(sample: Sample, population: Population, prediction: Prediction) -> Greg | None:
    """T(y) = sum over the slice of yhat + sum over sampled rows in it of w (y - yhat); R = T(num) / T(den).

    Returns:
        None when an estimated denominator is not above 0.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, chapters 6, 7 and 10.

    >>> from sampling.design import Design
    >>> design = Design.of_draws(stratum=["all"] * 4, stratum_size=[8] * 4, inclusion_probability=[0.5] * 4,
    ...                          unit=["1", "2", "3", "4"])
    >>> sample = Sample(num=np.array([1.0, 1, 0, 0]), den=np.ones(4), code=np.zeros(4, dtype=np.int64),
    ...                 in_slice=np.ones(4, dtype=bool), design=design)
    >>> found = greg(sample, Population(code=np.array([0]), count=np.array([8])), Prediction.none())
    >>> found.value, found.score(sample).tolist()
    (0.5, [0.0625, 0.0625, -0.0625, -0.0625])
    """
    parts = int(population.parts.max()) + 1 if len(population.parts) else 1
    count = np.asarray(population.count)
    row_part = np.where(sample.in_slice, sample.parts, 0)

    def total(of_group: Floats, of_row: Floats, human: Floats) -> Floats:
        missed = np.where(sample.in_slice, human - of_row, 0.0)
        weighted = np.bincount(row_part, sample.design.weight * missed, parts)
        predicted: Floats = np.bincount(population.parts, count * of_group, parts).astype(np.float64)
        return predicted + weighted

    (group_num, group_den), (row_num, row_den) = prediction.of(population.code), prediction.of(sample.code)
    den = total(group_den, row_den, sample.den)
    if (den <= 0).any():
        return None
    ratio = total(group_num, row_num, sample.num) / den
    return Greg(value=float(ratio.mean()), ratio=ratio, scale=parts * den, prediction=prediction)
