from hypothesis import given, settings
from hypothesis import strategies as st

from sampling.numbers import as_share, permanent_number, unit_key

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
LAWS = settings(max_examples=50)


# printf '7:draw:task-1' | md5sum, and printf '7:draw:tâche\x1fclean\x1f' | md5sum
def test_permanent_number_is_the_start_of_the_md5_of_the_three_values() -> None:
    assert permanent_number(7, "draw", "task-1") == "4668e664648df0c9"
    assert permanent_number(7, "draw", unit_key("tâche", "clean", None)) == "ac6536440d800bde"


@LAWS
@given(st.integers(), TEXT, TEXT)
def test_permanent_number_has_sixteen_hex_digits_and_repeats(seed: int, purpose: str, unit: str) -> None:
    number = permanent_number(seed, purpose, unit)
    assert len(number) == 16
    assert set(number) <= set("0123456789abcdef")
    assert number == permanent_number(seed, purpose, unit)


def test_seeds_and_purposes_order_units_independently() -> None:
    units = [str(i) for i in range(2000)]

    def smallest(seed: int, purpose: str) -> set[str]:
        return set(sorted(units, key=lambda unit: permanent_number(seed, purpose, unit))[:1000])

    # Two independent halves share 500 +- 11 of 2000 units.
    assert 440 < len(smallest(1, "draw") & smallest(2, "draw")) < 560
    assert 440 < len(smallest(1, "draw") & smallest(1, "overlap")) < 560


@LAWS
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x1f"), max_size=4), min_size=1, max_size=4))
def test_unit_key_can_be_taken_apart(parts: list[str]) -> None:
    assert unit_key(*parts).split("\x1f") == parts


def test_a_missing_part_is_empty() -> None:
    assert unit_key("t", None, "1") == unit_key("t", "", "1") == "t\x1f\x1f1"


@LAWS
@given(st.integers(0, 99), st.lists(TEXT, min_size=2, max_size=20, unique=True))
def test_shares_rise_with_their_numbers(seed: int, units: list[str]) -> None:
    numbers = sorted(permanent_number(seed, "draw", unit) for unit in units)
    shares = [as_share(number) for number in numbers]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] < 1
