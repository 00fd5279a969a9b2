from math import sqrt

import numpy as np
import pytest

from metrics.correction import Population, Sample, corrected, human_only
from metrics.greg import greg
from metrics.prediction import Prediction
from metrics.tasks import task_variance
from sampling.design import Design


def sampled(task: list[int], num: list[int], size: int) -> Sample:
    n = len(num)
    return Sample(
        num=np.array(num, dtype=np.float64),
        den=np.ones(n),
        code=np.zeros(n, dtype=np.int64),
        in_slice=np.ones(n, dtype=bool),
        task=np.array(task, dtype=np.int64),
        design=Design.of_draws(
            stratum=["all"] * n,
            stratum_size=[size] * n,
            inclusion_probability=[n / size] * n,
            unit=[str(i) for i in range(n)],
        ),
    )


def frame(tasks: int, rows: int) -> Population:
    return Population(
        code=np.zeros(tasks, dtype=np.int64), count=np.full(tasks, rows), task=np.arange(tasks, dtype=np.int64)
    )


def test_ultimate_clusters_by_hand() -> None:
    # Tasks 0, 1, 2 of four rows; six rows drawn, w = 2: R = 1/2, z = 2 (sum of num - R) / 12 = 2/12, 0, -2/12
    # Var = 3/2 * 2 * (1/6)^2 = 1/12
    sample = sampled([0, 0, 1, 1, 2, 2], [1, 1, 1, 0, 0, 0], 12)
    found = greg(sample, frame(3, 4), Prediction.none())
    assert found is not None
    variance, tasks = task_variance(sample, frame(3, 4), found)
    assert (variance, float(tasks)) == pytest.approx((1 / 12, 3))


def test_predicted_rows_carry_the_spread_of_tasks_too() -> None:
    # Judge and people agree everywhere: no audit error, but tasks differ. z = 4 (share - 1/2) / 12 = 1/6, 0, -1/6
    prediction = Prediction(num=np.arange(81) / 2, den=np.ones(81))
    population = Population(code=np.array([2, 1, 0]), count=np.full(3, 4), task=np.arange(3))
    sample = sampled([0, 2], [1, 0], 12)
    sample = Sample(
        **{name: getattr(sample, name) for name in Sample.__dataclass_fields__} | {"code": np.array([2, 0])}
    )
    found = greg(sample, population, prediction)
    assert found is not None
    assert found.value == pytest.approx(0.5)
    variance, tasks = task_variance(sample, population, found)
    assert (variance, float(tasks)) == pytest.approx((1.5 * 2 / 36, 3))


def test_such_tasks_are_never_narrower_and_a_census_has_width() -> None:
    task, num = np.repeat(np.arange(20), 4).tolist(), ([1] * 4 + [0] * 4) * 10
    sample = sampled(task, num, 80)
    here, such = (human_only(sample, frame(20, 4), about=x) for x in ("these responses", "such tasks"))
    assert (here.low, here.high, here.interval) == (0.5, 0.5, "census")
    assert such.value == 0.5
    assert such.se == pytest.approx(sqrt(20 / 19 * 20 * (2 / 80) ** 2))
    assert such.low is not None
    assert such.low < 0.4


def test_one_task_says_nothing_of_others() -> None:
    sample = sampled([0] * 4, [1, 0, 1, 0], 8)
    found = greg(sample, frame(1, 8), Prediction.none())
    assert found is not None
    assert task_variance(sample, frame(1, 8), found) == (0.0, 1)


def test_tasks_must_be_given() -> None:
    sample = sampled([0] * 4, [1, 0, 1, 0], 8)
    untold = Population(code=np.zeros(1, dtype=np.int64), count=np.array([8]))
    with pytest.raises(ValueError, match="give the task"):
        corrected(sample, untold, floor=1, about="such tasks")
