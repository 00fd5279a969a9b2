"""Leads see and change the settings of the work; a change counts at once and names what it changed."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from audit_app.actions.answers import Refused
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.settings import change_settings, settings
from audit_app.page import pages
from data.errors import StudyProblem
from data.records import Person
from data.study import Study, open_study
from tests.audit_app.conftest import PATIENCE


@pytest.fixture
def study(study_from: Any, grid: Any) -> Study:
    made: Study = study_from(grid(3, conditions=("clean",)))
    draw_sample(made, Plan(size=None, contexts=3, overlap=0))
    return made


def screen() -> None:
    from audit_app.screens.settings import render

    render()


def shown(app: AppTest) -> str:
    return " ".join(block.value for block in app.html if "<style>" not in block.value)


def save(app: AppTest) -> AppTest:
    app.button[0].click().run()
    assert not app.exception
    return app


def test_a_lead_changes_limit_break_lease_and_marks_on_the_screen(
    study: Study, looking: Callable[..., Person], person_in: Any, desk: Any
) -> None:
    lead = looking(study, opened=False)
    assert "settings" in {path for _, path, _ in pages(lead)}
    ann = desk(study, person_in(study, "ann"))
    assert ann.view()["break_minutes"] == 50
    app = AppTest.from_function(screen, default_timeout=PATIENCE).run()
    assert "No calibration set yet" in shown(app)
    by_label = {field.label: field for field in app.number_input}
    by_label["Items a person can finish in a day"].set_value(1)
    by_label["Minutes of work until a break is suggested"].set_value(25.0)
    by_label["Pass mark (%)"].set_value(90.0)
    by_label[f"Pass mark of {study.rubric['G'].title} (%)"].set_value(70.0)
    save(app)
    assert "Minutes of work until a break is suggested: 50 → 25" in shown(app)
    later = open_study(study.path)
    assert (later.labelling.daily_limit, later.labelling.break_minutes) == (1, 25)
    assert (later.calibration.mark("D"), later.calibration.mark("G")) == (0.9, 0.7)
    assert "break_minutes = 25  # after so much work" in (study.path / "study.toml").read_text(encoding="utf-8")
    assert desk(later, ann.person).view()["break_minutes"] == 25, "the next view knows"
    app.number_input(key="calibration.marks.G=0.7").set_value(90.0)
    save(app)
    assert "as for all labels" in shown(app)
    assert open_study(study.path).calibration.mark("G") == 0.9
    save(app)
    assert "Nothing to change" in shown(app)


def test_only_leads_see_and_change_settings(study: Study, person_in: Any) -> None:
    for role in ("annotator", "adjudicator"):
        somebody = person_in(study, role, role=role)
        assert "settings" not in {path for _, path, _ in pages(somebody)}
        with pytest.raises(Refused):
            settings(study, by=somebody)
        with pytest.raises(Refused):
            change_settings(study, {"labelling.daily_limit": 3}, by=somebody)
    assert open_study(study.path).labelling.daily_limit == 0


def test_what_does_not_fit_changes_nothing(study: Study) -> None:
    before = (study.path / "study.toml").read_bytes()
    with pytest.raises(StudyProblem, match="no setting 'oidc"):
        change_settings(study, {"oidc.issuer": 3, "labelling.daily_limit": 3})
    with pytest.raises(StudyProblem, match="expected a share from 0 to 1"):
        change_settings(study, {"calibration.pass_mark": 2, "labelling.daily_limit": 3})
    assert (study.path / "study.toml").read_bytes() == before


def test_the_change_of_another_lead_in_between_stays(study: Study) -> None:
    change_settings(study, {"labelling.daily_limit": 7})
    change_settings(study, {"labelling.break_minutes": 10.0})
    later = open_study(study.path).labelling
    assert (later.daily_limit, later.break_minutes) == (7, 10)
