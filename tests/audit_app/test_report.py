"""The report: whole, readable, the same in both forms."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.demo import Demo
from audit_app.actions.judging import judge_check
from audit_app.actions.raters import agreement
from audit_app.actions.report import as_json, as_markdown, report
from audit_app.actions.results import HEADLINE, metrics
from audit_app.actions.wording import as_table, percent
from audit_app.cli import cli
from data.store.connection import open_store
from data.study import Study
from metrics.definitions import METRICS

HOSTILE = "A|x\n## Injected\n<script>\u202e\x1b[31m ![y](z)"


@pytest.fixture(scope="module")
def markdown(finished_demo: Demo) -> str:
    return as_markdown(report(finished_demo.study))


def test_the_report_has_its_parts_in_order(markdown: str) -> None:
    titles = [line for line in markdown.splitlines() if line.startswith("#")]
    assert titles == [
        "# Evidence Audit demo: what people would have scored", "## Metrics", "## By condition",
        "## By model", "## The models compared", "## Registered slices",
        "## The judge against people", "## People against each other", "## The contexts", "## Leaks",
        "## Where the widths come from", "## Missing", "## How to read this",
    ]  # fmt: skip
    assert "240 of 240 drawn responses are labelled; judge heron-judge" in markdown
    assert "with the reason “demo”" in markdown
    assert not re.search(r"\bnan\b", markdown, flags=re.IGNORECASE)
    assert "None" not in markdown


def test_every_number_of_the_page_is_that_of_the_actions(finished_demo: Demo, markdown: str) -> None:
    for estimate in metrics(finished_demo.study).estimates:
        assert percent(estimate.value) in markdown
        if estimate.low is not None and estimate.high is not None:
            assert f"({100 * estimate.low:.1f}–{100 * estimate.high:.1f})" in markdown
    for name in HEADLINE:
        assert METRICS[name].sentence in markdown
    for label in agreement(finished_demo.study).labels:
        for found in label.coefficients:
            assert (percent(found.value) if found.name == "percent_agreement" else f"{found.value:.3f}") in markdown
    for check in judge_check(finished_demo.study).labels.values():
        assert percent(check.sensitivity.value) in markdown


def test_json_says_the_same(finished_demo: Demo) -> None:
    found = report(finished_demo.study)
    plain = json.loads(as_json(found))
    assert found.by_condition is not None
    assert plain["metrics"] == [e.as_dict() for e in found.by_condition.estimates]
    assert set(plain) >= {"study", "sentence", "seal", "metrics", "judge", "agreement", "missing"}
    assert plain["judge"]["labels"]["C"]["n"] == 240
    # Nobody has adjudicated the demo.
    (undecided,) = plain["missing"]
    assert undecided.startswith("Target B rests on the first 3 of the 96 responses of the overlap")
    assert plain["adjudicated"] is None


def test_the_report_of_another_judge(finished_demo: Demo) -> None:
    found = report(finished_demo.study, judge="plover-judge")
    assert (found.overall.judge, found.judge and found.judge.judge) == ("plover-judge", "plover-judge")
    assert found.overall.estimates != report(finished_demo.study).overall.estimates


def test_a_table_leaves_empty_columns_out() -> None:
    rows: list[dict[str, Any]] = [{"a": "1", "b": "", "c": "007"}, {"a": "2", "c": "1e5"}]
    assert as_table(rows, "github").splitlines()[0].split() == ["|", "a", "|", "c", "|"]
    assert "007" in as_table(rows)
    assert "1e5" in as_table(rows)


def test_the_words_of_others_break_no_page_and_no_terminal(demo_copy: Study) -> None:
    with open_store(demo_copy) as store:
        store.change("UPDATE person SET display_name = ? || person_id WHERE role = 'annotator'", [HOSTILE])
    found = report(demo_copy)
    seal = replace(found.overall.seal, reason=f"why {HOSTILE}")
    page = as_markdown(replace(found, overall=replace(found.overall, seal=seal)))
    assert not re.search(r"^## Injected", page, flags=re.MULTILINE)
    assert "<script>" not in page
    assert not {mark for mark in page if not mark.isprintable()} - set("\n")
    shown = r"A\|x\\n## Injected\\n&lt;script>\\u202e\\x1b\[31m !\[y](z)"
    assert re.search(rf"^\| .*{re.escape(shown)}", page, flags=re.MULTILINE)
    assert f"with the reason “why {shown}”" in page
    for words in (["agreement"], ["agreement", "--annotators"], ["people", "list"]):
        ended = CliRunner().invoke(cli, [*words, "--study", str(demo_copy.path)])
        assert r"A|x\n## Injected\n<script>\u202e\x1b[31m" in ended.output
        assert not {mark for mark in ended.output if not mark.isprintable()} - set("\n\t")
