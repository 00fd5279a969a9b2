from collections.abc import Callable

from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import ready, resize, watched


def test_without_a_link_there_is_only_a_friendly_page(context: BrowserContext, server: str) -> None:
    page = context.new_page()
    for path in ("/", "/context", "/report"):
        answer = page.goto(server + path)
        assert answer is not None
        assert answer.status == 401
        expect(page.get_by_role("heading")).to_have_text("You are not signed in")


def test_the_link_signs_in_and_leaves_the_address(
    context: BrowserContext, server: str, link: Callable[..., str]
) -> None:
    page = context.new_page()
    page.goto(link("<i>Anna</i> $1 and $2"))
    expect(page.locator(".who span")).to_have_text("<i>Anna</i> $1 and $2")
    page.wait_for_url(f"{server}/label")
    assert page.evaluate("document.cookie").find("evidence_audit") == -1
    page.get_by_role("link", name="Sign out").click()
    expect(page.get_by_role("heading")).to_have_text("You are signed out")
    answer = page.goto(server)
    assert answer is not None
    assert answer.status == 401


def test_an_annotator_sees_no_results(context: BrowserContext, link: Callable[..., str]) -> None:
    page = context.new_page()
    page.goto(link())
    expect(page.get_by_role("link", name="Context audit")).to_be_visible()
    for name in ("Agreement", "Judge", "Report"):
        expect(page.get_by_role("link", name=name)).to_have_count(0)


def test_the_websocket_needs_the_cookie(context: BrowserContext, server: str) -> None:
    page = context.new_page()
    page.goto(f"{server}/healthz")
    opened = """address => new Promise(done => {
        const socket = new WebSocket(address, "streamlit");
        socket.onopen = () => done(true); socket.onerror = () => done(false); })"""
    assert page.evaluate(opened, server.replace("http", "ws") + "/_stcore/stream") is False


def test_streamlits_side_doors_are_shut(context: BrowserContext, server: str, link: Callable[..., str]) -> None:
    context.request.get(link())
    assert context.request.get(f"{server}/_stcore/health").ok
    for path in ("/_stcore/metrics", "/_stcore/agent/mcp", "/_stcore/agent/openapi.json"):
        assert context.request.get(server + path).status == 404


def test_no_screen_leaves_an_error_in_the_console(
    context: BrowserContext, server: str, link: Callable[..., str]
) -> None:
    page = context.new_page()
    failed: list[str] = []
    page.on("console", lambda message: failed.append(message.text) if message.type == "error" else None)
    page.on("response", lambda answer: failed.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
    page.goto(link())
    ready(page)
    page.reload()
    ready(page)
    assert page.url == f"{server}/label"
    page.get_by_role("link", name="Context audit").click()
    page.wait_for_url(f"{server}/context")
    assert failed == []


SIGN = """() => {
    const sign = document.createElement("div");
    Object.assign(sign, { textContent: "RUNNING..." }).dataset.testid = "stStatusWidget";
    document.querySelector("[data-testid=stToolbar]").append(sign);
    const [one, other] = [sign, document.querySelector(".who")].map((node) => node.getBoundingClientRect());
    return one.height > 0 && (one.top >= other.bottom || one.right <= other.left || one.left >= other.right);
}"""


def test_the_sign_of_a_running_script_covers_no_link(context: BrowserContext, link: Callable[..., str]) -> None:
    page = context.new_page()
    page.goto(link())
    page.locator(".who").wait_for()
    for width in (1280, 390):
        resize(page, width, 800)
        assert page.evaluate(SIGN)


def test_on_a_phone_the_menu_closes_when_a_page_is_chosen_and_stays_closed(
    context: BrowserContext, server: str, link: Callable[..., str]
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(link())
    menu = page.locator("[data-testid=stSidebar]")
    for chosen in (True, False):
        watched(page)
        expect(menu).to_have_attribute("data-collapsed", "true")
        page.locator("[data-testid=stExpandSidebarButton]").click()
        expect(menu).to_have_attribute("data-collapsed", "false")
        if chosen:
            page.get_by_role("link", name="Context audit").click()
            page.wait_for_url(f"{server}/context")
        else:
            page.reload()
    expect(menu).to_have_attribute("data-collapsed", "true")
