"""What every coefficient obeys. A new coefficient joins ALL_STATISTICS."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from agreement.coefficients import cohen_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from agreement.kappas import (
    brennan_prediger,
    conger_kappa,
    fleiss_kappa,
    fleiss_kappa_by_category,
    gwet_ac2,
)
from agreement.prevalence import prevalence
from agreement.ratings import Ratings
from agreement.result import Agreement

Labels = NDArray[np.int64]
Statistic = Callable[..., Agreement]
K = 3
QUICK = settings(max_examples=25)

ALL_STATISTICS: list[Statistic] = [
    percent_agreement,
    gwet_ac1,
    cohen_kappa,
    partial(cohen_kappa, weights="ordinal"),
    partial(gwet_ac2, weights="quadratic"),
    partial(gwet_ac2, weights="radical"),
    fleiss_kappa,
    partial(fleiss_kappa, weights="linear"),
    conger_kappa,
    partial(conger_kappa, weights="linear"),
    brennan_prediger,
    partial(krippendorff_alpha, replicates=200),
    partial(krippendorff_alpha, replicates=200, level="ordinal"),
    partial(krippendorff_alpha, interval="linearised"),
    partial(krippendorff_alpha, interval="linearised", level="ordinal"),
    partial(krippendorff_alpha, interval="linearised", level="interval"),
    partial(krippendorff_alpha, interval="linearised", level="ratio"),
]


def bare(statistic: Statistic) -> Statistic:
    return statistic.func if isinstance(statistic, partial) else statistic


def options(statistic: Statistic) -> dict[str, object]:
    return statistic.keywords if isinstance(statistic, partial) else {}


NOMINAL = [statistic for statistic in ALL_STATISTICS if not {"weights", "level"} & set(options(statistic))]
ALPHAS = [statistic for statistic in ALL_STATISTICS if bare(statistic) is krippendorff_alpha]
every = pytest.mark.parametrize(
    "statistic", ALL_STATISTICS, ids=lambda s: "-".join(str(part) for part in (bare(s).__name__, *options(s).values()))
)


def rated(draw_raters: int = 2) -> st.SearchStrategy[Labels]:
    return st.integers(1, 14).flatmap(lambda n: arrays(np.int64, (n, draw_raters), elements=st.integers(-1, K - 1)))


def raters_of(statistic: Statistic) -> int:
    return 2 if bare(statistic) is cohen_kappa else 4


def of(statistic: Statistic, labels: Labels, **more: object) -> Agreement:
    return statistic(Ratings.of(labels, n_categories=K, **more))  # type: ignore[arg-type]  # laws pass any extra


def same(a: Agreement, b: Agreement) -> bool:
    def near(x: float | None, y: float | None) -> bool:
        return x == pytest.approx(y, abs=1e-6) if x is not None and y is not None else x is y

    return all(near(getattr(a, part), getattr(b, part)) for part in ("value", "se", "low", "high"))


@every
@QUICK
@given(data=st.data())
def test_order_of_raters_and_units_does_not_matter(statistic: Statistic, data: st.DataObject) -> None:
    labels = data.draw(rated(raters_of(statistic)))
    columns = data.draw(st.permutations(range(labels.shape[1])))
    rows = data.draw(st.permutations(range(len(labels))))
    assert same(of(statistic, labels), of(statistic, labels[rows][:, columns]))


@every
@QUICK
@given(data=st.data())
def test_order_does_not_matter_with_weights_and_tasks(statistic: Statistic, data: st.DataObject) -> None:
    labels = data.draw(rated(raters_of(statistic)))
    n = len(labels)
    weight = data.draw(arrays(np.float64, n, elements=st.sampled_from([1.0, 2.5, 8.0])))
    task = data.draw(arrays(np.int64, n, elements=st.integers(0, 4)))
    rows = data.draw(st.permutations(range(n)))
    shuffled = of(statistic, labels[rows], weight=weight[rows], cluster=task[rows])
    before = of(statistic, labels, weight=weight, cluster=task)
    assert (before.value is None) == (shuffled.value is None)
    if before.value is not None:
        assert shuffled.value == pytest.approx(before.value, abs=1e-9)
        assert shuffled.low == pytest.approx(before.low, abs=1e-6)


@pytest.mark.parametrize("statistic", NOMINAL)
@QUICK
@given(data=st.data())
def test_names_of_categories_do_not_matter(statistic: Statistic, data: st.DataObject) -> None:
    labels = data.draw(rated(raters_of(statistic)))
    renamed = np.array([*data.draw(st.permutations(range(K))), -1])[labels]
    before, after = of(statistic, labels), of(statistic, renamed)
    assert (before.value is None) == (after.value is None)
    if before.value is not None:
        assert after.value == pytest.approx(before.value, abs=1e-9)


@QUICK
@given(labels=rated(3))
def test_reversing_the_order_keeps_ordinal_alpha(labels: Labels) -> None:
    statistic = partial(krippendorff_alpha, interval="linearised", level="ordinal")
    assert same(of(statistic, labels), of(statistic, np.where(labels < 0, -1, K - 1 - labels)))


@every
@QUICK
@given(data=st.data())
def test_duplicated_data_keeps_the_value_and_narrows_the_interval(statistic: Statistic, data: st.DataObject) -> None:
    labels = data.draw(rated(raters_of(statistic)))
    once, often = of(statistic, labels), of(statistic, np.tile(labels, (40, 1)))
    assume(once.value is not None and once.low is not None and once.high is not None)
    assert once.value is not None
    if statistic in ALPHAS:
        # The small-sample factor (n - 1) / n of paired labels is all that may change.
        n = int((labels >= 0)[(labels >= 0).sum(axis=1) > 1].sum())
        assert often.value == pytest.approx(1 - (1 - once.value) * (n / (n - 1)) * (40 * n - 1) / (40 * n))
    else:
        assert often.value == pytest.approx(once.value, abs=1e-9)
    assert width(often) < width(once)


def width(result: Agreement) -> float:
    assert result.low is not None
    assert result.high is not None
    return result.high - result.low


@every
@QUICK
@given(data=st.data())
def test_weight_two_is_the_unit_twice(statistic: Statistic, data: st.DataObject) -> None:
    labels = data.draw(rated(raters_of(statistic)))
    weight = data.draw(arrays(np.int64, len(labels), elements=st.integers(1, 3)))
    written_out = np.repeat(labels, weight, axis=0)
    weighted = of(statistic, labels, weight=weight).value
    assert weighted == pytest.approx(of(statistic, written_out, weight=np.ones(len(written_out))).value, abs=1e-9)


@every
@QUICK
@given(data=st.data())
def test_the_scale_of_the_weights_does_not_matter(statistic: Statistic, data: st.DataObject) -> None:
    labels = data.draw(rated(raters_of(statistic)))
    weight = data.draw(arrays(np.float64, len(labels), elements=st.sampled_from([1.0, 2.5, 8.0])))
    before, after = of(statistic, labels, weight=weight), of(statistic, labels, weight=4 * weight)
    assert (before.value is None) == (after.value is None)
    if before.value is not None:
        assert after.value == pytest.approx(before.value, abs=1e-9)
    even = of(statistic, labels, weight=np.ones(len(labels))).value
    if statistic not in ALPHAS and even is not None:
        assert even == pytest.approx(of(statistic, labels).value, abs=1e-9)


@pytest.mark.parametrize("statistic", ALPHAS)
@QUICK
@given(labels=rated(3), label=st.integers(0, K - 1))
def test_a_unit_with_one_label_never_changes_alpha(statistic: Statistic, labels: Labels, label: int) -> None:
    before = of(statistic, labels)
    after = of(statistic, np.vstack([labels, [label, -1, -1]]))
    assert same(before, after)
    assert after.n == before.n
    assert after.n_dropped == before.n_dropped + 1


@QUICK
@given(labels=rated(3), label=st.integers(0, K - 1))
def test_a_unit_with_one_label_tells_only_how_common_categories_are(labels: Labels, label: int) -> None:
    more = np.vstack([labels, [label, -1, -1]])
    before, ratings = (Ratings.of(given, n_categories=K) for given in (labels, more))
    assert same(of(cohen_kappa, more[:, :2]), of(cohen_kappa, labels[:, :2]))
    assert percent_agreement(ratings).value == pytest.approx(percent_agreement(before).value)
    agreed, use = percent_agreement(ratings).value, np.array([one.value for one in prevalence(ratings)], dtype=float)
    for statistic, by_chance in (
        (brennan_prediger, 1 / K),
        (gwet_ac1, float(use @ (1 - use)) / (K - 1)),
        (fleiss_kappa, float(use @ use)),
    ):
        found = statistic(ratings).value
        if agreed is not None and found is not None:
            assert found == pytest.approx((agreed - by_chance) / (1 - by_chance))


PER_CATEGORY: list[Callable[..., tuple[Agreement, ...]]] = [fleiss_kappa_by_category, prevalence]
per_category = pytest.mark.parametrize("statistic", PER_CATEGORY)


def each_of(statistic: Callable[..., tuple[Agreement, ...]], labels: Labels, **more: Any) -> tuple[Agreement, ...]:
    return statistic(Ratings.of(labels, n_categories=K, **more))


@per_category
@QUICK
@given(labels=rated(3), order=st.permutations(range(K)))
def test_categories_go_with_their_names(
    statistic: Callable[..., tuple[Agreement, ...]], labels: Labels, order: list[int]
) -> None:
    before, after = each_of(statistic, labels), each_of(statistic, np.array([*order, -1])[labels])
    assert all(same(before[k], after[now]) for k, now in enumerate(order))


@per_category
@QUICK
@given(data=st.data())
def test_order_does_not_matter_category_by_category(
    statistic: Callable[..., tuple[Agreement, ...]], data: st.DataObject
) -> None:
    labels = data.draw(rated(3))
    n = len(labels)
    weight = data.draw(arrays(np.float64, n, elements=st.sampled_from([1.0, 2.5, 8.0])))
    rows, columns = data.draw(st.permutations(range(n))), data.draw(st.permutations(range(3)))
    for more in ({}, {"weight": weight}):
        before = each_of(statistic, labels, **more)
        shuffled = {name: values[rows] for name, values in more.items()}
        after = each_of(statistic, labels[rows][:, columns], **shuffled)
        for one, other in zip(before, after, strict=True):
            assert one.value == pytest.approx(other.value, abs=1e-9) if one.value is not None else other.value is None
            assert more or same(one, other)


@per_category
@QUICK
@given(labels=rated(3))
def test_duplicated_data_keeps_every_category_and_narrows_it(
    statistic: Callable[..., tuple[Agreement, ...]], labels: Labels
) -> None:
    for once, often in zip(each_of(statistic, labels), each_of(statistic, np.tile(labels, (40, 1))), strict=True):
        assert (once.value is None) == (often.value is None)
        if once.value is not None:
            assert often.value == pytest.approx(once.value, abs=1e-9)
            assert width(often) < width(once)


@per_category
@QUICK
@given(data=st.data())
def test_the_interval_of_every_category_contains_its_value_and_has_a_width(
    statistic: Callable[..., tuple[Agreement, ...]], data: st.DataObject
) -> None:
    labels = data.draw(rated(3))
    weight = data.draw(st.none() | arrays(np.float64, len(labels), elements=st.floats(0.5, 20)))
    task = data.draw(st.none() | arrays(np.int64, len(labels), elements=st.integers(0, 3)))
    for found in each_of(statistic, labels, weight=weight, cluster=task):
        assert found.n + found.n_dropped == len(labels)
        if found.value is None:
            assert found.low is found.high is found.se is None
            assert (found.why_undefined or "").startswith("undefined: ")
            continue
        assert found.low is not None
        assert found.high is not None
        assert found.low <= found.value <= found.high <= 1
        assert found.low < found.high
        assert statistic is not prevalence or found.low >= 0


@QUICK
@given(labels=rated(3), label=st.integers(0, K - 1))
def test_a_unit_with_one_label_moves_shares_and_no_agreement(labels: Labels, label: int) -> None:
    more = np.vstack([labels, [label, -1, -1]])
    before, after = each_of(prevalence, labels), each_of(prevalence, more)
    n = int((labels >= 0).any(axis=1).sum())
    for k, (one, other) in enumerate(zip(before, after, strict=True)):
        assert other.value == pytest.approx((n * (one.value or 0.0) + (k == label)) / (n + 1))
        assert (other.n, other.n_dropped) == (one.n + 1, one.n_dropped)
    for k, kappa in enumerate(each_of(fleiss_kappa_by_category, more)):
        use = after[k].value
        agreed = percent_agreement(Ratings.of(np.where(labels < 0, -1, labels == k), n_categories=2)).value
        if kappa.value is not None and agreed is not None and use is not None:
            by_chance = use**2 + (1 - use) ** 2
            assert kappa.value == pytest.approx((agreed - by_chance) / (1 - by_chance))


@per_category
@QUICK
@given(labels=rated(3))
def test_a_unit_without_a_label_changes_no_category(
    statistic: Callable[..., tuple[Agreement, ...]], labels: Labels
) -> None:
    more = each_of(statistic, np.vstack([labels, [[-1] * 3] * 2]))
    for one, other in zip(each_of(statistic, labels), more, strict=True):
        assert same(one, other)
        assert other.n == one.n


def lowest(statistic: Statistic) -> float:
    """Chance agreement has no bound below 1 for Fleiss, Conger and whatever is weighted."""
    return -math.inf if bare(statistic) in (fleiss_kappa, conger_kappa) or "weights" in options(statistic) else -1.0


@every
@QUICK
@given(data=st.data())
def test_interval_contains_the_value_and_has_a_width(statistic: Statistic, data: st.DataObject) -> None:
    labels = data.draw(rated(raters_of(statistic)))
    weight = data.draw(st.none() | arrays(np.float64, len(labels), elements=st.floats(0.5, 20)))
    task = data.draw(st.none() | arrays(np.int64, len(labels), elements=st.integers(0, 3)))
    found = of(statistic, labels, weight=weight, cluster=task)
    if found.value is None:
        assert found.low is found.high is found.se is None
        assert (found.why_undefined or "").startswith("undefined: ")
    else:
        assert found.low is not None
        assert found.high is not None
        assert lowest(statistic) <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high
        assert found.why_undefined is None
    assert found.n + found.n_dropped == len(labels)


@pytest.mark.parametrize("statistic", ALL_STATISTICS)
def test_a_census_has_no_sampling_error(statistic: Statistic) -> None:
    labels = np.array([[0, 0], [1, 1], [2, 0], [1, 1]])
    found = statistic(Ratings.of(labels, n_categories=K), census=True)
    assert found.low == found.value == found.high
    assert found.se == 0
