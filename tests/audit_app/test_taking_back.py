"""An import can be taken back while nothing rests on it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.importing import import_records
from audit_app.actions.judge_ledger import RunOptions
from audit_app.actions.judge_run import run_judge
from audit_app.actions.judge_work import Asked
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.taking_back import take_back
from audit_app.cli import cli
from data.errors import StudyProblem
from data.frame import open_frame
from data.study import Study
from data.texts import parts, read_columns
from judge.lexical import LexicalJudge


@pytest.fixture
def study(grid: Any, study_from: Any) -> Study:
    made: Study = study_from(grid(3))
    return made


@pytest.fixture
def more(tmp_path: Path) -> Path:
    path = tmp_path / "more.jsonl"
    row = {"response_id": "new", "context_id": "t00.clean", "model": "late", "text": "x"}
    path.write_text(json.dumps(row) + "\n")
    return path


def test_everything_can_be_taken_back_from_the_last_to_the_first(study: Study) -> None:
    assert [take_back(study, kind) for kind in ("responses", "contexts", "tasks")] == [6, 6, 3]
    assert list(study.texts.iterdir()) == []


def test_the_newest_file_goes_and_the_frame_is_what_it_was(study: Study, more: Path) -> None:
    before = open_frame(study).hash
    import_records(study, "responses", more)
    assert open_frame(study).hash != before
    assert take_back(study, "responses") == 1
    assert open_frame(study).hash == before
    import_records(study, "responses", more)
    assert len(parts(study, "responses")) == 2


@pytest.mark.parametrize(("kind", "other"), [("tasks", "contexts"), ("contexts", "responses")])
def test_what_others_refer_to_stays(study: Study, kind: str, other: str) -> None:
    with pytest.raises(StudyProblem, match=f"6 imported {other} refer to these {kind}; take those back first"):
        take_back(study, kind)
    assert len(parts(study, kind)) == 1


def test_what_a_sample_was_drawn_from_stays(study: Study) -> None:
    draw_sample(study, Plan(size=2))
    with pytest.raises(StudyProblem, match="a sample was drawn since these responses came in"):
        take_back(study, "responses")
    assert read_columns(study, "responses", ["response_id"]).num_rows == 6


def test_what_came_after_the_sample_can_go(study: Study, more: Path) -> None:
    draw_sample(study, Plan(size=2))
    import_records(study, "responses", more)
    assert take_back(study, "responses") == 1
    with pytest.raises(StudyProblem, match="a sample was drawn since"):
        take_back(study, "responses")


def test_what_a_judge_that_was_run_here_said_is_no_import(study: Study) -> None:
    run_judge(study, "b", LexicalJudge(), RunOptions(asked=Asked(everything=True)))
    with pytest.raises(StudyProblem, match="no verdicts are imported"):
        take_back(study, "verdicts")
    with pytest.raises(StudyProblem, match="judges that were run here have judged these responses"):
        take_back(study, "responses")
    assert len(parts(study, "verdicts")) == 1


def test_the_command_says_what_it_did(study: Study) -> None:
    run = CliRunner().invoke(cli, ["import", "undo", "verdicts", "--study", str(study.path)])
    assert (run.exit_code, "no verdicts are imported" in run.stderr) == (1, True)
    run = CliRunner().invoke(cli, ["import", "undo", "responses", "--study", str(study.path)])
    assert (run.exit_code, run.stderr) == (0, "Took back the newest import: 6 responses\n")
