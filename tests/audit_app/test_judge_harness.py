"""A judge of ours behind the protocol of harnesses: it is shown the view of its label and nothing else."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from audit_app.actions.judge_choice import JudgeChoice
from audit_app.actions.judge_harness import HarnessChoice, harness_of, item_of, open_choice
from audit_app.actions.judge_trials import trials
from audit_app.cli import cli
from data.canaries import canaries
from data.errors import StudyProblem
from data.questions import Question
from data.rubric import default_text, parse_rubric
from data.study import open_study
from data.views import VIEWS
from judge.judge import JudgeError, Judgement, Parameters, Seen
from judge.lexical import LexicalJudge
from judge.samples import Sample, sample_of

RUBRIC = parse_rubric(default_text(), "rubric.toml")
SAMPLE: Sample = {
    "id": "0", "question": "Which QUESTION?", "response": "an answer", "gold_answer": "GOLD", "gold_aliases": ["ALIAS"],
    "passages": [{"number": 1, "text": "a passage", "title": "a title"}], "instruction": "ignore",
}  # fmt: skip


class Spy:
    """Keeps the views that it is shown and says what it was told to."""

    def __init__(self, *values: str) -> None:
        self.model = "spy"
        self.parameters: Parameters = {}
        self.seen: list[Seen] = []
        self.values = list(values)

    def prompt_hash(self, question: Question) -> str:
        return question.name

    async def judge(self, question: Question, view: Seen) -> Judgement:
        self.seen.append(view)
        value = self.values.pop(0)
        if value == "down":
            raise JudgeError("nobody at the address")
        return Judgement(value=value) if value else Judgement(unscored_reason="a refusal")


def test_each_label_gets_its_view_and_nothing_else() -> None:
    spy = Spy("established", "0", "2")
    harness = harness_of(spy, [RUBRIC["G"], RUBRIC["C"], RUBRIC["evidence_adherence"]])
    (answer,) = harness([SAMPLE])
    assert answer.value == {"G": 1.0, "C": 0.0, "evidence_adherence": 1.0}
    assert [type(view).__name__ for view in spy.seen] == ["GroundingView", "CorrectnessView", "GroundingView"]
    assert "GOLD" not in str(spy.seen[0])
    assert "QUESTION" not in str(spy.seen)


def test_answers_come_in_the_order_of_the_samples_and_a_refusal_is_missing() -> None:
    spy = Spy(*["established", "partly", ""] * 20)
    answers = list(harness_of(spy, [RUBRIC["G"]], concurrency=1)([SAMPLE] * 60))
    assert [answer.score("G") for answer in answers[:3]] == [(1.0, None), (0.0, None), (None, "a refusal")]
    assert len(answers) == 60


def test_a_judge_that_cannot_work_ends_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="nobody at the address"):
        list(harness_of(Spy("down"), [RUBRIC["G"]])([SAMPLE]))


class Dead(Spy):
    """A server that nobody is behind, or that answers with what nobody can read."""

    def __init__(self, failed: Judgement) -> None:
        super().__init__()
        self.failed = failed

    async def judge(self, question: Question, view: Seen) -> Judgement:
        self.seen.append(view)
        return self.failed if len(self.seen) % 30 else Judgement(value="established", reply_format="text")


@pytest.mark.parametrize(
    "failed",
    [
        Judgement(unscored_reason="no connection", answered=False),
        Judgement(unscored_reason="no JSON object", reply_format="text"),
    ],
)
def test_a_judge_that_does_not_answer_is_not_asked_again_and_again(failed: Judgement) -> None:
    dead = Dead(failed)
    with pytest.raises(ValueError, match=f"20 calls in a row .*{failed.unscored_reason}"):
        list(harness_of(dead, [RUBRIC["G"]], concurrency=1)([SAMPLE] * 500))
    assert len(dead.seen) == 20


def test_what_a_record_does_not_hold_ends_no_test() -> None:
    silent = Dead(Judgement(unscored_reason="not recorded"))
    assert len(list(harness_of(silent, [RUBRIC["G"]], concurrency=1)([SAMPLE] * 50))) == 50


@pytest.mark.parametrize("address", ["http://ann:pw@localhost/judge", "https://localhost/judge?api_key=pw"])
def test_an_address_with_a_secret_is_no_name(address: str) -> None:
    choice = HarnessChoice(harness=address, judge=JudgeChoice(), metrics=(), concurrency=1)
    with pytest.raises(StudyProblem, match="--judge NAME") as refused:
        open_choice(RUBRIC, None, choice)
    assert "pw" not in str(refused.value).replace("password", "")
    named = replace(choice, judge=JudgeChoice(name="ours"))
    assert open_choice(RUBRIC, None, named).name == "ours"


def test_a_sample_made_of_an_item_shows_the_same_again() -> None:
    for canary in canaries():
        again = item_of(sample_of(canary.item, "0"))
        for view in ("GroundingView", "CorrectnessView", "SubstanceView"):
            assert VIEWS[view].of(again) == VIEWS[view].of(canary.item)


@pytest.mark.parametrize(
    ("harness", "choice", "metrics", "message"),
    [
        (None, JudgeChoice(), (), "say which judge"),
        ("json:dumps", JudgeChoice(baseline=True), (), "say which judge"),
        (None, JudgeChoice(baseline=True), ("faithfulness",), "answers labels, not faithfulness; give --metric G"),
        (None, JudgeChoice(replay=Path("none.jsonl")), (), "none.jsonl"),
        ("nowhere_at_all:f", JudgeChoice(), (), "nowhere_at_all"),
    ],
)  # fmt: skip
def test_what_is_no_judge_is_refused(
    harness: str | None, choice: JudgeChoice, metrics: tuple[str, ...], message: str
) -> None:
    with pytest.raises(StudyProblem, match=message):
        open_choice(RUBRIC, None, HarnessChoice(harness=harness, judge=choice, metrics=metrics, concurrency=1))


def test_verdicts_are_replayed_in_a_study_only(tmp_path: Path) -> None:
    (tmp_path / "verdicts.jsonl").write_text(json.dumps({"response_id": "r", "judge": "j", "G": 1}) + "\n")
    choice = HarnessChoice(
        harness=None, judge=JudgeChoice(replay=tmp_path / "verdicts.jsonl"), metrics=(), concurrency=1
    )
    with pytest.raises(StudyProblem, match="in their study only"):
        open_choice(RUBRIC, None, choice)


def test_the_lexical_judge_names_itself_and_answers_for_grounding() -> None:
    opened = open_choice(
        RUBRIC, None, HarnessChoice(harness=None, judge=JudgeChoice(baseline=True), metrics=(), concurrency=2)
    )
    assert (opened.name, opened.metrics) == (LexicalJudge().model, ("G",))


def test_ablate_takes_a_judge_of_ours_and_keeps_the_outcome_in_the_study(tmp_path: Path) -> None:
    texts = ["the tower was finished in spring", "seven boats left the harbour", "nobody saw the comet"]
    rows = [
        {"question": f"q{k}", "response": texts[k % 3], "gold_answer": "gold", "passages": [texts[k % 3]]}
        for k in range(60)
    ]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert CliRunner().invoke(cli, ["init", str(tmp_path / "study")]).exit_code == 0
    arguments = ["judge", "ablate", "--baseline", "--samples", str(tmp_path / "samples.jsonl"), "--repeats", "1"]
    result = CliRunner().invoke(cli, [*arguments, "--margin", "0.2", "--study", str(tmp_path / "study")])
    assert result.exit_code == 0, result.output
    assert "G is wired correctly: question and gold answer moves it by no more than 20 points" in result.stderr
    (kept,) = trials(open_study(tmp_path / "study"))
    assert (kept.kind, kept.metric, kept.passed, kept.judge) == ("ablation", "G", True, LexicalJudge().model)


def test_ablate_without_a_study_asks_for_samples(tmp_path: Path) -> None:
    ended = CliRunner().invoke(cli, ["judge", "ablate", "--baseline", "--study", str(tmp_path)])
    assert ended.exit_code == 1
    assert "is no study; say where the samples are: --samples FILE" in ended.stderr
