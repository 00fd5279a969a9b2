"""The calibration of scores on human labels."""

import numpy as np
import pytest

from data.leaks.calibration import calibrate


def labelled(n: int, seed: int = 1) -> tuple[list[float], list[bool]]:
    rng = np.random.default_rng(seed)
    scores = rng.uniform(size=n)
    return scores.tolist(), (rng.uniform(size=n) < scores**2).tolist()


def test_scores_become_chances_when_there_are_labels() -> None:
    scores, leaks = labelled(400)
    found = calibrate(scores, leaks)
    assert found.why_raw is None
    assert found.brier is not None
    assert found.brier_raw is not None
    assert found.brier < found.brier_raw
    # Labels follow the square of the score: 0.36 at 0.6, where the raw score says 0.6.
    assert found.of([0.6])[0] == pytest.approx(0.36, abs=0.1)


def test_the_order_of_contexts_stays() -> None:
    chances = calibrate(*labelled(200)).of([0.1, 0.2, 0.5, 0.95])
    assert (np.diff(chances) > 0).all()
    assert ((chances > 0) & (chances < 1)).all()


@pytest.mark.parametrize(
    ("scores", "leaks", "why"),
    [
        ([0.5] * 49, [True] * 25 + [False] * 24, "a calibration needs 50 labelled contexts and has 49"),
        ([0.5] * 60, [True] * 4 + [False] * 56, "needs 5 leaks and 5 others"),
        ([0.9] * 30 + [0.1] * 30, [False] * 30 + [True] * 30, "that score higher are not called leaks more often"),
        ([0.5] * 60, [True] * 30 + [False] * 30, "that score higher are not called leaks more often"),
    ],
)
def test_the_score_stays_raw_with_a_reason(scores: list[float], leaks: list[bool], why: str) -> None:
    found = calibrate(scores, leaks)
    assert why in str(found.why_raw)
    assert found.of([0.3, 0.7]).tolist() == [0.3, 0.7]


def test_a_score_that_tells_leaks_apart_is_not_flattened() -> None:
    # Each fold says 9/10 and 1/34 by Platt's targets: (10 * 0.1^2 + 40 / 34^2) / 50 = 0.0027; the raw score errs less.
    found = calibrate([0.95] * 10 + [0.0] * 40, [True] * 10 + [False] * 40)
    assert "calibrated it would err no less (0.0027 mean squared error, 0.0005 raw)" in str(found.why_raw)
    assert found.of([0.95, 0.0]).tolist() == [0.95, 0.0]
    # With a score that says too little for a leak it errs more.
    found = calibrate([0.5] * 10 + [0.0] * 40, [True] * 10 + [False] * 40)
    assert found.why_raw is None
    assert found.of([0.5, 0.0]) == pytest.approx([11 / 12, 1 / 42], abs=1e-3)


def test_a_saturated_model_says_the_smoothed_shares() -> None:
    """Two scores, so the curve goes through both shares: 12 of 20 leak at 0.9, 6 of 60 at 0.2, by Platt's targets."""
    found = calibrate([0.9] * 20 + [0.2] * 60, [True] * 12 + [False] * 8 + [True] * 6 + [False] * 54)
    leak, other = 19 / 20, 1 / 64
    at_high, at_low = (12 * leak + 8 * other) / 20, (6 * leak + 54 * other) / 60
    assert found.of([0.9, 0.2]) == pytest.approx([at_high, at_low], abs=1e-3)


def test_the_same_seed_gives_the_same_folds() -> None:
    assert calibrate(*labelled(100), seed=3) == calibrate(*labelled(100), seed=3)
