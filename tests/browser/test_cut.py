"""The connection is cut under somebody's hands, for less and for more than a session lives."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from audit_app.actions.people import add_person
from data.study import Study
from tests.browser.conftest import ready, watched


class Line:
    """A connection to a server that can be cut: every byte goes through here."""

    def __init__(self, server: str) -> None:
        self.to = int(server.rpartition(":")[2])
        self.ends: list[socket.socket] = []
        self.lock = threading.Lock()  # nobody comes through while it is being cut
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.mend_on(self.listener)

    def mend_on(self, listener: socket.socket) -> None:
        self.listener = listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                with self.lock:
                    if listener.fileno() < 0:
                        return near.close()
                    far = socket.create_connection(("127.0.0.1", self.to))
                    self.ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self.pass_on, args=(one, other), daemon=True).start()

    def pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        with self.lock:
            with suppress(OSError):
                self.listener.shutdown(socket.SHUT_RDWR)  # wakes whoever accepts
            self.listener.close()
            for end in self.ends:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
            self.ends.clear()

    def mend(self) -> None:
        self.mend_on(socket.create_server(("127.0.0.1", self.port)))


@pytest.fixture(scope="module")
def forgetful(
    study: Study, tmp_path_factory: pytest.TempPathFactory, serve_folder: Callable[..., Any]
) -> Iterator[str]:
    """A server that forgets a session three seconds after its connection was cut."""
    flags, log = ("--server.disconnectedSessionTTL", "3"), tmp_path_factory.mktemp("forgetful") / "server.log"
    with serve_folder(study.path, log, flags=flags) as address:
        yield address


@pytest.mark.parametrize(
    ("which", "seconds"),
    [
        pytest.param("server", 5, id="5-s"),
        pytest.param("forgetful", 5, id="longer-than-the-session"),
        pytest.param("server", 130, id="longer-than-two-minutes", marks=[pytest.mark.soak, pytest.mark.timeout(400)]),
    ],
)
def test_a_cut_loses_nothing(
    which: str, seconds: float, context: BrowserContext, study: Study, request: pytest.FixtureRequest, events: Any
) -> None:
    line, page = Line(request.getfixturevalue(which)), context.new_page()
    page.goto(add_person(study, "Annotator", address=line.address).link)
    ready(page)
    before = len(events())
    page.keyboard.press("n")
    page.keyboard.type("typed before, ")
    line.cut()
    time.sleep(5)  # by now Streamlit would have said so in a dialog of its own, which takes the keyboard
    page.keyboard.type("while it was cut")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not saved yet, retrying")
    time.sleep(seconds)
    expect(page.get_by_role("dialog")).to_have_count(0)
    line.mend()
    expect(page.locator(".bar .said")).to_contain_text("Saved")
    expect(page.locator(".name > span").first).to_have_text("Substantive answer")
    assert [(row["label"], row["value"], row["comment"]) for row in events()[before:]] == [
        ("D", "0", "typed before, while it was cut")
    ]
    ready(page)
    page.keyboard.press("n")
    page.keyboard.type("and after")
    page.get_by_role("link", name="Context audit").click()  # by then the page around it has come back, too
    page.wait_for_url("**/context")
    expect(page.get_by_role("link", name="Context audit")).to_have_attribute("aria-current", "page")
    page.get_by_role("link", name="Label").click()
    expect(page.locator("#note")).to_have_value("and after")
    line.cut()


def test_a_page_without_questions_says_that_the_server_is_away(
    context: BrowserContext, study: Study, server: str
) -> None:
    line, page = Line(server), context.new_page()
    page.goto(add_person(study, "Lead", role="lead", address=line.address).link)
    page.goto(f"{line.address}/people")
    expect(page.get_by_role("heading", name="People")).to_be_visible()
    away = page.get_by_text("The server cannot be reached")
    watched(page)
    expect(away).to_be_hidden()
    name = page.get_by_role("textbox", name="Name").first
    name.click()
    page.keyboard.type("So")
    line.cut()
    expect(name).to_be_disabled()
    expect(away).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    line.mend()
    expect(away).to_be_hidden()
    expect(name).to_be_focused(timeout=40_000)
    page.keyboard.type("mebody")
    expect(name).to_have_value("Somebody")
    page.route("**/api/here", lambda route: route.fulfill(status=502, body="Bad gateway"))  # a proxy in front of it
    expect(away).to_be_visible()
    line.cut()


def test_a_line_that_swallows_everything_leaves_room_for_the_answer(page: Page) -> None:
    under_way: list[Request] = []
    page.on("request", lambda request: under_way.append(request) if "/api/here" in request.url else None)
    page.route("**/api/here", lambda route: None)  # never answered, never refused
    with page.expect_event("requestfailed", lambda request: request in under_way, timeout=30_000):
        pass
    assert len(under_way) == 1, "a browser has six requests under way at most"
