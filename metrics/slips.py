"""What annotators add to the error of an estimate when they can slip: a label is not a fact about a response."""

import numpy as np
from numpy.typing import NDArray

from metrics.adjudication import chosen_share
from metrics.sample import Sample

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ENOUGH = 30
"""Labels by a second annotator below which what annotators add is bounded, not measured."""


def slip_variance(sample: Sample, score: Floats, apart: Floats, active: Flags) -> float:
    """The variance that a finite-population correction must not take away, of an estimate for these annotators.

    These annotators' value of a response is what they would answer on average, had each of them the same chance to be
    the one who labels it. Who does, and what that person answers that day, is drawn anew in every audit, also for
    responses that are in every sample. Let v_i be the variance of the score of response i over that draw. The variance
    over samples and annotators is the design's, on scores that hold both and with its correction, plus

        sum over the population of v_i,

    whatever the design: each v_i enters as w_i^2 v_i, of which the correction leaves 1 - 1 / w_i. The sum is estimated
    from rows that two people labelled, by w_i / (share of the stratum with two labels) times half the squared
    difference of their scores. With fewer than `ENOUGH` of those, v_i is taken to be all that varies within the
    stratum, so that no correction is left; what is measured is never taken to be more.

    Assumes that the rows with two labels are a random share of each stratum, and that annotators slip independently.

    Args:
        sample: The labelled rows, with `annotator`, and `another` where some rows have two labels.
        score: Of each row, see `greg.Greg`, shape (n,).
        apart: By how much the score differs with the second annotator's label, shape (n,); read where there is one.
        active: Rows that carry the estimate, shape (n,).

    Returns:
        At least 0; 0 when one person gave all these labels or it is not known who did, and for adjudicated values,
        which are taken for facts.

    Source: response error and the finite-population correction: Cochran (1977), Sampling Techniques, 3rd ed.,
    sections 13.8-13.10; Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, chapter 16,
    doi:10.1007/978-1-4612-4378-6.
    """
    if sample.second is not None or sample.annotator is None or len(np.unique(sample.annotator)) < 2:
        return 0.0
    most, another = _all_that_varies(sample, score), sample.another
    if another is None or int(np.sum(another.chosen & active)) < ENOUGH:
        return most
    stands_for = np.where(another.chosen, sample.design.weight / chosen_share(sample, another), 0.0)
    return min(float(stands_for @ apart**2) / 2, most)


def _all_that_varies(sample: Sample, score: Floats) -> float:
    """Sum over the rows of w (e - mean of the stratum)^2 n / (n - 1), n the stratum's units."""
    stratum, unit, weight = sample.design.stratum, sample.design.unit, sample.design.weight
    size = np.maximum(np.bincount(stratum, weight), 1e-300)
    units = int(unit.max(initial=0)) + 1
    n = np.bincount(np.unique(stratum * units + unit) // units, minlength=len(size))
    mean = np.bincount(stratum, weight * score) / size
    grown = np.divide(n, n - 1, out=np.ones(len(n)), where=n > 1)
    return float((weight * grown[stratum]) @ (score - mean[stratum]) ** 2)
