"""Target B: the adjudicated value, known on a random share of the labelled rows (a three-phase sample)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metrics.greg import Greg
from metrics.sample import Sample, Second
from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def adjusted(sample: Sample) -> Sample:
    """The sample whose GREG total is T = sum f + sum w (h - f) + sum over the chosen of w2 (v - h).

    h is the label of target A, v the adjudicated value, f the prediction, w2 = w / (share of the stratum's labelled
    rows that were chosen). A chosen row carries h + (w2 / w) (v - h), the others h. Putting v in the place of h where
    it is known, and h elsewhere, would be biased by the errors that stay in h.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, section 9.7.
    """
    second = sample.second
    if second is None:
        return sample
    factor = np.where(second.chosen, 1 / chosen_share(sample, second), 0.0)
    return replace(
        sample,
        num=sample.num + factor * np.where(second.chosen, second.num - sample.num, 0.0),
        den=sample.den + factor * np.where(second.chosen, second.den - sample.den, 0.0),
        second=None,
    )


def adjudicated_rows(sample: Sample) -> Sample:
    """The chosen rows alone, with their adjudicated values, as a sample of the population; the sample itself for A."""
    second = sample.second
    if second is None:
        return sample
    at, share = second.chosen, chosen_share(sample, second)
    design = sample.design
    chosen = Design(
        weight=(design.weight / share)[at],
        stratum=np.unique(_groups(sample, second)[at], return_inverse=True)[1].astype(np.int64),
        unit=design.unit[at],
        cluster=design.cluster[at],
        first_fraction=design.first_fraction[at],
        second_fraction=(design.second_fraction * share)[at],
    )
    return replace(sample.rows(at, design=chosen), num=second.num[at], den=second.den[at])


def three_phase_variance(sample: Sample, found: Greg, *, with_score: Floats) -> float:
    """Variance of the estimate; for target A, the design's variance of the scores.

    For target B sum_h N_h^2 [(1/n_h - 1/N_h) s2(v - f) + (1/n2_h - 1/n_h) s2(v - h)], both over the n2_h chosen rows
    and on the scores of the ratio.

    Args:
        sample: The labelled rows.
        found: The estimate.
        with_score: Scores of the rows of `adjudicated_rows`, of v - f.
    """
    second = sample.second
    if second is None:
        return sample.design.variance(with_score)
    at, share = second.chosen, chosen_share(sample, second)[second.chosen]
    chosen = adjudicated_rows(sample)
    as_drawn = replace(chosen.design, second_fraction=sample.design.second_fraction[at])
    as_chosen = replace(chosen.design, first_fraction=np.ones(len(share)), second_fraction=share)
    before = found.score(replace(chosen, num=sample.num[at], den=sample.den[at]))
    return as_drawn.variance(with_score * np.sqrt(share)) + as_chosen.variance(found.score(chosen) - before)


def _groups(sample: Sample, second: Second) -> Codes:
    """The strata, those with fewer than two chosen rows taken as one: alone they have no variance to show.

    Looks at how many were chosen, never at what was said.
    """
    stratum = sample.design.stratum
    few = np.bincount(stratum, second.chosen) < 2
    if few.any() and np.bincount(few[stratum], second.chosen, 2)[1] < 2 and not few.all():
        few[np.argmax(np.where(few, -1.0, np.bincount(stratum, second.chosen)))] = True
    return np.where(few[stratum], len(few), stratum)


def chosen_share(sample: Sample, second: Second) -> Floats:
    """Share of each row's stratum that was chosen, by weight; the chosen rows then stand for the whole stratum."""
    group = _groups(sample, second)
    w = sample.design.weight
    share: Floats = (np.bincount(group, w * second.chosen) / np.maximum(np.bincount(group, w), 1e-300))[group]
    return np.maximum(share, 1e-12)
