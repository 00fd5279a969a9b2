import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from metrics.interval import clopper_pearson, interval, logit_t

shares = st.floats(0, 1)
sizes = st.floats(1, 1e5)


@pytest.mark.parametrize(("events", "n"), [(0, 20), (1, 20), (7, 20), (19, 20), (20, 20), (3, 401)])
def test_the_exact_interval_is_the_textbook_one_for_whole_numbers(events: int, n: int) -> None:
    reference = binomtest(events, n).proportion_ci(0.9, method="exact")
    assert clopper_pearson(events / n, n, 0.9) == pytest.approx((reference.low, reference.high))


def test_no_event_in_n_has_the_upper_end_in_closed_form() -> None:
    # 0 of n at 95 %: 1 - .025^(1/n)
    assert clopper_pearson(0, 50, 0.95) == pytest.approx((0, 1 - 0.025 ** (1 / 50)))


def test_the_logit_interval_by_hand() -> None:
    # logit(.8) = log 4; t(.975, 10) = 2.228139; spread 2.228139 * .04 / .16 = .5570347
    # 4 e^-.5570347 = 2.291620 -> .696198; 4 e^.5570347 = 6.981960 -> .874717
    assert logit_t(0.8, 0.04, 10, 0.95) == pytest.approx((0.696198, 0.874717), abs=1e-6)


@settings(max_examples=60)
@given(value=shares, se=st.floats(0, 10), df=st.integers(1, 1000), level=st.floats(0.5, 0.999), n=sizes)
def test_an_interval_lies_in_the_unit_range_and_around_its_value(
    value: float, se: float, df: int, level: float, n: float
) -> None:
    low, high = interval(value, se, df, level, n, census=False)
    assert 0 <= low <= value <= high <= 1
    assert low < high
    assert interval(value, se, df, level, n, census=True) == (value, value)


@settings(max_examples=60)
@given(value=st.floats(0.001, 0.999), se=st.floats(0.001, 0.2), n=sizes)
def test_yes_and_no_are_treated_alike(value: float, se: float, n: float) -> None:
    low, high = interval(value, se, 20, 0.95, n, census=False)
    assert interval(1 - value, se, 20, 0.95, n, census=False) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("value", "se"), [(0.0, 0.0), (1.0, 0.0), (0.3, 0.0), (0.0, 0.02)])
def test_a_blind_standard_error_still_gives_width_that_shrinks_with_n(value: float, se: float) -> None:
    wide, narrow = (interval(value, se, 9, 0.95, n, census=False) for n in (30, 300))
    assert wide[1] - wide[0] > narrow[1] - narrow[0] > 0


def test_a_higher_level_is_wider() -> None:
    assert interval(0.3, 0.05, 9, 0.99, 50, census=False)[1] > interval(0.3, 0.05, 9, 0.9, 50, census=False)[1]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="share in"):
        interval(1.2, 0.1, 9, 0.95, 50, census=False)
    with pytest.raises(ValueError, match="level is 95"):
        interval(0.2, 0.1, 9, 95, 50, census=False)
    with pytest.raises(ValueError, match="strictly between"):
        logit_t(0, 0.1, 9, 0.95)
    with pytest.raises(ValueError, match="more than 0 trials"):
        clopper_pearson(0, 0, 0.95)
