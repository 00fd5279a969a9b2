from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume as given_that
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.allocation import neyman
from sampling.expected import Assumptions, Expected, Floats, spreads
from sampling.planner import labels_needed, outlook

LAWS = settings(max_examples=20)
AUDIT = {
    "clean": Expected(stratum_size=1500, rate=0.08, sensitivity=0.7, specificity=0.97),
    "partial": Expected(stratum_size=900, rate=0.3, sensitivity=0.8, specificity=0.93),
    "none": Expected(stratum_size=600, rate=0.55, sensitivity=0.9, specificity=0.85),
}
# The numerator among what only part of the responses has, such as cSES among the correct.
AMONG = {
    name: replace(e, in_denominator=share)
    for (name, e), share in zip(AUDIT.items(), (0.8, 0.5, 0.3), strict=True)
}  # fmt: skip


def population(strata: dict[str, Expected], rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
    """Stratum, numerator and denominator by people, and what the judge says, of every response."""
    rows = []
    for h, expected in enumerate(strata.values()):
        n = expected.stratum_size
        den = rng.permutation(np.arange(n) < round(n * expected.in_denominator)).astype(float)
        num = den * (rng.random(n) < expected.rate)
        said = [rng.random(n) < np.where(y == 1, expected.sensitivity, 1 - expected.specificity) for y in (num, den)]
        rows.append(np.stack([np.full(n, h), num, den, said[0] + 2 * said[1]]))
    h, num, den, said = np.concatenate(rows, axis=1)
    return h, num, den, said.astype(np.int64)


def greg(rows: tuple[Floats, Floats, Floats, Floats], sizes: list[int], rng: np.random.Generator) -> float:
    """One audit: a stratified sample, and the ratio of two totals predicted from the judge and corrected."""
    h, num, den, said = rows
    number = rng.random(len(h))
    drawn = np.concatenate([np.flatnonzero(h == k)[np.argsort(number[h == k])[:n]] for k, n in enumerate(sizes)])
    weight = (np.bincount(h.astype(np.int64)) / np.array(sizes))[h[drawn].astype(np.int64)]
    judged = np.maximum(np.bincount(said[drawn], weight, 4), 1e-9)
    totals = []
    for y in (num, den):
        predicted = np.bincount(said[drawn], weight * y[drawn], 4) / judged
        totals.append(predicted[said].sum() + weight @ (y[drawn] - predicted[said[drawn]]))
    return float(totals[0] / totals[1])


@pytest.mark.parametrize(
    ("strata", "wish"),
    [pytest.param(AUDIT, 0.03, id="mean"), pytest.param(AMONG, 0.05, id="ratio")],
)
def test_the_planned_half_width_holds_in_simulated_audits(strata: dict[str, Expected], wish: float) -> None:
    plan = labels_needed(strata, wish)
    promised = plan.slices["everything"].half_width
    assert promised == pytest.approx(wish, rel=0.02)
    rng = np.random.default_rng(4)
    sizes = [plan.labels[name] for name in strata]
    # The population is drawn anew for half of the audits; an error is against its own truth.
    errors = []
    for _ in range(20):
        rows = population(strata, rng)
        truth = rows[1].sum() / rows[2].sum()
        errors += [greg(rows, sizes, rng) - truth for _ in range(60)]
    # 1,200 audits know a standard deviation to 2 %, and a share of .95 to .6 points.
    assert np.std(errors) * 1.96 == pytest.approx(promised, rel=0.08)
    assert np.mean(np.abs(errors) <= promised) == pytest.approx(0.95, abs=0.025)


def test_by_hand_for_one_stratum_and_a_useless_judge() -> None:
    one = {"a": Expected(stratum_size=10_000, rate=0.5, sensitivity=0.5, specificity=0.5)}
    seen = outlook(one, {"a": 400})["everything"]
    # t_399 = 1.9659; sqrt(.25 / 400 x .96)
    assert seen.half_width == pytest.approx(1.9659 * (0.25 / 400 * 0.96) ** 0.5, rel=1e-4)
    assert seen.human_only == pytest.approx(seen.half_width)
    assert (seen.labels, seen.in_denominator, seen.value) == (400, 400, 0.5)


def test_strata_made_of_the_judges_labels_need_no_further_prediction() -> None:
    # The judge says yes on all of "yes", so its word predicts the strata and nothing within them.
    strata = {
        "yes": Expected(stratum_size=300, rate=0.9, sensitivity=1, specificity=0),
        "no": Expected(stratum_size=700, rate=0.1, sensitivity=0, specificity=1),
    }
    seen = outlook(strata, {"yes": 60, "no": 70})["everything"]
    variance = sum(size**2 * 0.09 / n * (1 - n / size) for size, n in ((300, 60), (700, 70))) / 1000**2
    assert seen.half_width == pytest.approx(1.9787 * variance**0.5, rel=1e-4)
    assert seen.human_only == pytest.approx(seen.half_width)


EXPECTED = st.builds(
    Expected,
    stratum_size=st.integers(20, 400),
    rate=st.floats(0.05, 0.95),
    sensitivity=st.floats(0.5, 1),
    specificity=st.floats(0.5, 1),
    in_denominator=st.floats(0.2, 1),
)
STRATA = st.dictionaries(st.sampled_from("abcd"), EXPECTED, min_size=1)


@LAWS
@given(STRATA, st.floats(0.02, 0.2), st.floats(1, 2))
def test_what_is_needed_buys_what_was_wished_and_one_label_less_does_not(
    strata: dict[str, Expected], wish: float, deff: float
) -> None:
    assume = Assumptions(deff=deff)
    plan = labels_needed(strata, wish, assume=assume, least=0)
    assert plan.slices["everything"].half_width <= wish
    assert plan.total == sum(plan.labels.values())
    assert all(plan.labels[name] <= e.stratum_size for name, e in strata.items())
    assert outlook(strata, plan.labels, assume=assume)["everything"] == plan.slices["everything"]
    least = 2 * len(strata)
    given_that(plan.total > least + 3)
    sizes = {name: expected.stratum_size for name, expected in strata.items()}
    varies = spreads(strata, {"everything": list(strata)})["everything"].corrected
    fewer = outlook(strata, neyman(sizes, varies, plan.total - 3), assume=assume)["everything"]
    assert fewer.half_width > wish * 0.98
    assert fewer.half_width >= plan.slices["everything"].half_width * 0.999


def test_every_slice_gets_its_precision() -> None:
    slices = {"clean": "with evidence", "partial": "with evidence", "none": "without"}
    plan = labels_needed(AUDIT, 0.04, slices=slices)
    assert list(plan.slices) == ["with evidence", "without"]
    assert all(0.039 < seen.half_width <= 0.04 for seen in plan.slices.values())
    assert plan.total > labels_needed(AUDIT, 0.04).total
    assert outlook(AUDIT, plan.labels, slices=slices) == plan.slices


def test_a_slice_gets_enough_labels_in_its_denominator() -> None:
    rare = {"a": Expected(stratum_size=900, rate=0.5, sensitivity=0.9, specificity=0.9, in_denominator=0.1)}
    assert labels_needed(rare, 0.9).total == 300
    few = replace(rare["a"], stratum_size=200)
    seen = labels_needed({"a": few}, 0.9).slices["everything"]
    assert seen.falls_short == "only 20 responses are expected in the denominator; 30 labels are needed"


def test_more_labels_cannot_make_up_for_annotators_who_differ() -> None:
    one = {"a": Expected(stratum_size=2000, rate=0.4, sensitivity=0.8, specificity=0.8)}
    these = labels_needed(one, 0.03)
    such = labels_needed(one, 0.03, assume=Assumptions(annotators=20, rho=0.005))
    assert these.slices["everything"].falls_short is None
    assert these.total < such.total < 2000
    few = labels_needed(one, 0.03, assume=Assumptions(annotators=3, rho=0.05))
    assert few.total == 2000
    assert "more annotators are needed, not more labels" in (few.slices["everything"].falls_short or "")
    widths = [
        outlook(one, {"a": 300}, assume=Assumptions(annotators=k, rho=0.02))["everything"].half_width
        for k in (3, 6, 12, 300)
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == outlook(one, {"a": 300})["everything"].half_width


def test_annotators_who_differ_widen_the_estimate_as_planned() -> None:
    # A human-only mean of 300 labels by 6 people whose rates differ: rho = variance between / total.
    rng, k, m, tau = np.random.default_rng(9), 6, 50, 0.1
    means = [np.mean(rng.random((k, m)) < 0.4 + tau * rng.choice([-1, 1], size=(k, 1))) for _ in range(4000)]
    rho = tau**2 / 0.24
    one = {"a": Expected(stratum_size=10**7, rate=0.4, sensitivity=0.5, specificity=0.5)}
    seen = outlook(one, {"a": 300}, assume=Assumptions(annotators=k, rho=rho))["everything"]
    assert np.std(means) * 1.968 == pytest.approx(seen.half_width, rel=0.05)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"rate": 1.2}, {}, "'a': rate is 1.2"),
        ({"sensitivity": -0.1}, {}, "'a': sensitivity is -0.1"),
        ({"stratum_size": -1}, {}, "size -1"),
        ({"in_denominator": 0.0}, {}, "slice 'everything' has an empty denominator"),
        ({}, {"slices": {}}, "'a' has no slice"),
        ({}, {"half_width": 0}, "half_width is 0"),
    ],
)
def test_wrong_expectations_are_refused(change: dict[str, float], options: dict[str, object], message: str) -> None:
    expected = Expected(stratum_size=100, rate=0.5, sensitivity=0.8, specificity=0.8)
    wish = {"half_width": 0.05} | options
    with pytest.raises(ValueError, match=message):
        labels_needed({"a": replace(expected, **change)}, **wish)  # type: ignore[arg-type]  # mixed keyword values


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 1.0}, "level is 1"),
        ({"deff": 0.0}, "deff 0"),
        ({"rho": 2.0, "annotators": 2}, "rho 2"),
        ({"rho": 0.1}, "number of annotators matters"),
    ],
)
def test_wrong_assumptions_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Assumptions(**options)  # type: ignore[arg-type]  # mixed keyword values


def test_impossible_numbers_of_labels_are_refused() -> None:
    for labels in ({"clean": 10, "partial": 10}, {"clean": 10, "partial": 10, "none": 601}):
        with pytest.raises(ValueError, match="'none' has 600 responses"):
            outlook(AUDIT, labels)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_no_event_expected_is_no_certainty(rate: float) -> None:
    audit = {"all": Expected(stratum_size=100_000, rate=rate, sensitivity=0.85, specificity=0.95)}
    seen = outlook(audit, {"all": 100})["everything"]
    # Clopper and Pearson, 0 of 100 at 95 %: 0 to 3.62 %.
    assert seen.half_width == pytest.approx(0.0362 / 2, rel=2e-3)
    assert seen.human_only == seen.half_width
    assert labels_needed(audit, 0.03).total == 60
    assert outlook(audit, {"all": 100_000})["everything"].half_width == 0
