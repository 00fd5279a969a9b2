"""What the metrics can be asked for besides the plain answer, and that none of it unseals anything."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from audit_app.actions.demo import Demo
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.diagnostics import diagnostics
from audit_app.actions.metric_rows import interval_lines, metric_rows, near_an_end, note
from audit_app.actions.registering import register
from audit_app.actions.registration import Intent
from audit_app.actions.report import as_json, as_markdown, report
from audit_app.actions.results import HEADLINE, TAXONOMY, MetricsResult, metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.cli import cli
from audit_app.cli.results import metrics as metrics_command
from data.errors import StudyProblem
from data.records import DIAGNOSTICS
from data.store import items
from data.store.connection import open_store
from data.study import Study
from metrics.definitions import METRICS
from metrics.diagnostics import SCALES, STAGES
from metrics.uncertainty import Kind

FIELDS = ["metric", "slice", "method", "target", "population", "annotators", "contexts", "value", "low", "high",
          "level", "n", "n_effective", "n_dropped", "tier", "why_undefined"]  # fmt: skip
ADDED = ["scale", "average", "grounding", "se", "interval", "interval_reason", "homogeneity",
         "n_denominator", "bounds"]  # fmt: skip


def corrected(found: MetricsResult, name: str, **place: str) -> DetailedEstimate:
    (one,) = [e for e in found.estimates if (e.metric, e.method, e.slice) == (name, "corrected", place)]
    return one


def test_the_page_on_metrics_names_every_metric_and_every_field() -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert [name for name in METRICS if f"`{name}`" not in page] == []
    fields = page.split("## One row of the JSON")[1]
    assert [name for name in FIELDS + ADDED if not re.search(rf"\b{name}\b", fields)] == []
    options = {option for command in metrics_command.params for option in command.opts}
    assert set(re.findall(r"(?<=`)--[a-z-]+", page)) <= options


def test_what_was_not_registered_in_this_form_is_exploratory(demo_copy: Study) -> None:
    register(demo_copy, Intent(metrics=("SES",), by=(("model",),)))
    assert (metrics(demo_copy, names=["SES"]).standing or "").startswith("SES: registered on")
    ways: Sequence[dict[str, Any]] = ({"about": "such tasks"}, {"average": "regimes"},
                                      {"by": ["model"], "borrow": ["condition"]})  # fmt: skip
    for way in ways:
        said = metrics(demo_copy, names=["SES"], **way).standing or ""
        assert said.startswith("Exploratory, not registered in this form: SES.")


def inside(narrow: DetailedEstimate, wide: DetailedEstimate) -> bool:
    ends = (wide.low, narrow.low, narrow.value, narrow.high, wide.high)
    return None not in ends and list(ends) == sorted(set(ends), key=lambda end: end or 0)


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_the_json_has_the_fields_of_an_estimate_and_how_it_came_to_be(finished_demo: Demo) -> None:
    rows = json.loads(run("metrics", "--json", "--study", finished_demo.study.path).stdout)
    assert all(list(row) == FIELDS + ADDED for row in rows)
    ses = next(row for row in rows if (row["metric"], row["method"]) == ("SES", "corrected"))
    assert (ses["grounding"], ses["average"], ses["scale"], ses["tier"]) == ("strict", "pooled", 1, "direct")
    assert 0 < ses["se"] < ses["high"] - ses["low"]
    assert ses["interval"] in ("logit-t", "Dirichlet-multinomial")
    assert "of the variance rests on three labels (limit 45%)" in ses["interval_reason"]
    acc = next(row for row in rows if (row["metric"], row["method"]) == ("Acc", "corrected"))
    assert acc["grounding"] is None
    assert all(row[name] is None for row in rows if row["method"] == "naive" for name in ADDED[2:])


def test_the_two_populations_and_the_three_averages(grid: Any, study_from: Any, give_labels: Any) -> None:
    rows = grid(40, contexts=False)
    rows["responses"] = [
        {**row, "response_id": f"{row['task_id']}.{n}", "run": n} for row, n in product(rows["responses"], "123")
    ]
    for n, task in enumerate(rows["tasks"]):
        task["regime"] = ("longfact", "clbench")[n % 4 == 0]
    study = study_from(rows, labels=["C"])
    draw_sample(study, Plan(size=60, strata=("run",), overlap=0))
    with open_store(study) as store:
        drawn = items.draws(store, "main", "response")
    # Tasks differ, and so do runs: half of the tasks are always right, the others in run 1 only.
    right = {d["item_id"]: int(int(d["task_id"][1:]) < 20 or d["item_id"].endswith(".1")) for d in drawn}
    give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": "ann", "label": "C", "value": str(c)}
                        for item, c in right.items()])  # fmt: skip
    here, tasks = (metrics(study, names=["Acc"], about=about) for about in ("these responses", "such tasks"))
    assert "for these 120 responses" in here.sentence
    assert "such tasks in general, of which these 40 with 120 responses are a sample" in tasks.sentence
    narrow, wide = corrected(here, "Acc"), corrected(tasks, "Acc")
    assert (narrow.population, wide.population) == ("these responses", "such tasks")
    assert narrow.value == wide.value
    assert inside(narrow, wide)
    # Strata are runs of 40 with 20 drawn: the mean over runs is the plain mean of the three means.
    runs = metrics(study, names=["Acc"], average="runs")
    by_run = [np.mean([c for item, c in right.items() if item.endswith(f".{n}")]) for n in "123"]
    assert corrected(runs, "Acc").value == pytest.approx(np.mean(by_run))
    assert "; means over runs;" in runs.sentence
    regimes = metrics(study, names=["Acc"], average="regimes", floor=2)
    sliced = metrics(study, names=["Acc"], by=["regime"], floor=2)
    each = [corrected(sliced, "Acc", regime=name).value for name in ("longfact", "clbench")]
    assert corrected(regimes, "Acc").value == pytest.approx(np.mean([v for v in each if v is not None]))


def test_one_task_cannot_speak_for_such_tasks(grid: Any, study_from: Any) -> None:
    study = study_from(grid(1, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    with pytest.raises(StudyProblem, match="1 task cannot speak for such tasks"):
        metrics(study, about="such tasks")


def test_a_refused_slice_says_how_many_labels_it_needs_and_may_borrow(finished_demo: Demo) -> None:
    study = finished_demo.study
    plain = metrics(study, names=["ESD"], by=["model", "condition"])
    place = {"model": "larch-70b", "condition": "clean"}
    refused = corrected(plain, "ESD", **place)
    assert refused.tier == "refused"
    assert re.match(r"refused: \d+ labels in the denominator, 30 needed; label about \d+ more", note(refused))
    lent = metrics(study, names=["SES"], by=["model", "condition"], borrow=["condition"])
    borrowed = [e for e in lent.estimates if e.tier == "borrowed"]
    assert borrowed
    assert all("borrowed; " in note(e) and "the judge's errors" in note(e) for e in borrowed)
    (row,) = [row for row in metric_rows(borrowed) if row["slice"] == "larch-70b · clean"]
    assert (row["tier"], row["note"]) == ("borrowed", corrected(lent, "SES", **place).homogeneity)
    # What has labels enough does not borrow.
    assert corrected(lent, "SES") == corrected(metrics(study, names=["SES"]), "SES")
    with pytest.raises(StudyProblem, match="nobody to borrow from"):
        metrics(study, by=["condition"], borrow=["condition"])
    with pytest.raises(StudyProblem, match="unknown column to borrow within 'colour'"):
        metrics(study, by=["model"], borrow=["colour"])


@pytest.fixture
def gaps(grid: Any, study_from: Any, give_labels: Any) -> Study:
    """Forty of eighty labelled, by one person: ten yes, twenty no, ten that could not be judged."""
    study: Study = study_from(grid(80, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=40, overlap=0))
    with open_store(study) as store:
        drawn = [draw["item_id"] for draw in items.draws(store, "main", "response")]
    said = ["1"] * 10 + ["0"] * 20 + ["cannot_judge"] * 8 + [""] * 2
    give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": "ann", "label": "C", "value": value,
                         "reason": "unclear"} for item, value in zip(drawn, said, strict=True)])  # fmt: skip
    return study


def test_what_could_not_be_judged_is_bounded_in_text_and_json(gaps: Study) -> None:
    sentence = "between 25.0 % and 50.0 % if all 10 unusable labels had gone one way or the other"
    acc = corrected(metrics(gaps), "Acc")
    assert acc.value == pytest.approx(1 / 3)
    assert (acc.n, acc.n_dropped, note(acc)) == (30, 10, sentence)
    assert sentence in run("metrics", "--study", gaps.path).stdout
    assert sentence in as_markdown(report(gaps))
    (row,) = [
        r for r in json.loads(run("metrics", "--json", "--study", gaps.path).stdout) if r["method"] == "corrected"
    ]
    assert (row["bounds"]["lowest"], row["bounds"]["highest"]) == (pytest.approx(0.25), pytest.approx(0.5))
    assert row["bounds"]["low"] < 0.25 < 0.5 < row["bounds"]["high"]
    assert row["bounds"]["n_unusable"] == 10


def test_details_name_the_interval_and_what_chose_it(finished_demo: Demo) -> None:
    printed = run("metrics", "--details", "--study", finished_demo.study.path).stdout
    assert printed.splitlines()[0].split() == ["metric", "slice", "naive", "human-only", "corrected", "labels", "in",
                                               "denominator", "tier", "SE", "effective", "interval"]  # fmt: skip
    found = metrics(finished_demo.study)
    for line in interval_lines(found.estimates):
        assert line in printed
    acc = corrected(found, "Acc")
    assert acc.se is not None
    assert f"{100 * acc.se:.1f}" in printed
    plain = run("metrics", "--study", finished_demo.study.path).stdout
    assert "SE " not in plain


def test_what_counts_in_the_denominator_is_a_column_and_lent_labels_say_so(finished_demo: Demo) -> None:
    found = metrics(finished_demo.study, names=["SES", "ESD"], by=["model", "condition"], borrow=["condition"])
    (ses, *_, last), esd = (
        [row for row in metric_rows(found.estimates) if row["metric"] == name] for name in ("SES", "ESD")
    )
    assert (ses["labels"], ses["in denominator"]) == ("240", "240")
    assert last["labels"].endswith(" lent")
    # Of evidence shifts only: by the first annotator's labels.
    assert 0 < int(esd[0]["in denominator"]) < int(esd[0]["labels"]) == 240
    assert sum("of the same condition and judge pattern" in sentence for sentence in found.remarks) == 1
    assert not metrics(finished_demo.study, names=["SES"]).remarks


def test_a_mean_over_one_run_says_that_it_is_the_pooled_number(grid: Any, study_from: Any) -> None:
    rows = grid(4)
    rows["verdicts"] = [{"response_id": row["response_id"], "judge": "j", "C": 1} for row in rows["responses"]]
    study = study_from(rows, labels=["C"])
    draw_sample(study, Plan(size=None))
    unseal(study, "a test")
    said = "All responses are of one run: the mean over runs is the same as the pooled number."
    assert said in metrics(study, average="runs").remarks
    assert said not in metrics(study).remarks


@pytest.mark.parametrize(
    ("value", "kind", "near"),
    [
        (0.11, "Dirichlet-multinomial", "lower end"),
        (0.29, "Dirichlet-multinomial", "upper end"),
        (0.2, "Dirichlet-multinomial", None),
        (0.11, "logit-t", None),
    ],
)
def test_a_number_near_an_end_of_its_interval_is_explained(
    value: float, kind: Kind, near: str | None, finished_demo: Demo
) -> None:
    acc = corrected(metrics(finished_demo.study, names=["Acc"]), "Acc")
    said = near_an_end(replace(acc, value=value, low=0.1, high=0.3, interval=kind))
    assert said is None if near is None else f"near the {near} of its interval" in (said or "")


def scored(rows: list[dict[str, Any]], score: Any) -> list[dict[str, Any]]:
    return [{"response_id": row["response_id"], "judge": "judge-1", "C": 1, **dict.fromkeys(DIAGNOSTICS, score(n))}
            for n, row in enumerate(rows)]  # fmt: skip


@pytest.fixture
def diagnosed(grid: Any, study_from: Any, give_labels: Any) -> Study:
    """Eighty responses, all drawn, half of them for diagnostics; the judge says 2 of all, people 2 or 1 by turns."""
    rows = grid(80, conditions=("clean",))
    rows["verdicts"] = scored(rows["responses"], lambda n: 2)
    study: Study = study_from(rows, labels=["D", "A", "G", "C", *DIAGNOSTICS])
    draw_sample(study, Plan(size=None, overlap=0, diagnostics=0.5))
    with open_store(study) as store:
        chosen = sorted(item for _, item in items.subsample(store, "main", "diagnostics"))
    give_labels(
        study,
        [{"item_id": item, "item_kind": "response", "person_id": "ann", "label": name, "value": str(2 - n % 2)}
         for n, item in enumerate(chosen) for name in DIAGNOSTICS],
    )  # fmt: skip
    return study


def test_diagnostics_are_naive_on_all_and_human_where_they_were_drawn(diagnosed: Study) -> None:
    unseal(diagnosed, "a test")
    found = diagnostics(diagnosed, by=["condition"])
    assert [e.metric for e in found.estimates if not e.slice and e.method == "naive"] == list(SCALES)
    assert (found.n_drawn, found.n_judged) == (40, 80)
    for estimate in found.estimates:
        assert estimate.value == pytest.approx(2 if estimate.method == "naive" else 1.5)
        assert (estimate.n, estimate.n_dropped) == ((80, 0) if estimate.method == "naive" else (40, 0))
        if estimate.method != "naive":
            assert inside(estimate, replace(estimate, low=1, high=2))
    printed = run("metrics", "--diagnostics", "--study", diagnosed.path)
    assert "the judge scored 80 responses, people are asked for 40 drawn ones" in printed.output
    shown = next(line for line in printed.stdout.splitlines() if line.startswith("Detection"))
    assert re.match(r"Detection +all responses +2.00 +1.50 \(1.\d\d–1.\d\d\) +1.50 \(1.\d\d–1.\d\d\) +40 +40$", shown)
    rows = json.loads(run("metrics", "--diagnostics", "--json", "--study", diagnosed.path).stdout)
    assert {row["metric"] for row in rows if row["scale"] == 2} == set(SCALES)
    assert "## Diagnostics and stages" in as_markdown(report(diagnosed))


def test_a_repeated_diagnostic_changes_no_number(diagnosed: Study, give_labels: Any) -> None:
    unseal(diagnosed, "a test")
    before = diagnostics(diagnosed).estimates
    with open_store(diagnosed) as store:
        one = min(item for _, item in items.subsample(store, "main", "diagnostics"))
    rows = [{"item_id": one, "item_kind": "response", "person_id": "bea", "label": STAGES["Action"][0], "value": "0"}]
    for purpose in ("repeat", "canary", "calibration", "adjudication"):
        give_labels(diagnosed, [{**row, "purpose": purpose, "occasion": 2} for row in rows])
    assert diagnostics(diagnosed).estimates == before


def test_without_diagnostics_there_is_a_sentence(finished_demo: Demo) -> None:
    ended = run("metrics", "--diagnostics", "--study", finished_demo.study.path)
    assert "There are no diagnostics" in ended.output
    assert diagnostics(finished_demo.study).estimates == ()
    assert report(finished_demo.study).diagnostics is None


SEALED = re.compile(r"\d+\.\d+(?! points wide)|\d+ ?%(?!, for these)")
LEAKS = (
    "se",
    "n_effective",
    "n_denominator",
    "interval",
    "interval_reason",
    "homogeneity",
    "bounds",
    "value",
    "low",
    "high",
)
OPTIONS: Sequence[dict[str, Any]] = (
    {"target": "B"}, {"about": "such tasks"}, {"average": "regimes"}, {"grounding": "lenient"},
    {"by": ["model", "condition"], "borrow": ["condition"]}, {"names": (*HEADLINE, *TAXONOMY)},
)  # fmt: skip


@pytest.fixture
def sealed(demo_copy: Study) -> Study:
    with open_store(demo_copy) as store:
        store.change("DELETE FROM setting", [])
    return demo_copy


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options))
def test_no_option_tells_a_place_while_results_are_sealed(sealed: Study, options: dict[str, Any]) -> None:
    found = metrics(sealed, **options)
    assert not found.seal.is_open
    assert {getattr(e, name) for e in found.estimates for name in LEAKS} == {None}
    assert found.settled is None
    rows = metric_rows(found.estimates, details=True)
    assert [text for row in rows for text in row.values() if SEALED.search(text)] == []
    assert SEALED.search(" ".join([found.sentence, *found.remarks])) is None


def test_no_floor_and_no_level_feels_its_way_to_a_sealed_number(sealed: Study) -> None:
    """A floor that refuses tells how many labels count in a denominator, and two widths tell where an interval lies."""
    usual = metrics(sealed).estimates
    assert metrics(sealed, floor=5).estimates == metrics(sealed, floor=200).estimates == usual
    assert metrics(sealed, level=0.5).estimates == usual


def reopened(study: Study) -> Study:
    """As if one of the plan's openings were still at work, and nobody had opened results."""
    with open_store(study) as store:
        store.change("DELETE FROM setting", [])
        store.change("UPDATE assignment SET state = 'open' WHERE rowid = (SELECT min(rowid) FROM assignment)", [])
    return study


def test_sealed_gaps_have_no_bounds(gaps: Study) -> None:
    rows = json.loads(run("metrics", "--json", "--study", reopened(gaps).path).stdout)
    assert {row[name] for row in rows for name in LEAKS} == {None}
    assert "between" not in as_markdown(report(gaps)).split("## How to read this")[0]


def test_sealed_diagnostics_tell_widths_only(diagnosed: Study) -> None:
    rows = json.loads(run("metrics", "--diagnostics", "--json", "--study", reopened(diagnosed).path).stdout)
    assert {row[name] for row in rows for name in LEAKS} == {None}
    assert any("points wide, on a scale of 0 to 2" in (row["why_undefined"] or "") for row in rows)
    assert diagnostics(diagnosed, floor=2, level=0.5).estimates == diagnostics(diagnosed).estimates
    assert {row["value"] for row in json.loads(as_json(report(diagnosed)))["diagnostics"]} == {None}


def test_target_b_stands_beside_target_a_in_the_report(
    gaps: Study, grid: Any, study_from: Any, give_labels: Any
) -> None:
    assert report(gaps).adjudicated is None
    assert "arget B" not in as_markdown(report(gaps)).split("## How to read this")[0].replace("(target A)", "")
    study = study_from(grid(80, contexts=False), labels=["C"], name="b")
    draw_sample(study, Plan(size=60, overlap=0.8))
    with open_store(study) as store:
        drawn = [draw["item_id"] for draw in items.draws(store, "main", "response")]
        doubled = {item for _, item in items.subsample(store, "main", "overlap")}
    give_labels(
        study,
        [{"item_id": item, "item_kind": "response", "person_id": person, "label": "C", "value": str(n % 2)}
         for n, item in enumerate(drawn) for person in ("ann", "ben") if person == "ann" or item in doubled],
    )  # fmt: skip
    found = report(study)
    assert found.adjudicated is not None
    page, beside = as_markdown(found), corrected(found.adjudicated, "Acc")
    assert "| adjudicated (target B) |" in re.sub(r" +", " ", page)
    # Everybody agrees, so that the second number is the first.
    assert beside.value == corrected(found.overall, "Acc").value
    told = json.loads(as_json(found))
    assert [row["target"] for row in told["adjudicated"] if row["method"] == "corrected"] == ["B"]
    assert "How the intervals of all responses were made:" in page
    assert all(f"- {line}" in page for line in interval_lines(found.overall.estimates))
