import numpy as np
import pytest

from metrics.correction import Population, Sample, human_only
from metrics.interval import interval
from metrics.uncertainty import Bracket, Evidence, polya, widened
from sampling.design import Design


def shares(num: list[int], sizes: list[int], labels: list[int], units: list[str] | None = None) -> Sample:
    """Strata of these sizes and numbers of labels, and one answer per label."""
    stratum = np.repeat(np.arange(len(sizes)), labels)
    size, taken = np.array(sizes)[stratum], np.array(labels)[stratum]
    n = len(num)
    return Sample(
        num=np.array(num, dtype=np.float64),
        den=np.ones(n),
        code=np.zeros(n, dtype=np.int64),
        in_slice=np.ones(n, dtype=bool),
        design=Design.of_draws(
            stratum=[f"{h:03}" for h in stratum],
            stratum_size=size,
            inclusion_probability=taken / size,
            unit=units or [str(i) for i in range(n)],
        ),
    )


def everything(sizes: list[int]) -> Population:
    return Population(code=np.zeros(1, dtype=np.int64), count=np.array([sum(sizes)]))


def test_many_labels_of_both_kinds_get_the_logit_interval() -> None:
    share = human_only(shares([0, 1, 1, 0] * 50, [1000], [200]), everything([1000]))
    assert share.interval == "logit-t"
    assert share.evidence is not None
    assert not share.evidence.is_thin
    assert share.value is not None
    assert share.se is not None
    assert (share.low, share.high) == pytest.approx(interval(share.value, share.se, 199, 0.95, 1, census=False))


def test_a_big_stratum_of_one_outcome_is_thin_evidence() -> None:
    # 30 of 1900 all no; 30 of 100, half yes: the normal theory has no error in the 1900.
    sizes = [1900, 100]
    share = human_only(shares([0] * 30 + [0, 1] * 15, sizes, [30, 30]), everything(sizes))
    assert share.interval == "Dirichlet-multinomial"
    assert share.evidence is not None
    assert share.evidence.one_outcome == pytest.approx(0.95)
    assert "95% of the slice is in a stratum with one outcome" in share.evidence.sentence
    assert share.value == pytest.approx(0.025)
    assert share.se is not None
    blind = interval(0.025, share.se, 58, 0.95, 1, census=False)
    assert share.high is not None
    assert share.high > blind[1] + 0.03


def test_an_answer_that_stands_for_many_is_thin_evidence() -> None:
    sizes = [5000, 100, 100]
    answers = [1] + [0] * 39 + [0, 1] * 20 + [0, 1] * 20
    share = human_only(shares(answers, sizes, [40, 40, 40]), everything(sizes))
    assert share.evidence is not None
    assert share.evidence.one_label > 0.4
    assert share.interval == "Dirichlet-multinomial"


def test_one_answer_everywhere_is_exact() -> None:
    assert human_only(shares([1] * 40, [400], [40]), everything([400])).interval == "exact"


def test_a_census_is_said_to_be_one() -> None:
    assert human_only(shares([1, 0] * 20, [40], [40]), everything([40])).interval == "census"


def test_strata_that_share_units_widen_the_completion() -> None:
    answers, sizes = ([0] * 28 + [1, 1]) * 2, [300, 300]
    alone = human_only(shares(answers, sizes, [30, 30]), everything(sizes))
    shared = human_only(shares(answers, sizes, [30, 30], [str(i) for i in range(30)] * 2), everything(sizes))
    assert alone.interval == shared.interval == "Dirichlet-multinomial"
    assert alone.low is not None
    assert alone.high is not None
    assert shared.low is not None
    assert shared.high is not None
    assert shared.high - shared.low > 1.2 * (alone.high - alone.low)


def test_the_same_seed_gives_the_same_interval() -> None:
    sample = shares([0] * 38 + [1, 1], [400], [40])
    assert polya(sample, 0.95, seed=3) == polya(sample, 0.95, seed=3) != polya(sample, 0.95, seed=4)


def test_completions_without_a_denominator_give_no_interval() -> None:
    whole = shares([0] * 4, [4], [4])
    nothing = Sample(num=whole.num, den=np.zeros(4), code=whole.code, in_slice=whole.in_slice, design=whole.design)
    assert polya(nothing, 0.95) is None


def test_another_source_of_error_never_narrows() -> None:
    wide = Bracket(low=0.1, high=0.6, kind="logit-t")
    assert widened(wide, 0.3, se=0.001, df=9, level=0.95, trials=50) == wide
    wider = widened(wide, 0.3, se=0.3, df=9, level=0.95, trials=50)
    assert wider.low < 0.1
    assert wider.high > 0.6


@pytest.mark.parametrize(
    ("top_three", "one_outcome", "one_label", "thin"),
    [(0.3, 0.1, 0.3, False), (0.5, 0.1, 0.3, True), (0.3, 0.2, 0.3, True), (0.3, 0.1, 0.6, True)],
)
def test_any_of_three_limits_makes_evidence_thin(
    top_three: float, one_outcome: float, one_label: float, thin: bool
) -> None:
    assert Evidence(top_three=top_three, one_outcome=one_outcome, one_label=one_label).is_thin is thin
