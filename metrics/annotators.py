"""The error of an estimate for annotators like these, of whom the annotators at hand are a sample."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from agreement.annotator_variance import too_few
from metrics.interval import fewer
from metrics.sample import Sample
from metrics.uncertainty import Bracket, widened

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_NOTHING = 1e-9
"""Share of the loads below which annotators cannot be told from strata."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """The variance of an estimate over annotators and draws, from what each annotator's share of the rows adds."""

    variance: float
    df: float
    """Degrees of freedom: k - 1 for k annotators with equal loads, fewer where some carry most."""

    def widen(
        self, around: Bracket, value: float, *, rest: float, df: float, level: float, trials: float
    ) -> tuple[Bracket, float]:
        """The interval for annotators like these, never narrower than it was, and the variance behind it.

        Args:
            around: The interval for these annotators.
            value: The estimate.
            rest: Variance that does not come from the draw (of tasks, say), at least 0.
            df: Degrees of freedom of the rest; those of the sum are Satterthwaite's.
            level: Confidence level.
            trials: Effective labels in the denominator.
        """
        whole = self.variance + rest
        parts = self.variance**2 / self.df + rest**2 / max(df, 1)
        of_whole = whole**2 / parts if parts > 0 else self.df
        enough = fewer(trials, of_whole, level)
        return widened(around, value, se=sqrt(whole), df=of_whole, level=level, trials=enough), whole


def between_annotators(sample: Sample, score: Floats, active: Flags) -> Between | str:
    """Variance of the total of the weighted scores over annotators, by ultimate clusters; or why there is none.

    With z_j the total of annotator j's weighted scores, each taken from the mean of its stratum,

        Var = c sum_j z_j^2,   c = sum_j W_j^2 / sum of L^2,   L = diag(W) - sum_h p_h w_h',

    where w_h are the annotators' loads in stratum h (weights of their active rows), p_h their shares of all its rows
    and W their loads in all. An annotator who says yes more often by a moves z by a L, and the total by a W. For
    k annotators with equal loads c is k / (k - 1). As each annotator has a random share of the contexts, z_j also
    holds the error of the draw and what one person says of one response by chance: the variance takes the place of
    the design's, and is not added to it. It has no finite-population correction, since other annotators would
    answer otherwise for the labelled rows as well.

    Assumes that contexts went to annotators at random within strata (interpenetrated), that annotators are like a
    random sample of such annotators, and that an annotator's leaning is about the same in all strata. Where several
    responses of a context were drawn on their own, what they have in common makes it a little too large.

    Args:
        sample: The labelled rows with their annotators, of the slice or not.
        score: Of each row, shape (n,); 0 where not active.
        active: Rows that carry the estimate, shape (n,).

    Returns:
        A sentence in place of the variance when fewer than five annotators have active rows, or when no two have
        rows in the same stratum, so that people cannot be told from strata.

    Raises:
        ValueError: The annotators of the rows are not given.

    Source: Mahalanobis (1946), J. R. Stat. Soc. 109(4), 325-378, doi:10.2307/2981330; Cochran (1977), Sampling
    Techniques, 3rd ed., sections 13.15-13.16; degrees of freedom: Satterthwaite (1946), Biometrics Bulletin 2(6),
    110-114, doi:10.2307/3002019.
    """
    if sample.annotator is None:
        raise ValueError("for annotators like these, give the annotator of every labelled row")
    few = too_few(len(np.unique(sample.annotator[active])))
    if few:
        return few
    who = np.unique(sample.annotator, return_inverse=True)[1].reshape(-1)
    weight, stratum = sample.design.weight, np.unique(sample.design.stratum, return_inverse=True)[1].reshape(-1)
    mean = np.bincount(stratum, weight * score) / np.bincount(stratum, weight)
    z = np.bincount(who, weight * (score - mean[stratum]))
    every, own = (_loads(stratum, who, weight * rows) for rows in (np.ones(len(who)), active))
    load = own.sum(axis=0)
    moved = np.diag(load) - (every / every.sum(axis=1, keepdims=True)).T @ own
    seen, total = float(np.sum(moved**2)), float(load @ load)
    if seen <= _NOTHING * total:
        return "undefined: no two annotators share a stratum, so that people cannot be told from strata"
    return Between(variance=float(total / seen * z @ z), df=seen**2 / float(np.sum((moved.T @ moved) ** 2)))


def _loads(stratum: NDArray[np.int64], who: NDArray[np.int64], weight: Floats) -> Floats:
    """Weight of each annotator in each stratum, shape (H, k)."""
    people = int(who.max()) + 1
    loads: Floats = np.bincount(stratum * people + who, weight, (int(stratum.max()) + 1) * people).astype(np.float64)
    return loads.reshape(-1, people)
