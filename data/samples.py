"""Samples that bring their own texts: one row holds question, reference answer, passages and response together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from data.errors import Problem, StudyProblem
from data.importers import read_records
from data.mapping import Mapping
from data.views import Item

_OWN = {
    "tasks": {"task_id": "response_id"},
    "contexts": {"context_id": "response_id", "task_id": "response_id"},
    "responses": {"context_id": "response_id", "text": "response"},
}
"""Every sample has a task and a context of its own, which go by the response's id."""


def read_samples(path: Path, *, prefix: str) -> list[Item]:
    """The samples of a file (JSON lines, or Parquet), in its order.

    A row has `response_id, question, response, passages`, and `gold_answer` and `gold_aliases` where there are any.

    Args:
        path: The file.
        prefix: Put before every id, so that none is taken for one of the study's own.

    Raises:
        StudyProblem: The file cannot be read, or every problem of its rows.
    """
    found: dict[str, list[tuple[str, Any]]] = {}
    problems: dict[str, Problem] = {}
    for kind, own in _OWN.items():
        found[kind], wrong = read_records(kind, path, [Mapping(fields=own)])
        problems |= {str(problem): problem for problem in wrong}
    often = Counter(response.response_id for _, response in found["responses"])
    for where, response in found["responses"]:
        if often[response.response_id] > 1:
            message = f"{response.response_id!r} is there twice; give each sample an id of its own"
            problems[where] = Problem(where=where, field="response_id", message=message)
    if problems:
        raise StudyProblem(problems.values())
    return _joined(prefix, *([record for _, record in found[kind]] for kind in _OWN))


def _joined(prefix: str, tasks: Sequence[Any], contexts: Sequence[Any], responses: Sequence[Any]) -> list[Item]:
    return [
        Item(
            task=replace(task, task_id=prefix + task.task_id),
            context=replace(context, context_id=prefix + context.context_id, task_id=prefix + context.task_id),
            response=replace(
                response,
                response_id=prefix + response.response_id,
                context_id=prefix + context.context_id,
                task_id=None,
            ),
        )
        for task, context, response in zip(tasks, contexts, responses, strict=True)
    ]
