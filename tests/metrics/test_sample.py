from typing import Any

import numpy as np
import pytest

from metrics.sample import Population, Sample
from sampling.design import Design


def design(n: int) -> Design:
    return Design.of_draws(
        stratum=["a"] * n, stratum_size=[9] * n, inclusion_probability=[n / 9] * n, unit=[str(i) for i in range(n)]
    )


RIGHT: dict[str, Any] = {
    "num": np.zeros(3),
    "den": np.ones(3),
    "code": np.zeros(3, dtype=np.int64),
    "in_slice": np.ones(3, dtype=bool),
    "design": design(3),
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num": np.zeros(2)}, "one shape"),
        ({"design": design(2)}, "one shape"),
        ({"task": np.zeros(4)}, "one shape"),
        ({"num": np.array([0, 1, np.nan])}, "no usable label"),
        ({"code": np.array([0, -1, 2])}, "pattern of the sample is -1"),
    ],
)
def test_a_wrong_sample_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sample(**RIGHT | change)


@pytest.mark.parametrize(
    ("code", "count", "task", "message"),
    [
        ([0, 1], [3], None, "one shape"),
        ([0, 1], [3, 1], [0], "one shape"),
        ([0, -1], [3, 1], None, "below 0"),
        ([0, 1], [3, -1], None, "below 0"),
    ],
)
def test_a_wrong_population_is_refused(code: list[int], count: list[int], task: list[int] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Population(code=np.array(code), count=np.array(count), task=None if task is None else np.array(task))


def test_predictions_within_cells_know_what_is_unjudged() -> None:
    assert Population(code=np.array([80, 161]), count=np.array([2, 1])).unjudged
    assert not Population(code=np.array([80, 160]), count=np.array([2, 1])).unjudged
