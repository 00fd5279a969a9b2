import sqlite3

import pytest

from data.errors import StudyProblem
from data.records import Context, Draw, Passage, Response, Task
from data.store import items
from data.store.connection import open_store
from data.study import Study
from data.views import Item

ODD = "007 NA\r\n=1 \"'\u202e\u200b\ufeff\x00 e\u0301 👩‍👩‍👧"

TASK = Task(task_id="t", regime="r", question=ODD, gold_answer=ODD, gold_aliases=("", ODD))
CONTEXT = Context(
    context_id="c",
    task_id="t",
    passages=(
        Passage(passage_id="1", rank=1, text=ODD, supports="gold"),
        Passage(passage_id="2", rank=2, text="", title=ODD),
    ),
)
ITEMS = [
    Item(task=TASK, context=CONTEXT, response=Response(response_id=ODD, context_id="c", text=ODD)),
    Item(task=TASK, context=CONTEXT),
    Item(task=TASK, response=Response(response_id="closed book", task_id="t", text="x")),
]
KEYS = [("response", ODD), ("context", "c"), ("response", "closed book")]

SAMPLE = {
    "seed": 1, "strata": ["model"], "context_strata": [], "unit": "response", "linked": 0, "overlap": 0.5,
    "diagnostics": 0.0, "frame_hash": "f", "rubric_hash": "r", "created_at": "2026-01-01",
}  # fmt: skip


def draw(item_id: str, number: str, probability: float = 0.5) -> Draw:
    return Draw(
        sample_id="main",
        item_id=item_id,
        item_kind="response",
        stratum="s",
        stratum_size=4,
        sample_size=2,
        inclusion_probability=probability,
        permanent_number=number,
    )


def test_items_come_back_byte_for_byte(study: Study) -> None:
    with open_store(study) as store:
        items.add(store, ITEMS)
    with open_store(study) as store:
        assert [items.load(store, *key) for key in KEYS] == ITEMS
        assert {(row["item_kind"], row["item_id"]) for row in store.rows("SELECT * FROM item")} == set(KEYS)
        assert items.everything(store) == [], "practice items and the like are in no draw"


def test_what_is_there_stays(study: Study) -> None:
    with open_store(study) as store:
        items.add(store, ITEMS)
        changed = Task(task_id="t", question="other")
        items.add(store, [Item(task=changed, context=CONTEXT)])
        assert items.load(store, "context", "c").task == TASK


def test_an_item_that_was_not_drawn_is_a_sentence(study: Study) -> None:
    with open_store(study) as store, pytest.raises(StudyProblem, match="response 'x' is not among the drawn items"):
        items.load(store, "response", "x")


def test_samples_and_draws_come_back(study: Study) -> None:
    with open_store(study) as store:
        with pytest.raises(StudyProblem, match="nothing is drawn yet"):
            items.find_sample(store, None)
        items.add(store, ITEMS)
        items.add_sample(
            store,
            {**SAMPLE, "sample_id": "main"},
            [(draw(ODD, "b"), "u1"), (draw("closed book", "a", 1.0), "u2")],
        )
        items.add_sample(store, {**SAMPLE, "sample_id": "second"}, [])
        assert items.find_sample(store, None)["sample_id"] == "second"
        assert items.find_sample(store, "main")["strata"] == ["model"]
        with pytest.raises(StudyProblem, match="no sample 'third'"):
            items.find_sample(store, "third")
        found = [
            (d["item_id"], d["task_id"], d["context_id"], d["unit"]) for d in items.draws(store, "main", "response")
        ]
        assert found == [("closed book", "t", None, "u2"), (ODD, "t", "c", "u1")]


@pytest.mark.parametrize("probability", [0.0, -0.1, 1.1])
def test_a_probability_outside_0_to_1_is_refused(study: Study, probability: float) -> None:
    with open_store(study) as store:
        items.add(store, ITEMS)
        with pytest.raises(sqlite3.IntegrityError):
            items.add_sample(store, {**SAMPLE, "sample_id": "main"}, [(draw(ODD, "b", probability), "u")])


def test_a_draw_of_something_unknown_is_refused(study: Study) -> None:
    with open_store(study) as store, pytest.raises(sqlite3.IntegrityError):
        items.add_sample(store, {**SAMPLE, "sample_id": "main"}, [(draw("gone", "b"), "u")])


def test_subsamples(study: Study) -> None:
    with open_store(study) as store:
        items.add(store, ITEMS)
        items.add_sample(store, {**SAMPLE, "sample_id": "main"}, [])
        items.add_subsample(store, "main", "overlap", KEYS[:2])
        assert items.subsample(store, "main", "overlap") == set(KEYS[:2])
        assert items.in_subsample(store, "overlap", *KEYS[0])
        assert not items.in_subsample(store, "overlap", *KEYS[2])
        assert not items.in_subsample(store, "diagnostics", *KEYS[0])
