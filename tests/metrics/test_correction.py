import json
from collections.abc import Callable
from dataclasses import asdict, replace
from fractions import Fraction
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.correction import Population, Sample, Share, corrected, human_only, naive
from metrics.definitions import METRICS
from metrics.interval import logit_t
from metrics.patterns import MISSING, decode, encode
from metrics.prediction import Prediction
from sampling.design import Design

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "metrics_cases.json").read_text(encoding="utf-8"))
EXPECTED = {case["id"]: case for case in GOLDEN["cases"]}
YES, NO = 27, 0
"""Judge patterns C = 1 and C = 0, all else 0."""

Way = Callable[..., Share]
Rows = list[tuple[str, int, int, bool]]
"""Stratum, judge pattern, human answer, in the slice."""


def sample_of(rows: Rows, sizes: dict[str, int]) -> Sample:
    """A stratified sample of these rows, of the metric Acc."""
    stratum = [row[0] for row in rows]
    size = np.array([sizes[h] for h in stratum])
    drawn = np.array([stratum.count(h) for h in stratum])
    units = [str(i) for i in range(len(rows))]
    return Sample(
        num=np.array([row[2] for row in rows], dtype=np.float64),
        den=np.ones(len(rows)),
        code=np.array([row[1] for row in rows], dtype=np.int64),
        in_slice=np.array([row[3] for row in rows], dtype=bool),
        design=Design.of_draws(stratum=stratum, stratum_size=size, inclusion_probability=drawn / size, unit=units),
    )


def population_of(counts: dict[int, int]) -> Population:
    return Population(code=np.array(list(counts), dtype=np.int64), count=np.array(list(counts.values())))


# -- Reference design A ----------------------------------------------------------------------------------------------

QUANTITIES = {"mean hs": ("hs", "1"), "ratio hs*hd / hs": ("hs*hd", "hs"), "ratio hs*hd*hc / hs": ("hs*hd*hc", "hs")}


def design_a(num: str, den: str) -> tuple[Sample, Population]:
    columns = {name: np.array(values) for name, values in GOLDEN["datasets"]["audit_pop"]["columns"].items()}

    def product(names: str) -> NDArray[np.float64]:
        values = np.ones(240)
        for name in names.split("*"):
            values = values * (columns[name] if name != "1" else 1)
        return values

    code = encode(np.full(240, np.nan), np.ones(240), 1 - columns["js"], columns["jd"])
    drawn, strata = columns["inA"] == 1, columns["strA"]
    size = {h: int((strata == h).sum()) for h in np.unique(strata)}
    taken = {h: int((strata[drawn] == h).sum()) for h in size}
    design = Design.of_draws(
        stratum=strata[drawn].tolist(),
        stratum_size=[size[h] for h in strata[drawn]],
        inclusion_probability=[taken[h] / size[h] for h in strata[drawn]],
        unit=[str(i) for i in columns["id"][drawn]],
    )
    everything = np.ones(int(drawn.sum()), dtype=bool)
    codes, counts = np.unique(code, return_counts=True)
    sample = Sample(
        num=product(num)[drawn], den=product(den)[drawn], code=code[drawn], in_slice=everything, design=design
    )
    return sample, Population(code=codes, count=counts)


@pytest.mark.parametrize("way", [human_only, corrected])
@pytest.mark.parametrize(
    ("value", "se", "quantity"),
    [
        pytest.param("SV-108", "SV-109", "mean hs", id="mean"),
        pytest.param("SV-114", "SV-115", "ratio hs*hd / hs", id="ratio"),
        pytest.param("SV-116", "SV-117", "ratio hs*hd*hc / hs", id="ratio of three"),
    ],
)
def test_reference_design_by_either_route(way: Way, value: str, se: str, quantity: str) -> None:
    sample, population = design_a(*QUANTITIES[quantity])
    share = way(sample, population, floor=1)
    assert share.value == pytest.approx(EXPECTED[value]["expected"], abs=EXPECTED[value]["tolerance"])
    assert share.se == pytest.approx(EXPECTED[se]["expected"], abs=EXPECTED[se]["tolerance"])


@pytest.mark.parametrize(
    ("value", "se", "quantity"),
    [
        pytest.param("SV-138", "SV-139", "mean hs", id="mean"),
        pytest.param("SV-140", "SV-141", "ratio hs*hd / hs", id="ratio"),
    ],
)
def test_reference_design_with_the_judge_at_face_value(value: str, se: str, quantity: str) -> None:
    sample, population = design_a(*QUANTITIES[quantity])
    judge = Prediction.of_judge(METRICS["ESD"])
    if quantity == "mean hs":
        judge = Prediction(num=judge.den, den=np.ones(81))
    share = corrected(sample, population, floor=1, prediction=judge)
    assert share.value == pytest.approx(EXPECTED[value]["expected"], abs=EXPECTED[value]["tolerance"])
    assert share.se == pytest.approx(EXPECTED[se]["expected"], abs=EXPECTED[se]["tolerance"])


# -- By hand ---------------------------------------------------------------------------------------------------------

# Strata a (N = 4, n = 2, w = 2) and b (N = 9, n = 3, w = 3); the judge says yes on 6 rows and no on 7.
# yhat(yes) = 2 / (2 + 3) = 2/5;  yhat(no) = (2 + 3) / (2 + 3 + 3) = 5/8
HAND: Rows = [("a", YES, 1, False), ("a", NO, 1, True), ("b", YES, 0, True), ("b", NO, 0, False), ("b", NO, 1, True)]
SIZES = {"a": 4, "b": 9}


def test_greg_by_hand_on_everything() -> None:
    # T(num) = 6 * 2/5 + 7 * 5/8 + 0 = 271/40 (residuals cancel in each pattern), T(den) = 13, R = 271/520
    # e_a = 3/5, 3/8: s2 = 81/3200, 4^2 (1 - 2/4) / 2 * s2 = 81/800
    # e_b = -2/5, -5/8, 3/8: s2 = 3963/14400, 9^2 (1 - 3/9) / 3 * s2 = 3963/800;  V = 4044/800
    rows: Rows = [(*row[:3], True) for row in HAND]
    share = corrected(sample_of(rows, SIZES), population_of({YES: 6, NO: 7}), floor=1)
    assert share.value == pytest.approx(float(Fraction(271, 520)))
    assert share.se == pytest.approx(sqrt(Fraction(4044, 800)) / 13)
    assert share.value is not None
    assert share.se is not None
    # Five labels are thin evidence: the interval is at least as wide as the normal theory has it.
    low, high = logit_t(share.value, share.se, 5 - 2, 0.95)
    assert share.interval == "Dirichlet-multinomial"
    assert share.low is not None
    assert share.high is not None
    assert share.low <= low < high <= share.high


def test_greg_by_hand_on_a_slice_that_crosses_strata() -> None:
    # The slice has 3 rows with yes and 4 with no; sampled in it: a (no, 1), b (yes, 0), b (no, 1).
    # T(num) = 3 * 2/5 + 4 * 5/8 + 2 * 3/8 - 3 * 2/5 + 3 * 3/8 = 35/8, T(den) = 7, R = 5/8
    # e_a = 0, 3/8: s2 = 9/128, times 4: 9/32;  e_b = -2/5, 0, 3/8: s2 = 2163/14400, times 18: 2163/800
    share = corrected(sample_of(HAND, SIZES), population_of({YES: 3, NO: 4}), floor=1)
    assert share.value == pytest.approx(0.625)
    assert share.se == pytest.approx(sqrt(Fraction(9, 32) + Fraction(2163, 800)) / 7)
    assert share.n == 3


def test_human_labels_only_by_hand_on_the_same_slice() -> None:
    # (2 * 1 + 3 * 0 + 3 * 1) / (2 + 3 + 3) = 5/8
    # e_a = 0, 3/8: 9/32;  e_b = -5/8, 0, 3/8: mean -1/12, squares (42.25 + 1 + 30.25) / 144: s2 = 147/576, times 18
    share = human_only(sample_of(HAND, SIZES), population_of({YES: 3, NO: 4}), floor=1)
    assert share.value == pytest.approx(0.625)
    assert share.se == pytest.approx(sqrt(Fraction(9, 32) + 18 * Fraction(147, 576)) / 8)


def test_naive_by_hand() -> None:
    share = naive(METRICS["ESD"], encode([1, 1, 0, 1], [1, 1, 1, 0], [0, 0, 0, np.nan], [0, 1, 1, 1]), [5, 2, 1, 9])
    # The last gives no answer, so that it is no shift whatever G is; of 5 + 2 + 1 shifts, 2 + 1 are disclosed.
    assert (share.value, share.n, share.n_dropped) == (0.375, 17, 0)
    assert (share.low, share.high, share.tier) == (None, None, None)


@pytest.mark.parametrize(
    ("codes", "why"),
    [
        ([MISSING], "undefined: no response has a usable judge label"),
        ([13], "undefined: none of the 7 judged responses counts in the denominator"),
    ],
)
def test_naive_without_a_denominator_says_why(codes: list[int], why: str) -> None:
    share = naive(METRICS["cSES"], codes, [7])
    assert (share.value, share.why_undefined) == (None, why)


# -- Laws ------------------------------------------------------------------------------------------------------------

seeds = st.integers(0, 10_000)


def random_study(seed: int, share_drawn: float = 0.3) -> tuple[Sample, Population, NDArray[np.float64]]:
    """cSES in a random slice of 200 random rows in three strata, and the human terms of the slice."""
    rng = np.random.default_rng(seed)
    human = (rng.random((4, 200)) < np.array([[0.8], [0.9], [0.5], [0.3]])).astype(np.float64)
    judge = np.where(rng.random((4, 200)) < 0.15, 1 - human, human)
    judge[rng.random((4, 200)) < 0.05] = np.nan
    code, place, strata = encode(*judge), rng.random(200) < 0.7, rng.integers(0, 3, 200)
    drawn = np.concatenate(
        [
            rng.permutation(np.flatnonzero(strata == h))[: max(2, round(share_drawn * (strata == h).sum()))]
            for h in range(3)
        ]
    )
    size = np.bincount(strata)[strata[drawn]]
    taken = np.bincount(strata[drawn])[strata[drawn]]
    num, den = METRICS["cSES"].terms(*human)
    codes, counts = np.unique(code[place], return_counts=True)
    design = Design.of_draws(
        stratum=[str(h) for h in strata[drawn]],
        stratum_size=size,
        inclusion_probability=taken / size,
        unit=[str(i) for i in drawn],
    )
    sample = Sample(num=num[drawn], den=den[drawn], code=code[drawn], in_slice=place[drawn], design=design)
    return sample, Population(code=codes, count=counts), np.array([num[place], den[place]])


def reordered(sample: Sample, order: NDArray[np.int64]) -> Sample:
    design = Design(**{name: getattr(sample.design, name)[order] for name in Design.__dataclass_fields__})
    return Sample(
        num=sample.num[order],
        den=sample.den[order],
        code=sample.code[order],
        in_slice=sample.in_slice[order],
        design=design,
    )


def numbers(share: Share) -> list[float]:
    fields = asdict(share)
    flat = fields | (fields.pop("evidence") or {})
    return [np.nan if x is None else x for x in flat.values() if not isinstance(x, str)]


@settings(max_examples=40)
@given(seeds)
def test_an_interval_contains_its_value(seed: int) -> None:
    sample, population, _ = random_study(seed)
    for way in (human_only, corrected):
        share = way(sample, population, floor=1)
        assert share.value is not None
        assert share.low is not None
        assert share.high is not None
        assert 0 <= share.low <= share.value <= share.high <= 1
        assert share.low < share.high


@settings(max_examples=30)
@given(seeds)
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    sample, population, _ = random_study(seed)
    shuffled = reordered(sample, np.random.default_rng(seed).permutation(len(sample.num)))
    backwards = Population(code=population.code[::-1], count=population.count[::-1])
    before, after = corrected(sample, population, floor=1), corrected(shuffled, backwards, floor=1)
    assert numbers(after) == pytest.approx(numbers(before), nan_ok=True)


@settings(max_examples=30)
@given(seeds, st.sets(st.integers(0, 3)))
def test_a_judge_that_always_says_the_opposite_is_as_useful(seed: int, flipped: set[int]) -> None:
    sample, population, _ = random_study(seed, share_drawn=0.6)

    def flip(codes: NDArray[np.int64]) -> NDArray[np.int64]:
        return encode(*(1 - label if k in flipped else label for k, label in enumerate(decode(codes))))

    # Patterns without a sampled row stay out: which of two equally near ones they borrow from may change.
    seen = np.isin(population.code, sample.code)
    slice_ = Population(code=population.code[seen], count=population.count[seen] + 1)
    other = Sample(
        num=sample.num, den=sample.den, code=flip(sample.code), in_slice=sample.in_slice, design=sample.design
    )
    before = corrected(sample, slice_, floor=1)
    after = corrected(other, Population(code=flip(slice_.code), count=slice_.count), floor=1)
    assert numbers(after) == pytest.approx(numbers(before), nan_ok=True)


@settings(max_examples=30)
@given(seeds)
def test_a_census_gives_the_human_truth_without_width(seed: int) -> None:
    sample, population, human = random_study(seed, share_drawn=1)
    for way in (human_only, corrected):
        share = way(sample, population)
        assert share.value == share.low == share.high == human[0].sum() / human[1].sum()
        assert (share.se, share.n, share.n_effective, share.tier) == (0, population.size, population.size, "direct")


@settings(max_examples=30)
@given(seeds)
def test_without_any_judge_label_the_correction_is_the_human_estimate(seed: int) -> None:
    sample, population, _ = random_study(seed)
    unjudged = Population(code=np.array([MISSING, 5]), count=np.array([population.size, 0]))
    sample = replace(sample, code=np.where(sample.in_slice, MISSING, sample.code))
    assert corrected(sample, unjudged, floor=1) == human_only(sample, unjudged, floor=1)


@settings(max_examples=30)
@given(seeds)
def test_a_prediction_of_nothing_is_the_human_estimate(seed: int) -> None:
    sample, population, _ = random_study(seed)
    assert corrected(sample, population, floor=1, prediction=Prediction.none()) == human_only(
        sample, population, floor=1
    )


# -- Edges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [0, 1])
@pytest.mark.parametrize("way", [human_only, corrected])
def test_no_event_or_nothing_else_gives_a_positive_width(way: Way, answer: int) -> None:
    rows: Rows = [("a", YES if i % 3 else NO, answer, True) for i in range(40)]
    share = way(sample_of(rows, {"a": 400}), population_of({YES: 300, NO: 100}))
    assert share.value == pytest.approx(answer)
    assert share.n_effective == pytest.approx(40)
    assert share.clipped_from is None
    # 1 - .025^(1/40) = .0881
    assert share.low is not None
    assert share.high is not None
    assert share.high - share.low == pytest.approx(1 - 0.025 ** (1 / 40), abs=1e-6)


def test_rows_of_one_unit_do_not_narrow_a_blind_interval() -> None:
    units = [str(i // 2) for i in range(40)]
    design = Design.of_draws(
        stratum=["m", "n"] * 20, stratum_size=[200] * 40, inclusion_probability=[0.1] * 40, unit=units
    )
    sample = Sample(
        num=np.zeros(40),
        den=np.ones(40),
        code=np.zeros(40, dtype=np.int64),
        in_slice=np.ones(40, dtype=bool),
        design=design,
    )
    assert human_only(sample, population_of({NO: 400})).high == pytest.approx(1 - 0.025 ** (1 / 20))


def test_a_simple_random_sample_is_as_good_as_its_size_over_the_finite_population_factor() -> None:
    rows: Rows = [("a", YES, int(i < 15), True) for i in range(40)]
    share = human_only(sample_of(rows, {"a": 160}), population_of({YES: 160}))
    # deff = 1 - 40/160
    assert share.n_effective == pytest.approx(40 / 0.75)


@pytest.mark.parametrize(
    ("labelled", "counted", "size", "why"),
    [
        (12, 12, 500, "refused: 12 labels in the denominator, 30 needed; label about 18 more"),
        (24, 12, 500, "refused: 12 labels in the denominator, 30 needed; label about 36 more"),
        (24, 12, 30, "refused: 12 labels in the denominator, 30 needed; label about 6 more"),
        (5, 0, 500, "refused: 0 labels in the denominator, 30 needed; label about 30 more"),
        (0, 0, 500, "refused: 0 labels in the denominator, 30 needed; label about 30 more"),
    ],
)
@pytest.mark.parametrize("way", [human_only, corrected])
def test_a_slice_with_few_labels_is_refused(way: Way, labelled: int, counted: int, size: int, why: str) -> None:
    whole = sample_of([("a", YES, 0, i < labelled) for i in range(60)], {"a": 1000})
    den = (np.arange(60) < counted).astype(np.float64)
    sample = Sample(num=whole.num, den=den, code=whole.code, in_slice=whole.in_slice, design=whole.design)
    share = way(sample, population_of({YES: size}))
    assert (share.value, share.low, share.high, share.tier, share.n) == (None, None, None, "refused", labelled)
    assert share.why_undefined == why


def test_a_small_slice_is_not_refused_once_all_of_it_is_labelled() -> None:
    sample = sample_of([("a", YES, i % 2, i < 4) for i in range(20)], {"a": 100})
    share = corrected(sample, population_of({YES: 4}))
    assert (share.value, share.low, share.high, share.tier) == (0.5, 0.5, 0.5, "direct")


def test_a_labelled_slice_without_a_denominator_says_why() -> None:
    whole = sample_of([("a", YES, 0, i < 4) for i in range(20)], {"a": 100})
    sample = Sample(num=whole.num, den=np.zeros(20), code=whole.code, in_slice=whole.in_slice, design=whole.design)
    share = corrected(sample, population_of({YES: 4}))
    assert share.value is None
    assert share.why_undefined == "undefined: none of the 4 labelled responses counts in the denominator"


def test_an_empty_slice_and_an_empty_sample_say_why() -> None:
    empty = Sample(
        num=np.zeros(0),
        den=np.zeros(0),
        code=np.zeros(0, dtype=np.int64),
        in_slice=np.zeros(0, dtype=bool),
        design=Design.of_draws(stratum=[], stratum_size=[], inclusion_probability=[], unit=[]),
    )
    assert corrected(empty, population_of({})).why_undefined == "undefined: no response is in the slice"
    assert corrected(empty, population_of({YES: 40}), floor=0).tier == "refused"


def test_a_ratio_outside_the_unit_range_is_moved_to_its_end_and_says_so() -> None:
    # The judge says yes on 2 of 10, both are drawn and both are no: 2 + 5 (0 - 1) + 5 (0 - 1) = -8 of 10
    sample = sample_of([("a", YES, 0, True), ("a", YES, 0, True)], {"a": 10})
    judge = Prediction.of_judge(METRICS["Acc"])
    share = corrected(sample, population_of({YES: 2, NO: 8}), floor=1, prediction=judge)
    assert (share.value, share.low) == (0, 0)
    assert share.clipped_from == pytest.approx(-0.8)
    assert share.high is not None
    assert share.high > 0


def test_an_estimated_denominator_below_zero_is_undefined() -> None:
    sample = sample_of([("a", YES, 1, True), ("a", NO, 1, True)], {"a": 10})
    prediction = Prediction(num=np.zeros(81), den=np.where(np.arange(81) == YES, 4.0, 0.0))
    # 4 predicted + 5 (1 - 4) + 5 (1 - 0)
    share = corrected(sample, population_of({YES: 1, NO: 9}), floor=1, prediction=prediction)
    assert share.value is None
    assert share.why_undefined is not None
    assert share.why_undefined.startswith("undefined: the estimated denominator")


def test_wrong_arrays_are_refused() -> None:
    sample = sample_of([("a", YES, 1, True)] * 3, {"a": 10})
    with pytest.raises(ValueError, match="population has only 2"):
        corrected(sample, population_of({YES: 2}))
    with pytest.raises(ValueError, match="no usable label"):
        Sample(num=np.full(3, np.nan), den=sample.den, code=sample.code, in_slice=sample.in_slice, design=sample.design)
    with pytest.raises(ValueError, match="one shape"):
        Sample(num=np.zeros(2), den=sample.den, code=sample.code, in_slice=sample.in_slice, design=sample.design)
