"""Rogan–Gladen from a file: the numbers by hand, every bad row named, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.calibrating import calibrate, calibrated_rows, read_calibration
from audit_app.actions.demo import Demo
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.errors import StudyProblem
from data.study import Study
from metrics.rogan_gladen import Calibration, smoothed

Rows = dict[str, list[dict[str, Any]]]


def csv(path: Path, *cells: str) -> Path:
    path.write_text("\n".join(["label,human,judge", *cells]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Nine of ten human yes and seven of ten human no are called so; for D the judge only guesses."""
    rows = ["C,1,1"] * 9 + ["C,yes,no"] + ["C,0,0"] * 7 + ["C,false,TRUE"] * 3
    return csv(tmp_path / "calibration.csv", *rows, *["D,1,1", "D,1,0", "D,0,1", "D,0,0"] * 5)


@pytest.fixture
def judged(grid: Callable[..., Rows], study_from: Callable[..., Study]) -> Study:
    """100 responses of which the judge calls 40 correct, and leaves 4 unscored."""
    rows = grid(100, conditions=("clean",))
    ids = [row["response_id"] for row in rows["responses"]]
    said = [{"C": int(n < 40), "D": 1} if n < 96 else {"unscored_reason": "no JSON"} for n in range(100)]
    rows["verdicts"] = [{"response_id": r, "judge": "j", **labels} for r, labels in zip(ids, said, strict=True)]
    return study_from(rows)


def test_the_share_is_corrected_by_hand(judged: Study, file: Path) -> None:
    found = {one.label: one for one in calibrate(judged, file).labels}
    correct = found["C"]
    known = Calibration(sensitivity=0.9, specificity=0.7, n_yes=10, n_no=10)
    assert correct.calibration == known
    assert (correct.judged_yes, correct.corrected.n, correct.n_unscored) == (40 / 96, 96, 4)
    assert correct.corrected == smoothed(40 / 96, 96, known)
    assert correct.corrected.value is not None
    # Smoothed: p = (40 + 1.92) / (96 + 3.84), sensitivity 10/12 and specificity 8/12; (p - 1/3) / (10/12 - 1/3).
    assert correct.corrected.value == pytest.approx((41.9207 / 99.8415 - 1 / 3) / 0.5, abs=1e-4)


def test_the_plain_value_follows_from_the_shares_beside_it(judged: Study, file: Path) -> None:
    found = calibrate(judged, file)
    row = next(row for row in calibrated_rows(found) if row["label"] == "C")
    # (40 / 96 + 0.7 - 1) / (0.9 + 0.7 - 1) = 0.1944; smoothed, as above, 0.1731. The latter's variance is that of .4199
    # in 99.84, of 10/12 in 12 (x .1731^2) and of 8/12 in 12 (x .8269^2), over .5^2: SE .2488. Its middle is shifted by
    # 2 x 1.96^2 (.1731 x .01157 - .8269 x .01852) = -.1023, so the upper end is .5585.
    assert row["corrected"] == "19.4 % (0.0–55.8)"
    assert row["smoothed"].startswith("17.3 % (")


def test_what_the_judge_got_right_elsewhere_has_its_interval(judged: Study, file: Path) -> None:
    found = calibrate(judged, file, level=0.9)
    (correct,) = (one for one in found.labels if one.label == "C")
    # Wilson (1927) with z2 = 2.7055: (9 + z2 / 2 -+ z sqrt(9 * 1 / 10 + z2 / 4)) / (10 + z2)
    assert correct.sensitivity_interval == pytest.approx(
        ((10.3528 - 2.0652) / 12.7055, (10.3528 + 2.0652) / 12.7055), abs=1e-4
    )
    row = next(row for row in calibrated_rows(found) if row["label"] == "C")
    assert (row["sensitivity"], row["of human yes"]) == ("90.0 % (65.2–97.7)", "10")
    assert row["specificity"].startswith("70.0 % (")


def test_a_judge_that_guesses_is_refused_with_the_reason(judged: Study, file: Path) -> None:
    found = next(one for one in calibrate(judged, file).labels if one.label == "D")
    assert found.corrected.value is None
    row = calibrated_rows(calibrate(judged, file))[0]
    assert (row["label"], row["corrected"]) == ("D", "–")
    assert "sensitivity 0.50 + specificity 0.50 is not above 1" in row["note"]


def test_what_it_does_not_cover_stands_beside_it(judged: Study, file: Path) -> None:
    sentence = calibrate(judged, file).sentence
    for part in ("errs here as often as there", "says nothing of SES, cSES, ESD and BAS", "`evidence-audit metrics`"):
        assert part in sentence


def test_a_value_that_was_moved_is_marked(judged: Study, tmp_path: Path) -> None:
    # 60 % false yes on the calibration set, where the judge here says yes to 42 % in all.
    rows = ["C,1,1"] * 200 + ["C,0,1"] * 120 + ["C,0,0"] * 80
    found = calibrate(judged, csv(tmp_path / "moved.csv", *rows))
    assert (found.labels[0].corrected.value, found.labels[0].corrected.low) == (0, 0)
    assert calibrated_rows(found)[0]["note"].startswith("moved into 0–100 %")


def test_every_bad_row_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyProblem) as problem:
        read_calibration(csv(tmp_path / "bad.csv", "C,1,1", "X,1,1", "C,,1", "C,1,maybe", "C,1"))
    lines = str(problem.value).splitlines()
    assert [line.rpartition("bad.csv:")[2][:1] for line in lines] == ["3", "4", "5", "6"]
    assert "field 'label': is 'X'" in lines[0]
    assert lines[1].endswith("expected 1/0, true/false, yes/no")


def test_a_wrong_header_is_named_once(tmp_path: Path) -> None:
    file = tmp_path / "set.csv"
    file.write_text("label,a,b\nC,1,1\nC,0,0\n", encoding="utf-8")
    with pytest.raises(StudyProblem) as problem:
        read_calibration(file)
    assert str(problem.value) == f"{file}: there is no column human, judge; columns are label, a, b"


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ([], "no rows; expected the fields label, human, judge"),
        (["C,1,1", "C,1,0"], "it has 2 human yes and 0 human no"),
        (["G,1,1", "G,0,0"], "judge 'j' gave no label G here"),
    ],
)
def test_a_set_that_cannot_correct_is_refused(judged: Study, tmp_path: Path, cells: list[str], sentence: str) -> None:
    with pytest.raises(StudyProblem, match=sentence):
        calibrate(judged, csv(tmp_path / "set.csv", *cells))


def test_a_label_that_cannot_be_corrected_does_not_take_the_others_along(judged: Study, tmp_path: Path) -> None:
    found = calibrate(judged, csv(tmp_path / "set.csv", "C,1,1", "C,0,0", "D,1,1", "G,1,1", "G,0,0"))
    assert [one.label for one in found.labels] == ["C"]
    assert found.left_out == (
        "Label D is left out: it has 1 human yes and 0 human no; the judge's errors need both.",
        "Label G is left out: judge 'j' gave no label G here.",
    )


def test_it_needs_verdicts_and_an_open_seal(
    judged: Study, file: Path, grid: Callable[..., Rows], study_from: Callable[..., Study]
) -> None:
    with pytest.raises(StudyProblem, match="no verdicts"):
        calibrate(study_from(grid(2), name="unjudged"), file)
    draw_sample(judged, Plan(size=20))
    with pytest.raises(StudyProblem, match="Results are sealed"):
        calibrate(judged, file)


def test_the_command_prints_a_table_or_json(finished_demo: Demo, file: Path) -> None:
    here = [str(file), "--study", str(finished_demo.study.path)]
    plain = CliRunner().invoke(cli, ["judge", "rogan-gladen", *here])
    assert plain.exit_code == 0
    assert "sensitivity" in plain.stdout
    assert "outside calibration set" in plain.stderr
    found = json.loads(CliRunner().invoke(cli, ["judge", "rogan-gladen", "--json", *here]).stdout)
    assert (found["judge"], [one["label"] for one in found["labels"]]) == ("heron-judge", ["D", "C"])
    missing = CliRunner().invoke(cli, ["judge", "rogan-gladen", "nowhere.csv", *here[1:]])
    assert (missing.exit_code, missing.stdout) == (1, "")
