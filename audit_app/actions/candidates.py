"""A draft of a calibration set: responses that are in no draw, picked at random, with room for what is agreed."""

from dataclasses import fields
from typing import Any

from audit_app.actions.agreeing import FIELDS
from audit_app.actions.openings import read_items
from audit_app.actions.tries import PASSES
from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study
from data.texts import read_columns
from data.views import TITLES, VIEWS, Item, ShownPassage
from sampling.numbers import permanent_number

PURPOSE = "calibration:draft"

COLUMNS = (*FIELDS, "shown")


def draft(study: Study, n: int, *, seed: int = 1) -> list[dict[str, str]]:
    """Rows to fill in: a label each of up to `n` responses, of as many tasks, whose tasks are in no draw.

    Raises:
        StudyProblem: There is no such response.
    """
    with open_store(study) as store:
        drawn = {row["task_id"] for row in items.everything(store)}
    contexts = read_columns(study, "contexts", ["context_id", "task_id"]).to_pylist()
    of_context = {row["context_id"]: row["task_id"] for row in contexts}
    first: dict[str, str] = {}
    rows = read_columns(study, "responses", ["response_id", "context_id", "task_id"]).to_pylist()
    for row in sorted(rows, key=lambda row: (permanent_number(seed, PURPOSE, row["response_id"]), row["response_id"])):
        task = of_context.get(row["context_id"], row["task_id"])
        if task not in drawn:
            first.setdefault(task, row["response_id"])
    chosen = list(first.values())[:n]
    if not chosen:
        raise StudyProblem(
            "every task of this study is drawn; give samples from elsewhere with `calibration import --items`"
        )
    found = {item.response.response_id: item for item in read_items(study, [("response", i) for i in chosen])
             if item.response}  # fmt: skip
    return [
        dict(zip(COLUMNS, (name, label, "", "", shown(study, found[name], label)), strict=True))
        for name in chosen
        for pass_ in PASSES
        for label in study.rubric.asked(found[name], pass_)
    ]


def shown(study: Study, item: Item, label: str) -> str:
    """What a label compares, as text: whoever agrees on an answer should not see more than those who give it."""
    view = VIEWS[study.rubric[label].view].of(item)
    return "\n\n".join(f"{TITLES[field.name]}: {_as_text(getattr(view, field.name))}" for field in fields(view))


def _as_text(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value)
    if value and isinstance(value[0], ShownPassage):
        return "".join(f"\n[{passage.number}] {passage.title or ''}\n{passage.text}" for passage in value)
    return ", ".join(value)
