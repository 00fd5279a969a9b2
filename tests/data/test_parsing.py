from typing import Any

import pytest

from data.errors import Problem
from data.mapping import Mapping
from data.parsing import Bad, binary, json_cell, moment, quotes, seen, texts, whole
from data.record_parser import Parser
from data.records import Context, Response, Verdict
from data.rows import Row

VERDICT = {"response_id": "r", "judge": "j"}


def parsed(kind: str, values: dict[str, Any]) -> list[Any]:
    return list(Parser(kind, Mapping()).read(Row(where="f:1", values=values)))


@pytest.mark.parametrize("raw", ["1", "1.0", "true", "TRUE", "Yes", True, " yes "])
def test_yes(raw: str | bool) -> None:
    assert binary(raw) == 1


@pytest.mark.parametrize("raw", ["0", "0.0", "false", "False", "nO", False])
def test_no(raw: str | bool) -> None:
    assert binary(raw) == 0


@pytest.mark.parametrize("raw", ["2", "1.5", "true.0", "y", "nan", "-1"])
def test_anything_else_is_refused(raw: str) -> None:
    with pytest.raises(Bad, match="expected 1/0"):
        binary(raw)


def test_an_empty_or_missing_label_is_unscored() -> None:
    [verdict] = parsed("verdicts", {**VERDICT, "C": "", "A": None, "G": "no"})
    assert (verdict.C, verdict.A, verdict.G, verdict.D) == (None, None, 0, None)


@pytest.mark.parametrize("raw", ["3", "-1", "1.5", "²", "9" * 5000, "x"])
def test_a_diagnostic_is_a_whole_number_from_0_to_2(raw: str) -> None:
    [problem] = parsed("verdicts", {**VERDICT, "conflict_awareness": raw})
    assert isinstance(problem, Problem)
    assert "expected a whole number from 0 to 2" in problem.message


def test_whole_numbers_have_bounds() -> None:
    assert whole(1, 5)("5") == 5


def test_every_fault_of_a_row_is_named_at_once() -> None:
    problems = parsed("verdicts", {"judge": "", "C": "maybe", "provenance_honesty": "9"})
    assert {p.field for p in problems} == {"response_id", "judge", "C", "provenance_honesty"}


def test_a_response_needs_a_context_or_a_task() -> None:
    [problem] = parsed("responses", {"response_id": "r", "text": "x"})
    assert problem.field == "context_id"
    assert parsed("responses", {"response_id": "r", "text": "", "task_id": "t"}) == [
        Response(response_id="r", text="", task_id="t")
    ]


def test_an_empty_text_is_a_text_and_a_missing_one_is_not() -> None:
    assert isinstance(parsed("responses", {"response_id": "r", "task_id": "t", "text": ""})[0], Response)
    assert parsed("responses", {"response_id": "r", "task_id": "t", "text": None})[0].field == "text"


def test_numbers_and_booleans_in_a_text_are_kept_as_written() -> None:
    [verdict] = parsed("verdicts", {**VERDICT, "rationale": True, "judge_model": "4.10"})
    assert (verdict.rationale, verdict.judge_model) == ("true", "4.10")


@pytest.mark.parametrize("raw", [["a"], {"a": "b"}])
def test_lists_and_objects_are_no_text(raw: Any) -> None:
    [problem] = parsed("responses", {"response_id": "r", "task_id": "t", "text": raw})
    assert "expected text" in problem.message


def test_half_a_surrogate_pair_is_refused() -> None:
    [problem] = parsed("responses", {"response_id": "r", "task_id": "t", "text": "ab\ud800"})
    assert "character 3 is half a surrogate pair" in problem.message


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(["a", True], ("a", "true")), ('["a", 1]', ("a", "1")), ("a, b", ("a, b",)), ("", ()), ([], ())],
)
def test_lists_of_texts(raw: Any, expected: tuple[str, ...]) -> None:
    assert texts(raw) == expected


@pytest.mark.parametrize("raw", ["[oops", True, {"a": "b"}, ["a", None]])
def test_what_is_no_list_of_texts(raw: Any) -> None:
    with pytest.raises(Bad, match="expected"):
        texts(raw)


@pytest.mark.parametrize("cell", ["['a' 'b'\n 'c']", "['a', 'b' \"c's\"]"])
def test_a_numpy_array_in_a_cell_is_refused_not_joined(cell: str) -> None:
    for reader in (texts, json_cell):
        with pytest.raises(Bad, match="looks like a numpy array; write lists as JSON"):
            reader(cell)


def test_quotes_inside_a_text_are_no_second_text() -> None:
    assert texts("""['it said \\'a\\' \\'b\\'', "'a' 'b'"]""") == ("it said 'a' 'b'", "'a' 'b'")


@pytest.mark.parametrize(
    "passages", [["one", {"text": "two"}], '["one", {"text": "two"}]', [{"text": "one", "rank": ""}, "two"]]
)
def test_passages_are_texts_or_objects_with_rank_and_id_by_place(passages: Any) -> None:
    [context] = parsed("contexts", {"context_id": "c", "task_id": "t", "passages": passages})
    assert isinstance(context, Context)
    assert [(p.rank, p.passage_id, p.text, p.title) for p in context.passages] == [
        (1, "1", "one", None),
        (2, "2", "two", None),
    ]


def test_faults_inside_passages_name_their_place() -> None:
    passages = [{"text": "x", "supports": "maybe"}, {"rank": "0"}, None]
    problems = parsed("contexts", {"context_id": "c", "task_id": "t", "passages": passages})
    assert [p.field for p in problems] == [
        "passages.0.supports",
        "passages.1.rank",
        "passages.1.text",
        "passages.2.text",
    ]


def test_passage_ids_are_unique_within_a_context() -> None:
    [problem] = parsed("contexts", {"context_id": "c", "task_id": "t", "passages": [
        {"passage_id": "p", "text": "one"}, {"passage_id": "q", "text": "two"}, {"passage_id": "p", "text": "three"},
    ]})  # fmt: skip
    assert str(problem) == (
        "f:1: field 'passages': 2 passages have the id 'p'; expected ids that are unique within a context"
    )


@pytest.mark.parametrize("passages", [None, "plain", {"text": "x"}, "[oops"])
def test_passages_that_are_no_list_are_refused(passages: Any) -> None:
    [problem] = parsed("contexts", {"context_id": "c", "task_id": "t", "passages": passages})
    assert problem.field == "passages"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2026-05-04T13:37:00Z", "2026-05-04T13:37:00+00:00"),
        ("2026-05-04T13:37:00+02:00", "2026-05-04T11:37:00+00:00"),
        ("2026-05-04", "2026-05-04T00:00:00+00:00"),
    ],
)
def test_times_are_kept_as_utc(raw: str, expected: str) -> None:
    assert moment(raw) == expected


@pytest.mark.parametrize("raw", ["yesterday", "0001-01-01T00:00:00+05:00"])
def test_what_is_no_time(raw: str) -> None:
    with pytest.raises(Bad, match="expected a time"):
        moment(raw)


def test_labels_have_defaults() -> None:
    [label] = parsed("labels", {"item_id": "r", "item_kind": "response", "person_id": "p", "label": "G", "value": ""})
    assert (label.value, label.purpose, label.occasion) == (None, "plan", 1)


def test_unknown_words_are_refused_with_the_known_ones() -> None:
    values = {"item_id": "r", "item_kind": "answer", "person_id": "p", "label": "G", "purpose": "fun"}
    assert [p.message.split("; ")[1] for p in parsed("labels", values)] == [
        "expected one of response, context",
        "expected one of plan, calibration, canary, repeat, adjudication",
    ]


def test_verdict_lists_are_tuples() -> None:
    [verdict] = parsed("verdicts", {**VERDICT, "evidence": ["q"]})
    assert isinstance(verdict, Verdict)
    assert verdict.evidence == ("q",)


def test_every_fault_of_a_list_of_quotes_is_told_with_its_place() -> None:
    with pytest.raises(Bad) as caught:
        quotes([{"text": "x", "start": "a", "end": "-1"}, "fine", {"passage": "1"}, None])
    assert [place for place, _ in caught.value.faults()] == [".0.start", ".0.end", ".2.text", ".3"]
    assert "0: start: is 'a'; expected a whole number" in str(caught.value)


@pytest.mark.parametrize(
    "raw", ['{"fields": ["gold_answer"], "other_contexts": 2}', {"fields": ["gold_answer"], "other_contexts": "2"}]
)
def test_what_was_seen_before_is_read_as_exported(raw: Any) -> None:
    assert seen(raw) == {"fields": ["gold_answer"], "other_contexts": 2}
    assert seen("{}") == {}


@pytest.mark.parametrize(
    "raw", ["gold", "[]", '{"fields": 5}', '{"fields": [5.0, {}]}', '{"other_contexts": "many"}', "5", ["a"]]
)
def test_anything_else_that_was_seen_is_refused(raw: Any) -> None:
    with pytest.raises(Bad):
        seen(raw)
