"""The Compare screen: the numbers of the command, one choice away from any other, and nothing located while sealed."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from audit_app.actions.comparable import Question
from audit_app.actions.comparing import compare
from audit_app.actions.demo import Demo
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.actions.wording import points
from audit_app.page import pages
from data.records import Person
from data.study import Study, init_study
from tests.audit_app.conftest import PATIENCE

EVIL = "<img src=x onerror=alert(1)> ![p](http://evil.example/p.png) **b** $1 :red[r] </td>"


def screen() -> None:
    from audit_app.screens.compare import render

    render()


def opened(study: Study, looking: Callable[[Study], object]) -> AppTest:
    looking(study)
    app = AppTest.from_function(screen, default_timeout=PATIENCE).run()
    assert not app.exception
    return app


def text(app: AppTest) -> str:
    shown = [block.value for block in app.html if "<style>" not in block.value]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", " ".join(shown))))


def test_the_screen_shows_the_numbers_of_the_command(finished_demo: Demo, looking: Callable[[Study], object]) -> None:
    study = finished_demo.study
    app, found = opened(study, looking), compare(study, Question(by="model"))
    assert found.sentence in text(app)
    for one in found.comparisons:
        assert one.corrected is not None
        assert points(one.corrected.difference) in text(app)
    assert "larch-70b − wren-8b" in text(app)
    assert app.selectbox(key="compare_by").options == ["models", "prompts", "conditions", "regimes", "judges"]


def test_judges_and_a_condition_are_one_choice_away(finished_demo: Demo, looking: Callable[[Study], object]) -> None:
    app = opened(finished_demo.study, looking)
    app.selectbox(key="compare_by").select("judge").run()
    found = compare(finished_demo.study, Question(by="judge"))
    assert found.sentence in text(app)
    assert "heron-judge and plover-judge put the models into the same order by Acc" in text(app)
    assert not [box for box in app.selectbox if box.label == "Judge"]
    app.selectbox(key="compare_within_judge").select(("condition", "clean")).run()
    assert not app.exception
    within = compare(finished_demo.study, Question(by="judge", within={"condition": "clean"}))
    assert within.sentence in text(app)


def test_one_value_against_the_others_and_without_adjustment(
    finished_demo: Demo, looking: Callable[[Study], object]
) -> None:
    app = opened(finished_demo.study, looking)
    app.selectbox(key="compare_by").select("condition").run()
    app.selectbox(key="compare_against_condition").select("clean")
    app.selectbox(key="compare_adjust").select("none")
    app.toggle(key="compare_details").set_value(True).run()
    assert not app.exception
    found = compare(finished_demo.study, Question(by="condition", against="clean", adjust="none"))
    assert found.sentence in text(app)
    assert "evidence_absence − clean" in text(app)
    assert "adjusted 0" not in text(app)
    assert "Tango interval" in text(app)


def test_groups_that_share_no_task_say_so(finished_demo: Demo, looking: Callable[[Study], object]) -> None:
    app = opened(finished_demo.study, looking)
    app.selectbox(key="compare_by").select("regime").run()
    assert not app.exception
    assert "No two values of regime share a task" in text(app)
    assert "clbench − longfact" in text(app)


@pytest.fixture
def plain(grid: Callable[..., Any], study_from: Callable[..., Study]) -> Callable[..., Study]:
    """A study of some models, judged and not yet drawn."""

    def make(models: tuple[str, ...]) -> Study:
        rows = grid(4, models=models)
        ids = [row["response_id"] for row in rows["responses"]]
        rows["verdicts"] = [{"response_id": r, "judge": EVIL, "C": 1, "A": 1, "G": 1, "D": 0} for r in ids]
        return study_from(rows)

    return make


def test_while_sealed_only_widths_are_shown(plain: Callable[..., Study], looking: Callable[[Study], object]) -> None:
    study = plain(("a", "b"))
    draw_sample(study, Plan(size=None, overlap=0))
    app = opened(study, looking)
    assert "Results are sealed" in text(app)
    assert "points wide" in text(app)
    assert not re.search(r"[+-]\d+\.\d", text(app))
    assert not [box for box in app.expander if box.label == "All numbers"]


def test_nothing_drawn_and_nothing_imported_show_the_steps(
    plain: Callable[..., Study], tmp_path: Path, looking: Callable[[Study], object]
) -> None:
    for study in (plain(("a", "b")), init_study(tmp_path / "empty")):
        assert "A study gets here in four steps" in text(opened(study, looking))


def test_hostile_names_are_shown_as_they_are(plain: Callable[..., Study], looking: Callable[[Study], object]) -> None:
    study = plain(("a", EVIL))
    draw_sample(study, Plan(size=None, overlap=0))
    unseal(study, "a test")
    app = opened(study, looking)
    assert f"a − {EVIL}" in text(app) or f"{EVIL} − a" in text(app)
    assert f"judge {EVIL}" in text(app)
    assert "<img" not in " ".join(block.value for block in app.html)
    assert not [element for element in app.expander if "evil" in element.label]


def test_leads_have_the_page_and_annotators_have_not() -> None:
    addresses = {
        role: [path for _, path, _ in pages(Person(person_id="p", display_name="P", role=role))]
        for role in ("lead", "annotator")
    }
    assert "compare" in addresses["lead"]
    assert "compare" not in addresses["annotator"]
