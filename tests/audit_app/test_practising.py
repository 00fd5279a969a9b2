"""Practice on items with agreed answers: before other work, with feedback, until passed; and it changes no number."""

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from audit_app.actions.agreeing import calibration_set, import_set, remove_set
from audit_app.actions.answers import Refused
from audit_app.actions.calibrated import calibration_round, round_rows
from audit_app.actions.candidates import draft
from audit_app.actions.exporting import exported
from audit_app.actions.holdings import holdings, release
from audit_app.actions.importing import import_records
from audit_app.actions.labelling import next_view, renew
from audit_app.actions.looking_back import look_back, my_items
from audit_app.actions.people import pause, resume
from audit_app.actions.sampling import Plan, draw_sample, extend_sample
from audit_app.cli import main
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study, open_study, replace_text

AGREED = {"D": "0", "A": "1", "G": "not_supported", "C": "1"}
RIGHT: dict[str, Any] = {**AGREED}
WRONG = {"D": "1", "A": "0", "G": "established", "C": "0"}
Write = Callable[..., Path]


def outside(study: Study) -> list[str]:
    """Responses of tasks that are in no draw, sorted."""
    with open_store(study) as store:
        drawn = {row["task_id"] for row in items.everything(store)}
    return sorted(f"{task}.clean.wren.baseline" for task in {f"t{n:02}" for n in range(8)} - drawn)


def agreed_rows(responses: list[str], answers: Mapping[str, str] = AGREED) -> list[dict[str, str]]:
    return [
        {"response_id": name, "label": label, "value": value, "reason": f"REASON {label} {name}"}
        for name in responses
        for label, value in answers.items()
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def drawn(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Eight tasks with one response each, four of them drawn, for one person each."""
    made: Study = build_study(tmp_path_factory.mktemp("drawn"), grid(8, conditions=("clean",)))
    draw_sample(made, Plan(size=4, contexts=4, overlap=0, floor=1))
    return made


@pytest.fixture
def study(drawn: Study, copy_of: Any, tmp_path: Path) -> Study:
    """The same with a calibration set of two responses."""
    made: Study = copy_of(drawn)
    import_set(made, write(tmp_path / "agreed.jsonl", agreed_rows(outside(made)[:2])))
    return made


def answers(said: Mapping[str, Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda view: said[view["label"]["name"]]


def practice(desk: Any, value_of: Callable[[dict[str, Any]], Any], limit: int = 100) -> list[dict[str, Any]]:
    """Answers as long as it is practice; the feedback, one for each answer."""
    told: list[dict[str, Any]] = []
    view = desk.view()
    while view["state"] == "view" and view["practice"] and len(told) < limit:
        came = desk.answer(view, value_of(view))
        told.append(came["feedback"])
        view = came["next"]
    return told


def test_practice_comes_before_the_plan_and_grounding_before_any_reference_answer(
    study: Study, person_in: Any, desk: Any
) -> None:
    seen = desk(study, person_in(study, "ann")).finish(answers(RIGHT))
    assert [view["practice"] for view in seen] == [True] * 8 + [False] * 16
    assert [view["label"]["name"] for view in seen[:8]] == ["D", "A", "G"] * 2 + ["C"] * 2
    assert [view["progress"] for view in seen[:8]] == [
        *[{"done": 0, "of": 2, "try": 1}] * 3, *[{"done": 1, "of": 2, "try": 1}] * 3,
        {"done": 0, "of": 2, "try": 1}, {"done": 1, "of": 2, "try": 1},
    ]  # fmt: skip
    assert seen[8]["progress"] == {"done": 0, "of": 4}, "practice is not counted among the work"


def test_without_a_set_there_is_no_practice(drawn: Study, copy_of: Any, person_in: Any, desk: Any) -> None:
    copy = copy_of(drawn)
    at_work = desk(copy, person_in(copy, "ann"))
    view = at_work.view()
    assert view["practice"] is False
    assert "feedback" not in at_work.answer(view, "1")


def test_feedback_names_the_agreed_answer_and_its_reason_for_this_label_only(
    study: Study, person_in: Any, desk: Any
) -> None:
    at_work = desk(study, person_in(study, "ann"))
    view = at_work.view()
    came = at_work.answer(view, "1")
    told = came["feedback"]
    assert {name: told[name] for name in ("label", "right", "text", "agreed", "outcome")} == {
        "label": "D", "right": False, "text": "Yes", "agreed": "No", "outcome": None,
    }  # fmt: skip
    assert told["reason"].startswith("REASON D ")
    everything = json.dumps([view, came])
    assert [label for label in "AGC" if f"REASON {label}" in everything] == []
    assert "GOLD" not in everything
    assert at_work.answer(came["next"], "1")["feedback"]["right"] is True


def test_sending_an_answer_again_tells_the_same_and_changes_nothing(study: Study, person_in: Any, desk: Any) -> None:
    at_work = desk(study, person_in(study, "ann"))
    view = at_work.view()
    first, second = at_work.answer(view, "0"), at_work.answer(view, "0")
    assert (first["saved"], first["feedback"]) == (second["saved"], second["feedback"])
    assert first["next"]["label"] == second["next"]["label"]
    with pytest.raises(Refused, match="answered already"):
        at_work.answer(view, "1")


def test_whoever_has_not_passed_practises_again_in_another_order(study: Study, person_in: Any, desk: Any) -> None:
    at_work = desk(study, person_in(study, "ann"))
    told = practice(at_work, answers(WRONG), limit=6)
    assert told[-1]["outcome"].startswith("Not passed yet: Discloses 0 of 2 as agreed (80 % needed); ")
    assert [one["outcome"] for one in told[:-1]] == [None] * 5
    view = at_work.view()
    assert view["progress"] == {"done": 0, "of": 2, "try": 2}
    assert view["label"]["name"] == "D", "no reference answer before the grounding is passed"
    told = practice(at_work, answers(RIGHT))
    assert told[5]["outcome"].startswith("You have passed: Discloses 2 of 2 as agreed")
    assert told[-1]["outcome"] == "You have passed: Correct 2 of 2 as agreed (80 % needed)."
    assert at_work.view()["practice"] is False


def test_orders_differ_from_try_to_try_and_depend_on_the_seed_alone(
    drawn: Study, copy_of: Any, person_in: Any, desk: Any, tmp_path: Path
) -> None:
    copy = copy_of(drawn)
    rows = agreed_rows(outside(copy), {"D": "0"})
    assert len({row["response_id"] for row in rows}) == 4
    import_set(copy, write(tmp_path / "a.jsonl", rows), seed=3)
    at_work, orders = desk(copy, person_in(copy, "ann")), []
    for _ in range(6):
        practice(at_work, answers(WRONG), limit=4)
    with open_store(copy) as store:
        for n in range(1, 7):
            sql = "SELECT item_id FROM assignment WHERE purpose = 'calibration' AND occasion = ? ORDER BY position"
            orders.append([row["item_id"] for row in store.rows(sql, [n])])
    assert all(sorted(order) == outside(copy) for order in orders)
    assert len(set(map(tuple, orders))) > 1


def test_a_lead_may_let_people_go_on_after_one_try(study: Study, person_in: Any, desk: Any) -> None:
    settings = study.path / "study.toml"
    replace_text(settings, settings.read_text(encoding="utf-8").replace("required = true", "required = false"))
    study = open_study(study.path)
    at_work = desk(study, person_in(study, "ann"))
    told = practice(at_work, answers(WRONG))
    assert len(told) == 8
    assert told[-1]["outcome"] == "Not passed: Correct 0 of 2 as agreed (80 % needed). You can go on all the same."
    assert at_work.view()["practice"] is False
    (ann,) = calibration_round(study).people
    assert ann.state == "not passed"


def test_each_label_has_its_pass_mark(study: Study, person_in: Any, desk: Any) -> None:
    settings = study.path / "study.toml"
    text = settings.read_text(encoding="utf-8").replace("# marks = { G = 0.7 }", "marks = { G = 0.5, C = 0 }")
    replace_text(settings, text)
    study = open_study(study.path)
    given = iter(["established", "not_supported"])
    told = practice(
        desk(study, person_in(study, "ann")),
        lambda view: next(given) if view["label"]["name"] == "G" else {**RIGHT, "C": "0"}[view["label"]["name"]],
    )
    assert len(told) == 8
    (ann,) = calibration_round(study).people
    assert ann.state == "passed"
    assert {each.label: (each.mark, each.best and each.best.n_right) for each in ann.labels} == {
        "D": (0.8, 2), "A": (0.8, 2), "G": (0.5, 1), "C": (0, 0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("pass_mark = 80", "calibration.pass_mark': 80; expected a share"),
        ("marks = { G = true }", "calibration.marks.G': True; expected a share"),
        ("required = 1", "calibration.required': 1; expected true or false"),
        ("mark = 0.5", "calibration.mark': no such setting; there are required, pass_mark, marks"),
    ],
)
def test_a_wrong_setting_is_named(study: Study, table: str, message: str) -> None:
    replace_text(study.path / "study.toml", f"[calibration]\n{table}\n")
    with pytest.raises(StudyProblem, match=message):
        open_study(study.path)


def test_teams_practise_what_they_will_do(study: Study, person_in: Any, desk: Any) -> None:
    seen = {
        team: desk(study, person_in(study, team, teams=(team,))).finish(answers(RIGHT), limit=7)
        for team in ("evidence", "correctness")
    }
    assert [view["label"]["name"] for view in seen["evidence"] if view["practice"]] == ["D", "A", "G"] * 2
    assert [view["label"]["name"] for view in seen["correctness"] if view["practice"]] == ["C"] * 2
    audit = desk(study, person_in(study, "auditor", teams=("context",)), "context").view()
    assert audit["practice"] is False
    waits = desk(study, person_in(study, "both"), "context").view()
    assert waits["state"] == "empty"
    assert waits["reason"].startswith("Practise first, on the screen Label")


def test_nobody_practises_grounding_on_a_task_whose_reference_answer_they_saw(
    study: Study, person_in: Any, desk: Any
) -> None:
    ann = person_in(study, "ann", teams=("correctness",))
    practice(desk(study, ann), answers(RIGHT))
    with open_store(study) as store:
        store.change("UPDATE person SET teams = '[]' WHERE person_id = 'ann'", [])
        from data.store import people

        now = people.find(store, "ann")
    assert now is not None
    assert desk(study, now).view()["practice"] is False


def test_answers_to_practice_are_final_and_can_be_looked_back_at_with_their_feedback(
    study: Study, person_in: Any, desk: Any
) -> None:
    ann = person_in(study, "ann")
    at_work = desk(study, ann)
    view = at_work.view()
    told = at_work.answer(view, "1")["feedback"]
    place = (view["assignment_id"], "D")
    back = look_back(study, ann, "label", *place, before=False)
    assert back["review"]["final"] == "You have seen the agreed answer since."
    assert {**back["review"]["feedback"], "outcome": None} == told
    assert back["practice"] is True
    with pytest.raises(Refused, match="agreed answer"):
        at_work.answer(back, "0", revise=True)
    practice(at_work, answers(RIGHT), limit=2)
    (done,) = my_items(study, ann, "label")["items"]
    assert [answer["label"] for answer in done["answers"]] == ["D", "A", "G"]


def test_a_skipped_item_counts_as_not_right(study: Study, person_in: Any, desk: Any) -> None:
    at_work = desk(study, person_in(study, "ann", teams=("evidence",)))
    view = at_work.view()
    assert "feedback" not in at_work.answer(view, "skip", label="skip", comment="unclear")
    told = practice(at_work, answers(RIGHT), limit=3)
    assert told[-1]["outcome"].startswith("Not passed yet: Discloses 1 of 2 as agreed")


def test_what_is_given_back_or_paused_comes_again_and_keeps_its_log(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann")
    at_work = desk(study, ann)
    first = at_work.view()
    (held,) = holdings(study).in_hand
    assert held.purpose == "calibration"
    release(study, held.assignment_id)
    with pytest.raises(Refused):
        renew(study, ann, {"assignment_id": first["assignment_id"]})
    assert at_work.view()["assignment_id"] == first["assignment_id"]
    pause(study, "ann")
    resume(study, "ann")
    assert at_work.view()["assignment_id"] == first["assignment_id"]
    ben = desk(study, person_in(study, "ben")).view()
    assert ben["assignment_id"] != first["assignment_id"]


def test_a_new_set_is_practised_anew_and_a_removed_one_no_more(
    study: Study, person_in: Any, desk: Any, tmp_path: Path
) -> None:
    at_work = desk(study, person_in(study, "ann", teams=("evidence",)))
    practice(at_work, answers(RIGHT))
    found = import_set(study, write(tmp_path / "new.jsonl", agreed_rows(outside(study)[:2], {"G": "established"})))
    assert found.set_id == 2
    assert [view["practice"] for view in at_work.finish(answers(RIGHT), limit=3)] == [False] * 3, "begun before"
    view = at_work.view()
    assert (view["practice"], view["label"]["name"], view["progress"]["try"]) == (True, "G", 1)
    assert remove_set(study).startswith("Removed")
    at_work.answer(view, "established")
    assert at_work.view()["practice"] is False
    assert calibration_set(study).sentence.startswith("No calibration set yet.")


def test_importing_the_same_answers_again_changes_nothing(
    drawn: Study, copy_of: Any, person_in: Any, desk: Any, tmp_path: Path
) -> None:
    copy = copy_of(drawn)
    samples = [{"response_id": f"s{n}", "question": "Which?", "gold_answer": "GOLD", "response": "an answer",
                "passages": [{"text": "a passage"}]} for n in range(3)]  # fmt: skip
    texts, agreed = write(tmp_path / "samples.jsonl", samples), write(tmp_path / "a.jsonl", agreed_rows(["s0", "s1"]))
    first = import_set(copy, agreed, items_file=texts)
    practice(desk(copy, person_in(copy, "ann")), answers(RIGHT))
    agreed.write_text("".join(reversed(agreed.read_text(encoding="utf-8").splitlines(keepends=True))), encoding="utf-8")
    again = import_set(copy, agreed, items_file=texts)
    assert (again.set_id, again.answers) == (first.set_id, first.answers)
    assert "Nothing changes" in again.sentence
    (ann,) = calibration_round(copy).people
    assert ann.state == "passed"


def test_answers_to_items_that_stay_as_they_were_count_for_the_next_set(
    drawn: Study, copy_of: Any, person_in: Any, desk: Any, tmp_path: Path
) -> None:
    copy = copy_of(drawn)
    samples = [{"response_id": f"s{n}", "question": "Which?", "gold_answer": "GOLD", "response": "an answer",
                "passages": [{"text": "a passage"}]} for n in range(3)]  # fmt: skip
    texts = write(tmp_path / "samples.jsonl", samples)
    import_set(copy, write(tmp_path / "a.jsonl", agreed_rows(["s0", "s1"])), items_file=texts)
    at_work = desk(copy, person_in(copy, "ann", teams=("evidence",)))
    practice(at_work, answers(WRONG), limit=6)
    practice(at_work, answers(RIGHT), limit=6)
    worded = [{**row, "reason": "said better"} for row in agreed_rows(["s0", "s1"])]
    assert import_set(copy, write(tmp_path / "b.jsonl", worded), items_file=texts).set_id == 2
    (ann,) = calibration_round(copy).people
    assert (ann.state, len(ann.labels[0].scores)) == ("passed", 2)
    more = [*worded[:4], *agreed_rows(["s1"], {**AGREED, "G": "established"}), *agreed_rows(["s2"])]
    import_set(copy, write(tmp_path / "c.jsonl", more), items_file=texts)
    (ann,) = calibration_round(copy).people
    assert ann.state == "under way"
    at_work.finish(answers(RIGHT), limit=3)  # of the plan, begun before
    asked = practice(at_work, answers(RIGHT), limit=6)
    assert [told["label"] for told in asked] == ["D", "A", "G"] * 2, "s1 was agreed anew and s2 is new; s0 stays"
    (ann,) = calibration_round(copy).people
    assert {one.label: (one.scores[-1].n_right, one.scores[-1].n) for one in ann.labels} == {
        "D": (3, 3), "A": (3, 3), "G": (2, 3)
    }  # fmt: skip


def test_leads_see_who_passed_label_by_label_and_in_how_many_tries(study: Study, person_in: Any, desk: Any) -> None:
    for who in ("ann", "ben", "cid"):
        person_in(study, who, teams=("evidence",))
    lead = person_in(study, "lead", role="lead")
    from data.store import people

    with open_store(study) as store:
        ann, ben = (people.find(store, who) for who in ("ann", "ben"))
    practice(desk(study, ann), answers(WRONG), limit=6)
    practice(desk(study, ann), answers(RIGHT))
    practice(desk(study, ben), answers(RIGHT), limit=2)
    found = calibration_round(study, by=lead)
    assert {each.name: each.state for each in found.people} == {"ann": "passed", "ben": "under way", "cid": "not begun"}
    rows = round_rows(found)
    assert rows[0]["tries"] == "2"
    assert rows[0]["G"] == "✓ 2 of 2 (100 %, needed 80 %)"
    assert rows[2]["tries"] == "0"
    assert found.sentence == "1 of 3 people have passed. Nobody gets other work before that."
    with pytest.raises(Refused):
        calibration_round(study, by=ann)


def test_practice_changes_no_number_and_is_exported_with_its_purpose(
    demo_copy: Study, person_in: Any, desk: Any, tmp_path: Path
) -> None:
    """The law: only rows of the plan enter an estimate or a coefficient."""
    from dataclasses import asdict

    from audit_app.actions.raters import agreement
    from audit_app.actions.report import report

    def numbers() -> tuple[Any, ...]:
        return asdict(agreement(demo_copy)), report(demo_copy)

    samples = [
        {"response_id": f"s{n}", "question": "Which?", "gold_answer": "GOLD", "response": "an answer",
         "passages": [{"text": "a passage"}]} for n in range(2)
    ]  # fmt: skip
    before = numbers()
    import_set(
        demo_copy,
        write(tmp_path / "agreed.jsonl", agreed_rows(["s0", "s1"])),
        items_file=write(tmp_path / "samples.jsonl", samples),
    )
    # With the eighth answer something of the plan comes up, and that does count.
    told = practice(desk(demo_copy, person_in(demo_copy, "new")), answers(WRONG), limit=6)
    told += practice(desk(demo_copy, person_in(demo_copy, "new2")), answers(RIGHT), limit=7)
    assert len(told) == 13
    assert numbers() == before
    rows = [row for row in exported(demo_copy) if row["person_id"] in ("new", "new2") and row["value"]]
    assert Counter(row["purpose"] for row in rows) == {"calibration": 13}


def test_every_problem_of_a_file_is_named_and_nothing_changes(study: Study, tmp_path: Path) -> None:
    with open_store(study) as store:
        drawn = next(row["item_id"] for row in items.everything(store) if row["item_kind"] == "response")
    free = outside(study)[0]
    good = {"response_id": free, "label": "D", "value": "no", "reason": "x"}
    bad = [
        {**good, "response_id": "nobody"},
        {**good, "response_id": drawn},
        {**good, "label": "answerable"},
        {**good, "value": "perhaps"},
        {**good, "reason": " "},
        {**good, "value": None},
        good,
        good,
    ]
    before = calibration_set(study)
    with pytest.raises(StudyProblem) as raised:
        import_set(study, write(tmp_path / "bad.jsonl", bad))
    said = str(raised.value)
    for expected in (
        "bad.jsonl:1: field 'response_id': no response 'nobody'; import it, or give its texts with --items",
        f"bad.jsonl:2: field 'response_id': {drawn!r} is of a task that is drawn",
        "bad.jsonl:3: field 'label': 'answerable' is not asked of this response; expected one of D, A, G,",
        "bad.jsonl:4: field 'value': is 'perhaps'; expected one of 1, 0, or yes/no",
        "bad.jsonl:5: field 'reason': is empty; expected why that is the answer: people are shown it after theirs",
        "bad.jsonl:6: field 'value': is empty; expected the agreed answer",
        "bad.jsonl:8: field 'label': D of",
        "is there already; agree on one answer",
    ):
        assert expected in said
    lines = [int(problem.where.rpartition(":")[2]) for problem in raised.value.problems]
    assert lines == sorted(lines)
    assert calibration_set(study) == before
    with pytest.raises(StudyProblem, match="there is no column value, reason; columns are response_id, label"):
        import_set(study, write(tmp_path / "short.jsonl", [{"response_id": free, "label": "D"}]))


def test_a_draw_refuses_a_task_that_people_practise_on(study: Study) -> None:
    with pytest.raises(StudyProblem, match="2 drawn tasks are in the calibration set"):
        draw_sample(study, Plan(sample_id="all", size=None, overlap=0))
    with pytest.raises(StudyProblem, match="2 drawn tasks are in the calibration set"):
        extend_sample(study, size=None)
    remove_set(study)
    assert extend_sample(study, size=None).n_responses == 8


def test_whoever_practised_gets_no_grounding_of_that_task_when_it_is_drawn_later(
    study: Study, person_in: Any, desk: Any
) -> None:
    ann = desk(study, person_in(study, "ann", teams=("evidence",)))
    practice(ann, answers(RIGHT))
    remove_set(study)
    extend_sample(study, size=None)
    with open_store(study) as store:
        practised = {r["task_id"] for r in store.rows("SELECT task_id FROM assignment WHERE purpose = 'calibration'")}
        ann.finish(answers(RIGHT))
        sql = "SELECT task_id FROM assignment WHERE purpose = 'plan' AND person_id = 'ann'"
        worked = {row["task_id"] for row in store.rows(sql)}
    assert len(practised) == 2
    assert len(worked) == 6
    assert not practised & worked


def test_labels_cannot_be_imported_for_practice_items_as_if_they_were_drawn(study: Study, tmp_path: Path) -> None:
    row = {"item_id": outside(study)[0], "item_kind": "response", "person_id": "x", "label": "D", "value": "1"}
    with pytest.raises(StudyProblem, match="is not drawn"):
        import_records(study, "labels", write(tmp_path / "labels.jsonl", [row]))


def test_what_was_begun_before_the_set_came_is_finished_first(
    drawn: Study, copy_of: Any, person_in: Any, desk: Any, tmp_path: Path
) -> None:
    copy = copy_of(drawn)
    at_work = desk(copy, person_in(copy, "ann"))
    begun = at_work.view()
    import_set(copy, write(tmp_path / "agreed.jsonl", agreed_rows(outside(copy)[:2])))
    seen = at_work.finish(answers(RIGHT), limit=4)
    assert [view["practice"] for view in seen] == [False, False, False, True]
    assert seen[0]["assignment_id"] == begun["assignment_id"]


def test_next_view_refuses_nothing_to_leads(study: Study, person_in: Any) -> None:
    assert next_view(study, person_in(study, "lead", role="lead"), "label")["state"] == "empty"


def test_a_draft_holds_what_each_label_compares_and_becomes_a_set(study: Study, tmp_path: Path) -> None:
    rows = draft(study, 3)
    assert len({row["response_id"] for row in rows}) == 3
    assert {row["response_id"] for row in rows} <= set(outside(study))
    assert rows == draft(study, 3)
    shown = {row["label"]: row["shown"] for row in rows}
    assert shown["D"] == "Response: an answer"
    assert "passage 1" in shown["G"]
    assert "GOLD" not in shown["D"] + shown["A"] + shown["G"]
    assert shown["C"] == "Response: an answer\n\nReference answer: GOLD\n\nAlso accepted: ALIAS"
    filled = [{**row, "value": AGREED[row["label"]], "reason": "x"} for row in rows]
    assert len(import_set(study, write(tmp_path / "filled.jsonl", filled)).answers) == 12
    remove_set(study)
    extend_sample(study, size=None)
    with pytest.raises(StudyProblem, match="every task of this study is drawn"):
        draft(study, 3)


def test_the_commands_from_a_draft_to_the_results(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], person_in: Any
) -> None:
    def run(*arguments: str) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["evidence-audit", "calibration", *arguments, "--study", str(study.path)])
        with suppress(SystemExit):
            main()
        said = capsys.readouterr()
        return said.out, said.err

    drafted, _ = run("draft", "--size", "2")
    header, *lines = list(csv.reader(StringIO(drafted)))
    assert header == ["response_id", "label", "value", "reason", "shown"]
    file = tmp_path / "agreed.csv"
    with file.open("w", newline="", encoding="utf-8") as target:
        csv.writer(target).writerows([header, *([a, label, AGREED[label], "so", x] for a, label, _, _, x in lines)])
    assert "Calibration set 2: 2 items, agreed answers: D 2, A 2, G 2, C 2. Few agreed" in run("import", str(file))[1]
    assert "not_supported" in run("list")[0]
    person_in(study, "ann")
    out, err = run("results")
    assert re.search(r"ann +not begun +0", out)
    assert err == "0 of 1 person has passed. Nobody gets other work before that.\n"
    assert json.loads(run("results", "--json")[0])["people"][0]["state"] == "not begun"
    assert run("remove")[1].startswith("Removed")
    assert run("results")[1].startswith("No calibration set yet.")
