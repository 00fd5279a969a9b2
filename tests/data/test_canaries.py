"""The shipped canaries: each right by general knowledge, and established by none of its passages."""

import re
import unicodedata

import pytest

from data.canaries import PREFIX, Canary, canaries, canary_hash
from data.rubric import default_text, parse_rubric

HASH = "21e03dcb092873c144d9eb26f4275e1c3b9f4de5f8ede588976b253bfb8ae098"
"""Whoever changes the set changes what was measured with it: give it a new hash knowingly."""


def normalised(text: str) -> str:
    """Without case, accents and punctuation."""
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return " ".join(re.findall(r"\w+", plain.casefold()))


def holds(text: str, answer: str) -> bool:
    return re.search(rf"\b{re.escape(normalised(answer))}\b", normalised(text)) is not None


def test_the_set_is_the_one_that_was_pinned() -> None:
    assert canary_hash() == HASH


def test_there_are_enough_and_none_twice() -> None:
    assert len(canaries()) >= 12
    assert len({canary.item_id for canary in canaries()}) == len(canaries())
    assert all(canary.item_id.startswith(PREFIX) for canary in canaries())


@pytest.mark.parametrize("canary", canaries(), ids=lambda canary: canary.item_id)
def test_the_gold_answer_is_in_the_response_and_in_no_passage(canary: Canary) -> None:
    item = canary.item
    assert item.response
    assert item.context
    assert item.task.gold_answer
    answers = (item.task.gold_answer, *item.task.gold_aliases)
    assert any(holds(item.response.text, answer) for answer in answers)
    shown = [part for p in item.context.passages for part in (p.text, p.title, p.publisher, p.source_type) if part]
    assert [(answer, text) for answer in answers for text in shown if holds(text, answer)] == []
    assert not holds(item.task.question, item.task.gold_answer)


@pytest.mark.parametrize("canary", canaries(), ids=lambda canary: canary.item_id)
def test_what_is_expected_fits_the_shipped_rubric(canary: Canary) -> None:
    rubric = parse_rubric(default_text(), "rubric.toml")
    asked = [*rubric.asked(canary.item, "evidence"), *rubric.asked(canary.item, "correctness")]
    assert list(canary.expected) == asked
    assert all(value in {v.value for v in rubric[label].values} for label, value in canary.expected.items())
    assert canary.expected["G"] == "not_supported"


def test_the_match_of_these_tests_finds_what_is_there() -> None:
    assert holds("In 1928 FLEMING's dish …", "Fleming")
    assert holds("São  Paulo", "sao paulo")
    assert not holds("Flemings", "Fleming")
