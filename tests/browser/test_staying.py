"""Nothing typed is lost: by reload, restart, sign-out, another tab, a lease that ran out, the back button."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from audit_app.actions.people import add_person
from data.store.connection import open_store
from data.study import Study, replace_text
from tests.browser.conftest import ready, until

Events = Callable[[], list[dict[str, Any]]]
QUICK = "[labelling]\nlease_minutes = 0.05\nbreak_minutes = 0.02\ndaily_limit = 2\n"  # 3 s, 1.2 s


@pytest.fixture(scope="module")
def quick(new_study: Callable[[], Study]) -> Study:
    """A study whose leases and spells of work last seconds."""
    made = new_study()
    replace_text(made.path / "study.toml", QUICK)
    return made


@pytest.fixture(scope="module")
def address(quick: Study, tmp_path_factory: pytest.TempPathFactory, serve_folder: Callable[..., Any]) -> Iterator[str]:
    with serve_folder(quick.path, tmp_path_factory.mktemp("quick") / "server.log") as found:
        yield found


@pytest.fixture
def hurried(context: BrowserContext, quick: Study, address: str) -> Page:
    """The labelling page of somebody new in the quick study."""
    made = context.new_page()
    made.goto(add_person(quick, "Annotator", address=address).link)
    ready(made)
    return made


def title(page: Page) -> Locator:
    return page.locator(".name > span").first


def type_note(page: Page, text: str) -> None:
    page.keyboard.press("n")
    page.keyboard.type(text)
    expect(page.locator("#note")).to_have_value(text)


def go_to(page: Page, screen: str) -> None:
    link = page.get_by_role("link", name=screen)
    link.click()
    expect(link).to_have_attribute("aria-current", "page")
    page.locator(":is(.audit[data-phase=asking], .audit[data-phase=empty], .audit[data-phase=retrying])").wait_for()


def alert(page: Page) -> Locator:
    return page.get_by_role("alert")


def test_a_second_tab_says_so_and_takes_over_with_what_was_typed(page: Page, context: BrowserContext, server: str,
                                                                 events: Events) -> None:  # fmt: skip
    type_note(page, "begun in the first")
    second = context.new_page()
    second.goto(server)
    expect(alert(second)).to_contain_text("open in another tab")
    second.keyboard.press("1")
    assert second.locator(".value[aria-pressed=true]").count() == 0
    second.get_by_role("button", name="Use this one").click()
    ready(second)
    expect(second.locator("#note")).to_have_value("begun in the first")
    expect(alert(page)).to_contain_text("open in another tab")
    before = len(events())
    page.bring_to_front()
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    second.bring_to_front()
    second.keyboard.press("1")
    second.keyboard.press("Enter")
    expect(second.locator(".bar .said")).to_contain_text("Saved")
    assert [(row["value"], row["comment"]) for row in events()[before:]] == [("1", "begun in the first")]
    page.get_by_role("button", name="Use this one").click()
    expect(title(page)).to_have_text("Substantive answer")


def test_what_a_proxy_says_moves_no_question_on(page: Page) -> None:
    page.route("**/api/l*", lambda route: route.fulfill(status=404, content_type="text/html", body="<p>Not Found</p>"))
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 600_000; }")  # time to renew the lease
    with page.expect_response("**/api/lease"):
        page.keyboard.press("n")
    page.keyboard.type("still here")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(alert(page)).to_contain_text("Not saved yet, retrying")
    page.unroute("**/api/l*")
    expect(page.locator(".bar .said")).to_contain_text("Saved", timeout=30_000)


def test_a_change_of_theme_is_no_second_tab(page: Page, events: Events) -> None:
    type_note(page, "begun in the light")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(1500)  # what is looked for would come late, if at all
        expect(page.locator(".audit")).to_have_attribute("data-phase", "asking")
        assert not alert(page).filter(has_text="open in another tab").count()
    expect(page.locator("#note")).to_have_value("begun in the light")
    page.keyboard.press("Escape")
    before = len(events())
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text("Saved")
    ready(page)
    page.wait_for_timeout(500)
    assert len(events()) == before + 1, "one key, one answer"


def test_the_other_screen_is_no_second_tab(page: Page, context: BrowserContext, server: str) -> None:
    other = context.new_page()
    other.goto(f"{server}/context")
    ready(other)
    expect(alert(other)).to_have_count(0)
    expect(alert(page)).to_have_count(0)


def test_a_closed_tab_is_no_second_tab(page: Page, context: BrowserContext, server: str) -> None:
    type_note(page, "half")
    page.close()
    again = context.new_page()
    again.goto(server)
    ready(again)
    expect(again.locator("#note")).to_have_value("half")


def test_a_note_outlives_signing_out_but_is_never_shown_to_somebody_else(
    page: Page, link: Callable[..., str], server: str, study: Study, context: BrowserContext
) -> None:
    type_note(page, "mine alone")
    with open_store(study) as store:
        store.change("UPDATE assignment SET lease_until = '2000' WHERE state = 'claimed'", ())
    before = context.cookies()
    page.goto(f"{server}/out")
    expect(page.get_by_text("You are signed out")).to_be_visible()
    assert before
    page.goto(link("Somebody else"))  # may be given the very item that was let go
    ready(page)
    expect(page.locator("#note")).to_have_value("")
    kept = page.evaluate("Object.entries(localStorage).filter(([, value]) => value.includes('mine alone')).length")
    assert kept == 1


def test_a_note_outlives_signing_out_and_in_again(context: BrowserContext, study: Study, server: str) -> None:
    mine = add_person(study, "Annotator", address=server).link
    page = context.new_page()
    page.goto(mine)
    ready(page)
    type_note(page, "before lunch")
    page.goto(f"{server}/out")
    page.goto(mine)
    ready(page)
    expect(page.locator("#note")).to_have_value("before lunch")


def test_a_saved_answer_leaves_no_draft_behind(page: Page) -> None:
    type_note(page, "soon saved")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text("Saved")
    assert "soon saved" not in page.evaluate("JSON.stringify(localStorage)")


def test_the_back_button_of_the_browser_loses_nothing(page: Page) -> None:
    type_note(page, "on my way")
    page.get_by_role("link", name="Context audit").click()
    expect(title(page)).to_have_text("Answerable")
    page.go_back()
    expect(title(page)).to_have_text("Discloses")
    expect(page.locator("#note")).to_have_value("on my way")
    ready(page)


def test_a_server_that_starts_anew_finds_the_note_and_takes_the_answer(
    chromium: Browser, quick: Study, tmp_path: Path, serve_folder: Callable[..., Any]
) -> None:
    browser = chromium.new_context()
    page = browser.new_page()
    with serve_folder(quick.path, tmp_path / "one.log") as first:
        page.goto(add_person(quick, "Annotator", address=first).link)
        ready(page)
        type_note(page, "typed before")
    page.keyboard.type(" and while it was away")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(alert(page)).to_contain_text("Not saved yet, retrying")
    with serve_folder(quick.path, tmp_path / "two.log", int(first.rpartition(":")[2])):
        expect(page.locator(".bar .said")).to_contain_text("Saved")
        with open_store(quick) as store:
            kept = store.rows("SELECT comment FROM label_event ORDER BY event_id")[-1]["comment"]
        assert kept == "typed before and while it was away"
        ready(page)
        page.keyboard.press("n")
        page.keyboard.type("still here")
        page.reload()
        ready(page)
        expect(page.locator("#note")).to_have_value("still here")
        browser.close()


def test_work_renews_the_lease_and_rest_lets_it_run_out_visibly(
    context: BrowserContext, quick: Study, address: str
) -> None:
    page, clock = context.new_page(), datetime.now(UTC)
    page.clock.set_fixed_time(clock)  # goes on only when told to, however slow the machine is
    page.goto(add_person(quick, "Annotator", address=address).link)
    ready(page)
    lease, said = page.locator(".lease"), page.locator(".bar .said")
    page.keyboard.press("n")
    for letter in "busy":  # longer than the lease
        expect(lease).to_have_text("held for you: 3 s")
        page.clock.set_fixed_time(clock := clock + timedelta(seconds=1.1))
        expect(lease).to_have_text("held for you: 2 s")
        page.keyboard.type(letter)
    expect(lease).to_have_text("held for you: 3 s")
    expect(alert(page)).to_have_count(0)
    page.clock.set_fixed_time(clock + timedelta(seconds=3.1))
    expect(alert(page)).to_contain_text("Nothing happened for a while")
    expect(lease).to_have_text("time is up")
    with open_store(quick) as store:
        store.change("UPDATE assignment SET lease_until = '2000' WHERE state = 'claimed'", ())
    page.keyboard.type(" again")
    expect(said).to_contain_text("yours again")
    expect(page.locator("#note")).to_have_value("busy again")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("Saved")
    expect(lease).to_have_text("")  # what has an answer stays with its person


def test_a_lease_that_runs_out_covers_no_message_about_an_answer(hurried: Page, context: BrowserContext) -> None:
    hurried.route("**/api/here", lambda route: route.fulfill(json={}))  # it would notice before anything is answered
    cookies = context.cookies()
    context.clear_cookies()
    hurried.keyboard.press("1")
    hurried.keyboard.press("Enter")
    expect(alert(hurried)).to_contain_text("this answer is not saved yet")
    expect(hurried.locator(".lease")).to_have_text("time is up")
    expect(alert(hurried)).to_contain_text("this answer is not saved yet")
    context.add_cookies([{**cookie} for cookie in cookies])  # type: ignore[typeddict-item]  # what cookies() gives is what add_cookies() takes
    hurried.get_by_role("button", name="I have signed in again").click()
    expect(hurried.locator(".bar .said")).to_contain_text("Saved")


@pytest.mark.parametrize("where", ["note", "skip"])
def test_an_item_that_went_to_somebody_else_while_one_typed(where: str, hurried: Page, quick: Study) -> None:
    if where == "skip":
        hurried.keyboard.press("s")
        hurried.keyboard.press("Tab")
        hurried.keyboard.type("half a thou")
    else:
        type_note(hurried, "half a thou")
    taker = add_person(quick, "Taker").person_id
    with open_store(quick) as store:
        mine = store.row("SELECT * FROM assignment WHERE state = 'claimed' ORDER BY lease_until DESC LIMIT 1")
        assert mine
        store.change("UPDATE assignment SET person_id = ? WHERE assignment_id = ?", [taker, mine["assignment_id"]])
    message = hurried.locator(".alarm", has_text="somebody else has it now")

    def typed_on() -> bool:  # a sign of work is told to the server every second at most
        hurried.keyboard.type(".")
        return message.is_visible()

    until(hurried, typed_on, "somebody else has the item")
    expect(message).to_contain_text("Your note, to copy if you need it: “half a thou")
    ready(hurried)
    expect(hurried.locator("#note")).to_have_value("")
    hurried.keyboard.type("h 1 2 \n1")  # what is still being typed answers nothing
    expect(message).to_be_visible()
    assert hurried.locator(".value[aria-pressed=true], .panel, dialog[open]").count() == 0
    hurried.keyboard.press("Escape")
    expect(message).to_have_count(0)
    hurried.keyboard.press("1")
    expect(hurried.locator(".value[aria-pressed=true]")).to_contain_text("Yes")


def test_a_break_is_suggested_and_can_be_put_off(hurried: Page) -> None:
    tip = hurried.locator(".tip")
    time.sleep(1.3)
    hurried.mouse.move(300, 300)
    expect(tip).to_contain_text("You have been at work for")
    hurried.keyboard.press("2")
    expect(hurried.locator(".value[aria-pressed=true]")).to_contain_text("No")
    tip.get_by_role("button", name="Go on").click()
    expect(tip).to_be_hidden()


def test_the_daily_limit_is_said_in_words(hurried: Page) -> None:
    for _ in range(2):
        for key in ("2", "1", "4"):
            ready(hurried)
            hurried.keyboard.press(key)
            with hurried.expect_response(lambda response: "/api/label" in response.url):
                hurried.keyboard.press("Enter")
            hurried.locator(".audit:not([data-phase=saving])").wait_for()
    expect(hurried.locator(".asking")).to_contain_text("the lead has set a limit of 2 items a day")
    hurried.keyboard.press("b")
    expect(title(hurried)).to_have_text("Grounded")


def test_a_reload_does_not_change_what_is_counted(page: Page, events: Events) -> None:
    page.mouse.move(200, 300)
    time.sleep(1.5)
    page.mouse.move(220, 300)
    page.keyboard.press("1")
    page.reload()
    ready(page)
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text("Saved")
    assert 1.5 <= events()[-1]["active_seconds"] < 20


def test_of_a_long_rest_only_the_first_minute_counts(
    context: BrowserContext, link: Callable[..., str], events: Events
) -> None:
    page = context.new_page()
    page.clock.install()
    page.goto(link())
    ready(page)
    page.mouse.move(200, 300)
    page.clock.fast_forward("20:00")
    page.mouse.move(220, 300)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text("Saved")
    assert 60 <= events()[-1]["active_seconds"] < 80


def test_an_answer_that_waits_is_sent_from_another_screen_too(page: Page, events: Events) -> None:
    before = len(events())
    page.route("**/api/label", lambda route: route.fulfill(status=503, body="{}"))
    type_note(page, "on its way")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(alert(page)).to_contain_text("Not saved yet, retrying")
    go_to(page, "Context audit")
    go_to(page, "Label")
    expect(alert(page)).to_contain_text("Not saved yet, retrying")  # and says so when one comes back
    go_to(page, "Context audit")
    page.unroute("**/api/label")
    with page.expect_response("**/api/label", timeout=30_000):
        pass
    assert [(row["label"], row["value"], row["comment"]) for row in events()[before:]] == [("D", "0", "on its way")]
    go_to(page, "Label")
    expect(title(page)).to_have_text("Substantive answer")
    ready(page)


def test_what_would_not_be_saved_cannot_be_typed(page: Page, events: Events) -> None:
    before = len(events())
    page.route("**/api/label", lambda route: route.fulfill(status=503, body="{}"))
    page.keyboard.press("2")
    type_note(page, "all of it")
    page.keyboard.press("Control+Enter")
    expect(alert(page)).to_contain_text("Not saved yet, retrying")
    page.keyboard.type(", and more")
    expect(page.locator("#note")).to_have_value("all of it")
    page.unroute("**/api/label")
    expect(title(page)).to_have_text("Substantive answer", timeout=30_000)
    assert events()[before]["comment"] == "all of it"
    ready(page)
    type_note(page, "typed again")


def test_a_note_whose_item_went_while_one_was_signed_out_can_be_copied(
    page: Page, study: Study, context: BrowserContext
) -> None:
    type_note(page, "before lunch")
    cookies = context.cookies()
    context.clear_cookies()
    expect(alert(page)).to_contain_text("You are signed out")
    with open_store(study) as store:
        mine = store.row("SELECT * FROM assignment WHERE state = 'claimed' ORDER BY rowid DESC LIMIT 1")
        assert mine
        taker = [add_person(study, "Taker").person_id, mine["assignment_id"]]
        store.change("UPDATE assignment SET person_id = ? WHERE assignment_id = ?", taker)
    context.add_cookies([{**cookie} for cookie in cookies])  # type: ignore[typeddict-item]  # what cookies() gives is what add_cookies() takes
    alert(page).get_by_role("button").click()
    expect(alert(page)).to_contain_text("Your note, to copy if you need it: “before lunch”")


def test_a_clock_set_back_does_not_let_the_lease_run_out(page: Page) -> None:
    page.evaluate("() => { const now = Date.now; Date.now = () => now() - 3_600_000; }")
    expect(page.locator(".lease")).to_have_text("held for you: 30 min")
    with page.expect_request("**/api/lease", timeout=5000):
        page.mouse.move(220, 300)


@pytest.mark.parametrize("storage", ["full", "refused"])
def test_a_browser_that_keeps_nothing_loses_nothing_while_the_page_lives(storage: str, page: Page) -> None:
    if storage == "full":
        page.evaluate("""() => { for (let words = "x".repeat(2 ** 20); words; )
            try { localStorage.setItem(Math.random(), words) } catch { words = words.slice(1 + words.length / 2) } }""")
    else:
        page.evaluate("() => { Storage.prototype.setItem = Storage.prototype.getItem = () => { throw new Error(); } }")
    page.keyboard.press("2")
    type_note(page, "kept all the same, " * 9)
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".bar .said")).to_contain_text("Flagged")
    go_to(page, "Context audit")
    go_to(page, "Label")
    expect(page.locator("#note")).to_have_value("kept all the same, " * 9)
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("No")
    with page.expect_event("dialog") as asked:  # whether one really wants to leave
        page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.accept()


def test_a_study_that_cannot_be_read_for_a_while(hurried: Page, quick: Study) -> None:
    type_note(hurried, "before it broke")
    hurried.keyboard.press("Escape")
    settings = quick.path / "study.toml"
    replace_text(settings, "no = [[")
    hurried.keyboard.press("r")  # Streamlit's key: the page is drawn anew
    expect(hurried.get_by_text("The study cannot be opened right now")).to_be_visible()
    assert quick.path.name not in hurried.content()
    replace_text(settings, QUICK)
    expect(hurried.locator("#note")).to_have_value("before it broke")
