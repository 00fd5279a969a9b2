"""Drawing from real studies: the same items whatever the order of the files, and only work that can be done."""

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from audit_app.actions.importing import import_records
from audit_app.actions.planning import plan_sample
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.wishing import Wish
from data.errors import StudyProblem
from data.frame import open_frame
from data.store.connection import open_store
from data.study import Study, init_study

DEMO = Path(__file__).parents[2] / "data" / "demo"
KINDS = ("tasks", "contexts", "responses")


def table(study: Study, sql: str) -> list[dict[str, Any]]:
    with open_store(study) as store:
        return store.rows(sql)


def draws(study: Study) -> set[tuple[Any, ...]]:
    sql = ("SELECT item_kind, item_id, stratum, stratum_size, sample_size, inclusion_probability, permanent_number "
           "FROM draw")  # fmt: skip
    return {tuple(row.values()) for row in table(study, sql)}


def order_of_work(study: Study) -> list[tuple[str, str, int]]:
    rows = table(study, "SELECT * FROM assignment ORDER BY position, item_id, pass, plan_order")
    return [(row["item_id"], row["pass"], row["plan_order"]) for row in rows]


def demo_from(folder: Path, shuffled: int | None = None) -> Study:
    study = init_study(folder / "study")
    for kind in KINDS:
        lines = (DEMO / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        if shuffled is not None:
            random.Random(shuffled).shuffle(lines)
        (folder / f"{kind}.jsonl").write_text("".join(lines), encoding="utf-8")
        import_records(study, kind, folder / f"{kind}.jsonl")
    return study


@pytest.fixture(scope="module")
def imported_demo(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = demo_from(tmp_path_factory.mktemp("demo"))
    open_frame(study)
    return study


@pytest.fixture
def undrawn_demo(imported_demo: Study, copy_of: Any) -> Study:
    copy: Study = copy_of(imported_demo)
    return copy


def test_the_order_of_the_files_changes_nothing(undrawn_demo: Study, tmp_path: Path) -> None:
    one, other = undrawn_demo, demo_from(tmp_path, shuffled=5)
    for study in (one, other):
        draw_sample(study, Plan(size=130, seed=3, overlap=0.3, diagnostics=0.2))
    assert draws(one) == draws(other)
    assert order_of_work(one) == order_of_work(other)
    sql = "SELECT name, item_kind, item_id FROM subsample ORDER BY name, item_kind, item_id"
    assert table(one, sql) == table(other, sql)


def test_another_seed_draws_other_items(grid: Any, study_from: Any) -> None:
    drawn: list[Any] = []
    for seed in (1, 1, 2):
        study = study_from(grid(12), name=f"study-{len(drawn)}")
        draw_sample(study, Plan(size=8, seed=seed))
        drawn.append(draws(study))
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_linked_draw_multiplies_the_two_stages(undrawn_demo: Study) -> None:
    study = undrawn_demo
    drawn = draw_sample(study, Plan(size=130, contexts=60, seed=2))
    assert (drawn.linked, drawn.n_responses, drawn.n_contexts) == (True, 130, 60)
    contexts = {r["item_id"]: r for r in table(study, "SELECT * FROM draw WHERE item_kind = 'context'")}
    responses = table(study, "SELECT draw.*, item.context_id FROM draw JOIN item USING (item_kind, item_id) "
                             "WHERE item_kind = 'response'")  # fmt: skip
    # 15 context strata of 8; every response stratum has as many responses in drawn contexts as contexts are drawn.
    of_context = Counter(c["stratum"] for c in contexts.values())
    of_response = Counter(r["stratum"] for r in responses)
    for row in responses:
        context = contexts[row["context_id"]]
        reachable = of_context[context["stratum"]]
        wanted = context["inclusion_probability"] * of_response[row["stratum"]] / reachable
        assert row["inclusion_probability"] == pytest.approx(wanted)
        assert context["inclusion_probability"] == pytest.approx(reachable / 8)
        assert (row["stratum_size"], row["sample_size"]) == (8, of_response[row["stratum"]])


def test_a_context_brings_one_response_of_every_setting_by_default(grid: Any, study_from: Any) -> None:
    rows = grid(40, models=("a", "b"))
    rows["responses"] += [{**row, "response_id": f"{row['response_id']}.2", "run": "2"} for row in rows["responses"]]
    study = study_from(rows)
    by_model = ("condition", "model", "prompt", "run")
    drawn = draw_sample(study, Plan(size=64, strata=by_model))
    # Four responses to a context, two settings: the two runs come from contexts of their own.
    assert (drawn.n_responses, drawn.n_contexts) == (64, 32)
    planned = plan_sample(study, Wish(metric="Acc", labels=64, strata=by_model))
    assert planned.contexts == 32
    # Where settings are not drawn on the same units, each response may have a context of its own.
    assert draw_sample(study, Plan(size=64, strata=("condition",), sample_id="alone")).n_contexts == 64


@pytest.mark.parametrize("size", [24, 60, 130, 480, None, 9999])
def test_the_size_is_met_and_every_stratum_is_kept(undrawn_demo: Study, size: int) -> None:
    drawn = draw_sample(undrawn_demo, Plan(size=size))
    assert drawn.n_responses == min(size or 480, 480)
    assert sum(row["sample_size"] for row in drawn.allocation) == drawn.n_responses
    assert sum(row["stratum_size"] for row in drawn.allocation) == 480
    assert min(row["sample_size"] for row in drawn.allocation) >= 2
    if size == 60:
        assert any("strata leave out" in note for note in drawn.notes)


def test_a_name_is_given_once(grid: Any, study_from: Any) -> None:
    study = study_from(grid(3))
    draw_sample(study, Plan(size=None))
    before = draws(study)
    with pytest.raises(StudyProblem, match="there is a sample 'main' already; name another one with --name"):
        draw_sample(study, Plan(size=None, seed=2))
    assert draws(study) == before


def test_a_second_sample_leaves_the_openings_of_the_first(grid: Any, study_from: Any) -> None:
    study = study_from(grid(6))
    draw_sample(study, Plan(size=6, overlap=0))
    first = {row["assignment_id"] for row in table(study, "SELECT assignment_id FROM assignment")}
    draw_sample(study, Plan(sample_id="more", size=None, overlap=0))
    rows = table(study, "SELECT * FROM assignment")
    assert first <= {row["assignment_id"] for row in rows}
    assert max(Counter((row["item_id"], row["pass"]) for row in rows).values()) == 1


def test_too_small_a_size_names_the_size_that_works(grid: Any, study_from: Any) -> None:
    study = study_from(grid(6, models=("a", "b"), prompts=("x", "y")))
    with pytest.raises(
        StudyProblem, match=r"cannot draw 10 responses: .* the smallest total that works is 16"
    ) as caught:
        draw_sample(study, Plan(size=10, strata=("condition", "model", "prompt")))
    assert "\n" not in str(caught.value)
    assert table(study, "SELECT * FROM assignment") == []
    assert draw_sample(study, Plan(size=16, strata=("condition", "model", "prompt"))).n_responses == 16


def test_drawn_contexts_do_not_shrink_the_floors(grid: Any, study_from: Any) -> None:
    study = study_from(grid(20, models=("a", "b")))
    wanted: dict[str, Any] = {"strata": ("condition",), "floor": 12, "overlap": 0.0}
    for contexts in (None, 10, 30):
        with pytest.raises(StudyProblem, match=r"minimum of 12 .* the smallest total that works is 24"):
            draw_sample(study, Plan(**wanted, size=20, contexts=contexts))
    # Ten contexts hold ten responses of each condition; nobody got what both lack.
    drawn = draw_sample(study, Plan(**wanted, size=24, contexts=10))
    assert drawn.n_responses == 20
    assert not any("others got" in note for note in drawn.notes)
    assert draw_sample(study, Plan(**wanted, size=24, sample_id="more", contexts=24)).n_responses == 24


def test_an_unreached_stratum_names_the_contexts_that_reach_it(grid: Any, study_from: Any) -> None:
    rows = grid(60, conditions=("clean",))
    rows["verdicts"] = [{"response_id": r["response_id"], "judge": "j", "C": int(n not in (7, 33)), "A": 1, "G": 1,
                         "D": 0} for n, r in enumerate(rows["responses"])]  # fmt: skip
    study = study_from(rows)
    with pytest.raises(StudyProblem, match=r"none of its 2 responses .* \(--contexts \d+ reaches every") as caught:
        draw_sample(study, Plan(size=6, strata=("judge",)))
    enough = int(str(caught.value).split("--contexts ")[1].split()[0])
    with pytest.raises(StudyProblem, match="none of its 2 responses"):
        draw_sample(study, Plan(size=6, strata=("judge",), contexts=enough - 1))
    assert draw_sample(study, Plan(size=6, strata=("judge",), contexts=enough)).n_responses == 6


def test_a_core_larger_than_the_draw_is_cut_with_a_note(grid: Any, study_from: Any) -> None:
    study = study_from(grid(50))
    cut = draw_sample(study, Plan(size=70, core=80))
    assert cut.n_core == 70
    assert "a core of 70, not 80: no more is drawn; see --size" in cut.notes
    fits = draw_sample(study, Plan(size=80, core=80, sample_id="fits"))
    assert not any("a core of" in note for note in fits.notes)


def test_an_unknown_column_and_an_empty_study_are_told(grid: Any, study_from: Any) -> None:
    with pytest.raises(StudyProblem, match="unknown stratum column 'colour'; expected some of model, prompt"):
        draw_sample(study_from(grid(3)), Plan(strata=("colour",)))
    with pytest.raises(StudyProblem, match="nothing to sample yet"):
        draw_sample(study_from({}, name="empty"), Plan())


def test_a_study_of_contexts_alone(grid: Any, study_from: Any) -> None:
    study = study_from({**grid(6), "responses": []})
    drawn = draw_sample(study, Plan(contexts=6))
    assert (drawn.n_responses, drawn.n_contexts, drawn.n_contexts_in_frame) == (0, 6, 12)
    assert any("contexts only" in note for note in drawn.notes)
    assert {row["pass"] for row in table(study, "SELECT * FROM assignment")} == {"context"}


def test_the_size_counts_contexts_where_there_is_nothing_else(grid: Any, study_from: Any) -> None:
    study = study_from({**grid(6), "responses": []})
    assert draw_sample(study, Plan(size=6)).n_contexts == 6


def test_a_study_without_contexts(grid: Any, study_from: Any) -> None:
    study = study_from(grid(6, contexts=False, models=("a", "b")))
    drawn = draw_sample(study, Plan(size=8, overlap=0))
    assert (drawn.linked, drawn.n_responses, drawn.n_contexts, drawn.strata) == (False, 8, 0, ("model",))
    assert drawn.unit == "task, condition, run"
    # Settings are drawn on the same tasks, so that they can be compared in pairs.
    tasks: dict[str, set[str]] = {"a": set(), "b": set()}
    for row in table(study, "SELECT draw.stratum, item.task_id FROM draw JOIN item USING (item_kind, item_id)"):
        tasks[row["stratum"]].add(row["task_id"])
    assert tasks["a"] == tasks["b"]
    assert len(tasks["a"]) == 4


@pytest.mark.parametrize(
    ("gold", "contexts", "passes"),
    [
        (True, True, {"evidence": 3, "correctness": 3, "context": 3}),
        # A context audit without a reference answer still asks whether the question can be answered.
        (False, True, {"evidence": 3, "context": 3}),
        (True, False, {"evidence": 3, "correctness": 3}),
        (False, False, {"evidence": 3}),
    ],
)
def test_only_work_that_can_be_done_is_opened(
    grid: Any, study_from: Any, gold: bool, contexts: bool, passes: dict[str, int]
) -> None:
    study = study_from(grid(3, conditions=("clean",), gold=gold, contexts=contexts))
    drawn = draw_sample(study, Plan(size=None, overlap=0))
    assert Counter(row["pass"] for row in table(study, "SELECT * FROM assignment")) == passes
    assert drawn.n_openings == sum(passes.values())


def test_the_overlap_goes_to_exactly_two(undrawn_demo: Study) -> None:
    study = undrawn_demo
    drawn = draw_sample(study, Plan(size=120, overlap=0.25))
    twice = {(r["item_kind"], r["item_id"]) for r in table(study, "SELECT * FROM subsample WHERE name = 'overlap'")}
    assert (drawn.n_overlap_responses, drawn.n_overlap_contexts) == (
        round(0.25 * drawn.n_responses),
        round(0.25 * drawn.n_contexts),
    )
    assert len(twice) == drawn.n_overlap_responses + drawn.n_overlap_contexts
    openings = Counter((r["item_kind"], r["item_id"], r["pass"]) for r in table(study, "SELECT * FROM assignment"))
    for (kind, item, _), n in openings.items():
        assert n == (2 if (kind, item) in twice else 1)
    assert sum(openings.values()) == drawn.n_openings


@pytest.mark.parametrize(("share", "n"), [(0, 0), (1, 6)])
def test_no_overlap_and_all_overlap(grid: Any, study_from: Any, share: float, n: int) -> None:
    study = study_from(grid(6, conditions=("clean",)), labels=["D"])
    assert draw_sample(study, Plan(size=None, overlap=share)).n_openings == 6 + n


def test_the_responses_of_a_context_come_in_a_row(undrawn_demo: Study) -> None:
    study = undrawn_demo
    draw_sample(study, Plan(size=240, seed=7))
    rows = table(study, "SELECT DISTINCT position, context_id FROM assignment ORDER BY position")
    contexts = [row["context_id"] for row in rows]
    changes = sum(one != other for one, other in pairwise(contexts))
    assert changes == len(set(contexts)) - 1


def test_diagnostics_are_asked_of_their_subsample_only(grid: Any, study_from: Any, person_in: Any, desk: Any) -> None:
    study = study_from(grid(4, conditions=("clean",)))
    draw_sample(study, Plan(size=None, overlap=0, diagnostics=0.5))
    chosen = {row["item_id"] for row in table(study, "SELECT * FROM subsample WHERE name = 'diagnostics'")}
    ann = desk(study, person_in(study, "ann", teams=("evidence",)))
    ann.finish(lambda view: view["label"]["values"][0]["value"])
    asked = Counter(row["item_id"] for row in table(study, "SELECT item_id FROM label_event JOIN assignment "
                                                           "USING (assignment_id)"))  # fmt: skip
    assert asked == {f"t0{n}.clean.wren.baseline": 9 if f"t0{n}.clean.wren.baseline" in chosen else 3 for n in range(4)}
    assert len(chosen) == 2
