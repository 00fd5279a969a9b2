"""Whose the labels are: intervals for annotators like these, and what they take for granted."""

from math import sqrt
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from audit_app.actions.first_people import NOT_DEALT, TWO_PEOPLE
from audit_app.actions.results import metrics
from audit_app.actions.sampling import Plan, draw_sample, extend_sample
from audit_app.cli import cli
from data.store.connection import open_store
from data.study import Study

FRAME, DRAWN, PEOPLE = 300, 90, 6


def openings(study: Study) -> list[dict[str, Any]]:
    with open_store(study) as store:
        return store.rows("SELECT item_id, reserved_for FROM assignment WHERE purpose = 'plan' ORDER BY item_id")


@pytest.fixture
def dealt(grid: Any, study_from: Any, person_in: Any, give_labels: Any) -> Study:
    """Ninety of three hundred, dealt to six people; the first always says yes, the others by turns."""
    study: Study = study_from(grid(FRAME, contexts=False), labels=["C"])
    for n in range(PEOPLE):
        person_in(study, f"p{n}")
    draw_sample(study, Plan(size=DRAWN, strata=(), overlap=0, repeats=0))
    give_labels(study, [{"item_id": row["item_id"], "item_kind": "response", "person_id": row["reserved_for"],
                         "label": "C", "value": "1" if row["reserved_for"] == "p0" else str(n % 2)}
                        for n, row in enumerate(openings(study))])  # fmt: skip
    return study


def corrected(study: Study, **options: Any) -> Any:
    (one,) = [e for e in metrics(study, names=["Acc"], **options).estimates if e.method == "corrected"]
    return one


def test_the_error_for_annotators_like_these_is_that_of_their_totals(dealt: Study) -> None:
    rows = openings(dealt)
    who = np.array([int(row["reserved_for"][1]) for row in rows])
    said = np.array([1.0 if row["reserved_for"] == "p0" else n % 2 for n, row in enumerate(rows)])
    # One stratum: z is what each person's answers add to the total, L how an answer of one moves all.
    weight = FRAME / DRAWN
    z = weight * np.bincount(who, said - said.mean())
    load = weight * np.bincount(who)
    moved = np.diag(load) - np.outer(np.bincount(who) / DRAWN, load)
    variance = np.sum(load**2) / np.sum(moved**2) * np.sum(z**2)
    these, such = corrected(dealt), corrected(dealt, annotators="annotators like these")
    assert such.value == these.value == pytest.approx(said.mean())
    assert such.se == pytest.approx(sqrt(variance) / FRAME)
    assert such.low < these.low < these.high < such.high
    found = metrics(dealt, annotators="annotators like these")
    assert "these 300 responses and annotators like these;" in found.sentence
    assert found.remarks == [line for line in found.remarks if line.startswith("Left out")]


def test_rows_of_another_purpose_change_nothing(dealt: Study, give_labels: Any) -> None:
    before = corrected(dealt, annotators="annotators like these")
    rows = [{"item_id": row["item_id"], "item_kind": "response", "person_id": "p0", "label": "C", "value": "0"}
            for row in openings(dealt)[:20]]  # fmt: skip
    for purpose in ("repeat", "canary", "calibration", "adjudication"):
        give_labels(dealt, [{**row, "purpose": purpose, "occasion": 2} for row in rows])
    assert corrected(dealt, annotators="annotators like these") == before
    assert NOT_DEALT not in metrics(dealt, annotators="annotators like these").remarks


def test_work_that_chance_did_not_deal_is_named(grid: Any, study_from: Any, give_labels: Any, dealt: Study) -> None:
    study = study_from(grid(40, contexts=False), name="taken", labels=["C"])
    draw_sample(study, Plan(size=40, strata=(), overlap=0))
    give_labels(study, [{"item_id": row["item_id"], "item_kind": "response", "person_id": f"p{n % 2}", "label": "C",
                         "value": str(n % 3 % 2)} for n, row in enumerate(openings(study))])  # fmt: skip
    found = metrics(study, annotators="annotators like these")
    assert NOT_DEALT in found.remarks
    assert NOT_DEALT not in metrics(study).remarks
    acc = next(e for e in found.estimates if e.method == "corrected")
    assert "2 annotators tell too little of annotators like these; 5 are needed" in (acc.why_undefined or "")
    ended = CliRunner().invoke(cli, ["metrics", "--annotators", "such", "--study", str(study.path)])
    assert NOT_DEALT in ended.stderr
    with open_store(dealt) as store:  # one response went to somebody else after all
        store.change(
            "UPDATE assignment SET reserved_for = CASE person_id WHEN 'p0' THEN 'p1' ELSE 'p0' END WHERE rowid = "
            "(SELECT min(rowid) FROM assignment WHERE purpose = 'plan')", []
        )  # fmt: skip
    assert NOT_DEALT in metrics(dealt, annotators="annotators like these").remarks


def test_two_people_of_one_response(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = study_from(grid(10))
    draw_sample(study, Plan(size=None, overlap=0))
    said = {"ann": {"D": "0", "A": "1", "G": "established"}, "ben": {"C": "1"}}
    give_labels(study, [{"item_id": row["item_id"], "item_kind": "response", "person_id": who, "label": name,
                         "value": value} for row in {r["item_id"]: r for r in openings(study)}.values()
                        if row["item_id"].count(".") == 3 for who, labels in said.items()
                        for name, value in labels.items()])  # fmt: skip
    assert TWO_PEOPLE in metrics(study, annotators="annotators like these").remarks


def test_every_result_says_how_often_the_sample_was_extended(dealt: Study) -> None:
    assert "extended" not in metrics(dealt).sentence
    extend_sample(dealt, size=DRAWN + 10)
    assert "The sample was extended once, after 90 assignments were done; results were open then." in (
        metrics(dealt).sentence
    )
    extend_sample(dealt, size=DRAWN + 20)
    assert "extended 2 times, after 90 and 90 assignments were done; results were open at 1 of these looks." in (
        metrics(dealt).sentence
    )
