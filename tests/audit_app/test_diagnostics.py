"""The diagnostics under the options of the other metrics: each is taken, or refused in a sentence."""

import json
from itertools import product
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.diagnostics import DiagnosticsResult, diagnostics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.cli import cli
from data.errors import StudyProblem
from data.records import DIAGNOSTICS
from data.study import Study
from metrics.estimate import Contexts

NAME = "conflict_awareness"
CONTEXT_LABELS = ["answerable", "supports", "construction_errors"]
AUDITED = 30
MEAN = (13 * 4 + 27 * 2) / 80


def row(item: str, label: str, value: Any, *, kind: str = "response", person: str = "ann") -> dict[str, Any]:
    return {"item_id": item, "item_kind": kind, "person_id": person, "label": label, "value": str(value)}


@pytest.fixture
def scored(grid: Any, study_from: Any, give_labels: Any) -> Study:
    """Forty tasks, two runs, all drawn for diagnostics: run 1 scores 2 and run 2 scores 0, but 2 in tasks 1, 4, 7 …

    The judge gives 1 throughout, 2 in these tasks. The first thirty contexts are audited: every third is
    broken.
    """
    rows = grid(40, conditions=("clean",))
    single = rows["responses"]
    rows["responses"] = [
        {**one, "response_id": f"{one['response_id']}.{run}", "run": run} for one, run in product(single, "12")
    ]
    good = {one["response_id"]: n // 2 % 3 == 1 for n, one in enumerate(rows["responses"])}
    rows["verdicts"] = [
        {"response_id": key, "judge": "judge-1", "C": 1, **dict.fromkeys(DIAGNOSTICS, 2 if good[key] else 1)}
        for key in good
    ]
    study: Study = study_from(rows, labels=["D", "A", "G", "C", *DIAGNOSTICS, *CONTEXT_LABELS])
    draw_sample(study, Plan(size=None, contexts=40, strata=(), overlap=0.5, diagnostics=1))
    said = []
    for n, key in enumerate(good):
        value = 2 if key.endswith(".1") or good[key] else 0
        said += [row(key, name, value, person=("ann", "bea", "col", "dan", "eve")[n % 5]) for name in DIAGNOSTICS]
    for n, context in enumerate(rows["contexts"][:AUDITED]):
        wrong = json.dumps(["gold_wrong"] if n % 3 == 0 else [])
        values = {"answerable": "established", "construction_errors": wrong,
                  "supports.1": "neither", "supports.2": "neither"}  # fmt: skip
        said += [row(context["context_id"], name, value, kind="context") for name, value in values.items()]
    give_labels(study, said)
    unseal(study, "a test")
    return study


def corrected(found: DiagnosticsResult, method: str = "corrected") -> DetailedEstimate:
    (one,) = [e for e in found.estimates if (e.metric, e.method) == (NAME, method)]
    return one


def test_the_mean_is_over_runs_and_of_such_tasks(scored: Study) -> None:
    plain, runs = diagnostics(scored), diagnostics(scored, average="runs")
    tasks = diagnostics(scored, about="such tasks")
    # 13 of 40 tasks have 2 and 2, the others 2 and 0; all is labelled.
    for found in (plain, tasks, runs):
        assert corrected(found).value == pytest.approx(MEAN)
    assert corrected(plain).interval == "census"
    assert corrected(tasks).population == "such tasks"
    assert (corrected(tasks).low or 2) < MEAN < (corrected(tasks).high or 0)
    assert corrected(runs).average == "runs"
    assert "for such tasks in general, of which these 40 with 80 responses are a sample." in tasks.sentence
    assert plain.sentence.endswith("; for these 80 responses.")
    assert runs.sentence.endswith("; for these 80 responses; means over runs.")


def test_annotators_like_these_need_five_and_widen(scored: Study) -> None:
    found = diagnostics(scored, annotators="annotators like these")
    one = corrected(found)
    assert one.annotators == "annotators like these"
    assert (one.high or 0) - (one.low or 0) > 0
    assert "annotators like these" in found.sentence
    assert any("not dealt at random" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("contexts", "value", "n"),
    [
        pytest.param("all", MEAN, 80, id="all"),
        # Of 20 valid contexts ten score 2 and 2, the others 2 and 0.
        pytest.param("valid", (10 * 4 + 10 * 2) / 40, 40, id="valid"),
    ],
)
def test_contexts_count_for_diagnostics_too(scored: Study, contexts: Contexts, value: float, n: int) -> None:
    found = diagnostics(scored, contexts=contexts)
    one = corrected(found, "human-only")
    assert (one.contexts, one.n) == (contexts, n)
    assert one.value == pytest.approx(value)
    assert ("valid contexts only" in found.sentence) == (contexts == "valid")


def test_the_views_stand_side_by_side(scored: Study) -> None:
    ended = CliRunner().invoke(
        cli, ["metrics", "--diagnostics", "--contexts", "side-by-side", "--study", str(scored.path)]
    )
    assert ended.exit_code == 0
    table = ended.stdout.split("\n\n")[1]
    assert table.splitlines()[0].split("  ")[0] == "metric"
    assert [name in table.splitlines()[0] for name in ("all contexts", "valid only", "re-classified")] == [True] * 3
    line = next(line for line in table.splitlines() if line.startswith("conflict awareness"))
    assert "1.32" in line
    # The judge knows 26 good ones of 80, and 20 were seen in 60: a little fewer than among the audited.
    assert "1.49" in line
    assert ended.stderr.count("Diagnostics are means") == 3


def test_target_b_rests_on_the_overlap(scored: Study, give_labels: Any) -> None:
    found = diagnostics(scored, target="B")
    assert "target B: the adjudicated or unanimous label" in found.sentence
    assert {e.target for e in found.estimates if e.method != "naive"} == {"B"}


def test_what_cannot_be_had_is_refused_in_a_sentence(scored: Study, grid: Any, study_from: Any) -> None:
    with pytest.raises(StudyProblem, match="nobody to borrow from"):
        diagnostics(scored, by=["condition"], borrow=["condition"])
    with pytest.raises(StudyProblem, match="unknown slice column"):
        diagnostics(scored, by=["colour"])


def test_without_an_audited_context_there_are_no_valid_ones(grid: Any, study_from: Any) -> None:
    study = study_from(grid(10, conditions=("clean",)), labels=["D", "A", "G", "C", *DIAGNOSTICS])
    draw_sample(study, Plan(size=None, overlap=0, diagnostics=1))
    unseal(study, "a test")
    with pytest.raises(StudyProblem, match="--diagnostics with --contexts valid: no context of a response"):
        diagnostics(study, contexts="valid")
