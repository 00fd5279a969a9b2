from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from metrics.borrowing import borrowed
from metrics.definitions import METRICS
from metrics.estimate import Annotators
from metrics.patterns import encode
from metrics.rows import JudgedRows, LabelledRows
from metrics.sample import Population, Sample
from metrics.share import Share
from metrics.table import Options, detailed
from sampling.design import Design

YES, NO = 27, 0


def sample(group: list[int], code: list[int], num: list[int], in_slice: int) -> Sample:
    """A simple random sample of a tenth in each group."""
    n = len(num)
    taken = np.bincount(group)[group]
    return Sample(
        num=np.array(num, dtype=np.float64),
        den=np.ones(n),
        code=np.array(code, dtype=np.int64),
        in_slice=np.array(group) == in_slice,
        design=Design.of_draws(
            stratum=[str(g) for g in group],
            stratum_size=10 * taken,
            inclusion_probability=np.full(n, 0.1),
            unit=[str(i) for i in range(n)],
        ),
    )


def nowhere(n: int) -> NDArray[np.int64]:
    return np.zeros(n, dtype=np.int64)


# Groups 0 and 1 lend: of 20 judged yes 15 are, of 20 judged no 5 are.
GROUP = [0] * 20 + [1] * 20
CODE = ([YES] * 10 + [NO] * 10) * 2
NUM = [1] * 8 + [0] * 2 + [1] * 2 + [0] * 8 + [1] * 7 + [0] * 3 + [1] * 3 + [0] * 7


def test_by_hand() -> None:
    # The slice has 30 judged yes and 10 judged no: (30 * 3/4 + 10 * 1/4) / 40
    share = borrowed(
        sample(GROUP, CODE, NUM, 2),
        Population(code=np.array([YES, NO]), count=np.array([30, 10])),
        condition=nowhere(40),
        population_condition=nowhere(2),
        group=np.array(GROUP),
    )
    assert share.value == pytest.approx(25 / 40)
    assert (share.tier, share.n, share.interval) == ("borrowed", 40, "logit-t")
    # V = sum over strata of 20 of 200: 200^2 (1 - .1) / 20 s2 of factor * missed, factor 30 / 200 or 10 / 200
    factor = np.where(np.array(CODE) == YES, 30 / 200, 10 / 200)
    missed = np.array(NUM) - np.where(np.array(CODE) == YES, 0.75, 0.25)
    # Two strata × two patterns of 10 rows: leverage 1/20 on the strata, 1/20 + 1/20 - 1/40 on both.
    growth = (1 - 1 / 20) / (1 - 3 / 40)
    spread = sum(1800 * np.var((factor * missed)[20 * g : 20 * g + 20], ddof=1) for g in (0, 1))
    # and the slice's own 30 and 10 responses vary by 3/4 * 1/4 each.
    assert share.se == pytest.approx(growth * np.sqrt(spread + 40 * 3 / 16) / 40)
    assert share.homogeneity is not None
    assert share.homogeneity.groups == 2


def test_conditions_are_kept_apart_and_the_nearest_pattern_helps_out() -> None:
    condition = np.array([0] * 20 + [1] * 20)
    group = [0] * 40
    code, num = [YES] * 40, [1] * 20 + [0] * 20
    for here, value in ((0, 1.0), (1, 0.0)):
        share = borrowed(
            sample(group, code, num, 1),
            Population(code=np.array([YES, NO]), count=np.array([5, 5])),
            condition=condition,
            population_condition=np.array([here, here]),
            group=np.array(group),
            floor=10,
        )
        assert share.value == pytest.approx(value)
        assert share.low is not None
        assert share.high is not None
        assert share.low < share.high


def test_too_little_to_borrow_is_refused() -> None:
    population = Population(code=np.array([YES]), count=np.array([5]))
    share = borrowed(
        sample(GROUP, CODE, NUM, 2),
        population,
        condition=nowhere(40),
        population_condition=nowhere(1),
        group=np.array(GROUP),
    )
    assert share.tier == "refused"
    assert share.why_undefined == "refused: 20 labels in the denominator to borrow from, 30 needed"


def test_annotators_like_these_widen_a_borrowed_number_too() -> None:
    rows = sample(GROUP, CODE, NUM, 2)
    population = Population(code=np.array([YES, NO]), count=np.array([30, 10]))

    # Four annotators always say no and four always yes; or four in all, who lean no way.
    leaning, few = np.arange(40) % 4 + 4 * np.array(NUM), np.arange(40) % 4

    def share(annotator: NDArray[np.int64], who: Annotators) -> Share:
        return borrowed(
            replace(rows, annotator=annotator),
            population,
            condition=nowhere(40),
            population_condition=nowhere(2),
            group=np.array(GROUP),
            annotators=who,
        )

    these, like = share(leaning, "these annotators"), share(leaning, "annotators like these")
    assert these.value == like.value
    assert these.low is not None
    assert these.high is not None
    assert like.low is not None
    assert like.high is not None
    assert like.low < these.low < these.high < like.high
    assert share(few, "these annotators") == these
    assert share(few, "annotators like these").why_undefined == (
        "undefined: 4 annotators tell too little of annotators like these; 5 are needed"
    )


def test_the_table_borrows_only_when_asked_and_needed() -> None:
    rng = np.random.default_rng(5)
    model = np.array(["a"] * 300 + ["b"] * 300 + ["c"] * 40)
    human = (rng.random((4, 640)) < 0.6).astype(np.float64)
    code = encode(*np.where(rng.random((4, 640)) < 0.1, 1 - human, human))
    drawn = np.concatenate([np.arange(100), np.arange(300, 400), np.arange(600, 604)])
    condition = np.where(np.arange(640) % 2 == 0, "x", "y")

    def design_of(usable: NDArray[np.bool_]) -> Design:
        rows = drawn[usable]
        size = np.array([{"a": 300, "b": 300, "c": 40}[m] for m in model[rows]])
        taken = np.array([{"a": 100, "b": 100, "c": 4}[m] for m in model[rows]])
        return Design.of_draws(
            stratum=model[rows].tolist(),
            stratum_size=size,
            inclusion_probability=taken / size,
            unit=[str(row) for row in rows],
        )

    def columns(rows: NDArray[np.int64]) -> dict[str, list[str]]:
        return {"model": model[rows].tolist(), "condition": condition[rows].tolist()}

    judged = JudgedRows(columns=columns(np.arange(640)), code=code, count=np.ones(640, dtype=np.int64))
    C, A, G, D = human[:, drawn]
    labelled = LabelledRows(columns=columns(drawn), code=code[drawn], C=C, A=A, G=G, D=D, design_of=design_of)
    slices: list[dict[str, str]] = [{"model": m} for m in "abc"]
    found = {}
    for borrow in (None, ("condition",)):
        options = Options(target="A", methods=("corrected",), borrow=borrow, about="these responses")
        found[borrow] = detailed(judged, labelled, metrics=[METRICS["Acc"]], slices=slices, options=options)
    assert [estimate.tier for estimate, _ in found[None]] == ["direct", "direct", "refused"]
    assert [estimate.tier for estimate, _ in found["condition",]] == ["direct", "direct", "borrowed"]
    estimate, share = found["condition",][2]
    assert share.homogeneity is not None
    assert share.homogeneity.groups == 3
    assert estimate.value == pytest.approx(human[0, 600:].mean(), abs=0.2)
