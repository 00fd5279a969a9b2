"""The Judge screen: all judges side by side, and what came out of tests of judges."""

import re
from collections.abc import Callable
from html import unescape

from streamlit.testing.v1 import AppTest

from audit_app.actions.demo import Demo
from audit_app.actions.judge_command import EXAMPLE
from audit_app.actions.judge_ledger import RunOptions
from audit_app.actions.judge_run import run_judge
from audit_app.actions.judge_trials import Trial, note_ablation, record
from audit_app.actions.judge_work import Asked, response_ids
from audit_app.actions.judges import JudgesQuestion, compare_judges
from audit_app.actions.judges_tables import pair_rows
from data.study import Study
from judge.lexical import LexicalJudge
from tests.audit_app.conftest import PATIENCE

EVIL = "<img src=x onerror=alert(1)>"


def screen() -> None:
    from audit_app.screens.judge import render

    render()


def opened(study: Study, looking: Callable[[Study], object], *parts: str) -> AppTest:
    looking(study)
    app = AppTest.from_function(screen, default_timeout=PATIENCE)
    for part in parts:
        app.session_state[part] = True
    app.run()
    assert not app.exception
    return app


def text(app: AppTest) -> str:
    shown = [block.value for block in app.html if "<style>" not in block.value]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", " ".join(shown))))


def test_judges_are_one_toggle_away_with_the_numbers_of_the_command(
    finished_demo: Demo, looking: Callable[[Study], object]
) -> None:
    app = opened(finished_demo.study, looking)
    found = compare_judges(finished_demo.study, JudgesQuestion())
    assert found.sentence not in text(app)
    app.toggle(key="judges-compared").set_value(True).run()
    assert not app.exception
    assert found.sentence in text(app)
    for row in pair_rows(found):
        assert row["same label"] in text(app)


def test_tests_of_judges_are_shown_and_an_empty_record_says_how(
    demo_copy: Study, looking: Callable[[Study], object]
) -> None:
    assert "No judge has been tested here." in text(opened(demo_copy, looking))
    note_ablation(demo_copy, "mine:f", "faithfulness", passed=False, sentence=f"faithfulness leaks {EVIL}")
    note_ablation(demo_copy, "mine:f", "relevance", passed=None, sentence="too few")
    for at, sentence in (("2026-01-02T10:00", "what was once"), ("2026-01-03T10:00", "what is now")):
        canary = Trial(kind="canary", at=at, judge="mine:f", metric="G", passed=True, sentence=sentence)
        record(demo_copy, canary)
    app = opened(demo_copy, looking)
    shown = text(app)
    assert "mine:f canaries G 2026-01-03 10:00 UTC passed what is now" in shown
    assert "what was once" not in shown
    assert "not passed faithfulness leaks" in shown
    assert "cannot tell too few" in shown
    assert EVIL not in " ".join(block.value for block in app.html)


def test_judges_that_were_run_here_are_shown_with_the_command_that_goes_on(
    demo_copy: Study, looking: Callable[[Study], object]
) -> None:
    app = opened(demo_copy, looking, "judges-run")
    assert "No judge was run here." in text(app)
    assert app.code[0].value == EXAMPLE
    line = f"evidence-audit judge run --baseline --judge '{EVIL}'"
    run_judge(demo_copy, EVIL, LexicalJudge(), RunOptions(asked=Asked(labels=("D",))), command=line)
    app = opened(demo_copy, looking, "judges-run")
    shown = text(app)
    n = len(response_ids(demo_copy, Asked()))
    assert f"{EVIL} lexical baseline" in shown
    assert f"D {n} 0 of {n} no quotes {n} 0 + 0" in shown
    assert shown.count("complete") == 1
    assert [block.value for block in app.code] == [line]
    assert EVIL not in " ".join(block.value for block in app.html)
