"""A judge's score on a fixed set beside its baseline: what is noise, what is a rise."""

import numpy as np
import pytest

from metrics.canary import rise

NAN = float("nan")


def test_any_rise_of_a_judge_that_never_varies_counts_and_names_its_samples() -> None:
    found = rise([[0.0, 0.0], [0.5, 0.5], [0.0, 0.0]], [[0.25, 0.25], [0.5, 0.5], [1.0, 1.0]])
    assert (found.band, found.samples, found.rose) == (0.0, (2, 0), True)
    assert found.value == pytest.approx(1.25 / 3)


def test_a_fall_or_no_change_is_no_rise() -> None:
    assert not rise([[1.0], [0.0]], [[0.0], [0.0]]).rose
    assert not rise([[1.0], [0.0]], [[1.0], [0.0]]).rose


def test_the_band_is_students_t_on_the_pooled_spread_of_the_repeats() -> None:
    # Means per repeat: 0, .5 and .5, 1; variances .125 each, so .125 pooled with df 2; t(.95, 2) = 2.91999 (tables).
    found = rise([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [0.0, 1.0]], level=0.95)
    assert found.value == pytest.approx(0.5)
    assert found.band == pytest.approx(2.91999 * np.sqrt(0.125), rel=1e-5)
    assert not found.rose


def test_a_sample_without_a_score_in_one_run_is_left_out_of_both() -> None:
    found = rise([[1.0, NAN], [0.0, 0.0]], [[NAN, NAN], [0.0, 1.0]])
    assert (found.n, found.n_dropped, found.value, found.samples) == (1, 1, 0.5, (1,))
    nothing = rise([[NAN]], [[1.0]])
    assert (nothing.value, nothing.rose) == (None, False)
    assert "none of the 1 samples" in (nothing.why_undefined or "")


def test_other_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="2 samples in the baseline, 1 now"):
        rise([[0.0], [0.0]], [[0.0]])


def test_noise_alone_is_taken_for_a_rise_in_about_one_of_a_hundred_runs() -> None:
    rng = np.random.default_rng(7)
    runs = [rise(rng.random((12, 5)) < 0.3, rng.random((12, 5)) < 0.3).rose for _ in range(600)]
    # 600 runs at 1 %: more than 15 would come about in 1 of 1,000 tries.
    assert sum(runs) <= 15
