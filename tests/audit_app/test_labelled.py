"""The labelled rows and the population that they stand for."""

from typing import Any

import numpy as np

from audit_app.actions.labelled import WARRANT, labelled
from audit_app.actions.sampling import Plan, draw_sample
from data import frame as frames
from data.store import assignments, items
from data.store.connection import open_store


def test_a_stratum_that_nobody_has_dealt_with_yet_is_stood_for_by_its_siblings(
    grid: Any, study_from: Any, give_labels: Any
) -> None:
    study = study_from(grid(12, contexts=False, models=("big", "small")), labels=["C"])
    draw_sample(study, Plan(size=12, strata=("model",), overlap=0))
    with open_store(study) as store:
        drawn = items.draws(store, "main", "response")
    assert {draw["stratum"]: draw["stratum_size"] for draw in drawn} == {"big": 12, "small": 12}
    give_labels(study, [{"item_id": draw["item_id"], "item_kind": "response", "person_id": "ann", "label": "C",
                         "value": "1"} for draw in drawn if draw["stratum"] == "big"])  # fmt: skip
    with open_store(study) as store:
        rows = labelled(study, store, frames.open_frame(study), sample_id=None, judge=None)
    assert rows.design(np.ones(len(rows.draws), dtype=bool)).weight.sum() == 24


def test_second_labels_are_those_of_the_plans_second_person(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = study_from(grid(6, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=None, overlap=1))
    for person, values in (("ann", "110000"), ("bob", "011000")):
        give_labels(study, [{"item_id": f"t0{n}.wren.baseline", "item_kind": "response", "person_id": person,
                             "label": "C", "value": values[n]} for n in range(6)])  # fmt: skip
    with open_store(study) as store:
        rows = labelled(study, store, frames.open_frame(study), sample_id=None, judge=None)
        first = {row["item_id"]: row["person_id"] for row in assignments.everything(store) if row["plan_order"] == 1}
    said = {"ann": [1.0, 1, 0, 0, 0, 0], "bob": [0.0, 1, 1, 0, 0, 0]}
    for row, draw in enumerate(rows.draws):
        one = first[draw["item_id"]]
        other = "bob" if one == "ann" else "ann"
        n = int(draw["task_id"][1:])
        assert (rows.human["C"][row], rows.another["C"][row]) == (said[one][n], said[other][n])
    table = rows.rows({"C"})
    assert table.another is not None
    assert table.another.C.tolist() == rows.another["C"].tolist()
    assert np.isnan(table.another.G).all()


def test_some_of_the_rows_are_those_rows_in_every_part(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = study_from(grid(6, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, [{"item_id": f"t0{n}.wren.baseline", "item_kind": "response", "person_id": "ann", "label": "C",
                         "value": str(n % 2)} for n in range(6)])  # fmt: skip
    with open_store(study) as store:
        rows = labelled(study, store, frames.open_frame(study), sample_id=None, judge=None)
    odd = rows.only(rows.human["C"] == 1)
    assert {draw["task_id"] for draw in odd.draws} == set(odd.columns["task_id"]) == {"t01", "t03", "t05"}
    assert odd.human["C"].tolist() == [1, 1, 1]
    assert odd.design(np.ones(3, dtype=bool)).weight.tolist() == [2, 2, 2]


def test_whoever_knew_the_answer_tells_nothing_of_warrants(
    grid: Any, study_from: Any, person_in: Any, desk: Any, give_labels: Any, label_rows: Any
) -> None:
    rows = grid(4)
    study = study_from(rows, labels=["A", "C", "answerable", "supports", "construction_errors"])
    draw_sample(study, Plan(size=None, overlap=0))
    answers: dict[str, Any] = {"answerable": "not_established", "supports": "neither", "construction_errors": []}
    ann = person_in(study, "ann", teams=["context"])
    desk(study, ann, screen="context").finish(lambda view: answers[view["label"]["name"].split(".")[0]])
    said = {one["response_id"]: {"A": "0", "C": "0"} for one in rows["responses"]}
    give_labels(study, label_rows("bea", said))
    with open_store(study) as store:
        found = labelled(study, store, frames.open_frame(study), sample_id=None, judge=None)
    # Of each task ann has audited two contexts, the second one with the reference answer in mind.
    told = {draw["context_id"]: warrant for draw, warrant in zip(found.draws, found.human[WARRANT], strict=True)}
    assert (len(told), sum(np.isnan(warrant) for warrant in told.values()), np.nansum([*told.values()])) == (8, 4, 4)
    assert not found.owed[WARRANT].any()
