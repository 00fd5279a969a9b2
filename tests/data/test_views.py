"""A view shows what its label compares and nothing else: whatever else is marked never comes out of it."""

from dataclasses import FrozenInstanceError, asdict, fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.records import Context, Passage, Response, Task
from data.views import FINAL_ONCE_SHOWN, VIEWS, GroundingView, Item, artifacts, possible

SHOWN_OF_PASSAGE = {"title", "url", "publisher", "source_type", "text"}

SHOWN = {
    "DisclosureView": {"response.text"},
    "SubstanceView": {"task.question", "response.text"},
    "GroundingView": {"response.text", *(f"passage.{name}" for name in SHOWN_OF_PASSAGE)},
    "CorrectnessView": {"response.text", "task.gold_answer", "task.gold_aliases"},
    "AnswerabilityView": {"task.question", *(f"passage.{name}" for name in SHOWN_OF_PASSAGE)},
    "SupportView": {"task.gold_answer", "task.gold_aliases", *(f"passage.{name}" for name in SHOWN_OF_PASSAGE)},
    "ConstructionView": {
        "task.question", "task.gold_answer", "task.gold_aliases", "context.condition", "passage.supports",
        *(f"passage.{name}" for name in SHOWN_OF_PASSAGE),
    },
}  # fmt: skip
"""What each label's definition compares (DESIGN §2): every other field of every record is hidden."""


def mark(name: str, salt: str) -> str:
    return f"⟦{name}:{salt}⟧"


def marked(salt: str, n_passages: int = 2) -> tuple[Item, set[str]]:
    """An item in which every text field of every record holds a mark of its own, and the names of the fields."""
    names: set[str] = set()

    def fill(record: type, kind: str, **given: Any) -> Any:
        values = dict(given)
        for spec in fields(record):
            if spec.name not in values:
                names.add(f"{kind}.{spec.name}")
                value = mark(f"{kind}.{spec.name}", salt)
                values[spec.name] = (value,) if spec.name == "gold_aliases" else value
        return record(**values)

    passages = tuple(fill(Passage, "passage", rank=n) for n in range(1, n_passages + 1))
    task, context = fill(Task, "task"), fill(Context, "context", passages=passages)
    return Item(task=task, context=context, response=fill(Response, "response")), names


@given(st.sampled_from(sorted(VIEWS)), st.text(st.characters(categories=["L", "N"]), max_size=8), st.integers(1, 8))
@settings(max_examples=60)
def test_a_view_shows_its_fields_and_no_other(view: str, salt: str, n_passages: int) -> None:
    item, names = marked(salt, n_passages)
    built = VIEWS[view].of(item)
    for text in (repr(built), repr(asdict(built)), str(built)):
        assert {name for name in names if mark(name, salt) in text} == SHOWN[view]


@given(st.sampled_from(sorted(VIEWS)))
@settings(max_examples=20)
def test_nothing_hidden_can_be_reached_from_a_view(view: str) -> None:
    built = VIEWS[view].of(marked("x")[0])
    assert not hasattr(built, "__dict__")
    hidden = {"task", "context", "response", "question", "gold_answer", "gold_aliases", "condition", "passages"}
    for name in hidden - artifacts(view):
        with pytest.raises(AttributeError):
            getattr(built, name)


def test_a_template_that_shows_gold_to_a_grounding_rater_fails() -> None:
    view, template = GroundingView.of(marked("x")[0]), "{view.gold_answer}"
    with pytest.raises(AttributeError):
        template.format(view=view)
    with pytest.raises(AttributeError):
        view.passages[0].supports  # type: ignore[attr-defined]  # noqa: B018 - the type checker refuses it as well
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        view.response = "x"  # type: ignore[misc]  # frozen


def test_every_view_is_described_here_and_says_what_makes_it_final() -> None:
    assert set(SHOWN) == set(VIEWS) == set(FINAL_ONCE_SHOWN)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_never_shows_what_makes_it_worthless(view: str) -> None:
    assert not artifacts(view) & FINAL_ONCE_SHOWN[view]


def test_passages_keep_their_order_and_number() -> None:
    view = GroundingView.of(marked("x", 3)[0])
    assert [passage.number for passage in view.passages] == [1, 2, 3]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_possible_exactly_when_it_can_be_built(view: str) -> None:
    whole, _ = marked("x")
    task = Task(task_id="t", question="?")
    for item in (
        whole,
        Item(task=whole.task),
        Item(task=whole.task, context=whole.context),
        Item(task=whole.task, response=whole.response),
        Item(task=task, context=whole.context, response=whole.response),
    ):
        if possible(view, item):
            VIEWS[view].of(item)
        else:
            with pytest.raises(ValueError, match="its label needs one"):
                VIEWS[view].of(item)
