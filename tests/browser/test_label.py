import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.browser.conftest import ready, resize, until

Events = Callable[[], list[dict[str, Any]]]
QUESTIONS = {
    "D": "Does the response say that it goes beyond what it was given?",
    "A": "Does the response give a substantive answer to the question?",
    "G": "Do the passages establish what the response answers?",
}


def asked(page: Page) -> Locator:
    return page.locator(".asking h2")


def answer(page: Page, key: str, saved: str) -> None:
    ready(page)
    page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text(saved)


def to_grounding(page: Page) -> None:
    answer(page, "2", "Discloses: No")
    answer(page, "1", "Substantive answer: Yes")
    expect(asked(page)).to_have_text(QUESTIONS["G"])
    ready(page)


def test_keys_answer_and_sleep_while_one_types(page: Page, events: Events) -> None:
    before = len(events())
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_have_text("Choose an answer first.")
    page.keyboard.press("n")
    page.keyboard.type("1 2 9 n s h ? e c r")
    assert page.locator("textarea").input_value() == "1 2 9 n s h ? e c r"
    assert page.locator(".value[aria-pressed=true]").count() == 0
    page.keyboard.press("Escape")
    page.keyboard.press("Numpad2")
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("No")
    page.keyboard.press("1")
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("Yes")
    page.keyboard.press("h")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    answer(page, "1", "Discloses: Yes")
    added = events()[before:]
    assert [(row["label"], row["value"], row["comment"]) for row in added] == [("D", "1", "1 2 9 n s h ? e c r")]


def test_cannot_judge_needs_a_note(page: Page, events: Events) -> None:
    page.keyboard.press("9")
    expect(page.locator("textarea")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text("why this cannot be judged")
    page.keyboard.type("cut off in the middle")
    page.keyboard.press("Control+Enter")
    expect(asked(page)).to_have_text(QUESTIONS["A"])
    assert (events()[-1]["value"], events()[-1]["comment"]) == ("cannot_judge", "cut off in the middle")


def test_ten_quick_answers_land_in_order(page: Page, events: Events) -> None:
    before, keys = len(events()), "1242132241"
    start = time.monotonic()
    for key in keys:
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        page.locator(".audit[data-phase=asking] .save[aria-disabled=true]").wait_for()
    assert time.monotonic() - start < 10
    added = events()[before:]
    assert [row["label"] for row in added] == ["D", "A", "G"] * 3 + ["D"]
    assert [row["value"] for row in added] == [
        "1",
        "0",
        "not_supported",
        "0",
        "1",
        "partly",
        "0",
        "0",
        "not_supported",
        "1",
    ]


def test_a_key_pressed_before_a_question_is_on_screen_does_not_answer_it(page: Page, events: Events) -> None:
    before, held = len(events()), list[Route]()
    page.route("**/api/label", lambda route: held.append(route))
    for key in ("1", "Enter", "2", "Enter", "2", "Enter"):
        page.keyboard.press(key)
    until(page, lambda: bool(held), "the first answer is sent")
    held[0].continue_()  # only now: however fast the server is, the keys came before its answer
    expect(asked(page)).to_have_text(QUESTIONS["A"])
    ready(page)
    assert page.locator(".value[aria-pressed=true]").count() == 0
    assert [(row["label"], row["value"]) for row in events()[before:]] == [("D", "1")]


def test_a_save_that_takes_its_time_says_so(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/label", lambda route: held.append(route))
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_have_text("Saving …")
    until(page, lambda: bool(held), "the answer is sent")
    held[0].continue_()
    expect(page.locator(".bar .said")).to_contain_text("Saved")


def test_typing_without_a_pause_never_answers_twice(page: Page, events: Events) -> None:
    before = len(events())
    page.keyboard.type("1\n1\n1\n1\n1\n")
    ready(page)  # whatever was sent has been answered
    added = events()[before:]
    assert 1 <= len(added) <= 5
    assert [row["label"] for row in added] == ["D", "A", "G", "D", "A"][: len(added)]


def test_a_reload_resumes_with_the_note(page: Page) -> None:
    answer(page, "1", "Discloses: Yes")
    ready(page)
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("half a thou")
    page.reload()
    expect(asked(page)).to_have_text(QUESTIONS["A"])
    expect(page.locator("textarea")).to_have_value("half a thou")
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("No")
    expect(page.locator(".step")).to_have_text("question 2 of 3")


def test_an_answer_outlives_a_server_that_is_away(page: Page, context: BrowserContext, events: Events) -> None:
    before = len(events())
    context.set_offline(True)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not saved yet, retrying")
    expect(asked(page)).to_have_text(QUESTIONS["D"])
    context.set_offline(False)
    expect(page.locator(".bar .said")).to_contain_text("Saved")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert [(row["label"], row["value"]) for row in events()[before:]] == [("D", "0")]


def test_a_lost_reply_does_not_store_the_answer_twice(page: Page, events: Events) -> None:
    before = len(events())
    lost: list[int] = []

    def lose_the_first_reply(route: Route) -> None:
        if lost:
            return route.continue_()
        lost.append(route.fetch().status)
        return route.abort()

    page.route("**/api/label", lose_the_first_reply)
    answer(page, "1", "Discloses: Yes")
    assert lost == [200]
    assert len(events()[before:]) == 1


def test_signed_out_elsewhere_keeps_the_answer(
    page: Page, context: BrowserContext, server: str, events: Events
) -> None:
    before = len(events())
    page.route("**/api/here", lambda route: route.fulfill(json={}))  # it would notice before anything is answered
    cookies = context.cookies()
    context.clear_cookies()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("signed out")
    context.add_cookies([{**cookie} for cookie in cookies])  # type: ignore[typeddict-item]  # what cookies() gives is what add_cookies() takes
    page.get_by_role("button", name="I have signed in again").click()
    expect(page.locator(".bar .said")).to_contain_text("Saved")
    assert [(row["label"], row["value"]) for row in events()[before:]] == [("D", "1")]


def test_another_device_is_told_that_things_moved_on(
    page: Page, context: BrowserContext, chromium: Browser, server: str
) -> None:
    device = chromium.new_context()
    device.add_cookies([{**cookie} for cookie in context.cookies()])  # type: ignore[typeddict-item]  # what cookies() gives is what add_cookies() takes
    second = device.new_page()
    second.goto(server)
    expect(asked(second)).to_have_text(QUESTIONS["D"])
    ready(second)
    answer(page, "1", "Discloses: Yes")
    second.keyboard.press("2")
    second.keyboard.press("Enter")
    expect(second.get_by_role("alert")).to_contain_text("answered already")
    expect(asked(second)).to_have_text(QUESTIONS["A"])
    device.close()


def test_a_skip_needs_a_reason(page: Page, events: Events) -> None:
    before = len(events())
    page.keyboard.press("s")
    page.get_by_role("button", name="Skip this item").click()
    expect(page.locator(".bar .said")).to_have_text("Choose a reason first.")
    page.get_by_role("combobox").select_option("broken text")
    page.get_by_role("button", name="Skip this item").click()
    expect(page.locator(".bar .said")).to_contain_text("item skipped")
    assert events()[before:] == []


def test_a_quote_is_counted_in_code_points(page: Page, events: Events, hostile: str) -> None:
    to_grounding(page)
    page.locator(".passage .text").first.evaluate(
        """node => { const at = node.firstChild.data.lastIndexOf('w');
            getSelection().setBaseAndExtent(node.firstChild, at - 3, node.firstChild, at + 1); }"""
    )
    page.keyboard.press("e")
    expect(page.locator(".quotes li")).to_contain_text("Passage 1: “wwww”")
    answer(page, "4", "Grounded: Not supported")
    end = len(hostile)
    expected = f'[{{"passage": 1, "start": {end - 4}, "end": {end}, "text": "wwww"}}]'
    assert events()[-1]["evidence"] == expected


def test_construction_errors_ask_for_none_explicitly(auditing: Page, events: Events) -> None:
    expect(asked(auditing)).to_have_text("Can the question be answered from these passages?")
    expect(auditing.locator(".note")).to_contain_text("Note (required with “Established”, “Conflicting”)")
    ready(auditing)
    auditing.keyboard.press("1")
    for _ in range(2):  # not even the second time
        auditing.keyboard.press("Enter")
        expect(auditing.locator(".bar .said")).to_contain_text("Quote the words that show it")
    auditing.keyboard.press("e")
    auditing.keyboard.press("e")
    auditing.keyboard.press("Enter")
    expect(auditing.locator(".bar .said")).to_contain_text("Say in the note what it is.")
    auditing.keyboard.press("Escape")
    answer(auditing, "3", "Answerable: Not established")
    answer(auditing, "3", "Support: Neither")
    expect(auditing.locator(".passage.now")).to_contain_text("SUPPORT-WORD")
    answer(auditing, "2", "Support: Something wrong")
    ready(auditing)
    auditing.keyboard.press("Enter")
    expect(auditing.locator(".bar .said")).to_contain_text("None of these")
    for key in ("6", "o", "0"):
        auditing.keyboard.press(key)
    expect(auditing.locator(".value[aria-pressed=true]")).to_have_text("None of these0")
    auditing.keyboard.press("6")
    auditing.keyboard.press("o")
    for _ in range(2):
        auditing.keyboard.press("Enter")
        expect(auditing.locator(".bar .said")).to_contain_text("Quote the words that show it")
    auditing.keyboard.press("n")
    auditing.keyboard.type("the title of passage 2 says so")
    auditing.keyboard.press("Control+Enter")
    expect(auditing.locator(".bar .said")).to_contain_text("Construction errors: Explicit absence cue, Something else")
    assert events()[-1]["value"] == '["explicit_cue", "other"]'


def test_each_error_is_quoted_for_itself_and_a_title_can_be(auditing: Page, events: Events) -> None:
    answer(auditing, "3", "Answerable: Not established")
    for _ in range(2):
        answer(auditing, "3", "Support: Neither")
    ready(auditing)
    said = auditing.locator(".bar .said")
    for key in "17":
        auditing.keyboard.press(key)
    expect(auditing.locator(".openers button")).to_have_text(
        ["Quote for “The answer leaks”", "Quote for “A support label is wrong”e"]
    )
    for key in ("e", "PageDown", "ArrowUp", "ArrowUp", "ArrowUp"):
        auditing.keyboard.press(key)
    expect(said).to_contain_text("Passage 2, title: ↑ ↓ move, e quotes")
    auditing.keyboard.press("e")
    auditing.keyboard.press("Enter")
    expect(said).to_contain_text("or name the passage by its number in the note: “The answer leaks”")
    auditing.get_by_text("SUPPORT-WORD").click(click_count=3)
    auditing.keyboard.press("e")
    expect(auditing.locator(".quotes li")).to_contain_text(["A support label is wrong", "The answer leaks"])
    auditing.keyboard.press("1")  # taken back with its quote, and again
    expect(auditing.locator(".quotes li")).to_have_count(1)
    auditing.keyboard.press("1")
    auditing.keyboard.press("Enter")
    expect(said).to_contain_text("Construction errors: The answer leaks, A support label is wrong")
    assert json.loads(events()[-1]["evidence"]) == [
        {
            "passage": 2,
            "start": 0,
            "end": 17,
            "text": "<b>An embargo</b>",
            "field": "title",
            "code": "support_label_wrong",
        },
        {"passage": 2, "start": 0, "end": 12, "text": "SUPPORT-WORD", "code": "answer_leaked"},
    ]


def test_all_answers_the_note_and_the_quotes_are_in_sight_together(auditing: Page) -> None:
    answer(auditing, "3", "Answerable: Not established")
    for _ in range(2):
        answer(auditing, "3", "Support: Neither")
    ready(auditing)
    for part in (".value >> nth=0", ".value.cannot", "#note", ".openers button"):
        expect(auditing.locator(part)).to_be_in_viewport(ratio=1)


def test_a_phone_has_one_column_and_the_question_below(page: Page) -> None:
    to_grounding(page)
    resize(page, 390, 780)
    reading, asking = page.locator(".left").bounding_box(), page.locator(".asking").bounding_box()
    assert reading is not None
    assert asking is not None
    assert reading["y"] + reading["height"] <= asking["y"]
    assert asking["y"] + asking["height"] <= 780
    expect(page.get_by_role("button", name="Save")).to_be_in_viewport()


WHOLE = """audit => {
    const [pane, last] = [".scrolls", ".cannot"].map((name) => audit.querySelector(name).getBoundingClientRect());
    const [counts, said] = [".counts", ".bar .said"].map((name) => audit.querySelector(name));
    return { answers: pane.top <= last.top && last.bottom <= pane.bottom + 1,
             definition: counts.scrollHeight <= counts.clientHeight + 1, tick: said.scrollWidth <= said.clientWidth };
}"""


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_definition_answers_and_tick_are_whole_without_a_scroll(page: Page, width: int, height: int) -> None:
    resize(page, width, height)
    to_grounding(page)
    assert page.locator(".audit").evaluate(WHOLE) == {"answers": True, "definition": True, "tick": True}
    expect(page.locator(".bar .said")).to_have_text("✓ Saved · Substantive answer: Yes")


def test_a_phone_keeps_a_definition_folded_that_was_folded(page: Page) -> None:
    resize(page, 390, 844)
    page.get_by_text("What counts").click()
    expect(page.locator(".definition .text").first).to_be_hidden()
    page.reload()
    ready(page)
    expect(page.get_by_text("What counts")).to_be_visible()
    expect(page.locator(".definition .text").first).to_be_hidden()
    to_grounding(page)
    expect(page.locator(".definition .text").first).to_be_visible()
