"""Looking back at one's own decisions: each with the view, the vote, what everybody said, and why it was so decided."""

from typing import Any

from audit_app.actions.answers import Refused
from audit_app.actions.cases import in_order
from audit_app.actions.looking_back import AT_MOST, OPENING
from audit_app.actions.revealing import revealed
from audit_app.actions.showing import in_words, shown
from audit_app.actions.turns import tag
from audit_app.language import _, mark
from data.records import CANNOT_JUDGE, Assignment, Person
from data.store import adjudications, assignments, events, items
from data.store.connection import Store, open_store
from data.study import Study

FOR_GOOD = mark("Decisions are not changed: the answers and what was decided on them stand side by side.")


def decision_before(
    study: Study, person: Person, assignment_id: str | None, label: str | None, *, before: bool
) -> dict[str, Any]:
    """One decision of this person, as they had it before them, logged as shown.

    Args:
        study: The study.
        person: Who looks back.
        assignment_id: In which of their cases; None for the last one.
        label: On which label; None for the last one of the case.
        before: The decision before that one; of a case that is not decided yet, the last one.

    Raises:
        Refused: 404, they decided nothing there, or its label is not asked any more.
    """
    with open_store(study) as store, store.transaction():
        mine = _known(study, adjudications.decisions_of(store, person.person_id))
        there = [n for n, row in enumerate(mine) if assignment_id in (None, row["assignment_id"])
                 and label in (None, row["label"])]  # fmt: skip
        place = (there[-1] if there else len(mine)) - 1 if before else (there[-1] if there else -1)
        if place < 0:
            raise Refused(404, _("There is nothing before this that you decided here."))
        return _shown(store, study, person, mine[place], mine)


def _known(study: Study, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["label"].partition(".")[0] in study.rubric.names()]


def _shown(
    store: Store, study: Study, person: Person, row: dict[str, Any], mine: list[dict[str, Any]]
) -> dict[str, Any]:
    assignment = assignments.of_row(assignments.row_of(store, row["assignment_id"]))
    item, label = items.load(store, assignment.item_kind, assignment.item_id), row["label"]
    steps = sorted({one["label"] for one in mine if one["assignment_id"] == row["assignment_id"]},
                   key=lambda name: in_order(study.rubric, name))  # fmt: skip
    question = study.rubric[label]
    many = question.kind == "many" and row["value"] != CANNOT_JUDGE
    answered = events.current(store, assignment.assignment_id)
    return {
        **shown(store, study, person, assignment, item, label, steps, answered),
        "case": {"stage": "decided", **revealed(store, study, person, assignment, label, None), "cause": row["cause"]},
        "review": {
            "value": question.codes(row["value"]) if many else row["value"],
            "comment": row["reason"],
            "evidence": [],
            "given_at": row["created_at"],
            "final": _(FOR_GOOD),
            "slips": [],
        },
    }


def my_decisions(study: Study, person: Person) -> dict[str, Any]:
    """What this person has decided, the newest first, shaped as `looking_back.my_items` is."""
    with open_store(study) as store:
        mine = _known(study, adjudications.decisions_of(store, person.person_id))
        cases = list(dict.fromkeys(row["assignment_id"] for row in reversed(mine)))
        found = [
            _entry(store, study, case, [row for row in mine if row["assignment_id"] == case])
            for case in cases[:AT_MOST]
        ]
        return {"who": tag(person), "items": found, "n": len(cases)}


def _entry(store: Store, study: Study, assignment_id: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    assignment = assignments.of_row(assignments.row_of(store, assignment_id))
    item = items.load(store, assignment.item_kind, assignment.item_id)
    text = item.response.text if item.response else item.task.question
    return {
        "assignment_id": assignment_id,
        "pass": assignment.pass_,
        "state": assignment.state,
        "reason": assignment.reason,
        "finished_at": rows[-1]["created_at"],
        "opening": text[:OPENING],
        "flags": [],
        "answers": [_answer(study, assignment, row) for row in rows],
    }


def _answer(study: Study, assignment: Assignment, row: dict[str, Any]) -> dict[str, Any]:
    question, passage = study.rubric[row["label"]], row["label"].partition(".")[2]
    return {
        "label": row["label"],
        "title": question.title,
        "passage": int(passage) if passage else None,
        "text": in_words(question, row["value"]),
        "final": _(FOR_GOOD),
        "slips": [],
        "reason": row["reason"],
        "cause": _(row["cause"]),
    }
