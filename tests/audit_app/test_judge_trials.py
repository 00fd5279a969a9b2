"""What tests of judges found is kept in the study and lost by nothing; older studies have it in a file."""

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.judge_trials import OLD, Trial, latest, note_ablation, record, trials
from audit_app.cli import cli
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study, open_study

CANARY = Trial(kind="canary", at="2026-01-02T10:00", judge="m", metric="G", passed=None, sentence="“ü”", set_hash="h",
               scores=((1.0, None), (0.5, 0.25)), baseline=True)  # fmt: skip
LATER = Trial(kind="ablation", at="2026-01-03T10:00", judge="m", metric="G", passed=False, sentence="leaks")


@pytest.fixture
def study(study_from: Callable[..., Study]) -> Study:
    return study_from({})


@pytest.mark.parametrize("kept", ["study", "file"])
def test_what_is_recorded_comes_back_in_order(study: Study, tmp_path: Path, kept: str) -> None:
    where = study if kept == "study" else tmp_path / "record.jsonl"
    for one in (CANARY, LATER):
        record(where, one)
    assert trials(where) == [CANARY, LATER]


def test_a_copy_of_the_database_has_them(study: Study, tmp_path: Path) -> None:
    record(study, CANARY)
    copy = tmp_path / "copy"
    shutil.copytree(study.path, copy)
    assert trials(open_study(copy)) == [CANARY]


def test_the_file_of_an_older_version_is_read_once_and_left_alone(study: Study) -> None:
    old = study.path / OLD
    old.write_text(json.dumps(asdict(CANARY)) + "\n", encoding="utf-8")
    before = old.read_bytes()
    record(study, LATER)
    assert trials(study) == [CANARY, LATER]
    assert [one.sentence for one in latest(study)] == ["leaks", "“ü”"]
    assert old.read_bytes() == before
    old.write_text("{}", encoding="utf-8")
    assert trials(study) == [CANARY, LATER]


def test_a_file_that_is_none_is_refused_by_its_place_and_read_once_it_is_mended(study: Study) -> None:
    old = study.path / OLD
    old.write_text(json.dumps(asdict(CANARY)) + "\n{}\n", encoding="utf-8")
    with pytest.raises(StudyProblem, match=f"{OLD}:2: no record of a judge's test"):
        trials(study)
    old.write_text(json.dumps(asdict(CANARY)) + "\n", encoding="utf-8")
    assert trials(study) == [CANARY]


def test_they_are_added_to_and_never_changed(study: Study) -> None:
    record(study, CANARY)
    with open_store(study) as store, pytest.raises(Exception, match="judge_trial is append-only"):
        store.change("UPDATE judge_trial SET passed = 1", [])


def test_an_export_has_all_of_them_and_can_be_kept_as_a_record(study: Study, tmp_path: Path) -> None:
    record(study, CANARY)
    note_ablation(study, "m", "G", passed=True, sentence="fine")
    file = tmp_path / "trials.jsonl"
    where: list[Any] = ["export", "trials", "--format", "jsonl", "--out", file, "--study", study.path]
    assert CliRunner().invoke(cli, list(map(str, where))).exit_code == 0
    assert trials(file) == trials(study)
    table = CliRunner().invoke(cli, ["export", "trials", "--study", str(study.path)])
    assert table.stdout.splitlines()[1].startswith("canary,2026-01-02T10:00,m,G,,“ü”,h,")
