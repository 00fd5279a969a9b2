"""One row per passage."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.errors import StudyProblem
from data.importers import import_file, read_records
from data.mapping import Mapping
from data.study import Study
from data.texts import everything

Importer = Callable[..., Any]

CSV = """context_id,task_id,condition,rank,title,text
c1,t,clean,1,One,first
c2,t,evidence_absence,1,Two,other
c1,t,clean,2,Three,second
"""


def test_rows_of_one_context_are_gathered_and_keep_their_order(study: Study, bring: Importer, tmp_path: Path) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    path = tmp_path / "flat.csv"
    path.write_text(CSV)
    assert import_file(study, "contexts", path, [Mapping()]).n == 2
    records, _ = read_records("contexts", path, [Mapping()])
    assert [(where.rpartition(":")[2], c.context_id, [(p.rank, p.title, p.text) for p in c.passages])
            for where, c in records] == [
        ("2", "c1", [(1, "One", "first"), (2, "Three", "second")]), ("3", "c2", [(1, "Two", "other")])
    ]  # fmt: skip


def test_other_names_are_gathered_too(tmp_path: Path) -> None:
    path = tmp_path / "flat.csv"
    path.write_text("ctx,t,snippet\na,t1,x\na,t1,y\n")
    mapping = Mapping(fields={"context_id": "ctx", "task_id": "t"}, passage={"text": "snippet"})
    [(_, context)], problems = read_records("contexts", path, [mapping])
    assert problems == []
    assert [(p.rank, p.passage_id, p.text) for p in context.passages] == [(1, "1", "x"), (2, "2", "y")]


def test_rows_of_one_context_that_disagree_about_it_are_told(study: Study, bring: Importer, tmp_path: Path) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    path = tmp_path / "flat.csv"
    path.write_text(CSV.replace("c1,t,clean,2", "c1,t,direct_conflict,2"))
    with pytest.raises(
        StudyProblem, match=r"flat\.csv:4: field 'condition': is 'direct_conflict'; the first passage of c1"
    ):
        import_file(study, "contexts", path, [Mapping()])


def test_nested_rows_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "nested.jsonl"
    row = '{"context_id": "%s", "task_id": "t", "text": "not a passage", "passages": ["x"]}\n'
    path.write_text("7\n" + row % "a" + row % "b")
    records, problems = read_records("contexts", path, [Mapping()])
    assert [[p.text for p in context.passages] for _, context in records] == [["x"], ["x"]]
    assert len(problems) == 1


@pytest.mark.parametrize("bad", [b"c1,t,clean,3,\xff,x\n", b"c1,t,clean\n"])
@pytest.mark.parametrize("place", [1, 2, 4])
def test_no_context_comes_in_without_a_passage_that_could_not_be_read(
    study: Study, bring: Importer, tmp_path: Path, bad: bytes, place: int
) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    path = tmp_path / "flat.csv"
    lines = CSV.encode().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:place], bad, *lines[place:]]))
    with pytest.raises(StudyProblem, match=rf"flat\.csv:{place + 1}: .* a passage of any context may stand there"):
        import_file(study, "contexts", path, [Mapping()], skip_bad=True)


def test_a_context_whose_rows_disagree_is_left_out_whole(study: Study, bring: Importer, tmp_path: Path) -> None:
    bring(study, "tasks", [{"task_id": "t", "question": "?"}])
    path = tmp_path / "flat.csv"
    path.write_text(CSV.replace("c1,t,clean,2", "c1,t,direct_conflict,2"))
    done = import_file(study, "contexts", path, [Mapping()], skip_bad=True)
    assert (done.n, len(done.skipped)) == (1, 1)
    assert [row["context_id"] for row in everything(study, "contexts")] == ["c2"]
