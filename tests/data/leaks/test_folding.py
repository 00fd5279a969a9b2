"""Folded words: what does not count, and offsets that survive."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.leaks.folding import fold, words

TEXTS = st.text(max_size=120)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Élysée", "ELYSEE", id="accents-and-case"),
        pytest.param("ﬁne", "fine", id="ligature"),
        pytest.param("Ｆｕｌｌ", "full", id="full-width"),
        pytest.param("ma\u200br\u00adia", "Maria", id="invisible"),
        pytest.param("O’Neill", "oneill", id="apostrophe"),
        pytest.param("مُحَمَّد", "محمد", id="arabic-vowels"),
        pytest.param("القاهرة", "القاهره", id="arabic-letters"),
        pytest.param("١٩٧٤", "1974", id="arabic-digits"),
        pytest.param("१९७४", "1974", id="hindi-digits"),
        pytest.param("3,600,000", "3600000", id="grouped"),
        pytest.param("ΑΘΗΝΑ", "Αθήνα", id="greek"),
        pytest.param("ｿﾆｰ", "ソニー", id="half-width-katakana"),
        pytest.param("Łódź", "lodz", id="stroke"),
    ],
)
def test_fold_takes_these_for_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("कि", "की"), ("か", "が"), ("niger", "nigeria"), ("3.6", "36")])
def test_fold_keeps_apart_what_differs(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(TEXTS)
def test_words_stand_where_they_say_in_order(text: str) -> None:
    last = 0
    for word in words(text):
        assert last <= word.start < word.end <= len(text)
        assert fold(text[word.start : word.end]) == word.text
        last = word.end


@given(TEXTS)
def test_fold_is_done_once(text: str) -> None:
    for word in words(text):
        assert fold(word.text) == word.text


@given(st.text(st.characters(max_codepoint=0x24F), max_size=60))
def test_unicode_forms_do_not_count(text: str) -> None:
    of = {form: [word.text for word in words(unicodedata.normalize(form, text))] for form in ("NFC", "NFD")}
    assert of["NFC"] == of["NFD"]


@given(st.text(st.characters(categories=["Ll", "Lu", "Zs"], max_codepoint=0x17F), max_size=60))
def test_case_does_not_count(text: str) -> None:
    # A capital eszett and a dotted capital i have no single partner in the other case.
    text = text.replace("ŉ", "").replace("ı", "").replace("ſ", "")
    assert [word.text for word in words(text.upper())] == [word.text for word in words(text.lower())]


def test_scripts_without_spaces_give_a_word_for_each_letter() -> None:
    assert [word.text for word in words("東京都とインド")] == ["東", "京", "都", "と", "インド"]
