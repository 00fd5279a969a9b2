from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.construction_coverage import simulate
from metrics.definitions import METRICS
from metrics.domain import sources
from metrics.estimate import Contexts, Estimate
from metrics.nonresponse import bounds
from metrics.patterns import MISSING
from metrics.rows import Adjudicated, JudgedRows, LabelledRows
from metrics.table import Options, detailed
from sampling.design import Design

NAN = float("nan")
ACC = METRICS["Acc"]


def study(
    rows: Sequence[tuple[str, float, float, str | None]], sizes: dict[str, int]
) -> tuple[JudgedRows, LabelledRows]:
    """Rows as (stated condition, C, valid, what it really is), a simple random sample of each condition; no judge."""
    stated = [row[0] for row in rows]
    n = len(rows)

    def design_of(usable: NDArray[np.bool_]) -> Design:
        kept = [name for name, use in zip(stated, usable, strict=True) if use]
        return Design.of_draws(
            stratum=kept,
            stratum_size=[sizes[name] for name in kept],
            inclusion_probability=[stated.count(name) / sizes[name] for name in kept],
            unit=[str(row) for row in np.flatnonzero(usable)],
        )

    judged = JudgedRows(
        columns={"condition": list(sizes)},
        code=np.full(len(sizes), MISSING),
        count=np.array(list(sizes.values())),
    )
    ones = np.ones(n)
    labelled = LabelledRows(
        columns={"condition": stated},
        code=np.full(n, MISSING),
        C=np.array([row[1] for row in rows]),
        A=ones,
        G=ones,
        D=ones,
        design_of=design_of,
        valid=np.array([row[2] for row in rows]),
        recondition=[row[3] for row in rows],
    )
    return judged, labelled


# 4 of 40 clean and 4 of 80 absence: weights 10 and 20. One clean context is broken, one absence leaks, one is broken.
ROWS = [
    ("clean", 1.0, 1.0, None),
    ("clean", 0.0, 1.0, None),
    ("clean", 1.0, 1.0, None),
    ("clean", 1.0, 0.0, None),
    ("absence", 0.0, 1.0, None),
    ("absence", 1.0, 0.0, "clean"),
    ("absence", 1.0, 1.0, None),
    ("absence", 0.0, 0.0, None),
]
SIZES = {"clean": 40, "absence": 80}
EVERYWHERE: list[dict[str, str]] = [{}, {"condition": "clean"}, {"condition": "absence"}]


def estimates(contexts: Contexts, rows: Sequence[tuple[str, float, float, str | None]] = ROWS) -> list[Estimate]:
    judged, labelled = study(rows, SIZES)
    options = Options(target="A", methods=("corrected",), floor=1, contexts=contexts)
    return [found for found, _ in detailed(judged, labelled, metrics=[ACC], slices=EVERYWHERE, options=options)]


@pytest.mark.parametrize(
    ("contexts", "values", "n"),
    [
        # (10 * 3 + 20 * 2) / 120, 3/4, 2/4
        pytest.param("all", [7 / 12, 3 / 4, 1 / 2], [8, 4, 4], id="all"),
        # (10 * 2 + 20 * 1) / (10 * 3 + 20 * 2), 2/3, 1/2
        pytest.param("valid", [4 / 7, 2 / 3, 1 / 2], [5, 3, 2], id="valid"),
        # the leak joins: (10 * 2 + 20 * 2) / (10 * 3 + 20 * 3), (10 * 2 + 20) / (10 * 3 + 20), 1/2
        pytest.param("reclassified", [2 / 3, 4 / 5, 1 / 2], [6, 4, 2], id="reclassified"),
    ],
)
def test_three_views_by_hand(contexts: Contexts, values: list[float], n: list[int]) -> None:
    found = estimates(contexts)
    assert [estimate.value for estimate in found] == pytest.approx(values)
    assert [estimate.n for estimate in found] == n
    assert {estimate.contexts for estimate in found} == {contexts}


def test_the_standard_error_is_that_of_a_ratio_over_the_whole_sample() -> None:
    # Acc on valid clean contexts, R = 2/3: e = 1/3, -2/3, 1/3, 0 over T(den) = 30; 40^2 (1 - .1) / 4 s2, mean 0
    judged, labelled = study(ROWS, SIZES)
    options = Options(target="A", methods=("corrected",), floor=1, contexts="valid")
    ((_, share),) = detailed(judged, labelled, metrics=[ACC], slices=EVERYWHERE[1:2], options=options)
    assert share.se == pytest.approx(sqrt(1600 * 0.9 / 4 * (6 / 9) / 3) / 30)
    # Deleting the broken row first would have taken n = 3 and N = 40 for known.
    assert share.n == 3


def test_rows_without_a_verdict_are_counted_and_stood_for() -> None:
    rows = [*ROWS, ("clean", 0.0, NAN, None), ("absence", 0.0, NAN, None)]
    judged, labelled = study(rows, SIZES)
    for contexts in ("valid", "reclassified"):
        options = Options(target="A", methods=("corrected",), floor=1, contexts=contexts)
        found = [e for e, _ in detailed(judged, labelled, metrics=[ACC], slices=EVERYWHERE, options=options)]
        assert [estimate.value for estimate in found] == pytest.approx([e.value for e in estimates(contexts)])
    assert [e.n_dropped for e in estimates("valid", rows)] == [2, 1, 1]
    # A clean slice gains from absences, so an absence without a verdict may be of it.
    assert [e.n_dropped for e in estimates("reclassified", rows)] == [2, 2, 1]
    assert [e.n_dropped for e in estimates("all", rows)] == [0, 0, 0]


def test_bounds_by_hand() -> None:
    # One clean row without a verdict whose answer is wrong: weights 8 and 20.
    rows = [*ROWS, ("clean", 0.0, NAN, None)]
    judged, labelled = study(rows, SIZES)
    options = Options(target="A", floor=1, contexts="valid")
    everything, clean, absence = bounds(judged, labelled, metrics=[ACC], slices=EVERYWHERE, options=options)
    assert [clean.lowest, clean.highest, clean.n_unusable] == pytest.approx([2 / 4, 2 / 3, 1])
    assert [absence.lowest, absence.highest, absence.n_unusable] == pytest.approx([1 / 2, 1 / 2, 0])
    # (8 * 2 + 20) / (8 * 4 + 40); without it (8 * 2 + 20) / (8 * 3 + 40), but the number itself, which has others
    # of the stratum stand for the row, is higher.
    assert [everything.lowest, everything.highest] == pytest.approx([36 / 72, 4 / 7])
    # Re-classified: the broken clean row is wrong or right, and the other stays out or comes in.
    options = replace(options, contexts="reclassified")
    everything, clean, absence = bounds(judged, labelled, metrics=[ACC], slices=EVERYWHERE, options=options)
    assert clean.lowest == pytest.approx((8 * 2 + 20) / (8 * 5 + 20))
    assert clean.highest == pytest.approx((8 * 3 + 20) / (8 * 4 + 20))
    assert [absence.lowest, absence.highest] == pytest.approx([1 / 3, 2 / 3])
    assert (clean.n_unusable, absence.n_unusable, everything.n_unusable) == (2, 1, 3)


def test_an_absence_without_a_verdict_may_be_a_leak() -> None:
    # Its answer is wrong. Into clean at the lowest, out of both at the highest.
    rows = [*ROWS, ("absence", 0.0, NAN, None)]
    judged, labelled = study(rows, SIZES)
    options = Options(target="A", floor=1, contexts="reclassified")
    _, clean, absence = bounds(judged, labelled, metrics=[ACC], slices=EVERYWHERE, options=options)
    assert clean.lowest == pytest.approx((10 * 2 + 16) / (10 * 4 + 16 * 2))
    assert clean.highest == pytest.approx((10 * 3 + 16) / (10 * 4 + 16))
    # Absence: one of the four is broken otherwise, one has no verdict.
    assert [absence.lowest, absence.highest] == pytest.approx([1 / 4, 2 / 3])


def test_when_every_context_is_valid_the_three_views_agree() -> None:
    rows = [(stated, C, 1.0, None) for stated, C, _, _ in ROWS]
    three = [estimates(contexts, rows) for contexts in ("all", "valid", "reclassified")]
    for one, valid, moved in zip(*three, strict=True):
        assert (valid.value, moved.value) == pytest.approx((one.value, one.value))
        assert (valid.n, moved.n) == (one.n, one.n)


def test_the_naive_number_is_of_all_contexts() -> None:
    judged, labelled = study(ROWS, SIZES)
    judged = replace(judged, code=np.array([27, 0]))
    options = Options(target="A", floor=1, contexts="reclassified", methods=("naive",))
    found = [e for e, _ in detailed(judged, labelled, metrics=[ACC], slices=EVERYWHERE, options=options)]
    naive = [(e.value, e.contexts) for e in found]
    assert naive == [(40 / 120, "all"), (1.0, "all"), (0.0, "all")]


def test_the_adjudicated_labels_count_where_their_context_does() -> None:
    judged, labelled = study(ROWS, SIZES)
    wrong = np.zeros(8)
    settled = Adjudicated(overlap=np.ones(8, dtype=bool), C=wrong, A=wrong, G=wrong, D=wrong)
    options = Options(target="B", methods=("corrected",), floor=1, contexts="valid")
    rows = replace(labelled, adjudicated=settled)
    found = [e for e, _ in detailed(judged, rows, metrics=[ACC], slices=EVERYWHERE, options=options)]
    assert [e.value for e in found] == pytest.approx([0, 0, 0], abs=1e-12)
    assert [e.n for e in found] == [5, 3, 2]


def test_where_conditions_gain_from() -> None:
    _, labelled = study(ROWS, SIZES)
    assert sources(labelled, "condition") == {"clean": ("absence",)}


def test_without_an_audit_a_view_is_refused_by_name() -> None:
    judged, labelled = study(ROWS, SIZES)
    with pytest.raises(ValueError, match="needs `valid`"):
        detailed(
            judged,
            replace(labelled, valid=None),
            metrics=[ACC],
            slices=[{}],
            options=Options(target="A", contexts="valid"),
        )
    options = Options(target="A", contexts="reclassified", condition="arm")
    with pytest.raises(KeyError, match="no column 'arm'"):
        detailed(judged, labelled, metrics=[ACC], slices=[{}], options=options)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_neither_order_nor_names_of_conditions_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, float, float, str | None]] = []
    for k in range(60):
        valid = float(rng.choice([1, 1, 1, 0, NAN]))
        stated = "absence" if k % 2 else "clean"
        real = "clean" if stated == "absence" and rng.random() < 0.5 else None
        rows.append((stated, float(rng.random() < 0.5), valid, real))
    again = [rows[k] for k in rng.permutation(60)]
    for contexts in ("valid", "reclassified"):
        before, after = (estimates(contexts, given_rows) for given_rows in (rows, again))
        for one, other in zip(before, after, strict=True):
            ends = [(e.value, e.low, e.high, e.n_effective) for e in (one, other)]
            assert ends[0] == pytest.approx(ends[1])
            assert one.low is not None
            assert one.value is not None
            assert one.high is not None
            assert one.low <= one.value <= one.high


def test_a_domain_of_the_frame_is_as_good_as_a_slice() -> None:
    """With every context of one condition valid and none of the other, "valid" is the slice of the first."""
    rows = [(stated, C, float(stated == "clean"), None) for stated, C, _, _ in ROWS]
    judged, labelled = study(rows, SIZES)
    everything, clean, _ = estimates("valid", rows)
    options = Options(target="A", methods=["corrected"], floor=1)
    ((plain, _),) = detailed(judged, labelled, metrics=[ACC], slices=[{"condition": "clean"}], options=options)
    assert [everything.value, clean.value] == pytest.approx([plain.value, plain.value])


def test_valid_and_reclassified_are_unbiased_and_cover() -> None:
    for name, contexts, place, truth, ends in simulate(("Acc", "SES"), 80, seed=3):
        value, low, high, _ = ends.T
        assert len(value) == 80, (name, contexts, place)
        covered = np.mean((low <= truth) & (truth <= high))
        assert covered >= 0.95 - 2.5 * sqrt(0.95 * 0.05 / 80), (name, contexts, place)
        # Three standard errors of the mean of 80, and a fifth of the estimate's own for what ratios of few rows have.
        assert abs(value.mean() - truth) <= (3 / sqrt(80) + 0.2) * value.std(ddof=1), (name, contexts, place)
