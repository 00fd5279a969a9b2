from collections.abc import Callable
from dataclasses import asdict
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.correction import Share, naive
from metrics.definitions import METRICS
from metrics.diagnostics import SCALES, STAGES, answers, means, scale
from metrics.estimate import Method
from metrics.patterns import MISSING, encode
from metrics.rows import JudgedRows, LabelledRows
from metrics.table import Options
from sampling.design import Design

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
seeds = st.integers(0, 10_000)
nan = float("nan")


def designer(stratum: NDArray[np.int64], size: NDArray[np.int64]) -> Callable[[Flags], Design]:
    """The design of the usable rows of a stratified sample; `size` has one entry per stratum."""
    drawn = np.bincount(stratum)

    def design_of(rows: Flags) -> Design:
        return Design.of_draws(
            stratum=[str(h) for h in stratum[rows]],
            stratum_size=size[stratum[rows]],
            inclusion_probability=(drawn / size)[stratum[rows]],
            unit=[str(i) for i in np.flatnonzero(rows)],
        )

    return design_of


def simple(n: int, size: int) -> Callable[[Flags], Design]:
    return designer(np.zeros(n, dtype=np.int64), np.array([size]))


def close(one: Share, other: Share) -> bool:
    mine, theirs = asdict(one), asdict(other)
    return all(value == pytest.approx(theirs[name]) for name, value in mine.items())


def patterns(values: Any) -> NDArray[np.int64]:
    return encode(*answers(values))


def mean(
    method: Method, human: Any, judge: Any, place: Any, design_of: Callable[[Flags], Design], frame: Any, count: Any,
    floor: int = 30,
) -> Share:  # fmt: skip
    """The mean of a diagnostic, or of a stage, on the rows of a place."""
    C, A, G, D = answers(human)
    labelled = LabelledRows(
        columns={"place": np.where(place, "in", "out").tolist()}, code=patterns(judge), C=C, A=A, G=G, D=D,
        design_of=design_of,
    )  # fmt: skip
    code = patterns(frame)
    judged = JudgedRows(columns={"place": ["in"] * len(code)}, code=code, count=np.array(count, dtype=np.int64))
    name = "Detection" if np.ndim(human) == 2 and len(human) == 2 else "conflict_awareness"
    options = Options(target="A", methods=(method,), floor=floor)
    return means(name, judged, labelled, slices=[{"place": "in"}], options=options)[0][1]


def corrected_mean(
    human: Any, judge: Any, place: Any, design_of: Callable[[Flags], Design], frame: Any, count: Any, floor: int = 30
) -> Share:
    return mean("corrected", human, judge, place, design_of, frame, count, floor)


def human_mean(human: Any, place: Any, design_of: Callable[[Flags], Design], size: int, floor: int = 30) -> Share:
    rows = np.atleast_2d(np.asarray(human, dtype=float))
    nothing, frame = np.full(rows.shape, nan), np.full((len(rows), 1), nan)
    return mean("human-only", rows, nothing, place, design_of, frame, [size], floor=floor)


def judged_mean(judge: Any, count: Any) -> Share:
    rows = np.atleast_2d(np.asarray(judge, dtype=float))
    return mean("naive", rows[:, :0], rows[:, :0], [], simple(0, 1), rows, count)


def test_three_stages_of_two_diagnostics_each() -> None:
    assert [len(names) for names in SCALES.values()] == [1] * 6 + [2] * 3
    assert sorted(name for pair in STAGES.values() for name in pair) == sorted(SCALES)[3:]


# -- By hand ---------------------------------------------------------------------------------------------------------


def test_a_mean_by_hand() -> None:
    # Mean of 2 1 1 0 0 2 is 1, s2 = 4/5; SE = sqrt((1 - 6/60) s2 / 6)
    share = human_mean([2, 1, 1, 0, 0, 2], [True] * 6, simple(6, 60), 60, floor=1)
    assert share.value == pytest.approx(1)
    assert share.se == pytest.approx(sqrt(0.9 * 0.8 / 6))
    assert share.n == 6


def test_the_judge_corrects_by_hand() -> None:
    # yhat(0) = (0 + 1) / 2, yhat(2) = (2 + 1 + 2) / 3; the slice has 30 zeros and 30 twos: mean 13/12.
    # Residuals -1/2 1/2 and 1/3 -2/3 1/3: sum of squares 7/6, s2 = 7/6 / 4 = 7/24; SE = sqrt((1 - 5/60) s2 / 5)
    share = corrected_mean([0, 1, 2, 1, 2], [0, 0, 2, 2, 2], [True] * 5, simple(5, 60), [0, 2], [30, 30], floor=1)
    assert share.value == pytest.approx(13 / 12)
    assert share.se == pytest.approx(sqrt(55 / 60 * 7 / 24 / 5))


def test_a_stage_is_the_mean_of_its_two() -> None:
    half = scale("Detection").terms(*answers([[0, 2, nan, 1], [1, 2, 2, nan]]))[0]
    assert half.tolist() == pytest.approx([0.25, 1, nan, nan], nan_ok=True)
    share = judged_mean([[0, 2, nan], [1, 2, 2.0]], [2, 1, 4])
    assert (share.value, share.n, share.n_dropped) == (1, 3, 4)


def test_patterns_keep_the_order_of_values_and_hold_missing_apart() -> None:
    values = np.array([[a, b] for a in (0, 1, 2, nan) for b in (0, 1, 2, nan)]).T
    codes = patterns(values)
    assert len(set(codes.tolist())) == 16
    assert codes[-1] == MISSING
    assert patterns([nan]).tolist() == [MISSING]
    # "At least 1" and "2" are the two digits: 0 differs from 1 in one, from 2 in both.
    assert patterns([0, 1, 2]).tolist() == encode([0, 1, 1], [0, 0, 1], [nan] * 3, [nan] * 3).tolist()


# -- Laws ------------------------------------------------------------------------------------------------------------


def study(seed: int, diagnostics: int) -> tuple[Floats, Floats, Flags, Callable[[Flags], Design], Floats, int]:
    """People's and the judge's values on 90 of 450 responses in three strata, and the judge's on the slice."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 3, (diagnostics, 450)).astype(float)
    judge = np.where(rng.random(human.shape) < 0.3, rng.integers(0, 3, human.shape), human)
    judge[rng.random(human.shape) < 0.05] = nan
    place, strata = rng.random(450) < 0.7, np.repeat(np.arange(3), 150)
    drawn = np.concatenate([150 * h + rng.permutation(150)[:30] for h in range(3)])
    design_of = designer(strata[drawn], np.array([150] * 3))
    seen, answers = place[drawn], human[:, drawn]
    answers[0, rng.random(90) < 0.1] = nan
    return answers, judge[:, drawn], seen, design_of, judge[:, place], int(place.sum())


@settings(max_examples=30)
@given(seeds, st.integers(1, 2))
def test_the_interval_holds_its_value_on_the_scale_and_drops_are_counted(seed: int, diagnostics: int) -> None:
    human, judge, place, design_of, frame, size = study(seed, diagnostics)
    counts = np.ones(size, dtype=np.int64)
    for share in (
        human_mean(human, place, design_of, size),
        corrected_mean(human, judge, place, design_of, frame, counts),
    ):
        assert share.value is not None
        assert share.low is not None
        assert share.high is not None
        assert 0 <= share.low < share.value < share.high <= 2
        assert share.n_dropped == np.isnan(human[:, place]).any(axis=0).sum()
        assert share.n + share.n_dropped == place.sum()


@settings(max_examples=20)
@given(seeds)
def test_turning_the_scale_mirrors_the_estimate(seed: int) -> None:
    human, judge, place, design_of, frame, size = study(seed, 1)
    counts = np.ones(size, dtype=np.int64)
    before = corrected_mean(human, judge, place, design_of, frame, counts)
    after = corrected_mean(2 - human, judge, place, design_of, frame, counts)
    turned = corrected_mean(human, 2 - judge, place, design_of, 2 - frame, counts)
    assert before.value is not None
    assert before.low is not None
    assert after.value == pytest.approx(2 - before.value)
    # On thin evidence the ends come from random completions, which do not mirror to the last digit.
    assert after.high == pytest.approx(2 - before.low, abs=0.1)
    assert after.se == pytest.approx(before.se)
    # A judge that says the opposite of each value is as useful.
    assert turned.value == pytest.approx(before.value)
    assert turned.se == pytest.approx(before.se)
    assert turned.low == pytest.approx(before.low, abs=0.1)
    assert turned.high == pytest.approx(before.high, abs=0.1)


@settings(max_examples=20)
@given(seeds)
def test_neither_the_order_of_the_frame_nor_how_it_is_grouped_matters(seed: int) -> None:
    human, judge, place, design_of, frame, size = study(seed, 2)
    kinds, counts = np.unique(frame, axis=1, return_counts=True)
    grouped = corrected_mean(human, judge, place, design_of, kinds, counts)
    single = corrected_mean(human, judge, place, design_of, frame[:, ::-1], np.ones(size, dtype=np.int64))
    assert close(grouped, single)


def test_a_good_judge_narrows_the_interval() -> None:
    widths = np.zeros(2)
    for seed in range(20):
        human, judge, place, design_of, frame, size = study(seed, 1)
        shares = (
            human_mean(human, place, design_of, size),
            corrected_mean(human, judge, place, design_of, frame, np.ones(size)),
        )
        for k, share in enumerate(shares):
            assert share.se is not None
            widths[k] += share.se
    assert widths[1] < 0.8 * widths[0]


# -- Edges -----------------------------------------------------------------------------------------------------------


def test_a_census_is_exact_and_few_scores_are_refused() -> None:
    exact = corrected_mean([2, 1, 0], [1, 1, 1], [True] * 3, simple(3, 3), [1], [3])
    assert (exact.value, exact.low, exact.high, exact.se) == (1, 1, 1, 0)
    few = human_mean([2, nan, 0], [True] * 3, simple(3, 60), 60)
    assert (few.value, few.se, few.tier, few.n_dropped) == (None, None, "refused", 1)
    assert few.why_undefined == "refused: 2 labels in the denominator, 30 needed; label about 28 more"


def test_scores_that_are_all_alike_still_have_a_width() -> None:
    share = human_mean([2] * 40, [True] * 40, simple(40, 400), 400)
    assert (share.value, share.high) == (2, 2)
    assert share.low == pytest.approx(2 * 0.025 ** (1 / 40))


def test_without_a_judge_score_the_naive_mean_says_why() -> None:
    share = judged_mean([nan], [7])
    assert (share.value, share.n_dropped, share.why_undefined) == (
        None,
        7,
        "undefined: no response has a usable judge label",
    )


def test_wrong_values_and_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a diagnostic is 0\.5"):
        answers([0.5])
    with pytest.raises(ValueError, match="for a stage"):
        answers(np.zeros((3, 4)))
    with pytest.raises(ValueError, match="label C has 2 entries"):
        corrected_mean([1, 2], [1], [True, True], simple(2, 4), [1], [4])


# -- Correct without ground ------------------------------------------------------------------------------------------


def test_the_ungrounded_share_of_correct_answers() -> None:
    # Correct: grounded, ungrounded twice, no answer; wrong and ungrounded does not count; one lacks G.
    codes = encode([1, 1, 1, 1, 0, 1], [1, 1, 1, 0, 1, 1], [1, 0, 0, 0, 0, nan], [0] * 6)
    share = naive(METRICS["ungrounded-of-correct"], codes, [1] * 6)
    assert (share.value, share.n, share.n_dropped) == (0.5, 5, 1)
    nothing = naive(METRICS["ungrounded-of-correct"], codes[4:5], [3])
    assert nothing.why_undefined == "undefined: none of the 3 judged responses counts in the denominator"
