"""Coming in, staying in and being kept out, in a real browser on a real server."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from audit_app.actions import people
from audit_app.actions.people import add_person
from audit_app.actions.sign_in import set_password
from audit_app.gate import COOKIE
from data.study import Study
from tests.browser.conftest import PATIENCE, ready, settled

PASSWORD = "correct horse battery"
REACHED = """address => new Promise(done => {
    const socket = new WebSocket(address, "streamlit");
    socket.onopen = () => done(true); socket.onerror = () => done(false); })"""


def websocket_opens(page: Page, server: str) -> bool:
    opened: bool = page.evaluate(REACHED, server.replace("http", "ws") + "/_stcore/stream")
    return opened


@pytest.fixture
def elsewhere(chromium: Browser) -> Any:
    """Another browser."""
    made = chromium.new_context(viewport={"width": 390, "height": 800})
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


def test_name_and_password(context: BrowserContext, study: Study, server: str) -> None:
    set_password(study, add_person(study, "Petra Known", address=server).person_id, PASSWORD)
    page = context.new_page()
    page.goto(server)
    page.get_by_role("link", name="Sign in with name and password").click()
    for password in ("wrong", PASSWORD):
        page.get_by_label("Name").fill("petra known")
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        if password == "wrong":
            expect(page.get_by_role("alert")).to_contain_text("do not match")
            assert page.url == f"{server}/sign-in"
    page.wait_for_url(f"{server}/label")
    ready(page)
    (cookie,) = [cookie for cookie in context.cookies() if cookie["name"] == COOKIE]
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")


def test_a_form_on_another_site_cannot_sign_anybody_in(
    context: BrowserContext, study: Study, server: str, tmp_path: Path
) -> None:
    set_password(study, add_person(study, "Paul Lured", address=server).person_id, PASSWORD)
    page = context.new_page()
    page.route(
        "http://evil.example/",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<form method="post" action="{server}/sign-in"><input name="name" value="Paul Lured">'
            f'<input name="password" value="{PASSWORD}"></form><script>document.forms[0].submit()</script>',
        ),
    )
    page.goto("http://evil.example/", wait_until="commit")
    page.wait_for_url(f"{server}/sign-in")
    expect(page.get_by_text("asked for by another site")).to_be_visible()
    assert [cookie for cookie in context.cookies() if cookie["name"] == COOKIE] == []


def test_revoked_in_the_middle_of_work(context: BrowserContext, study: Study, server: str) -> None:
    invited = add_person(study, "Somebody", address=server)
    page = context.new_page()
    page.goto(invited.link)
    ready(page)
    assert websocket_opens(page, server)
    people.revoke(study, invited.person_id)
    assert not websocket_opens(page, server)
    assert page.evaluate("fetch('/api/view').then(answer => answer.status)") == 401
    for path in ("/", "/label", "/report", "/account", "/media/x.png"):
        answer = page.goto(server + path)
        assert answer
        assert answer.status == 401
    page.goto(invited.link)
    expect(page.get_by_role("heading")).to_have_text("This link does not work")


@pytest.mark.parametrize("role", ["annotator", "lead"])
def test_an_open_page_notices_by_itself(context: BrowserContext, study: Study, server: str, role: str) -> None:
    invited = add_person(study, "Somebody", role=role, address=server)
    page = context.new_page()
    requested: list[str] = []
    page.on("request", lambda sent: requested.append(sent.url))
    page.goto(invited.link)
    if role == "annotator":
        ready(page)
    else:
        page.get_by_role("link", name="People").click()
        page.get_by_role("textbox", name="Name").wait_for()
    people.revoke(study, invited.person_id)
    said = "You are not signed in" if role == "lead" else "You are signed out"
    expect(page.get_by_text(said).first).to_be_visible()
    if role == "lead":
        expect(page.get_by_role("textbox", name="Name")).to_have_count(0)
    assert requested
    assert [url for url in requested if not url.startswith((server, "data:", "blob:"))] == []


def test_paused_and_resumed(context: BrowserContext, study: Study, server: str) -> None:
    invited = add_person(study, "Somebody", address=server)
    page = context.new_page()
    page.goto(invited.link)
    ready(page)
    people.pause(study, invited.person_id)
    assert not websocket_opens(page, server)
    page.reload()
    expect(page.get_by_role("heading")).to_have_text("You are signed out")
    expect(page.get_by_text("Everything you have answered is saved")).to_be_visible()
    people.resume(study, invited.person_id)
    page.goto(server)
    ready(page)


def test_signed_out_elsewhere(context: BrowserContext, elsewhere: BrowserContext, study: Study, server: str) -> None:
    link = add_person(study, "Somebody", address=server).link
    here, there = context.new_page(), elsewhere.new_page()
    for page in (there, here):
        page.goto(link)
        ready(page)
    here.get_by_role("link", name="Account").click()
    expect(here.get_by_text("this one")).to_have_count(1)
    here.get_by_role("button", name="Sign out everywhere else").click()
    expect(here.get_by_role("button", name="Sign out everywhere else")).to_have_count(0)
    assert there.evaluate("fetch('/api/view').then(answer => answer.status)") == 401
    there.reload()
    expect(there.get_by_role("heading")).to_have_text("You are not signed in")
    here.get_by_role("link", name="Back").click()
    ready(here)


def test_a_reload_and_a_restart_keep_one_signed_in(
    context: BrowserContext, study: Study, serve_folder: Callable[..., Any], tmp_path: Path
) -> None:
    page = context.new_page()
    with serve_folder(study.path, tmp_path / "first.log") as first:
        page.goto(add_person(study, "Somebody", address=first).link)
        ready(page)
        page.reload()
        ready(page)
    with serve_folder(study.path, tmp_path / "second.log") as second:
        page.goto(f"{second}/label")
        ready(page)


def test_a_lead_invites_somebody_who_then_comes_in(
    context: BrowserContext, elsewhere: BrowserContext, study: Study, server: str
) -> None:
    page, other = context.new_page(), elsewhere.new_page()
    page.goto(add_person(study, "Lead", role="lead", address=server).link)
    page.wait_for_url(f"{server}/people")
    page.get_by_role("textbox", name="Name").fill("Newly Invited")
    page.get_by_role("button", name="Invite", exact=True).click()
    link = page.locator("code", has_text="/in/").inner_text()
    assert link.startswith(f"{server}/in/")
    other.goto(link)
    ready(other)
    page.get_by_role("button", name="I have copied it").click()
    expect(page.locator("code", has_text="/in/")).to_have_count(0)
    settled(page)  # until then the list of people is there twice, as it was and as it is
    # Revoking asks once more, and then ends what the other sees.
    page.get_by_role("combobox", name="Person").click()
    page.keyboard.type("Newly")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Revoke", exact=True).click()
    page.get_by_role("button", name="Revoke access").click()
    expect(page.get_by_text("Newly Invited: annotator, revoked.")).to_be_visible()
    other.reload()
    expect(other.get_by_role("heading")).to_have_text("You are not signed in")


def raw(address: str, path: str, *lines: str) -> str:
    """What the server answers to a request that is written out."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        sent = [f"GET {path} HTTP/1.1", *lines, "Connection: close", "", ""]
        connection.sendall("\r\n".join(sent).encode())
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode()


def test_without_a_proxy_nobody_is_believed_to_be_one(study: Study, server: str) -> None:
    path = add_person(study, "Somebody", address=server).link.removeprefix(server)
    host = f"Host: {server.removeprefix('http://')}"
    answer = raw(server, path, host, "X-Forwarded-Proto: https", "X-Forwarded-For: 203.0.113.9")
    assert answer.startswith("HTTP/1.1 303")
    assert "; Secure" not in answer
    assert raw(server, path, "Host: audit.example").startswith("HTTP/1.1 421")


def test_behind_a_proxy_the_public_address_goes_by_https(
    study: Study, serve_folder: Callable[..., Any], tmp_path: Path
) -> None:
    log = tmp_path / "server.log"
    with serve_folder(study.path, log, public="https://audit.example") as address:
        path = add_person(study, "Somebody", address=address).link.removeprefix(address)
        for more in ((), ("X-Forwarded-Proto: http",), ("X-Forwarded-For: 203.0.113.9",)):
            answer = raw(address, path, "Host: audit.example", *more)
            assert answer.startswith("HTTP/1.1 303")
            assert "; Secure" in answer
        assert raw(address, path, "Host: evil.example").startswith("HTTP/1.1 421")
        for bad in (path + "x", "/in/x/y", "/api/view", "/_stcore/stream", "//evil.example/", "/static/../study.db"):
            answer = raw(address, bad, "Host: audit.example")
            assert "content-security-policy" in answer.lower(), bad
            assert "evil" not in answer.partition("\r\n\r\n")[0], bad
        assert path.removeprefix("/in/") not in log.read_text(), "a token is in the log"
