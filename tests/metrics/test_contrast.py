import numpy as np
import pytest
from numpy.typing import NDArray

from metrics.comparison import slice_difference
from metrics.contrast import contrast
from metrics.definitions import METRICS
from metrics.patterns import encode
from metrics.table import JudgedRows, LabelledRows, OfMetric, Options, table
from sampling.design import Design

OPTIONS = Options(target="A", floor=5, about="such tasks")


def study(seed: int) -> tuple[list[JudgedRows], list[LabelledRows]]:
    """200 responses of two models to 50 tasks, 120 of them labelled, under a fair and under a poor judge."""
    rng = np.random.default_rng(seed)
    model, task = np.tile(["a", "b"], 100), np.repeat([f"t{n}" for n in range(50)], 4)
    human = (rng.random((4, 200)) < np.array([[0.6], [0.8], [0.5], [0.3]])).astype(float)
    drawn = np.sort(rng.permutation(200)[:120])

    def design_of(usable: NDArray[np.bool_]) -> Design:
        n = int(usable.sum())
        return Design.of_draws(
            stratum=["all"] * n,
            stratum_size=[200] * n,
            inclusion_probability=[n / 200] * n,
            unit=[str(row) for row in drawn[usable]],
        )

    judged, labelled = [], []
    for errs in (0.05, 0.3):
        code = encode(*np.where(rng.random((4, 200)) < errs, 1 - human, human))
        columns = {"model": model.tolist(), "task_id": task.tolist()}
        judged.append(JudgedRows(columns=columns, code=code, count=np.ones(200, dtype=np.int64)))
        C, A, G, D = human[:, drawn]
        own = {name: np.asarray(values)[drawn].tolist() for name, values in columns.items()}
        labelled.append(LabelledRows(columns=own, code=code[drawn], C=C, A=A, G=G, D=D, design_of=design_of))
    return judged, labelled


@pytest.mark.parametrize("name", ["Acc", "cSES", "ESD"])
def test_a_contrast_is_the_difference_of_two_rows_of_the_table(name: str) -> None:
    judged, labelled = study(1)
    of = OfMetric(METRICS[name], judged[0], labelled[0], OPTIONS)
    places = ({"model": "a"}, {"model": "b"})
    found = contrast(of, of, places, OPTIONS)
    first, second = table(
        judged[0], labelled[0], metrics=[METRICS[name]], slices=places, target="A", methods=["corrected"], floor=5
    )
    assert first.value is not None
    assert second.value is not None
    assert found.value == pytest.approx(first.value - second.value)
    assert found.n == first.n + second.n == 120
    one, other = (of.at(place) for place in places)
    plain = slice_difference(one[0], other[0], (one[1], other[1]), floor=5, about="such tasks")
    assert (found.value, found.se, found.low, found.high) == (plain.value, plain.se, plain.low, plain.high)


def test_two_judges_corrected_by_the_same_labels_estimate_the_same() -> None:
    holds = 0
    for seed in range(60):
        judged, labelled = study(seed)
        fair, poor = (OfMetric(METRICS["Acc"], *sides, OPTIONS) for sides in zip(judged, labelled, strict=True))
        found = contrast(fair, poor, ({}, {}), OPTIONS)
        assert found.low is not None
        assert found.high is not None
        holds += found.low <= 0 <= found.high
    assert holds / 60 >= 0.95 - 2.5 * (0.95 * 0.05 / 60) ** 0.5
