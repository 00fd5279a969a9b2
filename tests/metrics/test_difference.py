import pytest

from metrics.difference import Difference, by_student, unseen_change


def test_an_interval_and_a_reason_for_none_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="exactly one"):
        Difference(value=0.0, level=0.95, n=3)
    with pytest.raises(ValueError, match="exactly one"):
        Difference(value=0.0, low=0.0, high=0.0, level=0.95, n=3, why_undefined="undefined: no")
    with pytest.raises(ValueError, match="share in"):
        Difference(value=0.0, low=0.0, high=0.0, level=95, n=3)


def test_an_undefined_difference_gets_no_interval() -> None:
    nothing = Difference(value=None, level=0.95, n=0, why_undefined="undefined: no pair")
    with pytest.raises(ValueError, match="no interval"):
        nothing.within((0, 1), 1)
    with pytest.raises(ValueError, match="needs a value"):
        by_student(nothing, 1)


def test_without_variation_the_width_comes_from_the_number_of_units() -> None:
    # 1 - .025^(1/20) = .1684
    assert unseen_change(1.0, 20, 1, 0.95) == pytest.approx((1 - 2 * 0.1684, 1.0), abs=1e-4)
    assert unseen_change(0.0, 20, 2, 0.95) == pytest.approx((-2 * 0.1684, 2 * 0.1684), abs=1e-4)
