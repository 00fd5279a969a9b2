"""Published and independently computed values, read from tests/golden/agreement_cases.json (sources stand there)."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from agreement.confusion import confusion
from agreement.disagreement import coincidences
from agreement.interval import clopper_pearson, wilson
from agreement.kappas import brennan_prediger, conger_kappa, fleiss_kappa, fleiss_kappa_by_category, gwet_ac2
from agreement.ratings import Ratings
from agreement.result import Agreement
from sampling.design import Design

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "agreement_cases.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in GOLDEN["cases"]}
OF_KIND: dict[str, Callable[..., Agreement]] = {
    "alpha": krippendorff_alpha,
    "alpha_nominal": krippendorff_alpha,
    "alpha_ordinal": partial(krippendorff_alpha, level="ordinal"),
    "alpha_interval": partial(krippendorff_alpha, level="interval"),
    "alpha_ratio": partial(krippendorff_alpha, level="ratio"),
    "AC1": gwet_ac1,
    **{
        f"AC2_{weights}": partial(gwet_ac2, weights=weights)
        for weights in ("linear", "quadratic", "radical", "ordinal")
    },
    "fleiss_kappa": fleiss_kappa,
    "conger_kappa": conger_kappa,
    "brennan_prediger": brennan_prediger,
    "percent_agreement": percent_agreement,
    "cohen_kappa": cohen_kappa,
}


def data(case: dict[str, Any]) -> dict[str, Any]:
    ref = case["data"].get("ref")
    found: dict[str, Any] = GOLDEN["datasets"][ref] if ref else case["data"]
    return found


def labels(case: dict[str, Any]) -> NDArray[np.int64]:
    """Units in rows, categories coded from 0, -1 = missing; a table is written out as its units."""
    given = data(case)
    if given.get("orientation") == "units_in_rows_counts":
        return np.array([np.repeat(np.arange(len(row)), row) for row in given["values"]])
    if case["id"].startswith("K2") and "ref" in case["data"]:
        table = np.array(given["values"])
        return np.repeat(np.argwhere(table >= 0), table.reshape(-1), axis=0)
    rows = [[-1 if x is None else x for x in row] for row in given["values"]]
    array = np.array(rows) if given.get("orientation") == "units_in_rows" else np.array(rows).T
    first = array[array >= 0].min() if (array >= 0).any() else 0
    return np.where(array < 0, -1, array - first).astype(np.int64)


def ratings(case: dict[str, Any]) -> Ratings:
    """Categories are called and valued as in the source, whose first one is 0 in some and 1 in others."""
    array = labels(case)
    k = max(2, int(array.max()) + 1)
    return Ratings.of(array, n_categories=k, category_values=np.arange(k) + 1)


def result(case_id: str, quantity: str) -> Agreement:
    statistic = OF_KIND[quantity.removesuffix("_se").removesuffix("_ci")]
    if quantity in ("alpha_se", "alpha_ci"):
        return krippendorff_alpha(ratings(CASES[case_id]), interval="linearised")
    return statistic(ratings(CASES[case_id]))


def of_quantity(*, suffix: str) -> list[str]:
    """Cases of a statistic of this room, K2-094 apart, whose interval is not Student's."""
    quantities = {name + suffix for name in OF_KIND}
    return [
        case["id"]
        for case in GOLDEN["cases"]
        if case["kind"] == "value" and case["quantity"] in quantities and case["id"] != "K2-094"
    ]


@pytest.mark.parametrize("case_id", of_quantity(suffix=""))
def test_values(case_id: str) -> None:
    case = CASES[case_id]
    assert result(case_id, case["quantity"]).value == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("case_id", of_quantity(suffix="_se"))
def test_standard_errors(case_id: str) -> None:
    case = CASES[case_id]
    assert result(case_id, case["quantity"]).se == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("case_id", of_quantity(suffix="_ci"))
def test_intervals(case_id: str) -> None:
    case = CASES[case_id]
    found = result(case_id, case["quantity"])
    assert [found.low, found.high] == pytest.approx(case["expected"], abs=case["tolerance"])


def test_fleiss_kappa_by_category() -> None:
    case = CASES["FL-004"]
    found = [one.value for one in fleiss_kappa_by_category(ratings(case))]
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])


def test_the_standard_error_under_independence_makes_no_interval() -> None:
    case, right = CASES["K2-095"], CASES["K2-093"]
    found = cohen_kappa(ratings(case))
    assert found.se == pytest.approx(right["expected"], abs=right["tolerance"])
    assert found.se != pytest.approx(case["expected"], abs=0.01)
    assert found.value is not None
    assert found.se is not None
    assert found.low is not None
    assert found.value - found.low == pytest.approx(2.100922 * found.se, abs=1e-5)


def test_alpha_leaves_out_the_unit_with_one_label() -> None:
    found = krippendorff_alpha(ratings(CASES["KA-001"]))
    assert (found.n, found.n_dropped) == (11, 1)


def test_coincidence_matrix_and_number_of_pairable_values() -> None:
    classic = ratings(CASES["KA-006"])
    matrix = np.einsum("p,pck->ck", classic.tally(at_least=2).totals, coincidences(classic.counts))
    assert matrix == pytest.approx(np.array(CASES["KA-006"]["expected"]), abs=1e-9)
    assert matrix.sum() == pytest.approx(CASES["KA-005"]["expected"])


def test_kappa_interval_is_the_published_one_but_for_student() -> None:
    """SAS takes 1.96 where this room takes Student's t on 18 degrees of freedom."""
    case, found = CASES["K2-094"], cohen_kappa(ratings(CASES["K2-094"]))
    assert found.value is not None
    assert found.se is not None
    assert found.low is not None
    assert [found.value - 1.959964 * found.se, found.value + 1.959964 * found.se] == pytest.approx(
        case["expected"], abs=case["tolerance"]
    )
    assert found.low < case["expected"][0]


@pytest.mark.parametrize("case_id", ["KA-029", "KA-030", "KA-031", "KA-032", "KA-033", "K2-116"])
def test_degenerate_inputs_are_undefined_with_a_reason(case_id: str) -> None:
    found = result(case_id, CASES[case_id]["quantity"])
    assert found.value is None
    assert (found.why_undefined or "").startswith("undefined: ")


def test_kappa_under_a_stratified_design() -> None:
    # R survey 4.1.1: svykappa(~hs + js, svydesign(~1, strata = ~strA, fpc = ~Nh, data = audit_pop[inA, ]))
    columns = GOLDEN["datasets"]["audit_pop"]["columns"]
    stratum, drawn = np.array(columns["strA"]), np.array(columns["inA"])
    size = np.array([(stratum == h).sum() for h in stratum])[drawn]
    sample = np.array([(stratum[drawn] == h).sum() for h in stratum[drawn]])
    design = Design.of_draws(
        stratum=stratum[drawn].tolist(),
        stratum_size=size,
        inclusion_probability=sample / size,
        unit=[str(i) for i in np.flatnonzero(drawn)],
    )
    human, judge = np.array(columns["hs"])[drawn], np.array(columns["js"])[drawn]
    found = confusion(human, judge, weights=design.weight, variance=design.variance)
    assert found.kappa.value == pytest.approx(CASES["SV-206"]["expected"], abs=CASES["SV-206"]["tolerance"])
    assert found.kappa.se == pytest.approx(CASES["SV-207"]["expected"], abs=CASES["SV-207"]["tolerance"])
    assert confusion(human, judge).kappa.value == pytest.approx(0.8299, abs=5e-5)
    pairs = Ratings.of(np.column_stack([human, judge]), n_categories=2, weight=design.weight)
    two = cohen_kappa(pairs, variance=design.variance)
    assert (two.value, two.se) == pytest.approx((found.kappa.value, found.kappa.se), abs=1e-12)


@pytest.mark.parametrize("case_id", [case["id"] for case in GOLDEN["cases"] if case["group"] in ("CLF", "PROP")])
def test_intervals_of_a_share(case_id: str) -> None:
    case = CASES[case_id]
    interval = wilson if "wilson" in case["quantity"] else clopper_pearson
    if case["group"] == "PROP":
        hits, n = case["data"]["k"], case["data"]["n"]
        found = [*interval(hits / n, n, 0.95)]
    else:
        true_yes, false_yes, false_no, true_no = case["data"]["values"]
        of_yes = case["quantity"].startswith("sensitivity")
        hits, n = (true_yes, true_yes + false_no) if of_yes else (true_no, true_no + false_yes)
        found = [hits / n, *interval(hits / n, n, 0.95)]
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])
