"""Changing study.toml: the rest of the file stays to the byte, and nothing half-right is written."""

from pathlib import Path

import pytest

from data.errors import StudyProblem
from data.settings import change_settings, changed_text
from data.study import Study, init_study, open_study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return init_study(tmp_path / "study")


def test_one_line_changes_and_every_comment_stays(study: Study) -> None:
    file = study.path / "study.toml"
    before = file.read_text(encoding="utf-8").splitlines()
    found = change_settings(study.path, {"labelling.daily_limit": 20, "calibration.pass_mark": 0.9})
    after = file.read_text(encoding="utf-8").splitlines()
    assert (found.labelling.daily_limit, found.calibration.pass_mark) == (20, 0.9)
    changed = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
    assert [one.split("#")[1] for one, _ in changed] == [other.split("#")[1] for _, other in changed]
    assert [other.split("#")[0].strip() for _, other in changed] == ["daily_limit = 20", "pass_mark = 0.9"]
    change_settings(study.path, {"labelling.daily_limit": 0, "calibration.pass_mark": 0.8})
    assert file.read_text(encoding="utf-8").splitlines() == before


def test_an_opened_study_is_as_the_file_says_the_next_time(study: Study) -> None:
    assert open_study(study.path).labelling.break_minutes == 50
    change_settings(study.path, {"labelling.break_minutes": 0})
    assert open_study(study.path).labelling.break_minutes == 0


@pytest.mark.parametrize("text", ["", "[calibration]\nmarks = { D = 0.5 }\n", "[calibration.marks]\nD = 0.5\n"])
def test_marks_are_kept_in_whichever_form_the_file_has_them(study: Study, text: str) -> None:
    (study.path / "study.toml").write_text(text, encoding="utf-8")
    found = change_settings(study.path, {"calibration.marks.G": 0.7})
    assert (found.calibration.mark("G"), found.calibration.mark("D")) == (0.7, 0.5 if text else 0.8)
    assert change_settings(study.path, {"calibration.marks.G": None}).calibration.mark("G") == 0.8


def test_with_one_wrong_value_nothing_is_written(study: Study) -> None:
    before = (study.path / "study.toml").read_bytes()
    with pytest.raises(StudyProblem, match=r"daily_limit.*-1.*at least 0") as told:
        change_settings(study.path, {"labelling.daily_limit": -1, "labelling.lease_minutes": "x", "name": "other"})
    assert "lease_minutes" in str(told.value)
    assert (study.path / "study.toml").read_bytes() == before
    assert [one.name for one in study.path.iterdir() if one.name.startswith(".")] == []


def test_a_name_that_is_a_value_is_no_table() -> None:
    assert changed_text("x = 1", {"y": 2}) == "x = 1\ny = 2\n"
