"""Every text comes back byte for byte: through JSON lines, CSV and Parquet, into the texts and out of them."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.checks import likeness
from data.errors import StudyProblem
from data.importers import import_file
from data.mapping import Mapping
from data.parsing import RECORDS
from data.records import Passage, Response, Task, context_of, task_of
from data.study import Study, init_study
from data.texts import add_part, next_part, parts, pick, put_part, read_columns, schema

ODD = [
    "007", "1e5", "1.0", "NA", "N/A", "null", "None", "nan", "true", "False", "=1+1", "+1", "-1", "@x", "'", '"', '""',
    'a "quoted, text', "two\nlines", "two\r\nlines", "one\rtwo", "\r", "\n", " padded ", "\t", "", "\ufeffBOM first",
    "BOM\ufeffinside", "NUL\x00inside", "\x00", "zero\u200bwidth\u200djoiner", "\u202eright to left\u202c",
    "\u2066x\u2069", "e\u0301 combining", "é composed", "👩‍👩‍👧", "🇺🇳", "\u2028\u2029\x85", "[1] cited", "{no",
    "\\n", "\x1f", "<script>alert(1)</script>", "a" * 70_000,
]  # fmt: skip
"""Each has been changed on its way by some tool."""

texts = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.lists(st.sampled_from(ODD[:-1]), max_size=4).map("".join),
)


def write(path: Path, rows: list[dict[str, str]]) -> None:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8", newline="")
    elif path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(rows)
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)


def round_trip(folder: Path, suffix: str, questions: list[str], answers: list[str]) -> tuple[list[str], list[str]]:
    study = init_study(folder / "study")
    write(folder / f"tasks{suffix}", [{"task_id": f"{n}", "question": q} for n, q in enumerate(questions)])
    responses = [{"response_id": f"{n}", "task_id": "0", "text": text} for n, text in enumerate(answers)]
    write(folder / f"responses{suffix}", responses)
    for kind in ("tasks", "responses"):
        import_file(study, kind, folder / f"{kind}{suffix}", [Mapping()])
    ids = [f"{n}" for n in range(len(answers))]
    found = {row["response_id"]: row["text"] for row in pick(study, "responses", "response_id", ids)}
    return read_columns(study, "tasks", ["question"])["question"].to_pylist(), [found[name] for name in ids]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_odd_texts_come_back_byte_for_byte(tmp_path: Path, suffix: str) -> None:
    assert round_trip(tmp_path, suffix, ODD, ODD) == (ODD, ODD)


@given(st.sampled_from([".jsonl", ".csv", ".parquet"]), st.lists(texts, min_size=1, max_size=6))
@settings(max_examples=60)
def test_any_text_comes_back_byte_for_byte(suffix: str, answers: list[str]) -> None:
    with TemporaryDirectory() as folder:
        assert round_trip(Path(folder), suffix, answers, answers) == (answers, answers)


@given(
    st.lists(
        texts.filter(lambda text: likeness((text,))), min_size=2, max_size=5, unique_by=lambda text: likeness((text,))
    )
)
@settings(max_examples=30)
def test_ids_are_compared_byte_for_byte(ids: list[str]) -> None:
    with TemporaryDirectory() as folder:
        study = init_study(Path(folder) / "study")
        path = Path(folder) / "tasks.jsonl"
        write(path, [{"task_id": name, "question": name} for name in ids])
        import_file(study, "tasks", path, [Mapping()])
        assert [row["question"] for row in pick(study, "tasks", "task_id", ids[:1])] == ids[:1]


def test_passages_come_back_as_they_were(tmp_path: Path, study: Study) -> None:
    passages = [{"rank": n, "text": text, "title": text, "supports": "gold"} for n, text in enumerate(ODD, 1)]
    (tmp_path / "tasks.jsonl").write_text('{"task_id": "t", "question": "?", "gold_aliases": ["007", ""]}\n')
    path = tmp_path / "contexts.jsonl"
    path.write_text(json.dumps({"context_id": "c", "task_id": "t", "passages": passages}) + "\n")
    import_file(study, "tasks", tmp_path / "tasks.jsonl", [Mapping()])
    import_file(study, "contexts", path, [Mapping()])
    [row] = pick(study, "contexts", "context_id", ["c"])
    context = context_of(row)
    assert [passage.text for passage in context.passages] == ODD
    assert [passage.title for passage in context.passages] == ODD
    assert context.passages[0] == Passage(passage_id="1", rank=1, title="007", text="007", supports="gold")
    [task] = map(task_of, pick(study, "tasks", "task_id", ["t"]))
    assert task == Task(task_id="t", question="?", gold_aliases=("007", ""))


@pytest.mark.parametrize("kind", RECORDS)
def test_every_kind_has_a_column_per_field(kind: str) -> None:
    assert schema(kind).names == list(RECORDS[kind].__dataclass_fields__)


def test_parts_are_added_in_order_and_never_overwritten(study: Study) -> None:
    def response(name: str) -> Response:
        return Response(response_id=name, task_id="t", text=name)

    late = next_part(study, "responses")
    for n in range(11):
        add_part(study, "responses", [[response(str(n))]])
    assert read_columns(study, "responses", ["response_id"])["response_id"].to_pylist() == [str(n) for n in range(11)]
    with pytest.raises(StudyProblem, match="imported at the same time; nothing was imported"):
        add_part(study, "responses", [[response("late")]], late)
    assert len(parts(study, "responses")) == 11


def test_what_was_never_imported_is_an_empty_table(study: Study) -> None:
    assert read_columns(study, "verdicts", ["judge", "C"]).num_rows == 0
    assert list(pick(study, "verdicts", "judge", ["x"])) == []


def test_a_part_that_was_made_here_is_replaced_and_stands_in_nobodys_way(tmp_path: Path) -> None:
    study = init_study(tmp_path / "study")
    first = [Task(task_id="a", question="?")]
    made = put_part(study, "tasks", "made", [first])
    assert next_part(study, "tasks").name == "tasks-00001.parquet"
    before = made.stat().st_mtime_ns
    put_part(study, "tasks", "made", [first])
    assert made.stat().st_mtime_ns == before
    put_part(study, "tasks", "made", [first, [Task(task_id="b", question="?")]])
    assert read_columns(study, "tasks", ["task_id"])["task_id"].to_pylist() == ["a", "b"]
    assert made.stat().st_mtime_ns != before
    assert parts(study, "tasks") == [made]
