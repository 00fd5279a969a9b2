"""What a score of the screens means as a probability, learnt from contexts that people have labelled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

LEAST = 50
"""Fewest labelled contexts that a calibration rests on."""

FOLDS = 5


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

    def of(self, scores: Sequence[float]) -> NDArray[np.float64]:
        """The chances for some raw scores, shape (n,); the raw scores where there is no calibration.

        The slope is above 0, so the order of contexts, and every stratum by score, stays what it was.
        """
        raw = np.asarray(scores, dtype=np.float64)
        if self.slope is None or self.intercept is None:
            return raw
        return np.asarray(1 / (1 + np.exp(-(self.intercept + self.slope * raw))), dtype=np.float64)


def calibrate(scores: Sequence[float], leaks: Sequence[bool], *, seed: int = 1) -> Calibration:
    """A logistic regression of people's labels on the raw score, cross-validated.

    Args:
        scores: Raw scores in [0, 1], shape (n,).
        leaks: Whether people found that the context gives the answer, shape (n,).
        seed: For the folds.

    Returns:
        The calibration; raw, with `why_raw` set, for fewer than 50 labels, for fewer leaks or others than folds, and
        where higher scores do not mean more leaks.

    Source: Platt (1999), Probabilistic outputs for support vector machines, in: Advances in Large Margin Classifiers.

    >>> calibrate([0.9], [True]).why_raw
    'the score is raw: 1 context is labelled, and a calibration needs 50'
    """
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(leaks, dtype=bool)
    n, n_leaks = len(y), int(y.sum())
    if n < LEAST:
        verb = "context is" if n == 1 else "contexts are"
        return _raw(n, n_leaks, f"the score is raw: {n} {verb} labelled, and a calibration needs {LEAST}")
    if min(n_leaks, n - n_leaks) < FOLDS:
        why = f"the score is raw: a calibration needs {FOLDS} leaks and {FOLDS} others among the labels"
        return _raw(n, n_leaks, why)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    apart = cross_val_predict(LogisticRegression(), x[:, None], y, cv=folds, method="predict_proba")[:, 1]
    fitted = LogisticRegression().fit(x[:, None], y)
    slope, intercept = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    if slope <= 0:
        return _raw(n, n_leaks, "the score is raw: contexts that score higher are not called leaks more often")
    return Calibration(
        n=n,
        n_leaks=n_leaks,
        slope=slope,
        intercept=intercept,
        brier=float(np.mean((apart - y) ** 2)),
        brier_raw=float(np.mean((x - y) ** 2)),
        why_raw=None,
    )


def _raw(n: int, n_leaks: int, why: str) -> Calibration:
    return Calibration(n=n, n_leaks=n_leaks, slope=None, intercept=None, brier=None, brier_raw=None, why_raw=why)
