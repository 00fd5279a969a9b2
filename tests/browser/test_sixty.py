"""A long sitting with both hands on the keyboard."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, expect

from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from data.store import flags
from data.store.connection import open_store
from data.study import init_study
from tests.browser.conftest import ready

N = 60


def test_sixty_items_without_a_mouse(
    context: BrowserContext,
    tmp_path: Path,
    serve_folder: Callable[..., Any],
    write_rows: Callable[[Path, list[dict[str, Any]]], Path],
) -> None:
    study = init_study(tmp_path / "sixty", labels=["D", "A"])
    rows: dict[str, list[dict[str, Any]]] = {
        "tasks": [{"task_id": f"t{n}", "question": "Which?"} for n in range(N)],
        "contexts": [{"context_id": f"c{n}", "task_id": f"t{n}", "passages": [{"text": "words"}]} for n in range(N)],
        "responses": [{"response_id": f"r{n}", "context_id": f"c{n}", "text": f"Answer {n}."} for n in range(N)],
    }
    for kind, those in rows.items():
        import_records(study, kind, write_rows(tmp_path / f"{kind}.jsonl", those))
    draw_sample(study, Plan(size=None, overlap=0))
    with serve_folder(study.path, tmp_path / "server.log") as address:
        page = context.new_page()
        page.goto(add_person(study, "Annotator", address=address).link)
        said = page.locator(".bar .said")

        def press(*keys: str, saved: bool = True) -> None:
            ready(page)
            *first, last = keys
            for key in first:
                page.keyboard.press(key)
            if not saved:
                return page.keyboard.press(last)
            with page.expect_response(lambda response: "/api/label" in response.url) as posted:
                page.keyboard.press(last)
            assert posted.value.ok
            return page.locator(".audit:is([data-phase=asking], [data-phase=empty])").wait_for()

        for n in range(N):
            if n % 20 == 7:  # the reason is chosen by its first letter
                press("s", "b", "Tab", "x", "Control+Enter")
                continue
            if n % 20 == 11:
                press("f", "y", "Control+Enter", saved=False)
                expect(said).to_contain_text("Flagged")
            press("1" if n % 2 else "Numpad2", "Enter")
            if n % 20 == 13:  # thinks better of it
                press("b", saved=False)
                page.locator(".review").wait_for()
                press("9", "w", "Control+Enter")
            press("n", "k", "Escape", "2", "NumpadEnter")
        expect(page.locator(".asking")).to_contain_text("All done")
    with open_store(study) as store:
        states = Counter(row["state"] for row in store.rows("SELECT state FROM assignment"))
        assert states == {"done": N - 3, "skipped": 3}
        assert {row["reason"] for row in store.rows("SELECT reason FROM assignment WHERE state = 'skipped'")} == {
            "broken text: x"
        }
        assert len(store.rows("SELECT * FROM label_event")) == 2 * (N - 3) + 3
        assert (
            Counter(row["value"] for row in store.rows("SELECT value FROM current_label WHERE label = 'D'"))[
                "cannot_judge"
            ]
            == 3
        )
        assert {row["comment"] for row in store.rows("SELECT comment FROM label_event WHERE label = 'A'")} == {"k"}
        assert [row["note"] for row in flags.everything(store)] == ["y"] * 3
