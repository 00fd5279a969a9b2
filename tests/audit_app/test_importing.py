"""Recorded labels become answers of the plan: all of a file, or nothing and every problem."""

import csv
import json
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from audit_app.actions.importing import import_records
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import read_seal
from audit_app.cli import cli
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study, open_study

R = [f"t0{n}.clean.wren.baseline" for n in range(4)]


@pytest.fixture(scope="module")
def drawn(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Four contexts and their responses, all drawn for two people."""
    made: Study = build_study(tmp_path_factory.mktemp("drawn"), grid(4, conditions=("clean",)))
    draw_sample(made, Plan(size=None, overlap=1))
    return made


@pytest.fixture(scope="module")
def fuzzed(drawn: Study, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A copy into which anything may be imported."""
    return open_study(Path(shutil.copytree(drawn.path, tmp_path_factory.mktemp("fuzzed") / "study")))


@pytest.fixture
def study(drawn: Study, copy_of: Any) -> Study:
    copy: Study = copy_of(drawn)
    return copy


def table(study: Study, sql: str) -> list[dict[str, Any]]:
    with open_store(study) as store:
        return store.rows(sql)


def taken(study: Study) -> set[tuple[Any, ...]]:
    sql = "SELECT item_id, pass, purpose, plan_order, person_id, state FROM assignment WHERE person_id IS NOT NULL"
    return {tuple(row.values()) for row in table(study, sql)}


def everything(study: Study) -> list[Any]:
    names = ("person", "assignment", "label_event", "resolution", "setting")
    return [table(study, f"SELECT * FROM {name}") for name in names]


def test_who_comes_first_is_the_first_of_the_plan(study: Study, give_labels: Any, label_rows: Any) -> None:
    give_labels(study, label_rows("ann", {R[0]: {"D": "1"}}) + label_rows("ben", {R[0]: {"D": "0"}, R[1]: {"D": "0"}}))
    give_labels(study, label_rows("ann", {R[1]: {"D": "1"}}))
    assert taken(study) == {
        (R[0], "evidence", "plan", 1, "ann", "done"),
        (R[0], "evidence", "plan", 2, "ben", "done"),
        (R[1], "evidence", "plan", 1, "ben", "done"),
        (R[1], "evidence", "plan", 2, "ann", "done"),
    }
    assert len(table(study, "SELECT * FROM assignment WHERE pass = 'evidence'")) == 8


def test_a_third_person_gets_an_opening_of_their_own(study: Study, give_labels: Any, label_rows: Any) -> None:
    for person in ("ann", "ben", "cat"):
        give_labels(study, label_rows(person, {R[0]: {"C": "1"}}))
    assert (R[0], "correctness", "plan", 3, "cat", "done") in taken(study)


def test_labels_of_one_pass_share_an_opening_across_files(study: Study, give_labels: Any, label_rows: Any) -> None:
    give_labels(study, label_rows("ann", {R[0]: {"D": "1", "C": "1"}}))
    give_labels(study, label_rows("ann", {R[0]: {"A": "1", "G": "partly"}}))
    assert {row[1] for row in taken(study)} == {"evidence", "correctness"}
    assert len(taken(study)) == 2
    seqs = table(study, "SELECT label, client_seq FROM label_event ORDER BY event_id")
    assert [(row["label"], row["client_seq"]) for row in seqs] == [("D", 1), ("C", 1), ("A", 2), ("G", 3)]


def test_an_opening_in_somebodys_hands_is_left_to_them(
    study: Study, give_labels: Any, label_rows: Any, person_in: Any, desk: Any
) -> None:
    view = desk(study, person_in(study, "zoe")).view()
    (mine,) = table(study, "SELECT * FROM assignment WHERE person_id = 'zoe'")
    give_labels(study, label_rows("ann", {mine["item_id"]: {"D": "1"}}))
    assert (mine["item_id"], "evidence", "plan", 2, "ann", "done") in taken(study)
    assert (mine["assignment_id"], mine["plan_order"]) == (view["assignment_id"], 1)


def test_people_are_made_and_those_who_are_there_stay(
    study: Study, give_labels: Any, label_rows: Any, person_in: Any
) -> None:
    person_in(study, "ann", teams=("evidence",))
    give_labels(study, label_rows("ann", {R[0]: {"D": "1"}}) + label_rows("ben", {R[0]: {"D": "1"}})
                + label_rows("zoe", {R[0]: {"D": "1"}}, purpose="adjudication"))  # fmt: skip
    people = {row["person_id"]: row for row in table(study, "SELECT * FROM person")}
    assert (people["ann"]["teams"], people["ann"]["link_hash"] is None) == ('["evidence"]', False)
    assert (people["ben"]["role"], people["ben"]["link_hash"]) == ("annotator", None)
    assert people["zoe"]["role"] == "adjudicator"
    assert (R[0], "evidence", "adjudication", 1, "zoe", "done") in taken(study)


def test_a_blank_with_a_reason_is_a_skip_and_never_undoes_an_answer(
    study: Study, give_labels: Any, label_rows: Any
) -> None:
    blanks = label_rows("ann", {R[0]: {"A": ""}, R[1]: {"D": "", "A": " "}}, reason="other: torn page")
    done = give_labels(study, [*label_rows("ann", {R[0]: {"D": "1"}}), *blanks])
    assert (done.n, done.n_skips, done.n_blank) == (3, 2, 1)
    states = {row[0]: row[5] for row in taken(study)}
    assert states == {R[0]: "done", R[1]: "skipped"}
    assert table(study, "SELECT reason FROM assignment WHERE state = 'skipped'") == [{"reason": "other: torn page"}]
    later = give_labels(study, label_rows("ann", {R[0]: {"G": ""}}, reason="unclear"))
    assert (later.n, later.n_blank) == (0, 1)
    assert {row[0]: row[5] for row in taken(study)} == states


def test_blanks_without_a_reason_finish_nothing_and_open_no_results(
    study: Study, give_labels: Any, label_rows: Any, tmp_path: Path
) -> None:
    with open_store(study) as store:
        before = read_seal(store)
    empty = {item: dict.fromkeys(("D", "A", "G", "C"), "") for item in R}
    rows = [row for person in ("ann", "ben") for row in label_rows(person, empty)]
    path = tmp_path / "blank.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ended = CliRunner().invoke(cli, ["import", "labels", str(path), "--study", str(study.path)])
    assert ended.exit_code == 0
    assert "Imported 0 labels" in ended.stderr
    assert "Left out: 32 rows without a value. They finish no work" in ended.stderr
    with open_store(study) as store:
        assert read_seal(store) == before
    assert (taken(study), table(study, "SELECT * FROM person")) == (set(), [])
    # The values can come later.
    assert give_labels(study, label_rows("ann", {R[0]: {"D": "1"}})).n == 1


@pytest.mark.parametrize(("reason", "said"), [("tired", "a skip needs a reason: unclear"), ("other", "needs a note")])
def test_a_reason_is_one_of_the_rubrics(
    study: Study, give_labels: Any, label_rows: Any, reason: str, said: str
) -> None:
    with pytest.raises(StudyProblem, match=said):
        give_labels(study, label_rows("ann", {R[0]: {"D": ""}}, reason=reason))
    assert give_labels(study, label_rows("ann", {R[0]: {"D": "1"}}, reason=reason)).n == 1


def test_a_problem_of_an_item_is_said_once_with_its_lines(study: Study, give_labels: Any, label_rows: Any) -> None:
    one, other = ({item: {"D": "1", "A": "1", "G": "perhaps"}} for item in ("gone", R[0]))
    rows = [*label_rows("ann", one), *label_rows("ann", other), *label_rows("ben", one)]
    with pytest.raises(StudyProblem) as caught:
        give_labels(study, rows)
    first, second = caught.value.problems
    assert first.where.endswith(":1")
    assert first.message.startswith("response 'gone' is not drawn")
    assert first.message.endswith("(the same in 5 more: 2, 3, 7, 8, 9)")
    assert (second.where[-2:], second.field) == (":6", "value")
    many = label_rows("ann", one) + [row for k in range(9) for row in label_rows(f"p{k}", one)]
    with pytest.raises(StudyProblem, match=r"the same in 29 more: 2, 3, 4, 5, 6, 7, 8, 9, 10, …\)"):
        give_labels(study, many)


def test_values_are_stored_in_one_way(study: Study, give_labels: Any, label_rows: Any) -> None:
    said = {"D": "Yes", "A": "FALSE", "G": "no", "C": "Cannot judge"}
    context = {"answerable": "Not established", "supports.1": "GOLD", "supports.2": "cannot_judge",
               "construction_errors": '["other", "answer_leaked"]'}  # fmt: skip
    give_labels(study, label_rows("ann", {R[0]: said}) + label_rows("ann", {"t00.clean": context}, kind="context"))
    stored = {row["label"]: row["value"] for row in table(study, "SELECT label, value FROM label_event")}
    assert stored == {
        "D": "1", "A": "0", "G": "not_supported", "C": "cannot_judge", "answerable": "not_established",
        "supports.1": "gold", "supports.2": "cannot_judge", "construction_errors": '["answer_leaked", "other"]',
    }  # fmt: skip


def test_the_time_the_note_and_the_quotes_of_the_file_are_kept(study: Study, give_labels: Any, label_rows: Any) -> None:
    give_labels(study, label_rows("ann", {R[0]: {"D": "1"}}, created_at="2026-04-14T09:41:24+02:00", comment="=why\n",
                                  evidence=["as I know"]))  # fmt: skip
    (event,) = table(study, "SELECT * FROM label_event")
    assert (event["created_at"], event["comment"]) == ("2026-04-14T07:41:24+00:00", "=why\n")
    assert json.loads(event["evidence"]) == [{"text": "as I know"}]
    assert event["rubric_hash"] == study.rubric.hash


def test_a_quote_keeps_its_field_and_the_error_that_it_shows(study: Study, give_labels: Any, label_rows: Any) -> None:
    quote = {"passage": 1, "start": 0, "end": 3, "text": "IEA", "field": "title", "code": "answer_leaked"}
    errors = {"t00.clean": {"construction_errors": '["answer_leaked"]'}}
    give_labels(study, label_rows("ann", errors, kind="context", evidence=[quote]))
    (event,) = table(study, "SELECT evidence FROM label_event")
    assert json.loads(event["evidence"]) == [quote]
    for change, sentence in (
        ({"code": "explicit_cue"}, "'explicit_cue', which is not"),
        ({"field": "x"}, "is .x.; expected one of text, title"),
    ):
        with pytest.raises(StudyProblem, match=sentence):
            give_labels(study, label_rows("ben", errors, kind="context", evidence=[{**quote, **change}]))


def test_every_problem_of_a_file_is_told_at_once_and_nothing_kept(study: Study, give_labels: Any) -> None:
    good = {"item_id": R[0], "item_kind": "response", "person_id": "ann", "label": "D", "value": "1"}
    before = everything(study)
    bad = [
        {**good, "label": "colour"},
        {**good, "label": "A", "value": "maybe"},
        {**good, "person_id": ""},
        {**good, "item_id": "nowhere"},
        {**good, "item_kind": "context"},
        {**good, "item_id": "t00.clean", "item_kind": "context"},
        {**good, "purpose": "fun"},
        {**good, "label": "C.1"},
        {**good, "label": "A", "occasion": 2},
        {**good, "item_id": "t00.clean", "item_kind": "context", "label": "supports.3", "value": "gold"},
        {**good, "item_id": "t00.clean", "item_kind": "context", "label": "supports", "value": "gold"},
        {**good, "item_id": "t00.clean", "item_kind": "context", "label": "construction_errors", "value": '["x"]'},
        {**good, "item_id": "t00.clean", "item_kind": "context", "label": "construction_errors", "value": '[["x"]]'},
        {**good, "created_at": "yesterday", "item_id": R[1]},
        good,
    ]
    with pytest.raises(StudyProblem) as caught:
        give_labels(study, [good, *bad])
    lines = {int(problem.where.rsplit(":", 1)[1]) for problem in caught.value.problems}
    assert lines == set(range(2, len(bad) + 2))
    assert everything(study) == before
    text = str(caught.value)
    for part in ("has no label 'colour'", "'maybe'; expected one of 1, 0, or yes/no", "'nowhere' is not drawn",
                 "is a label of a response, not of a context", "supports.1 or supports.2", "like repeat",
                 "ids must be unique"):  # fmt: skip
        assert part in text


def test_labels_before_a_draw_are_told_to_wait(grid: Any, study_from: Any, give_labels: Any, label_rows: Any) -> None:
    study = study_from(grid(4, conditions=("clean",)))
    with pytest.raises(StudyProblem, match="draw a sample first"):
        give_labels(study, label_rows("ann", {R[0]: {"D": "1"}}), drawn_only=True)
    with pytest.raises(StudyProblem, match="is not drawn; draw it, or pass over with --drawn-only"):
        give_labels(study, label_rows("ann", {R[0]: {"D": "1"}}))


def test_what_is_not_drawn_can_be_passed_over(grid: Any, study_from: Any, give_labels: Any, label_rows: Any) -> None:
    study = study_from(grid(4, conditions=("clean",)))
    draw_sample(study, Plan(size=2, overlap=0))
    done = give_labels(study, label_rows("ann", {item: {"D": "1"} for item in R}), drawn_only=True)
    assert (done.n, done.n_passed_over) == (2, 2)
    assert len(taken(study)) == 2


def test_what_was_passed_over_is_said(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    rows = [f"{item},response,ann,D,yes" for item in (R[0], "gone", "gone too")]
    path.write_text("\n".join(["item_id,item_kind,person_id,label,value", *rows, ""]), encoding="utf-8")
    ended = CliRunner().invoke(cli, ["import", "labels", str(path), "--drawn-only", "--study", str(study.path)])
    assert ended.stderr == "Imported 1 labels\nPassed over: 2 labels of items that are not drawn.\n"


def test_the_same_labels_twice_are_refused(study: Study, give_labels: Any, label_rows: Any) -> None:
    rows = label_rows("ann", {R[0]: {"D": "1", "A": "1"}})
    give_labels(study, rows)
    before = everything(study)
    with pytest.raises(
        StudyProblem, match=r"'ann' has given this label of 't00.clean.wren.baseline' already"
    ) as caught:
        give_labels(study, rows)
    (problem,) = caught.value.problems
    assert problem.message.endswith("(the same in 1 more: 2)")
    assert everything(study) == before


def test_other_purposes_add_rows_beside_the_plan(study: Study, give_labels: Any, label_rows: Any) -> None:
    give_labels(study, label_rows("ann", {R[0]: {"D": "1"}}))
    for purpose in ("calibration", "canary", "repeat", "adjudication"):
        give_labels(study, label_rows("ann", {R[0]: {"D": "0"}}, purpose=purpose, occasion=2))
    assert (R[0], "evidence", "plan", 1, "ann", "done") in taken(study)
    assert len(taken(study)) == 5


def test_pairs_go_over_a_mapping(study: Study, tmp_path: Any) -> None:
    (tmp_path / "m.toml").write_text('[labels]\nitem_id = "id"\nperson_id = "gone"\nlabel = { value = "D" }\n')
    path = tmp_path / "labels.csv"
    path.write_text(f"id,item_kind,who,value\n{R[0]},response,ann,yes\n", encoding="utf-8")
    assert import_records(study, "labels", path, mapping=str(tmp_path / "m.toml"), pairs=["person_id=who"]).n == 1


def test_other_names_and_formats(study: Study, tmp_path: Any) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"id,item_kind,who,label,value\n{R[0]},response,ann,D,yes\n", encoding="utf-8")
    assert import_records(study, "labels", path, pairs=["item_id=id", "person_id=who"]).n == 1


def test_recorded_labels_take_what_was_dealt_to_their_person(
    grid: Any, study_from: Any, person_in: Any, give_labels: Any, label_rows: Any
) -> None:
    study = study_from(grid(6, conditions=("clean",)), labels=["D"])
    for who in ("one", "two"):
        person_in(study, who)
    draw_sample(study, Plan(size=None, overlap=1))
    with open_store(study) as store:
        ids = [row["item_id"] for row in store.rows("SELECT DISTINCT item_id FROM assignment")]
    for who in ("two", "one"):
        give_labels(study, label_rows(who, {item: {"D": "1"} for item in ids}))
    with open_store(study) as store:
        rows = store.rows("SELECT person_id, reserved_for FROM assignment WHERE purpose = 'plan'")
    assert len(rows) == 12
    assert all(row["person_id"] == row["reserved_for"] for row in rows)


def test_more_problems_than_can_be_shown_are_all_in_a_file(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"task_id": "=1", "question": []}\n' * 250)
    with pytest.raises(
        StudyProblem, match=r"… and 247 more like it, up to .*:250: .*\nAll 250 problems are in .*import-problems\.csv$"
    ):
        import_records(study, "tasks", path)
    with (study.path / "import-problems.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 250
    assert rows[249] == {
        "where": f"{path}:250", "field": "question", "message": "found a list; expected text"
    }  # fmt: skip


def test_fields_that_nothing_reads_are_named(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text("task_id,question,text,regimen,gold_anwser\nt,?,x,longfact,y\n")
    result = CliRunner().invoke(cli, ["import", "tasks", str(path), "--study", str(study.path)])
    assert result.exit_code == 0
    assert "no record and no mapping knows them: the fields gold_anwser, regimen.\n" in result.stderr
    path.write_text("task_id,asked\nu,?\n")
    assert import_records(study, "tasks", path, pairs=["question=asked"]).ignored == ()


def test_what_a_file_was_taken_for_is_said(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"user_input": "?", "retrieved_contexts": ["x"], "reference": "y"}\n')
    result = CliRunner().invoke(cli, ["import", "tasks", str(path), "--study", str(study.path)])
    assert result.exit_code == 0
    assert "is read as: Ragas evaluation set. If it is something else, say so with --format." in result.stderr
    assert import_records(study, "contexts", path).recognised == "Ragas evaluation set"
    with pytest.raises(StudyProblem, match="is in no row; the file has user_input"):
        import_records(study, "tasks", path, mapping="own")


def test_bad_labels_can_be_left_out_and_are_listed(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(
        "item_id,item_kind,person_id,label,value\n"
        f"{R[0]},response,ann,D,yes\n{R[1]},response,ann,D,perhaps\n{R[1]},response,Ann ,A,yes\nx,response,ann,D,yes\n"
    )
    result = CliRunner().invoke(cli, ["import", "labels", str(path), "--skip-bad", "--study", str(study.path)])
    assert result.exit_code == 0
    assert "Imported 1 labels" in result.stderr
    assert "Left out because something is wrong with it, 3 problems:" in result.stderr
    assert "'Ann ' and 'ann' differ only by case, space, invisible marks or Unicode form" in result.stderr
    assert taken(study) == {(R[0], "evidence", "plan", 1, "ann", "done")}


def test_formats_are_listed() -> None:
    result = CliRunner().invoke(cli, ["import", "formats"])
    assert "label_studio: Label Studio export (labels)" in result.output
    names = [one["name"] for one in json.loads(CliRunner().invoke(cli, ["import", "formats", "--json"]).output)]
    assert {"ragas", "deepeval", "inspect", "argilla", "ramdocs"} <= set(names)


def test_labels_of_other_tools_are_label_events_with_their_people_and_times(study: Study, tmp_path: Path) -> None:
    def note(who: Any, at: str, **choices: str) -> dict[str, Any]:
        result = [{"from_name": name, "to_name": "answer", "type": "choices", "value": {"choices": [value]}}
                  for name, value in choices.items()]  # fmt: skip
        return {
            "id": 1,
            "completed_by": who,
            "result": result,
            "created_at": at,
            "lead_time": 4.5,
            "was_cancelled": False,
        }

    path = tmp_path / "export.json"
    ann, ben = {"id": 7, "email": "ann@example.org"}, 10
    notes = [note(ann, "2021-03-09T22:16:08.728353Z", D="yes", A="no"), note(ben, "2021-03-10T09:00:00+02:00", D="no")]
    path.write_text(json.dumps([{"id": 1, "data": {"response_id": R[0]}, "annotations": notes, "predictions": []}]))
    done = import_records(study, "labels", path)
    assert (done.n, done.recognised) == (3, "Label Studio export")
    events = table(study, "SELECT person_id, label, value, created_at, active_seconds FROM label_event "
                          "JOIN assignment USING (assignment_id) ORDER BY event_id")  # fmt: skip
    assert [tuple(row.values()) for row in events] == [
        ("ann@example.org", "D", "1", "2021-03-09T22:16:08.728353+00:00", 4.5),
        ("ann@example.org", "A", "0", "2021-03-09T22:16:08.728353+00:00", None),
        ("10", "D", "0", "2021-03-10T07:00:00+00:00", 4.5),
    ]
    assert {(row[4], row[5]) for row in taken(study)} == {("ann@example.org", "done"), ("10", "done")}


def spans(tag: str, *marked: tuple[str, int], label: str = "Evidence") -> list[dict[str, Any]]:
    return [
        {"id": f"s{n}", "from_name": tag, "to_name": "passages", "type": "labels",
         "value": {"text": text, "start": start, "end": start + len(text), "labels": [label]}}
        for n, (text, start) in enumerate(marked)
    ]  # fmt: skip


def exported(tmp_path: Path, *results: dict[str, Any], item: str = R[0]) -> Path:
    note = {"id": 1, "completed_by": 7, "result": list(results), "created_at": "2021-03-09T22:16:08Z", "lead_time": 1}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"id": 1, "data": {"response_id": item}, "annotations": [note]}]))
    return path


GROUNDED = {"from_name": "G", "to_name": "answer", "type": "choices", "value": {"choices": ["established"]}}


def test_marks_of_label_studio_are_evidence_where_they_stand_in_a_passage_and_else_listed(
    study: Study, tmp_path: Path
) -> None:
    marks = spans("spans", ("passage 2", 0), ("nowhere", 3), ("passage", 900), label="G")
    path = exported(tmp_path, GROUNDED, *marks, *spans("moods", ("passage", 0), ("x", 1)))
    result = CliRunner().invoke(cli, ["import", "labels", str(path), "--study", str(study.path)])
    assert result.exit_code == 0
    assert "Imported 1 labels" in result.stderr
    assert "stand in no passage of their item: 2 of moods, 1 of spans." in result.stderr
    [event] = table(study, "SELECT label, value, evidence FROM label_event")
    assert (event["label"], event["value"]) == ("G", "established")
    assert json.loads(event["evidence"]) == [
        {"passage": 2, "start": 0, "end": 9, "text": "passage 2"},
        {"passage": 1, "start": 0, "end": 7, "text": "passage"},
    ]


def test_a_tag_that_a_mapping_names_as_a_label_gives_its_marks_to_it(study: Study, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "label_studio"\n[labels]\nlabel = { from = "label", values = { spans = "G" } }\n')
    path = exported(tmp_path, GROUNDED, *spans("spans", ("passage 1", 0)))
    done = import_records(study, "labels", path, mapping=str(mine))
    assert (done.n, done.n_blank, done.unread_marks) == (1, 0, {})
    [event] = table(study, "SELECT value, evidence FROM label_event")
    assert (event["value"], json.loads(event["evidence"])[0]["passage"]) == ("established", 1)


def test_a_mark_whose_label_is_an_answer_is_that_answer(study: Study, tmp_path: Path) -> None:
    done = import_records(study, "labels", exported(tmp_path, *spans("G", ("passage 1", 0), label="partly")))
    assert (done.n, done.unread_marks) == (1, {})
    [event] = table(study, "SELECT label, value, evidence FROM label_event")
    assert (event["label"], event["value"], json.loads(event["evidence"])[0]["end"]) == ("G", "partly", 9)


def test_marks_of_items_that_are_not_drawn_are_no_marks_without_a_passage(study: Study, tmp_path: Path) -> None:
    path = exported(tmp_path, GROUNDED, *spans("spans", ("passage 1", 0), label="G"), item="elsewhere")
    with pytest.raises(StudyProblem, match=r"export\.json:1 \(task 1, annotation 1\).*is not drawn"):
        import_records(study, "labels", path)


NAMES = ["id", "from_name", "type", "value", "text", "labels", "choices", "start", "globalOffsets", "#marked", "#alone"]

ODD: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, 1, "labels", "choices", "text", "G", "9" * 5000, "\ud800", "passage 1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=14,
)

ODD_RESULTS = ODD | st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b"]),
        "from_name": st.sampled_from(["G", "spans", None]) | ODD,
        "type": st.sampled_from(["labels", "choices", "relation", "paragraphlabels"]),
        "value": st.dictionaries(st.sampled_from([*NAMES, "evidence"]), ODD, max_size=5),
    }
)


@given(st.lists(ODD_RESULTS, max_size=4), ODD)
@settings(max_examples=60, deadline=None)
def test_no_export_of_label_studio_ends_in_a_traceback(fuzzed: Study, results: list[Any], more: Any) -> None:
    row = {"id": 1, "data": {"response_id": R[0]}, "annotations": [{"completed_by": 1, "result": results}]}
    own = {"item_id": R[0], "item_kind": "response", "person_id": "p", "label": "G", "#marked": ["x"], "evidence": more}
    with TemporaryDirectory() as folder:
        for content in ({**row, **(more if isinstance(more, dict) else {})}, {**own, "value": "[" * 9000}):
            path = Path(folder) / "a.json"
            path.write_text(json.dumps(content))
            with suppress(StudyProblem):
                import_records(fuzzed, "labels", path, mapping="label_studio" if "data" in content else "own")


def test_a_list_of_codes_that_is_nested_too_deeply_is_a_problem(
    study: Study, give_labels: Any, label_rows: Any
) -> None:
    rows = label_rows("ann", {"t00.clean": {"construction_errors": "[" * 100_000}}, kind="context")
    with pytest.raises(StudyProblem, match="expected a JSON list of"):
        give_labels(study, rows)


def test_a_folder_says_how_many_files_in_folders_inside_it_were_not_read(study: Study, tmp_path: Path) -> None:
    inside = tmp_path / "new" / "more" / ".hidden"
    inside.mkdir(parents=True)
    for path in (inside.parent.parent, inside.parent, inside):
        (path / "a.jsonl").write_text(json.dumps({"task_id": path.name, "question": "?"}) + "\n")
        (path / "README.md").write_text("x")
    where = str(inside.parent.parent)
    result = CliRunner().invoke(cli, ["import", "tasks", where, "--study", str(study.path)])
    assert "Imported 1 tasks" in result.stderr
    assert f"Not read: 1 files in folders inside {where}. To read them too, give a pattern in quotes" in result.stderr
    both = import_records(study, "tasks", Path(where) / "**" / "*.jsonl", skip_bad=True)
    assert (both.n, both.n_below) == (1, 0)
    (inside.parent.parent / "a.jsonl").unlink()
    with pytest.raises(StudyProblem, match=r"no file to read there; .*; 1 are in folders inside it"):
        import_records(study, "tasks", Path(where))


def test_a_person_who_is_there_under_nearly_the_same_id_is_not_made_again(
    study: Study, person_in: Any, give_labels: Any, label_rows: Any
) -> None:
    person_in(study, "ann")
    with pytest.raises(
        StudyProblem, match="'Ann' and 'ann' differ only by case, space, invisible marks or Unicode form"
    ):
        give_labels(study, label_rows("Ann", {R[0]: {"D": "1"}}))
