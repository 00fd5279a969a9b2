"""The shipped mapping for OpenQA-eval on a few invented rows, through every command of a study with label C only."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.cli import cli
from data.study import Study, open_study
from data.texts import read_columns

Command = Callable[..., str]


def row(number: int, qid: str, answer: Any, labels: str, **other: Any) -> dict[str, Any]:
    """One row; `labels` are Y, N or - (blank): final, annotators 1 to 3, GPT-4, text-davinci-003, BEM."""
    names = ("human_final", "annotator1", "annotator2", "annotator3", "gpt4_label", "tdv3_label", "bem_label")
    question, gold = QUESTIONS[qid]
    return {
        "row": number,
        "qid": qid,
        "question": question,
        "gold": gold,
        "answer": answer,
        **{name: {"Y": "Yes", "N": "No", "-": ""}[letter] for name, letter in zip(names, labels, strict=True)},
        "gpt4_text": "I cannot tell." if labels[4] == "-" else "Because of the list.",
        "tdv3_text": "",
        "gpt4_answer_as_judged": None,
        **other,
    }


QUESTIONS: dict[str, tuple[str, list[Any]]] = {
    "007": ("which lake lies north of the village", ["Grünsee", "the green lake"]),
    "7": ("how many bells has the old tower", [4]),
    "12": ("who  wrote “The Long Ferry”", ["[unknown]"]),
}

ROWS = [
    row(1, "007", "the green lake", "YYY-YYY"),
    row(2, "007", "GrÃ¼nsee", "YYNYNYN"),  # mojibake
    row(3, "007", "Lake\u00a0Green,\nnorth of it", "YY--Y-Y"),  # no-break space, newline, a blank, an unscored judge
    row(10, "7", 4, "YYY-YYY"),  # a number where a text belongs
    row(11, "7", "0004", "NYNN-NN"),  # GPT-4 unscored
    row(12, "7", "No", "NNN-NNN"),  # looks like a label
    row(100, "12", "=1+1", "NNN-YNN", gpt4_answer_as_judged="something else"),
    row(101, "12", "  nobody knows ", "NYNNNYN"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in ROWS), encoding="utf-8")
    return tmp_path


@pytest.fixture
def command(folder: Path) -> Command:
    def command(*arguments: str) -> str:
        result = CliRunner().invoke(cli, [*arguments, "--study", str(folder / "study")])
        assert result.exit_code == 0, (arguments, result.output, result.exc_info)
        return result.stdout

    return command


@pytest.fixture
def imported(folder: Path, command: Command) -> Study:
    assert CliRunner().invoke(cli, ["init", str(folder / "study"), "--labels", "C"]).exit_code == 0
    for kind in ("tasks", "responses", "verdicts"):
        command("import", kind, str(folder / "items.jsonl"), "--mapping", "openqa_nq301")
    return open_study(folder / "study")


@pytest.fixture
def labelled(folder: Path, command: Command, imported: Study) -> Study:
    command("sample", "draw", "--size", "all", "--overlap", "1")
    command("import", "labels", str(folder / "items.jsonl"), "--mapping", "openqa_nq301")
    return imported


def test_questions_repeat_and_ids_stay_texts(imported: Study) -> None:
    tasks = read_columns(imported, "tasks", ["task_id", "gold_answer", "gold_aliases"]).to_pylist()
    assert tasks == [
        {"task_id": "007", "gold_answer": "Grünsee", "gold_aliases": ["Grünsee", "the green lake"]},
        {"task_id": "7", "gold_answer": "4", "gold_aliases": ["4"]},
        {"task_id": "12", "gold_answer": "[unknown]", "gold_aliases": ["[unknown]"]},
    ]


def test_answers_are_kept_as_they_are(imported: Study) -> None:
    found = read_columns(imported, "responses", ["response_id", "task_id", "context_id", "text"]).to_pylist()
    assert [entry["response_id"] for entry in found] == ["1", "2", "3", "10", "11", "12", "100", "101"]
    assert [entry["text"] for entry in found] == [str(entry["answer"]) for entry in ROWS]
    assert {entry["context_id"] for entry in found} == {None}


def test_a_blank_verdict_is_unscored(imported: Study) -> None:
    found = read_columns(imported, "verdicts", ["response_id", "judge", "C", "rationale"]).to_pylist()
    labels = {(entry["judge"], entry["response_id"]): entry["C"] for entry in found}
    assert len(labels) == 24
    assert labels["gpt-4", "11"] is None
    assert labels["text-davinci-003", "3"] is None
    assert [labels["gpt-4", str(entry["row"])] for entry in ROWS] == [1, 0, 1, 1, None, 0, 1, 0]
    assert [labels["bem", str(entry["row"])] for entry in ROWS] == [1, 0, 1, 1, 0, 0, 0, 0]


def test_agreement_drops_the_blank_and_leaves_the_final_label_out(command: Command, labelled: Study) -> None:
    (label,) = json.loads(command("agreement", "--json"))["labels"]
    (pair,) = label["pairs"]
    assert pair["people"] == ["annotator1", "annotator2"]
    assert (label["n_items"], label["n_dropped"], pair["kappa"]["n"]) == (7, 1, 7)
    # Both yes 2, both no 2, only the first yes 3, only the second 0: observed 4/7, by chance (5*2 + 2*5)/49.
    assert pair["kappa"]["value"] == pytest.approx((4 / 7 - 20 / 49) / (1 - 20 / 49))


@pytest.mark.parametrize(
    ("target", "counts"),
    [
        pytest.param("A", [[1, 1], [2, 3]], id="A-is-annotator1"),
        pytest.param("B", [[2, 1], [1, 3]], id="B-is-the-final-label"),
    ],
)
def test_judge_check(command: Command, labelled: Study, target: str, counts: list[list[int]]) -> None:
    found = json.loads(command("judge", "check", "--judge", "gpt-4", "--target", target, "--json"))["labels"]
    assert list(found) == ["C"]
    assert found["C"]["counts"] == counts
    assert (found["C"]["n"], found["C"]["n_dropped"]) == (7, 1)


@pytest.mark.parametrize(("target", "value"), [("A", 6 / 8), ("B", 4 / 8)])
def test_metrics_are_the_plain_mean_when_everything_is_labelled(
    command: Command, labelled: Study, target: str, value: float
) -> None:
    found = json.loads(command("metrics", "--judge", "gpt-4", "--target", target, "--taxonomy", "--json"))
    assert {entry["metric"] for entry in found} == {"Acc"}
    by_method = {entry["method"]: entry["value"] for entry in found}
    assert by_method == {"naive": 4 / 7, "human-only": value, "corrected": value}


def test_metrics_say_what_they_leave_out(folder: Path, labelled: Study) -> None:
    for options in (["--metric", "SES"], ["--metric", "SES", "--json"]):
        result = CliRunner().invoke(cli, ["metrics", *options, "--study", str(folder / "study")])
        assert result.exit_code == 0
        assert "Left out: SES (the rubric does not ask for D, A, G)." in result.stderr
        assert result.stdout.strip() == ("[]" if "--json" in options else "")


def test_a_sample_can_be_stratified_by_what_a_judge_said(command: Command, labelled: Study) -> None:
    strata = ["--strata", "judge", "--judge", "gpt-4"]
    drawn = json.loads(command("sample", "draw", "--size", "6", *strata, "--name", "audit", "--json"))
    sizes = {entry["stratum"]: (entry["stratum_size"], entry["sample_size"]) for entry in drawn["allocation"]}
    assert sizes == {"gpt-4: C=1": (4, 3), "gpt-4: C=0": (3, 2), "gpt-4: C=?": (1, 1)}
    assert drawn["n_openings"] == 0
    corrected = json.loads(command("metrics", "--judge", "gpt-4", "--floor", "2", "--json"))[2]
    assert (corrected["method"], corrected["n"]) == ("corrected", 6)


def test_report_export_and_check_work_with_one_label_and_no_contexts(command: Command, labelled: Study) -> None:
    report = command("report", "--judge", "gpt-4")
    assert "Left out: SES, cSES, ESD, BAS (the rubric does not ask for D, A, G)." in report
    assert json.loads(command("report", "--json"))["metrics"]
    rows = [json.loads(line) for line in command("export", "--format", "jsonl").splitlines()]
    assert [r["purpose"] for r in rows].count("adjudication") == 8
    assert [r["state"] for r in rows].count("skipped") == 1
    command("check")
