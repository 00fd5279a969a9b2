"""The seal: open when the plan is done, or once and for all for a reason that is printed."""

from typing import Any

from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import read_seal, unseal
from data.store.connection import open_store
from data.study import Study, open_study


def drawn(grid: Any, study_from: Any) -> Study:
    study: Study = study_from(grid(2, conditions=("clean",)), labels=["D"])
    draw_sample(study, Plan(size=None, overlap=0))
    return study


def seal_of(study: Study) -> Any:
    with open_store(study) as store:
        return read_seal(store)


def test_sealed_until_the_last_opening_is_done_or_skipped(
    grid: Any, study_from: Any, give_labels: Any, label_rows: Any
) -> None:
    study = drawn(grid, study_from)
    assert (seal_of(study).is_open, seal_of(study).n_left) == (False, 2)
    assert "2 planned assignments are not done yet" in seal_of(study).sentence
    give_labels(study, label_rows("ann", {"t00.clean.wren.baseline": {"D": "1"}}))
    assert (seal_of(study).is_open, seal_of(study).n_left) == (False, 1)
    give_labels(study, label_rows("ann", {"t01.clean.wren.baseline": {"D": ""}}, reason="unclear"))
    assert (seal_of(study).is_open, seal_of(study).reason) == (True, None)
    assert "everything that was planned is labelled" in seal_of(study).sentence


def test_work_beside_the_plan_neither_opens_nor_seals(
    grid: Any, study_from: Any, give_labels: Any, label_rows: Any
) -> None:
    study = drawn(grid, study_from)
    give_labels(study, label_rows("ann", {f"t0{n}.clean.wren.baseline": {"D": "1"} for n in (0, 1)}, purpose="canary"))
    assert seal_of(study).n_left == 2


def test_the_first_reason_stays(grid: Any, study_from: Any) -> None:
    study = drawn(grid, study_from)
    assert unseal(study, "a pilot").reason == "a pilot"
    assert unseal(study, "second thoughts").reason == "a pilot"
    found = seal_of(open_study(study.path))
    assert (found.is_open, found.n_left) == (True, 2)
    assert "with the reason “a pilot”" in found.sentence


def test_a_new_sample_seals_what_was_complete(grid: Any, study_from: Any, give_labels: Any, label_rows: Any) -> None:
    study = study_from(grid(6, conditions=("clean",)), labels=["D"])
    draw_sample(study, Plan(size=2, overlap=0))
    give_labels(study, label_rows("ann", {f"t0{n}.clean.wren.baseline": {"D": "1"} for n in range(6)}), drawn_only=True)
    assert seal_of(study).is_open
    draw_sample(study, Plan(sample_id="more", size=None, overlap=0))
    assert (seal_of(study).is_open, seal_of(study).n_left) == (False, 4)
