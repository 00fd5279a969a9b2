"""A judge run over a study, over real HTTP: nothing lost, nothing asked twice, and a report of what happened."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from starlette.responses import Response

from audit_app.actions.exporting import exported_judgements
from audit_app.actions.importing import import_records
from audit_app.actions.judge_choice import JudgeChoice, open_judge, parse_parameters
from audit_app.actions.judge_claims import CLAIMS_QUESTION, SUPPORT_QUESTION, faithfulness
from audit_app.actions.judge_ledger import RunOptions
from audit_app.actions.judge_report import estimate_sentences, faithfulness_sentence, run_sentences
from audit_app.actions.judge_run import JudgeRun, estimate, run_judge
from audit_app.actions.judge_work import Asked
from audit_app.actions.judging import judge_check
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from data import frame as frames
from data.errors import StudyProblem
from data.exporters import JUDGED, as_csv, as_jsonl
from data.store import judgements
from data.store.connection import open_store
from data.study import Study
from data.views import artifacts
from judge.run import Tally
from judge.spending import Price
from tests.judge.model_server import Body, ModelServer, completion, cut, first_value, prompt_of, refused, serving

ROOT = Path(__file__).parents[2]
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with serving() as server:
        yield server


@pytest.fixture
def server(running: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    running.answers, running.seconds, running.seen, running.times = ModelServer().answers, 0.0, [], {}
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    return running


@pytest.fixture(scope="module")
def rows(grid: Callable[..., Rows]) -> Rows:
    """12 responses that all say something else."""
    found = grid(3, models=("wren", "heron"))
    for row in found["responses"]:
        row["text"] = f"answer of {row['response_id']}"
    return found


@pytest.fixture
def study(rows: Rows, study_from: Callable[..., Study]) -> Study:
    made = study_from(rows)
    draw_sample(made, Plan(size=None))
    return made


def run(study: Study, server: ModelServer, *, name: str | None = None, **options: Any) -> JudgeRun:
    chosen = open_judge(study, JudgeChoice(model="m", base_url=server.address, name=name, retries=1))
    asked = Asked(**{key: options.pop(key) for key in ("labels", "everything", "where") if key in options})
    return run_judge(study, chosen.name, chosen.judge, RunOptions(asked=asked, **options), closing=chosen.closing)


def stored(study: Study, judge: str = "m") -> list[dict[str, Any]]:
    with open_store(study) as store:
        return list(judgements.of_judge(store, judge))


def verdict_rows(study: Study, judge: str = "m") -> dict[str, dict[str, Any]]:
    frame = frames.open_frame(study)
    ids = list(frames.response_rows(frame)["response_id"])
    rows = frames.judged_rows(frame, judge, ids).to_dict("records")
    plain = [
        {str(name): None if value is pd.NA or value != value else value for name, value in row.items()} for row in rows
    ]
    return {str(row["response_id"]): row for row in plain}


def test_every_label_is_asked_kept_and_joins_the_study_as_a_judge(study: Study, server: ModelServer) -> None:
    done = run(study, server, concurrency=4)
    assert (done.tally.n_scored, done.tally.n_calls, len(server.seen), done.complete) == (48, 48, 48, True)
    assert done.labels == ("D", "A", "G", "C")
    assert frames.judges(frames.open_frame(study)) == ["m"]
    assert {(row["D"], row["A"], row["G"], row["C"]) for row in verdict_rows(study).values()} == {(1, 1, 1, 1)}
    row = next(row for row in stored(study) if row["label"] == "G")
    assert (row["value"], row["judge_model"], row["input_tokens"], row["asked"]) == (
        "established",
        "model-2026-01",
        100,
        1,
    )
    assert (row["model"], json.loads(row["parameters"])) == ("m", {"max_tokens": 2048, "temperature": 0})
    assert row["seconds"] > 0
    assert len(row["prompt_hash"]) == len(row["view_hash"]) == 16


def test_the_same_command_again_asks_nothing(study: Study, server: ModelServer) -> None:
    run(study, server)
    before = stored(study)
    again = run(study, server)
    assert (len(server.seen), again.tally.n_calls, again.n_known) == (48, 0, 48)
    assert stored(study) == before


def test_another_judge_with_the_same_questions_takes_the_stored_answers(study: Study, server: ModelServer) -> None:
    run(study, server)
    other = run(study, server, name="second")
    assert (len(server.seen), other.tally.n_scored, other.tally.n_calls) == (48, 48, 0)
    assert {row["asked"] for row in stored(study, "second")} == {0}
    assert sum(row["input_tokens"] for row in stored(study, "second")) == 0


def test_a_second_date_of_a_judge_is_asked_anew_but_not_twice(study: Study, server: ModelServer) -> None:
    run(study, server, labels=("D",))
    later = run(study, server, name="m-later", labels=("D",), fresh=True)
    assert (len(server.seen), later.tally.n_calls) == (24, 12)
    assert run(study, server, name="m-later", labels=("D",), fresh=True).tally.n_calls == 0


def test_a_changed_question_is_asked_again_and_the_new_answer_stands(study: Study, server: ModelServer) -> None:
    run(study, server, labels=("D",))
    d = study.rubric["D"]
    reworded = replace(study.rubric, questions=tuple(
        replace(q, definition="Otherwise.") if q is d else q for q in study.rubric.questions))  # fmt: skip
    server.answers = lambda body, times: completion('{"value": "0"}')
    done = run(replace(study, rubric=reworded), server, labels=("D", "C"))
    assert done.tally.n_calls == 24
    assert {row["D"] for row in verdict_rows(study).values()} == {0}


@pytest.mark.parametrize(
    ("fails", "n_retries"),
    [
        pytest.param(lambda: refused(429, "slow down", retry_after_ms="5"), 12, id="429"),
        pytest.param(lambda: refused(500, "oops"), 12, id="500"),
        pytest.param(cut, 12, id="cut"),
    ],
)
def test_what_fails_once_is_tried_again_and_nothing_is_lost(
    study: Study, server: ModelServer, fails: Callable[[], Response], n_retries: int
) -> None:
    server.answers = lambda body, times: fails() if times == 1 else completion(first_value(body))
    done = run(study, server, labels=("G",))
    assert (done.tally.n_scored, done.tally.n_no_reply, done.tally.n_retries) == (12, 0, n_retries)
    assert set(server.times.values()) == {2}
    assert "12 repeated requests" in " ".join(run_sentences(done))
    assert run(study, server, labels=("G",)).tally.n_calls == 0


def test_what_has_no_reply_is_asked_by_the_next_run_and_only_that(study: Study, server: ModelServer) -> None:
    def answers(body: Body, times: int) -> Response:
        return refused(503, "overloaded") if "t01" in prompt_of(body) else completion(first_value(body))

    server.answers = answers
    first = run(study, server, labels=("D",))
    assert (first.tally.n_scored, first.tally.n_no_reply, first.complete) == (8, 4, False)
    assert "4 × the server answered 503" in "\n".join(run_sentences(first))
    assert "same command again" in " ".join(run_sentences(first))
    assert {i for i, row in verdict_rows(study).items() if row["D"] is None} == {
        i for i in verdict_rows(study) if "t01" in i
    }
    server.answers = ModelServer().answers
    second = run(study, server, labels=("D",))
    assert (second.n_known, second.tally.n_scored, second.complete) == (8, 4, True)
    assert Counter(server.times.values()) == {1: 8, 3: 4}
    assert all(row["D"] == 1 for row in verdict_rows(study).values())


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param(Response('{"choices": ['), "the server's answer cannot be read", id="malformed"),
        pytest.param(completion(None, choices=[]), "the server's answer has no choices", id="empty-choices"),
        pytest.param(completion(None, refusal="I cannot."), "the model refused: I cannot.", id="refusal"),
        pytest.param(completion('{"rationale": "It', finish="length"), "cut off at its limit of tokens", id="cut"),
        pytest.param(completion('{"value": [1]}'), "expected one of 1, 0", id="wrong-type"),
        pytest.param(completion("yes"), "no JSON object with 'value'", id="prose"),
    ],
)
def test_what_cannot_be_read_is_unscored_with_its_reason_and_not_asked_twice(
    study: Study, server: ModelServer, answer: Response, why: str
) -> None:
    server.answers = lambda body, times: answer
    done = run(study, server, labels=("D",))
    assert (done.tally.n_unscored, done.tally.n_scored, done.complete) == (12, 0, True)
    assert all(why in row["unscored_reason"] and row["value"] is None for row in stored(study))
    assert all(row["D"] is None and why in row["unscored_reason"] for row in verdict_rows(study).values())
    assert run(study, server, labels=("D",)).tally.n_calls == 0
    server.answers = ModelServer().answers
    again = run(study, server, labels=("D",), again=True)
    assert (again.tally.n_scored, len(server.seen)) == (12, 24)


def test_the_report_says_what_the_server_said_and_what_helps(study: Study, server: ModelServer) -> None:
    server.answers = lambda body, times: refused(400, "context length exceeded: 9000 > 8192")
    told = "\n".join(run_sentences(run(study, server, labels=("D",))))
    assert "12 × the server answered 400, such as: context length exceeded: 9000 > 8192" in told
    assert "12 requests were refused as they are" in told
    assert "same command" not in told
    told = "\n".join(run_sentences(run(study, server, labels=("D", "A"), concurrency=1)))
    assert "20 calls in a row had no reply" in told
    assert "24 labels are left" in told
    assert "same command" in told
    server.answers = lambda body, times: completion('{"rationale": "It', finish="length")
    told = "\n".join(run_sentences(run(study, server, labels=("D",))))
    assert "12 × the reply was cut off at its limit of tokens, such as: no JSON object" in told
    assert "--parameter max_tokens=NUMBER" in told
    server.answers = lambda body, times: Response('{"choices": [')
    told = "\n".join(run_sentences(run(study, server, labels=("C",))))
    assert "12 × the server's answer cannot be read, such as: all of it: Invalid JSON" in told


def test_extra_fields_do_no_harm(study: Study, server: ModelServer) -> None:
    server.answers = lambda body, times: completion(first_value(body, confidence=0.9), warnings=["x"], service_tier=5)
    assert run(study, server, labels=("D",)).tally.n_scored == 12


def test_quotes_that_are_not_in_the_context_are_counted_per_judge(study: Study, server: ModelServer) -> None:
    quotes = ["“passage  1”", "never said"]
    server.answers = lambda body, times: completion(first_value(body, evidence=quotes))
    done = run(study, server, labels=("G",))
    assert (done.quotes_so_far, done.quotes_not_in_context) == (24, 12)
    assert "Quote not in context: 12 of this judge's 24 quotes (50.0 %)" in " ".join(run_sentences(done))
    later = run(study, server)
    assert (later.quotes_so_far, later.quotes_not_in_context) == (24, 12)
    assert all([q["passage"] for q in json.loads(row["evidence"])] == [1, None]
               for row in stored(study) if row["label"] == "G")  # fmt: skip


def test_only_a_slice_or_all_of_the_frame(rows: Rows, study_from: Callable[..., Study], server: ModelServer) -> None:
    study = study_from(rows)
    draw_sample(study, Plan(size=4))
    assert run(study, server, labels=("D",)).n_responses == 4
    assert run(study, server, labels=("D",), everything=True, where={"model": "wren"}).n_responses == 6
    done = run(study, server, labels=("D",), everything=True)
    assert (done.n_responses, len(stored(study))) == (12, 12)
    assert len(server.seen) == 12
    with pytest.raises(StudyProblem, match="no response fits"):
        run(study, server, where={"model": "owl"})
    with pytest.raises(StudyProblem, match="unknown column 'modell'"):
        run(study, server, where={"modell": "owl"})


def test_labels_by_name_and_what_is_no_label_of_a_response(study: Study, server: ModelServer) -> None:
    done = run(study, server, labels=("C", "diagnostics"))
    assert len(done.labels) == 7
    assert done.tally.n_scored == 84
    with pytest.raises(StudyProblem, match=r"'X', 'answerable'; the rubric asks of a response D, A, G, C, diagnostics"):
        run(study, server, labels=("X", "answerable"))


def test_what_a_label_compares_and_a_response_lacks_is_counted(
    grid: Callable[..., Rows], study_from: Callable[..., Study], server: ModelServer
) -> None:
    study = study_from(grid(3, contexts=False, gold=False), labels=["D", "C"])
    done = run(study, server, everything=True)
    # Three responses with the same text are one question.
    assert (done.tally.n_scored, done.tally.n_calls, done.n_not_asked, done.complete) == (3, 1, 3, True)
    assert "Not asked: 3 labels" in " ".join(run_sentences(done))


def test_a_ceiling_stops_cleanly_and_a_higher_one_goes_on(study: Study, server: ModelServer) -> None:
    # 100 + 20 tokens at these prices cost 0.12.
    options: dict[str, Any] = {"labels": ("D",), "price": Price(input=1000, output=1000), "concurrency": 3}
    stopped = run(study, server, max_cost=3.5, **options)
    assert stopped.cost == stopped.cost_so_far == pytest.approx(0.12 * len(server.seen))
    assert 0 < len(server.seen) < 12
    assert (stopped.n_left, stopped.complete) == (12 - len(server.seen), False)
    assert "the ceiling of 3.5 is reached" in " ".join(run_sentences(stopped))
    assert "raise --max-cost" in " ".join(run_sentences(stopped))
    done = run(study, server, max_cost=10, **options)
    assert (done.complete, len(server.seen), set(server.times.values())) == (True, 12, {1})
    assert done.cost_so_far == pytest.approx(1.44)
    with pytest.raises(StudyProblem, match="--price"):
        RunOptions(max_cost=1)


def test_a_dry_run_says_what_it_would_take_and_asks_nothing(study: Study, server: ModelServer) -> None:
    chosen = open_judge(study, JudgeChoice(model="m", base_url=server.address))
    options = RunOptions(price=Price(input=1, output=2))
    found = estimate(study, chosen.name, chosen.judge, options)
    assert (found.n_calls, found.output_tokens, len(server.seen)) == (48, 48 * 150, 0)
    assert found.cost == pytest.approx((found.input_tokens + 2 * found.output_tokens) / 1e6)
    assert "48 times" in " ".join(estimate_sentences("m", found))
    run(study, server, labels=("D", "A"))
    rest = estimate(study, chosen.name, chosen.judge, options)
    assert (rest.n_calls, rest.output_tokens) == (24, 24 * 20)


def test_one_name_is_one_judge(study: Study, server: ModelServer, give_verdicts: Callable[..., None]) -> None:
    run(study, server, labels=("D",))
    other = JudgeChoice(model="m", base_url=server.address, parameters={"temperature": 1})
    chosen = open_judge(study, other)
    with pytest.raises(StudyProblem, match=r"judge 'm' is m with .*a name of its own with --judge"):
        run_judge(study, chosen.name, chosen.judge, RunOptions())
    give_verdicts(study, "imported")
    with pytest.raises(StudyProblem, match="'imported' were imported"):
        run(study, server, name="imported")


@pytest.fixture
def give_verdicts(tmp_path: Path) -> Callable[..., None]:
    def give(study: Study, judge: str) -> None:
        path = tmp_path / "verdicts.jsonl"
        rows = [
            {"response_id": i, "judge": judge, "C": 1, "G": 0, "evidence": ["passage 2", "no"]}
            for i in verdict_rows(study)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        import_records(study, "verdicts", path)

    return give


def test_a_wrong_key_ends_in_a_sentence_and_what_was_answered_stays(study: Study, server: ModelServer) -> None:
    def answers(body: Body, times: int) -> Response:
        return completion(first_value(body)) if len(server.seen) < 5 else refused(401, "no")

    server.answers = answers
    with pytest.raises(StudyProblem, match="OPENAI_API_KEY"):
        run(study, server, concurrency=1)
    assert len(stored(study)) == 4
    assert frames.judges(frames.open_frame(study)) == ["m"]


def test_judge_check_knows_the_judge(study: Study, server: ModelServer, give_labels: Any, label_rows: Any) -> None:
    run(study, server)
    give_labels(study, label_rows("ann", {i: {"C": str(n % 2)} for n, i in enumerate(verdict_rows(study))}))
    unseal(study, "a test")
    found = judge_check(study, judge="m").labels["C"]
    assert (found.n, found.always_yes.value) == (12, 0.5)
    assert found.sensitivity.value == 1


def test_claims_are_split_and_judged_one_by_one(study: Study, server: ModelServer) -> None:
    def answers(body: Body, times: int) -> Response:
        if "Which claims does" in prompt_of(body):
            claims = [] if "t02" in prompt_of(body) else [f"One of {hash(prompt_of(body))}.", "Two."]
            return completion(json.dumps({"claims": claims}))
        verdicts = [{"claim": 1, "rationale": "so", "evidence": ["passage 1"], "supported": True},
                    {"claim": 2, "rationale": "no", "evidence": [], "supported": False}]  # fmt: skip
        return completion(json.dumps({"verdicts": verdicts}))

    server.answers = answers
    done = run(study, server, labels=("G",), claims=True)
    found = faithfulness(study, "m")
    assert (found.value, found.n, found.n_without) == (0.5, 8, 4)
    assert len(found.claims) == 16
    first = found.claims[0]
    assert (first.number, first.supported, first.rationale) == (1, True, "so")
    assert [quote["passage"] for quote in first.evidence] == [1]
    assert "50.0 %" in faithfulness_sentence(found)
    # The passages and the claims, and nothing else of the item.
    asked = [prompt_of(seen.body) for seen in server.seen if "Which of the claims" in prompt_of(seen.body)]
    assert len(asked) == 8
    assert not any("answer of" in prompt or "GOLD" in prompt or "Which?" in prompt for prompt in asked)
    assert run(study, server, labels=("G",), claims=True).tally.n_calls == 0
    assert done.complete


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_recorded_judgements_are_replayed_without_a_server(
    study: Study, server: ModelServer, tmp_path: Path, form: str
) -> None:
    quoted = ["passage 1", "never said"]
    server.answers = lambda body, times: completion(first_value(body, evidence=quoted))
    run(study, server)
    record = tmp_path / f"record.{form}"
    lines = (as_csv if form == "csv" else as_jsonl)(exported_judgements(study), columns=JUDGED)
    record.write_text("".join(lines), newline="")
    n = len(server.seen)
    chosen = open_judge(study, JudgeChoice(replay=record))
    done = run_judge(study, chosen.name, chosen.judge, RunOptions())
    assert (done.tally.n_scored, done.quotes_not_in_context, len(server.seen)) == (48, 12, n)
    said = [{name: row[name] for name in ("item_id", "label", "value", "evidence")} for row in stored(study)]
    assert [{name: row[name] for name in said[0]} for row in stored(study, chosen.name)] == said
    assert done.model == "replay of model-2026-01"


def test_recorded_verdicts_are_replayed_and_what_is_missing_says_so(study: Study, tmp_path: Path) -> None:
    record = tmp_path / "verdicts.jsonl"
    ids = list(frames.response_rows(frames.open_frame(study))["response_id"])
    rows = [
        {"response_id": i, "judge": "j", "C": n % 2, "G": 0, "evidence": ["passage 2", "no"]} for n, i in enumerate(ids)
    ]
    record.write_text("".join(json.dumps(row) + "\n" for row in rows[:10]))
    chosen = open_judge(study, JudgeChoice(replay=record, name="again"))
    done = run_judge(study, chosen.name, chosen.judge, RunOptions(asked=Asked(labels=("C", "G"))))
    assert (done.tally.n_scored, done.tally.n_unscored, done.quotes_not_in_context) == (20, 4, 10)
    found = verdict_rows(study, "again")
    assert [found[row["response_id"]]["C"] for row in rows[:10]] == [row["C"] for row in rows[:10]]
    assert "nothing is recorded for C" in found[ids[11]]["unscored_reason"]


def test_the_baseline_needs_no_network_and_says_what_it_is(study: Study) -> None:
    chosen = open_judge(study, JudgeChoice(baseline=True))
    done = run_judge(study, chosen.name, chosen.judge, RunOptions(claims=True))
    assert "not an LLM" in done.judge
    assert done.complete
    assert done.tally.n_scored == 72


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        (JudgeChoice(), "one of --model NAME"),
        (JudgeChoice(model="m", baseline=True), "one of --model NAME"),
        (JudgeChoice(model="m", base_url="nowhere"), "no address"),
        (JudgeChoice(model="m"), "OPENAI_API_KEY"),
    ],
)
def test_a_judge_that_cannot_be_meant(
    study: Study, choice: JudgeChoice, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(StudyProblem, match=why):
        open_judge(study, choice)


def test_a_record_that_is_none(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"
    two = '{"judge": "a", "view_hash": "x"}\n{"judge": "b", "view_hash": "x"}\n'
    for text, why in [
        ("", "no rows"),
        (two, "several judges"),
        ('{"view_hash": "x"}\n', "no judgement"),
        ('{"response_id": "x"}\n', "judge"),
    ]:
        path.write_text(text)
        with pytest.raises(StudyProblem, match=why):
            open_judge(study, JudgeChoice(replay=path))


def test_parameters_that_are_not_for_a_person_to_set() -> None:
    for pair, why in [("temperature", "NAME=VALUE"), ("messages=[]", "not for you"), ("=1", "NAME=VALUE")]:
        with pytest.raises(StudyProblem, match=why):
            parse_parameters([pair])


def test_killed_in_the_middle_of_500_it_goes_on_and_asks_nothing_answered_twice(
    grid: Callable[..., Rows], study_from: Callable[..., Study], server: ModelServer
) -> None:
    rows, concurrency = grid(125, models=("wren", "heron")), 8
    for row in rows["responses"]:
        row["text"] = f"answer of {row['response_id']}"
    study = study_from(rows)
    server.seconds = 0.01

    def answers(body: Body, times: int) -> Response:
        if len(server.seen) >= 200:
            process.kill()
        return completion(first_value(body))

    server.answers = answers
    command = [sys.executable, "-c", "from audit_app.cli import main; main()", "judge", "run",
               "--study", str(study.path), "--model", "m", "--base-url", server.address, "--labels", "D", "--all",
               "--json", "--concurrency", str(concurrency)]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    assert process.wait(timeout=240) == -signal.SIGKILL
    server.wait_until_left()
    server.answers = ModelServer.answers
    n_before, kept = len(server.seen), len(stored(study))
    assert 200 <= n_before < 500
    assert n_before - concurrency <= kept <= n_before
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["n_known"], report["tally"]["n_scored"], report["complete"]) == (kept, 500 - kept, True)
    assert len(stored(study)) == len(verdict_rows(study)) == 500
    assert all(row["D"] == 1 for row in verdict_rows(study).values())
    assert len(server.times) == 500
    assert sum(server.times.values()) == 500 + n_before - kept


NEVER = ("task_id", "context_id", "response_id", "passage_id", "model", "prompt", "run", "judge", "rationale", "person")
SHOWN = ("question", "gold_answer", "gold_aliases", "passages", "response", "claims")


def marker(name: str) -> str:
    return f"Q{name.replace('_', '').upper()}Q"


def marked(texts: dict[str, str]) -> Rows:
    """One response, with the marker of its own in every field."""
    at = {name: f"{text}{marker(name)}{text[::-1]}" for name, text in texts.items()}
    source = {"title": at["passages"], "publisher": at["passages"], "url": f"https://{marker('passages')}.org"}
    passage = {"passage_id": at["passage_id"], "text": at["passages"], "supports": "neither", **source}
    return {
        "tasks": [{"task_id": at["task_id"], "regime": "longfact", "question": at["question"],
                   "gold_answer": at["gold_answer"], "gold_aliases": [at["gold_aliases"]]}],
        "contexts": [{"context_id": at["context_id"], "task_id": at["task_id"], "condition": "evidence_absence",
                      "passages": [passage]}],
        "responses": [{"response_id": at["response_id"], "context_id": at["context_id"], "model": at["model"],
                       "prompt": at["prompt"], "run": at["run"], "text": at["response"]}],
        "verdicts": [{"response_id": at["response_id"], "judge": at["judge"], "C": 1, "rationale": at["rationale"]}],
    }  # fmt: skip


def named(text: str) -> set[str]:
    """Which artifacts a text has something of."""
    constant = {word for word in ("longfact", "evidence_absence") if word in text}
    return constant | {name for name in (*NEVER, *SHOWN) if marker(name) in text}


# Not made smaller when it fails: each try is a study.
@settings(
    max_examples=3, deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.fixed_dictionaries({
    **{name: st.text("abc-_.", max_size=9) for name in NEVER},
    **{name: st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20) for name in SHOWN},
}))  # fmt: skip
def test_on_the_whole_way_nothing_leaves_that_a_label_does_not_compare(
    study_from: Callable[..., Study],
    server: ModelServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    texts: dict[str, str],
) -> None:
    study = study_from(marked(texts), name=str(len(list(tmp_path.iterdir()))))
    draw_sample(study, Plan(size=None))
    add_person(study, marker("person"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-SECRET")
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    server.seen.clear()
    claims = json.dumps({"claims": [texts["claims"] + marker("claims")]})
    supports = json.dumps({"verdicts": [{"claim": 1, "rationale": "so", "evidence": [], "supported": True}]})

    def answers(body: Body, times: int) -> Response:
        of_claims = {CLAIMS_QUESTION: claims, SUPPORT_QUESTION: supports}
        own = [reply for asked, reply in of_claims.items() if asked.question in prompt_of(body)]
        return completion(own[0] if own else first_value(body))

    server.answers = answers
    done = run(study, server, labels=("D", "A", "G", "C", "diagnostics"), claims=True)
    asked = {q.question: set(artifacts(q.view)) for q in study.rubric.questions if q.item_kind == "response"}
    asked |= {CLAIMS_QUESTION.question: {"response"}, SUPPORT_QUESTION.question: {"claims", "passages"}}
    assert done.tally.n_scored == len(server.seen) == len(asked) == 12, done.tally
    sent = [(seen.raw, str(seen.headers).replace("Bearer sk-SECRET", "")) for seen in server.seen]
    for text in [raw + headers for raw, headers in sent] + [record.getMessage() for record in caplog.records]:
        about = [shown for question, shown in asked.items() if question in text]
        assert named(text) == (about[0] if about else set())
        assert "sk-SECRET" not in text
        assert str(study.path) not in text


def test_two_runs_of_a_judge_at_once_ask_nothing_twice(study: Study, server: ModelServer) -> None:
    found: list[JudgeRun | str] = []

    def second(*labels: str) -> None:
        try:
            found.append(run(study, server, labels=labels))
        except StudyProblem as problem:
            found.append(str(problem))

    def told(tally: Tally, settled: int) -> None:
        if tally.n == 5:
            for labels in (("G", "C"), ("A",)):
                thread = threading.Thread(target=second, args=labels)
                thread.start()
                thread.join(120)

    chosen = open_judge(study, JudgeChoice(model="m", base_url=server.address))
    options = RunOptions(asked=Asked(labels=("D", "G")))
    run_judge(study, chosen.name, chosen.judge, options, closing=chosen.closing, told=told)
    refused, other = found
    assert isinstance(other, JudgeRun)
    assert other.tally.n_calls == 12
    assert "another run of judge 'm' is asking for G in this study just now; nothing was asked." in str(refused)
    second("D", "A", "G", "C")
    assert (len(server.seen), max(server.times.values())) == (48, 1)
