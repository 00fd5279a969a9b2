"""Where the width of an interval comes from, in every output, and sealed."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.budgeting import budget_lines, budget_rows
from audit_app.actions.demo import Demo
from audit_app.actions.report import as_json, as_markdown, report
from audit_app.actions.results import WITHHELD, metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study


@pytest.fixture
def plain(grid: Any, study_from: Any, give_labels: Any) -> Study:
    """Forty of a hundred and twenty, in one stratum, by one person; a quarter are right."""
    study: Study = study_from(grid(120, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=40, strata=(), overlap=0))
    with open_store(study) as store:
        drawn = items.draws(store, "main", "response")
    give_labels(study, [{"item_id": draw["item_id"], "item_kind": "response", "person_id": "ann", "label": "C",
                         "value": str(int(n % 4 == 0))} for n, draw in enumerate(drawn)])  # fmt: skip
    return study


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_twice_the_labels_in_every_output(plain: Study) -> None:
    found = metrics(plain, names=["Acc"], budget=True)
    (one,) = found.budgets
    acc = next(e for e in found.estimates if e.method == "corrected")
    half = (acc.high or 0) / 2 - (acc.low or 0) / 2
    labels = next(part for part in one.parts if part.source == "labels")
    # (1 - 80/120) / 80 is a quarter of (1 - 40/120) / 40.
    assert one.half_width == pytest.approx(half)
    assert labels.share == pytest.approx(1)
    assert labels.doubled == pytest.approx(half / 2)
    now, then = f"±{100 * half:.1f}", f"±{50 * half:.1f}"
    sentence = f"Acc: doubling the labels would shrink the interval from {now} to {then} points."
    assert budget_lines(found.budgets)[0] == sentence
    assert budget_rows(found.budgets)[0]["labels"] == f"100 %, {then} if doubled"
    printed = run("metrics", "--metric", "Acc", "--budget", "--study", plain.path).stdout
    assert sentence in printed
    assert f"- {sentence}" in as_markdown(report(plain))
    told = json.loads(as_json(report(plain)))["budgets"]
    assert [row["half_width"] for row in told] == [pytest.approx(half)]
    rows = json.loads(run("metrics", "--metric", "Acc", "--budget", "--json", "--study", plain.path).stdout)
    assert {row["method"]: row["budget"] and row["budget"]["half_width"] for row in rows} == {
        "naive": None, "human-only": None, "corrected": pytest.approx(half),
    }  # fmt: skip


def test_without_the_option_nothing_is_added(plain: Study) -> None:
    assert metrics(plain).budgets == ()
    assert "doubling" not in run("metrics", "--study", plain.path).stdout
    assert "budget" not in json.loads(run("metrics", "--json", "--study", plain.path).stdout)[0]


def test_target_b_has_no_budget(finished_demo: Demo) -> None:
    with pytest.raises(StudyProblem, match="of target A"):
        metrics(finished_demo.study, target="B", budget=True)
    assert run("metrics", "--budget", "--target", "B", "--study", finished_demo.study.path).exit_code == 1


def test_such_tasks_have_a_part(finished_demo: Demo) -> None:
    found = metrics(finished_demo.study, names=["SES"], about="such tasks", budget=True)
    shares = {part.source: part.share for part in found.budgets[0].parts if part.share is not None}
    assert shares["tasks"] > 0
    assert sum(shares.values()) == pytest.approx(1)


def test_a_budget_waits_for_the_seal(demo_copy: Study) -> None:
    with open_store(demo_copy) as store:
        store.change("DELETE FROM setting", [])
    sealed = metrics(demo_copy, by=["model", "condition"], budget=True)
    # Which intervals bear a budget tells which of them are exact, so that nothing or everything was seen.
    assert (sealed.seal.is_open, sealed.budgets) == (False, ())
    assert WITHHELD in sealed.remarks
    assert WITHHELD not in metrics(demo_copy).remarks
    ended = run("metrics", "--budget", "--study", demo_copy.path)
    assert WITHHELD in ended.stderr
    assert "±" not in ended.stdout
    rows = json.loads(run("metrics", "--budget", "--json", "--study", demo_copy.path).stdout)
    assert {row["budget"] for row in rows} == {None}
    assert WITHHELD in as_markdown(report(demo_copy))


def test_a_budget_of_the_overall_numbers_is_that_of_every_slice_without_the_others(finished_demo: Demo) -> None:
    options: dict[str, Any] = {"names": ["SES"], "by": ["condition"]}
    every = metrics(finished_demo.study, budget=True, **options).budgets
    assert len(every) == 6
    assert metrics(finished_demo.study, budget="overall", **options).budgets == every[:1]
