"""What the leak screens found is marked where it stands, in whatever field, and mentions otherwise than leaks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from audit_app.actions.importing import import_records
from audit_app.actions.labelling import commit, next_view
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from data.store import people
from data.store.connection import open_store
from data.study import Study, init_study
from tests.browser.conftest import ready

GOLD = "International Energy Agency"
PASSAGES = [
    {"passage_id": "1", "rank": 1, "title": f"How the {GOLD} came about", "publisher": GOLD, "source_type": "web",
     "url": "https://example.org/international-energy-agency", "text": "Ministers met twice."},
    {"passage_id": "2", "rank": 2, "title": "Debates", "text": f"It was not the {GOLD} that ministers had in mind."},
]  # fmt: skip


def at_the_last_stage(folder: Path, write_rows: Callable[..., Path]) -> tuple[Study, str]:
    """A study, and somebody who has answered what comes before the screens' hits are shown."""
    study = init_study(folder / "study")
    task = {"task_id": "t", "regime": "longfact", "question": "Which body did they found?", "gold_answer": GOLD}
    context = {"context_id": "c", "task_id": "t", "condition": "evidence_absence", "passages": PASSAGES}
    import_records(study, "tasks", write_rows(folder / "tasks.jsonl", [task]))
    import_records(study, "contexts", write_rows(folder / "contexts.jsonl", [context]))
    draw_sample(study, Plan(size=None))
    made = add_person(study, "Ann", teams=("context",), address="http://127.0.0.1")
    with open_store(study) as store:
        person = people.find(store, made.person_id)
    assert person is not None
    view = next_view(study, person, "context")
    for value in ("not_established", "neither", "neither"):
        sent = {name: view[name] for name in ("assignment_id", "client_seq")} | {"label": view["label"]["name"]}
        view = commit(study, person, {**sent, "screen": "context", "value": value})["next"]
    return study, made.link.removeprefix("http://127.0.0.1")


def marked(page: Page, name: str) -> list[list[str]]:
    """The field and the words of each place that is marked so."""
    found: list[list[str]] = page.evaluate(
        """name => [...CSS.highlights.get(name)].map(({startContainer: node, startOffset, endOffset}) =>
            [node.parentElement.dataset.field, node.data.slice(startOffset, endOffset)])""",
        name,
    )
    return found


def test_hits_are_marked_in_every_field_and_words_of_a_title_can_be_selected(
    chromium: Browser, tmp_path: Path, write_rows: Callable[..., Path], serve_folder: Callable[..., Any]
) -> None:
    study, link = at_the_last_stage(tmp_path, write_rows)
    with serve_folder(study.path, tmp_path / "server.log") as address:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address + link)
        ready(page)
        assert sorted(marked(page, "leaks")) == [
            ["publisher", GOLD], ["title", GOLD], ["url", "international-energy-agency"]
        ]  # fmt: skip
        assert marked(page, "mentions") == [["text", GOLD]]
        page.keyboard.press("1")
        page.locator(".named").first.scroll_into_view_if_needed()
        place = page.locator(".named").first.bounding_box()
        assert place is not None
        page.mouse.move(place["x"] + 1, place["y"] + 10)
        page.mouse.down()
        page.mouse.move(place["x"] + 200, place["y"] + 10, steps=4)
        page.mouse.up()
        page.keyboard.press("e")
        expect(page.locator(".quotes li")).to_contain_text("Passage 1, title: “How the Inter")
        expect(page.locator(".passage .body").first).to_be_visible()
        # On a phone links and reference answer stay above the passages without hiding them.
        page.set_viewport_size({"width": 390, "height": 844})
        page.locator(".hit").first.click()
        expect(page.locator(".passage .named").first).to_be_in_viewport(ratio=1)
        heights = [page.locator(name).bounding_box() for name in (".jump", ".reading")]
        assert heights[0] is not None
        assert heights[1] is not None
        assert heights[1]["height"] > heights[0]["height"]
        page.close()
