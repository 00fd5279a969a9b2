from pathlib import Path

import pytest

from data.errors import StudyProblem
from data.formats import read_format
from data.importers import read_records
from data.mapping import Mapping, Origin, follow, parse_pairs
from data.parsing import RECORDS
from data.rows import Raw

TOML = """
[tasks]
question = "user_input"
task_id = "meta.id"
regime = { value = "longfact" }
distinct = true

[[labels]]
label = { value = "G" }
value = "grounded"

[[labels]]
label = { value = "C" }
value = "correct"

[contexts]
passages = "results"
passage = { text = "snippet" }
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "theirs.toml"
    path.write_text(TOML)
    return str(path)


def test_a_mapping_reads_names_dots_and_constants(file: str) -> None:
    [mapping] = read_format(file).mappings("tasks")
    row: dict[str, Raw] = {"user_input": "Why?", "meta": {"id": "t1"}, "regime": "ignored"}
    assert [mapping.origin(name).value(row) for name in ("question", "task_id", "regime", "gold_answer")] == [
        "Why?", "t1", "longfact", None,
    ]  # fmt: skip
    assert mapping.distinct
    assert str(mapping.origin("question")) == "user_input"


def test_several_sections_of_a_kind_read_several_records_off_a_row(file: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"item_id": "r", "item_kind": "response", "person_id": "p", "grounded": "yes", "correct": ""}\n')
    records, problems = read_records("labels", path, read_format(file).mappings("labels"))
    assert problems == []
    assert [(record.label, record.value) for _, record in records] == [("G", "yes"), ("C", None)]


def test_passages_have_names_of_their_own(file: str, tmp_path: Path) -> None:
    path = tmp_path / "contexts.jsonl"
    path.write_text('{"context_id": "c", "task_id": "t", "results": [{"snippet": "x"}, {"snippet": 7}]}\n')
    [(_, context)], problems = read_records("contexts", path, read_format(file).mappings("contexts"))
    assert problems == []
    assert [(p.rank, p.passage_id, p.text) for p in context.passages] == [(1, "1", "x"), (2, "2", "7")]


def test_problems_name_the_field_that_stands_in_the_file(file: str, tmp_path: Path) -> None:
    path = tmp_path / "contexts.jsonl"
    path.write_text('{"context_id": "c", "task_id": "t", "results": [{"snippet": []}]}\n')
    _, [problem] = read_records("contexts", path, read_format(file).mappings("contexts"))
    assert problem.field == "results.0.snippet"


def test_identical_rows_of_a_repeating_file_are_one_record(file: str) -> None:
    assert [m.distinct for kind in ("labels", "contexts") for m in read_format(file).mappings(kind)] == [False] * 3


def test_dots_go_into_objects_and_lists_and_a_real_name_with_a_dot_wins() -> None:
    row: dict[str, Raw] = {"a": {"b": ["x", {"c": "y"}]}, "a.b": "own"}
    assert [follow(row, path) for path in ("a.b", "a.b.1.c", "a.b.9", "a.b.x", "nothing")] == [
        "own", "y", None, None, None,
    ]  # fmt: skip


def test_pairs_split_at_the_first_equals_sign() -> None:
    assert parse_pairs(["question=a=b"]) == {"question": "a=b"}
    with pytest.raises(StudyProblem, match="expected ours=theirs"):
        parse_pairs(["question"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[tasks]\nquestion = 3", "expected \"their_field\""),
        ("tasks = 'x'", "must be tables"),
        ("[tasks]\npassage = 'x'", "must be tables"),
        ("[contexts]\n", r"no \[tasks\] section"),
        ("[tasks", "mapping"),
    ],
)  # fmt: skip
def test_a_faulty_mapping_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(StudyProblem, match=sentence):
        read_format(str(path)).mappings("tasks")


def test_a_missing_mapping_is_one_sentence() -> None:
    with pytest.raises(StudyProblem, match="one of"):
        read_format("no-such-mapping").mappings("tasks")


@pytest.mark.parametrize(
    "mapping",
    [
        Mapping(fields={"quesiton": "q"}),
        Mapping(fields={"regim": Origin(constant="x")}),
        Mapping(passage={"txt": "body"}),
    ],
)
def test_a_misspelt_field_is_refused_instead_of_doing_nothing(tmp_path: Path, mapping: Mapping) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n")
    with pytest.raises(StudyProblem, match="have no field"):
        read_records("contexts", path, [mapping])


@pytest.mark.parametrize("file", sorted((Path(__file__).parents[2] / "data" / "mappings").glob("*.toml")), ids=str)
def test_shipped_mappings_name_only_fields_that_exist(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("")
    kinds = 0
    for kind in RECORDS:
        try:
            mappings = read_format(file.stem).mappings(kind)
        except StudyProblem:
            continue
        kinds += 1
        assert read_records(kind, path, mappings) == ([], [])
    assert kinds
