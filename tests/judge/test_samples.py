import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Context, Passage, Response, Task
from data.views import Item
from judge.samples import blanked, exchanged, misled, partners, sample_from, sample_of
from judge.wiring import ARTIFACTS

SAMPLE = {
    "id": "1", "question": "q", "response": "r", "passages": [{"text": "p"}], "gold_answer": "g", "gold_aliases": ["h"],
    "instruction": "",
}  # fmt: skip
OTHER = {**SAMPLE, "question": "Q", "response": "R", "passages": [], "gold_answer": "G", "gold_aliases": []}


def test_a_sample_holds_the_artifacts_and_nothing_that_tells_where_it_is_from() -> None:
    passage = Passage(passage_id="ID", rank=1, text="p", supports="SUPPORTS")
    sample = sample_of(
        Item(
            task=Task(task_id="ID", question="q", gold_answer="g", gold_aliases=("h",)),
            context=Context(context_id="ID", task_id="ID", condition="CONDITION", passages=(passage,)),
            response=Response(response_id="ID", context_id="ID", model="MODEL", prompt="PROMPT", run="RUN", text="r"),
        ),
        "1",
    )
    assert not [word for word in ("ID", "SUPPORTS", "CONDITION", "MODEL", "PROMPT", "RUN") if word in repr(sample)]
    assert (sample["question"], sample["response"], sample["gold_answer"]) == ("q", "r", "g")
    assert sample["passages"][0]["text"] == "p"


@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_a_change_touches_its_artifact_only(artifact: str) -> None:
    fields = {"gold": ["gold_answer", "gold_aliases"]}.get(artifact, [artifact])
    for changed in (blanked(SAMPLE, artifact), exchanged(SAMPLE, artifact, OTHER)):  # type: ignore[arg-type]  # a literal
        assert [name for name in SAMPLE if changed[name] != SAMPLE[name]] == [name for name in SAMPLE if name in fields]
    assert not any(blanked(SAMPLE, artifact)[name] for name in fields)  # type: ignore[arg-type]  # a literal


def test_a_false_gold_answer_is_the_given_one_or_the_response() -> None:
    assert misled(SAMPLE)["gold_answer"] == "r"
    assert misled({**SAMPLE, "false_gold": "f"})["gold_answer"] == "f"


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=20), st.integers(0, 99))
def test_a_partner_is_of_another_task(tasks: list[str], seed: int) -> None:
    if len(set(tasks)) < 2:
        with pytest.raises(ValueError, match="all samples are of one task"):
            partners(tasks, seed)
    else:
        assert all(tasks[place] != task for place, task in zip(partners(tasks, seed), tasks, strict=True))


def test_a_row_of_a_file_is_checked_field_by_field() -> None:
    row = {"question": "q", "response": "r", "passages": ["p", {"text": "s"}], "gold_answer": "g"}
    sample, task = sample_from(row, "7")
    assert task == "q"
    assert [passage["text"] for passage in sample["passages"]] == ["p", "s"]
    assert sample_from({**row, "task_id": "t"}, "7")[1] == "t"
    with pytest.raises(ValueError, match=r"'response' is missing.*'gold_answer' is 3; expected text; field 'passages'"):
        sample_from({"question": "q", "gold_answer": 3, "passages": [{}]}, "7")
