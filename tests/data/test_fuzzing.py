"""Whatever a file holds: rows, problems that name their place, or one sentence, and never a traceback."""

import csv
import gzip
import json
import zipfile
from contextlib import suppress
from io import BytesIO, StringIO
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from data.errors import Problem, StudyProblem
from data.formats import OWN, read_format, recognised, rows_of, shipped
from data.importers import import_file, read_records
from data.mapping import Mapping
from data.parsing import RECORDS
from data.reading import READERS
from data.study import init_study
from data.tool_rows import UNFOLD

BOUNDED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ENDINGS = [*READERS, *(f"{ending}.gz" for ending in READERS)]

FORMS = [OWN, *map(read_format, shipped())]

OURS = sorted({name for record in RECORDS.values() for name in record.__dataclass_fields__} | {"text", "rank", "pass"})

THEIRS = [
    "annotations",
    "result",
    "value",
    "completed_by",
    "data",
    "responses",
    "fields",
    "values",
    "status",
    "items",
    "user_id",
    "testCases",
    "metricsData",
    "name",
    "eval",
    "samples",
    "input",
    "output",
    "choices",
    "message",
    "content",
    "scores",
    "target",
    "id",
    "type",
    "documents",
    "adv_texts",
    "contexts",
    "gold_answers",
    "item",
    "subset",
    "D.responses",
    "D.responses.users",
    "user_input",
    "retrieved_contexts",
]

ODD = ["", "1", "[", "['a']", "gold", "\ud800", "\x00", "1" * 5000]

names = st.sampled_from([*OURS, *THEIRS])
texts = st.text(st.characters(), max_size=8) | st.sampled_from(ODD)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**9) | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names | texts, inner, max_size=4),
    max_leaves=12,
)
rows = st.dictionaries(names, values, max_size=6)
tables = st.text(st.characters(codec="utf-8"), max_size=120) | st.text('",\n\r\t a1[', max_size=60)
kinds = st.sampled_from(["tasks", "contexts", "responses", "verdicts"])


def read_everything(content: bytes, ending: str) -> None:
    """Reads a file as every kind of record in every format; what is wrong has to be told."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a{ending}"
        path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
        for kind, form in product(RECORDS, FORMS):
            with suppress(StudyProblem):
                if form is OWN:
                    recognised(path, kind)
                if form is OWN or kind in form.sections:
                    _, problems = read_records(kind, path, form.mappings(kind), rows_of(form, path))
                    assert all(isinstance(one, Problem) and one.where and one.message for one in problems)


@given(st.binary(max_size=200), st.sampled_from(ENDINGS))
@example(b"PAR1PAR1", ".parquet")
@example(b"PK\x05\x06" + b"\x00" * 18, ".eval")
@example(b"\xff\xfe{\x00", ".json")
@example(b"\x1f\x8b\x08\x00", ".csv")
@BOUNDED
def test_no_bytes_end_in_a_traceback(content: bytes, ending: str) -> None:
    read_everything(content, ending)


@given(st.lists(rows, max_size=3), st.sampled_from([".jsonl", ".json", ".json.gz"]))
@BOUNDED
def test_no_json_ends_in_a_traceback(objects: list[Any], ending: str) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in objects)
    read_everything((lines if ending == ".jsonl" else json.dumps(objects)).encode(), ending)


@given(tables, st.sampled_from([".csv", ".tsv"]))
@BOUNDED
def test_no_table_ends_in_a_traceback(text: str, ending: str) -> None:
    read_everything(("task_id,question\n" + text).encode(), ending)
    read_everything(text.encode(), ending)


@given(st.data(), st.sampled_from(["cut", "changed"]))
@settings(BOUNDED, max_examples=30)
def test_no_damage_to_a_parquet_file_or_an_archive_ends_in_a_traceback(data: st.DataObject, damage: str) -> None:
    table = BytesIO()
    pq.write_table(pa.table({"task_id": ["a", "b"], "question": ["?" * 90, "!"], "n": [[1], None]}), table)
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", json.dumps({"eval": {"task": "t", "model": "m"}}))
        log.writestr("samples/1_epoch_1.json", json.dumps({"id": 1, "epoch": 1, "input": "?" * 90, "target": "x"}))
    for made, ending in ((table, ".parquet"), (archive, ".eval")):
        whole = bytearray(made.getvalue())
        place = data.draw(st.integers(0, len(whole) - 1))
        if damage == "cut":
            whole = whole[:place]
        else:
            whole[place] ^= data.draw(st.integers(1, 255))
        read_everything(bytes(whole), ending)


COLUMNS: list[Any] = [
    pa.array([b"\xff", None], pa.binary()),
    pa.array([1, None], pa.timestamp("ns", "Europe/Berlin")),
    pa.array([2**50, None], pa.timestamp("s")),
    pa.array([1, None], pa.duration("ns")),
    pa.array([1, None], pa.time64("ns")),
    pa.array([1.5, float("nan")]),
    pa.array([[{"a": b"\xff"}], None]),
    pa.array([[("k", [1])], None], pa.map_(pa.string(), pa.list_(pa.int8()))),
    pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), pa.array(["x"])),
    pa.array([None, None]),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.type))
def test_no_type_of_parquet_ends_in_a_traceback(column: Any) -> None:
    made = BytesIO()
    pq.write_table(pa.table({"task_id": ["a", "b"], "question": column, "passages": column}), made)
    read_everything(made.getvalue(), ".parquet")


@given(rows, st.sampled_from(sorted(UNFOLD)))
@settings(BOUNDED, max_examples=200)
def test_no_row_of_a_tool_ends_in_a_traceback(row: dict[str, Any], name: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes((json.dumps(row) + "\n").encode())
        form = next(one for one in FORMS if one.name == name)
        for kind in form.sections:
            read_records(kind, path, form.mappings(kind), rows_of(form, path))


@given(st.lists(rows, min_size=1, max_size=4), kinds, st.booleans())
@BOUNDED
def test_what_is_imported_can_be_written_whatever_it_is(objects: list[Any], kind: str, skip_bad: bool) -> None:
    with TemporaryDirectory() as folder:
        study = init_study(Path(folder) / "study")
        path = Path(folder) / "a.jsonl"
        path.write_bytes("".join(json.dumps(one) + "\n" for one in objects).encode())
        try:
            done = import_file(study, kind, path, [Mapping()], skip_bad=skip_bad)
        except StudyProblem:
            assert not list(study.texts.iterdir())
            return
        assert done.n > 0
        assert len(list(study.texts.iterdir())) == 1


MAPPINGS = [
    "[tasks]\nquestion = 1", "[[tasks]]\npassage = 2", "tasks = [1]", "[format]\nmarks = 3", "extends = 3",
    "format = 1", "[tasks]\neach = 3", "[tasks.passage]\ntext = []", "[format]\nunfold = 'x'", "[format]\nunfold = []",
    "[format]\nmarks = [3]", "[format]\ntitle = 3", "[tasks]\nkeep = 3", "extends = 'ragas'\n[format]\nother = 1",
]  # fmt: skip


@pytest.mark.parametrize("text", MAPPINGS)
def test_a_mapping_file_that_says_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(StudyProblem, match=r"expected|must be"):
        read_format(str(path))


@given(st.text(max_size=80) | st.lists(st.sampled_from(MAPPINGS), max_size=2).map("\n".join))
@BOUNDED
def test_no_mapping_file_ends_in_a_traceback(text: str) -> None:
    with TemporaryDirectory() as folder, suppress(StudyProblem):
        path = Path(folder) / "m.toml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        rows = Path(folder) / "a.jsonl"
        rows.write_text('{"task_id": "t", "question": "?"}\n')
        form = read_format(str(path))
        read_records("tasks", rows, form.mappings("tasks"), rows_of(form, rows))


def test_a_table_of_long_and_odd_cells_is_read() -> None:
    out = StringIO(newline="")
    csv.writer(out).writerow(["task_id", "question"])
    csv.writer(out).writerow(["a" * 200_000, "[" * 2000])
    read_everything(out.getvalue().encode(), ".csv")
