from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sampling.allocation import equal, proportional

Rule = Callable[..., dict[str, int]]
LAWS = settings(deadline=None, max_examples=60)
SIZES = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.integers(0, 60), min_size=1, max_size=8)
RULES = pytest.mark.parametrize("rule", [proportional, equal])


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
        ({"total": 9, "at_least": {"d": 1}}, "'d' has 0 items"),
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
