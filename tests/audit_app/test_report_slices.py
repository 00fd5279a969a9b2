"""The models and the registered slices in the report."""

import json
from typing import Any

import pytest

from audit_app.actions.comparable import Question
from audit_app.actions.comparing import compare
from audit_app.actions.demo import Demo
from audit_app.actions.registering import register
from audit_app.actions.registration import Intent
from audit_app.actions.report import as_json, as_markdown, report
from audit_app.actions.report_slices import (
    ANOTHER_SAMPLE,
    BY_MODEL,
    COMPARED,
    NO_SLICES,
    NOTHING_REGISTERED,
    ONE_MODEL,
    ONE_TO_COMPARE,
    REGISTERED,
)
from audit_app.actions.results import HEADLINE, metrics
from audit_app.actions.sampling import Plan, draw_sample
from data.store.connection import open_store
from data.study import Study


def section(page: str, heading: str) -> str:
    return page.partition(f"## {heading}\n")[2].partition("\n## ")[0].strip()


def test_every_model_has_its_numbers(finished_demo: Demo) -> None:
    found = report(finished_demo.study)
    page = section(as_markdown(found), BY_MODEL)
    of = metrics(finished_demo.study, by=["model"])
    expected = [e for e in of.estimates if e.slice]
    assert len(expected) == len(HEADLINE) * 2 * 3
    assert json.loads(as_json(found))["by_model"] == [e.as_dict() for e in expected]
    for e in expected:
        if e.method == "corrected":
            assert f"({100 * (e.low or 0):.1f}–{100 * (e.high or 0):.1f})" in page


def test_the_models_are_compared_on_the_first_metric(finished_demo: Demo) -> None:
    found = report(finished_demo.study)
    (one,) = compare(finished_demo.study, Question(by="model", names=["Acc"])).comparisons
    assert found.slices.compared is not None
    assert found.slices.compared.comparisons == (one,)
    page = section(as_markdown(found), COMPARED)
    assert "larch-70b − wren-8b" in page
    assert "differ beyond chance" in page
    assert section(as_markdown(found), REGISTERED) == NOTHING_REGISTERED


def test_registered_slices_are_made_as_they_were_registered(demo_copy: Study) -> None:
    intent = Intent(metrics=("cSES", "SES"), by=(("model", "condition"), ("regime",)), about="such tasks", floor=20)
    register(demo_copy, intent)
    found = report(demo_copy)
    plain = json.loads(as_json(found))
    assert [row["by"] for row in plain["registered"]] == [["model", "condition"], ["regime"]]
    first = metrics(demo_copy, by=["model", "condition"], names=intent.metrics, about="such tasks", floor=20)
    assert plain["registered"][0]["metrics"] == [e.as_dict() for e in first.estimates if e.slice]
    assert found.slices.compared is not None
    assert [one.metric for one in found.slices.compared.comparisons] == ["cSES"]
    page = section(as_markdown(found), REGISTERED)
    assert "By model and condition: Corrected to what one of these annotators would have said" in page
    assert "By regime: " in page
    assert "such tasks in general" in page


def test_registered_without_slices_or_of_another_sample(demo_copy: Study) -> None:
    register(demo_copy, Intent(metrics=("SES",)))
    assert section(as_markdown(report(demo_copy)), REGISTERED) == NO_SLICES
    register(demo_copy, Intent(metrics=("SES",), by=(("model",),)), amend="by model too")
    draw_sample(demo_copy, Plan(sample_id="second", size=60, overlap=0))
    said = ANOTHER_SAMPLE.format(registered="demo", reported="second")
    assert section(as_markdown(report(demo_copy)), REGISTERED) == said


def test_what_cannot_be_made_as_registered_says_why(demo_copy: Study) -> None:
    register(demo_copy, Intent(metrics=("SES",), by=(("model",),), contexts="valid"))
    with open_store(demo_copy) as store:
        store.change("DELETE FROM setting", [])
    assert "which contexts are broken is itself a result" in section(as_markdown(report(demo_copy)), REGISTERED)


def test_a_sealed_report_compares_widths_only(demo_copy: Study) -> None:
    register(demo_copy, Intent(metrics=("SES",), by=(("model",),)))
    with open_store(demo_copy) as store:
        store.change("DELETE FROM setting", [])
    page = as_markdown(report(demo_copy))
    for heading in (BY_MODEL, COMPARED, REGISTERED):
        assert "sealed" in section(page, heading)
        assert "%" not in section(page, heading).replace("95 %", "")
    assert "beyond chance" not in page


def test_one_model_has_no_section_of_numbers(grid: Any, study_from: Any) -> None:
    study = study_from(grid(2), labels=["D"])
    draw_sample(study, Plan(size=None, overlap=0))
    page = as_markdown(report(study))
    assert section(page, BY_MODEL) == ONE_MODEL
    assert section(page, COMPARED) == ONE_TO_COMPARE


@pytest.mark.parametrize("labels", [["D"], ["A"]])
def test_models_of_a_study_without_a_metric_are_not_compared(grid: Any, study_from: Any, labels: list[str]) -> None:
    study = study_from(grid(2, models=("wren", "larch")), labels=labels)
    draw_sample(study, Plan(size=None, overlap=0))
    assert section(as_markdown(report(study)), COMPARED).startswith("nothing to compare. Left out: Acc, SES, cSES")


def test_registered_slices_that_borrow_say_what_they_rest_on(demo_copy: Study) -> None:
    register(demo_copy, Intent(metrics=("SES",), by=(("model", "condition"),), borrow=("condition",)))
    page = section(as_markdown(report(demo_copy)), REGISTERED)
    assert (
        page.count("A borrowed number rests on the labels of all responses (its own, too) of the same condition") == 1
    )
