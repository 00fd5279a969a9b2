import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.errors import Problem, StudyProblem
from data.importers import import_file
from data.mapping import Mapping
from data.reading import read
from data.rows import Raw, Row, kind_of
from data.study import init_study


def written(tmp_path: Path, name: str, content: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def values(path: Path) -> list[dict[str, Raw]]:
    return [row.values for row in read(path) if isinstance(row, Row)]


def problems(path: Path) -> list[str]:
    return [str(row) for row in read(path) if isinstance(row, Problem)]


def test_numbers_stay_as_they_are_written(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '{"a": 1e5, "b": 1.0, "c": 12345678901234567890, "d": NaN, "e": -0.0}\n')
    assert values(path) == [{"a": "1e5", "b": "1.0", "c": "12345678901234567890", "d": "NaN", "e": "-0.0"}]


@pytest.mark.parametrize("cell", ["007", "1e5", "NA", "null", "nan", "true", "=1+1", "", " x ", "\t"])
def test_csv_cells_are_never_interpreted(tmp_path: Path, cell: str) -> None:
    assert values(written(tmp_path, "a.csv", f"id,text\n1,{cell}\n")) == [{"id": "1", "text": cell}]


def test_a_byte_order_mark_is_taken_off_the_front_only(tmp_path: Path) -> None:
    assert values(written(tmp_path, "a.csv", "\ufeffid,text\n1,\ufeffx\n")) == [{"id": "1", "text": "\ufeffx"}]
    assert values(written(tmp_path, "a.jsonl", '\ufeff{"id": "\ufeff"}\n')) == [{"id": "\ufeff"}]


def test_blank_lines_and_a_missing_last_line_end_do_not_matter(tmp_path: Path) -> None:
    assert values(written(tmp_path, "a.jsonl", '\n{"a": "1"}\n\r\n  \n{"a": "2"}')) == [{"a": "1"}, {"a": "2"}]


def test_a_line_separator_inside_a_text_is_no_end_of_line(tmp_path: Path) -> None:
    text = "one\u2028two\x85three"
    assert values(written(tmp_path, "a.jsonl", f'{{"a": "{text}"}}\n')) == [{"a": text}]


def test_every_line_that_is_no_object_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "a.jsonl", '{"a": "1"}\n[1]\n{"a": \n"x"\nnull\n{"a": "2"}\n')
    assert [problem.split(":")[1] for problem in problems(path)] == ["2", "3", "4", "5"]
    assert len(values(path)) == 2


def test_a_half_written_file_is_called_that(tmp_path: Path) -> None:
    [problem] = problems(written(tmp_path, "a.jsonl", '{"a": "1"}\n{"a": "2", "te'))
    assert "a.jsonl:2" in problem
    assert "half-written" in problem


def test_json_nested_too_deeply_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    assert "nested too deeply" in problems(written(tmp_path, "a.jsonl", "[" * 100_000 + "\n"))[0]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.jsonl.gz"])
def test_a_byte_that_is_not_utf8_is_a_problem_of_its_line_alone(tmp_path: Path, name: str) -> None:
    good = '{"a": "é"}\n{"a": "%s"}\n{"a": "b"}\n' if "json" in name else "\ufeffa\né%s\nb\n"
    content = "\ufeff".encode() + good.lstrip("\ufeff").encode() % "caf\u00e9".encode("latin-1")
    path = written(tmp_path, name, gzip.compress(content) if name.endswith(".gz") else content)
    [problem] = problems(path)
    column = "column 11" if "json" in name else "column 5"
    assert f"{name}:2: {column}: not UTF-8 (invalid continuation byte)" in problem
    assert [row["a"] for row in values(path)] == (["é", "b"] if "json" in name else ["b"])


def test_a_bad_byte_in_a_cell_of_several_lines_has_the_place_where_it_stands(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", b'id,text\n1,"two\nlin\xe9s \xff\n\xff"\n2,b\n')
    assert [problem.split(": ")[:2] for problem in problems(path)] == [
        [f"{path}:3", "column 4"],
        [f"{path}:4", "column 1"],
    ]
    assert values(path) == [{"id": "2", "text": "b"}]


def test_a_bad_byte_in_a_header_or_a_json_document_stops_and_says_why(tmp_path: Path) -> None:
    with pytest.raises(StudyProblem, match=r"a\.csv:1: column 2: not UTF-8"):
        list(read(written(tmp_path, "a.csv", b"a\xff,b\n1,2\n")))
    with pytest.raises(StudyProblem, match=r"a\.json:2: column 9: not UTF-8 .* read whole or not at all"):
        list(read(written(tmp_path, "a.json", b'[{"a": 1},\n {"a": "\xff"}]')))


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_file_in_utf16_is_called_that_once(tmp_path: Path, name: str) -> None:
    with pytest.raises(StudyProblem, match=rf"{name}:1: not UTF-8 but UTF-16; save the file as UTF-8"):
        list(read(written(tmp_path, name, '{"a": "b"}\n{"a": "c"}\n'.encode("utf-16"))))


def test_a_quote_that_is_never_closed_says_what_it_took_along(tmp_path: Path) -> None:
    found = list(read(written(tmp_path, "a.csv", 'id,text\n1,a\n2,"open\n3,b\n4,c\n')))
    assert isinstance(found[-1], Problem)
    assert found[-1].stops
    assert "a.csv:3: not CSV: a quote that opens in this row is not closed, so everything up to line 5" in str(
        found[-1]
    )


def test_a_nul_is_text_in_a_table_and_a_problem_of_its_line_in_json(tmp_path: Path) -> None:
    assert values(written(tmp_path, "a.csv", b"a\nx\0y\n")) == [{"a": "x\0y"}]
    path = written(tmp_path, "a.jsonl", b'{"a": "x\0y"}\n{"a": "1"}\n\0\0\n')
    assert [problem.split(": ")[1:3] for problem in problems(path)] == [
        ["column 9", "not JSON"],
        ["column 1", "not JSON"],
    ]
    assert values(path) == [{"a": "1"}]


def test_the_line_of_a_csv_row_is_where_the_row_begins(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", 'id,text\n1,"two\r\nlines"\n2,b\n')
    rows = [row for row in read(path) if isinstance(row, Row)]
    assert [row.where.rpartition(":")[2] for row in rows] == ["2", "4"]
    assert rows[0].values["text"] == "two\r\nlines"


def test_a_csv_row_of_the_wrong_width_and_a_lone_quote_are_named(tmp_path: Path) -> None:
    found = problems(written(tmp_path, "a.csv", 'id,text\n1,2,3\n2,b\n3,"open'))
    assert "a.csv:2: 3 cells; the header has 2 columns" in found[0]
    assert "not CSV" in found[1]


def test_an_empty_csv_is_called_empty(tmp_path: Path) -> None:
    with pytest.raises(StudyProblem, match="the file is empty"):
        list(read(written(tmp_path, "a.csv", "")))


@pytest.mark.parametrize("header", ["\n", "id,id\n1,2\n"])
def test_a_csv_needs_a_header_that_names_each_column_once(tmp_path: Path, header: str) -> None:
    with pytest.raises(StudyProblem, match="no header"):
        list(read(written(tmp_path, "a.csv", header)))


def test_tab_separated_files_are_read(tmp_path: Path) -> None:
    assert values(written(tmp_path, "a.tsv", "id\ttext\n1\ta,b\n")) == [{"id": "1", "text": "a,b"}]


def test_parquet_values_become_what_a_person_would_write(tmp_path: Path) -> None:
    table = pa.table({"i": [7], "f": [1.5], "b": [True], "n": pa.nulls(1), "l": [["x", None]], "s": [{"a": 1}]})
    pq.write_table(table, tmp_path / "a.parquet")
    expected = {"i": "7", "f": "1.5", "b": True, "n": None, "l": ["x", None], "s": {"a": "1"}}
    assert values(tmp_path / "a.parquet") == [expected]


SPOILT = "a list<element: string> that cannot be read (column 't')"


def test_a_list_of_parquet_texts_that_are_none_is_no_traceback(tmp_path: Path) -> None:
    # Arrow itself takes any bytes for text.
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"x", b"\xff"]).buffers())
    pq.write_table(pa.table({"t": pa.ListArray.from_arrays([0, 1, 2], bad)}), tmp_path / "a.parquet")
    assert {kind_of(row["t"]) for row in values(tmp_path / "a.parquet")} <= {"a list", SPOILT}


def test_parquet_bytes_are_text_or_not_to_be_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"t": ["é".encode(), b"\xff"]}), tmp_path / "a.parquet")
    good, bad = values(tmp_path / "a.parquet")
    assert good == {"t": "é"}
    assert kind_of(bad["t"]).startswith("bytes that are not UTF-8 (column 't'")


def test_whole_numbers_that_pandas_made_floats_are_whole_again(tmp_path: Path) -> None:
    columns = {
        "C": pa.array([1.0, None, 0.0], pa.float64()),
        "run": pa.array([2.0, float("nan"), -3.0], pa.float32()),
        "share": pa.array([0.1, 1e20, 0.25], pa.float32()),
        "score": pa.array([0.1, 1e300, 2.5], pa.float64()),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    rows = values(tmp_path / "a.parquet")
    assert [row["C"] for row in rows] == ["1", None, "0"]
    assert [row["run"] for row in rows] == ["2", None, "-3"]
    assert [row["share"] for row in rows] == ["0.1", "1e+20", "0.25"]
    assert [row["score"] for row in rows] == ["0.1", "1e+300", "2.5"]


ODD = {
    "photo": pa.array([b"\x89PNG\xff"], pa.binary()),
    "seen": pa.array([0], pa.timestamp("us", tz="Nowhere/At_All")),
    "born": pa.array([2**62], pa.int64()).cast(pa.date64(), safe=False),
}


@pytest.mark.parametrize("name", ODD)
def test_a_column_that_nobody_asks_for_refuses_nothing(tmp_path: Path, name: str) -> None:
    pq.write_table(pa.table({"t": ["x"], name: ODD[name]}), tmp_path / "a.parquet")
    (row,) = values(tmp_path / "a.parquet")
    assert row["t"] == "x"
    assert f"column {name!r}" in kind_of(row[name])


def test_a_column_that_is_asked_for_and_cannot_be_read_is_named(tmp_path: Path) -> None:
    columns = {"task_id": ["t1"], "question": ["Which?"], "gold_answer": pa.array([b"\xff"]), "regime": ["r"]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    study = init_study(tmp_path / "study")
    with pytest.raises(
        StudyProblem, match=r"row 1: field 'gold_answer': found bytes that are not UTF-8 \(column 'gold"
    ):
        import_file(study, "tasks", tmp_path / "a.parquet", [Mapping()])


def test_times_of_day_keep_their_nanoseconds(tmp_path: Path) -> None:
    pq.write_table(pa.table({"t": pa.array([3_661_000_000_001], pa.time64("ns"))}), tmp_path / "a.parquet")
    assert values(tmp_path / "a.parquet") == [{"t": "01:01:01.000000001"}]


@pytest.mark.parametrize("damage", [lambda whole: b"", lambda whole: b"PAR1", lambda whole: whole[: len(whole) // 2]])
def test_a_damaged_parquet_file_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    pq.write_table(pa.table({"t": ["x"] * 1000}), tmp_path / "whole.parquet")
    path = written(tmp_path, "a.parquet", damage((tmp_path / "whole.parquet").read_bytes()))
    with pytest.raises(StudyProblem, match="not a whole Parquet file"):
        list(read(path))


def test_damage_in_the_middle_of_a_parquet_file_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"t": [str(n) * 50 for n in range(2000)]}), tmp_path / "whole.parquet")
    whole = bytearray((tmp_path / "whole.parquet").read_bytes())
    whole[100:400] = b"\x00" * 300
    with pytest.raises(StudyProblem, match=r"a\.parquet"):
        list(read(written(tmp_path, "a.parquet", bytes(whole))))


@pytest.mark.parametrize(("name", "sentence"), [("a.xlsx", "unknown format"), ("gone.csv", "No such file")])
def test_unknown_and_missing_files_are_one_sentence(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(StudyProblem, match=sentence):
        list(read(tmp_path / name))


def test_a_json_file_is_a_list_of_objects_with_the_line_of_each(tmp_path: Path) -> None:
    path = written(tmp_path, "a.json", '\ufeff [\n {"a": 1e5,\n  "b": "x\ufeff"},\n 7, {"a": "2"}\n]\n')
    assert values(path) == [{"a": "1e5", "b": "x\ufeff"}, {"a": "2"}]
    assert [row.where.rpartition(":")[2] for row in read(path)] == ["2", "4", "4"]
    assert "a.json:4: found a single value" in problems(path)[0]


def test_a_json_file_that_is_one_object_is_one_row(tmp_path: Path) -> None:
    assert values(written(tmp_path, "a.json", '{"a": null}\n')) == [{"a": None}]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('[{"a": 1}', "has no end here"),
        ('[{"a": 1}\n{"a": 2}]', "a.json:2: not JSON: the list has no end here"),
        ('[\n{"a": 1},\n{"a": }]', "a.json:3: column 7: not JSON"),
        ('[{"a": 1}] x', "more after the end"),
        ('{"a": 1}\n{"a": 2}', "name it .jsonl"),
        ("7", "found a single value"),
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_json_files_that_are_no_list_of_objects_are_told(tmp_path: Path, content: str, sentence: str) -> None:
    assert sentence in problems(written(tmp_path, "a.json", content))[-1]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_a_field_that_stands_twice_in_one_object_is_a_problem_and_not_the_last_one(tmp_path: Path, name: str) -> None:
    one = '{"a": "1", "b": [{"a": "2", "a": "3"}]}'
    [problem] = problems(written(tmp_path, name, one if name == "a.jsonl" else f"[{one}]"))
    assert f"{name}:1: field 'a' stands twice in one object; give it once" in problem


def test_an_empty_json_file_is_called_empty(tmp_path: Path) -> None:
    with pytest.raises(StudyProblem, match="the file is empty"):
        list(read(written(tmp_path, "a.json", " \n")))


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.tsv", "a.parquet"])
def test_packed_files_are_read_as_what_they_hold(tmp_path: Path, name: str) -> None:
    pq.write_table(pa.table({"a": ["007"]}), tmp_path / "a.parquet")
    plain = {"a.jsonl": '{"a": "007"}', "a.json": '[{"a": "007"}]', "a.csv": "a\n007", "a.tsv": "a\n007\n"}
    content = plain[name].encode() if name in plain else (tmp_path / name).read_bytes()
    assert values(written(tmp_path, name.upper() + ".GZ", gzip.compress(content))) == [{"a": "007"}]


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", gzip.compress(b'{"a": "1"}\n' * 999, mtime=0)[:60]], ids=["empty", "other", "cut"]
)
def test_a_damaged_gzip_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, "a.jsonl.gz", content)
    if not content:
        assert values(path) == []
        return
    with pytest.raises(StudyProblem, match=r"a\.jsonl\.gz: not a whole gzip file"):
        list(read(path))


def test_a_folder_and_a_pattern_are_read_in_the_order_of_names(tmp_path: Path) -> None:
    folder = tmp_path / "study [2]"
    (folder / "sub").mkdir(parents=True)
    for name in ("b.jsonl", "a.csv", "README.md", ".hidden.jsonl", "sub/c.jsonl"):
        (folder / name).write_text("a\na.csv\n" if name == "a.csv" else json.dumps({"a": name}) + "\n")
    assert values(folder) == [{"a": "a.csv"}, {"a": "b.jsonl"}]
    assert values(tmp_path / "*" / "**" / "*.jsonl") == [{"a": "b.jsonl"}, {"a": "sub/c.jsonl"}]


@pytest.mark.parametrize("pattern", ["*.csv", "empty", "nothing/*.jsonl"])
def test_a_folder_or_a_pattern_without_a_file_to_read_is_told(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(StudyProblem, match="no file to read there"):
        list(read(tmp_path / pattern))


def test_reading_goes_on_after_a_row_with_a_wrong_quote(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", 'id,text\n1,"a"b\n2,c\n3,"d" \n4,e\n')
    assert [row["id"] for row in values(path)] == ["2", "4"]
    assert [problem.split(":")[1] for problem in problems(path)] == ["2", "4"]


def test_progress_is_told_and_never_goes_back(tmp_path: Path) -> None:
    # Random digits, so that packing does not make one piece of it.
    lines = "".join(json.dumps({"a": Random(n).randbytes(60).hex()}) + "\n" for n in range(2000))
    written(tmp_path, "a.jsonl", lines)
    written(tmp_path, "b.jsonl.gz", gzip.compress(lines.encode()))
    written(tmp_path, "c.json", json.dumps([{"a": "x"}] * 2000))
    pq.write_table(pa.table({"a": ["x"] * 2000}), tmp_path / "d.parquet")
    shares: list[float] = []
    assert len(list(read(tmp_path, shares.append))) == 8000
    assert len(shares) == 8
    assert shares == sorted(shares)
    assert [int(share * 4) for share in shares[::2]] == [0, 1, 2, 3]
    assert shares[-1] == 1


def test_times_of_parquet_finer_than_microseconds_are_texts(tmp_path: Path) -> None:
    pq.write_table(pa.table({"t": pa.array([1], pa.timestamp("ns"))}), tmp_path / "a.parquet")
    assert values(tmp_path / "a.parquet") == [{"t": "1970-01-01 00:00:00.000000001"}]


def test_a_parquet_file_with_a_column_twice_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_arrays([pa.array(["x"]), pa.array(["y"])], ["a", "a"]), tmp_path / "a.parquet")
    with pytest.raises(StudyProblem, match="columns given twice: a"):
        list(read(tmp_path / "a.parquet"))


def test_a_file_that_is_no_text_is_told_what_it_is(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["1"]}), tmp_path / "table.jsonl")
    packed = gzip.compress(b'{"a": "1"}\n')
    told = {
        written(tmp_path, "a.jsonl", packed): "not JSONL but gzip; let its name end in .gz",
        written(tmp_path, "a.json.gz", gzip.compress(packed)): r"not JSON but gzip; .* unpack it \(once more\)",
        written(tmp_path, "a.csv", b"PK\x03\x04..."): "not CSV but zip; unpack it",
        tmp_path / "table.jsonl": "not JSONL but Parquet; let its name end in .parquet",
    }
    for path, message in told.items():
        with pytest.raises(StudyProblem, match=message):
            values(path)
    assert values(written(tmp_path, "b.csv", "PAR1,PK\nx,y\n")) == [{"PAR1": "x", "PK": "y"}]


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    for path in (tmp_path / "pipe.jsonl", tmp_path / "folder.jsonl" / "..", tmp_path):
        with pytest.raises(StudyProblem, match="is no file"):
            values(path)


@pytest.mark.parametrize(
    ("name", "mark", "said"),
    [("a.csv", ";", "semicolons"), ("a.csv", "\t", "tabs"), ("a.csv", "|", "bars"), ("a.tsv", ",", "commas")],
)
def test_another_separator_is_told(tmp_path: Path, name: str, mark: str, said: str) -> None:
    path = written(tmp_path, name, f"id{mark}text\n1{mark}x\n")
    with pytest.raises(StudyProblem, match=f"{name}:1: one column, .*it seems to have {said} between its columns"):
        values(path)
