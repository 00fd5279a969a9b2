"""What a person would answer, predicted from the judge's pattern."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.definitions import Metric
from metrics.patterns import PATTERNS, decode, merge_unseen

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prediction:
    """Predicted numerator and denominator of a response, for each judge pattern; shape (81,) each."""

    num: Floats
    den: Floats

    @classmethod
    def of_sample(cls, *, num: ArrayLike, den: ArrayLike, code: ArrayLike, weight: ArrayLike) -> Self:
        """The design-weighted mean of the human terms among all sampled rows with that judge pattern.

        A pattern that no row has borrows from its nearest, see `patterns.merge_unseen`.

        Args:
            num: Human numerator of each usable sampled row, shape (n,), n > 0; as are the others.
            den: Human denominator.
            code: Judge pattern.
            weight: Design weight.

        >>> Prediction.of_sample(num=[1, 0, 0], den=[1, 1, 0], code=[0, 0, 80], weight=[3, 1, 1]).num[[0, 1, 80]]
        array([0.75, 0.75, 0.  ])
        """
        pattern, w = np.asarray(code, dtype=np.int64), np.asarray(weight, dtype=np.float64)
        source = np.arange(PATTERNS)
        for unseen, seen in merge_unseen(source, pattern, w).items():
            source[unseen] = seen
        size = np.bincount(pattern, w, PATTERNS)[source]
        means = [np.bincount(pattern, w * np.asarray(y, dtype=np.float64), PATTERNS)[source] / size for y in (num, den)]
        return cls(num=means[0], den=means[1])

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
