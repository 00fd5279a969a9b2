"""Everything that people did comes out again, with the draw it belongs to."""

import csv
import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.demo import Demo
from audit_app.actions.exporting import exported, exported_views
from audit_app.actions.importing import import_records
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.exporters import COLUMNS, SHOWN, as_csv, as_jsonl
from data.store.connection import open_store
from data.study import Study

DEMO = Path(__file__).parents[2] / "data" / "demo"


def test_every_recorded_label_of_the_demo_comes_out_once(finished_demo: Demo) -> None:
    rows = exported(finished_demo.study)
    given = [json.loads(line) for line in (DEMO / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    key = ("item_kind", "item_id", "person_id", "label", "value", "created_at")
    # Lists of codes are stored in the order of the rubric.
    plain = [{**g, "value": json.dumps(sorted(json.loads(g["value"])))} if g["value"].startswith("[") else g
             for g in given]  # fmt: skip
    out = [{**r, "value": json.dumps(sorted(json.loads(r["value"])))} if r["value"].startswith("[") else r
           for r in rows]  # fmt: skip
    assert Counter(tuple(r[k] for k in key) for r in out) == Counter(tuple(g[k] for k in key) for g in plain)


def test_every_row_carries_the_draw_of_its_item(finished_demo: Demo) -> None:
    with open_store(finished_demo.study) as store:
        draws = {(row["item_kind"], row["item_id"]): row for row in store.rows("SELECT * FROM draw")}
    for row in exported(finished_demo.study):
        draw = draws[row["item_kind"], row["item_id"]]
        for name in ("sample_id", "stratum", "stratum_size", "sample_size", "inclusion_probability"):
            assert row[name] == draw[name]
        assert set(row) <= set(COLUMNS)


def test_skips_and_cannot_judge_come_out_with_their_reasons(
    grid: Any, study_from: Any, person_in: Any, desk: Any
) -> None:
    study: Study = study_from(grid(2, conditions=("clean",)), labels=["D"])
    draw_sample(study, Plan(size=None, overlap=0))
    ann = desk(study, person_in(study, "ann"))
    ann.answer(ann.view(), "cannot_judge", comment='a "note",\nin two lines')
    ann.answer(ann.view(), None, label="skip", comment="unclear")
    rows = exported(study)
    assert {(row["state"], row["label"], row["value"], row["comment"], row["reason"]) for row in rows} == {
        ("done", "D", "cannot_judge", 'a "note",\nin two lines', None), ("skipped", None, None, None, "unclear")
    }  # fmt: skip
    back = list(csv.DictReader(StringIO("".join(as_csv(rows)), newline="")))
    assert [row["comment"] for row in back if row["state"] == "done"] == ['a "note",\nin two lines']
    assert len("".join(as_jsonl(rows)).splitlines()) == 2


def test_work_in_hand_comes_out_as_far_as_it_is(grid: Any, study_from: Any, person_in: Any, desk: Any) -> None:
    study: Study = study_from(grid(2, conditions=("clean",)))
    draw_sample(study, Plan(size=None, overlap=0))
    assert exported(study) == []
    ann = desk(study, person_in(study, "ann"))
    ann.answer(ann.view(), "1")
    (row,) = [row for row in exported(study) if row["label"]]
    assert (row["label"], row["state"], row["purpose"], row["plan_order"]) == ("D", "claimed", "plan", 1)


def test_the_log_of_what_was_on_screen_comes_out(grid: Any, study_from: Any, person_in: Any, desk: Any) -> None:
    study: Study = study_from(grid(1, conditions=("clean",)), labels=["D", "G"])
    draw_sample(study, Plan(size=None, overlap=0))
    ann = desk(study, person_in(study, "ann"))
    ann.answer(ann.answer(ann.view(), "1")["next"], "partly")
    rows = exported_views(study)
    assert [(row["person_id"], row["item_id"], row["view"], json.loads(row["fields"])) for row in rows] == [
        ("ann", "t00.clean.wren.baseline", "DisclosureView", ["response"]),
        ("ann", "t00.clean.wren.baseline", "GroundingView", ["passages", "response"]),
    ]
    assert [row["shown_at"] for row in rows] == sorted(row["shown_at"] for row in rows)
    assert set(rows[0]) == set(SHOWN)
    back = list(csv.DictReader(StringIO("".join(as_csv(rows, columns=SHOWN)), newline="")))
    assert [row["view"] for row in back] == ["DisclosureView", "GroundingView"]
    assert json.loads("".join(as_jsonl(rows, columns=SHOWN)).splitlines()[1]) == rows[1]


LOST = {"flags", "version", "state", "vote", "plan_order"}
"""What a recorded label does not carry: what became of it afterwards."""


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_is_exported_can_be_imported_again(
    grid: Any, study_from: Any, person_in: Any, desk: Any, give_labels: Any, label_rows: Any, tmp_path: Path, form: str
) -> None:
    studies = [study_from(grid(3), name=name) for name in "ab"]
    for study in studies:
        draw_sample(study, Plan(size=None, overlap=0))
    first, second = studies
    ann = desk(first, person_in(first, "ann"))
    quote = {"passage": 1, "start": 0, "end": 7, "text": "passage"}
    for value, more in (
        ("cannot_judge", {"comment": 'a "note",\r\n=1'}),
        ("0", {}),
        ("established", {"evidence": [quote]}),
    ):
        ann.answer(ann.view(), value, **more)
    view = ann.view()
    while view["label"]["name"] != "D":
        view = ann.answer(view, view["label"]["values"][0]["value"])["next"]
    ann.answer(view, None, label="skip", comment="unclear")
    item = exported(first)[0]["item_id"]
    decided = label_rows("lead", {item: {"C": "1"}}, purpose="adjudication", reason="plain", cause="slip")
    give_labels(first, decided)
    path = tmp_path / f"labels.{form}"
    run = CliRunner().invoke(cli, ["export", "--format", form, "--out", str(path), "--study", str(first.path)])
    assert run.exit_code == 0
    done = import_records(second, "labels", path)
    assert done.n == sum(row["value"] is not None or row["reason"] is not None for row in exported(first))

    def kept(study: Study) -> list[dict[str, Any]]:
        rows = [row for row in exported(study) if row["value"] is not None or row["reason"] is not None]
        return [{name: value for name, value in row.items() if name not in LOST} for row in rows]

    assert kept(second) == kept(first)
    assert {row["reason"] for row in kept(second)} == {None, "unclear", "plain"}


@pytest.mark.parametrize("kind", ["tasks", "contexts", "responses", "verdicts"])
def test_records_are_exported_as_they_were_imported(finished_demo: Demo, kind: str) -> None:
    study = str(finished_demo.study.path)
    out = CliRunner().invoke(cli, ["export", kind, "--format", "jsonl", "--study", study]).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    given = [json.loads(line) for line in (DEMO / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(given)
    for row, was in zip(rows, given, strict=True):
        assert {**was, "passages": None} == {**{name: row[name] for name in was}, "passages": None}
