from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from agreement.alternative_annotator import alternative_annotator_test, over_labels

Labels = NDArray[np.int64]


def panel(
    seed: int, n: int = 80, *, raters: int = 3, error: float = 0.2, judge_error: float = 0.2
) -> tuple[Labels, Labels]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(np.int64)
    people = truth[:, None] ^ (rng.random((n, raters)) < error)
    return people.astype(np.int64), truth ^ (rng.random(n) < judge_error)


def test_without_tasks_a_contest_is_the_paired_t_test() -> None:
    """The authors' own procedure, worked from the definition for the first annotator."""
    people, judge = panel(1)
    own = (people[:, [0]] == people[:, 1:]).mean(axis=1)
    machine = (judge[:, None] == people[:, 1:]).mean(axis=1)
    judge_wins, own_wins = machine >= own, own >= machine
    found = alternative_annotator_test(people, judge, epsilon=0.2)
    expected = stats.ttest_1samp(own_wins.astype(float) - judge_wins, 0.2, alternative="less").pvalue
    assert found.contests[0].p_value == pytest.approx(expected)
    assert found.contests[0].judge_advantage == judge_wins.mean()
    assert found.contests[0].annotator_advantage == own_wins.mean()
    adjusted = stats.false_discovery_control([one.p_value for one in found.contests], method="by")
    assert [one.p_adjusted for one in found.contests] == pytest.approx(adjusted)
    assert found.average_advantage.value == pytest.approx(np.mean([one.judge_advantage for one in found.contests]))


def test_a_good_judge_passes_and_a_bad_one_does_not() -> None:
    good = alternative_annotator_test(*panel(2, 200, judge_error=0.05))
    bad = alternative_annotator_test(*panel(2, 200, judge_error=0.5))
    assert (good.passed, good.winning_rate) == (True, 1.0)
    assert (bad.passed, bad.winning_rate) == (False, 0.0)


def test_repeated_tasks_are_no_new_evidence() -> None:
    people, judge = panel(3, 50)
    once = alternative_annotator_test(people, judge)
    often = alternative_annotator_test(
        np.repeat(people, 4, axis=0), np.repeat(judge, 4), cluster=np.repeat(np.arange(50), 4)
    )
    assert [one.p_value for one in often.contests] == pytest.approx([one.p_value for one in once.contests])
    assert often.contests[0].n_tasks == 50
    assert often.average_advantage.low == pytest.approx(once.average_advantage.low)


def test_more_allowance_never_hurts() -> None:
    people, judge = panel(4)
    strict, lenient = (alternative_annotator_test(people, judge, epsilon=e).contests for e in (0.0, 0.2))
    assert all(a.p_value >= b.p_value for a, b in zip(strict, lenient, strict=True))


def test_no_difference_at_all_is_not_certainty() -> None:
    people = np.array([[i % 2] * 3 for i in range(40)])
    found = alternative_annotator_test(people, people[:, 0], epsilon=0.1)
    assert [one.p_value for one in found.contests] == pytest.approx([0.9**40] * 3)
    none = alternative_annotator_test(people, people[:, 0], epsilon=0)
    assert none.winning_rate == 0


def test_distance_sees_how_far_off() -> None:
    people = np.array([[0, 0, 1]] * 40)
    near, far = (alternative_annotator_test(people, [k] * 40, alignment="distance").contests[0] for k in (1, 2))
    assert near.judge_advantage == 1
    assert far.judge_advantage == 0
    assert alternative_annotator_test(people, [2] * 40).contests[0].judge_advantage == 0


def test_the_step_goes_over_all_labels() -> None:
    tests = [alternative_annotator_test(*panel(seed)) for seed in (5, 6)]
    together = over_labels(tests)
    p_values = [one.p_value for test in tests for one in test.contests]
    adjusted = [one.p_adjusted for test in together for one in test.contests]
    assert adjusted == pytest.approx(stats.false_discovery_control(p_values, method="by"))


@pytest.mark.parametrize(
    ("labels", "judge", "reason"),
    [
        pytest.param([[0, 1]] * 50, [0] * 50, "no item has labels of 3 people", id="two-people"),
        pytest.param([[0, 1, 1]] * 29, [0] * 29, "annotator 0 has 29 items", id="few-items"),
        pytest.param([[0, 1, 1]] * 50, [-1] * 50, "no item has labels of 3 people", id="no-judge"),
        pytest.param([[0, 1, 1, -1]] * 40 + [[0, 1, 1, 1]] * 9, [0] * 49, "annotator 3 has 9 items", id="a-guest"),
    ],
)
def test_refused_below_its_needs(labels: ArrayLike, judge: ArrayLike, reason: str) -> None:
    found = alternative_annotator_test(labels, judge)
    assert found.winning_rate is found.passed is found.average_advantage.value is None
    assert reason in (found.why_refused or "")
    assert found.contests == ()


def test_items_outside_the_core_do_not_count() -> None:
    people, judge = panel(7)
    more = np.vstack([people, [[1, 0, -1]] * 20])
    found = alternative_annotator_test(more, np.append(judge, [1] * 20))
    assert (found.n, found.n_dropped) == (80, 20)
    assert found.contests == alternative_annotator_test(people, judge).contests


def test_the_test_keeps_its_level() -> None:
    """A judge exactly epsilon worse: at most 5 % of single contests won (400 panels, three binomial errors)."""
    people = [alternative_annotator_test(*panel(seed, 60, judge_error=0.2), epsilon=0.0) for seed in range(400)]
    won = np.mean([test.contests[0].p_value <= 0.05 for test in people])
    assert won < 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 1}, "epsilon is 1"),
        ({"q": 0}, "q is 0"),
        ({"cluster": [1]}, "one a row"),
        ({"judge": [0.5] * 80}, "integers"),
        ({"judge": [0]}, "expected \\(items, annotators\\)"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    people, judge = panel(8)
    with pytest.raises(ValueError, match=message):
        alternative_annotator_test(people, **({"judge": judge} | options))


def test_different_steps_are_not_mixed() -> None:
    people, judge = panel(9)
    with pytest.raises(ValueError, match="cannot be adjusted together"):
        over_labels([alternative_annotator_test(people, judge, procedure=p) for p in ("by", "bh")])
