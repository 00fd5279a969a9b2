"""Every screen and state under axe-core, light and dark, and the page in a language that runs right to left."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

LOUD = ("serious", "critical")
NOT_OURS: tuple[tuple[str, str], ...] = ()
"""Rule and beginning of the selector of what Streamlit itself draws and we cannot mend."""

Visit = Callable[..., Page]


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong and calls serious or critical, each with the place."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['html'][:160]}"
        for rule in found
        if rule["impact"] in LOUD
        for node in rule["nodes"]
        if not any(rule["id"] == name and str(node["target"]).startswith(place) for name, place in NOT_OURS)
    ]


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    """A page of a new browser with these settings."""
    contexts = []

    def opened(**settings: Any) -> Page:
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, **settings)
        context.set_default_timeout(20_000)
        contexts.append(context)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()


def asking(page: Page) -> None:
    page.locator(".audit[data-phase=asking]").wait_for()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_no_state_of_the_labelling_screens_has_a_serious_violation(
    visit: Visit, server: str, link: Callable[..., str], colours: str
) -> None:
    page = visit(color_scheme=colours)
    found: dict[str, list[str]] = {}

    def look(state: str) -> None:
        found[state] = violations(page)

    page.goto(f"{server}/sign-in")
    look("sign-in")
    page.goto(link())
    asking(page)
    look("label")
    page.keyboard.press("h")
    look("keys")
    page.keyboard.press("h")
    page.keyboard.press("s")
    look("skip")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    look("answer chosen")
    page.get_by_role("button", name="My items").click()
    expect(page.locator(".mine")).to_contain_text("Nothing finished yet")
    look("my items")
    page.goto(f"{server}/account")
    look("account")
    page.goto(f"{server}/context")
    page.locator(".audit[data-phase=asking], .audit[data-phase=empty]").wait_for()
    look("context audit")
    assert {state: said for state, said in found.items() if said} == {}


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("screen", ["report", "compare", "judge", "agreement", "people", "assignments"])
def test_no_screen_of_leads_has_a_serious_violation(
    visit: Visit, server: str, link: Callable[..., str], screen: str, colours: str
) -> None:
    page = visit(color_scheme=colours)
    page.goto(link("Lead", role="lead"))
    page.goto(f"{server}/{screen}")
    page.locator("h1, h2").first.wait_for()
    page.locator("[data-testid=stStatusWidget]").wait_for(state="detached")
    assert violations(page) == []


def test_arabic_runs_from_right_to_left(visit: Visit, link: Callable[..., str]) -> None:
    page = visit(locale="ar-EG")
    page.goto(link())
    asking(page)
    html = page.locator("html")
    expect(html).to_have_attribute("dir", "rtl")
    expect(html).to_have_attribute("lang", "ar")
    expect(page.get_by_role("button", name="عناصري")).to_be_visible()
    reading, question = page.locator(".left").bounding_box(), page.locator(".asking").bounding_box()
    assert reading is not None
    assert question is not None
    assert question["x"] + question["width"] <= reading["x"]
    response = page.locator(".text", has_text="RESPONSE-WORD").first
    assert response.get_attribute("dir") == "auto"
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text("تم الحفظ")
