"""Practice in the browser: what was agreed comes after the answer and not before, as text, and stays until Enter."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, Request, expect

from audit_app.actions.agreeing import import_set
from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from data.study import Study, init_study
from tests.browser.conftest import ready, until

AGREED = {"D": "0", "G": "not_supported", "C": "1"}


@pytest.fixture(scope="module")
def practised(tmp_path_factory: pytest.TempPathFactory, write_rows: Callable[..., Path], hostile_reason: str) -> Study:
    """One practice item, and one item of the plan."""
    folder = tmp_path_factory.mktemp("practised")
    study = init_study(folder / "study", labels=["D", "G", "C"])
    rows: dict[str, list[dict[str, Any]]] = {
        "tasks": [{"task_id": "t", "question": "Which?", "gold_answer": "PLAN-GOLD"}],
        "contexts": [{"context_id": "c", "task_id": "t", "condition": "clean", "passages": [{"text": "It says so."}]}],
        "responses": [{"response_id": "r", "context_id": "c", "text": "The plan's response."}],
    }
    for kind, those in rows.items():
        import_records(study, kind, write_rows(folder / f"{kind}.jsonl", those))
    draw_sample(study, Plan(size=None, overlap=0))
    sample = {
        **{"response_id": "MARK-ID", "question": "Which?", "gold_answer": "MARK-GOLD"},
        **{"response": "The practised one.", "passages": [{"text": "Nothing of it."}]},
    }
    agreed = [
        {"response_id": "MARK-ID", "label": label, "value": value, "reason": f"MARK-REASON-{label} {hostile_reason}"}
        for label, value in AGREED.items()
    ]
    import_set(
        study,
        write_rows(folder / "agreed.jsonl", agreed),
        items_file=write_rows(folder / "samples.jsonl", [sample]),
    )
    return study


@pytest.fixture(scope="module")
def hostile_reason() -> str:
    return (
        '<img src="http://evil.example/p.png" onerror="window.pwned=1"><script>window.pwned=2</script> ![m](http://'
        "evil.example/m.png) **b** $x$ </div><style>body{display:none}</style>\n  indented " + "w" * 300
    )


@pytest.fixture(scope="module")
def address(
    practised: Study, tmp_path_factory: pytest.TempPathFactory, serve_folder: Callable[..., Any]
) -> Iterator[str]:
    with serve_folder(practised.path, tmp_path_factory.mktemp("practised-log") / "server.log") as found:
        yield found


def answer(page: Page, key: str) -> None:
    ready(page)
    page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.locator(".audit[data-phase=told] .feedback").wait_for()


def test_what_was_agreed_comes_with_its_reason_after_the_answer(
    context: BrowserContext, practised: Study, address: str, hostile_reason: str
) -> None:
    page = context.new_page()
    done: list[Request] = []  # the body of an answer that is still under way may never come
    page.on("requestfinished", lambda request: done.append(request))
    page.goto(add_person(practised, "Ann", address=address).link)
    ready(page)

    def came(mark: str) -> bool:
        page.wait_for_timeout(150)
        answers = [request.response() for request in done if "/api/" in request.url]
        read = [found.text() for found in answers if found]
        assert not any("MARK-ID" in text for text in read)
        return any(mark in text for text in read)

    expect(page.locator(".asking .stage")).to_contain_text("Practice")
    expect(page.locator(".bar .step")).to_have_text("practice · question 1 of 2")
    assert not came("MARK-REASON")
    answer(page, "1")
    expect(page.locator(".feedback h2")).to_have_text("✗ Not as agreed")
    expect(page.locator(".feedback h2")).to_be_focused()
    assert page.locator(".feedback .line").all_inner_texts() == ["Your answer\nYes", "Agreed answer\nNo"]
    assert page.locator(".feedback .why").evaluate("node => node.textContent") == f"MARK-REASON-D {hostile_reason}"
    assert page.locator(".feedback .why *").count() == 0
    assert not came("MARK-REASON-G")
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []

    for key in "12nfs9":
        page.keyboard.press(key)
    expect(page.locator(".audit")).to_have_attribute("data-phase", "told")
    page.keyboard.press("Enter")
    answer(page, "4")
    expect(page.locator(".feedback h2")).to_have_text("✓ As agreed")
    expect(page.locator(".feedback .outcome")).to_contain_text("Not passed yet: Discloses 0 of 1 as agreed")
    assert not came("MARK-GOLD"), "no reference answer while grounding is still practised"
    assert not came("MARK-REASON-C")

    page.keyboard.press("Enter")
    ready(page)
    expect(page.locator(".bar .step")).to_have_text("practice, try 2 · question 1 of 2")
    answer(page, "2")
    page.keyboard.press("Control+Enter")
    ready(page)
    page.keyboard.press("b")
    page.locator(".audit[data-phase=asking] .review .feedback").wait_for()
    expect(page.locator(".review")).to_contain_text("You have seen the agreed answer since.")
    page.keyboard.press("Escape")
    page.locator(".audit:not([data-review])[data-phase=asking]").wait_for()
    answer(page, "4")
    page.locator(".go-on").click()
    ready(page)
    until(page, lambda: came("MARK-GOLD"), "the reference answer reaches the browser")
    answer(page, "1")
    expect(page.locator(".feedback .outcome")).to_have_text("You have passed: Correct 1 of 1 as agreed (80 % needed).")
    page.keyboard.press("Enter")
    ready(page)
    expect(page.locator(".asking .stage")).to_have_count(0)
    expect(page.locator(".reading")).to_contain_text("The plan's response.")
    assert page.evaluate("window.pwned") is None
    assert not [request.url for request in done if "evil.example" in request.url]
    saved = next(request for request in reversed(done) if "/api/label" in request.url).response()
    assert saved is not None
    assert json.loads(saved.text())["saved"]
