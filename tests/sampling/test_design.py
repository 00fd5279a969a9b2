import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from sampling.design import OVERALL_MEAN, OWN_MEAN, Design, Floats, Lonely
from sampling.draw import Candidate, draw, linked_draw

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sampling_cases.json").read_text(encoding="utf-8"))
LAWS = settings(max_examples=50)


def design_of(columns: Mapping[str, Any], lonely: Lonely = "refuse") -> Design:
    stratum = columns["stratum"]
    rows = Counter(stratum)
    share = [rows[h] / size for h, size in zip(stratum, columns["stratum_size"], strict=True)]
    return Design.of_draws(
        stratum=stratum,
        stratum_size=columns["stratum_size"],
        inclusion_probability=columns.get("inclusion_probability", share),
        unit=[str(unit) for unit in columns.get("unit", range(len(stratum)))],
        lonely=lonely,
    )


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in GOLDEN["cases"]])
def test_design_matches_r_survey(case: Mapping[str, Any]) -> None:
    columns = GOLDEN["datasets"][case["dataset"]]["columns"]
    lonely = case.get("lonely", "certainty" if case["dataset"] == "lonely" else "refuse")
    design = design_of(columns, lonely)
    if not case["fpc"]:
        design = replace(design, second_fraction=np.zeros(len(design.weight)))
        if lonely == "adjust":  # without a correction a stratum that was drawn whole is lonely too
            alone = np.bincount(design.stratum)[design.stratum] == 1
            design = replace(design, centre=np.where(alone, OVERALL_MEAN, OWN_MEAN))
    num = np.asarray(columns[case["num"]], dtype=np.float64)
    den = np.asarray(columns[case["den"]], dtype=np.float64) if "den" in case else np.ones(len(num))
    if "domain" in case:
        column, value = case["domain"]
        inside = np.asarray(columns[column]) == value
        num, den = num * inside, den * inside
    value, scores = design.total(num), num
    if case["quantity"] != "total":
        value /= design.total(den)
        scores = (num - value * den) / design.total(den)
    assert value == pytest.approx(case["expected"], abs=case["tolerance"])
    assert design.variance(scores) ** 0.5 == pytest.approx(case["expected_se"], abs=case["tolerance_se"])


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in GOLDEN["intervals"]])
def test_interval_of_a_mean_matches_r_survey(case: Mapping[str, Any]) -> None:
    columns = GOLDEN["datasets"]["apistrat"]["columns"]
    design = design_of(columns)
    size, everyone = design.total(np.ones(200)), np.ones(200, dtype=bool)
    mean = design.total(columns["api00"]) / size
    se = design.variance((np.array(columns["api00"]) - mean) / size) ** 0.5
    spread = t.ppf(0.975, design.degrees_of_freedom(everyone)) * se
    assert [mean - spread, mean + spread] == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("scores", [[0, 1, 0, 1, 1], [2, 2, 2, 2, 2], [0, 1, 0, 1, 9]])
def test_adjusting_for_a_lonely_stratum_never_narrows(scores: list[float]) -> None:
    columns = {"stratum": list("aabbc"), "stratum_size": [8, 8, 6, 6, 5]}
    certainty, adjust = design_of(columns, "certainty"), design_of(columns, "adjust")
    assert adjust.variance(scores) >= certainty.variance(scores)
    assert adjust.variance(np.array(scores) + 7) == pytest.approx(adjust.variance(scores))


# R's survey multiplies the sum over the strata that have a variance by all strata over these (its function onestage);
# a stratum drawn whole has one, of 0. Of a, b, c, d the third is lonely: the SE of "certainty" in LONELY-009, R survey
# 4.1.1, times the root of 4/3.
def test_averaging_for_a_lonely_stratum_is_what_r_survey_does() -> None:
    columns = GOLDEN["datasets"]["lonely"]["columns"]
    y = np.array(columns["y"], dtype=np.float64)
    design = design_of(columns, "average")
    size = design.total(np.ones(8))
    score = (y - design.total(y) / size) / size
    assert design.variance(score) ** 0.5 == pytest.approx(0.201855059021585 * (4 / 3) ** 0.5, abs=1e-9)


def test_averaging_needs_no_lonely_stratum_and_outlives_the_others() -> None:
    columns = {"stratum": list("aabb"), "stratum_size": [8, 8, 6, 6]}
    y = [0.0, 1, 3, 1]
    assert design_of(columns, "average").variance(y) == design_of(columns).variance(y)
    alone = design_of({"stratum": ["a"], "stratum_size": [8]}, "average")
    assert alone.variance([3.0]) == 0


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in GOLDEN["degrees_of_freedom"]])
def test_degrees_of_freedom_of_distinct_units_are_rows_less_strata(case: Mapping[str, Any]) -> None:
    design = design_of(GOLDEN["datasets"]["apistrat"]["columns"])
    assert design.degrees_of_freedom(np.ones(200, dtype=bool)) == case["expected"]


def test_a_stratum_with_one_of_several_units_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="single usable unit: 'c'; merge"):
        design_of(GOLDEN["datasets"]["lonely"]["columns"])


def test_a_linked_stratum_whose_rows_are_all_of_one_context_is_refused() -> None:
    with pytest.raises(ValueError, match="single"):
        Design.of_draws(
            stratum=["a", "a"], stratum_size=[8, 8], inclusion_probability=[0.25, 0.25], unit=["u", "v"],
            cluster=["c", "c"], first_fraction=[0.5, 0.5],
        )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inclusion_probability": [0.5, 0.0]}, "inclusion_probability must lie"),
        ({"inclusion_probability": [0.5, float("nan")]}, "inclusion_probability must lie"),
        ({"first_fraction": [1, 1.5]}, "first_fraction must lie"),
        ({"stratum_size": [4, 5]}, "2 rows and sizes from 4 to 5"),
        ({"stratum_size": [1, 1]}, "2 rows and sizes from 1 to 1"),
        ({"unit": ["u"]}, "lengths"),
        ({"stratum": ["a", "b"], "stratum_size": [0, 0]}, "stratum 'a' has 1 rows.*stratum 'b' has 1 rows"),
        (
            {"inclusion_probability": [0.5, 2], "first_fraction": [1, 0]},
            "inclusion_probability must lie.*first_fraction must lie",
        ),
    ],
)
def test_wrong_arguments_are_refused(change: dict[str, Any], message: str) -> None:
    right: dict[str, Any] = {
        "stratum": ["a", "a"], "stratum_size": [4, 4], "inclusion_probability": [0.5, 0.5], "unit": ["u", "v"],
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        Design.of_draws(**right | change)


def test_a_weight_that_stands_for_nothing_is_refused() -> None:
    design = design_of({"stratum": ["a", "a"], "stratum_size": [8, 8]})
    for weight in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="weight must be above 0"):
            replace(design, weight=np.array([4.0, weight]))


def test_no_rows_have_no_variance() -> None:
    design = Design.of_draws(stratum=[], stratum_size=[], inclusion_probability=[], unit=[])
    assert (design.total([]), design.variance([]), design.degrees_of_freedom(np.zeros(0, dtype=bool))) == (0, 0, 1)


def test_rows_without_a_usable_label_hand_their_weight_to_their_stratum() -> None:
    design = Design.of_draws(
        stratum=["a"] * 3, stratum_size=[12] * 3, inclusion_probability=[1 / 3] * 3, unit=["u", "v", "w"]
    )  # 4 of 12 were drawn, 3 are usable
    assert design.weight == pytest.approx([4, 4, 4])
    # 12^2 (1 - 3/12) s2 / 3 with s2 = 1/3
    assert design.variance([0, 0, 1]) == pytest.approx(12)


def test_merged_strata_keep_the_fractions_they_were_drawn_with() -> None:
    design = Design.of_draws(
        stratum=["a or b"] * 4, stratum_size=[24] * 4, inclusion_probability=[0.5, 0.5, 0.1, 0.1], unit=list("uvwx")
    )  # 2 of 4 and 2 of 20
    assert design.weight == pytest.approx([2, 2, 10, 10])
    assert design.second_fraction == pytest.approx([0.5, 0.5, 0.1, 0.1])


def test_strata_on_the_same_units_have_the_variance_of_the_units_sums() -> None:
    y = np.array([0.0, 1, 1, 0, 1, 0])
    both = design_of({"stratum": ["a"] * 3 + ["b"] * 3, "stratum_size": [9] * 6, "unit": [1, 2, 3] * 2})
    sums = design_of({"stratum": ["s"] * 3, "stratum_size": [9] * 3})
    assert both.variance(y) == pytest.approx(sums.variance(y[:3] + y[3:]))


def test_degrees_of_freedom_count_shared_units_once() -> None:
    shared = design_of({"stratum": ["a"] * 3 + ["b"] * 3, "stratum_size": [9] * 6, "unit": [1, 2, 3] * 2})
    assert shared.degrees_of_freedom(np.ones(6, dtype=bool)) == 2
    assert shared.degrees_of_freedom(np.array([True, True, False] * 2)) == 1
    assert shared.degrees_of_freedom(np.zeros(6, dtype=bool)) == 1


@st.composite
def designs(draw: st.DrawFn) -> tuple[Design, Floats]:
    strata = draw(st.integers(1, 4))
    units = draw(st.lists(st.sets(st.integers(0, 7), min_size=2), min_size=strata, max_size=strata))
    extra = draw(st.lists(st.integers(0, 9), min_size=strata, max_size=strata))
    rows = [(h, unit) for h in range(strata) for unit in sorted(units[h])]
    scores = draw(st.lists(st.integers(-3, 3), min_size=len(rows), max_size=len(rows)))
    columns = {
        "stratum": [str(h) for h, _ in rows],
        "stratum_size": [len(units[h]) + extra[h] for h, _ in rows],
        "unit": [unit for _, unit in rows],
    }
    return design_of(columns), np.asarray(scores, dtype=np.float64)


@LAWS
@given(designs())
def test_weights_sum_to_the_stratum_sizes(case: tuple[Design, Floats]) -> None:
    design, _ = case
    h = design.stratum
    size = np.bincount(h)[h] / design.second_fraction
    assert np.bincount(h, design.weight)[h] == pytest.approx(size)


@LAWS
@given(designs())
def test_variance_is_the_sum_over_pairs_of_rows_of_one_unit(case: tuple[Design, Floats]) -> None:
    design, scores = case
    h, f = design.stratum, design.second_fraction
    n = np.bincount(h)[h]
    mean = (np.bincount(h, scores) / np.bincount(h))[h]
    x = design.weight * (scores - mean) * np.sqrt(n / (n - 1))
    pairs = [
        x[i] * x[j] * (1 - max(f[i], f[j]))
        for i in range(len(x)) for j in range(len(x)) if design.unit[i] == design.unit[j]
    ]  # fmt: skip
    assert design.variance(scores) == pytest.approx(sum(pairs), abs=1e-8)


@LAWS
@given(designs(), st.floats(-5, 5))
def test_variance_is_never_negative_and_knows_the_stratum_sizes(case: tuple[Design, Floats], shift: float) -> None:
    design, scores = case
    assert design.variance(scores) >= 0
    assert design.variance(scores + shift) == pytest.approx(design.variance(scores), abs=1e-6)
    assert design.variance(2 * scores) == pytest.approx(4 * design.variance(scores))
    everything = replace(design, second_fraction=np.ones(len(scores)))
    assert everything.variance(scores) == 0


@LAWS
@given(designs(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(case: tuple[Design, Floats], random: Random) -> None:
    design, scores = case
    order = list(range(len(scores)))
    random.shuffle(order)
    moved = Design(
        weight=design.weight[order], stratum=design.stratum[order], unit=design.unit[order],
        cluster=design.cluster[order], first_fraction=design.first_fraction[order],
        second_fraction=design.second_fraction[order],
    )  # fmt: skip
    assert moved.variance(scores[order]) == pytest.approx(design.variance(scores), abs=1e-8)
    everyone = np.ones(len(order), dtype=bool)
    assert moved.degrees_of_freedom(everyone) == design.degrees_of_freedom(everyone)


def columns_of(design: Design) -> dict[str, Any]:
    """What a design without a first stage was made of."""
    h = design.stratum
    return {
        "stratum": [f"s{k}" for k in h],
        "stratum_size": np.bincount(h, design.weight)[h],
        "inclusion_probability": design.second_fraction,
        "unit": [f"u{k}" for k in design.unit],
    }


@LAWS
@given(designs(), st.randoms(use_true_random=False))
def test_what_strata_and_units_are_called_does_not_matter(case: tuple[Design, Floats], random: Random) -> None:
    design, scores = case
    columns = columns_of(design)
    for name in ("stratum", "unit"):
        known = sorted(set(columns[name]))
        called = dict(zip(known, random.sample(known, len(known)), strict=True))
        columns[name] = [called[value] for value in columns[name]]
    renamed, everyone = Design.of_draws(**columns), np.ones(len(scores), dtype=bool)
    assert renamed.weight == pytest.approx(design.weight)
    assert renamed.variance(scores) == pytest.approx(design.variance(scores), abs=1e-8)
    assert renamed.degrees_of_freedom(everyone) == design.degrees_of_freedom(everyone)


@LAWS
@given(designs())
def test_rows_given_twice_tell_nothing_new(case: tuple[Design, Floats]) -> None:
    design, scores = case
    twice: dict[str, Any] = {name: [*values, *values] for name, values in columns_of(design).items()}
    size = dict(zip(twice["stratum"], twice["stratum_size"], strict=True))
    if any(twice["stratum"].count(h) > n for h, n in size.items()):
        with pytest.raises(ValueError, match="give the one number of rows"):
            Design.of_draws(**twice)
        return
    both = Design.of_draws(**twice)
    assert both.total(np.tile(scores, 2)) == pytest.approx(design.total(scores), abs=1e-8)
    assert both.variance(np.tile(scores, 2)) == pytest.approx(design.variance(scores), abs=1e-8)


@LAWS
@given(designs(), st.lists(st.integers(-9, 9), min_size=1, max_size=5))
def test_a_stratum_that_was_drawn_whole_adds_nothing(case: tuple[Design, Floats], more: list[int]) -> None:
    design, scores = case
    columns, n = columns_of(design), len(more)
    added = Design.of_draws(
        stratum=[*columns["stratum"], *["whole"] * n],
        stratum_size=[*columns["stratum_size"], *[n] * n],
        inclusion_probability=[*columns["inclusion_probability"], *[1] * n],
        unit=[*columns["unit"], *[f"w{k}" for k in range(n)]],
    )
    assert added.variance([*scores, *more]) == pytest.approx(design.variance(scores), abs=1e-8)


@LAWS
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=9), st.integers(0, 20))
def test_more_units_that_say_the_same_leave_less_doubt(scores: list[int], further: int) -> None:
    n, size = len(scores), 2 * len(scores) + further
    once, twice = (design_of({"stratum": ["a"] * k * n, "stratum_size": [size] * k * n}) for k in (1, 2))
    assert twice.variance(scores * 2) <= once.variance(scores) / 2 + 1e-9


def population(strata: int, units: int, *, share: float, seed: int) -> tuple[list[Candidate], dict[str, float]]:
    """Rows of `strata` strata, each on a random share of the units; values agree within a unit."""
    rng = np.random.default_rng(seed)
    of_unit = rng.normal(size=units)
    candidates = [
        Candidate(item_id=f"{h}-{unit}", stratum=str(h), unit=str(unit))
        for h in range(strata) for unit in range(units) if rng.random() < share
    ]  # fmt: skip
    return candidates, {
        item.item_id: float(of_unit[int(item.unit)] + rng.normal(scale=0.5) + int(item.stratum)) for item in candidates
    }


def ratio_of_variances(estimates: list[float], variances: list[float]) -> float:
    return float(np.mean(variances) / np.var(estimates, ddof=1))


@pytest.mark.parametrize(
    ("share", "sizes", "signs"),
    [
        pytest.param(1.0, [30, 30], [1, 1], id="equal strata on the same units, sum"),
        pytest.param(1.0, [30, 30], [1, -1], id="equal strata on the same units, difference"),
        pytest.param(1.0, [60, 95], [1, 1], id="unequal strata on the same units, sum"),
        # Correcting the covariance by the geometric mean of the two fractions is a quarter too small here.
        pytest.param(1.0, [60, 95], [1, -1], id="unequal strata on the same units, difference"),
        pytest.param(0.6, [15, 45], [1, 1], id="strata with partly the same units, sum"),
        pytest.param(0.6, [15, 45], [1, -1], id="strata with partly the same units, difference"),
    ],
)
def test_variance_is_right_for_strata_drawn_on_shared_units(share: float, sizes: list[int], signs: list[int]) -> None:
    candidates, values = population(2, 100, share=share, seed=5)
    unit = {item.item_id: item.unit for item in candidates}
    estimates, variances = [], []
    for seed in range(400):
        chosen = draw(candidates, dict(zip("01", sizes, strict=True)), seed=seed, purpose="draw")
        design = Design.of_draws(
            stratum=[c.stratum for c in chosen], stratum_size=[c.stratum_size for c in chosen],
            inclusion_probability=[c.inclusion_probability for c in chosen], unit=[unit[c.item_id] for c in chosen],
        )  # fmt: skip
        scores = [signs[int(c.stratum)] * values[c.item_id] for c in chosen]
        estimates.append(design.total(scores))
        variances.append(design.variance(scores))
    # 400 draws know a variance to about 7 %.
    assert ratio_of_variances(estimates, variances) == pytest.approx(1, abs=0.15)


def test_variance_is_right_for_independent_strata() -> None:
    rng = np.random.default_rng(2)
    candidates = [Candidate(item_id=str(i), stratum="ab"[i % 3 == 0], unit=str(i)) for i in range(120)]
    values = rng.normal(size=120) + np.arange(120) % 3
    inside_a = np.arange(120) % 3 != 0
    estimates, variances = [], []
    for seed in range(1500):
        chosen = draw(candidates, {"a": 24, "b": 20}, seed=seed, purpose="draw")
        design = Design.of_draws(
            stratum=[c.stratum for c in chosen], stratum_size=[c.stratum_size for c in chosen],
            inclusion_probability=[c.inclusion_probability for c in chosen], unit=[c.item_id for c in chosen],
        )  # fmt: skip
        scores = values[[int(c.item_id) for c in chosen]]
        estimates.append(design.total(scores))
        variances.append(design.variance(scores))
    assert np.mean(estimates) == pytest.approx(values.sum(), abs=3 * np.std(estimates) / 1500**0.5)
    exact = 80**2 * (1 - 24 / 80) * values[inside_a].var(ddof=1) / 24 + 40**2 * 0.5 * values[~inside_a].var(ddof=1) / 20
    assert np.mean(variances) == pytest.approx(exact, rel=0.02)
    assert ratio_of_variances(estimates, variances) == pytest.approx(1, abs=0.08)


@pytest.mark.parametrize("signs", [pytest.param([1, 1], id="sum"), pytest.param([1, -1], id="difference")])
@pytest.mark.parametrize("total", [pytest.param(36, id="some"), pytest.param(10_000, id="all of a drawn context")])
def test_variance_is_right_for_linked_draws(signs: list[int], total: int) -> None:
    rng = np.random.default_rng(3)
    contexts = [Candidate(item_id=f"c{k}", stratum="clean", unit=f"c{k}") for k in range(30)]
    responses = [
        Candidate(item_id=f"{h}-{k}-{run}", stratum=str(h), unit=f"{k}-{run}", cluster=f"c{k}")
        for h in range(2) for k in range(30) for run in range(2 + h)
    ]  # fmt: skip
    of_context, of_unit = rng.normal(size=30), {r.unit: rng.normal() for r in responses}
    value = {r.item_id: of_context[int(r.item_id.split("-")[1])] + of_unit[r.unit] for r in responses}
    by_id = {r.item_id: r for r in responses}
    estimates, variances = [], []
    for seed in range(400):
        chosen = linked_draw(contexts, {"clean": 15}, responses, total, 2, seed=seed).responses
        rows = [by_id[c.item_id] for c in chosen]
        design = Design.of_draws(
            stratum=[c.stratum for c in chosen], stratum_size=[c.stratum_size for c in chosen],
            inclusion_probability=[c.inclusion_probability for c in chosen], unit=[r.unit for r in rows],
            cluster=[r.cluster or "" for r in rows], first_fraction=[0.5] * len(rows),
        )  # fmt: skip
        scores = [signs[int(r.stratum)] * value[r.item_id] for r in rows]
        estimates.append(design.total(scores))
        variances.append(design.variance(scores))
    assert ratio_of_variances(estimates, variances) == pytest.approx(1, abs=0.15)
