"""How nearly two categories agree, for coefficients that count near misses in part."""

from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from agreement.tally import Floats

Weighting = Literal["identity", "linear", "quadratic", "radical", "ordinal"]


def category_weights(weights: Weighting | ArrayLike, values: ArrayLike) -> Floats:
    """Agreement of every pair of categories: 1 with itself, less the further apart, shape (K, K).

    Args:
        weights: `identity` (all or nothing), `linear`, `quadratic` or `radical` (its square root) in the distance of
            the values, `ordinal` in the number of pairs of ranks from the one to the other, or a symmetric matrix with
            1 on the diagonal and less than 1, at least 0, elsewhere.
        values: Number that each category stands for, shape (K,), all different; `ordinal` uses their order alone.

    Returns:
        Weights in [0, 1].

    Raises:
        ValueError: The name is unknown or the matrix is not of that kind.

    Source: Cohen (1968), Psychol. Bull. 70(4), 213-220, doi:10.1037/h0026256 (weights in general); Gwet (2014),
    Handbook of Inter-Rater Reliability, 4th ed., chapter 3 (the radical and the ordinal ones).

    >>> category_weights("linear", [0, 1, 2]).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    >>> category_weights("ordinal", [0, 1, 2]).round(3).tolist()
    [[1.0, 0.667, 0.0], [0.667, 1.0, 0.667], [0.0, 0.667, 1.0]]
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not isinstance(weights, str):
        return _matrix(weights, len(numbers))
    if weights not in get_args(Weighting):
        raise ValueError(f"weights are {weights!r}; expected one of {', '.join(get_args(Weighting))}, or a matrix")
    return 1 - _distance(cast(Weighting, weights), numbers)


def weighting_name(weights: Weighting | ArrayLike) -> str:
    """What results call the weights: their name, or `custom` for a matrix."""
    return weights if isinstance(weights, str) else "custom"


def _distance(weights: Weighting, values: Floats) -> Floats:
    """Disagreement in [0, 1], the largest 1."""
    if weights == "identity":
        return 1 - np.eye(len(values))
    if weights == "ordinal":
        ranks = values.argsort().argsort().astype(np.float64)
        steps = np.abs(np.subtract.outer(ranks, ranks))
        apart = steps * (steps + 1) / 2
    else:
        steps = np.abs(np.subtract.outer(values, values))
        apart = steps ** {"linear": 1.0, "quadratic": 2.0, "radical": 0.5}[weights]
    largest: Floats = apart / apart.max()
    return largest


def _matrix(weights: ArrayLike, n_categories: int) -> Floats:
    matrix = np.asarray(weights, dtype=np.float64)
    if matrix.shape != (n_categories, n_categories):
        raise ValueError(f"weights have shape {matrix.shape}; expected ({n_categories}, {n_categories})")
    others = matrix[~np.eye(n_categories, dtype=bool)]
    if not ((matrix == matrix.T).all() and (np.diag(matrix) == 1).all() and ((others >= 0) & (others < 1)).all()):
        raise ValueError("weights must be symmetric, 1 on the diagonal and in [0, 1) elsewhere")
    return matrix
