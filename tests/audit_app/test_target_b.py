"""Target B: what a random share of the labels, once adjudicated, says of all of them."""

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit_app.actions.answered import Overlap, answered, overlap_of
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.importing import import_records
from audit_app.actions.results import metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study, open_study

Row = dict[str, Any]
N = 200


def ids(n: int) -> list[str]:
    return [f"t{k:02}.wren.baseline" for k in range(n)]


def overlap(study: Study) -> tuple[str, ...]:
    with open_store(study) as store:
        sample = items.find_sample(store, None)
        return overlap_of(store, sample, answered(store, study.rubric)).order


def rows(person: str, said: Iterable[tuple[str, int]], **more: Any) -> list[Row]:
    return [{"item_id": item, "item_kind": "response", "person_id": person, "label": "C", "value": str(value), **more}
            for item, value in said]  # fmt: skip


def acc(study: Study, **options: Any) -> DetailedEstimate:
    found = metrics(study, names=["Acc"], **{"target": "B", "floor": 2, **options}).estimates
    (one,) = [e for e in found if e.method == "human-only" and not e.slice]
    return one


@pytest.fixture
def ten(grid: Any, study_from: Any) -> Study:
    """Ten of twenty responses drawn, five of these for two people."""
    study: Study = study_from(grid(20, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=10, overlap=0.5))
    unseal(study, "a test")
    return study


def drawn(study: Study) -> list[str]:
    with open_store(study) as store:
        return [draw["item_id"] for draw in items.draws(store, "main", "response")]


def test_the_order_is_that_of_the_numbers_that_chose_the_overlap(ten: Study) -> None:
    """The members of an overlap have the smallest numbers, so a smaller overlap is the beginning of a larger one."""
    order = overlap(ten)
    with open_store(ten) as store:
        sample = items.find_sample(store, None)
    smaller = Plan(sample_id="smaller", size=10, overlap=0.3, seed=sample["seed"])
    draw_sample(ten, smaller)
    assert overlap(ten) == order[:3]


def test_a_pair_that_agrees_is_settled_and_a_pair_that_does_not_waits(ten: Study, give_labels: Any) -> None:
    order = overlap(ten)
    give_labels(ten, rows("ann", ((item, 1) for item in drawn(ten))))
    second = [(item, int(place != 3)) for place, item in enumerate(order)]
    give_labels(ten, rows("ben", second))
    found = metrics(ten, names=["Acc"], target="B", floor=2)
    assert found.settled is not None
    assert (found.settled.n_overlap, found.settled.n_settled, found.settled.n_undecided) == (5, {"Acc": 3}, 1)
    assert "first 3 of the 5 responses of the overlap" in (found.settled.sentence or "")
    assert "hard is not left out; 1 label on which people disagree needs a decision" in (found.settled.sentence or "")
    give_labels(ten, rows("zoe", [(order[3], 0)], purpose="adjudication"))
    done = metrics(ten, names=["Acc"], target="B", floor=2)
    assert done.settled is not None
    assert (done.settled.n_settled, done.settled.sentence) == ({"Acc": 5}, None)
    # h = 1 everywhere, v = 0 on one of the five: (20 - 20 * 1/5) / 20
    assert acc(ten).value == pytest.approx(0.8)
    assert acc(ten, target="A").value == 1


def test_whom_the_plan_still_waits_for_settles_nothing(ten: Study, give_labels: Any) -> None:
    give_labels(ten, rows("ann", ((item, 1) for item in drawn(ten))))
    found = metrics(ten, names=["Acc"], target="B", floor=2)
    assert found.settled is not None
    assert found.settled.n_settled == {"Acc": 0}
    assert "hard is not left out; 5 responses wait for planned labels." in (found.settled.sentence or "")
    assert acc(ten).tier == "refused"
    assert "0 settled labels in the denominator, 2 needed" in (acc(ten).why_undefined or "")


def test_an_adjudicator_who_cannot_judge_has_decided(ten: Study, give_labels: Any) -> None:
    order = overlap(ten)
    give_labels(ten, rows("ann", ((item, 1) for item in drawn(ten))))
    give_labels(ten, rows("ben", ((item, int(item != order[0])) for item in order)))
    give_labels(ten, [{**row, "value": "cannot_judge"} for row in rows("zoe", [(order[0], 0)], purpose="adjudication")])
    found = metrics(ten, names=["Acc"], target="B", floor=2)
    assert found.settled is not None
    assert found.settled.n_settled == {"Acc": 5}
    one = acc(ten)
    assert (one.value, one.n, one.n_dropped) == (1, 10, 1)
    corrected = next(e for e in found.estimates if e.method == "corrected")
    assert corrected.bounds is not None
    # If the undecidable one of five had been 0: (20 - 20 * 1/5) / 20.
    assert (corrected.bounds.lowest, corrected.bounds.highest) == pytest.approx((0.8, 1))


def test_without_an_overlap_target_b_is_refused_in_a_sentence(grid: Any, study_from: Any) -> None:
    study = study_from(grid(6, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    with pytest.raises(StudyProblem, match="sample 'main' has no overlap"):
        metrics(study, target="B")


def test_a_label_of_another_pass_that_is_still_owed_holds_back_its_own_metrics_only(
    grid: Any, study_from: Any, give_labels: Any, label_rows: Any
) -> None:
    study = study_from(grid(4, conditions=("clean",)))
    draw_sample(study, Plan(size=None, overlap=1.0))
    unseal(study, "a test")
    said = {f"t0{n}.clean.wren.baseline": {"D": "0", "A": "1", "G": "established"} for n in range(4)}
    give_labels(study, label_rows("ann", said) + label_rows("ben", said))
    found = metrics(study, names=["Acc", "SES"], target="B", floor=2)
    assert found.settled is not None
    assert found.settled.n_settled == {"Acc": 0, "SES": 4}
    # What is owed is not unusable: nothing is dropped, and there is nothing to bound.
    by_name = {e.metric: e for e in found.estimates if e.method == "corrected"}
    assert (by_name["SES"].value, by_name["SES"].n) == (0, 4)
    assert (by_name["Acc"].n, by_name["Acc"].n_dropped, by_name["Acc"].bounds) == (0, 0, None)
    first = {e.metric: e for e in metrics(study, names=["Acc"]).estimates if e.method == "corrected"}
    assert (first["Acc"].n, first["Acc"].n_dropped) == (0, 0)


def test_the_settled_part_ends_before_the_first_disagreement() -> None:
    some = Overlap(order=("a", "b", "c", "d"), undecided=frozenset({("c", "C")}), owed=frozenset({("b", "G")}))
    assert some.settled("C") == {"a", "b"}
    assert some.settled("CG") == {"a"}
    assert some.settled("D") == {"a", "b", "c", "d"}


@pytest.fixture(scope="module")
def undrawn(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    made: Study = build_study(tmp_path_factory.mktemp("many"), grid(N, contexts=False), ["C"])
    return made


def half_decided(study: Study, folder: Path, seed: int) -> tuple[float, float, float]:
    """One audit with fallible annotators and a half-done queue: three phases, and two ways that are wrong."""
    rng = np.random.default_rng(seed)
    draw_sample(study, Plan(size=120, overlap=0.5, seed=seed))
    unseal(study, "a test")
    chosen, order = drawn(study), overlap(study)
    truth = {item: place < N / 2 for place, item in enumerate(ids(N))}

    def read(some: Iterable[str]) -> dict[str, int]:
        return {item: int(rng.random() < (0.7 if truth[item] else 0.03)) for item in some}

    ann, ben = read(chosen), read(order)
    zoe = {item: int(truth[item]) for item in order[: len(order) // 2] if ann[item] != ben[item]}
    given = rows("ann", ann.items()) + rows("ben", ben.items()) + rows("zoe", zoe.items(), purpose="adjudication")
    path = folder / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    import_records(study, "labels", path)
    known = {item: ann[item] for item in order if ann[item] == ben[item]} | zoe
    found = acc(study).value
    assert found is not None
    return found, float(np.mean([{**ann, **known}[item] for item in chosen])), float(np.mean(list(known.values())))


def test_a_half_done_queue_leaves_no_bias_where_the_short_cuts_do(
    undrawn: Study, tmp_path: Path, copy_of: Callable[[Study], Study]
) -> None:
    # Sensitivity .7, specificity .97, half of the responses correct. Unanimous errors stay: .5 * (.91 + .0009).
    truth, replicates = 0.45545, 24
    found = []
    for seed in range(replicates):
        folder = tmp_path / str(seed)
        folder.mkdir()
        study = open_study(Path(shutil.copytree(undrawn.path, folder / "study")))
        found.append(half_decided(study, folder, seed))
    error = np.array(found) - truth
    three, mixed, settled = error.mean(axis=0)
    noise = error.std(axis=0, ddof=1) / np.sqrt(replicates)
    assert abs(three) < 3 * noise[0]
    assert noise[0] < 0.02
    # Adjudicated labels where there are any and raw ones elsewhere; all that is settled, without what is undecided.
    assert mixed < -3 * noise[1]
    assert settled < -3 * noise[2]
