"""Everything that people did comes out again, with the draw it belongs to."""

import csv
import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

from audit_app.actions.demo import Demo
from audit_app.actions.exporting import exported, exported_views
from audit_app.actions.sampling import Plan, draw_sample
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
    back = list(csv.DictReader(StringIO(as_csv(rows), newline="")))
    assert [row["comment"] for row in back if row["state"] == "done"] == ['a "note",\nin two lines']
    assert len(as_jsonl(rows).splitlines()) == 2


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
    back = list(csv.DictReader(StringIO(as_csv(rows, columns=SHOWN), newline="")))
    assert [row["view"] for row in back] == ["DisclosureView", "GroundingView"]
    assert json.loads(as_jsonl(rows, columns=SHOWN).splitlines()[1]) == rows[1]
