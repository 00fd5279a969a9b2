"""What the leak screens found is marked where it stands, in whatever field, and mentions otherwise than leaks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from audit_app.actions.importing import import_records
from audit_app.actions.labelling import commit, next_view
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from data.store import people
from data.store.connection import open_store
from data.study import Study, init_study

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
        page.locator(".audit[data-phase=asking]").wait_for()
        assert sorted(marked(page, "leaks")) == [
            ["publisher", GOLD], ["title", GOLD], ["url", "international-energy-agency"]
        ]  # fmt: skip
        assert marked(page, "mentions") == [["text", GOLD]]
        page.keyboard.press("1")
        page.get_by_text("How the").dblclick(position={"x": 12, "y": 10})
        page.keyboard.press("e")
        assert page.locator(".quotes li").all_inner_texts() == ["Passage 1, title: “How”\n✕"]
        assert page.locator(".passage .body").first.is_visible()
        page.close()
