"""What a person would answer, predicted from the judge's pattern."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.definitions import Metric
from metrics.patterns import PATTERNS, decode, merge_unseen

Floats = NDArray[np.float64]

_ALONE = 1e-6
"""A row with less freedom than this determines its own prediction."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prediction:
    """Predicted numerator and denominator of a response, for each judge pattern; shape (81,) each.

    Where predictions are made within cells (the stated conditions), a code is 81 × cell + pattern; shape (81 × cells,).
    """

    num: Floats
    den: Floats
    growth: Floats | None = None
    """`left_out` of the sampled rows that it was fitted to, shape (n,); None when it was fixed without them."""

    @classmethod
    def of_sample(cls, *, num: ArrayLike, den: ArrayLike, code: ArrayLike, weight: ArrayLike) -> Self:
        """The design-weighted mean of the human terms among all sampled rows with that judge pattern.

        A pattern that no row has borrows from its nearest, see `patterns.merge_unseen`; of its own cell if there are
        cells.

        Args:
            num: Human numerator of each usable sampled row, shape (n,), n > 0; as are the others.
            den: Human denominator.
            code: Judge pattern, or 81 × cell + pattern.
            weight: Design weight.

        >>> Prediction.of_sample(num=[1, 0, 0], den=[1, 1, 0], code=[0, 0, 80], weight=[3, 1, 1]).num[[0, 1, 80]]
        array([0.75, 0.75, 0.  ])
        """
        cell, pattern = np.divmod(np.asarray(code, dtype=np.int64), PATTERNS)
        w, terms = np.asarray(weight, dtype=np.float64), [np.asarray(y, dtype=np.float64) for y in (num, den)]
        means = np.zeros((2, int(cell.max(initial=0)) + 1, PATTERNS))
        for k in np.unique(cell) if len(cell) else [0]:
            of = cell == k
            source = np.arange(PATTERNS)
            for unseen, seen in merge_unseen(source, pattern[of], w[of]).items():
                source[unseen] = seen
            size = np.bincount(pattern[of], w[of], PATTERNS)[source]
            means[:, k] = [np.bincount(pattern[of], (w * y)[of], PATTERNS)[source] / size for y in terms]
        return cls(num=means[0].ravel(), den=means[1].ravel())

    def of(self, code: ArrayLike) -> tuple[Floats, Floats]:
        """Predicted numerator and denominator of rows with these codes, shape (n,) each; 0 for codes it does not know.

        >>> [terms.tolist() for terms in Prediction.of_sample(num=[1], den=[1], code=[3], weight=[2]).of([3, 85])]
        [[1.0, 0.0], [1.0, 0.0]]
        """
        at = np.asarray(code, dtype=np.int64)
        known, at = at < len(self.num), np.minimum(at, len(self.num) - 1)
        return np.where(known, self.num[at], 0.0), np.where(known, self.den[at], 0.0)

    @classmethod
    def of_judge(cls, metric: Metric) -> Self:
        """The judge's own terms, taken at face value; 0 where it left a needed label out.

        Correcting with it is the plain difference estimator, which can be wider than people's labels alone.
        """
        num, den = metric.terms(*decode(range(PATTERNS)))
        return cls(num=np.nan_to_num(num), den=np.nan_to_num(den))

    @classmethod
    def none(cls) -> Self:
        """No prediction at all: what remains is people's labels alone."""
        return cls(num=np.zeros(PATTERNS), den=np.zeros(PATTERNS))


def left_out(code: ArrayLike, stratum: ArrayLike, weight: ArrayLike) -> Floats:
    """By how much each residual grows when the prediction is made without that row, shape (n,); inf if it cannot be.

    A prediction was fitted to the rows that it is compared with, so with few rows of a pattern the residuals are too
    small. The factor is (1 - leverage on the strata) / (1 - leverage on strata and patterns) of the weighted least
    squares fit: the variance of the design already allows for the strata. It is 1 where the strata are made of
    patterns, and close to 1 where every pattern has many rows.

    Args:
        code: Judge pattern of each sampled row, shape (n,); as are the others.
        stratum: Stratum from 0.
        weight: Design weight.

    Source: MacKinnon & White (1985), Journal of Econometrics 29(3), 305-325, doi:10.1016/0304-4076(85)90158-7 (HC3).

    >>> left_out([0, 0, 0, 0], [0, 0, 1, 1], [2, 2, 5, 5]).round(3).tolist()
    [1.0, 1.0, 1.0, 1.0]
    >>> left_out([0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]).round(3).tolist()
    [1.5, 1.5, 1.5, 1.5]
    """
    w = np.asarray(weight, dtype=np.float64)
    if not len(w):
        return w
    h = np.unique(np.asarray(stratum), return_inverse=True)[1]
    j = np.unique(np.asarray(code), return_inverse=True)[1]
    strata, patterns = int(h.max()) + 1, int(j.max()) + 1
    # The strata's block of the Gram matrix is diagonal, so that only one of the size of the patterns is inverted.
    size = np.bincount(h, w)
    both = np.bincount(h * patterns + j, w, strata * patterns).reshape(strata, patterns)
    share = both / size[:, None]
    values, vectors = np.linalg.eigh(np.diag(np.bincount(j, w)) - both.T @ share)
    # Measured by the weights: where each pattern has strata to itself, nothing but rounding is left here.
    real = values > 1e-10 * np.bincount(j, w).max()
    inverse = (vectors[:, real] / values[real]) @ vectors[:, real].T
    half = share @ inverse
    free = 1 - w * (1 / size[h] + inverse[j, j] - 2 * half[h, j] + np.sum(half * share, axis=1)[h])
    alone = 1 - w / size[h]
    growth = np.divide(alone, free, out=np.full(len(w), np.inf), where=free > _ALONE)
    return np.where((alone <= _ALONE) | (growth < 1), 1.0, growth)
