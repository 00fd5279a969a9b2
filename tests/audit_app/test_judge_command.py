"""The command judge run as somebody types it."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from click.testing import CliRunner, Result

from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.study import Study
from tests.judge.model_server import completion, first_value, refused, serving


@pytest.fixture
def study(grid: Callable[..., dict[str, list[dict[str, Any]]]], study_from: Callable[..., Study]) -> Study:
    rows = grid(2)
    for row in rows["responses"]:
        row["text"] = f"Answer of {row['response_id']}. Passage 1 says so."
    made = study_from(rows)
    draw_sample(made, Plan(size=None))
    return made


def run(study: Study, *words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "--study", str(study.path)], catch_exceptions=False)


def test_the_baseline_labels_the_drawn_responses_and_says_what_it_did(study: Study) -> None:
    done = run(study, "judge", "run", "--baseline", "--labels", "D,A,G,C,diagnostics", "--claims")
    assert (done.exit_code, done.stdout) == (0, "")
    lines = done.stderr.splitlines()
    assert lines[0] == (
        "Judge lexical baseline (not an LLM): 28 labels of 4 responses scored, 20 unscored, 0 without a reply; "
        "0 were there already."
    )
    assert "  4 × the lexical baseline has no rule for provenance_honesty" in lines
    assert lines[-1].startswith("Faithfulness (supported share of a response's claims, mean of 4 responses): ")
    again = json.loads(run(study, "judge", "run", "--baseline", "--json").stdout)
    assert (again["n_known"], again["tally"]["n_calls"], again["faithfulness"]) == (16, 0, None)


def test_what_was_judged_can_be_taken_out(study: Study) -> None:
    run(study, "judge", "run", "--baseline", "--labels", "D", "--claims", "--judge", "words")
    judged = list(csv.DictReader(StringIO(run(study, "export", "judgements").stdout)))
    assert [row["judge"] for row in judged] == ["words"] * 12
    assert {row["label"] for row in judged} == {"D", "claims", "faithfulness"}
    claims = [json.loads(line) for line in run(study, "export", "claims", "--format", "jsonl").stdout.splitlines()]
    assert [(row["number"], row["claim"]) for row in claims[:2]] == [
        (1, "Answer of t00.clean.wren.baseline."),
        (2, "Passage 1 says so."),
    ]
    assert "view_hash: of the artifacts" in run(study, "export", "judgements", "--columns").stdout
    assert "supported: whether" in run(study, "export", "claims", "--columns").stdout


def test_labels_that_are_left_are_exit_status_1(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    with serving() as server:
        server.answers = lambda body, times: refused(500, "oops") if times == 1 else completion(first_value(body))
        words = ("judge", "run", "--model", "m", "--base-url", server.address, "--labels", "D", "--retries", "0")
        dry = run(study, *words, "--dry-run", "--price", "1,2")
        assert (dry.exit_code, server.seen) == (0, [])
        assert "would be asked 4 times" in dry.stdout
        assert json.loads(run(study, *words, "--dry-run", "--json").stdout)["n_calls"] == 4
        left = run(study, *words)
        assert left.exit_code == 1
        assert "4 × the server answered 500" in left.stderr
        assert run(study, *words, "--where", "condition=clean", "--parameter", "max_tokens=2048").exit_code == 0
        assert run(study, *words).exit_code == 0
        assert len(server.seen) == 8


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["--baseline", "--price", "1"], 2, "expected two numbers"),
        (["--baseline", "--price", "-1,1"], 2, "at least 0"),
        (["--baseline", "--price", "nan,1"], 2, "at least 0"),
        (["--baseline", "--where", "condition"], 2, "expected COLUMN=VALUE"),
        (["--baseline", "--where", "colour=red"], 1, "unknown column 'colour'"),
        (["--baseline", "--labels", "Q"], 1, "a judge cannot be asked for 'Q'"),
        (["--baseline", "--max-cost", "1"], 1, "give --price"),
        (["--baseline", "--model", "m"], 1, "one of --model"),
        (["--baseline", "--parameter", "x"], 1, "expected NAME=VALUE"),
        (["--replay", "nowhere.jsonl"], 1, "nowhere.jsonl"),
        (["--baseline", "--parameter", "temperature=NaN"], 1, "expected a number that is one"),
        (["--baseline", "--parameter", "stop=[1e999]"], 1, "expected a number that is one"),
        (["--baseline", "--parameter", "max_tokens=lots"], 1, "expected a whole number of tokens"),
        (["--baseline", "--parameter", "max_completion_tokens=0"], 1, "expected a whole number of tokens"),
        (["--baseline", "--labels", " ,"], 1, "--labels is empty"),
        (["--model", " "], 1, "--model is empty"),
        (["--model", "m", "--base-url", "http://a:b@c/v1"], 1, "leave it out"),
        ([], 1, "say which judge"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(study: Study, words: list[str], code: int, why: str) -> None:
    done = run(study, "judge", "run", *words)
    assert done.exit_code == code
    assert why in done.stderr
    assert "Traceback" not in done.stderr
