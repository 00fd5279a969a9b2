"""Asking for more of a sample: everything drawn and labelled stays, and every probability is the new one."""

from dataclasses import replace
from typing import Any

import pytest

from audit_app.actions.importing import import_records
from audit_app.actions.sampling import Plan, draw_sample, extend_sample
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study


def rows(study: Study, sql: str) -> list[dict[str, Any]]:
    with open_store(study) as store:
        return store.rows(sql)


def draws(study: Study) -> dict[tuple[str, str], dict[str, Any]]:
    found = rows(study, "SELECT * FROM draw WHERE sample_id = 'main'")
    return {(row["item_kind"], row["item_id"]): row for row in found}


def members(study: Study, name: str) -> set[tuple[str, str]]:
    with open_store(study) as store:
        return items.subsample(store, "main", name)


@pytest.fixture
def study(grid: Any, study_from: Any) -> Study:
    made: Study = study_from(grid(40, models=("a", "b")))
    return made


PLAN = Plan(size=40, seed=5, overlap=0.3, core=10, diagnostics=0.2)


def test_what_was_drawn_stays_and_the_next_numbers_come_in(study: Study) -> None:
    draw_sample(study, PLAN)
    before, openings = draws(study), rows(study, "SELECT * FROM assignment ORDER BY assignment_id")
    shares = {name: members(study, name) for name in ("overlap", "core", "diagnostics")}
    drawn = extend_sample(study, "main", size=80)
    after = draws(study)
    assert before.keys() < after.keys()
    assert drawn.n_top_ups == 1
    assert drawn.n_responses == 80 == sum(kind == "response" for kind, _ in after)
    assert all(shares[name] <= members(study, name) for name in shares)
    assert abs(len(members(study, "overlap")) - 0.3 * len(after)) < 8
    assert len(members(study, "diagnostics")) == 16
    kept = {row["assignment_id"]: row for row in rows(study, "SELECT * FROM assignment")}
    assert all(kept[row["assignment_id"]] == row for row in openings)
    last = max(row["position"] for row in openings)
    new = [row for id_, row in kept.items() if id_ not in {row["assignment_id"] for row in openings}]
    assert min(row["position"] for row in new) > last
    extra = members(study, "overlap") | members(study, "core")
    assert all((row["item_kind"], row["item_id"]) not in before or
               (row["item_kind"], row["item_id"]) in extra for row in new)  # fmt: skip


def test_a_core_that_grows_says_so(study: Study) -> None:
    draw_sample(study, replace(PLAN, core=20))
    drawn = extend_sample(study, size=80)
    assert drawn.n_core == len(members(study, "core")) > 20
    grown = f"the core grew from 20 to {drawn.n_core} items, which 3 people label"
    assert sum(note.startswith(grown) for note in drawn.notes) == 1
    assert drawn.n_core < 60
    assert any(note.startswith(f"a core of {drawn.n_core} is below the 60") for note in drawn.notes)
    assert not any("a core of 20 " in note for note in drawn.notes)


def test_every_draw_carries_the_probability_of_the_larger_design(study: Study) -> None:
    draw_sample(study, PLAN)
    extend_sample(study, size=80)
    by_stratum: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (kind, _), row in draws(study).items():
        by_stratum.setdefault((kind, row["stratum"]), []).append(row)
    contexts = {name: len(of) / of[0]["stratum_size"] for (kind, name), of in by_stratum.items() if kind == "context"}
    for (kind, name), of in by_stratum.items():
        assert {row["sample_size"] for row in of} == {len(of)}
        if kind == "context":
            assert {row["inclusion_probability"] for row in of} == {contexts[name]}
    # Weights sum to the population, about: which contexts are drawn decides how many responses can be.
    weight = sum(1 / row["inclusion_probability"] for (kind, _), row in draws(study).items() if kind == "response")
    assert weight == pytest.approx(160)


def test_an_extended_sample_is_the_larger_sample(grid: Any, study_from: Any) -> None:
    """Without contexts nothing depends on the way: 24 and then 48 is what 48 is."""
    made = [study_from(grid(40, contexts=False, models=("a", "b")), name=name) for name in ("steps", "once")]
    plan: dict[str, Any] = {"seed": 5, "overlap": 0}
    draw_sample(made[0], Plan(**plan, size=24))
    extend_sample(made[0], size=48)
    draw_sample(made[1], Plan(**plan, size=48))
    assert draws(made[0]) == draws(made[1])


def test_what_the_draws_were_is_kept_for_good(study: Study) -> None:
    draw_sample(study, PLAN)
    was = draws(study)
    extend_sample(study, size=60)
    extend_sample(study, size=80)
    with open_store(study) as store:
        first, second = items.top_ups(store, "main")
        with pytest.raises(Exception, match="top_up is append-only"):
            store.change("DELETE FROM top_up", [])
    assert (first["number"], first["n_responses"], second["n_responses"]) == (1, 40, 60)
    assert (first["n_done"], first["results_open"]) == (0, 0)
    known = {(r["item_kind"], r["stratum"]): r["inclusion_probability"] for r in first["replaced"]}
    assert all(known[kind, row["stratum"]] == row["inclusion_probability"] for (kind, _), row in was.items())


def test_answers_given_before_stay(study: Study, person_in: Any, desk: Any) -> None:
    draw_sample(study, Plan(size=16, overlap=0))
    ann = desk(study, person_in(study, "ann", teams=("evidence",)))
    ann.finish(lambda view: view["label"]["values"][0]["value"], limit=9)
    before = rows(study, "SELECT * FROM label_event")
    extend_sample(study, size=32)
    assert rows(study, "SELECT * FROM label_event") == before
    assert {r["n_done"] for r in rows(study, "SELECT n_done FROM top_up")} == {3}


def test_merged_and_binned_strata_stay_as_they_were(grid: Any, study_from: Any) -> None:
    made = grid(40, conditions=("clean",), models=("a", "b"), prompts=("x", "y"))
    made["responses"] = [r for n, r in enumerate(made["responses"]) if r["model"] == "a" or n < 12]
    study = study_from(made)
    draw_sample(study, Plan(size=20, strata=("model", "prompt"), collapse=2, overlap=0))
    before = {row["stratum"] for row in draws(study).values()}
    extend_sample(study, size=60)
    assert {row["stratum"] for row in draws(study).values()} == before


def test_a_sample_that_is_as_large_already_and_an_unknown_one_are_told(study: Study) -> None:
    with pytest.raises(StudyProblem, match="nothing is drawn yet"):
        extend_sample(study, size=40)
    draw_sample(study, PLAN)
    with pytest.raises(StudyProblem, match="sample 'main' has 40 responses already; ask for more than that"):
        extend_sample(study, size=40)
    with pytest.raises(StudyProblem, match="no sample 'other'"):
        extend_sample(study, "other", size=80)
    assert rows(study, "SELECT * FROM top_up") == []


def test_a_frame_whose_strata_moved_is_refused_and_nothing_changes(
    grid: Any, study: Study, tmp_path: Any, build_study: Any
) -> None:
    draw_sample(study, PLAN)
    before = draws(study)
    more = grid(1, conditions=("clean",), models=("a",))
    response = {**more["responses"][0], "response_id": "late"}
    path = tmp_path / "late.csv"
    path.write_text(",".join(response) + "\n" + ",".join(response.values()) + "\n", encoding="utf-8")
    import_records(study, "responses", path)
    with pytest.raises(
        StudyProblem, match=r"cannot be extended.*response stratum 'clean \| a' had 40 and has 41.*Draw another sample"
    ):
        extend_sample(study, size=80)
    assert draws(study) == before


def test_all_of_it_can_be_asked_for(study: Study) -> None:
    draw_sample(study, PLAN)
    drawn = extend_sample(study, size=None)
    assert (drawn.n_responses, drawn.n_contexts) == (160, 80)
    assert {row["inclusion_probability"] for row in draws(study).values()} == {1.0}


def test_an_extension_keeps_as_many_responses_to_a_context(grid: Any, study_from: Any) -> None:
    study = study_from(grid(40, models=("a", "b", "c")))
    wanted: dict[str, Any] = {"strata": ("condition",), "overlap": 0}
    draw_sample(study, Plan(**wanted, size=48, contexts=16))
    assert extend_sample(study, size=72).n_contexts == 24
    # Many contexts were asked for: there is room for more responses, up to one to a context.
    draw_sample(study, Plan(**wanted, sample_id="wide", size=24, contexts=60))
    assert extend_sample(study, "wide", size=40).n_contexts == 60
    assert extend_sample(study, "wide", size=70).n_contexts == 70


def test_what_cannot_be_left_out_makes_the_sample_larger_than_asked(grid: Any, study_from: Any) -> None:
    """All responses of the drawn contexts are in: those of new contexts with smaller numbers come in with them."""
    study = study_from(grid(40, models=("a", "b", "c")))
    draw_sample(study, Plan(size=48, contexts=16, strata=("condition",), seed=2, overlap=0))
    drawn = extend_sample(study, size=50, contexts=40)
    assert drawn.n_responses > 50
    assert (
        f"{drawn.n_responses} responses, not 50: the next numbers of new contexts come with those kept" in drawn.notes
    )
    assert len(draws(study)) == drawn.n_responses + 40
