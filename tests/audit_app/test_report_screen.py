"""The Report screen: labels that are lent, and what it says of them."""

import re
from html import unescape
from typing import Any

from streamlit.testing.v1 import AppTest

from audit_app.actions.demo import Demo
from audit_app.actions.metrics_result import lent
from audit_app.actions.results import metrics
from tests.audit_app.conftest import PATIENCE


def screen() -> None:
    from audit_app.screens.report import render

    render()


def text(app: AppTest) -> str:
    shown = [block.value for block in app.html if "<style>" not in block.value]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", " ".join(shown))))


def test_lent_labels_are_explained_as_by_the_command(finished_demo: Demo, looking: Any) -> None:
    looking(finished_demo.study)
    app = AppTest.from_function(screen, default_timeout=PATIENCE).run()
    assert not app.exception
    assert not [box for box in app.selectbox if box.key == "borrow"]
    app.multiselect(key="by").set_value(["model", "condition"]).run()
    assert "A borrowed number" not in text(app)
    app.selectbox(key="borrow").select("condition").run()
    assert not app.exception
    found = metrics(finished_demo.study, by=["model", "condition"], borrow=["condition"])
    note = lent(found.estimates, ["condition"])
    assert note
    assert text(app).count(note) == 1
    assert "larch-70b · clean borrowed" in text(app)
