"""How a draw shares its size over the strata, and what it refuses before anything is computed."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from audit_app.actions.importing import import_records
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study, init_study

DEMO = Path(__file__).parents[2] / "data" / "demo"


@pytest.fixture(scope="module")
def judged_demo(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = init_study(tmp_path_factory.mktemp("judged") / "study")
    for kind in ("tasks", "contexts", "responses", "verdicts"):
        import_records(study, kind, DEMO / f"{kind}.jsonl")
    return study


@pytest.fixture
def demo(judged_demo: Study, copy_of: Any) -> Study:
    copy: Study = copy_of(judged_demo)
    return copy


def sizes(drawn: Any) -> dict[str, int]:
    return {row["stratum"]: row["sample_size"] for row in drawn.allocation}


def test_equal_shares(demo: Study) -> None:
    drawn = draw_sample(demo, Plan(size=100, strata=("condition",), allocation="equal"))
    assert set(sizes(drawn).values()) == {20}
    assert {row["stratum_size"] for row in drawn.allocation} == {96}


def test_floor_cap_and_certainty_hold_and_the_total_is_exact(grid: Any, study_from: Any) -> None:
    rows = grid(40, conditions=("clean",), models=("a", "b"))
    rows["responses"] = [r for n, r in enumerate(rows["responses"]) if r["model"] == "a" or n < 24]
    study = study_from(rows)
    plan: dict[str, Any] = {"strata": ("model",), "overlap": 0, "contexts": 40}
    assert sizes(draw_sample(study, Plan(**plan, size=26, floor=8, sample_id="floor"))) == {"a": 18, "b": 8}
    assert sizes(draw_sample(study, Plan(**plan, size=20, cap=12, sample_id="cap"))) == {"a": 12, "b": 8}
    plan.pop("contexts")
    whole = draw_sample(study, Plan(**plan, size=20, cap=12, certainty=("b",), sample_id="all of b"))
    assert sizes(whole) == {"a": 8, "b": 12}
    assert {row["stratum"]: row["inclusion_probability"] for row in whole.allocation}["b"] == 1
    # All contexts of the whole stratum had to be drawn for that.
    assert whole.n_contexts == 40
    few = draw_sample(study, Plan(**plan, size=26, floor=8, sample_id="few"))
    assert any(note.startswith("in 1 strata the drawn contexts hold fewer responses than would be taken ('b': ")
               for note in few.notes)  # fmt: skip


def test_neyman_gives_more_where_the_judge_varies_more(grid: Any, study_from: Any) -> None:
    rows = grid(40, models=("a",))
    # Under clean the judge says C = 1 of everything; under absence it says so of half.
    rows["verdicts"] = [
        {"response_id": r["response_id"], "judge": "j", "C": int("clean" in r["response_id"] or n % 4 < 2),
         "A": 1, "G": 1, "D": 0} for n, r in enumerate(rows["responses"])
    ]  # fmt: skip
    study = study_from(rows)
    plan: dict[str, Any] = {"size": 24, "strata": ("condition",), "overlap": 0}
    assert sizes(draw_sample(study, Plan(**plan))) == {"clean": 12, "evidence_absence": 12}
    neyman = Plan(**plan, allocation="neyman", metric="Acc", sample_id="neyman")
    drawn = draw_sample(study, neyman)
    assert sizes(drawn) == {"clean": 2, "evidence_absence": 22}
    assert (drawn.rule, drawn.n_responses) == ("neyman", 24)
    assert {r["stratum"]: r["sample_size"] for r in drawn.context_allocation} == sizes(drawn)


def test_neyman_by_what_people_said_in_a_pilot(grid: Any, study_from: Any, give_labels: Any, label_rows: Any) -> None:
    study = study_from(grid(60))
    pilot = draw_sample(study, Plan(size=40, overlap=0, sample_id="pilot"))
    assert sizes(pilot) == {"clean": 20, "evidence_absence": 20}
    with open_store(study) as store:
        ids = [row["item_id"] for row in store.rows("SELECT item_id FROM draw WHERE item_kind = 'response'")]
    said = {i: {"C": "0" if "absence" in i and n % 2 else "1", "D": "0", "A": "1", "G": "established"}
            for n, i in enumerate(sorted(ids))}  # fmt: skip
    give_labels(study, label_rows("ann", said))
    unseal(study, "to plan the rest")  # the contexts are not audited
    drawn = draw_sample(study, Plan(size=60, allocation="neyman", metric="Acc", pilot="pilot", overlap=0))
    found = sizes(drawn)
    # Two pseudo-labels keep the stratum that showed one outcome from being thought to have no spread.
    assert found["evidence_absence"] > 2 * found["clean"] > 10
    assert sum(found.values()) == 60


def test_a_sealed_pilot_stays_sealed(grid: Any, study_from: Any, give_labels: Any, label_rows: Any) -> None:
    study = study_from(grid(20))
    draw_sample(study, Plan(size=8, overlap=0, sample_id="pilot"))
    with open_store(study) as store:
        items = [row["item_id"] for row in store.rows("SELECT item_id FROM draw WHERE item_kind = 'response'")]
    give_labels(study, label_rows("p", {item: {"D": "0"} for item in items}))
    with pytest.raises(StudyProblem, match="Results are sealed"):
        draw_sample(study, Plan(size=8, allocation="neyman", metric="Acc", pilot="pilot", overlap=0))


def test_a_pilot_that_nobody_labelled_says_nothing(grid: Any, study_from: Any) -> None:
    study = study_from(grid(10))
    draw_sample(study, Plan(size=8, sample_id="pilot"))
    with pytest.raises(StudyProblem, match="nobody has labelled sample 'pilot' yet"):
        draw_sample(study, Plan(size=8, allocation="neyman", metric="Acc", pilot="pilot"))
    with pytest.raises(StudyProblem, match="needs verdicts, or a labelled sample as --pilot"):
        draw_sample(study, Plan(size=8, allocation="neyman", metric="Acc"))


def test_small_strata_are_told_and_merged_on_request(grid: Any, study_from: Any) -> None:
    rows = grid(40, conditions=("clean",), models=("a", "b"), prompts=("x", "y"))
    rows["responses"] = [r for n, r in enumerate(rows["responses"]) if r["model"] == "a" or n < 20]
    study = study_from(rows)
    plan: dict[str, Any] = {"size": 20, "strata": ("model", "prompt"), "overlap": 0}
    told = draw_sample(study, Plan(**plan, sample_id="told"))
    assert {row["stratum"]: row["small"] for row in told.allocation} == {
        "a | x": False, "a | y": False, "b | x": True, "b | y": True
    }  # fmt: skip
    assert any(note.startswith("small strata: 'b | x', 'b | y'; a proportional share") for note in told.notes)
    merged = draw_sample(study, Plan(**plan, collapse=2, sample_id="merged"))
    assert {row["stratum"]: row["stratum_size"] for row in merged.allocation} == {
        "a | x": 40, "a | y": 40, "b | *": 10
    }  # fmt: skip
    assert merged.unit == "response"
    assert any(note.startswith("merged into") for note in merged.notes)


def test_merged_response_strata_merge_the_contexts_they_span(grid: Any, study_from: Any) -> None:
    rows = grid(30)
    rows["contexts"] = [c for n, c in enumerate(rows["contexts"]) if c["condition"] == "clean" or n < 6]
    kept = {c["context_id"] for c in rows["contexts"]}
    rows["responses"] = [r for r in rows["responses"] if r["context_id"] in kept]
    drawn = draw_sample(study_from(rows), Plan(size=10, strata=("condition",), collapse=2, overlap=0))
    assert sizes(drawn) == {"*": 10}
    assert [(row["stratum"], row["stratum_size"]) for row in drawn.context_allocation] == [("*", 33)]


def test_bins_of_a_diagnostic_and_their_cuts_are_kept(grid: Any, study_from: Any) -> None:
    rows = grid(30, conditions=("clean",))
    rows["verdicts"] = [
        {"response_id": r["response_id"], "judge": "j", "C": 1, "A": 1, "G": 1, "D": 0, "source_sensitivity": n % 3}
        for n, r in enumerate(rows["responses"])
    ]
    study = study_from(rows)
    plan: dict[str, Any] = {"size": 12, "contexts": 30, "strata": ("source_sensitivity",), "overlap": 0}
    cut = draw_sample(study, Plan(**plan, bins={"source_sensitivity": (1.5,)}, sample_id="cut"))
    assert sizes(cut) == {"1.5 or more": 4, "below 1.5": 8}
    groups = draw_sample(study, Plan(**plan, sample_id="groups"))
    assert {row["stratum_size"] for row in groups.allocation} == {10}
    with open_store(study) as store:
        (design,) = store.rows("SELECT design FROM sample WHERE sample_id = 'groups'")
    assert '"judge": "j"' in design["design"]
    assert '"source_sensitivity": [0.5, 2.0]' in design["design"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"overlap": 1.5}, "--overlap: 1.5 is no share; expected a number from 0 to 1"),
        ({"repeats": -0.1, "dev": 2.0}, r"--repeats: -0.1 is no share.*\n--dev: 2.0 is no share"),
        ({"repeats": float("nan")}, "--repeats: nan is no share"),
        ({"cap": 3, "floor": 5}, "--cap: 3 is below the floor of 5; lower --floor or raise --cap"),
        ({"size": 0}, "--size: 0 is too small; expected 1 or more"),
        ({"core": 10**24}, f"--core: {10**24} is too large; expected 1000000000 or less"),
        ({"people": 10**9}, "--people: 1000000000 is too large; expected 1000 or less"),
        ({"seed": 10**24}, f"--seed: {10**24} is too large or too small"),
        ({"allocation": "neyman"}, "--for: Neyman's allocation is for one metric"),
        ({"allocation": "neyman", "metric": "SOS"}, "--for: unknown metric 'SOS'; expected one of Acc, SES"),
        ({"metric": "SES"}, "--for: is used by --allocation neyman only"),
        ({"pilot": "main"}, "--pilot: is used by --allocation neyman only"),
        ({"allocation": "neyman", "metric": "SES", "strata": ("judge",)}, "name a labelled sample with --pilot"),
        ({"allocation": "fair"}, "--allocation: unknown 'fair'"),
        ({"strata": ("model", "model")}, "--strata: 'model' is there twice"),
        ({"bins": {"source_sensitivity": (1.0,)}}, "--bins: 'source_sensitivity' forms no strata; add it to --strata"),
        ({"strata": ("source_sensitivity",), "bins": {"source_sensitivity": (2.0, 1.0)}}, "expected numbers that rise"),
        ({"bins": {"condition": (1.0,)}}, "--bins: 'condition' holds no numbers; expected one of leak, conflict"),
        ({"judge": "j"}, "a judge forms strata only when `judge` is among the strata columns"),
        ({"certainty": ("nowhere",)}, "--certainty: there is no stratum 'nowhere'; strata are 'clean', 'evidence_abs"),
        ({"size": 3}, "cannot draw 3 responses: .*the smallest total that works is 4"),
        ({"size": 6, "cap": 2}, "cannot draw 6 responses: with at most 2 items per stratum"),
        ({"strata": ("source_sensitivity",)}, "strata by source_sensitivity need verdicts"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(grid: Any, study_from: Any, asked: Any, message: str) -> None:
    study = study_from(grid(6))
    with pytest.raises(StudyProblem, match=message):
        draw_sample(study, Plan(**{"strata": ("condition",), **asked}))
    with open_store(study) as store:
        assert store.rows("SELECT * FROM sample") == []
        assert store.rows("SELECT * FROM item") == []


def test_every_item_to_k_and_a_core_of_three(demo: Study) -> None:
    drawn = draw_sample(demo, Plan(size=120, overlap=0.2, people=2, core=60))
    assert (drawn.n_core, drawn.people) == (60, 2)
    with open_store(demo) as store:
        rows = store.rows("SELECT item_kind, item_id, count(DISTINCT plan_order) AS n FROM assignment GROUP BY 1, 2")
        members = {
            name: {(r["item_kind"], r["item_id"]) for r in store.rows("SELECT * FROM subsample WHERE name = ?", [name])}
            for name in ("overlap", "core")
        }
    assert all(kind == "response" for kind, _ in members["core"])
    for row in rows:
        key = row["item_kind"], row["item_id"]
        assert row["n"] == (3 if key in members["core"] else 2 if key in members["overlap"] else 1)
    # Neither holds the other: 20 % of a core of 60 is 12.
    assert 4 <= len(members["core"] & members["overlap"]) <= 22
    whole = draw_sample(demo, Plan(size=60, overlap=1, people=3, seed=9, sample_id="three each"))
    with open_store(demo) as store:
        drawn_ids = {r["item_id"] for r in store.rows("SELECT item_id FROM draw WHERE sample_id = 'three each'")}
        n = Counter(r["item_id"] for r in store.rows("SELECT DISTINCT item_id, plan_order FROM assignment"))
    assert {n[i] for i in drawn_ids} == {3}
    assert (whole.n_overlap_responses, whole.n_overlap_contexts) == (whole.n_responses, whole.n_contexts)


def test_a_small_core_is_told(demo: Study) -> None:
    drawn = draw_sample(demo, Plan(size=120, core=20))
    assert "a core of 20 is below the 60 that tests with three annotators need" in drawn.notes
