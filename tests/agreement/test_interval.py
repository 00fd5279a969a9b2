import pytest

from agreement.interval import by_disagreement, clopper_pearson, containing, logit_student, student


def test_clopper_pearson_of_a_share_of_one() -> None:
    assert clopper_pearson(1.0, 10, 0.95) == pytest.approx((0.025**0.1, 1.0))


def test_student_and_logit_student_agree_on_small_errors() -> None:
    assert logit_student(0.4, 1e-4, 30, 0.9) == pytest.approx(student(0.4, 1e-4, 30, 0.9), abs=1e-7)


def test_logit_student_survives_a_huge_error() -> None:
    assert logit_student(0.5, 1e6, 1, 0.99) == (0.0, 1.0)


def test_by_disagreement_is_symmetric_about_half() -> None:
    none, all_ = by_disagreement(0.0, 1.0, 50, 0.95), by_disagreement(1.0, 1.0, 50, 0.95)
    assert none == pytest.approx((1 - all_[1], 1 - all_[0]))


def test_containing_cuts_and_widens() -> None:
    assert containing(0.5, (0.6, 1.4), lowest=0) == (0.5, 1.0)
    assert containing(-0.5, (-3, -0.6), lowest=-1) == (-1, -0.5)
