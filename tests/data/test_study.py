import errno
import os
from pathlib import Path
from typing import Any

import pytest

from data.declared import Labelling
from data.errors import StudyProblem
from data.study import drafting, init_study, open_study, replace_text


def test_a_new_study_has_the_defaults(tmp_path: Path) -> None:
    study = init_study(tmp_path / "a" / "b")
    assert study == open_study(tmp_path / "a" / "b")
    assert study.name == "b"
    assert study.regimes == ("longfact", "liveresearchbench", "clbench")
    assert len(study.conditions) == 5
    assert study.rubric.names() == open_study(study.path).rubric.names()
    assert study.labelling == Labelling()


def test_how_work_comes_to_people_can_be_set_in_part_or_not_at_all(tmp_path: Path) -> None:
    study = init_study(tmp_path / "s")
    settings = (study.path / "study.toml").read_text()
    replace_text(study.path / "study.toml", settings[: settings.index("[labelling]")])
    assert open_study(study.path).labelling == Labelling()
    replace_text(study.path / "study.toml", "[labelling]\nlease_minutes = 0.05\ndaily_limit = 40\n")
    assert open_study(study.path).labelling == Labelling(lease_minutes=0.05, daily_limit=40)


def test_every_fault_of_these_settings_is_named_at_once(tmp_path: Path) -> None:
    study = init_study(tmp_path / "s")
    text = "[labelling]\nlease_minutes = 0\nbreak_minutes = '50'\ndaily_limit = 2.5\nlunch = true\n"
    replace_text(study.path / "study.toml", text)
    with pytest.raises(StudyProblem) as caught:
        open_study(study.path)
    assert [problem.field for problem in caught.value.problems] == [
        f"labelling.{name}" for name in ("lease_minutes", "break_minutes", "daily_limit", "lunch")
    ]
    replace_text(study.path / "study.toml", "labelling = 3")
    with pytest.raises(StudyProblem, match="expected a table"):
        open_study(study.path)


@pytest.mark.parametrize("file", ["study.toml", "study.db", "rubric.toml"])
def test_a_folder_with_anything_of_a_study_is_left_alone(tmp_path: Path, file: str) -> None:
    (tmp_path / file).write_text("mine")
    with pytest.raises(StudyProblem, match="already holds a study; nothing was changed"):
        init_study(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [file]
    assert (tmp_path / file).read_text() == "mine"


def test_a_second_init_is_refused(tmp_path: Path) -> None:
    init_study(tmp_path)
    with pytest.raises(StudyProblem, match="already holds a study"):
        init_study(tmp_path)


@pytest.mark.parametrize("name", ['quo"ted', "back\\slash", "two\nlines", "DEL\x7f", "ünïcödé 👩‍👩‍👧"])
def test_any_name_can_be_read_back(tmp_path: Path, name: str) -> None:
    study = init_study(tmp_path / "s", name=name)
    assert len(study.name) >= len(name.encode("utf-16-le")) // 2 - 8
    assert open_study(tmp_path / "s").name == study.name
    assert "\n" not in study.name


def test_only_some_labels(tmp_path: Path) -> None:
    assert init_study(tmp_path / "s", labels=["C", "G"]).rubric.names() == ["G", "C"]
    with pytest.raises(StudyProblem, match="unknown labels: X"):
        init_study(tmp_path / "t", labels=["X"])
    assert not (tmp_path / "t").exists()


def test_no_study_here_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StudyProblem, match="make one with `evidence-audit init"):
        open_study(tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("study.toml", "name = ", "mend the file"),
        ("study.toml", 'regimes = "longfact"', "expected a list of texts"),
        ("study.toml", "conditions = [1]", "expected a list of texts"),
        ("study.toml", "session_days = 0", "session_days = 0; expected days, above 0 and up to 400"),
        ("study.toml", "session_days = true", "expected days"),
        ("study.toml", 'session_days = "30"', "expected days"),
        ("study.toml", "session_days = nan", "expected days"),
        ("study.toml", None, "no study in"),
        ("rubric.toml", None, "No such file"),
        ("rubric.toml", "version = '1'", "no labels"),
    ],
)
def test_a_damaged_study_is_one_sentence(tmp_path: Path, file: str, text: str | None, sentence: str) -> None:
    init_study(tmp_path)
    (tmp_path / file).unlink()
    if text is not None:
        (tmp_path / file).write_text(text)
    with pytest.raises(StudyProblem, match=sentence):
        open_study(tmp_path)


def test_bytes_that_are_not_utf8_are_one_sentence(tmp_path: Path) -> None:
    init_study(tmp_path)
    (tmp_path / "study.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(StudyProblem, match="utf-8"):
        open_study(tmp_path)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    assert init_study(tmp_path).regimes
    (tmp_path / "study.toml").write_text('name = "other"\n')
    os.utime(tmp_path / "study.toml", ns=(1, 1))
    assert (open_study(tmp_path).name, open_study(tmp_path).regimes) == ("other", ())


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StudyProblem, match=r"Permission denied\. Nothing was changed"):
        init_study(tmp_path / "s")


def test_a_file_in_the_place_of_the_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("x")
    with pytest.raises(StudyProblem, match="cannot write in"):
        init_study(tmp_path / "s")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.toml"
    replace_text(path, "one\r\ntwo")
    assert path.read_bytes() == b"one\r\ntwo"

    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        replace_text(path, "other")
    assert [p.name for p in tmp_path.iterdir()] == ["a.toml"]
    assert path.read_bytes() == b"one\r\ntwo"


def test_a_draft_that_fails_is_taken_away(tmp_path: Path) -> None:
    def interrupted() -> None:
        with drafting(tmp_path / "a") as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
