"""One Chromium, one real server and one study for all browser tests; every test brings people of its own."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.launch import command, environment
from benchmarks.label_servers import free_port, running
from data.store.connection import open_store
from data.study import Study, init_study

CHROMIUM = shutil.which(os.environ.get("CHROMIUM", "chromium"))
PATIENCE = 90_000
"""Milliseconds: a machine that tests much else drew a first page in 11 s; what is never true fails all the same."""

expect.set_options(timeout=PATIENCE)

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip
TASKS = 90

HOSTILE = (
    '<img src="http://evil.example/pixel.png" onerror="document.title=1"><script>document.title="pwned"</script>'
    "\r\n\r\n   three blanks\tand a tab  \n![picture](http://evil.example/b.png) **bold** $x_1$ :red[red] :smile:\n"
    "\u05e9\u05dc\u05d5\u05dd \U0001f600 " + "w" * 400
)


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def passages(number: int) -> list[dict[str, Any]]:
    return [
        {"passage_id": f"{number}-1", "rank": 1, "text": HOSTILE, "supports": "neither"},
        {"passage_id": f"{number}-2", "rank": 2, "title": "<b>An embargo</b>", "url": "javascript:alert(1)",
         "publisher": "Review", "source_type": "journal", "text": "SUPPORT-WORD", "supports": "wrong"},
    ]  # fmt: skip


def fill(study: Study, folder: Path) -> None:
    """The same small task ninety times over; what must stay hidden has a word of its own."""
    numbers = range(TASKS)
    rows: dict[str, list[dict[str, Any]]] = {
        "tasks": [
            {"task_id": f"task{n}", "regime": "longfact", "question": "QUESTION-WORD?", "gold_answer": "GOLD-WORD"}
            for n in numbers
        ],
        "contexts": [
            {"context_id": f"task{n}-absence", "task_id": f"task{n}", "condition": "evidence_absence",
             "passages": passages(n)}
            for n in numbers
        ],
        "responses": [
            {"response_id": f"r{n}", "context_id": f"task{n}-absence", "model": "MODEL-WORD", "prompt": "PROMPT-WORD",
             "run": "1", "text": f"RESPONSE-WORD {HOSTILE}"}
            for n in numbers
        ],
    }  # fmt: skip
    for kind, those in rows.items():
        import_records(study, kind, write(folder / f"{kind}.jsonl", those))
    draw_sample(study, Plan(size=None))


@pytest.fixture(scope="session")
def study(new_study: Callable[[], Study]) -> Study:
    return new_study()


@pytest.fixture(scope="session")
def new_study(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Study]:
    """Makes a study of its own for a test that changes settings."""

    def made() -> Study:
        study = init_study(tmp_path_factory.mktemp("study"))
        fill(study, tmp_path_factory.mktemp("files"))
        return study

    return made


def ready(page: Page) -> None:
    """Waits until a question is painted: a key pressed before, though its words are there already, is not used."""
    page.locator(".audit[data-phase=asking]").wait_for(timeout=PATIENCE)


DRAWN = """() => {
    const { testScriptState, testConnectionState } = document.querySelector("[data-testid=stApp]")?.dataset ?? {};
    // While a screen is drawn anew, what it showed before is faded.
    const faded = (part) => getComputedStyle(part).opacity < 1;
    return testScriptState === "notRunning" && testConnectionState === "CONNECTED"
        && ![...document.querySelectorAll("[data-testid=stElementContainer]")].some(faded); }"""


def settled(page: Page) -> None:
    """Waits until Streamlit has drawn the screen to its end."""
    page.wait_for_function(DRAWN, timeout=PATIENCE)


def watched(page: Page) -> None:
    """Waits until our own script for all pages is at work; it comes later than what Streamlit draws by itself."""
    settled(page)
    page.locator(".away").wait_for(state="attached")


def until(page: Page, holds: Callable[[], bool], what: str) -> None:
    """Waits for what no locator can say; what happens on the page is heard meanwhile."""
    for _ in range(400):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"it never came about: {what}")


TWO_FRAMES = """width => new Promise((done) => {
    const look = () => requestAnimationFrame(innerWidth === width ? () => requestAnimationFrame(done) : look);
    look(); })"""


def resize(page: Page, width: int, height: int) -> None:
    """Gives the window a size, and waits until the page has heard of it."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(TWO_FRAMES, width)


@contextmanager
def serving(
    folder: Path, log: Path, port: int | None = None, *, flags: tuple[str, ...] = (), public: str | None = None
) -> Iterator[str]:
    """The address of a real server on this study folder, once it answers; `flags` are more of Streamlit's."""
    port = port or free_port()
    with running([*command(port=port), *flags], port, environment(folder, public), log=log):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def server(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(study.path, tmp_path_factory.mktemp("log") / "server.log") as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: run `make browser`, or set CHROMIUM to your own")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    made = chromium.new_context(viewport={"width": 1280, "height": 800})
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def link(study: Study, server: str) -> Callable[..., str]:
    """The personal link of somebody new."""

    def invited(name: str = "Annotator", **more: Any) -> str:
        return add_person(study, name, address=server, **more).link

    return invited


@pytest.fixture
def page(context: BrowserContext, link: Callable[..., str]) -> Page:
    """The labelling page of somebody new, the first question drawn."""
    made = context.new_page()
    made.goto(link())
    ready(made)
    return made


@pytest.fixture
def auditing(context: BrowserContext, link: Callable[..., str]) -> Page:
    """The context audit of somebody new who does nothing else, the first question drawn."""
    made = context.new_page()
    made.goto(link("Auditor", teams=("context",)))
    ready(made)
    return made


@pytest.fixture
def hostile() -> str:
    """The text of every first passage."""
    return HOSTILE


@pytest.fixture
def events(study: Study) -> Callable[[], list[dict[str, Any]]]:
    """Every label event so far, oldest first."""

    def read() -> list[dict[str, Any]]:
        with open_store(study) as store:
            return store.rows("SELECT * FROM label_event ORDER BY rowid")

    return read


@pytest.fixture(scope="session")
def serve_folder() -> Callable[..., Any]:
    """Starts a server of its own on a study folder, logging to a file: a context manager that gives its address."""
    return serving


@pytest.fixture(scope="session")
def write_rows() -> Callable[[Path, list[dict[str, Any]]], Path]:
    """Writes rows as JSON lines."""
    return write
