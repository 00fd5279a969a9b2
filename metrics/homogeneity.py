"""Whether the judge errs alike in a slice that borrows and in the groups that lend."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as fisher

from metrics.sample import Sample
from metrics.share import Homogeneity

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

_NOTHING = 1e-9


def homogeneity(sample: Sample, *, cell: Codes, ratio: float, group: Codes, df: float) -> Homogeneity:
    """Test that people say the same of a judge pattern under a condition in the slice and in every group that lends.

    Two things are compared, row by row: num - ratio den, which moves the borrowed number, and whether (num, den) is
    another than what people mostly say of that pattern, which also sees a judge that errs more often both ways. The
    slice is compared with all others, and the others among themselves; of the two tests the one with the smaller p
    counts, and that p is doubled.

    Its power is what the labels of the slice allow: with 25 of them, a judge with four times the odds of an error
    there alone is found in three to six of ten audits, one that errs so in half of the groups nearly always
    (benchmarks/coverage.py). A high p does not prove that the judge errs alike.

    Args:
        sample: The labelled rows.
        cell: Judge pattern × condition of each row, from 0, shape (n,).
        ratio: The borrowed value.
        group: What lends, of each row, shape (n,); -1 for rows in cells that do not.
        df: Degrees of freedom of the design.
    """
    lends = group >= 0
    here = sample.in_slice & lends
    scores = np.column_stack([sample.num - ratio * sample.den, _unusual(sample, lends)])
    sides = [(lends, here.astype(np.int64)), (lends & ~here, group)]
    tests = [_compared(sample, cell, who, scores, rows, df) for rows, who in sides]
    found = [test for test in tests if test is not None]
    groups = len(np.unique(group[lends]))
    if not found:
        why = "no judge pattern with any error has rows in two groups"
        return Homogeneity(statistic=None, p_value=None, groups=groups, why_undefined=why)
    statistic, p = min(found, key=lambda test: test[1])
    return Homogeneity(statistic=statistic, p_value=min(1.0, len(found) * p), groups=groups)


def _unusual(sample: Sample, lends: Flags) -> Floats:
    """1 where a row has another (num, den) than most of its judge pattern by weight, of the rows that lend."""
    kinds, kind = np.unique(np.column_stack([sample.num, sample.den]), axis=0, return_inverse=True)
    cell = sample.code * len(kinds) + kind.ravel()
    weight = np.bincount(cell[lends], sample.design.weight[lends], (int(sample.code.max()) + 1) * len(kinds))
    # Rounded, so that the order of the rows cannot break a tie.
    usual = np.round(weight.reshape(-1, len(kinds)), 6).argmax(axis=1)
    unusual: Floats = (kind.ravel() != usual[sample.code]).astype(np.float64)
    return unusual


def _compared(
    sample: Sample, cell: Codes, group: Codes, scores: Floats, rows: Flags, df: float
) -> tuple[float, float] | None:
    """F statistic and p value that the mean scores of a cell are the same in all groups; None if nothing differs.

    The Cochran-Mantel-Haenszel test for several groups and scores: per group, what its rows exceed the mean of their
    cell by, summed over cells, against the covariance of these sums when groups are random parts of a cell. That
    allows for the means being estimated from the same rows, and does not break down where a group shows no error.
    Groups count with their effective size by the weights (Kish); what rows of one cluster have in common divides the
    statistic (first-order correction of Rao and Scott).

    Source: Landis, Heyman & Koch (1978), International Statistical Review 46(3), 237-254, doi:10.2307/1402373;
    Rao & Scott (1984), Annals of Statistics 12(1), 46-60, doi:10.1214/aos/1176346391.
    """
    if not rows.any():
        return None
    c = np.unique(cell[rows], return_inverse=True)[1].reshape(-1)
    g = np.unique(group[rows], return_inverse=True)[1].reshape(-1)
    w, y = sample.design.weight[rows], scores[rows]
    cells, groups = int(c.max()) + 1, int(g.max()) + 1
    first, second = (np.bincount(c * groups + g, w**k, cells * groups).reshape(cells, groups) for k in (1, 2))
    shrunk = first / np.maximum(second, 1e-300)
    effective = first * shrunk
    size = effective.sum(axis=1)
    r = w * shrunk[c, g]
    mean = np.column_stack([np.bincount(c, r * column) for column in y.T]) / size[:, None]
    apart = y - mean[c]
    spread = np.array([[np.bincount(c, r * a * b) for b in apart.T] for a in apart.T])
    # In a cell of one group nothing can differ; its effective size can be as small as 1.
    spread /= np.where((effective > 0).sum(axis=1) > 1, size - 1, np.inf)
    split = np.eye(groups) * effective[:, :, None] - effective[:, :, None] * (effective / size[:, None])[:, None, :]
    covariance = np.einsum("cgh,abc->gahb", split, spread).reshape(groups * y.shape[1], -1)
    values, vectors = np.linalg.eigh(covariance)
    kept = values > _NOTHING * max(float(values.max()), 1e-300)
    if values.max() <= _NOTHING:
        return None
    # What each row adds to the sums, in directions that are independent with variance 1.
    from_mean = np.eye(groups)[g] - (effective / size[:, None])[c]
    moves = (from_mean[:, :, None] * (r[:, None] * apart)[:, None, :]).reshape(len(r), -1)
    moves = moves @ (vectors[:, kept] / np.sqrt(values[kept]))
    rank = int(kept.sum())
    statistic = float(np.sum(moves.sum(axis=0) ** 2)) / rank / _in_common(moves, sample.design.cluster[rows])
    return statistic, float(fisher.sf(statistic, rank, df))


def _in_common(moves: Floats, cluster: Codes) -> float:
    """By how much the variance of the sums grows as rows of one cluster are alike; at least 1."""
    codes = np.unique(cluster, return_inverse=True)[1].reshape(-1)
    together = np.column_stack([np.bincount(codes, column) for column in moves.T])
    return max(1.0, float(np.sum(together**2) / max(float(np.sum(moves**2)), 1e-300)))
