from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.correction import Population, Sample, corrected
from sampling.allocation import proportional
from sampling.design import Design
from sampling.expected import Assumptions, Expected
from sampling.planner import labels_needed, outlook
from sampling.sizing import best_half_width, draw_buys, draw_needed, enough_annotators

Floats = NDArray[np.float64]
Strata = dict[str, Expected]

AUDIT = {
    "clean": Expected(stratum_size=1500, rate=0.08, sensitivity=0.85, specificity=0.95),
    "partial": Expected(stratum_size=900, rate=0.3, sensitivity=0.85, specificity=0.95),
    "none": Expected(stratum_size=600, rate=0.55, sensitivity=0.85, specificity=0.95),
}
AMONG = {
    name: replace(e, in_denominator=share)
    for (name, e), share in zip(AUDIT.items(), (0.8, 0.5, 0.3), strict=True)
}  # fmt: skip


def in_proportion(strata: Strata) -> Callable[[int], Mapping[str, int]]:
    sizes = {name: expected.stratum_size for name, expected in strata.items()}
    return lambda total: proportional(sizes, total)


def audited(strata: Strata, labels: Mapping[str, int], rng: np.random.Generator) -> tuple[Sample, Population]:
    """A new population as expected, and a draw from it."""
    rows = []
    for h, e in enumerate(strata.values()):
        den = (rng.permutation(e.stratum_size) < round(e.stratum_size * e.in_denominator)).astype(float)
        num = den * (rng.random(e.stratum_size) < e.rate)
        said = [
            rng.random(e.stratum_size) < np.where(y == 1, e.sensitivity, 1 - e.specificity) for y in (num, den)
        ]  # fmt: skip
        rows.append(np.stack([np.full(e.stratum_size, h), num, den, said[0] + 2 * said[1]]))
    table = np.concatenate(rows, axis=1)
    h, code = table[0].astype(np.int64), table[3].astype(np.int64)
    sizes = np.array(list(labels.values()))
    drawn = np.concatenate([rng.choice(np.flatnonzero(h == k), n, replace=False) for k, n in enumerate(sizes)])
    design = Design.of_draws(
        stratum=[str(k) for k in h[drawn]],
        stratum_size=np.bincount(h)[h[drawn]],
        inclusion_probability=(sizes / np.bincount(h))[h[drawn]],
        unit=[str(row) for row in drawn],
    )
    inside = np.ones(len(drawn), dtype=bool)
    sample = Sample(num=table[1][drawn], den=table[2][drawn], code=code[drawn], in_slice=inside, design=design)
    return sample, Population(code=np.arange(4), count=np.bincount(code, minlength=4))


@pytest.mark.parametrize("wish", [0.02, 0.03, 0.05, 0.08])
@pytest.mark.parametrize("strata", [pytest.param(AUDIT, id="mean"), pytest.param(AMONG, id="ratio")])
def test_the_planned_half_width_is_that_of_the_intervals_that_come_out(strata: Strata, wish: float) -> None:
    plan = draw_needed(strata, wish, in_proportion(strata), fewest=6)
    promised = plan.slices["everything"].half_width
    assert wish * 0.96 < promised <= wish
    rng = np.random.default_rng(11)
    widths = []
    for _ in range(60):
        share = corrected(*audited(strata, plan.labels, rng))
        assert share.low is not None
        assert share.high is not None
        widths.append((share.high - share.low) / 2)
    # The mean of 60 widths, each within about a quarter of another, is known to 3 %.
    assert np.mean(widths) == pytest.approx(promised, rel=0.1)


def test_the_classical_sample_size_of_a_share() -> None:
    """Cochran (1977), Sampling Techniques, 3rd ed., section 4.4: n0 = t2 p q / d2, n = n0 / (1 + (n0 - 1) / N)."""
    wish, size = 0.05, 3200
    # His example takes t = 2, d = .05, p = .5: n0 = 400, and 356 of 3,200. A useless judge predicts nothing.
    assert round(400 / (1 + 399 / size)) == 356
    one = {"a": Expected(stratum_size=size, rate=0.5, sensitivity=0.5, specificity=0.5)}
    assume = Assumptions(level=0.9544997)  # t = 2 for an infinite sample, and 2.009 for one of 356
    found = draw_needed(one, wish, lambda n: {"a": n}, assume=assume)
    assert 356 <= found.total <= ceil(356 * (2.009 / 2) ** 2)


def test_a_total_shared_in_proportion_by_hand() -> None:
    labels = {"clean": 150, "partial": 90, "none": 60}
    bought = draw_buys(AUDIT, 300, in_proportion(AUDIT))
    assert (bought.labels, bought.total) == (labels, 300)
    assert bought.slices == outlook(AUDIT, labels)
    # People alone: sum of N_h2 p q / n_h (1 - f) over N2, and t with 297 degrees of freedom is 1.968.
    variance = sum(e.stratum_size**2 * e.rate * (1 - e.rate) / labels[n] * 0.9 for n, e in AUDIT.items()) / 3000**2
    assert bought.slices["everything"].human_only == pytest.approx(1.968 * sqrt(variance), rel=1e-4)


def test_the_smallest_slice_decides_and_one_label_less_does_not_do() -> None:
    slices = {"clean": "with", "partial": "with", "none": "without"}
    sharing = in_proportion(AUDIT)
    found = draw_needed(AUDIT, 0.04, sharing, slices=slices, fewest=6)
    assert found.slices["without"].half_width <= 0.04
    assert found.slices["with"].half_width < 0.02
    less = draw_buys(AUDIT, found.total - 4, sharing, slices=slices)
    assert less.slices["without"].half_width > 0.04
    # Slices of their own total, by Neyman's rule, are what proportion is measured against.
    assert labels_needed(AUDIT, 0.04, slices=slices).total < found.total


EXPECTED = st.builds(
    Expected,
    stratum_size=st.integers(20, 400),
    rate=st.floats(0.05, 0.95),
    sensitivity=st.floats(0.5, 1),
    specificity=st.floats(0.5, 1),
    in_denominator=st.floats(0.2, 1),
)


@settings(max_examples=20)
@given(st.dictionaries(st.sampled_from("abcd"), EXPECTED, min_size=1), st.floats(0.02, 0.2))
def test_what_is_needed_does_and_is_never_more_than_everything(strata: Strata, wish: float) -> None:
    found = draw_needed(strata, wish, in_proportion(strata), fewest=2 * len(strata), least=0)
    assert found.slices["everything"].half_width <= wish
    assert found.slices["everything"].falls_short is None
    assert found.total == sum(found.labels.values()) <= sum(e.stratum_size for e in strata.values())
    wider = draw_needed(strata, wish * 1.5, in_proportion(strata), fewest=2 * len(strata), least=0)
    assert wider.total <= found.total


def test_a_slice_that_cannot_be_brought_there_does_not_cost_the_others() -> None:
    strata = {
        **AUDIT,
        "rare": Expected(stratum_size=400, rate=0.5, sensitivity=0.9, specificity=0.9, in_denominator=0.05),
    }
    slices = {name: "rare" if name == "rare" else "common" for name in strata}
    found = draw_needed(strata, 0.03, in_proportion(strata), slices=slices, fewest=8)
    assert found.slices["rare"].falls_short == "only 20 responses are expected in the denominator; 30 labels are needed"
    assert found.slices["common"].falls_short is None
    assert found.total < 400


def test_annotators_who_differ_set_a_limit_that_more_of_them_move() -> None:
    sharing = in_proportion(AUDIT)
    three = Assumptions(annotators=3, rho=0.05)
    best = best_half_width(AUDIT, sharing, assume=three)
    assert best > 0.03
    assert "more annotators" in (draw_needed(AUDIT, 0.03, sharing, assume=three).slices["everything"].falls_short or "")
    enough = enough_annotators(AUDIT, 0.03, sharing, assume=three)
    assert enough is not None
    assert best_half_width(AUDIT, sharing, assume=replace(three, annotators=enough)) <= 0.03
    assert best_half_width(AUDIT, sharing, assume=replace(three, annotators=enough - 1)) > 0.03
    assert enough_annotators(AUDIT, 0.001, sharing, assume=three) is None


def test_a_wish_for_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="half_width is 0"):
        draw_needed(AUDIT, 0, in_proportion(AUDIT))


def test_responses_read_with_one_context_widen_the_intervals_as_planned() -> None:
    """Six settings answer to each of 600 contexts; on some contexts the judge errs on most of them."""
    rng, contexts, settings_, drawn = np.random.default_rng(3), 600, 6, 60
    ratios = []
    for _ in range(40):
        hard = np.exp(rng.normal(0, 2, (contexts, 1)))
        num = (rng.random((contexts, settings_)) < 0.15).astype(float)
        odds = np.where(num == 1, 0.15 / 0.85, 0.05 / 0.95) * hard
        judge = np.where(rng.random(num.shape) < odds / (1 + odds), 1 - num, num).astype(np.int64)
        residual = num - np.array([num[judge == k].mean() for k in (0, 1)])[judge]
        pairs = (residual.sum(axis=1) ** 2).sum() - (residual**2).sum()
        alike = max(0.0, pairs / (contexts * settings_ * (settings_ - 1)) / (residual**2).mean())
        strata = {
            str(k): Expected(
                stratum_size=contexts,
                rate=num[:, k].mean(),
                sensitivity=judge[num == 1].mean(),
                specificity=1 - judge[num == 0].mean(),
            )
            for k in range(settings_)
        }
        assume = Assumptions(deff=1 + (settings_ - 1) * alike)
        planned = draw_buys(strata, drawn * settings_, in_proportion(strata), assume=assume)
        context, setting = np.divmod(np.arange(drawn * settings_), settings_)
        context = rng.choice(contexts, drawn, replace=False)[context]
        design = Design.of_draws(
            stratum=[str(k) for k in setting],
            stratum_size=[contexts] * len(setting),
            inclusion_probability=[drawn / contexts] * len(setting),
            unit=[str(c) for c in context],
        )
        inside, code = np.ones(len(context), dtype=bool), judge[context, setting]
        sample = Sample(num=num[context, setting], den=np.ones(len(code)), code=code, in_slice=inside, design=design)
        share = corrected(sample, Population(code=np.arange(2), count=np.bincount(judge.ravel())))
        assert share.low is not None
        assert share.high is not None
        ratios.append((share.high - share.low) / 2 / planned.slices["everything"].half_width)
    # 60 contexts tell less of their own variance than as many responses would: t has 59 degrees of freedom, not 354.
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)
