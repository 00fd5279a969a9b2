"""Adjudication with both hands on the keyboard: a blind vote, what everybody said, a decision with its reason."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, Response, expect

from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from data.store import events
from data.store.connection import open_store
from data.study import Study, init_study
from tests.browser.conftest import ready

SECRETS = ("ANN-NOTE", "BEN-NOTE", "ann-id", "ben-id", "Ann Name", "Ben Name", "JUDGE-NAME", "item-word")
TEXT = "The council met in 1974. It founded the agency that year. Others joined later."


@pytest.fixture(scope="module")
def disputed(tmp_path_factory: pytest.TempPathFactory, write_rows: Any) -> Study:
    """One response on whose disclosure and grounding two people differ."""
    folder = tmp_path_factory.mktemp("disputed")
    study = init_study(folder / "study", labels=["D", "G"])
    given = (("ann-id", "1", "established"), ("ben-id", "0", "not_supported"))
    passages = [{"title": f"Report {n}", "text": TEXT} for n in range(1, 4)]
    rows: dict[str, list[dict[str, Any]]] = {
        "tasks": [{"task_id": "t", "question": "Which agency was founded in 1974?", "gold_answer": "it"}],
        "contexts": [{"context_id": "c", "task_id": "t", "condition": "clean", "passages": passages}],
        "responses": [{"response_id": "item-word", "context_id": "c", "text": "The agency was founded in 1974."}],
        "verdicts": [{"response_id": "item-word", "judge": "JUDGE-NAME", "D": 1, "G": 1}],
    }
    for kind, those in rows.items():
        import_records(study, kind, write_rows(folder / f"{kind}.jsonl", those))
    draw_sample(study, Plan(size=None, overlap=1.0))
    add_person(study, "Ann Name", person_id="ann-id")
    add_person(study, "Ben Name", person_id="ben-id")
    import_records(study, "labels", write_rows(folder / "labels.jsonl", [
        {"item_id": "item-word", "item_kind": "response", "person_id": who, "label": label, "value": value,
         "comment": f"{who[:3].upper()}-NOTE on {label}"}
        for who, *values in given for label, value in zip(("D", "G"), values, strict=True)
    ]))  # fmt: skip
    return study


@pytest.fixture(scope="module")
def address(
    disputed: Study, tmp_path_factory: pytest.TempPathFactory, serve_folder: Callable[[Path, Path], Any]
) -> Iterator[str]:
    with serve_folder(disputed.path, tmp_path_factory.mktemp("disputed-log") / "server.log") as found:
        yield found


def violations(page: Page) -> list[str]:
    """What axe-core calls serious or critical."""
    found = Axe().run(page).response["violations"]
    return [f"{rule['id']} {node['target']}" for rule in found if rule["impact"] in ("serious", "critical")
            for node in rule["nodes"]]  # fmt: skip


def test_a_vote_then_the_answers_then_a_decision(context: BrowserContext, disputed: Study, address: str) -> None:
    page = context.new_page()
    seen: list[str] = []

    def keep(response: Response) -> None:
        if "/api/" in response.url and "/api/here" not in response.url:
            seen.append(response.text())

    page.on("response", keep)
    page.goto(add_person(disputed, "Zoe", address=address, role="adjudicator").link)
    ready(page)
    expect(page.locator(".stage")).to_contain_text("Vote first")
    assert seen
    assert not [word for word in SECRETS if any(word in text for text in seen)]
    assert violations(page) == []
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    answers = page.locator(".said-by li")
    expect(answers).to_have_count(3)
    assert sorted(answers.locator("strong").all_inner_texts()) == ["A", "B", "You"]
    expect(page.locator(".said-by")).to_contain_text("Note: ANN-NOTE on D")
    ready(page)
    assert violations(page) == []
    page.keyboard.press("1")
    page.keyboard.press("n")
    page.keyboard.type("the first sentence")
    page.reload()
    ready(page)
    # The vote is in the database, and what was typed is still here.
    expect(page.locator("#note")).to_have_value("the first sentence")
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("Yes")
    page.keyboard.press("Enter")
    expect(page.locator(".bar .said")).to_contain_text("Choose why people differed")
    page.keyboard.press("s")  # the select has the focus: it chooses by its first letter
    page.keyboard.press("Control+Enter")
    expect(page.locator(".name")).to_contain_text("Grounded")
    ready(page)
    expect(page.locator(".stage")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # once more: to vote without a quote
    expect(answers).to_have_count(3)
    ready(page)
    page.keyboard.press("n")
    page.keyboard.type("it is all there")
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    page.keyboard.press("g")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".asking")).to_contain_text("There is nothing to decide")
    page.get_by_role("button", name="My decisions").click()
    listed = page.locator(".mine .answers button")
    expect(listed).to_have_count(2)
    expect(listed.first).to_have_text("Discloses: Yes · slip: the first sentence")
    assert violations(page) == []
    listed.first.click()
    ready(page)
    expect(page.locator(".review")).to_contain_text("Decisions are not changed")
    expect(page.locator(".said-by")).to_contain_text("Note: ANN-NOTE on D")
    expect(page.locator("#note")).to_have_value("the first sentence")
    assert violations(page) == []
    page.keyboard.press("2")
    expect(page.locator(".value[aria-pressed=true]")).to_contain_text("Yes")
    page.keyboard.press("Enter")
    expect(page.locator(".asking")).to_contain_text("There is nothing to decide")
    page.keyboard.press("b")
    ready(page)
    expect(page.locator("#note")).to_have_value("it is all there")
    page.keyboard.press("Escape")
    expect(page.locator(".asking")).to_contain_text("There is nothing to decide")
    with open_store(disputed) as store:
        found = [(one.label, one.value, one.reason, one.cause) for one in events.resolutions(store)]
    assert found == [
        ("D", "1", "the first sentence", "slip"),
        ("G", "established", "it is all there", "genuinely ambiguous"),
    ]


def test_a_lead_sees_what_waits_and_not_what_was_said(context: BrowserContext, disputed: Study, address: str) -> None:
    page = context.new_page()
    page.goto(add_person(disputed, "Lea", address=address, role="lead").link)
    page.goto(f"{address}/adjudicate")
    expect(page.get_by_role("heading", name="Adjudicate")).to_be_visible()
    expect(page.locator(".ea").nth(1)).to_contain_text("wait for a decision")
