"""What a score of the screens means as a probability, learnt from contexts that people have labelled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

Floats = NDArray[np.float64]

LEAST = 50
"""Fewest labelled contexts that a calibration rests on."""

FOLDS = 5

WEAK = 1e6
"""Inverse strength of the penalty: none to speak of, as Platt's targets keep the slope finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """From a raw score to the chance that people call the context leaking; the raw score where that is not known."""

    n: int
    """Labelled contexts."""
    n_leaks: int
    slope: float | None
    intercept: float | None
    brier: float | None
    """Mean squared error of the chances, each from the folds that its context was not in; 0 is perfect."""
    brier_raw: float | None
    """The same of the raw scores."""
    why_raw: str | None
    """Why the score stays raw."""

    def of(self, scores: Sequence[float]) -> Floats:
        """The chances for some raw scores, shape (n,); the raw scores where there is no calibration.

        The slope is above 0, so the order of contexts, and every stratum by score, stays what it was.
        """
        raw = np.asarray(scores, dtype=np.float64)
        if self.slope is None or self.intercept is None:
            return raw
        return _chances(raw, self.slope, self.intercept)


def calibrate(scores: Sequence[float], leaks: Sequence[bool], *, seed: int = 1) -> Calibration:
    """A logistic regression of people's labels on the raw score, cross-validated.

    Args:
        scores: Raw scores in [0, 1], shape (n,).
        leaks: Whether people found that the context gives the answer, shape (n,).
        seed: For the folds.

    Returns:
        The calibration; raw, with `why_raw` set, for fewer than 50 labels, for fewer leaks or others than folds, where
        higher scores do not mean more leaks, and where chances would err no less than raw scores do.

    Source: Platt (1999), Probabilistic outputs for support vector machines, in: Advances in Large Margin Classifiers:
    the targets (n1 + 1) / (n1 + 2) and 1 / (n0 + 2) in place of 1 and 0, which is what his prior comes to.

    >>> calibrate([0.9], [True]).why_raw
    'the score is raw: a calibration needs 50 labelled contexts and has 1'
    """
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(leaks, dtype=bool)
    n, n_leaks = len(y), int(y.sum())
    if n < LEAST:
        return _raw(n, n_leaks, f"the score is raw: a calibration needs {LEAST} labelled contexts and has {n}")
    if min(n_leaks, n - n_leaks) < FOLDS:
        why = f"the score is raw: a calibration needs {FOLDS} leaks and {FOLDS} others among the labels"
        return _raw(n, n_leaks, why)
    slope, intercept = _fit(x, y)
    if slope <= 0 or np.ptp(x) == 0:
        return _raw(n, n_leaks, "the score is raw: contexts that score higher are not called leaks more often")
    apart = np.empty(n)
    for others, held in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(x[:, None], y):
        apart[held] = _chances(x[held], *_fit(x[others], y[others]))
    brier, brier_raw = float(np.mean((apart - y) ** 2)), float(np.mean((x - y) ** 2))
    if brier >= brier_raw:
        why = f"the score is raw: calibrated it would err no less ({brier:.4f} mean squared error, {brier_raw:.4f} raw)"
        return _raw(n, n_leaks, why)
    return Calibration(
        n=n, n_leaks=n_leaks, slope=slope, intercept=intercept, brier=brier, brier_raw=brier_raw, why_raw=None
    )


def _fit(x: Floats, y: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and intercept by Platt's targets: every row stands in both classes, with the target as its weight."""
    target = np.where(y, (y.sum() + 1) / (y.sum() + 2), 1 / ((~y).sum() + 2))
    both = np.concatenate([np.ones(len(y)), np.zeros(len(y))])
    weights = np.concatenate([target, 1 - target])
    model = LogisticRegression(C=WEAK).fit(np.concatenate([x, x])[:, None], both, sample_weight=weights)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def _chances(x: Floats, slope: float, intercept: float) -> Floats:
    return np.asarray(1 / (1 + np.exp(-(intercept + slope * x))), dtype=np.float64)


def _raw(n: int, n_leaks: int, why: str) -> Calibration:
    return Calibration(n=n, n_leaks=n_leaks, slope=None, intercept=None, brier=None, brier_raw=None, why_raw=why)
