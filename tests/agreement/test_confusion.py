from dataclasses import fields
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)

from agreement.coefficients import cohen_kappa
from agreement.confusion import JudgeAgreement, confusion
from agreement.ratings import Ratings
from agreement.result import Agreement

Labels = NDArray[np.int64]


def figures(result: JudgeAgreement) -> dict[str, Agreement]:
    every = {field.name: getattr(result, field.name) for field in fields(result)}
    return {name: figure for name, figure in every.items() if isinstance(figure, Agreement)}


def width(figure: Agreement) -> float:
    assert figure.low is not None
    assert figure.high is not None
    return figure.high - figure.low


def judged(seed: int, n: int, *, sensitivity: float = 0.8, specificity: float = 0.9) -> tuple[Labels, Labels]:
    rng = np.random.default_rng(seed)
    human = (rng.random(n) < 0.35).astype(np.int64)
    right = rng.random(n) < np.where(human == 1, sensitivity, specificity)
    return human, np.where(right, human, 1 - human)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_figures_are_scikit_learns(seed: int, weighted: bool) -> None:
    human, judge = judged(seed, 61)
    weights = np.random.default_rng(seed).uniform(1, 9, 61) if weighted else None
    found, how = confusion(human, judge, weights=weights), {"sample_weight": weights}
    assert np.array(found.table) == pytest.approx(confusion_matrix(human, judge, **how))
    assert np.array(found.counts).tolist() == confusion_matrix(human, judge).tolist()
    assert found.sensitivity.value == pytest.approx(recall_score(human, judge, **how))
    assert found.specificity.value == pytest.approx(recall_score(human, judge, pos_label=0, **how))
    assert found.positive_predictive_value.value == pytest.approx(precision_score(human, judge, **how))
    assert found.negative_predictive_value.value == pytest.approx(precision_score(human, judge, pos_label=0, **how))
    assert found.accuracy.value == pytest.approx(accuracy_score(human, judge, **how))
    assert found.kappa.value == pytest.approx(cohen_kappa_score(human, judge, **how))
    assert found.mcc.value == pytest.approx(matthews_corrcoef(human, judge, **how))
    assert found.f1.value == pytest.approx(f1_score(human, judge, **how))
    assert found.always_yes.value == pytest.approx(accuracy_score(human, np.ones(61), **how))
    assert found.always_no.value == pytest.approx(accuracy_score(human, np.zeros(61), **how))


def test_kappa_of_a_simple_sample_is_the_coefficient_of_two_raters() -> None:
    """Fleiss, Cohen & Everitt divide by n, the linearisation by n - 1: that is the whole difference."""
    human, judge = judged(2, 80)
    two = cohen_kappa(Ratings.of(np.column_stack([human, judge]), n_categories=2))
    found = confusion(human, judge).kappa
    assert found.value == pytest.approx(two.value)
    assert two.se is not None
    assert found.se == pytest.approx(two.se * (80 / 79) ** 0.5)


def test_missing_labels_are_dropped_and_counted_and_score_zero() -> None:
    human, judge = judged(3, 60)
    holes, scored = human.copy(), []
    holes[::7] = -1

    def variance(scores: NDArray[np.float64]) -> float:
        scored.append(scores)
        return 0.01

    found = confusion(holes, judge, variance=variance)
    assert (found.n, found.n_dropped) == (51, 9)
    assert all(len(scores) == 60 and not scores[::7].any() for scores in scored)
    assert np.array([scores.sum() for scores in scored]) == pytest.approx(0, abs=1e-12)
    kept = holes >= 0
    assert confusion(holes, judge).kappa.value == confusion(human[kept], judge[kept]).kappa.value
    assert confusion(holes, judge).accuracy.low == pytest.approx(confusion(human[kept], judge[kept]).accuracy.low)


@pytest.mark.parametrize(
    ("human", "judge", "undefined"),
    [
        pytest.param([], [], 12, id="empty"),
        pytest.param([-1, 1], [1, -1], 12, id="no-pair"),
        pytest.param([1, 1, 1], [1, 1, 1], 4, id="all-identical"),
        pytest.param([0, 0, 0], [0, 0, 0], 5, id="all-no"),
        pytest.param([0, 1, 1], [1, 1, 1], 3, id="judge-always-yes"),
        pytest.param([0, 0, 0], [1, 0, 1], 3, id="nobody-yes"),
        pytest.param([1], [0], 4, id="one-row"),
    ],
)
def test_degenerate_inputs(human: list[int], judge: list[int], undefined: int) -> None:
    found = figures(confusion(np.array(human, dtype=int), np.array(judge, dtype=int)))
    missing = [figure for figure in found.values() if figure.value is None]
    assert len(missing) == undefined
    assert all((figure.why_undefined or "").startswith("undefined: ") for figure in missing)


def test_reasons_are_sentences() -> None:
    found = confusion([0, 0, 0], [1, 0, 1], category_names=["absent", "present"])
    assert found.sensitivity.why_undefined == "undefined: none of the 3 of people's labels is present"
    assert found.kappa.why_undefined == "undefined: people said absent on all 3 rows"
    assert found.mcc.why_undefined == found.kappa.why_undefined
    nobody = confusion([0, 0], [0, 0], category_names=["absent", "present"])
    assert nobody.f1.why_undefined == "undefined: neither people nor the judge said present on any of 2 rows"


def test_a_share_of_one_has_a_clopper_pearson_interval() -> None:
    found = confusion([1] * 20 + [0] * 10, [1] * 20 + [0] * 9 + [1])
    assert found.sensitivity.value == found.sensitivity.high == 1
    assert found.sensitivity.low == pytest.approx(0.025 ** (1 / 20))
    assert found.sensitivity.n == 20


@pytest.mark.parametrize("figure", ["mcc", "f1", "kappa"])
def test_standard_errors_are_the_jackknifes(figure: str) -> None:
    """Leaving out one row at a time, under unequal weights: the same to first order (n = 200, 2 %)."""
    human, judge = judged(6, 200)
    weights = np.random.default_rng(6).uniform(1, 4, 200)
    alone = [np.arange(200) != i for i in range(200)]
    left = [figures(confusion(human[k], judge[k], weights=weights[k]))[figure].value for k in alone]
    spread = (199 * np.var(np.array(left, dtype=float))) ** 0.5
    assert figures(confusion(human, judge, weights=weights))[figure].se == pytest.approx(spread, rel=0.02)


@pytest.mark.parametrize("flip", [False, True])
def test_perfect_and_perfectly_wrong_correlations_have_a_width(flip: bool) -> None:
    human = np.array([0, 1] * 25)
    found = confusion(human, 1 - human if flip else human).mcc
    assert found.value == pytest.approx(-1 if flip else 1)
    assert found.low is not None
    assert found.high is not None
    assert 0.05 < found.high - found.low < 0.3


def test_unequal_weights_know_less_about_a_share_of_one() -> None:
    human = judge = [1] * 20
    flat, steep = (confusion(human, judge, weights=w).sensitivity.low for w in ([1] * 20, [1] * 19 + [50]))
    assert flat is not None
    assert steep is not None
    assert steep < flat / 2


def test_a_design_that_reports_no_variance_does_not_make_it_certain() -> None:
    human, judge = judged(5, 40)
    for figure in figures(confusion(human, judge, variance=lambda scores: 0.0)).values():
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low < figure.high


@pytest.mark.parametrize(
    ("human", "judge", "options", "message"),
    [
        ([0, 2], [0, 1], {}, r"human: 1 not declared, the first is 2 \(row 1\)"),
        ([0, 1], [0.0, 1.0], {}, "judge has type float64"),
        ([0, 1], [0], {}, "2 human labels, 1 of the judge"),
        ([0, 1], [0, 1], {"weights": [1, 0]}, "> 0"),
        ([0, 1], [0, 1], {"level": 95}, "such as 0.95"),
        ([0, 1, 0], [0, 1, 1], {"variance": lambda scores: float("nan")}, "variance returned nan"),
        ([0, 1], [0, 1], {"degrees_of_freedom": 0}, "at least 1"),
    ],
)
def test_wrong_arguments(human: ArrayLike, judge: ArrayLike, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        confusion(human, judge, **options)  # type: ignore[arg-type]  # wrong on purpose


@settings(max_examples=60)
@given(data=st.data())
def test_intervals_contain_their_value_and_have_a_width(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 25))
    human, judge = (data.draw(arrays(np.int64, n, elements=st.integers(-1, 1))) for _ in range(2))
    weights = data.draw(st.none() | arrays(np.float64, n, elements=st.floats(0.5, 100)))
    found = confusion(human, judge, weights=weights)
    assert found.n + found.n_dropped == n
    for figure in figures(found).values():
        if figure.value is not None:
            assert figure.low is not None
            assert figure.high is not None
            assert (
                (-1 if figure.name in ("cohen_kappa", "mcc") else 0) <= figure.low <= figure.value <= figure.high <= 1
            )
            assert figure.low < figure.high


@settings(max_examples=30)
@given(data=st.data())
def test_swapping_people_and_judge_swaps_the_figures(data: st.DataObject) -> None:
    human, judge = (data.draw(arrays(np.int64, 15, elements=st.integers(-1, 1))) for _ in range(2))
    one, other = confusion(human, judge), confusion(judge, human)
    assert one.sensitivity.value == other.positive_predictive_value.value
    assert one.specificity.low == other.negative_predictive_value.low
    assert one.kappa.value == pytest.approx(other.kappa.value)
    assert one.mcc.value == pytest.approx(other.mcc.value)
    assert one.f1 == other.f1


@cache
def truth_and_samples() -> tuple[JudgeAgreement, list[JudgeAgreement]]:
    return confusion(*judged(99, 1_000_000)), [confusion(*judged(seed, 120)) for seed in range(300)]


@pytest.mark.parametrize(
    "figure", ["sensitivity", "specificity", "accuracy", "kappa", "mcc", "f1", "negative_predictive_value"]
)
def test_intervals_cover_at_their_level(figure: str) -> None:
    """300 samples of 120 rows; allowed: 3 binomial standard errors and one point for the asymptotics."""
    truth = figures(truth_and_samples()[0])[figure].value
    assert truth is not None
    found = [figures(one)[figure] for one in truth_and_samples()[1]]
    hits = sum(one.low is not None and one.high is not None and one.low <= truth <= one.high for one in found)
    assert abs(hits / 300 - 0.95) < 3 * (0.95 * 0.05 / 300) ** 0.5 + 0.01


def test_a_census_is_exact() -> None:
    human, judge = judged(8, 40)
    for figure in figures(confusion(human, judge, weights=[2.0] * 40, census=True)).values():
        assert figure.low == figure.value == figure.high
        assert figure.se == 0


def test_a_census_does_not_define_what_is_undefined() -> None:
    assert confusion([0, 0, 0], [0, 1, 0], census=True).sensitivity.value is None


def test_a_slice_keeps_the_others_in_the_design() -> None:
    """Rows outside score 0 under the design's variance, and are not dropped rows."""
    human, judge = judged(9, 60)
    inside, weights = np.arange(60) % 3 == 0, np.random.default_rng(9).uniform(1, 4, 60)
    seen: list[NDArray[np.float64]] = []

    def variance(scores: NDArray[np.float64]) -> float:
        seen.append(scores)
        return 60 * float(np.var(weights * scores, ddof=1))

    found = confusion(human, judge, weights=weights, variance=variance, rows=inside)
    alone = confusion(human[inside], judge[inside], weights=weights[inside])
    assert (found.n, found.n_dropped) == (20, 0)
    assert all(len(scores) == 60 and not scores[~inside].any() for scores in seen)
    assert found.kappa.value == alone.kappa.value
    assert found.kappa.se is not None
    # The size of the slice is random, which the ratio takes account of: n / (n - 1) of 60 rows in place of 20.
    assert alone.kappa.se == pytest.approx(found.kappa.se * (59 / 60 * 20 / 19) ** 0.5)


def test_repeated_tasks_are_no_new_evidence() -> None:
    human, judge = judged(10, 50)
    once = confusion(human, judge)
    often = confusion(np.repeat(human, 4), np.repeat(judge, 4), cluster=np.repeat(np.arange(50), 4))
    for name in ("accuracy", "kappa", "mcc", "f1", "sensitivity"):
        assert figures(often)[name].se == pytest.approx(figures(once)[name].se)


def test_everything_wrong_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="judge: 1 not declared") as caught:
        confusion([0, 1], [0, 7], weights=[-1, 2], cluster=[1], variance=lambda scores: 0.0, level=95)
    assert len(str(caught.value).splitlines()) == 5


@settings(max_examples=30)
@given(data=st.data())
def test_order_of_rows_and_scale_of_weights_do_not_matter(data: st.DataObject) -> None:
    human, judge = (data.draw(arrays(np.int64, 12, elements=st.integers(-1, 1))) for _ in range(2))
    weights = data.draw(arrays(np.float64, 12, elements=st.sampled_from([1.0, 2.0, 5.0])))
    order = np.array(data.draw(st.permutations(range(12))))
    before = figures(confusion(human, judge, weights=weights))
    after = figures(confusion(human[order], judge[order], weights=7 * weights[order]))
    for name, figure in before.items():
        assert after[name].value == pytest.approx(figure.value)
        assert after[name].low == pytest.approx(figure.low)


@settings(max_examples=30)
@given(data=st.data())
def test_calling_yes_no_swaps_sensitivity_and_specificity(data: st.DataObject) -> None:
    human, judge = (data.draw(arrays(np.int64, 12, elements=st.integers(-1, 1))) for _ in range(2))
    one, other = confusion(human, judge), confusion(*(np.where(a < 0, -1, 1 - a) for a in (human, judge)))
    assert one.sensitivity.value == pytest.approx(other.specificity.value)
    assert one.positive_predictive_value.low == pytest.approx(other.negative_predictive_value.low)
    assert one.kappa.low == pytest.approx(other.kappa.low)
    assert one.mcc.value == pytest.approx(other.mcc.value)


@settings(max_examples=30)
@given(data=st.data())
def test_duplicated_rows_keep_the_values_and_narrow_the_intervals(data: st.DataObject) -> None:
    human, judge = (data.draw(arrays(np.int64, 15, elements=st.integers(-1, 1))) for _ in range(2))
    once, often = figures(confusion(human, judge)), figures(confusion(np.tile(human, 40), np.tile(judge, 40)))
    for name, figure in once.items():
        assert often[name].value == pytest.approx(figure.value)
        if figure.value is not None:
            assert width(often[name]) < width(figure)
