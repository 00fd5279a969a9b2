"""Two yes/no answers to each of n questions: do the yes rates differ, and by how much."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.stats import binom, chi2, norm

from agreement.interval import check_level
from metrics.difference import Difference

_STEP = 1e-12
"""Where the search for an end starts beside the estimate, at which the equation may have a root of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discordant:
    """How the pairs fall out; those where both say the same tell nothing about the direction."""

    only_first: int
    only_second: int
    n: int
    """All pairs with both answers."""
    n_dropped: int = 0
    """Pairs left out because an answer is missing."""

    def __post_init__(self) -> None:
        if min(self.only_first, self.only_second) < 0 or self.only_first + self.only_second > self.n:
            raise ValueError(
                f"{self.only_first} and {self.only_second} discordant pairs of {self.n}; "
                "expected counts of at least 0 that add up to no more than all pairs"
            )

    @classmethod
    def of_answers(cls, first: ArrayLike, second: ArrayLike, count: ArrayLike | None = None) -> Self:
        """Count pairs of answers: 1 yes, 0 no, nan missing; shape (n,) each.

        `count` says how many such pairs there are, shape (n,); one each by default.

        Raises:
            ValueError: Shapes differ, or an answer is something else.

        >>> Discordant.of_answers([1, 1, 0, float("nan")], [0, 1, 0, 1])
        Discordant(only_first=1, only_second=0, n=3, n_dropped=1)
        """
        x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
        times = np.ones(x.shape) if count is None else np.asarray(count, dtype=np.float64)
        if not x.shape == y.shape == times.shape or x.ndim != 1:
            raise ValueError(f"the answers need one entry per pair; found shapes {x.shape} and {y.shape}")
        answers = np.concatenate([x, y])
        if not (np.isnan(answers) | (answers == 0) | (answers == 1)).all():
            raise ValueError("an answer is neither 0, 1 nor nan (missing)")
        missing = np.isnan(x) | np.isnan(y)
        return cls(
            only_first=int(times[(x == 1) & (y == 0)].sum()),
            only_second=int(times[(x == 0) & (y == 1)].sum()),
            n=int(times[~missing].sum()),
            n_dropped=int(times[missing].sum()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """Four two-sided p values of "both say yes equally often"; all 1 when no pair is discordant."""

    exact: float
    mid_p: float
    """Less conservative than the exact one, and on average at its level; the one to report by default."""
    chi2: float
    """Statistic without continuity correction, 1 degree of freedom."""
    chi2_p: float
    chi2_corrected: float
    chi2_corrected_p: float


def mcnemar(pairs: Discordant) -> McNemar:
    """McNemar's test, from the discordant pairs alone.

    With b and c the two kinds, exact p = 2 P(X <= min(b, c)), X ~ Bin(b + c, 1/2), at most 1; the mid-p value counts
    the observed outcome half. chi2 = (b - c)^2 / (b + c), corrected (|b - c| - 1)^2 / (b + c) unless b = c.
    Assumes independent pairs: with several pairs of one task use `paired.clustered` or `paired.sign_flip`.

    Source: McNemar (1947), Psychometrika 12(2), 153-157, doi:10.1007/BF02295996; mid-p: Fagerland, Lydersen & Laake
    (2013), BMC Med. Res. Methodol. 13, 91, doi:10.1186/1471-2288-13-91.

    >>> test = mcnemar(Discordant(only_first=1, only_second=7, n=21))
    >>> round(test.exact, 4), round(test.mid_p, 4), test.chi2
    (0.0703, 0.0391, 4.5)
    """
    fewer, total = min(pairs.only_first, pairs.only_second), pairs.only_first + pairs.only_second
    gap = abs(pairs.only_first - pairs.only_second)
    plain, corrected = (gap**2 / total, max(gap - 1, 0) ** 2 / total) if total else (0.0, 0.0)
    below = 2 * float(binom.cdf(fewer, total, 0.5))
    return McNemar(
        exact=min(below, 1.0),
        mid_p=min(below - float(binom.pmf(fewer, total, 0.5)), 1.0),
        chi2=plain,
        chi2_p=float(chi2.sf(plain, 1)),
        chi2_corrected=corrected,
        chi2_corrected_p=float(chi2.sf(corrected, 1)),
    )


def tango(pairs: Discordant, *, level: float = 0.95) -> Difference:
    """Score interval for the difference of the two yes rates, first minus second.

    Holds every difference that the score test does not reject. Never of zero width, also where no pair is
    discordant, and inside [-1, 1]. Assumes independent pairs, as `mcnemar`.

    Returns:
        Without a standard error: the interval does not rest on one. Undefined without a pair.

    Source: Tango (1998), Stat. Med. 17(8), 891-908,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B; solved here by bracketing.

    >>> found = tango(Discordant(only_first=1, only_second=7, n=21))
    >>> [round(x, 3) for x in (found.value, found.low, found.high)]
    [-0.286, -0.517, -0.026]
    """
    check_level(level)
    if not pairs.n:
        why = f"undefined: none of the {pairs.n_dropped} pairs has both answers"
        return Difference(value=None, level=level, n=0, n_dropped=pairs.n_dropped, why_undefined=why)
    value = (pairs.only_first - pairs.only_second) / pairs.n
    excess = _excess(pairs, float(norm.ppf((1 + level) / 2)) ** 2)
    return Difference(
        value=value,
        low=_end(excess, value, -1.0),
        high=_end(excess, value, 1.0),
        level=level,
        n=pairs.n,
        n_dropped=pairs.n_dropped,
    )


def _excess(pairs: Discordant, critical: float) -> Callable[[float], float]:
    """Squared score less `critical` times its variance at an assumed difference: above 0 where it is rejected."""
    b, c, n = pairs.only_first, pairs.only_second, pairs.n

    def of(difference: float) -> float:
        # The share of "only second", at its most likely given the difference: root of 2n q^2 + linear q + constant.
        linear = (2 * n - b + c) * difference - b - c
        constant = -c * difference * (1 - difference)
        share = (sqrt(max(linear**2 - 8 * n * constant, 0.0)) - linear) / (4 * n)
        variance = 2 * share + difference * (1 - difference)
        return (b - c - n * difference) ** 2 / n - critical * variance

    return of


def _end(excess: Callable[[float], float], value: float, limit: float) -> float:
    """Where the excess leaves 0 between the estimate and -1 or 1."""
    start = value + _STEP * limit
    if abs(value - limit) <= 2 * _STEP or excess(limit) <= 0:
        return limit
    return float(brentq(excess, start, limit, xtol=1e-12))
