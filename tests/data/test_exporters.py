import csv
import json
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.exporters import COLUMNS, as_csv, as_jsonl


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text, newline=""), strict=True))


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(comment=TEXTS, value=TEXTS)
@settings(max_examples=60)
def test_texts_survive_both_forms(comment: str, value: str) -> None:
    row = {"item_id": "007", "comment": comment, "value": value, "stratum_size": 12, "inclusion_probability": 0.1}
    (back,) = read("".join(as_csv([row])))
    assert (back["item_id"], back["comment"], back["value"]) == ("007", comment, value)
    assert (back["stratum_size"], back["inclusion_probability"]) == ("12", "0.1")
    assert json.loads("".join(as_jsonl([row]))) == {**dict.fromkeys(COLUMNS), **row}


@pytest.mark.parametrize("comment", ["a\rb", "a\nb", "a\r\nb", 'a"b', "a,b", "\r", " a "])
def test_cells_with_marks_are_quoted(comment: str) -> None:
    (back,) = read("".join(as_csv([{"comment": comment}])))
    assert back["comment"] == comment


def test_every_column_is_there_whatever_the_rows_have() -> None:
    assert "".join(as_csv([])).strip().split(",") == list(COLUMNS)
    assert "".join(as_jsonl([])) == ""
    assert list(json.loads("".join(as_jsonl([{"nonsense": 1}])))) == list(COLUMNS)


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", '=HYPERLINK("http://x.example")'])
def test_excel_gets_no_formula_and_everybody_else_the_text(cell: str) -> None:
    rows = [{"comment": cell, "value": "1"}]
    excel = "".join(as_csv(rows, excel=True))
    assert excel.startswith("\ufeff")
    (back,) = read(excel[1:])
    assert (back["comment"], back["value"]) == (f"'{cell}", "1")
    assert read("".join(as_csv(rows)))[0]["comment"] == cell
    assert not "".join(as_csv(rows)).startswith("\ufeff")
