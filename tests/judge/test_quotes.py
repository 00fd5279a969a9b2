"""Quotes that stand in the passages, and those that do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.views import ShownPassage
from judge.judge import Quote
from judge.quotes import found_in, normalised


def passage(number: int, text: str, title: str | None = None) -> ShownPassage:
    return ShownPassage(number=number, title=title, url=None, publisher=None, source_type=None, text=text)


PASSAGES = [passage(1, "The embargo was\nlifted in  March 1974.", "Oil embargo"), passage(4, "She said “it’s over”.")]


@pytest.mark.parametrize(
    ("quote", "where"),
    [
        ("lifted in March 1974", 1),
        ("“lifted in March 1974”", 1),
        ("The embargo was lifted", 1),
        ("Oil embargo", 1),
        ('said "it\'s over"', 4),
        ("it's over", 4),
        ("lifted in April 1974", None),
        ("LIFTED in March 1974", None),
        ("1974. She said", None),
        ("lifted … 1974", None),
    ],
)
def test_a_quote_is_looked_up(quote: str, where: int | None) -> None:
    assert found_in(PASSAGES, [quote]) == (Quote(text=quote, passage=where),)


def test_quotes_without_a_word_are_none() -> None:
    assert found_in(PASSAGES, ["", " ", '""', "“”"]) == ()


@given(st.text(min_size=1, max_size=40), st.integers(0, 39), st.integers(1, 40))
def test_whatever_is_copied_out_of_a_passage_is_found_in_it(text: str, start: int, length: int) -> None:
    copied = text[start : start + length]
    assert all(quote.passage == 1 for quote in found_in([passage(1, text)], [copied]))


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)
