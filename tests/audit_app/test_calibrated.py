"""Making somebody practise again: their passes count no more, and stay on record."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.agreeing import import_set, remove_set
from audit_app.actions.answers import Refused
from audit_app.actions.calibrated import Calibrated, calibration_round, practise_again, round_rows
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study, open_study, replace_text

AGREED = {"D": "0", "A": "1", "G": "not_supported", "C": "1"}
WRONG = {"D": "1", "A": "0", "G": "established", "C": "0"}


@pytest.fixture(scope="module")
def drawn(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    made: Study = build_study(tmp_path_factory.mktemp("drawn"), grid(6, conditions=("clean",)))
    draw_sample(made, Plan(size=3, contexts=3, overlap=0, floor=1))
    return made


@pytest.fixture
def agreed(drawn: Study, tmp_path: Path) -> Path:
    with open_store(drawn) as store:
        tasks = {row["task_id"] for row in items.everything(store)}
    names = [f"{task}.clean.wren.baseline" for task in sorted({f"t{n:02}" for n in range(6)} - tasks)[:2]]
    rows = [{"response_id": name, "label": label, "value": value, "reason": "because"}
            for name in names for label, value in AGREED.items()]  # fmt: skip
    path = tmp_path / "agreed.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def study(drawn: Study, copy_of: Callable[[Study], Study], agreed: Path) -> Study:
    made = copy_of(drawn)
    import_set(made, agreed)
    return made


def practise(desk: Any, said: Mapping[str, str] = AGREED, limit: int = 100) -> list[str]:
    """Answers while it is practice; the labels that were asked."""
    asked: list[str] = []
    view = desk.view()
    while view["state"] == "view" and view["practice"] and len(asked) < limit:
        asked.append(view["label"]["name"])
        view = desk.answer(view, said[asked[-1]])["next"]
    return asked


def work(desk: Any) -> None:
    """Everything that there is to do; what is begun comes before practice."""
    desk.finish(lambda view: AGREED[view["label"]["name"]])


def only(study: Study) -> Calibrated:
    (found,) = calibration_round(study).people
    return found


def test_whoever_passed_gets_every_item_again_and_the_passes_stay_on_record(
    study: Study, person_in: Any, desk: Any
) -> None:
    at_work = desk(study, person_in(study, "ann"))
    first = practise(at_work)
    assert only(study).state == "passed"
    work(at_work)
    assert at_work.view()["state"] == "empty"
    said = practise_again(study, "ann")
    assert said.startswith("ann practises again before other work")
    again = only(study)
    assert (again.state, bool(again.again_at)) == ("to practise again", True)
    (row,) = round_rows(calibration_round(study))
    assert row["G"] == "before: ✓ 2 of 2 (100 %, needed 80 %)"
    assert at_work.view()["progress"]["try"] == 1
    assert sorted(practise(at_work)) == sorted(first), "grounding as well, though the reference answers were seen"
    after = only(study)
    assert (after.state, [len(label.scores) for label in after.labels]) == ("passed", [2] * 4)
    assert at_work.view()["state"] == "empty"


def test_a_pass_before_does_not_help_a_failure_after(study: Study, person_in: Any, desk: Any) -> None:
    at_work = desk(study, person_in(study, "ann", teams=("evidence",)))
    work(at_work)
    practise_again(study, "ann")
    assert len(practise(at_work, WRONG, limit=6)) == 6
    assert not any(label.passed for label in only(study).labels)
    assert at_work.view()["progress"]["try"] == 2


def test_where_one_try_is_enough_it_is_one_more(study: Study, person_in: Any, desk: Any) -> None:
    path = study.path / "study.toml"
    replace_text(path, path.read_text(encoding="utf-8").replace("required = true ", "required = false "))
    later = open_study(study.path)
    at_work = desk(later, person_in(later, "ann", teams=("evidence",)))
    assert len(practise(at_work, WRONG)) == 6
    work(at_work)
    practise_again(later, "ann")
    assert len(practise(at_work, WRONG)) == 6


def test_the_same_set_removed_and_brought_back_asks_only_those_who_were_told(
    study: Study, person_in: Any, desk: Any, agreed: Path
) -> None:
    ann, ben = (desk(study, person_in(study, name, teams=("evidence",))) for name in ("ann", "ben"))
    work(ann)
    work(ben)
    practise_again(study, "ann")
    remove_set(study)
    import_set(study, agreed)
    assert [each.state for each in calibration_round(study).people] == ["to practise again", "passed"]
    assert len(practise(ann)) == 6
    assert ben.view()["state"] == "empty"


def test_a_try_under_way_counts(study: Study, person_in: Any, desk: Any) -> None:
    at_work = desk(study, person_in(study, "ann", teams=("evidence",)))
    practise(at_work, WRONG, limit=6)
    practise(at_work, limit=3)
    practise_again(study, "ann")
    assert only(study).state == "under way"
    assert len(practise(at_work)) == 3
    assert only(study).state == "passed"


def test_what_cannot_be_is_said_and_only_leads_may(study: Study, person_in: Any, desk: Any) -> None:
    ann, lead = person_in(study, "ann"), person_in(study, "lead", role="lead")
    with pytest.raises(StudyProblem, match="ann is to practise already"):
        practise_again(study, "ann", by=lead)
    with pytest.raises(Refused):
        practise_again(study, "ann", by=ann)
    with pytest.raises(StudyProblem, match="no person 'nobody'"):
        practise_again(study, "nobody")
    with pytest.raises(StudyProblem, match="lead gets nothing to label"):
        practise_again(study, "lead")
    practise(desk(study, ann))
    ran = CliRunner().invoke(cli, ["calibration", "again", "ann", "--study", str(study.path), "--json"])
    assert json.loads(ran.output)["person_id"] == "ann"
    with open_store(study) as store:
        rows = store.rows("SELECT person_id, pass, occasion, asked_by FROM practice_again")
    assert [tuple(row.values()) for row in rows] == [("ann", "evidence", 1, None), ("ann", "correctness", 1, None)]
    remove_set(study)
    with pytest.raises(StudyProblem, match="no agreed answers to practise on"):
        practise_again(study, "ann")
