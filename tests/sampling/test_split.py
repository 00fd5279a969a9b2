import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.numbers import permanent_number
from sampling.overlap import overlap
from sampling.split import part

TASKS = [f"t{k}" for k in range(1000)]


@settings(max_examples=40)
@given(st.text(max_size=5), st.floats(0, 1), st.floats(0, 1), st.integers(0, 99))
def test_a_larger_share_only_moves_tasks_to_dev(task: str, one: float, other: float, seed: int) -> None:
    low, high = sorted((one, other))
    if part(task, low, seed=seed) == "dev":
        assert part(task, high, seed=seed) == "dev"
    assert (part(task, 0, seed=seed), part(task, 1, seed=seed)) == ("validation", "dev")


def test_about_the_share_is_in_dev_and_it_does_not_nest_with_other_decisions() -> None:
    dev = {task for task in TASKS if part(task, 0.4, seed=1) == "dev"}
    assert 340 < len(dev) < 460
    drawn = set(sorted(TASKS, key=lambda task: permanent_number(1, "draw", task))[:400])
    doubled = overlap(dict.fromkeys(TASKS, "x"), 0.4, seed=1)
    # Independent 40 % share 160 +- 10 of 1000.
    assert 120 < len(dev & drawn) < 200
    assert 120 < len(dev & doubled) < 200


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_zero_to_one_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        part("t", share, seed=1)
