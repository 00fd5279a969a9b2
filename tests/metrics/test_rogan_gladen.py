import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.rogan_gladen import Calibration, Corrected, rogan_gladen, shifted, smoothed, variance

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "metrics_cases.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in GOLDEN["cases"]}


def counts(case: str) -> tuple[float, int, Calibration]:
    """Judge's share of yes, judged responses and calibration set; N10 is human yes, judge no."""
    v = CASES[case]["data"]["values"]
    yes, no = v["cal_N11"] + v["cal_N10"], v["cal_N01"] + v["cal_N00"]
    known = Calibration(sensitivity=v["cal_N11"] / yes, specificity=v["cal_N00"] / no, n_yes=yes, n_no=no)
    return v["test_pos"] / v["test_n"], v["test_n"], known


def shares(case: str) -> tuple[float, int, Calibration]:
    d = CASES[case]["data"]
    return d["p"], d["n"], Calibration(sensitivity=d["q1"], specificity=d["q0"], n_yes=d["m1"], n_no=d["m0"])


@pytest.mark.parametrize("case", ["JC-081", "JC-097"])
def test_plain_matches_the_reference(case: str) -> None:
    assert rogan_gladen(*counts(case)).unclipped == pytest.approx(CASES[case]["expected"], abs=CASES[case]["tolerance"])


@pytest.mark.parametrize(
    ("value", "spread", "ends"),
    [
        pytest.param("JC-089", "JC-090", "JC-091", id="vignette"),
        pytest.param("JC-105", "JC-106", "JC-107", id="arena"),
    ],
)
def test_smoothed_matches_the_reference(value: str, spread: str, ends: str) -> None:
    found = smoothed(*counts(value), level=0.9)
    assert found.value == pytest.approx(CASES[value]["expected"], abs=CASES[value]["tolerance"])
    assert (found.low, found.high) == pytest.approx(tuple(CASES[ends]["expected"]), abs=CASES[ends]["tolerance"])
    p, n, known = counts(value)
    z2 = 2.705543454095414
    more = Calibration(
        sensitivity=(known.sensitivity * known.n_yes + 1) / (known.n_yes + 2),
        specificity=(known.specificity * known.n_no + 1) / (known.n_no + 2),
        n_yes=known.n_yes + 2,
        n_no=known.n_no + 2,
    )
    assert found.unclipped is not None
    assert variance(found.unclipped, (p * n + z2 / 2) / (n + z2), n + z2, more) == pytest.approx(
        CASES[spread]["expected"], abs=CASES[spread]["tolerance"]
    )


def test_the_readme_example_of_lee_and_others() -> None:
    found = shifted(*shares("JC-114"), level=1 - CASES["JC-114"]["data"]["alpha"])
    assert found.value == rogan_gladen(*shares("JC-113")).value
    assert found.value == pytest.approx(CASES["JC-113"]["expected"], abs=1e-9)
    assert (found.low, found.high) == pytest.approx(
        tuple(CASES["JC-114"]["expected"]), abs=CASES["JC-114"]["tolerance"]
    )


def test_a_calibration_set_drawn_by_human_label_stays_right() -> None:
    # JC-170: 200 yes and 200 no by people, sensitivity .9, specificity .7, judge says yes on 40 %: .1 / .6
    assert CASES["JC-170"]["expected"].startswith("Rogan-Gladen .1667")
    assert rogan_gladen(*counts("JC-170")).value == pytest.approx(1 / 6)


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.5, 0.5), (0.2, 0.7), (1.0, 0.0)])
def test_a_judge_no_better_than_chance_is_refused(sensitivity: float, specificity: float) -> None:
    known = Calibration(sensitivity=sensitivity, specificity=specificity, n_yes=50, n_no=50)
    found = rogan_gladen(0.4, 100, known)
    assert found.value is None
    assert found.why_undefined is not None
    assert found.why_undefined.startswith("undefined: on the calibration set the judge is no better than chance")
    assert smoothed(0.4, 100, known).value is None
    assert shifted(0.4, 100, known) == found


def test_rates_that_smoothing_takes_below_chance_leave_all_possible() -> None:
    # One human yes, called so: smoothed to 2/3, with the specificity of .202 below 1 in all.
    known = Calibration(sensitivity=1, specificity=0.2, n_yes=1, n_no=250)
    found = shifted(0.9, 100, known)
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == (0, 1)


@settings(max_examples=60)
@given(p=st.floats(0, 1), q1=st.floats(0.6, 1), q0=st.floats(0.6, 1), n=st.integers(1, 5000), m=st.integers(1, 500))
def test_values_and_intervals_stay_in_range_and_say_where_they_were(
    p: float, q1: float, q0: float, n: int, m: int
) -> None:
    known = Calibration(sensitivity=q1, specificity=q0, n_yes=m, n_no=m)
    for found in (rogan_gladen(p, n, known), shifted(p, n, known), smoothed(p, n, known)):
        if found.value is None:
            continue
        assert 0 <= found.value <= 1
        assert found.unclipped is not None
        assert found.value == min(max(found.unclipped, 0), 1)
        if found.low is not None and found.high is not None:
            assert 0 <= found.low <= found.value <= found.high <= 1


RATES = st.integers(60, 100).map(lambda percent: percent / 100)


@settings(max_examples=60)
@given(p=RATES.map(lambda rate: (rate - 0.6) * 2.5), q1=RATES, q0=RATES, n=st.integers(1, 5000), m=st.integers(1, 500))
def test_calling_yes_no_and_no_yes_mirrors_the_estimate(p: float, q1: float, q0: float, n: int, m: int) -> None:
    known = Calibration(sensitivity=q1, specificity=q0, n_yes=m, n_no=2 * m)
    other = Calibration(sensitivity=q0, specificity=q1, n_yes=2 * m, n_no=m)
    for one, back in (
        (rogan_gladen(p, n, known), rogan_gladen(1 - p, n, other)),
        (shifted(p, n, known), shifted(1 - p, n, other)),
        (smoothed(p, n, known), smoothed(1 - p, n, other)),
    ):
        assert (one.value is None) == (back.value is None)
        if one.value is None or back.value is None:
            continue
        assert back.value == pytest.approx(1 - one.value, abs=1e-9)
        if one.low is not None and one.high is not None:
            assert (back.low, back.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-9)


@pytest.mark.parametrize("way", [shifted, smoothed])
@settings(max_examples=60)
@given(value=st.floats(0.2, 0.8), q1=RATES, q0=RATES)
def test_more_of_the_same_narrows_the_interval(
    way: Callable[..., Corrected], value: float, q1: float, q0: float
) -> None:
    p = value * q1 + (1 - value) * (1 - q0)
    widths = []
    for times in (1, 4, 16):
        known = Calibration(sensitivity=q1, specificity=q0, n_yes=50 * times, n_no=50 * times)
        found = way(p, 200 * times, known)
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    assert rogan_gladen(p, 200, known).value == pytest.approx(value)


def test_a_perfect_judge_changes_nothing() -> None:
    assert rogan_gladen(0.3, 10, Calibration(sensitivity=1, specificity=1, n_yes=5, n_no=5)).value == pytest.approx(0.3)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="sensitivity is"):
        Calibration(sensitivity=1.2, specificity=1, n_yes=5, n_no=5)
    with pytest.raises(ValueError, match="specificity rests on 0"):
        Calibration(sensitivity=1, specificity=1, n_yes=5, n_no=0)
    known = Calibration(sensitivity=1, specificity=1, n_yes=5, n_no=5)
    with pytest.raises(ValueError, match="share of yes"):
        rogan_gladen(1.5, 10, known)
    with pytest.raises(ValueError, match="no judged response"):
        rogan_gladen(0.5, 0, known)
    with pytest.raises(ValueError, match="level is 95"):
        smoothed(0.5, 10, known, level=95)
    with pytest.raises(ValueError, match="level is 95"):
        shifted(0.5, 10, known, level=95)


def test_a_judge_no_better_than_chance_is_refused_before_its_counts_are_smoothed() -> None:
    # Smoothing draws 1 of 3 to .4 and 66 of 100 to .657: together above 1, which the counts themselves are not.
    known = Calibration(sensitivity=1 / 3, specificity=0.66, n_yes=3, n_no=100)
    found = smoothed(0.4, 100, known)
    assert found.value is None
    assert found.why_undefined is not None
    assert "0.33 + specificity 0.66" in found.why_undefined
