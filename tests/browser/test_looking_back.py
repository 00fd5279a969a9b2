"""Going back, changing what may be changed, reporting slips, flagging, and one's own finished items."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from data.store import flags
from data.store.connection import open_store
from data.study import Study
from tests.browser.conftest import ready

Events = Callable[[], list[dict[str, Any]]]
Flags = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def flagged(study: Study) -> Flags:
    """Every flag and slip so far."""

    def read() -> list[dict[str, Any]]:
        with open_store(study) as store:
            return flags.everything(store)

    return read


def said(page: Page) -> Locator:
    return page.locator(".bar .said")


def title(page: Page) -> Locator:
    return page.locator(".name > span").first


def answer(page: Page, *keys: str) -> None:
    for key in keys:
        ready(page)
        page.keyboard.press(key)
        with page.expect_response(lambda response: "/api/label" in response.url) as posted:
            page.keyboard.press("Enter")
        expect(title(page)).to_have_text(posted.value.json()["next"]["label"]["title"])
        ready(page)


def test_back_changes_an_answer_while_nothing_has_spoilt_it(page: Page, events: Events) -> None:
    answer(page, "1")
    page.keyboard.press("b")
    expect(title(page)).to_have_text("Discloses")
    expect(page.locator(".review")).to_contain_text("You can still change it.")
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("Yes")
    ready(page)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Saved · Discloses: No")
    expect(title(page)).to_have_text("Substantive answer")
    assert [(row["label"], row["value"]) for row in events()[-2:]] == [("D", "1"), ("D", "0")]


def test_back_without_a_change_keeps_one_version(page: Page, events: Events) -> None:
    answer(page, "1")
    before = len(events())
    for leave in ("Enter", "Control+Enter", "Escape"):
        page.keyboard.press("b")
        expect(page.locator(".review")).to_be_visible()
        ready(page)
        page.keyboard.press(leave)
        expect(title(page)).to_have_text("Substantive answer")
        ready(page)
    assert len(events()) == before


def test_back_at_the_very_first_question_says_that_there_is_nothing(page: Page) -> None:
    page.keyboard.press("b")
    expect(said(page)).to_contain_text("nothing before this")
    expect(title(page)).to_have_text("Discloses")
    answer(page, "1")


def test_a_final_answer_can_only_be_reported_as_a_slip(page: Page, events: Events, flagged: Flags) -> None:
    answer(page, "1", "1")
    expect(title(page)).to_have_text("Grounded")
    page.keyboard.press("b")
    expect(page.locator(".review")).to_contain_text("This answer is final. You have seen the supplied context since.")
    ready(page)
    before = len(events())
    page.keyboard.press("2")
    expect(said(page)).to_contain_text("final")
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("Yes")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Enter")
    expect(said(page)).to_contain_text("in a few words")
    page.keyboard.type("I meant no: 1 2 b f s")
    page.keyboard.press("Control+Enter")
    expect(said(page)).to_contain_text("the first answer stays")
    expect(page.locator(".review .slip")).to_contain_text("I meant no")
    page.keyboard.press("Escape")
    expect(title(page)).to_have_text("Grounded")
    assert len(events()) == before
    assert [(row["kind"], row["label"], row["note"]) for row in flagged()[-1:]] == [
        ("slip", "A", "I meant no: 1 2 b f s")
    ]


def test_a_flag_is_sent_and_the_work_goes_on(page: Page, events: Events, flagged: Flags) -> None:
    before = len(events())
    page.keyboard.press("2")
    page.keyboard.press("f")
    expect(page.get_by_role("group", name="Flag this item")).to_be_visible()
    page.keyboard.type("which year is meant?")
    page.keyboard.press("Control+Enter")
    expect(said(page)).to_contain_text("Flagged")
    expect(page.locator(".flagged")).to_be_visible()
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("No")
    assert (flagged()[-1]["kind"], flagged()[-1]["note"]) == ("flag", "which year is meant?")
    assert len(events()) == before
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Saved")
    assert events()[-1]["value"] == "0"


def test_what_is_written_into_a_flag_outlives_a_reload_and_a_server_that_is_away(
    page: Page, context: BrowserContext, flagged: Flags
) -> None:
    page.keyboard.press("f")
    page.keyboard.type("half a th")
    page.reload()
    ready(page)
    field = page.get_by_role("group", name="Flag this item").locator("textarea")
    expect(field).to_have_value("half a th")
    context.set_offline(True)
    page.get_by_role("button", name="Flag", exact=True).click()
    expect(said(page)).to_contain_text("Not sent")
    expect(field).to_have_value("half a th")
    context.set_offline(False)
    page.get_by_role("button", name="Flag", exact=True).click()
    expect(said(page)).to_contain_text("Flagged")
    assert flagged()[-1]["note"] == "half a th"


def test_my_items_lead_back_to_every_answer(page: Page, events: Events) -> None:
    answer(page, "1", "1", "4")
    expect(title(page)).to_have_text("Discloses")
    page.get_by_role("button", name="My items").click()
    mine = page.get_by_role("dialog", name="My items")
    expect(mine.locator(".items > li")).to_have_count(1)
    expect(mine.locator(".opening")).to_contain_text("RESPONSE-WORD <img")
    page.keyboard.press("1")  # the keys rest while the list is open
    mine.get_by_role("button", name="✎ Grounded: Not supported").click()
    expect(title(page)).to_have_text("Grounded")
    ready(page)
    page.keyboard.press("3")
    page.keyboard.press("Control+Enter")
    expect(title(page)).to_have_text("Discloses")
    assert page.locator(".value[aria-pressed=true]").count() == 0
    assert [(row["label"], row["value"]) for row in events()[-2:]] == [("G", "not_supported"), ("G", "partly")]


def test_a_change_that_was_begun_is_kept_for_later(page: Page) -> None:
    answer(page, "1")
    page.keyboard.press("b")
    expect(page.locator(".review")).to_be_visible()
    ready(page)
    page.keyboard.press("n")
    page.keyboard.type("on second thoughts")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(title(page)).to_have_text("Substantive answer")
    ready(page)
    page.keyboard.press("b")
    expect(page.locator(".review")).to_contain_text("not saved yet")
    expect(page.locator("#note")).to_have_value("on second thoughts")


def test_looking_back_shows_no_more_than_the_answer_was_given_from(page: Page) -> None:
    answer(page, "1", "1")
    with page.expect_response(lambda response: "/api/back" in response.url) as back:
        page.keyboard.press("b")
    assert "SUPPORT-WORD" not in back.value.text()
    expect(page.locator(".passage")).to_have_count(0)


def test_a_digit_commits_at_once_for_those_who_want_it(page: Page, context: BrowserContext, events: Events) -> None:
    before = len(events())
    page.keyboard.press("h")
    page.get_by_role("checkbox", name="A digit saves at once").check()
    page.keyboard.press("h")
    for key, asked in (("Digit2", "Substantive answer"), ("Numpad1", "Grounded")):
        ready(page)
        page.keyboard.press(key)
        expect(title(page)).to_have_text(asked)
    ready(page)
    page.keyboard.press("1")
    expect(said(page)).to_contain_text("Quote the words that show it")
    page.keyboard.press("9")  # needs a note, so it never saves at once
    page.keyboard.press("Escape")
    assert [(row["label"], row["value"]) for row in events()[before:]] == [("D", "0"), ("A", "1")]
    page.keyboard.press("4")
    expect(title(page)).to_have_text("Discloses")
    assert events()[-1]["value"] == "not_supported"
    page.reload()
    ready(page)
    page.keyboard.press("1")
    expect(title(page)).to_have_text("Substantive answer")


def test_digits_of_a_french_keyboard_and_of_the_number_pad(page: Page, context: BrowserContext) -> None:
    typing = context.new_cdp_session(page)
    chosen = page.locator(".value[aria-pressed=true]")
    for key, code, text in (("é", "Digit2", "No"), ("&", "Digit1", "Yes"), ("2", "Numpad2", "No")):
        for kind in ("keyDown", "keyUp"):
            typing.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code})
        expect(chosen).to_contain_text(text)


def test_ten_keys_without_a_gap_all_land(auditing: Page) -> None:
    for key in ("3", "3", "3"):
        answer(auditing, key)
    expect(title(auditing)).to_have_text("Construction errors")
    for key in "1234568adg":
        auditing.keyboard.press(key)
    expect(auditing.locator(".value[aria-pressed=true]")).to_have_count(10)


def test_a_double_click_on_save_saves_once(page: Page, events: Events) -> None:
    before = len(events())

    def slowly(route: Route) -> None:
        page.wait_for_timeout(200)
        route.continue_()

    page.route("**/api/label", slowly)
    page.keyboard.press("2")
    page.get_by_role("button", name="Save").dblclick()
    expect(title(page)).to_have_text("Substantive answer")
    page.wait_for_timeout(400)
    assert len(events()) == before + 1
