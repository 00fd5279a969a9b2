import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sampling.allocation import anticipated_se, equal, neyman, neyman_shares, proportional

GOLDEN = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[1] / "golden" / "sampling_cases.json").read_text())["allocation"]
}
Rule = Callable[..., dict[str, int]]
LAWS = settings(max_examples=60)
SIZES = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.integers(0, 60), min_size=1, max_size=8)


def by_spread(sizes: Mapping[str, int], total: int, **options: Any) -> dict[str, int]:
    """Neyman's rule with spreads that depend on the name alone; some are 0."""
    return neyman(sizes, {name: sum(map(ord, name)) % 4 / 8 for name in sizes}, total, **options)


RULES = pytest.mark.parametrize("rule", [proportional, equal, by_spread])


@pytest.mark.parametrize(
    ("sizes", "total", "floor", "expected"),
    [
        # Shares 4.5, 3.6, 0.9: the 2 left over go to the remainders .9 and .6.
        pytest.param({"a": 50, "b": 40, "c": 10}, 9, 0, {"a": 4, "b": 4, "c": 1}, id="largest remainder"),
        pytest.param({"b": 5, "a": 5}, 5, 0, {"b": 2, "a": 3}, id="a tie goes by name"),
        # c is raised to 2; the other 8 are shared 90:8, which raises b to 2 also.
        pytest.param({"a": 90, "b": 8, "c": 2}, 10, 2, {"a": 6, "b": 2, "c": 2}, id="floor"),
        pytest.param({"a": 90, "b": 9, "c": 1}, 10, 2, {"a": 7, "b": 2, "c": 1}, id="floor above the size"),
        pytest.param({"a": 3, "b": 0}, 99, 2, {"a": 3, "b": 0}, id="more than there are"),
        pytest.param({}, 0, 2, {}, id="no strata"),
    ],
)
def test_proportional_by_hand(sizes: dict[str, int], total: int, floor: int, expected: dict[str, int]) -> None:
    assert proportional(sizes, total, floor=floor) == expected


def test_equal_passes_on_what_small_strata_cannot_take() -> None:
    assert equal({"a": 100, "b": 100, "c": 3, "d": 0}, 24) == {"a": 11, "b": 10, "c": 3, "d": 0}


def test_a_cap_moves_items_to_other_strata() -> None:
    assert proportional({"a": 90, "b": 10, "c": 10}, 20, cap=12) == {"a": 12, "b": 4, "c": 4}


def test_topping_up_keeps_what_was_drawn_where_largest_remainders_would_not() -> None:
    # The Alabama paradox: shares 4.29, 4.29, 1.43 of 10 and 4.71, 4.71, 1.57 of 11.
    sizes = {"a": 60, "b": 60, "c": 20}
    first = proportional(sizes, 10, floor=0)
    assert first == {"a": 4, "b": 4, "c": 2}
    assert proportional(sizes, 11, floor=0)["c"] == 1
    assert proportional(sizes, 11, floor=0, at_least=first) == {"a": 5, "b": 4, "c": 2}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"total": 5}, "5 items cannot give 3 strata their minimum of 2 .* smallest total that works is 6"),
        ({"total": 30, "cap": 4}, "at most 4 items per stratum, 3 strata of 60 items give 12, not 30"),
        ({"total": 9, "cap": 1}, "cap is 1, below the floor of 2"),
        ({"total": -1}, "negative"),
        ({"total": 9, "at_least": {"d": 1}}, "at_least names the strata 'd'"),
        ({"total": 9, "at_least": {"a": 8}}, "already drawn; the smallest total that works is 12"),
    ],
)
def test_impossible_wishes_are_refused_with_the_facts(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        proportional({"a": 20, "b": 20, "c": 20}, **arguments)  # type: ignore[arg-type]  # mixed keyword values


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ValueError, match="'a' has size -1"):
        proportional({"a": -1}, 0)


# ALLOC-009: R PracTools 1.7.5 gives a stratum of 10 items 38; here sizes bind and the rest is shared again.
@RULES
def test_no_stratum_gets_more_than_it_has(rule: Rule) -> None:
    given_items = rule({"a": 10, "b": 200, "c": 40}, 200)
    assert given_items["a"] <= 10
    assert sum(given_items.values()) == 200


@RULES
@LAWS
@given(SIZES, st.integers(0, 300), st.integers(0, 4), st.none() | st.integers(4, 20))
def test_totals_are_exact_and_bounds_hold(
    rule: Rule, sizes: dict[str, int], total: int, floor: int, cap: int | None
) -> None:
    least = sum(min(floor, size) for size in sizes.values())
    most = sum(size if cap is None else min(cap, size) for size in sizes.values())
    wanted = min(total, sum(sizes.values()))
    assume(least <= wanted <= most)
    given_items = rule(sizes, total, floor=floor, cap=cap)
    assert list(given_items) == list(sizes)
    assert sum(given_items.values()) == wanted
    for name, size in sizes.items():
        assert min(floor, size) <= given_items[name] <= (size if cap is None else min(cap, size))


@LAWS
@given(SIZES, st.integers(0, 100))
def test_proportional_shares_are_met_to_less_than_one_item(sizes: dict[str, int], total: int) -> None:
    population = sum(sizes.values())
    assume(total <= population and population)
    for name, items in proportional(sizes, total, floor=0).items():
        assert abs(items - total * sizes[name] / population) < 1


@RULES
@LAWS
@given(SIZES, st.integers(0, 200))
def test_the_order_of_strata_does_not_matter(rule: Rule, sizes: dict[str, int], total: int) -> None:
    assert rule(sizes, total, floor=0) == rule(dict(sorted(sizes.items())), total, floor=0)


@RULES
@LAWS
@given(SIZES, st.integers(0, 150), st.integers(0, 150))
def test_topping_up_never_takes_an_item_back(rule: Rule, sizes: dict[str, int], first: int, more: int) -> None:
    before = rule(sizes, first, floor=0)
    after = rule(sizes, first + more, floor=0, at_least=before)
    assert all(after[name] >= before[name] for name in sizes)
    assert sum(after.values()) == min(first + more, sum(sizes.values()))


def golden_strata(case: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, float], int]:
    data = case["data"]
    names = [str(k) for k in range(len(data["N_h"]))]
    return dict(zip(names, data["N_h"], strict=True)), dict(zip(names, data["S_h"], strict=True)), data["n"]


@pytest.mark.parametrize("case", [pytest.param(GOLDEN[i], id=i) for i in ("ALLOC-001", "ALLOC-003")])
def test_neyman_shares_match_practools(case: Mapping[str, Any]) -> None:
    sizes, spread, total = golden_strata(case)
    assert list(neyman_shares(sizes, spread, total).values()) == pytest.approx(case["expected"], abs=case["tolerance"])
    assert sum(neyman(sizes, spread, total).values()) == total


@pytest.mark.parametrize("case", [pytest.param(GOLDEN[i], id=i) for i in ("ALLOC-002", "ALLOC-004")])
def test_anticipated_se_matches_practools(case: Mapping[str, Any]) -> None:
    sizes, spread, total = golden_strata(case)
    shares = neyman_shares(sizes, spread, total)
    assert anticipated_se(sizes, spread, shares) == pytest.approx(case["expected"], abs=case["tolerance"])


def test_a_stratum_that_neyman_would_overdraw_is_taken_whole_and_the_rest_shared_again() -> None:
    case = GOLDEN["ALLOC-009"]
    sizes, spread, total = golden_strata(case)
    allocated = neyman(sizes, spread, total)
    # 50 are left for weights 200 x .1 and 40 x .2: 35.7 and 14.3.
    assert allocated == {"0": 10, "1": 36, "2": 14}
    assert sum(allocated.values()) == total


def test_certainty_strata_are_found_again_and_again() -> None:
    # First a (share 15 of 4), then, with 17 left, b also (share 12.1 of 12).
    sizes, spread = {"a": 4, "b": 12, "c": 100}, {"a": 40, "b": 10, "c": 0.5}
    assert neyman(sizes, spread, 21) == {"a": 4, "b": 12, "c": 5}


def test_strata_without_spread_get_the_floor_until_the_others_are_full() -> None:
    sizes, spread = {"a": 10, "b": 30, "c": 60}, {"a": 1.0, "b": 0.0, "c": 0.0}
    assert neyman(sizes, spread, 12) == {"a": 8, "b": 2, "c": 2}
    assert neyman(sizes, spread, 40) == {"a": 10, "b": 10, "c": 20}
    assert neyman(sizes, dict.fromkeys(sizes, 0.0), 20) == proportional(sizes, 20)


@pytest.mark.parametrize("spread", [{}, {"a": -1.0}, {"a": float("nan")}, {"a": float("inf")}])
def test_a_spread_that_is_none_is_refused(spread: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="'a' has spread"):
        neyman({"a": 5}, spread, 3)


def test_a_mean_needs_an_item_of_every_stratum() -> None:
    with pytest.raises(ValueError, match="no item is drawn in 'b'"):
        anticipated_se({"a": 5, "b": 5}, {"a": 1, "b": 1}, {"a": 5, "b": 0})
    with pytest.raises(ValueError, match="empty population"):
        anticipated_se({}, {}, {})


STRATA = st.lists(st.tuples(st.integers(2, 60), st.integers(0, 9)), min_size=2, max_size=6)


@LAWS
@given(STRATA, st.integers(0, 200))
def test_no_exchange_of_one_item_beats_neyman_shares(strata: list[tuple[int, int]], extra: int) -> None:
    sizes = {str(k): size for k, (size, _) in enumerate(strata)}
    spread = {str(k): float(deviation) for k, (_, deviation) in enumerate(strata)}
    total = min(2 * len(sizes) + extra, sum(sizes.values()))
    shares = neyman_shares(sizes, spread, total)
    best = anticipated_se(sizes, spread, shares)
    step = 0.5
    for giver in sizes:
        for taker in sizes:
            moved = shares | {giver: shares[giver] - step, taker: shares[taker] + step}
            if giver != taker and moved[giver] >= 2 and moved[taker] <= sizes[taker]:
                assert anticipated_se(sizes, spread, moved) >= best - 1e-9


@LAWS
@given(STRATA, st.integers(1, 40))
def test_the_unit_of_the_spread_does_not_matter(strata: list[tuple[int, int]], scale: int) -> None:
    sizes = {str(k): size for k, (size, _) in enumerate(strata)}
    spread = {str(k): float(deviation) for k, (_, deviation) in enumerate(strata)}
    total = min(2 * len(sizes) + 7, sum(sizes.values()))
    assert neyman(sizes, {name: s * scale for name, s in spread.items()}, total) == neyman(sizes, spread, total)


def test_everything_drawn_has_no_error() -> None:
    assert anticipated_se({"a": 5, "b": 0}, {"a": 2, "b": 0}, {"a": 5, "b": 0}) == 0
