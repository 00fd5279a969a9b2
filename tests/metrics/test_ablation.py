"""Shifts of a score: laws, degenerate cases, and how often a clean judge is accused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.ablation import Leak, reading, shifts
from metrics.mcnemar import mcnemar

Floats = NDArray[np.float64]

N, REPEATS = 400, 5
CHANGES = ("question blank", "question swap", "gold blank", "gold swap", "gold false")


def asked(rng: np.random.Generator, n: int, leak: float = 0.0) -> Floats:
    """A judge whose mean over 400 samples varies by .015 between repeats, and that finds `leak` more supported."""
    chance = np.where(np.arange(n) % 2, 0.9, 0.1) + np.where(np.arange(n) % 2, 0.0, 2 * leak)
    return (rng.random((n, REPEATS)) < chance[:, None]).astype(np.float64)


def places(n: int) -> list[str]:
    return [str(k) for k in range(n)]


def test_the_judge_of_these_tests_is_as_noisy_as_it_should_be() -> None:
    rng = np.random.default_rng(1)
    assert np.std([asked(rng, N).mean(axis=0) for _ in range(400)]) == pytest.approx(0.015, rel=0.05)


def test_a_leak_of_five_points_is_found_with_400_samples() -> None:
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        changed = {name: asked(rng, N, 0.0 if name == "gold blank" else 0.05) for name in CHANGES}
        found.append(shifts(asked(rng, N, 0.05), changed, places(N))["gold blank"])
    assert sum(shift.finding == "moves" for shift in found) >= 36
    assert np.mean([shift.difference.value for shift in found if shift.difference.value]) == pytest.approx(
        0.05, abs=0.005
    )
    only_with = sum(shift.flips.only_first for shift in found)
    assert only_with > sum(shift.flips.only_second for shift in found)


def test_with_30_samples_of_the_same_judge_nobody_can_tell_and_more_are_asked_for() -> None:
    findings, needed = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        changed = {name: asked(rng, 30, 0.0 if name == "gold blank" else 0.05) for name in CHANGES}
        shift = shifts(asked(rng, 30, 0.05), changed, places(30))["gold blank"]
        findings.append(shift.finding)
        needed.append(shift.n_needed)
    assert findings.count("unclear") >= 36
    assert "still" not in findings
    assert 100 < np.median(needed) < 1000


def test_a_clean_judge_is_accused_in_at_most_one_run_of_twenty() -> None:
    accused = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        found = shifts(asked(rng, N), {name: asked(rng, N) for name in CHANGES}, places(N))
        accused += any(shift.finding == "moves" for shift in found.values())
    assert accused <= 10


def test_the_number_of_samples_that_it_asks_for_is_enough() -> None:
    rng = np.random.default_rng(3)
    needed = shifts(asked(rng, 60), {"gold blank": asked(rng, 60)}, places(60))["gold blank"].n_needed
    told = [
        shifts(asked(rng, needed), {"gold blank": asked(rng, needed)}, places(needed))["gold blank"].finding == "still"
        for _ in range(100)
    ]
    assert sum(told) >= 65


def test_a_judge_that_never_moves_is_still_once_there_are_enough_samples() -> None:
    for n, finding in ((30, "unclear"), (400, "still")):
        same = np.tile([[1.0], [0.0]], (n // 2, 1))
        shift = shifts(same, {"gold blank": same}, ["a", "b"] * (n // 2))["gold blank"]
        assert (shift.finding, shift.p_holm) == (finding, 1.0)
        if n == 30:
            again = np.tile([[1.0], [0.0]], (shift.n_needed // 2 + 1, 1))
            assert shifts(again, {"x": again}, places(len(again)))["x"].finding == "still"


def test_a_shift_that_is_the_same_everywhere_is_a_shift() -> None:
    shift = shifts(np.full((20, 1), 0.8), {"gold blank": np.full((20, 1), 0.3)}, places(20))["gold blank"]
    assert shift.finding == "moves"
    assert shift.difference.value == pytest.approx(0.5)


def test_samples_of_one_task_count_as_one() -> None:
    rng = np.random.default_rng(5)
    given, changed = asked(rng, 40, 0.2), asked(rng, 40)
    alone = shifts(given, {"x": changed}, places(40))["x"].difference
    copied = shifts(np.tile(given, (3, 1)), {"x": np.tile(changed, (3, 1))}, places(40) * 3)["x"].difference
    assert alone.value == pytest.approx(copied.value)
    assert alone.se == pytest.approx(copied.se)


def test_what_could_not_be_read_is_left_out_and_counted() -> None:
    nan = float("nan")
    found = reading([[1.0, nan], [nan, nan], [0.0, 0.0]])
    assert (found.value, found.n, found.n_missing) == (0.5, 2, 3)
    assert reading([[nan]]).value is None
    shift = shifts([[1.0], [nan], [0.0]], {"x": [[0.0], [1.0], [0.0]]}, places(3))["x"]
    assert (shift.difference.n, shift.difference.n_dropped, shift.flips.n_dropped) == (2, 1, 1)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(2, 30))
def test_neither_order_nor_other_names_change_anything(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    given_, changed, order = asked(rng, n, 0.1), asked(rng, n), rng.permutation(n)
    plain = shifts(given_, {"x": changed}, places(n))["x"]
    turned = shifts(given_[order][:, ::-1], {"y": changed[order]}, [f"t{k}" for k in order])["y"]
    assert plain.difference.value == pytest.approx(turned.difference.value)
    assert plain.flips == turned.flips
    assert plain.p_holm == pytest.approx(turned.p_holm)
    back = shifts(changed, {"x": given_}, places(n))["x"]
    assert plain.difference.value == pytest.approx(-(back.difference.value or 0.0))
    assert mcnemar(plain.flips).exact == pytest.approx(mcnemar(back.flips).exact)


@pytest.mark.parametrize(
    ("given_", "changed", "task", "options", "message"),
    [
        ([[1.5]], {}, ["a"], {}, "outside"),
        ([1.0], {}, ["a"], {}, "expected .samples, repeats."),
        ([[1.0]], {"gold": [[1.0], [0.0]]}, ["a"], {}, "expected 1 samples .* gold"),
        ([[1.0]], {}, ["a", "b"], {}, "not so: task"),
        ([[1.0]], {}, ["a"], {"margin": 0.0}, "margin is 0"),
        ([[1.0]], {}, ["a"], {"level": 1.0}, "level"),
    ],
)
def test_bad_input_is_refused(
    given_: object, changed: object, task: object, options: dict[str, float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        shifts(given_, changed, task, **options)  # type: ignore[arg-type]  # wrong on purpose


def test_the_published_experiment_is_two_channels_and_an_instruction_that_hardly_helps() -> None:
    found = Leak(passages_only=0.78, passages_and_gold=0.94, told_to_ignore=0.91, gold_only=0.73)
    assert found.leak == pytest.approx(found.recovered + found.not_recovered)
