"""What a client may send: quotes that stand where they say, and reasons of the list."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_app.actions.answers import Refused, quotes, skip_reason
from data.views import ShownPassage

REASONS = ("unclear", "broken text", "other")


def passage(number: int, text: str) -> ShownPassage:
    return ShownPassage(number=number, title=None, url=None, publisher=None, source_type=None, text=text)


@given(st.text(min_size=1), st.data())
def test_every_stretch_of_a_passage_can_be_quoted(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = {"passage": 3, "start": start, "end": end, "text": text[start:end]}
    if any(0xD800 <= ord(c) < 0xE000 for c in text):
        return
    assert quotes([quote, quote], [passage(3, text)]) == [quote, quote]


TEXT = "שלום 👩‍👩‍👧 e\u0301\r\n\x00end"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"start": 1}, "are not the quoted text"),
        ({"end": 3}, "are not the quoted text"),
        ({"text": "שלום"}, "are not the quoted text"),
        ({"end": 99}, "are not the quoted text"),
        ({"start": -5, "end": 4}, "are not the quoted text"),
        ({"start": 5, "end": 5, "text": ""}, "are not the quoted text"),
        ({"text": None}, "are not the quoted text"),
        ({"passage": 2}, "passage 2 is not shown"),
        ({"start": 5.0}, "whole numbers"),
        ({"start": True}, "whole numbers"),
        ({"colour": "red"}, "expected a quote with passage, start, end, text"),
    ],
)
def test_a_quote_that_does_not_stand_there_is_refused(change: dict[str, Any], sentence: str) -> None:
    fine = {"passage": 1, "start": 5, "end": 10, "text": "👩‍👩‍👧"}
    assert quotes([fine], [passage(1, TEXT)]) == [fine]
    with pytest.raises(Refused, match=sentence) as caught:
        quotes([{**fine, **change}], [passage(1, TEXT)])
    assert caught.value.status == 422


@pytest.mark.parametrize("raw", [3, "text", {"passage": 1}, [3], [[]], [None], [{}], [{"x": "y" * 10_000}]])
def test_what_is_no_quote_is_refused_in_one_short_sentence(raw: Any) -> None:
    with pytest.raises(Refused) as caught:
        quotes(raw, [passage(1, TEXT)])
    assert len(str(caught.value)) < 300


def test_of_two_passages_with_one_number_either_may_be_meant() -> None:
    quote = {"passage": 1, "start": 0, "end": 3, "text": "two"}
    assert quotes([quote], [passage(1, "one"), passage(1, "two")]) == [quote]


@pytest.mark.parametrize("said", ["unclear", "broken text: the end is missing", "other: I wrote it", "unclear: "])
def test_a_reason_of_the_list_alone_or_with_a_note(said: str) -> None:
    assert skip_reason({"comment": said}, REASONS) == said


@pytest.mark.parametrize("said", [None, "", "  ", "tired", "unclearly", "other", "other: ", "broken"])
def test_a_reason_that_is_none_is_refused(said: str | None) -> None:
    with pytest.raises(Refused) as caught:
        skip_reason({"comment": said}, REASONS)
    assert caught.value.status == 422
