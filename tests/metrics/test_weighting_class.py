import numpy as np
import pytest
from numpy.typing import NDArray

from metrics.definitions import METRICS
from metrics.rows import JudgedRows, LabelledRows
from metrics.table import Options, detailed
from metrics.weighting_class import class_weighted
from sampling.design import Design

NAN = float("nan")
STRATA = np.array(["a", "a", "a", "a", "b", "b"])


def design_of(usable: NDArray[np.bool_]) -> Design:
    size = {"a": 12, "b": 6}
    return Design.of_draws(
        stratum=STRATA[usable].tolist(),
        stratum_size=[size[name] for name in STRATA[usable]],
        inclusion_probability=np.full(int(usable.sum()), 1 / 3),
        unit=[str(i) for i in np.flatnonzero(usable)],
    )


def weights(labels: list[list[float]], usable: list[bool], partly: list[bool] | None = None) -> list[float]:
    counted = np.array(partly if partly is not None else [not use for use in usable])
    found: list[float] = class_weighted(np.array(labels), np.array(usable), counted, design_of).weight.tolist()
    return found


def test_a_partly_known_row_is_stood_for_by_those_alike() -> None:
    # The fourth row of a is like the second and third as far as is known; each takes half of it.
    labels = [[0.0, 1, 1, 1, 0, 1], [NAN, 0, 1, NAN, 0, 1]]
    assert weights(labels, [True] * 3 + [False] + [True] * 2) == pytest.approx([3, 4.5, 4.5, 3, 3])


def test_without_any_alike_in_its_stratum_those_of_the_draw_stand_for_it() -> None:
    labels = [[0.0, 0, 0, 1, 1, 1], [NAN, 0, 1, NAN, 0, 1]]
    assert weights(labels, [True] * 3 + [False] + [True] * 2) == pytest.approx([3, 3, 3, 4.5, 4.5])


def test_without_any_alike_at_all_rows_with_every_label_stand_for_it() -> None:
    labels = [[0.0, 0, 0, 1, 0, 0], [NAN, 0, 1, NAN, 0, 1]]
    assert weights(labels, [True] * 3 + [False] + [True] * 2) == pytest.approx([3, 4.5, 4.5, 3, 3])


def test_rows_with_most_labels_are_given_away_first() -> None:
    # The fourth (1, 1, nan) doubles the third before the second (1, nan, nan) is shared out over first and third.
    labels = [[1.0, 1, 1, 1], [0, NAN, 1, 1], [0, NAN, 0, NAN]]
    design = class_weighted(
        np.array(labels),
        np.array([True, False, True, False]),
        np.array([False, True, False, True]),
        lambda rows: Design.of_draws(
            stratum=["all"] * int(rows.sum()), stratum_size=[8] * int(rows.sum()),
            inclusion_probability=[rows.sum() / 8] * int(rows.sum()), unit=[str(i) for i in np.flatnonzero(rows)],
        ),
    )  # fmt: skip
    assert design.weight.tolist() == pytest.approx([2 + 2 / 3, 4 + 4 / 3])


@pytest.mark.parametrize(
    ("labels", "partly"),
    [
        pytest.param([[0, 1, 1, NAN, 0, 1]], None, id="nothing-is-known-of-it"),
        pytest.param([[0, 1, 1, 1, 0, 1]], [False] * 6, id="it-does-not-count"),
    ],
)
def test_other_rows_change_no_weight(labels: list[list[float]], partly: list[bool] | None) -> None:
    assert weights(labels, [True] * 3 + [False] + [True] * 2, partly) == pytest.approx([4, 4, 4, 3, 3])


@pytest.mark.parametrize("missing", ["by chance", "where it decides nothing"])
def test_a_label_that_is_missing_by_chance_biases_nothing(missing: str) -> None:
    """C is missing on a third, of all or of the silent shifts, where BAS is 0 anyway.

    Counting what is settled alone would put BAS at .44 instead of .48 in the first case; leaving out what lacks C
    at .54 in the second. 400 of 4,000, 60 replicates: the standard error of the mean is .003.
    """
    rng = np.random.default_rng(20)
    size, n, found = 4000, 400, []
    C, A, G, D = human = (rng.random((4, size)) < np.array([[0.6], [0.8], [0.6], [0.3]])).astype(np.float64)
    truth = (C * (1 - A * (1 - G) * (1 - D))).mean()
    for _ in range(60):
        drawn = rng.choice(size, n, replace=False)
        labels = human[:, drawn].copy()
        silent = labels[1] * (1 - labels[2]) * (1 - labels[3]) == 1
        lacks = rng.random(n) < 1 / 3 if missing == "by chance" else silent & (rng.random(n) < 0.5)
        labels[0, lacks] = NAN
        code = np.full(n, 80)
        rows = LabelledRows(
            columns={}, code=code, C=labels[0], A=labels[1], G=labels[2], D=labels[3],
            design_of=lambda usable: Design.of_draws(
                stratum=["all"] * int(usable.sum()), stratum_size=[size] * int(usable.sum()),
                inclusion_probability=[n / size] * int(usable.sum()),
                unit=[str(i) for i in np.flatnonzero(usable)],
            ),
        )  # fmt: skip
        judged = JudgedRows(columns={}, code=np.array([80]), count=np.array([size]))
        options = Options(target="A", methods=["human-only"])
        ((one, _),) = detailed(judged, rows, metrics=[METRICS["BAS"]], slices=[{}], options=options)
        found.append((one.value, one.low, one.high))
    values, low, high = np.array(found).T
    assert abs(values.mean() - truth) < 0.01
    assert ((low <= truth) & (truth <= high)).mean() >= 0.9


def small_strata(labels: NDArray[np.float64], n_strata: int, each: int, size: int) -> LabelledRows:
    """Rows of `n_strata` strata in order, `each` drawn of `size`."""
    names = np.repeat([f"{h:02}" for h in range(n_strata)], each)
    C, A, G, D = labels
    return LabelledRows(
        columns={}, code=np.full(len(names), 80), C=C, A=A, G=G, D=D,
        design_of=lambda usable: Design.of_draws(
            stratum=names[usable].tolist(), stratum_size=[size] * int(usable.sum()),
            inclusion_probability=[each / size] * int(usable.sum()), unit=[str(i) for i in np.flatnonzero(usable)],
            lonely="average",
        ),
    )  # fmt: skip


def numbers(rows: LabelledRows, size: int, names: tuple[str, ...]) -> dict[str, float | None]:
    judged = JudgedRows(columns={}, code=np.array([80]), count=np.array([size]))
    options = Options(target="A", methods=["human-only"])
    found = detailed(judged, rows, metrics=[METRICS[name] for name in names], slices=[{}], options=options)
    return {estimate.metric: estimate.value for estimate, _ in found}


def test_labels_that_are_missing_by_chance_in_small_strata_bias_nothing() -> None:
    """30 strata of 8 labels; 15 % of them are missing. Compared with the same labels without gaps, 40 replicates."""
    rng, names, share = np.random.default_rng(4), ("SES", "cSES"), 0.15
    off: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(40):
        chance = np.repeat(rng.uniform(0.3, 0.9, (4, 30)), 8, axis=1)
        complete = (rng.random((4, 240)) < chance).astype(np.float64)
        gaps = np.where(rng.random((4, 240)) < share, NAN, complete)
        truth = numbers(small_strata(complete, 30, 8, 100), 3000, names)
        found = numbers(small_strata(gaps, 30, 8, 100), 3000, names)
        for name in names:
            value, right = found[name], truth[name]
            if value is not None and right is not None:
                off[name].append(value - right)
    for name, differences in off.items():
        error = np.std(differences) / np.sqrt(len(differences))
        assert abs(np.mean(differences)) < 0.006 + 2 * error, name


def test_a_number_is_refused_where_no_response_has_all_its_labels() -> None:
    """Tasks without a gold answer: C is missing everywhere, and rows that BAS is 0 on anyway say nothing of others."""
    rng = np.random.default_rng(5)
    labels = (rng.random((4, 240)) < 0.5).astype(np.float64)
    labels[0] = NAN
    found = numbers(small_strata(labels, 30, 8, 100), 3000, ("BAS", "grounded-correct", "abstention", "SES"))
    assert found["BAS"] is None
    assert found["grounded-correct"] is None
    assert found["abstention"] is None
    assert found["SES"] is not None
