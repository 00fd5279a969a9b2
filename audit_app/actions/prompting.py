"""Showing the prompt that a judge gets for one label of one item."""

from data.errors import StudyProblem
from data.store import items
from data.store.connection import open_store
from data.study import Study
from data.views import VIEWS
from judge.prompts import judge_prompt


def show_prompt(study: Study, label: str, item_id: str) -> str:
    """The prompt for a label of a drawn item.

    Raises:
        StudyProblem: The label is unknown, or the item is not drawn or lacks what the label compares.
    """
    try:
        question = study.rubric[label]
    except KeyError as error:
        raise StudyProblem(str(error.args[0])) from None
    with open_store(study) as store:
        item = items.load(store, question.item_kind, item_id)
    try:
        return judge_prompt(question, VIEWS[question.view].of(item))
    except ValueError as error:
        raise StudyProblem(f"{question.item_kind} {item_id!r}: {error}") from None
