import json
from pathlib import Path
from typing import Any

import pytest

from data.errors import StudyProblem
from data.samples import read_samples

SAMPLE = {"response_id": "x", "question": "Which?", "gold_answer": "it", "gold_aliases": ["that"],
          "response": " As it is.\n", "passages": ["one", {"title": "Two", "text": "two"}]}  # fmt: skip


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_sample_is_an_item_of_its_own(tmp_path: Path) -> None:
    (item,) = read_samples(write(tmp_path / "s.jsonl", SAMPLE), prefix="p:")
    assert item.response
    assert item.context
    ids = (item.task.task_id, item.context.context_id, item.context.task_id, item.response.response_id)
    assert ids == ("p:x", "p:x", "p:x", "p:x")
    assert (item.response.context_id, item.response.text) == ("p:x", " As it is.\n")
    assert (item.task.gold_answer, item.task.gold_aliases) == ("it", ("that",))
    assert [(p.rank, p.title, p.text) for p in item.context.passages] == [(1, None, "one"), (2, "Two", "two")]


def test_every_problem_is_named_once_with_the_name_in_the_file(tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [
        {**SAMPLE, "response_id": "y", "response": None},
        {**SAMPLE, "response_id": "z", "passages": 1},
    ]
    with pytest.raises(StudyProblem) as raised:
        read_samples(write(tmp_path / "s.jsonl", SAMPLE, SAMPLE, *wrong), prefix="")
    assert [str(problem).split("s.jsonl:")[1] for problem in sorted(raised.value.problems, key=str)] == [
        "1: field 'response_id': 'x' is there twice; give each sample an id of its own",
        "2: field 'response_id': 'x' is there twice; give each sample an id of its own",
        "3: field 'response': missing; every such record needs it",
        "4: field 'passages': found text; expected a list",
    ]
