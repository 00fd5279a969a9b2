"""Numbers, quantities and dates as they are written."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.leaks.written import Written

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
SMALL = [*ONES.split(), "eighteen", "nineteen"]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    """English words of a number below a billion; the way there, for the test of the way back."""
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            joint = " and " if size == 100 and rest else " "
            return f"{spelled(number // size)} {name}{joint}{spelled(rest) if rest else ''}".strip()
    if number < 20:
        return SMALL[number]
    return TENS[number // 10] + (f"-{SMALL[number % 10]}" if number % 10 else "")


@given(st.integers(0, 10**9 - 1))
def test_number_words_are_read_back(number: int) -> None:
    assert [found.value for found in Written(spelled(number)).numbers] == [number]


@given(st.integers(1100, 2099))
def test_years_in_pairs_are_read_back(year: int) -> None:
    first, rest = spelled(year // 100), year % 100
    if rest >= 10:
        assert [found.value for found in Written(f"{first} {spelled(rest)}").numbers] == [year]


@given(st.integers(0, 10**9))
def test_grouped_digits_are_read_back(number: int) -> None:
    for text in (f"{number:,}", str(number), f"{number:,}".replace(",", "\u202f"), f"{number:,}".replace(",", "٬")):
        assert [found.value for found in Written(text).numbers] == [number]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3.6 million", ["3600000"]), ("3.6m", ["3600000"]), ("1.2 m", ["1.2"]), ("36 लाख", ["3600000"]),
        ("三百六十万", ["3600000"]), ("一九七四", ["1974"]), ("half a million", ["500000"]), ("a dozen", ["12"]),
        ("one and two", ["1", "2"]), ("nineteen oh five", ["1905"]), ("three point six million", ["3600000"]),
        ("1.2.3", []), ("1.234.567", ["1234567"]), ("12th", ["12"]),
    ],
)  # fmt: skip
def test_numbers(text: str, values: list[str]) -> None:
    assert [found.value for found in Written(text).numbers] == [Decimal(value) for value in values]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("90 minutes", "an hour and a half"), ("1 h 30 min", "one and a half hours"), ("two weeks", "a fortnight"),
        ("98 km", "98,000 metres"), ("2.5 tonnes", "2500kg"), ("10 %", "ten per cent"), ("$5", "five dollars"),
        ("half a century", "fifty years"), ("1.2 m", "120 cm"),
    ],
)  # fmt: skip
def test_quantities_that_are_one(one: str, other: str) -> None:
    (a,), (b,) = Written(one).quantities, Written(other).quantities
    assert (a.kind, a.value) == (b.kind, b.value)
    assert a.kind is not None


def test_quantities_of_a_list_are_not_added_up() -> None:
    assert [q.value for q in Written("two hours, 30 minutes").quantities] == [7200, 1800]


@given(st.dates(date(1000, 1, 1), date(2199, 12, 31)))
def test_dates_are_read_in_every_form(day: date) -> None:
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y"):
        found = [one[:3] for one in Written(day.strftime(form)).dates]
        assert found == [(day.year, day.month, day.day)]


def test_a_date_with_slashes_is_read_both_ways() -> None:
    assert {one[:3] for one in Written("5/12/1974").dates} == {(1974, 5, 12), (1974, 12, 5)}
