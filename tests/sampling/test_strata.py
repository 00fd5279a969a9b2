from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.strata import Merge, merge_small, stratum_name, stratum_values

LAWS = settings(max_examples=60)
VALUE = st.text(st.sampled_from("ab |\\*(\n"), max_size=4) | st.sampled_from(
    ["(none)", "everything", "*", "\0|", " | "]
)
VALUES = st.lists(VALUE, max_size=4)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([], "everything"),
        (["clean", "longfact"], "clean | longfact"),
        (["", "x"], "(none) | x"),
        (["everything"], r"\everything"),
        (["a | b"], r"a \| b"),
        (["a", "b"], "a | b"),
        (["a\\", "*"], r"a\\ | \*"),
    ],
)
def test_stratum_name_is_readable(values: list[str], name: str) -> None:
    assert stratum_name(values) == name


@LAWS
@given(VALUES)
def test_stratum_values_is_the_inverse(values: list[str]) -> None:
    assert stratum_values(stratum_name(values)) == tuple(values)


def test_a_dropped_column_comes_back_as_a_star() -> None:
    assert stratum_values("clean | *") == ("clean", "*")


def merged(usable: dict[str, int], *columns: str, size: int = 10) -> Merge:
    return merge_small(list(usable), columns, usable, dict.fromkeys(usable, size))


def test_nothing_is_merged_when_every_stratum_has_two_usable_units() -> None:
    merge = merged({"a | 1": 2, "a | 2": 3}, "condition", "run")
    assert merge.stratum == {"a | 1": "a | 1", "a | 2": "a | 2"}
    assert merge.merges == ()
    assert merge.too_few == ()


def test_run_is_dropped_before_prompt_before_model_before_the_last_column() -> None:
    columns = ("condition", "model", "prompt", "run", "pattern")
    usable = {"c | m | p | 1 | x": 1, "c | m | p | 2 | x": 1, "c | m | q | 1 | x": 2, "d | m | p | 1 | x": 2}
    assert merged(usable, *columns).stratum["c | m | p | 1 | x"] == "c | m | p | * | x"
    usable["c | m | p | 2 | x"] = 0
    assert merged(usable, *columns).stratum["c | m | p | 1 | x"] == "c | m | * | * | x"
    usable["c | m | q | 1 | x"] = 0
    usable["c | n | q | 1 | x"] = 1
    assert merged(usable, *columns).stratum["c | m | p | 1 | x"] == "c | * | * | * | x"
    usable["c | n | q | 1 | x"] = 0
    usable["c | n | q | 1 | y"] = 1
    assert merged(usable, *columns).stratum["c | m | p | 1 | x"] == "c | * | * | * | *"
    assert merged(usable, *columns).stratum["d | m | p | 1 | x"] == "d | m | p | 1 | x"


def test_all_siblings_join_the_merge_and_the_report_names_them() -> None:
    merge = merged({"a | 1": 1, "a | 2": 5, "a | 3": 0, "b | 1": 2}, "condition", "run")
    (one,) = merge.merges
    assert (one.stratum, one.members) == ("a | *", ("a | 1", "a | 2", "a | 3"))
    assert (one.stratum_size, one.usable_units) == (30, 6)
    assert merge.stratum_size == {"a | *": 30, "b | 1": 10}


def test_a_complete_or_empty_stratum_is_not_small() -> None:
    sizes = {"a": 1, "b": 0, "c": 9}
    assert merge_small(list(sizes), ["condition"], {"a": 1, "c": 2}, sizes).merges == ()


def test_a_stratum_without_any_usable_unit_is_merged() -> None:
    sizes = {"a": 1, "b": 9}
    assert merge_small(list(sizes), ["condition"], {"b": 2}, sizes).stratum == {"a": "*", "b": "*"}


def test_units_that_strata_share_are_counted_once() -> None:
    names = ["a | m", "a | n", "b | m"]
    usable = {"a | m": {"u"}, "a | n": {"u"}, "b | m": {"v", "w"}}
    merge = merge_small(names, ["condition", "model"], usable, dict.fromkeys(names, 4))
    assert set(merge.stratum.values()) == {"* | *"}


def test_the_order_can_be_given() -> None:
    usable = {"a | 1": 1, "a | 2": 2, "b | 1": 2}
    merge = merge_small(list(usable), ["condition", "run"], usable, dict.fromkeys(usable, 9), ["condition", "model"])
    assert merge.stratum == {"a | 1": "* | 1", "b | 1": "* | 1", "a | 2": "a | 2"}


@pytest.mark.parametrize("usable", [{}, {"a | 1": 1}])
def test_too_few_labels_altogether_are_reported(usable: dict[str, int]) -> None:
    sizes = {"a | 1": 5, "b | 2": 5}
    assert merge_small(list(sizes), ["condition", "run"], usable, sizes).too_few == ("* | *",)


def test_a_star_in_the_data_is_not_a_dropped_column() -> None:
    usable = {stratum_name(["a", "*"]): 2, "a | 1": 2, "b | 1": 1, "b | 2": 1}
    assert sorted(merged(usable, "condition", "run").stratum_size) == ["a | 1", r"a | \*", "b | *"]


@pytest.mark.parametrize(
    ("strata", "message"),
    [(["a", "a"], "twice"), (["b"], "'b' has no size"), (["a | 1"], "2 values for the 1 columns condition")],
)
def test_strata_that_do_not_fit_are_refused(strata: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        merge_small(strata, ["condition"], {}, {"a": 3, "a | 1": 3})


@st.composite
def stratifications(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, int]]:
    names = draw(st.sets(st.tuples(*[st.sampled_from("xyz")] * 3), min_size=1).map(sorted))
    sizes = {stratum_name(values): draw(st.integers(0, 5)) for values in names}
    return sizes, {name: draw(st.integers(0, size)) for name, size in sizes.items()}


@LAWS
@given(stratifications())
def test_merging_keeps_the_population_and_leaves_no_small_stratum(
    case: tuple[dict[str, int], dict[str, int]],
) -> None:
    sizes, usable = case
    merge = merge_small(list(sizes), ["condition", "model", "run"], usable, sizes)
    assert set(merge.stratum) == set(sizes)
    assert sum(merge.stratum_size.values()) == sum(sizes.values())
    for new in set(merge.stratum.values()) - set(merge.too_few):
        members = [old for old, name in merge.stratum.items() if name == new]
        assert sum(usable[old] for old in members) >= 2 or all(usable[old] == sizes[old] for old in members)
    if sum(usable.values()) >= 2:
        assert merge.too_few == ()


@LAWS
@given(stratifications(), st.randoms(use_true_random=False))
def test_the_order_of_strata_does_not_matter(case: tuple[dict[str, int], dict[str, int]], random: Random) -> None:
    sizes, usable = case
    names = list(sizes)
    random.shuffle(names)
    columns = ["condition", "model", "run"]
    assert (
        merge_small(names, columns, usable, sizes).stratum == merge_small(list(sizes), columns, usable, sizes).stratum
    )
