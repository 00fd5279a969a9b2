"""How far judges are that were run here, for leads; nothing of what they said."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from audit_app.actions import judge_overview as overviews
from audit_app.actions.answers import Refused
from audit_app.actions.judge_choice import Chosen, JudgeChoice, open_judge
from audit_app.actions.judge_command import EXAMPLE, command_for, command_of
from audit_app.actions.judge_ledger import RunOptions
from audit_app.actions.judge_overview import judge_overview, overview_rows
from audit_app.actions.judge_run import run_judge
from audit_app.actions.judge_work import Asked
from audit_app.actions.people import add_person
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.cli import cli
from data.errors import StudyProblem
from data.questions import Question
from data.records import Person
from data.store.connection import open_store
from data.study import Study
from judge.judge import JudgeError, Judgement, Quote, Seen
from judge.spending import Price

SECRET = "SECRETVALUE"


@dataclass
class Scripted:
    """Says each of these in turn, again and again, or raises it."""

    said: list[Judgement | Exception]
    model: str = "m"
    parameters: dict[str, object] = field(default_factory=lambda: {"temperature": 0})
    n: int = 0

    def prompt_hash(self, question: Question) -> str:
        return question.name

    async def judge(self, question: Question, view: Seen) -> Judgement:
        said = self.said[self.n % len(self.said)]
        self.n += 1
        if isinstance(said, Exception):
            raise said
        return said


@pytest.fixture
def study(grid: Callable[..., Any], study_from: Callable[..., Study]) -> Study:
    rows = grid(3, conditions=("clean",))
    for row in rows["responses"]:
        row["text"] = f"answer of {row['response_id']}"
    made = study_from(rows)
    draw_sample(made, Plan(size=None, overlap=0))
    return made


GOOD = Judgement(
    value="1",
    evidence=(Quote(text="x", passage=None), Quote(text="y", passage=1)),
    rationale=SECRET,
    input_tokens=100,
    output_tokens=10,
)
UNREADABLE = Judgement(unscored_reason=f"no JSON in the reply: {SECRET}", input_tokens=100, output_tokens=10)
SILENT = Judgement(unscored_reason="no reply in time", answered=False)


def run(study: Study, judge: Scripted, **options: Any) -> None:
    asked = Asked(labels=options.pop("labels", ("A", "D")))
    command = options.pop("command", None)
    run_judge(study, "ours", judge, RunOptions(asked=asked, concurrency=1, **options), command=command)


def test_a_judge_with_what_is_unscored_and_why_and_what_it_took(study: Study) -> None:
    run(study, Scripted([GOOD, UNREADABLE, SILENT]), price=Price(input=10, output=100), command="the command")
    (one,) = judge_overview(study)
    counts = [(label.label, label.n, label.n_scored, label.n_no_reply) for label in one.labels]
    assert (one.judge, one.model, one.n, one.n_scored) == ("ours", "m", 6, 2)
    assert [sum(column) for column in zip(*(count[1:] for count in counts), strict=True)] == [6, 2, 2]
    assert one.reasons == {"no JSON in the reply": 2, "no reply in time": 2}
    assert (one.n_quotes, one.n_not_in_context, one.n_calls) == (4, 2, 6)
    assert (one.input_tokens, one.output_tokens) == (400, 40)
    assert one.cost == pytest.approx(4 * (0.001 + 0.001))
    assert (one.all_priced, one.stopped, one.n_left, one.command) == (True, None, 2, "the command")
    (row,) = overview_rows([one])
    assert row["quotes not in context"] == "2 of 4 (50.0\xa0%)"
    assert row["last run"].endswith("UTC, labels left: 2")
    run(study, Scripted([GOOD]))
    (one,) = judge_overview(study)
    assert (one.n_left, one.all_priced, one.command) == (0, False, "the command")
    assert overview_rows([one])[0]["cost"] == "0.008 or more: some calls had no price"
    assert overview_rows([one])[0]["last run"].endswith("complete")


def test_a_run_that_was_stopped_says_why_and_one_that_was_killed_is_not_called_complete(study: Study) -> None:
    with pytest.raises(StudyProblem):
        run(study, Scripted([GOOD, JudgeError("the key was refused")]))
    (one,) = judge_overview(study)
    assert (one.stopped, one.n_left) == ("the key was refused", 5)
    assert "stopped, labels left: 5 (the key was refused)" in overview_rows([one])[0]["last run"]
    with open_store(study) as store:
        (row,) = store.rows("SELECT * FROM judgement")
        later = {**row, "number": 99, "item_id": "other", "created_at": "2999-01-01T00:00:00+00:00"}
        store.insert("judgement", [later])
    (one,) = judge_overview(study)
    assert (one.n_left, overview_rows([one])[0]["last run"]) == (None, "2999-01-01 00:00 UTC")


def test_nothing_that_a_judge_said_is_in_it(study: Study) -> None:
    run(study, Scripted([GOOD, UNREADABLE]))
    assert SECRET not in repr(judge_overview(study))
    done = CliRunner().invoke(cli, ["judge", "runs", "--study", str(study.path), "--json"])
    assert done.exit_code == 0
    assert SECRET not in done.output
    assert json.loads(done.stdout)[0]["judge"] == "ours"


def test_only_leads_see_it_and_when_results_are_open_only_those_who_opened_them(study: Study) -> None:
    add_person(study, "Lead", role="lead", person_id="lead")
    asks = Person(person_id="lead", display_name="Lead", role="lead")
    assert judge_overview(replace(study, asked_by=asks)) == []
    for role in ("annotator", "adjudicator"):
        with pytest.raises(Refused):
            judge_overview(replace(study, asked_by=replace(asks, role=role)))
    unseal(study, "a test")
    with pytest.raises(Refused):
        judge_overview(replace(study, asked_by=asks))


def test_runs_are_added_to_and_never_changed(study: Study) -> None:
    run(study, Scripted([GOOD]))
    with open_store(study) as store, pytest.raises(Exception, match="judge_run is append-only"):
        store.change("DELETE FROM judge_run", [])


def test_the_command_shows_them_and_how_to_begin(study: Study) -> None:
    where = ["judge", "runs", "--study", str(study.path)]
    assert f"No judge was run here. To run one: {EXAMPLE}" in CliRunner().invoke(cli, where).stderr
    done = CliRunner().invoke(cli, ["judge", "run", "--baseline", "--labels", "A,D", "--study", str(study.path)])
    assert done.exit_code == 0, done.output
    shown = CliRunner().invoke(cli, where)
    assert "D 3, A 3" in shown.stdout
    assert "evidence-audit judge run --baseline --labels A,D" in shown.stderr


def test_a_command_brings_back_the_judge_and_what_it_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1?key=SECRET")
    choice = JudgeChoice(model="qwen 3", name="q", parameters={"temperature": None, "seed": 7, "effort": "low"},
                         retries=2)  # fmt: skip
    asked = Asked(labels=("D", "G"), everything=True, where={"model": "wren 8b"})
    options = RunOptions(asked=asked, price=Price(input=0.15, output=0.6), max_cost=3, claims=True, again=True)
    line = command_of(choice, open_judge(None, choice), options)
    assert "SECRET" not in line
    assert shlex.split(line)[3:] == [
        "--model", "qwen 3", "--base-url", "http://127.0.0.1:9/v1", "--parameter", "temperature=", "--parameter",
        "seed=7", "--parameter", "effort=low", "--judge", "q", "--retries", "2", "--labels", "D,G", "--claims", "--all",
        "--where", "model=wren 8b", "--price", "0.15,0.6", "--max-cost", "3",
    ]  # fmt: skip
    assert _accepted(line)


def test_a_judge_of_an_older_version_has_a_command_as_far_as_it_is_known() -> None:
    assert command_for("j", "m", '{"max_tokens": 2048, "seed": 7}') == (
        "evidence-audit judge run --model m --base-url URL --parameter temperature= --parameter seed=7 --judge j"
    )
    assert command_for("m", "m", '{"max_tokens": 2048, "temperature": 0}') == (
        "evidence-audit judge run --model m --base-url URL"
    )
    assert command_for("replay of x", "replay of y", "{}") is None
    baseline = open_judge(None, JudgeChoice(baseline=True))
    assert command_for(baseline.name, baseline.judge.model, "{}") == "evidence-audit judge run --baseline"
    replay = Chosen(name="replay of r.jsonl", judge=baseline.judge)
    assert command_of(JudgeChoice(replay=Path("r.jsonl")), replay, RunOptions()) == (
        "evidence-audit judge run --replay r.jsonl"
    )


def _accepted(line: str) -> bool:
    """Whether the command line takes the words, without running them."""
    command: Any = cli
    for word in shlex.split(line)[1:3]:
        command = command.get_command(click.Context(command), word)
    command.make_context("run", shlex.split(line)[3:])
    return True


def test_long_lists_of_reasons_are_cut(study: Study) -> None:
    run(study, Scripted([Judgement(unscored_reason=f"reason {n}") for n in range(6)]))
    (row,) = overview_rows(judge_overview(study))
    assert row["why unscored"].count("×") == overviews.MOST_REASONS
    assert row["why unscored"].endswith("…")
