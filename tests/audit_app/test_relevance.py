"""Relevance labels of passages, as metrics of retrieval take them."""

import csv
import io
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.relevance import relevance
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.study import Study


@pytest.fixture
def study(grid: Any, study_from: Any, give_labels: Any) -> Study:
    made: Study = study_from({**grid(2), "responses": [], "verdicts": []})
    draw_sample(made, Plan(size=4, people=3, overlap=1))

    def row(item: str, person: str, label: str, value: str, **more: Any) -> dict[str, Any]:
        return {"item_id": item, "item_kind": "context", "person_id": person, "label": label, "value": value, **more}

    said = {"supports.1": ("gold", "gold", "wrong"), "supports.2": ("gold", "wrong", "neither")}
    give_labels(made, [row("t00.clean", person, label, value) for label, values in said.items()
                       for person, value in zip(("ann", "ben", "cat"), values, strict=True)])  # fmt: skip
    give_labels(made, [row("t01.clean", "ann", "supports.1", "neither"),
                       row("t01.clean", "ann", "supports.2", "cannot_judge"),
                       row("t01.clean", "ben", "supports.1", "gold", purpose="repeat", occasion=2)])  # fmt: skip
    return made


def test_each_labelled_passage_has_its_label_and_agreement(study: Study, give_labels: Any) -> None:
    found = [tuple(row[name] for name in ("context_id", "passage", "supports", "relevant", "how", "n_people",
                                          "agreement")) for row in relevance(study)]  # fmt: skip
    assert found == [
        ("t00.clean", 1, "gold", 1, "majority", 3, 0.3333),
        ("t00.clean", 2, None, None, "open", 3, 0.0),
        ("t01.clean", 1, "neither", 0, "one person", 1, None),
    ]
    assert relevance(study)[0]["passage_id"]
    give_labels(study, [{"item_id": "t00.clean", "item_kind": "context", "person_id": "dan", "label": "supports.2",
                         "value": "wrong", "purpose": "adjudication"}])  # fmt: skip
    assert (relevance(study)[1]["supports"], relevance(study)[1]["how"]) == ("wrong", "adjudicated")


def test_the_command_writes_them(study: Study) -> None:
    def run(*args: str) -> Any:
        return CliRunner().invoke(cli, ["export", "relevance", "--study", str(study.path), *args])

    rows = list(csv.DictReader(io.StringIO(run().stdout)))
    assert [row["relevant"] for row in rows] == ["1", "", "0"]
    assert "agreement: share of the pairs" in run("--columns").stdout
