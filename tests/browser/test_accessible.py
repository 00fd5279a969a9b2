"""Every screen and state under axe-core, light and dark, and the page in a language that runs right to left."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from audit_app.actions.demo import Demo, make_demo
from data.study import Study
from tests.browser.conftest import PATIENCE, ready, settled

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
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()


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
    ready(page)
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
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    look("note open")
    page.keyboard.type("as far as one can tell")
    look("note written")
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.locator(".panel select").select_option(index=1)
    page.get_by_role("button", name="Skip this item").click()
    expect(page.locator(".bar .said")).to_contain_text("item skipped")
    ready(page)
    page.get_by_role("button", name="My items").click()
    expect(page.locator(".mine")).to_contain_text("skipped:")
    look("my items with one")
    page.goto(f"{server}/account")
    look("account")
    page.goto(f"{server}/context")
    page.locator(".audit[data-phase=asking], .audit[data-phase=empty]").wait_for()
    look("context audit")
    assert {state: said for state, said in found.items() if said} == {}


def test_no_stage_of_a_context_audit_has_a_serious_violation(visit: Visit, link: Callable[..., str]) -> None:
    page = visit()
    page.goto(link("Auditor", teams=("context",)))
    page.get_by_role("link", name="Context audit").click()
    found: dict[str, list[str]] = {}
    for _ in range(6):
        ready(page)
        name = page.locator(".name > span").first.inner_text()
        found.setdefault(name, violations(page) if name not in found else [])
        if page.locator(".hits").count():
            break  # the last stage
        page.keyboard.press("3")  # not established, then neither: no quote is asked for
        with page.expect_response(lambda response: "/api/label" in response.url) as posted:
            page.keyboard.press("Enter")
        view = posted.value.json()["next"]
        if view["state"] == "view":
            expect(page.locator(".audit")).to_have_attribute("data-phase", "asking")
    assert len(found) >= 3, found
    assert {stage: said for stage, said in found.items() if said} == {}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, serve_folder: Any) -> Iterator[tuple[Demo, str]]:
    """The demo study, with all results, and where it is served."""
    made = make_demo(tmp_path_factory.mktemp("demo"), address="http://127.0.0.1")
    with serve_folder(made.study.path, tmp_path_factory.mktemp("demo-log") / "server.log") as address:
        yield made, address


@pytest.mark.parametrize(
    ("screen", "settings"),
    [
        ("report", {"color_scheme": "dark", "locale": "ar-EG"}),
        ("compare", {"color_scheme": "light", "locale": "ar-EG"}),
        ("judge", {"color_scheme": "dark"}),
        ("agreement", {"color_scheme": "light"}),
    ],
)
def test_no_screen_with_results_and_everything_open_has_a_serious_violation(
    visit: Visit, demo: tuple[Demo, str], screen: str, settings: dict[str, Any]
) -> None:
    made, address = demo
    page = visit(**settings)
    page.goto(f"{address}/in/{made.lead.link.rsplit('/', 1)[1]}")
    page.goto(f"{address}/{screen}")
    page.locator("h1").wait_for()
    settled(page)
    closed = page.locator("details:not([open]) > summary")
    for _ in range(50):  # what is drawn anew while one clicks is closed again
        if not closed.count():
            break
        closed.first.click()
        settled(page)
    assert page.locator("details:not([open])").count() == 0
    assert violations(page) == []


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(
    "screen", ["report", "compare", "judge", "agreement", "people", "assignments", "rounds", "settings", "adjudicate"]
)
def test_no_screen_of_leads_has_a_serious_violation(
    visit: Visit, server: str, link: Callable[..., str], screen: str, colours: str
) -> None:
    page = visit(color_scheme=colours)
    page.goto(link("Lead", role="lead"))
    page.goto(f"{server}/{screen}")
    page.locator("h1, h2").first.wait_for()
    settled(page)
    assert violations(page) == []


def test_in_forced_colours_the_chosen_answer_is_marked(visit: Visit, link: Callable[..., str]) -> None:
    page = visit(forced_colors="active")
    page.goto(link())
    ready(page)
    box = page.locator(".value .box").first
    open_yet = box.screenshot()
    page.keyboard.press("1")
    page.keyboard.press("n")
    assert box.screenshot() != open_yet


def test_arabic_runs_from_right_to_left(visit: Visit, link: Callable[..., str]) -> None:
    page = visit(locale="ar-EG")
    page.goto(link())
    ready(page)
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


INSIDE = """async (track) => {
  await Promise.all(track.getAnimations({ subtree: true }).map((glide) => glide.finished))
  const [outer, knob] = [track, track.firstElementChild].map((node) => node.getBoundingClientRect())
  return outer.left <= knob.left && knob.right <= outer.right
}"""


def test_the_knob_of_a_switch_stays_in_it_from_right_to_left(
    visit: Visit, server: str, link: Callable[..., str]
) -> None:
    page = visit(locale="ar-EG")
    page.goto(link("Lead", role="lead"))
    page.goto(f"{server}/report")
    page.get_by_text("حصص تصنيف الإسناد").click()
    expect(page.get_by_role("switch")).to_be_checked()
    settled(page)
    assert page.locator("[data-testid=stCheckbox] label > span + div").evaluate(INSIDE)


LATIN = """(audit) => {
  const found = [], walk = document.createTreeWalker(audit, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const { parentElement: at, textContent: text } = walk.currentNode
    const foreign = /[A-Za-z]{3}/.test(text) && !/[\u0600-\u06ff]/.test(text)
    if (foreign && at.checkVisibility() && !at.closest('.text, kbd, .url, .said .more')) found.push(text)
  }
  return found
}"""


def test_what_the_scripts_say_is_in_arabic(visit: Visit, study: Study, link: Callable[..., str]) -> None:
    """What stands on the labelling screen in Latin letters is data, or of the rubric; after the tick, the answer."""
    page = visit(locale="ar-EG")
    page.goto(link())
    ready(page)
    rubric, left = study.rubric.text, set[str]()
    for key in ("h", "h", "s", "Escape", "f", "Escape", "1", "Enter", "b"):
        ready(page)
        page.keyboard.press(key)
        page.wait_for_timeout(300)
        left |= {text.strip(" –") for text in page.locator(".audit").evaluate(LATIN)}
    assert [text for text in left if text not in rubric and "-WORD" not in text] == []
