"""Quotes from passages, by mouse and by keyboard, counted in code points whatever the text holds."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ready

Events = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def grounding(page: Page) -> Page:
    """Somebody new who is asked about grounding."""
    for key in ("2", "1"):
        ready(page)
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect(page.locator(".bar .said")).to_contain_text("Saved")
    page.locator(".audit[data-phase=asking] .passage").first.wait_for()
    return page


def save(page: Page, events: Events) -> list[dict[str, Any]]:
    """The quotes that were kept with the answer on the screen."""
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text("Saved")
    found: list[dict[str, Any]] = json.loads(events()[-1]["evidence"])
    return found


def test_evidence_is_asked_for_once_and_then_it_is_the_persons_choice(grounding: Page, events: Events) -> None:
    before = len(events())
    expect(grounding.locator(".wanted")).to_be_hidden()
    grounding.keyboard.press("1")
    expect(grounding.locator(".wanted")).to_be_visible()
    grounding.keyboard.press("Enter")
    expect(grounding.locator(".bar .said")).to_contain_text("Quote the words that show it")
    grounding.keyboard.press("4")  # no quote is asked for with this answer
    expect(grounding.locator(".wanted")).to_be_hidden()
    grounding.keyboard.press("2")
    grounding.keyboard.press("Enter")
    expect(grounding.locator(".bar .said")).to_contain_text("Quote the words that show it")
    assert len(events()) == before
    assert save(grounding, events) == []
    assert events()[-1]["value"] == "contradicted"


def test_a_sentence_is_quoted_without_a_mouse(grounding: Page, events: Events, hostile: str) -> None:
    grounding.keyboard.press("1")
    grounding.keyboard.press("e")
    expect(grounding.locator(".bar .said")).to_contain_text("Passage 1, sentence 1 of")
    grounding.keyboard.press("End")
    grounding.keyboard.press("e")
    expect(grounding.locator(".quotes li")).to_have_count(1)
    expect(grounding.locator(".wanted")).to_be_hidden()
    grounding.keyboard.press("e")
    grounding.keyboard.press("PageDown")
    expect(grounding.locator(".bar .said")).to_contain_text(
        "Passage 2, sentence 1 of 1: ↑ ↓ move, Shift adds, e quotes “SUPPORT-WORD”"
    )
    grounding.keyboard.press("Enter")
    expect(grounding.locator(".quotes li")).to_have_count(2)
    last, word = save(grounding, events)
    assert hostile[last["start"] : last["end"]] == last["text"]
    assert last["end"] == len(hostile)
    assert last["text"].startswith("שלום 😀")
    assert word == {"passage": 2, "start": 0, "end": 12, "text": "SUPPORT-WORD"}


def test_sentences_are_added_and_left_with_the_keys(grounding: Page, events: Events, hostile: str) -> None:
    grounding.keyboard.press("e")
    said = grounding.locator(".bar .said")
    grounding.keyboard.press("Shift+ArrowDown")
    expect(said).to_contain_text("sentences 1 to 2")
    grounding.keyboard.press("Shift+ArrowUp")
    expect(said).to_contain_text("sentence 1 of")
    grounding.keyboard.press("ArrowDown")
    expect(said).to_contain_text("sentence 2 of")
    grounding.keyboard.press("ArrowUp")
    grounding.keyboard.press("Shift+ArrowDown")
    grounding.keyboard.press("Escape")
    expect(said).to_have_text("")
    assert grounding.locator(".quotes li").count() == 0
    grounding.keyboard.press("e")
    grounding.keyboard.press("e")
    grounding.keyboard.press("4")
    (quote,) = save(grounding, events)
    assert hostile[quote["start"] : quote["end"]] == quote["text"]


def test_a_triple_click_quotes_the_paragraph(grounding: Page, events: Events, hostile: str) -> None:
    # The last word of a passage: the selection ends in the heading of the next one.
    grounding.get_by_text("SUPPORT-WORD").click(click_count=3)
    grounding.keyboard.press("e")
    text = grounding.locator(".passage .text").first
    text.click(click_count=3, position={"x": 8, "y": 8})
    grounding.keyboard.press("e")
    expect(grounding.locator(".quotes li")).to_have_count(2)
    grounding.keyboard.press("4")
    word, paragraph = save(grounding, events)
    assert word == {"passage": 2, "start": 0, "end": 12, "text": "SUPPORT-WORD"}
    assert paragraph["passage"] == 1
    assert hostile[paragraph["start"] : paragraph["end"]] == paragraph["text"]


def test_a_drag_over_right_to_left_letters_and_emoji(grounding: Page, events: Events, hostile: str) -> None:
    grounding.locator(".passage .text").first.evaluate(
        """node => { const at = node.firstChild.data.indexOf('\u05e9');
            getSelection().setBaseAndExtent(node.firstChild, at, node.firstChild, at + 7); }"""
    )
    grounding.get_by_role("button", name="Quote from a passage").click()
    grounding.keyboard.press("4")
    (quote,) = save(grounding, events)
    at = hostile.index("\u05e9")
    assert quote == {"passage": 1, "start": at, "end": at + 6, "text": "שלום 😀"}


def test_a_selection_over_two_passages_or_none_is_not_guessed_at(grounding: Page) -> None:
    said = grounding.locator(".bar .said")
    grounding.locator(".reading").evaluate(
        """node => { const [one, two] = [...node.querySelectorAll('.passage .text')].map((text) => text.firstChild);
            getSelection().setBaseAndExtent(one, 3, two, 4); }"""
    )
    grounding.keyboard.press("e")
    expect(said).to_contain_text("inside one passage")
    grounding.locator(".reading").evaluate(
        "node => getSelection().setBaseAndExtent(node.querySelector('.artifact .text').firstChild, 0, "
        "node.querySelector('.artifact .text').firstChild, 8)"
    )
    grounding.keyboard.press("e")  # words of the response are no evidence: a sentence of a passage is offered
    expect(said).to_contain_text("Passage 1, sentence")
    assert grounding.locator(".quotes li").count() == 0


def test_quotes_can_be_removed_and_survive_a_reload(grounding: Page, events: Events) -> None:
    for keys in (("e", "e"), ("e", "PageDown", "e")):
        for key in keys:
            grounding.keyboard.press(key)
    expect(grounding.locator(".quotes li")).to_have_count(2)
    grounding.keyboard.press("1")
    grounding.reload()
    ready(grounding)
    expect(grounding.locator(".quotes li")).to_have_count(2)
    grounding.get_by_role("button", name="Remove this quote").first.click()
    expect(grounding.locator(".quotes li")).to_have_count(1)
    (left,) = save(grounding, events)
    assert left["text"] == "SUPPORT-WORD"


def test_a_folded_passage_unfolds_when_a_sentence_of_it_is_picked(grounding: Page) -> None:
    grounding.get_by_role("button", name="Fold all").click()
    expect(grounding.locator(".passage .text").first).to_be_hidden()
    grounding.keyboard.press("e")
    expect(grounding.locator(".passage .text").first).to_be_visible()
