"""What a client may send: quotes that stand where they say, and reasons of the list."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_app.actions.answers import Answer, Refused, quotes, skip_reason
from data.rubric import default_text, parse_rubric
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
        ({"colour": "red"}, "expected a quote with passage, start, end, text, and no more than field and code"),
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


BUILT = ShownPassage(number=2, title="IEA: a history", url="https://a.example/iea", publisher="IEA", source_type=None,
                     text="no word of it")  # fmt: skip


@pytest.mark.parametrize(("field", "start", "text"), [("title", 0, "IEA"), ("url", 18, "iea"), ("publisher", 0, "IEA")])
def test_the_title_the_address_and_the_publisher_can_be_quoted(field: str, start: int, text: str) -> None:
    quote = {"passage": 2, "start": start, "end": start + 3, "text": text, "field": field}
    assert quotes([quote], [BUILT]) == [quote]
    with pytest.raises(Refused, match=f"of the {field} of passage 2"):
        quotes([{**quote, "start": start + 1}], [BUILT])
    with pytest.raises(Refused, match="expected as field one of text, title, url, publisher"):
        quotes([{**quote, "field": "source_type"}], [BUILT])
    with pytest.raises(Refused, match="of passage 2 are not"):
        quotes([{**quote, "field": "text"}], [BUILT])


ERRORS = parse_rubric(default_text(), "rubric.toml")["construction_errors"]
NO, WORD = (
    {"passage": 2, "start": start, "end": end, "text": BUILT.text[start:end]} for start, end in ((0, 2), (3, 7))
)


def marked(codes: list[str], *evidence: dict[str, Any], comment: str = "") -> list[dict[str, Any]]:
    return Answer.of(ERRORS, {"value": codes, "evidence": list(evidence), "comment": comment}, [BUILT]).quotes


def test_a_quote_belongs_to_the_one_error_that_asks_for_it() -> None:
    assert marked(["answer_leaked"], NO) == [{**NO, "code": "answer_leaked"}]
    assert marked(["answer_leaked", "gold_wrong"], NO, WORD) == [{**q, "code": "answer_leaked"} for q in (NO, WORD)]
    assert marked(["gold_wrong"], NO) == [NO]


def test_each_error_that_points_at_words_needs_a_quote_of_its_own() -> None:
    both = ["answer_leaked", "explicit_cue"]
    for evidence in ([], [NO], [NO, WORD], [{**NO, "code": "explicit_cue"}, {**WORD, "code": "explicit_cue"}]):
        with pytest.raises(Refused, match=r"or name the passage by its number in the note: .*“The answer leaks”"):
            marked(both, *evidence, comment="x")
    own = [{**NO, "code": "answer_leaked"}, {**NO, "code": "explicit_cue"}]
    assert marked(both, *own) == own


@pytest.mark.parametrize("note", ["passage 2", "see 2.", "(2)", "المقطع ٢", "[2], title", "2"])
def test_a_note_that_names_a_passage_will_do(note: str) -> None:
    assert marked(["explicit_cue", "conflict_resolvable"], comment=note) == []


@pytest.mark.parametrize("note", ["x", "in 1974", "passage 3", "2.5 times", "a2", "20", "the second passage"])
def test_a_note_that_names_none_will_not(note: str) -> None:
    with pytest.raises(Refused, match="note: “The conflict can be resolved”, “Explicit absence cue”"):
        marked(["explicit_cue", "conflict_resolvable"], comment=note)


def test_a_wrong_support_label_is_not_taken_without_a_quote_from_its_passage() -> None:
    with pytest.raises(Refused, match="“A support label is wrong”"):
        marked(["answer_leaked", "support_label_wrong"], {**NO, "code": "answer_leaked"}, comment="passage 2")


def test_a_quote_for_what_is_not_marked_is_refused() -> None:
    with pytest.raises(Refused, match="'explicit_cue', which is not among the values given: answer_leaked"):
        marked(["answer_leaked"], {**NO, "code": "explicit_cue"})


def test_where_no_word_is_shown_none_is_asked_for() -> None:
    blank = ShownPassage(number=1, title=None, url=None, publisher=None, source_type=None, text=" ")
    raw = {"value": ["support_label_wrong"]}
    assert Answer.of(ERRORS, raw, [blank]).quotes == Answer.of(ERRORS, raw, []).quotes == []


@pytest.mark.parametrize("said", ["unclear", "broken text: the end is missing", "other: I wrote it", "unclear: "])
def test_a_reason_of_the_list_alone_or_with_a_note(said: str) -> None:
    assert skip_reason({"comment": said}, REASONS) == said


@pytest.mark.parametrize("said", [None, "", "  ", "tired", "unclearly", "other", "other: ", "broken"])
def test_a_reason_that_is_none_is_refused(said: str | None) -> None:
    with pytest.raises(Refused) as caught:
        skip_reason({"comment": said}, REASONS)
    assert caught.value.status == 422
