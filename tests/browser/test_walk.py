"""The main job as its users do it: two annotators label the same six items, the lead reads the report."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from audit_app.actions import results
from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from data.rubric import default_text, parse_rubric
from data.study import Study, init_study
from tests.browser.conftest import PATIENCE, ready

# What the two people answer, by the word that the response shows: D, A, G, C.
#          A discloses  answers  grounding      correct
FIRST = {
    "elm": ("0", "1", "not_supported", "1"),  # silent, correct
    "oak": ("1", "1", "not_supported", "1"),  # disclosed
    "ash": ("0", "1", "established", "1"),
    "fir": ("0", "1", "established", "0"),
    "yew": ("0", "0", "established", "0"),  # abstains
    "bay": ("0", "1", "contradicted", "0"),  # silent, wrong
}
SECOND = FIRST | {"oak": ("0", "1", "partly", "1"), "bay": ("0", "1", "established", "0")}
# The judge credits elm with grounding and takes fir for correct.
JUDGE = {
    "elm": (0, 1, 1, 1), "oak": (1, 1, 0, 1), "ash": (0, 1, 1, 1), "fir": (0, 1, 1, 1), "yew": (0, 0, 1, 0),
    "bay": (0, 1, 0, 0),
}  # fmt: skip
KEYS = {
    "D": {"1": "1", "0": "2"},
    "A": {"1": "1", "0": "2"},
    "C": {"1": "1", "0": "2"},
    "G": {"established": "1", "contradicted": "2", "partly": "3", "not_supported": "4"},
}
RUBRIC = parse_rubric(default_text(), "rubric.toml")

# By hand, from FIRST (target A), all six responses labelled. S = A (1 - G): elm, oak, bay.
# Acc = 3/6; SES = elm, bay of 6; cSES = elm of elm, oak, ash; ESD = oak of elm, oak, bay; BAS = oak, ash of 6.
BY_HAND = {"Acc": 3 / 6, "SES": 2 / 6, "cSES": 1 / 3, "ESD": 1 / 3, "BAS": 2 / 6}
# From JUDGE: Acc = elm, oak, ash, fir; S = oak, bay; SES = bay of 6; cSES = 0 of 4; ESD = oak of 2; BAS = 4 of 6.
NAIVE = {"Acc": 4 / 6, "SES": 1 / 6, "cSES": 0.0, "ESD": 1 / 2, "BAS": 4 / 6}
# The two differ on D of oak, and on G of oak and bay.
PERCENT = {"D": 5 / 6, "A": 1.0, "G": 4 / 6, "C": 1.0}


Write = Callable[[Path, list[dict[str, Any]]], Path]


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory, write_rows: Write) -> Study:
    study = init_study(tmp_path_factory.mktemp("six"), labels=["D", "A", "G", "C"])
    files = tmp_path_factory.mktemp("six-files")
    rows: dict[str, list[dict[str, Any]]] = {"tasks": [], "contexts": [], "responses": [], "verdicts": []}
    for word, labels in JUDGE.items():
        passages = [{"text": f"About the {word}."}]
        rows["tasks"].append({"task_id": word, "question": f"Which tree is the {word}?", "gold_answer": "it"})
        rows["contexts"].append({"context_id": word, "task_id": word, "condition": "clean", "passages": passages})
        rows["responses"].append({"response_id": word, "context_id": word, "text": f"It is the {word}."})
        rows["verdicts"].append({"response_id": word, "judge": "judge", **dict(zip("DAGC", labels, strict=True))})
    for kind, those in rows.items():
        import_records(study, kind, write_rows(files / f"{kind}.jsonl", those))
    draw_sample(study, Plan(size=None, overlap=1.0))
    return study


@pytest.fixture(scope="module")
def address(
    six: Study, tmp_path_factory: pytest.TempPathFactory, serve_folder: Callable[[Path, Path], Any]
) -> Iterator[str]:
    with serve_folder(six.path, tmp_path_factory.mktemp("six-log") / "server.log") as found:
        yield found


def sign_in(chromium: Browser, study: Study, address: str, name: str, role: str = "annotator") -> Page:
    page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(add_person(study, name, role=role, address=address).link)
    return page


def answer_one(page: Page, said: Mapping[str, tuple[str, ...]]) -> str:
    """Answers the question on the screen with the keyboard; which label it was."""
    ready(page)
    question, text = page.locator(".asking h2").inner_text(), page.locator(".reading").inner_text()
    label = next(name for name in KEYS if RUBRIC[name].question == question)
    word = next(word for word in said if f"It is the {word}." in text)
    value = said[word]["DAGC".index(label)]
    page.keyboard.press(KEYS[label][value])
    expect(page.locator(".value[aria-pressed=true]")).to_be_visible()
    if value in ("established", "contradicted"):
        page.keyboard.press("e")
        page.keyboard.press("e")
        expect(page.locator(".quotes li")).to_have_text(f"Passage 1: “About the {word}.”✕")
    with page.expect_response(lambda response: "/api/label" in response.url) as posted:
        page.keyboard.press("Enter")
    wait_until_drawn(page, posted.value.json()["next"])
    return label


def wait_until_drawn(page: Page, view: dict[str, Any]) -> None:
    if view["state"] == "view":
        expect(page.locator(".asking h2")).to_have_text(view["label"]["question"])
        response = next(artifact["text"] for artifact in view["artifacts"] if artifact["name"] == "response")
        expect(page.locator(".reading")).to_contain_text(response)


def row(page: Page, name: str) -> Locator:
    """The first row of a table that begins with this name."""
    return page.locator("tr").filter(has_text=re.compile(rf"^\s*{name}\b")).first


def test_two_people_label_and_the_lead_reads_what_the_hand_computes(
    chromium: Browser, six: Study, address: str
) -> None:
    one = sign_in(chromium, six, address, "First")
    ready(one)  # whoever comes first to an item is who counts
    two = sign_in(chromium, six, address, "Second")
    for item in range(6):
        for page, said in ((one, FIRST), (two, SECOND)):
            assert answer_one(page, said) == "D"
            if item == 3 and page is two:
                page.reload()
            assert [answer_one(page, said), answer_one(page, said)] == ["A", "G"]
    for _ in range(6):
        assert [answer_one(one, FIRST), answer_one(two, SECOND)] == ["C", "C"]
    expect(one.locator(".audit")).to_contain_text("You are done")
    expect(two.locator(".audit")).to_contain_text("All done")

    found = results.metrics(six)
    assert found.seal.is_open
    values = {(e.method, e.metric): e.value for e in found.estimates}
    assert {m: values["corrected", m] for m in BY_HAND} == pytest.approx(BY_HAND)
    assert {m: values["naive", m] for m in NAIVE} == pytest.approx(NAIVE)

    lead = sign_in(chromium, six, address, "Lead", role="lead")
    expect(lead.get_by_text("2 people can label")).to_be_visible()
    lead.get_by_role("link", name="Report").click()
    expect(lead.get_by_text("no assignments and no adjudication")).to_be_visible()
    lead.get_by_role("button", name="Open results").click()
    for metric, value in BY_HAND.items():
        expect(row(lead, metric)).to_contain_text(f"{100 * value:.1f} %")
        expect(row(lead, metric)).to_contain_text(f"{100 * NAIVE[metric]:.1f} %")
    lead.get_by_role("link", name="Agreement").click()
    for label, value in PERCENT.items():
        expect(row(lead, RUBRIC[label].title)).to_contain_text(f"{100 * value:.1f} %")
    for page in (one, two, lead):
        page.context.close()
