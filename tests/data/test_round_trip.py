"""Import, study, export, import: every value comes back byte for byte, whatever it looks like."""

import gzip
import json
from collections.abc import Mapping as Map
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.checks import likeness
from data.exporters import as_csv, as_jsonl
from data.importers import import_file
from data.mapping import Mapping
from data.parsing import without_marks
from data.study import Study, init_study
from data.texts import everything, schema

KINDS = ("tasks", "contexts", "responses", "verdicts")

ODD = [
    "007", "1e5", "1.0", "NA", "null", "None", "nan", "true", "=1+1", "@x", "'", '"', '""', 'a "quoted, text',
    "two\nlines", "two\r\nlines", "one\rtwo", "\r", "\n", " padded ", "\t", "\ufeffBOM", "NUL\x00inside", "\x00",
    "zero\u200bwidth\u200d", "\u202eright to left\u202c", "GrÃ¼nsee", "e\u0301 combining", "é composed",
    "👩\u200d👩\u200d👧", "\u2028\u2029\x85", "[1]", "[no", "{}", "\\n", "\x1f", "\ufffd", "加盟国", '["a"]', "['a']",
]  # fmt: skip
"""Each has been changed on its way by some tool."""

texts = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.lists(st.sampled_from(ODD), max_size=3).map("".join),
)
given_texts = texts.filter(bool)
maybe = st.none() | given_texts
seen_texts = texts.filter(without_marks)
ids = st.lists(seen_texts, min_size=1, max_size=3, unique_by=lambda text: likeness((text,)))


def _passage_id(passage: dict[str, Any]) -> str:
    return str(passage["passage_id"])


def passage() -> st.SearchStrategy[dict[str, Any]]:
    named = {name: st.none() | texts for name in ("title", "url", "publisher", "source_type")}
    return st.fixed_dictionaries({
        "passage_id": seen_texts, "rank": st.integers(1, 9), **named, "text": texts,
        "supports": st.sampled_from([None, "gold", "wrong", "neither"]),
    })  # fmt: skip


@st.composite
def studies(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    tasks, contexts, responses = draw(ids), draw(ids), draw(ids)
    label = st.sampled_from([None, 0, 1])
    return {
        "tasks": [{"task_id": name, "regime": None, "question": draw(texts), "gold_answer": draw(maybe),
                   "gold_aliases": draw(st.lists(texts, max_size=3))} for name in tasks],
        "contexts": [{"context_id": name, "task_id": draw(st.sampled_from(tasks)), "condition": None,
                      "passages": draw(st.lists(passage(), max_size=3, unique_by=_passage_id))} for name in contexts],
        "responses": [{"response_id": name, "context_id": draw(st.sampled_from(contexts)), "task_id": None,
                       "model": draw(maybe), "prompt": draw(maybe), "run": draw(maybe), "text": draw(texts)}
                      for name in responses],
        "verdicts": [{**dict.fromkeys(schema("verdicts").names), "response_id": name, "judge": draw(seen_texts),
                      "judge_model": draw(maybe), **{letter: draw(label) for letter in "CAGD"},
                      "evidence": draw(st.lists(texts, max_size=3)), "rationale": draw(maybe)} for name in responses],
    }  # fmt: skip


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    text = (
        json.dumps(rows, ensure_ascii=False, indent=1)
        if ".json" in path.suffixes
        else "".join(json.dumps(row, ensure_ascii=len(rows) % 2 == 0) + "\n" for row in rows)
    )
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def imported(folder: Path, files: Map[str, Path]) -> Study:
    study = init_study(folder)
    for kind in KINDS:
        import_file(study, kind, files[kind], [Mapping()])
    return study


def stored(study: Study) -> dict[str, list[dict[str, Any]]]:
    return {kind: list(everything(study, kind)) for kind in KINDS}


def exported(study: Study, folder: Path, suffix: str) -> dict[str, Path]:
    files = {}
    for kind in KINDS:
        export = as_csv if suffix == ".csv" else as_jsonl
        lines = export(everything(study, kind), columns=schema(kind).names)
        files[kind] = folder / f"{kind}{suffix}"
        files[kind].write_bytes("".join(lines).encode())
    return files


def there_and_back(folder: Path, rows: dict[str, list[dict[str, Any]]], given_as: str, taken_as: str) -> None:
    first = imported(folder / "first", {kind: write(folder / f"{kind}{given_as}", rows[kind]) for kind in KINDS})
    assert stored(first) == rows
    (folder / "out").mkdir()
    second = imported(folder / "second", exported(first, folder / "out", taken_as))
    assert stored(second) == rows


@given(studies(), st.sampled_from([".jsonl", ".json", ".json.gz"]), st.sampled_from([".csv", ".jsonl"]))
@settings(max_examples=60)
def test_everything_comes_back_byte_for_byte(
    rows: dict[str, list[dict[str, Any]]], given_as: str, taken_as: str
) -> None:
    with TemporaryDirectory() as folder:
        there_and_back(Path(folder), rows, given_as, taken_as)


@pytest.mark.parametrize("taken_as", [".csv", ".jsonl"])
def test_every_odd_text_in_every_field_and_a_passage_of_200_000_characters(tmp_path: Path, taken_as: str) -> None:
    long = "".join(ODD) * (200_000 // len("".join(ODD)) + 1)
    names = {name: name for name in ("title", "url", "publisher", "source_type")}
    passages = [
        {"passage_id": f"{n}{text}", "rank": n, **dict.fromkeys(names, text), "text": text, "supports": None}
        for n, text in enumerate([*ODD, long[:200_000]], 1)
    ]
    nothing = dict.fromkeys(schema("verdicts").names)
    rows: dict[str, list[dict[str, Any]]] = {
        "tasks": [{"task_id": "t", "regime": None, "question": long, "gold_answer": "NA", "gold_aliases": ODD}],
        "contexts": [{"context_id": "c", "task_id": "t", "condition": None, "passages": passages}],
        "responses": [{"response_id": f"{n}", "context_id": "c", "task_id": None, "model": text, "prompt": text,
                       "run": text, "text": text} for n, text in enumerate(ODD)],
        "verdicts": [{**nothing, "response_id": "0", "judge": text + str(n), "evidence": ODD, "rationale": text}
                     for n, text in enumerate(ODD)],
    }  # fmt: skip
    there_and_back(tmp_path, rows, ".jsonl", taken_as)
