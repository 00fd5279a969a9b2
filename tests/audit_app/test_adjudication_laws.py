"""What holds of adjudication whatever people answer, and in whatever order adjudicators come and go."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit_app.actions import adjudicating
from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.raters import agreement
from audit_app.actions.results import metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from data.store import people
from data.store.connection import Store, open_store
from data.study import Study, open_study
from data.views import FINAL_ONCE_SHOWN

TASKS, CONDITIONS, MODELS = 2, ("clean", "evidence_absence"), ("wren", "larch")
ITEMS = [f"t{n:02}.{c}.{m}.baseline" for n in range(TASKS) for c in CONDITIONS for m in MODELS]
VALUES = {"D": "10", "A": "10", "G": ("established", "contradicted", "partly", "not_supported"), "C": "10"}
PASSES = {"evidence": ("D", "A", "G"), "correctness": ("C",)}
ADJUDICATORS = ("ann", "yan", "zoe")
"""Ann has labelled as well."""


@pytest.fixture(scope="module")
def drawn(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    made: Study = build_study(
        tmp_path_factory.mktemp("drawn"), grid(TASKS, conditions=CONDITIONS, models=MODELS), list(VALUES)
    )
    draw_sample(made, Plan(size=None, overlap=1.0, seed=3))
    unseal(made, "a test")
    for who in ADJUDICATORS:
        add_person(made, who, person_id=who, role="adjudicator")
    return made


@st.composite
def labels(draw: st.DrawFn) -> list[dict[str, Any]]:
    """What two people answered: whole passes of items, some left out."""
    rows = []
    for who in ("ann", "ben"):
        for item in ITEMS:
            for names in PASSES.values():
                if draw(st.integers(0, 9)) < 9:
                    rows += [{"item_id": item, "item_kind": "response", "person_id": who, "label": name,
                              "value": draw(st.sampled_from(VALUES[name]))} for name in names]  # fmt: skip
    return rows


STEPS = ("go on", "go on", "go on", "give back", "lapse")
visits = st.lists(st.tuples(st.sampled_from(ADJUDICATORS), st.sampled_from(STEPS)), min_size=20, max_size=60)


def visit(study: Study, who: str, what: str) -> None:
    """One step of an adjudicator."""
    with open_store(study) as store:
        person = people.find(store, who)
        assert person is not None
        if what == "lapse":
            store.change("UPDATE assignment SET lease_until = '2000' WHERE purpose = ?", ["adjudication"])
            return
    view = adjudicating.next_case(study, person)
    if view["state"] != "view":
        return
    sent = {"assignment_id": view["assignment_id"], "label": view["label"]["name"],
            "value": view["label"]["values"][0]["value"], "client_seq": view["client_seq"]}  # fmt: skip
    if what == "give back":
        adjudicating.vote(study, person, {**sent, "label": "skip", "comment": "conflict of interest"})
    elif view["case"]["stage"] == "vote":
        adjudicating.vote(study, person, sent)
    else:
        adjudicating.decide(study, person, {**sent, "reason": "so", "cause": "slip"})


def copied(drawn: Study, folder: str, rows: list[dict[str, Any]]) -> Study:
    study = open_study(Path(shutil.copytree(drawn.path, Path(folder) / "study")))
    if rows:
        path = Path(folder) / "labels.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        import_records(study, "labels", path)
    return study


def exposures(store: Store) -> Iterator[tuple[str, str, str, str, set[str]]]:
    for row in store.rows(
        "SELECT e.person_id, e.view, e.fields, a.item_id, a.task_id FROM exposure AS e "
        "JOIN assignment AS a USING (assignment_id) ORDER BY e.rowid"
    ):
        yield row["person_id"], row["view"], row["item_id"], row["task_id"], set(json.loads(row["fields"]))


@settings(max_examples=12)
@given(rows=labels(), steps=visits)
def test_nobody_decides_what_they_labelled_nor_grounding_after_the_reference_answer(
    drawn: Study, rows: list[dict[str, Any]], steps: list[tuple[str, str]]
) -> None:
    with TemporaryDirectory() as folder:
        study = copied(drawn, folder, rows)
        for who, what in steps:
            visit(study, who, what)
        labelled = {(row["person_id"], row["item_id"]) for row in rows}
        with open_store(study) as store:
            gold: set[tuple[str, str]] = set()
            for who, view, item, task, fields in exposures(store):
                assert (who, item) not in labelled
                assert (who, task) not in gold or "gold_answer" not in FINAL_ONCE_SHOWN.get(view, frozenset())
                if "gold_answer" in fields:
                    gold.add((who, task))
            decided = store.rows("SELECT person_id, item_id, label, count(*) AS n FROM resolution "
                                 "GROUP BY item_id, label")  # fmt: skip
        assert all((row["person_id"], row["item_id"]) not in labelled and row["n"] == 1 for row in decided)


@settings(max_examples=10)
@given(rows=labels(), steps=visits)
def test_no_reference_answer_is_shown_while_grounding_is_owed(
    drawn: Study, rows: list[dict[str, Any]], steps: list[tuple[str, str]]
) -> None:
    with TemporaryDirectory() as folder:
        study = copied(drawn, folder, rows)
        labelled = {(row["person_id"], row["item_id"]) for row in rows}
        for who, what in steps:
            with open_store(study) as store:
                before = {(row[0], row[3]) for row in exposures(store) if "gold_answer" in row[4]}
                owed = left(store, who, labelled)
            visit(study, who, what)
            with open_store(study) as store:
                after = {(row[0], row[3]) for row in exposures(store) if "gold_answer" in row[4]}
                owed &= left(store, who, labelled)
            assert {task for person, task in after - before if person == who}.isdisjoint(owed)


def left(store: Store, who: str, labelled: set[tuple[str, str]]) -> set[str]:
    """Tasks with evidence that two people differ on, undecided, and that this person neither labelled nor gave back."""
    rows = store.rows(
        "SELECT a.task_id, a.item_id FROM current_label AS l JOIN assignment AS a USING (assignment_id) "
        "WHERE a.purpose = 'plan' AND a.pass = 'evidence' AND NOT EXISTS (SELECT 1 FROM resolution AS r "
        "WHERE r.item_id = a.item_id AND r.label = l.label) AND NOT EXISTS (SELECT 1 FROM assignment AS g "
        "WHERE g.item_id = a.item_id AND g.pass = a.pass AND g.purpose = 'adjudication' AND g.state = 'skipped' "
        "AND g.person_id = ?) GROUP BY a.item_id, l.label HAVING count(DISTINCT l.value) > 1",
        [who],
    )
    return {row["task_id"] for row in rows if (who, row["item_id"]) not in labelled}


@settings(max_examples=6)
@given(rows=labels(), steps=visits)
def test_adjudication_changes_no_coefficient_and_no_number_of_target_a(
    drawn: Study, rows: list[dict[str, Any]], steps: list[tuple[str, str]]
) -> None:
    with TemporaryDirectory() as folder:
        study = copied(drawn, folder, rows)
        before = originals(study)
        for who, what in steps:
            visit(study, who, what)
        assert originals(study) == before


def originals(study: Study) -> tuple[Any, Any, Any]:
    """Everything that is computed on the answers as they were given."""
    with open_store(study) as store:
        answers = store.rows("SELECT l.* FROM label_event AS l JOIN assignment AS a USING (assignment_id) "
                             "WHERE a.purpose = 'plan' ORDER BY event_id")  # fmt: skip
    numbers = [e.as_dict() for e in metrics(study, target="A", floor=2).estimates]
    return answers, numbers, agreement(study, every=True).labels
