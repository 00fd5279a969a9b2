"""The sign-flip permutation test over tasks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metrics.difference import NOTHING
from metrics.paired import CELLS, Pairs

Floats = NDArray[np.float64]

ENUMERATED = 20
"""Tasks up to which all 2^tasks sign flips are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipTest:
    """How often an exchange of first and second, task by task, gives a difference as large as the one seen."""

    p: float | None
    """Two-sided p value in (0, 1]."""
    arrangements: int
    """Sign patterns looked at."""
    enumerated: bool
    """Whether these are all there are, so that p is exact."""
    tasks: int
    """Tasks; those on which the two are alike cannot tell and are not flipped."""
    why_undefined: str | None = None


def sign_flip(pairs: Pairs, *, seed: int, draws: int = 9999) -> FlipTest:
    """Permutation test of "no difference": under it, first and second of a task could as well be exchanged.

    The statistic is the sum over tasks of the difference, or for a ratio of (num - R den) of the first less that of
    the second, with R the pooled ratio. R is the same after any exchange, so an exchange only flips signs, and the
    statistic is T_1 T_2 / (T_1 + T_2) times twice the difference of the ratios. All patterns are looked at up to
    2^20, else `draws` seeded ones and p = (k + 1) / (draws + 1), k of them being as extreme.

    Args:
        pairs: What is compared.
        seed: Of the generator; not used when all patterns are looked at.
        draws: Patterns to draw, at least 99.

    Returns:
        p is 1 when the two are alike on all tasks, and None without a pair or with a denominator of 0.

    Raises:
        ValueError: Fewer than 99 draws.

    Source: Phipson & Smyth (2010), Stat. Appl. Genet. Mol. Biol. 9(1), 39, doi:10.2202/1544-6115.1585.

    >>> pairs = Pairs.of_terms(([3, 0, 2], [3, 3, 3]), ([0, 1, 0], [3, 3, 3]), ["a", "b", "c"])
    >>> test = sign_flip(pairs, seed=1)
    >>> test.p, test.arrangements
    (0.5, 8)
    """
    if draws < 99:
        raise ValueError(f"draws is {draws}; expected at least 99")
    short = pairs.without_interval(0.95)
    if short and short.value is None:
        return FlipTest(p=None, arrangements=0, enumerated=False, tasks=pairs.tasks, why_undefined=short.why_undefined)
    net = pairs.num - pairs.num.sum() / pairs.den.sum() * pairs.den
    score = net[:, 0] - net[:, 1]
    size = float(np.abs(score).sum())
    score = np.sort(score[np.abs(score) > NOTHING * max(size, pairs.span)])
    # Exchanging first and second turns every sign: the patterns drawn must then meet the same numbers.
    score = np.sort(-score) if score.sum() < 0 else score
    # Sums that are equal on paper may differ in the last digits.
    seen = abs(float(score.sum())) - 1e-9 * size
    if len(score) <= ENUMERATED:
        p = float((np.abs(_all_flips(score)) >= seen).mean())
        return FlipTest(p=p, arrangements=2 ** len(score), enumerated=True, tasks=pairs.tasks)
    extreme = _count_extreme(score, seen, np.random.default_rng(seed), draws)
    return FlipTest(p=(extreme + 1) / (draws + 1), arrangements=draws, enumerated=False, tasks=pairs.tasks)


def _all_flips(score: Floats) -> Floats:
    """The sum under every sign pattern, the first sign kept: its opposite has the same absolute value."""
    sums = score[:1].copy() if len(score) else np.zeros(1)
    for value in score[1:]:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _count_extreme(score: Floats, seen: float, rng: np.random.Generator, draws: int) -> int:
    block, size, total = max(1, CELLS // len(score)), (len(score) + 7) // 8, score.sum()
    extreme = 0
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        # One random bit per sign: several times as fast as drawing numbers.
        random = np.frombuffer(rng.bytes(rows * size), dtype=np.uint8).reshape(rows, size)
        turned = np.unpackbits(random, axis=1, count=len(score)).astype(np.float64)
        extreme += int((np.abs(total - 2 * (turned @ score)) >= seen).sum())
    return extreme
