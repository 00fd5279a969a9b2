import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from data.errors import StudyProblem
from data.importers import BATCH, Imported, import_file, is_empty
from data.mapping import Mapping, Origin
from data.study import Study, init_study
from data.texts import parts, read_columns

Importer = Callable[..., Imported]

TASKS = [{"task_id": f"t{n}", "regime": "longfact", "question": "?"} for n in range(2)]
CONTEXTS = [{"context_id": f"c{n}", "task_id": f"t{n}", "condition": "clean", "passages": ["x"]} for n in range(2)]
RESPONSES = [{"response_id": f"r{n}", "context_id": f"c{n}", "text": "x"} for n in range(2)]
VERDICTS = [{"response_id": f"r{n}", "judge": "j", "C": "yes"} for n in range(2)]
ALL: dict[str, list[dict[str, Any]]] = {
    "tasks": TASKS,
    "contexts": CONTEXTS,
    "responses": RESPONSES,
    "verdicts": VERDICTS,
}


def fill(study: Study, bring: Importer, *kinds: str) -> None:
    for kind in kinds or ALL:
        bring(study, kind, ALL[kind])


def refused(study: Study, bring: Importer, kind: str, rows: list[dict[str, Any]]) -> list[str]:
    """The problems of an import that must leave everything as it was."""
    before = parts(study, kind)
    with pytest.raises(StudyProblem) as caught:
        bring(study, kind, rows)
    assert parts(study, kind) == before
    return [str(problem) for problem in caught.value.problems]


def test_everything_comes_in(study: Study, bring: Importer) -> None:
    assert is_empty(study)
    assert bring(study, "tasks", TASKS) == Imported(kind="tasks", n=2)
    fill(study, bring, "contexts", "responses", "verdicts")
    assert read_columns(study, "verdicts", ["C"])["C"].to_pylist() == [1, 1]
    assert not is_empty(study)


def test_every_bad_line_is_named_at_once_and_nothing_is_imported(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(
        '{"task_id": "a", "question": "?"}\n{"task_id": "", "question": []}\n{"task_id": \n{"question": "?"}\n'
    )
    with pytest.raises(StudyProblem) as caught:
        import_file(study, "tasks", path, [Mapping()])
    assert [(p.where, p.field) for p in caught.value.problems] == [
        (f"{path}:2", "task_id"),
        (f"{path}:2", "question"),
        (f"{path}:3", None),
        (f"{path}:4", "task_id"),
    ]
    assert is_empty(study)


def test_many_problems_are_summed_up_but_all_are_kept(study: Study, bring: Importer) -> None:
    with pytest.raises(StudyProblem, match="… and 150 more problems of 250") as caught:
        bring(study, "verdicts", [{"response_id": f"{n}", "judge": "j", "C": f"maybe {n}"} for n in range(250)])
    assert len(caught.value.problems) == 250


def test_the_same_in_row_after_row_is_said_three_times(study: Study, bring: Importer) -> None:
    with pytest.raises(StudyProblem) as caught:
        bring(study, "tasks", [*({"task_id": f"{n}", "question": None} for n in range(250)), {"task_id": ""}])
    *first, no_id, rest = str(caught.value).splitlines()
    assert [line.split(": ")[0].rsplit(":")[-1] for line in first] == ["1", "2", "3"]
    assert ":251: field 'task_id': missing" in no_id
    assert rest.startswith("… and 248 more like it, up to ")
    assert ":251: field 'question': missing" in rest
    assert len(caught.value.problems) == 252


def test_a_list_where_a_text_belongs_says_how_to_take_its_first_entry(study: Study, bring: Importer) -> None:
    [one] = refused(study, bring, "tasks", [{"task_id": "t", "question": ["?"], "gold_answer": []}])[:1]
    assert one.endswith("found a list; expected text; question.0 takes its first entry")


def test_many_ids_given_twice_say_what_makes_them_one_record(study: Study, bring: Importer) -> None:
    with pytest.raises(StudyProblem) as caught:
        bring(study, "tasks", [{"task_id": f"{n // 2}", "question": "?"} for n in range(40)])
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    assert "`distinct = true` in a mapping file" in lines[0]


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_path_goes_into_a_list_in_a_cell_as_in_json(study: Study, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"tasks.{ending}"
    answers = ["Lisbon", "Lisboa"]
    if ending == "csv":
        path.write_text('task_id,question,answers\nt,?,"[""Lisbon"", ""Lisboa""]"\n')
    else:
        path.write_text(json.dumps({"task_id": "t", "question": "?", "answers": answers}))
    import_file(study, "tasks", path, [Mapping(fields={"gold_answer": "answers.0", "gold_aliases": "answers"})])
    [task] = read_columns(study, "tasks", ["gold_answer", "gold_aliases"]).to_pylist()
    assert task == {"gold_answer": "Lisbon", "gold_aliases": answers}


def test_a_path_that_leads_nowhere_in_every_row_is_refused(study: Study, bring: Importer) -> None:
    rows = [{"task_id": f"{n}", "question": "?", "answers": ["a"] * n} for n in range(3)]
    with pytest.raises(StudyProblem, match=r"'answers\.7': leads to a value in no row") as caught:
        bring(study, "tasks", rows, Mapping(fields={"gold_answer": "answers.7"}))
    assert len(caught.value.problems) == 1
    bring(study, "tasks", rows, Mapping(fields={"gold_answer": Origin(paths=("answers.7",))}))


def test_an_id_twice_in_a_file_is_refused_with_both_places(study: Study, bring: Importer) -> None:
    [problem] = refused(study, bring, "tasks", [*TASKS, TASKS[0]])
    assert "tasks.jsonl:3: t0 stands in" in problem
    assert "tasks.jsonl:1 already; ids must be unique" in problem


def test_the_same_file_twice_is_refused(study: Study, bring: Importer) -> None:
    fill(study, bring)
    for kind, rows in ALL.items():
        [problem] = refused(study, bring, kind, rows)
        assert "all 2 records were imported before" in problem
        [problem] = refused(study, bring, kind, rows[:1])
        assert "was imported before; remove the row" in problem


def test_what_no_row_has_is_said_once_with_the_names_that_there_are(study: Study, bring: Importer) -> None:
    rows = [{"id": f"{n}", "user_input": "?"} for n in range(250)]
    with pytest.raises(StudyProblem) as caught:
        bring(study, "tasks", rows)
    assert [p.field for p in caught.value.problems] == ["question", "task_id"]
    assert "is in no row; the file has id, user_input" in str(caught.value)
    mapping = Mapping(fields={"task_id": "id", "question": "user_input", "regime": "regmie"})
    with pytest.raises(StudyProblem, match="'regime' with --map regime=THEIRS"):
        bring(study, "tasks", rows, mapping)


def test_a_kind_that_is_not_there_yet_is_said_once(study: Study, bring: Importer) -> None:
    [problem] = refused(study, bring, "responses", ALL["responses"])
    assert "no contexts are imported yet; import them first" in problem
    # Named in full: the study is mostly the current folder, and "." tells nobody anything.
    assert problem.startswith(f"{study.path.resolve()}: ")


def test_rows_that_repeat_a_record_are_one_record_when_the_mapping_says_so(study: Study, bring: Importer) -> None:
    mapping = Mapping(distinct=True)
    assert bring(study, "tasks", [*TASKS, TASKS[0]], mapping) == Imported(kind="tasks", n=2, n_repeated=1)


def test_a_repeat_that_differs_is_refused_even_then(study: Study, bring: Importer) -> None:
    with pytest.raises(StudyProblem, match="ids must be unique"):
        bring(study, "tasks", [*TASKS, {**TASKS[0], "question": "other"}], Mapping(distinct=True))


@pytest.mark.parametrize(
    ("kind", "row", "field"),
    [
        ("contexts", {"context_id": "c9", "task_id": "gone", "passages": []}, "task_id"),
        ("responses", {"response_id": "r9", "context_id": "gone", "text": ""}, "context_id"),
        ("responses", {"response_id": "r9", "task_id": "gone", "text": ""}, "task_id"),
        ("verdicts", {"response_id": "gone", "judge": "j"}, "response_id"),
    ],
)
def test_a_reference_to_nothing_is_refused(
    study: Study, bring: Importer, kind: str, row: dict[str, Any], field: str
) -> None:
    fill(study, bring, "tasks", "contexts", "responses")
    [problem] = refused(study, bring, kind, [row])
    assert f"field '{field}': 'gone' is not among the 2 imported" in problem


def test_an_undeclared_condition_or_regime_is_refused_with_the_declared_ones(study: Study, bring: Importer) -> None:
    [problem] = refused(study, bring, "tasks", [{**TASKS[0], "regime": "longfacts"}])
    assert "'longfacts' is not declared; expected one of longfact, liveresearchbench, clbench" in problem
    fill(study, bring, "tasks")
    [problem] = refused(study, bring, "contexts", [{**CONTEXTS[0], "condition": "Clean"}])
    assert "field 'condition': 'Clean' is not declared" in problem


def test_a_file_without_rows_is_refused(study: Study, bring: Importer) -> None:
    with pytest.raises(StudyProblem, match="no rows; nothing was imported"):
        bring(study, "tasks", [])


def test_several_judges_may_label_one_response(study: Study, bring: Importer) -> None:
    fill(study, bring)
    assert bring(study, "verdicts", [{**VERDICTS[0], "judge": "k"}]).n == 1


def test_an_import_that_came_in_meanwhile_is_not_overwritten(
    study: Study, bring: Importer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from data import importers
    from data.reading import read

    def slow(*args: Any) -> Any:
        monkeypatch.setattr(importers, "read", read)
        bring(study, "tasks", TASKS)
        return read(path)

    path = tmp_path / "other.jsonl"
    path.write_text('{"task_id": "other", "question": "?"}\n')
    monkeypatch.setattr(importers, "read", slow)
    with pytest.raises(StudyProblem, match="at the same time"):
        import_file(study, "tasks", path, [Mapping()])
    assert read_columns(study, "tasks", ["task_id"])["task_id"].to_pylist() == ["t0", "t1"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_write_that_fails_is_one_sentence_and_leaves_nothing(
    study: Study, bring: Importer, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(StudyProblem, match=f"{os.strerror(number)}. Nothing was changed") as caught:
        fill(study, bring, "tasks")
    assert "\n" not in str(caught.value)
    assert list(study.texts.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 300 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", folder]).returncode:
        pytest.skip("only root may mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_really_full_loses_nothing(small_disk: Path, tmp_path: Path) -> None:
    study = init_study(small_disk / "study")
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"task_id": "a", "question": "?"}\n')
    import_file(study, "tasks", path, [Mapping()])
    big = tmp_path / "big.jsonl"
    # Random digits, so that they do not shrink.
    rows = (f'{{"task_id": "{n}", "question": "{os.urandom(2000).hex()}"}}\n' for n in range(400))
    big.write_text("".join(rows))
    with pytest.raises(StudyProblem, match=r"No space left on device\. Nothing was changed"):
        import_file(study, "tasks", big, [Mapping()])
    assert len(list(study.texts.iterdir())) == 1
    assert read_columns(study, "tasks", ["task_id"])["task_id"].to_pylist() == ["a"]


@pytest.mark.parametrize("other", ["T0", "t0 ", "\tt0", " T0\n", "t\u200b0", "\ufefft0", "t0\u2060 "])
def test_ids_that_could_be_mistaken_for_each_other_are_refused(study: Study, bring: Importer, other: str) -> None:
    [problem] = refused(study, bring, "tasks", [*TASKS, {"task_id": other, "question": "?"}])
    assert "differ only by case, space, invisible marks or Unicode form; give ids that cannot be mistaken" in problem
    assert "tasks.jsonl:1" in problem
    bring(study, "tasks", TASKS)
    [problem] = refused(study, bring, "tasks", [{"task_id": other, "question": "?"}])
    assert "'t0', which was imported before, differ only by case" in problem


@pytest.mark.parametrize("blank", [" ", "\t\n", "\u200b", " \ufeff"])
def test_an_id_in_which_nothing_is_seen_is_missing(study: Study, bring: Importer, blank: str) -> None:
    assert "expected an id" in refused(study, bring, "responses", [{**RESPONSES[0], "response_id": blank}])[0]
    assert "missing" in refused(study, bring, "tasks", [{**TASKS[0], "task_id": blank}])[0]
    assert "missing" in refused(study, bring, "responses", [{**RESPONSES[0], "context_id": blank}])[0]


def test_unicode_forms_of_an_id_are_one_id(study: Study, bring: Importer) -> None:
    rows = [{"task_id": name, "question": "?"} for name in ("caf\u00e9", "cafe\u0301")]
    assert "differ only" in refused(study, bring, "tasks", rows)[0]


def test_what_is_wrong_can_be_left_out_and_is_listed(study: Study, bring: Importer, tmp_path: Path) -> None:
    fill(study, bring, "tasks", "contexts")
    path = tmp_path / "responses.jsonl"
    path.write_text(
        '{"response_id": "a", "context_id": "c0", "text": "x"}\n'
        '{"response_id": "b", "context_id": "gone", "text": "x"}\n'
        '{"response_id": "b", "context_id": "c1", "text": "x"}\n'
        '{"response_id": "A", "context_id": "c1", "text": "x"}\n'
        '{"response_id": "c", "context_id": "c1"}\n'
        "nonsense\n"
    )
    done = import_file(study, "responses", path, [Mapping()], skip_bad=True)
    assert (done.n, done.n_repeated) == (2, 0)
    assert [problem.where.rpartition(":")[2] for problem in done.skipped] == ["2", "4", "5", "6"]
    found = read_columns(study, "responses", ["response_id", "context_id"]).to_pylist()
    # The good row with the id of a bad one is in.
    assert found == [{"response_id": "a", "context_id": "c0"}, {"response_id": "b", "context_id": "c1"}]


def test_a_line_that_cannot_be_read_is_left_out_and_the_others_come_in(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(
        b'{"task_id": "a", "question": "?"}\n{"task_id": "b", "question": "caf\xe9"}\nnonsense\n'
        b'{"task_id": "c", "question": "x\0"}\n{"task_id": "d", "question": "?"}\n'
    )
    with pytest.raises(StudyProblem) as caught:
        import_file(study, "tasks", path, [Mapping()])
    assert [problem.where for problem in caught.value.problems] == [f"{path}:{n}" for n in (2, 3, 4)]
    done = import_file(study, "tasks", path, [Mapping()], skip_bad=True)
    assert (done.n, len(done.skipped)) == (2, 3)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '[{"task_id": "a", "question": "?"}, {"task_id": }]'),
        ("a.csv", 'task_id,question\na,?\nb,"?\nc,?\nd,?\n'),
    ],
)
def test_half_a_file_is_not_even_then_imported(study: Study, tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(StudyProblem, match=r"not JSON|not CSV"):
        import_file(study, "tasks", path, [Mapping()], skip_bad=True)
    assert is_empty(study)


def test_every_bad_entry_of_a_list_is_named(study: Study, bring: Importer) -> None:
    [*found] = refused(study, bring, "tasks", [{**TASKS[0], "gold_aliases": ["x", None, "y", {"z": 1}]}])
    assert [one.partition("jsonl:1: ")[2] for one in found] == [
        "field 'gold_aliases.1': found null; expected text",
        "field 'gold_aliases.3': found an object; expected text",
    ]
    fill(study, bring, "tasks")
    [*found] = refused(study, bring, "contexts", [{**CONTEXTS[0], "passages": [{"text": []}, "x", {"title": "y"}]}])
    assert [one.partition("field ")[2].partition(":")[0] for one in found] == ["'passages.0.text'", "'passages.2.text'"]


@pytest.mark.parametrize("rows", [[{"id": "x"}], [{"task_id": "", "question": "?"}], [*TASKS]])
def test_nothing_good_is_no_import_even_then(study: Study, bring: Importer, tmp_path: Path, rows: Any) -> None:
    bring(study, "tasks", TASKS)
    path = tmp_path / "other.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(StudyProblem):
        import_file(study, "tasks", path, [Mapping()], skip_bad=True)
    assert len(parts(study, "tasks")) == 1


def test_more_than_a_batch_comes_in_whole(study: Study, bring: Importer) -> None:
    n = 2 * BATCH + 1
    rows = ({"task_id": f"{number:x}", "question": "?"} for number in range(n))
    assert bring(study, "tasks", list(rows)).n == n
    ids = read_columns(study, "tasks", ["task_id"])["task_id"].to_pylist()
    assert ids == [f"{number:x}" for number in range(n)]
    assert (
        "all 20001 records were imported before"
        in refused(study, bring, "tasks", [{"task_id": name, "question": "?"} for name in ids])[0]
    )
