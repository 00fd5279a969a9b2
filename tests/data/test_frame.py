import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ibis.backends.duckdb import Backend

from data import frame as frames
from data.errors import StudyProblem
from data.importers import Imported
from data.study import Study, init_study, open_study

Importer = Callable[..., Imported]

LABELS = ["C", "A", "G", "D"]


def fill(study: Study, bring: Importer) -> None:
    bring(study, "tasks", [{"task_id": f"t{n}", "regime": "longfact", "question": "?"} for n in range(2)])
    contexts = [("c0", "t0", "clean"), ("c1", "t1", None)]
    bring(
        study,
        "contexts",
        [{"context_id": c, "task_id": t, "condition": condition, "passages": ["x"]} for c, t, condition in contexts],
    )
    bring(
        study,
        "responses",
        [
            {"response_id": "r0", "context_id": "c0", "model": "m", "run": "1", "text": "x"},
            {"response_id": "r1", "context_id": "c1", "model": "m", "run": "007", "text": "x"},
            {"response_id": "r2", "task_id": "t1", "model": "NA", "text": "x"},
            {"response_id": "r3", "context_id": "c0", "text": "x"},
        ],
    )
    bring(
        study,
        "verdicts",
        [
            {"response_id": "r0", "judge": "j", "C": 1, "A": 1, "G": 0, "D": 0},
            {"response_id": "r1", "judge": "j", "C": 1, "A": 1, "G": 0, "D": 0},
            {"response_id": "r2", "judge": "j", "unscored_reason": "no JSON"},
            {"response_id": "r0", "judge": "k", "C": 0, "A": 1, "G": 1, "D": 0},
        ],
    )


@pytest.fixture
def full(study: Study, bring: Importer) -> Study:
    fill(study, bring)
    return study


def counts(study: Study, judge: str | None, by: list[str]) -> dict[tuple[Any, ...], int]:
    rows = frames.pattern_counts(frames.open_frame(study), judge, by)
    texts = rows[[*by, *LABELS]].astype("object").where(rows[[*by, *LABELS]].notna(), None)
    return {tuple(row): n for row, n in zip(texts.itertuples(index=False, name=None), rows["n"], strict=True)}


def test_patterns_are_counted_with_unscored_and_unjudged_responses(full: Study) -> None:
    assert counts(full, "j", []) == {(1, 1, 0, 0): 2, (None,) * 4: 2}
    assert counts(full, "k", []) == {(0, 1, 1, 0): 1, (None,) * 4: 3}
    assert counts(full, None, []) == {(None,) * 4: 4}


def test_counts_are_cut_by_slice_with_missing_as_empty_text(full: Study) -> None:
    found = counts(full, "j", ["model", "condition", "regime", "run"])
    assert found == {
        ("m", "clean", "longfact", "1", 1, 1, 0, 0): 1,
        ("m", "", "longfact", "007", 1, 1, 0, 0): 1,
        ("NA", "", "longfact", "", None, None, None, None): 1,
        ("", "clean", "longfact", "", None, None, None, None): 1,
    }


def test_a_response_without_context_has_its_tasks_regime(full: Study) -> None:
    columns = ["response_id", "context_id", "task_id", "regime", "condition"]
    rows = frames.pick(frames.response_rows(frames.open_frame(full)), columns)
    assert sorted(rows)[0] == ("r0", "c0", "t0", "longfact", "clean")
    assert sorted(rows)[2] == ("r2", "", "t1", "longfact", "")


def test_every_response_is_there_once_whatever_the_number_of_judges(full: Study) -> None:
    frame = frames.open_frame(full)
    assert sorted(frames.response_rows(frame)["response_id"]) == ["r0", "r1", "r2", "r3"]
    assert frames.judges(frame) == ["j", "k"]
    assert sorted(frames.context_rows(frame)["context_id"]) == ["c0", "c1"]


def test_judged_rows_are_those_asked_for(full: Study) -> None:
    rows = frames.judged_rows(frames.open_frame(full), "j", ["r0", "r2", "gone"]).set_index("response_id")
    assert sorted(rows.index) == ["r0", "r2"]
    assert list(rows.loc["r0", LABELS]) == [1, 1, 0, 0]
    assert rows.loc["r2", LABELS].isna().all()
    assert rows.loc["r2", "unscored_reason"] == "no JSON"
    assert frames.pick(frames.judged_rows(frames.open_frame(full), None, ["r3"]), ["response_id", "model"]) == [
        ("r3", "")
    ]
    assert len(frames.judged_rows(frames.open_frame(full), "j", [])) == 0


def test_a_study_without_contexts_and_verdicts_has_a_frame(study: Study, bring: Importer) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    bring(study, "responses", [{"response_id": "r", "task_id": "t", "text": "x"}])
    frame = frames.open_frame(study)
    assert frames.judges(frame) == []
    assert len(frames.context_rows(frame)) == 0
    assert counts(study, None, ["regime"]) == {("", None, None, None, None): 1}


def test_a_study_of_contexts_only_has_a_frame(study: Study, bring: Importer) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    bring(study, "contexts", [{"context_id": "c", "task_id": "t", "passages": ["x"]}])
    frame = frames.open_frame(study)
    assert frames.context_rows(frame)["context_id"].tolist() == ["c"]
    assert len(frames.response_rows(frame)) == 0


def test_nothing_imported_says_what_to_do(study: Study) -> None:
    with pytest.raises(StudyProblem, match="import tasks, contexts and responses first"):
        frames.open_frame(study)


def test_the_frame_is_rebuilt_after_an_import_and_only_then(full: Study, bring: Importer) -> None:
    first = frames.open_frame(full)
    written = first.responses.stat().st_mtime_ns
    assert frames.open_frame(full) == first
    assert first.responses.stat().st_mtime_ns == written
    bring(full, "responses", [{"response_id": "r4", "context_id": "c0", "text": "x"}])
    second = frames.open_frame(full)
    assert second.hash != first.hash
    assert len(frames.response_rows(second)) == 5


def test_a_lost_frame_is_built_again(full: Study) -> None:
    frame = frames.open_frame(full)
    frame.responses.unlink()
    assert frames.open_frame(full) == frame
    assert len(frames.response_rows(frame)) == 4


def test_a_copied_study_has_the_same_hash(full: Study, tmp_path: Path) -> None:
    frame = frames.open_frame(full)
    shutil.copytree(full.path, tmp_path / "copy")
    for path in (tmp_path / "copy" / "texts").iterdir():
        os.utime(path, ns=(1, 1))
    assert frames.open_frame(open_study(tmp_path / "copy")).hash == frame.hash


@pytest.mark.parametrize("name", ["study [2]", "what?*", "it's {a} study", "ünï 👩"])
def test_any_folder_name_will_do(tmp_path: Path, bring: Importer, name: str) -> None:
    study = init_study(tmp_path / name)
    fill(study, bring)
    assert len(frames.response_rows(frames.open_frame(study))) == 4


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), duckdb.IOException("disk full")])
def test_a_full_disk_is_one_sentence_and_keeps_the_old_frame(
    full: Study, bring: Importer, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    frames.open_frame(full)
    before = sorted(path.name for path in full.frame.iterdir())
    bring(full, "responses", [{"response_id": "r4", "context_id": "c0", "text": "x"}])

    def fail(self: Backend, table: Any, path: Path) -> None:
        path.write_text("half")
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Backend, "to_parquet", fail)
        with pytest.raises(StudyProblem, match="Nothing was changed"):
            frames.open_frame(full)
    assert sorted(path.name for path in full.frame.iterdir()) == before
    assert len(frames.response_rows(frames.open_frame(full))) == 5


def test_counts_come_in_one_order(study: Study, bring: Importer) -> None:
    # The engine groups on several threads and returns groups as they come: sums over them differed in the last digit.
    n = 4000
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    bring(study, "responses", [{"response_id": f"r{k}", "task_id": "t", "model": f"m{k * 7 % 97:02}", "run": f"{k}",
                                "text": "x"} for k in range(n)])  # fmt: skip
    bring(study, "verdicts", [{"response_id": f"r{k}", "judge": "j", "C": k % 2, "A": k // 2 % 2} for k in range(n)])
    frame = frames.open_frame(study)
    rows = frames.pattern_counts(frame, "j", ["model"], ["C", "A"])
    assert rows["n"].sum() == n
    keys = frames.pick(rows, ["model", "C", "A"])
    assert keys == sorted(keys)
    assert len(keys) > 97
    pairs, sizes = frames.matched_counts(frame, "model", judge="j")
    assert pairs.empty
    assert sizes["value"].tolist() == sorted(sizes["value"])


def test_several_threads_may_count_at_once(full: Study) -> None:
    frame = frames.open_frame(full)
    expected = frames.pattern_counts(frame, "j", ["model"]).sort_values(["model"]).reset_index(drop=True)
    failures: list[BaseException] = []

    def count() -> None:
        try:
            for _ in range(4):
                got = frames.pattern_counts(frame, "j", ["model"]).sort_values(["model"]).reset_index(drop=True)
                assert got["n"].tolist() == expected["n"].tolist()
                assert len(frames.judged_rows(frame, "k", ["r0", "r1"])) == 2
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_several_threads_may_build_at_once(full: Study) -> None:
    found: list[frames.Frame] = []
    threads = [threading.Thread(target=lambda: found.append(frames.open_frame(full))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [frames.open_frame(full)] * 3
    assert len(frames.response_rows(found[0])) == 4
    assert not list(full.frame.glob("*draft*"))


# -- Pairs -----------------------------------------------------------------------------------------------------------


def matched(study: Study, by: str, **options: Any) -> tuple[dict[tuple[Any, ...], int], dict[str, int]]:
    """Pairs by their two values, task, model, and C of both; and the rows of each value."""
    pairs, sizes = frames.matched_counts(frames.open_frame(study), by, **options)
    columns = pairs[["first", "second", "task_id", "model", "C", "C_second"]]
    texts = columns.astype("object").where(columns.notna(), None)
    keys = texts.itertuples(index=False, name=None)
    return dict(zip(keys, pairs["n"], strict=True)), dict(zip(sizes["value"], sizes["n"], strict=True))


@pytest.fixture
def crossed(study: Study, bring: Importer) -> Study:
    """Two tasks under one condition, answered by models a and b with two prompts; some are missing or there twice."""
    bring(study, "tasks", [{"task_id": t, "regime": "longfact", "question": "?"} for t in ("t0", "t1")])
    bring(
        study,
        "contexts",
        [{"context_id": t, "task_id": t, "condition": "clean", "passages": ["x"]} for t in ("t0", "t1")],
    )
    there = ["t0.a.p", "t0.a.q", "t0.b.p", "t0.b.q", "t1.a.p", "t1.a.q", "t1.b.p", "t1.b.p"]
    ids = [f"{name}.{n}" for n, name in enumerate(there)]
    bring(
        study,
        "responses",
        [{"response_id": r, "context_id": r[:2], "model": r[3], "prompt": r[5], "run": None, "text": "x"} for r in ids],
    )
    said = {"t0.a.p.0": 1, "t0.a.q.1": 1, "t0.b.p.2": 0, "t1.a.p.4": 1}
    bring(study, "verdicts", [{"response_id": r, "judge": "j", "C": c} for r, c in said.items()])
    bring(study, "verdicts", [{"response_id": r, "judge": "k", "C": 1} for r in ("t0.a.p.0", "t0.b.p.2")])
    return study


def test_models_are_paired_on_task_condition_run_and_prompt(crossed: Study) -> None:
    # t1 with prompt p has two answers of b that nothing tells apart, and with prompt q none.
    pairs, sizes = matched(crossed, "model", judge="j")
    assert pairs == {("a", "b", "t0", "", 1, 0): 1, ("a", "b", "t0", "", 1, None): 1}
    assert sizes == {"a": 4, "b": 4}


def test_prompts_are_paired_within_a_model(crossed: Study) -> None:
    pairs, _ = matched(crossed, "prompt", judge="j")
    assert pairs == {
        ("p", "q", "t0", "a", 1, 1): 1,
        ("p", "q", "t0", "b", 0, None): 1,
        ("p", "q", "t1", "a", 1, None): 1,
    }
    assert matched(crossed, "prompt", judge="j", within={"model": "b"})[1] == {"p": 3, "q": 1}


def test_judges_are_paired_on_the_response(crossed: Study) -> None:
    pairs, sizes = matched(crossed, "judge")
    assert pairs == {("j", "k", "t0", "a", 1, 1): 1, ("j", "k", "t0", "b", 0, 1): 1}
    assert sizes == {"j": 4, "k": 2}
    assert matched(crossed, "judge", within={"model": "b"})[1] == {"j": 1, "k": 1}


def test_without_a_judge_pairs_have_no_labels(crossed: Study) -> None:
    pairs, _ = matched(crossed, "model")
    assert pairs == {("a", "b", "t0", "", None, None): 2}
    assert matched(crossed, "condition")[0] == {}
