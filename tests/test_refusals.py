"""What the leaf rooms refuse by name before anything is computed, at every public entry that takes such things."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agreement.alternative_annotator import alternative_annotator_test
from agreement.annotators import annotators
from agreement.ceiling import human_ceiling
from agreement.confusion import confusion
from agreement.dawid_skene import dawid_skene
from agreement.ratings import Ratings
from metrics.borrowing import borrowed
from metrics.budget import budget
from metrics.comparison import Side
from metrics.construction import broken_share
from metrics.correction import Population, Sample, corrected, human_only, naive
from metrics.definitions import METRICS
from metrics.diagnostics import answers
from metrics.rows import JudgedRows, LabelledRows
from metrics.table import Options, detailed
from sampling.allocation import anticipated_se, equal, neyman, neyman_shares, proportional
from sampling.assignment import assign
from sampling.design import Design
from sampling.draw import Candidate, draw
from sampling.expected import Expected, spreads
from sampling.planner import labels_needed, outlook
from sampling.repeats import with_repeats
from sampling.sizing import draw_buys, slice_sizes
from sampling.spread import of_counts
from sampling.strata import collapse, merge_small, small_strata

SIZES = {"a": 10, "b": 20}
SPREAD = {"a": 0.5, "b": 0.4}
STRATA = {name: Expected(stratum_size=n, rate=0.3, sensitivity=0.9, specificity=0.9) for name, n in SIZES.items()}
YES, NO = 27, 0
PEOPLE = np.array([[i % 2] * 3 for i in range(40)])


def design(n: int = 4, size: int = 8) -> Design:
    return Design.of_draws(stratum=["all"] * n, stratum_size=[size] * n, inclusion_probability=[n / size] * n,
                           unit=[str(i) for i in range(n)])  # fmt: skip


def sample(**changed: Any) -> Sample:
    rows = Sample(num=np.array([1.0, 1, 0, 0]), den=np.ones(4), code=np.array([YES, YES, YES, NO]),
                  in_slice=np.ones(4, dtype=bool), design=design())  # fmt: skip
    return replace(rows, **changed)


def population(**counts: int) -> Population:
    found = {YES: 5, NO: 3} | {int(code[1:]): n for code, n in counts.items()}
    return Population(code=np.array(list(found)), count=np.array(list(found.values())))


def lending(rows: Sample, frame: Population) -> Any:
    alike = np.zeros(len(frame.code), dtype=np.int64)
    nobody = np.zeros(4, dtype=np.int64)
    return borrowed(rows, frame, condition=nobody, population_condition=alike, group=nobody, floor=1)


def tabled(**changed: Any) -> Any:
    ones = np.ones(4)
    judged = JudgedRows(columns={}, code=np.array([YES, NO]), count=np.array([5, 3]))
    rows = LabelledRows(columns={}, code=np.array([YES, YES, YES, NO]), C=ones, A=ones, G=ones, D=ones,
                        design_of=lambda usable: design(int(usable.sum())))  # fmt: skip
    return detailed(
        judged, replace(rows, **changed), metrics=[METRICS["Acc"]], slices=[{}], options=Options(target="A")
    )


def drawn(stratum: list[str], size: list[float], chance: list[float]) -> Design:
    return Design.of_draws(stratum=stratum, stratum_size=size, inclusion_probability=chance,
                           unit=[str(i) for i in range(len(stratum))])  # fmt: skip


def candidate(unit: str) -> Candidate:
    return Candidate(item_id="i", stratum="a", unit=unit)


WAYS: dict[str, Callable[[Sample, Population], Any]] = {
    "corrected": corrected,
    "borrowed": lending,
    "Side.of": lambda rows, frame: Side.of(rows, frame, floor=1),
    "budget": budget,
}
CASES: dict[str, tuple[Callable[[], Any], str]] = {
    # An unknown stratum.
    "neyman": (lambda: neyman(SIZES, SPREAD | {"x": 1}, 10), "spread names the strata 'x'"),
    "neyman_shares": (lambda: neyman_shares(SIZES, SPREAD | {"x": 1}, 10), "spread names the strata 'x'"),
    "proportional": (lambda: proportional(SIZES, 10, at_least={"x": 1}), "at_least names the strata 'x'"),
    "equal": (lambda: equal(SIZES, 10, at_least={"x": 1}), "at_least names the strata 'x'"),
    "anticipated_se": (lambda: anticipated_se(SIZES, SPREAD, {"a": 2, "b": 2, "x": 2}), "allocated names the strata"),
    "anticipated_se, none": (lambda: anticipated_se(SIZES, SPREAD, {"a": 2}), "no item is drawn in 'b'"),
    "anticipated_se, spread": (lambda: anticipated_se(SIZES, {"a": 1}, {"a": 2, "b": 2}), "'b' has spread None"),
    "outlook": (lambda: outlook(STRATA, {"a": 5, "b": 5, "x": 5}), "labels names the strata 'x'"),
    "outlook, slices": (lambda: outlook(STRATA, SIZES, slices={"a": "1", "b": "1", "x": "1"}), "slices names"),
    "labels_needed": (lambda: labels_needed(STRATA, 0.1, slices={"a": "1", "b": "1", "x": "1"}), "slices names"),
    "draw_buys": (lambda: draw_buys(STRATA, 10, lambda n: {"a": 5, "b": 5, "x": 1}), "labels names the strata 'x'"),
    "slice_sizes": (lambda: slice_sizes(STRATA, {"a": "1"}), "the strata 'b' have no slice"),
    "spreads": (lambda: spreads(STRATA, {"1": ["a", "x"]}), "slice '1' names the strata 'x'"),
    "of_counts": (lambda: of_counts({"x": {(1, 1): 2}}, sizes=SIZES), "stratum 'x' has no size"),
    "draw": (lambda: draw([candidate("u")], SIZES, seed=1, purpose="p"), "'b'"),
    "merge_small": (lambda: merge_small(["a"], ["m"], {"x": 1}, SIZES), "usable_units names the strata 'x'"),
    # A stratum smaller than its sample.
    "anticipated_se, over": (lambda: anticipated_se(SIZES, SPREAD, {"a": 11, "b": 2}), "'a' has 10 items, not 11"),
    "outlook, over": (lambda: outlook(STRATA, {"a": 11, "b": 5}), "'a' has 10 responses and 11 labels"),
    "proportional, over": (lambda: proportional(SIZES, 30, at_least={"a": 11}), "'a' has 10 items"),
    "Design, over": (lambda: drawn(["a"] * 3, [2.0] * 3, [1.0] * 3), "stratum 'a' has 3 rows and sizes from 2"),
    "small_strata": (lambda: small_strata({"a": -1}, 5), "stratum 'a' has size -1"),
    "collapse": (lambda: collapse({"a": 5}, ["m"], -1), "total is -1"),
    "broken_share": (lambda: broken_share([1, 0, 0, 0], [True] * 4, lambda rows: design(), 3), "population has only 3"),
    # Weights and chances.
    "Design, chance": (lambda: drawn(["a"] * 2, [2.0] * 2, [0.0, 1.0]), "inclusion_probability must lie in"),
    "Ratings, weight": (lambda: Ratings.of([[0, 1]], n_categories=2, weight=[0]), "weight: 1 of 1 are not finite"),
    "confusion, weight": (lambda: confusion([1], [1], weights=[-1]), "weights: 1 of 1 are not finite"),
    "human_ceiling, weight": (lambda: human_ceiling([1], [[1, 1]], weights=[0]), "weights: 1 of 1 are not finite"),
    # Labels that were not declared.
    "Ratings": (lambda: Ratings.of([[0, 2]], n_categories=2), "labels: 1 not declared, the first is 2"),
    "annotators": (
        lambda: annotators(Ratings.of([[0, 1]], n_categories=2), repeats=[[0, 1, 3]]), "repeat"),
    "confusion, unknown option": (
        lambda: confusion([1], [1], weight=[2.0]),  # type: ignore[call-arg]  # wrong on purpose
        "no such option: weight; expected weights",
    ),
    "confusion": (lambda: confusion([2], [1]), "human: 1 not declared"),
    "human_ceiling": (lambda: human_ceiling([1], [[1, 3]]), "human: 1 not declared"),
    "dawid_skene": (lambda: dawid_skene(["i"], ["r"], [2], n_categories=2), "1 not declared"),
    "alternative, below": (lambda: alternative_annotator_test(PEOPLE - 2, PEOPLE[:, 0]), "labels: 60 not declared"),
    "alternative": (
        lambda: alternative_annotator_test(PEOPLE, PEOPLE[:, 0] + 1, n_categories=2), "judge: 20 not declared"),
    "metric": (lambda: METRICS["Acc"].terms([2], [1], [1], [1]), "label C is 2"),
    "answers": (lambda: answers([3]), "a diagnostic is 3"),
    "detailed": (lambda: tabled(C=np.array([1.0, 0, 2, 0])), "label C"),
    "naive": (lambda: naive(METRICS["Acc"], [999], [1]), "pattern code lies outside"),
    "naive, count": (lambda: naive(METRICS["Acc"], [YES], [-1]), "1 counts are below 0"),
    # Somebody or something twice.
    "detailed, twice": (lambda: tabled(item=["i", "i", "j", "k"]), "given twice: i"),
    "assign, twice": (lambda: assign({"c": "a"}, {"c": 1}, ["p", "p"], seed=1), "twice"),
    "with_repeats": (lambda: with_repeats(["i", "i"], 0.5, annotator="p", seed=1), "twice"),
    "draw, twice": (
        lambda: draw([candidate("u"), candidate("v")], {"a": 1}, seed=1, purpose="p"), "'i'"),
    # A sample that is not of the population.
    "human_only": (lambda: human_only(sample(num=np.array([1.0, 1, 0, 2])), population()), "numerator exceeds"),
    "human_only, few": (lambda: human_only(sample(), population(c27=1, c0=1)), "population has only 2"),
}  # fmt: skip
OF_WAYS: dict[str, tuple[Sample, Population, str]] = {
    "numerator": (sample(num=np.array([1.0, 1, 0, 2])), population(), "numerator exceeds the denominator in 1 rows"),
    "not declared": (sample(num=np.array([1.0, 1, 0, 0.5])), population(), r"first is \(0\.5, 1\); declared are"),
    "code": (sample(code=np.array([YES, YES, NO, 999])), population(), "pattern of the sampled rows is 999"),
    "frame code": (sample(), population(c999=1), "pattern of the population is 999"),
    "lacking": (sample(code=np.array([YES, YES, NO, 5])), population(), "that the population lacks, the first is 5"),
    "few": (sample(), population(c27=2, c0=1), "4 sampled rows are in the slice, but the population has only 3"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_refused_by_name(name: str) -> None:
    way, said = CASES[name]
    with pytest.raises(ValueError, match=said):
        way()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OF_WAYS)
def test_a_sample_and_its_population_fit(name: str, way: str) -> None:
    rows, frame, said = OF_WAYS[name]
    with pytest.raises(ValueError, match=said):
        WAYS[way](rows, frame)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_right_is_taken(way: str) -> None:
    assert WAYS[way](sample(), population()) is not None


def test_all_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(ValueError, match="level is 95") as raised:
        corrected(sample(num=np.array([1.0, 1, 0, 2]), code=np.array([YES, YES, NO, 999])), population(), level=95)
    for said in ("numerator exceeds", "pattern of the sampled rows is 999"):
        assert said in str(raised.value)
