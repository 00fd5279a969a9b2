"""What may still be changed, what is final, and what becomes of slips and flags."""

import json
from typing import Any

import pytest

from audit_app.actions.answers import Refused
from audit_app.actions.exporting import exported
from audit_app.actions.flagging import flag
from audit_app.actions.labelling import renew
from audit_app.actions.looking_back import look_back, my_items
from audit_app.actions.sampling import Plan, draw_sample
from data.rubric import default_text
from data.store import events, flags, people
from data.store.connection import open_store
from data.study import Study, open_study

YES = {"D": "1", "A": "1", "G": "established", "C": "1", "answerable": "established", "supports": "gold",
       "construction_errors": ["other"]}  # fmt: skip


def yes(view: dict[str, Any]) -> Any:
    return YES[view["label"]["name"].split(".")[0]]


@pytest.fixture(scope="module")
def drawn(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Three tasks under one condition, answered twice each, all drawn for one person each."""
    made: Study = build_study(
        tmp_path_factory.mktemp("drawn"), grid(3, conditions=("clean",), models=("wren", "larch"))
    )
    draw_sample(made, Plan(size=None, overlap=0))
    return made


@pytest.fixture
def study(drawn: Study, copy_of: Any) -> Study:
    copy: Study = copy_of(drawn)
    return copy


@pytest.fixture
def ann(study: Study, person_in: Any, desk: Any) -> Any:
    return desk(study, person_in(study, "ann"))


def back(desk: Any, view: dict[str, Any] | None = None, *, before: bool = True) -> dict[str, Any]:
    place = (view["assignment_id"], view["label"]["name"]) if view and view["state"] == "view" else (None, None)
    return look_back(desk.study, desk.person, desk.screen, *place, before=before)


def refused(call: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        call()
    assert "\n" not in str(caught.value)
    return caught.value


def final(desk: Any) -> dict[str, str | None]:
    """Why each answer of what was finished last is final."""
    return {a["label"]: a["final"] for a in my_items(desk.study, desk.person, desk.screen)["items"][0]["answers"]}


def test_an_answer_can_be_taken_back_until_the_passages_are_shown(ann: Any) -> None:
    view = ann.answer(ann.view(), "1", comment="said so")["next"]
    assert view["label"]["name"] == "A"
    earlier = back(ann, view)
    assert (earlier["label"]["name"], earlier["client_seq"]) == ("D", 2)
    assert earlier["review"]["final"] is None
    assert (earlier["review"]["value"], earlier["review"]["comment"]) == ("1", "said so")
    assert [artifact["name"] for artifact in earlier["artifacts"]] == ["response"]
    after = ann.answer(earlier, "0", revise=True)
    assert after["next"]["label"]["name"] == "A"
    view = ann.answer(after["next"], "1")["next"]
    assert view["label"]["name"] == "G"
    for name in ("A", "D"):
        earlier = back(ann, view if name == "A" else earlier)
        assert earlier["label"]["name"] == name
        assert earlier["review"]["final"] == "You have seen the supplied context since."
        error = refused(lambda earlier=earlier: ann.answer(earlier, "1", revise=True, comment="another"))
        assert (error.status, "slip" in str(error)) == (409, True)
    assert ann.view()["label"]["name"] == "G"


def test_both_versions_are_kept_and_the_last_one_stands(study: Study, ann: Any) -> None:
    ann.answer(ann.view(), "1", active_seconds=20)
    earlier = back(ann, ann.view())
    first = ann.answer(earlier, "0", revise=True, active_seconds=3)
    assert ann.answer(earlier, "0", revise=True, active_seconds=3)["saved"] == first["saved"]
    with open_store(study) as store:
        kept = store.rows("SELECT label, value FROM label_event ORDER BY event_id")
        assert [tuple(row.values()) for row in kept] == [("D", "1"), ("D", "0")]
        assert events.active_seconds(store, earlier["assignment_id"]) == 23
    (row,) = exported(study)
    assert (row["value"], row["version"], row["active_seconds"]) == ("0", 2, 23)


def test_grounding_stays_open_until_the_reference_answer_is_shown(ann: Any) -> None:
    ann.finish(yes, limit=6)
    view = ann.view()
    assert view["label"]["name"] == "D"
    earlier = back(ann, view)
    assert (earlier["label"]["name"], earlier["review"]["final"]) == ("G", None)
    assert earlier["assignment_id"] != view["assignment_id"]
    quote = {"passage": 1, "start": 0, "end": 7, "text": "passage"}
    after = ann.answer(earlier, "partly", revise=True, evidence=[quote])
    assert after["next"]["assignment_id"] == view["assignment_id"]
    assert back(ann, earlier, before=False)["review"]["evidence"] == [quote]
    # Two items of one context: the passages of the first do not make D of the second final before it is asked.
    assert set(final(ann)) == {"D", "A", "G"}
    assert final(ann)["G"] is None
    rest = ann.finish(yes)
    assert rest[-1]["label"]["name"] == "C"
    grounding = look_back(ann.study, ann.person, "label", earlier["assignment_id"], "G", before=False)
    assert grounding["review"]["final"] == "You have seen the reference answer since."
    assert refused(lambda: ann.answer(grounding, "established", revise=True)).status == 409
    assert final(ann) == {"C": None}


def test_correctness_can_be_revised_when_everything_is_done_and_that_opens_nothing_again(ann: Any) -> None:
    ann.finish(yes)
    last = back(ann)
    assert last["label"]["name"] == "C"
    after = ann.answer(last, "0", revise=True)
    assert after["next"]["state"] == "empty"
    with open_store(ann.study) as store:
        states = store.rows("SELECT DISTINCT state FROM assignment WHERE pass <> 'context'")
        assert states == [{"state": "done"}]


def test_looking_back_goes_item_by_item_to_the_first_answer_ever(ann: Any) -> None:
    seen = [(view["assignment_id"], view["label"]["name"]) for view in ann.finish(yes)]
    walked, view = [], back(ann)
    for _ in seen[1:]:
        walked.append((view["assignment_id"], view["label"]["name"]))
        view = back(ann, view)
    assert [*walked, (view["assignment_id"], view["label"]["name"])] == seen[::-1]
    assert refused(lambda: back(ann, view)).status == 404


def test_looking_back_shows_nothing_that_was_not_shown_before(ann: Any) -> None:
    then = {(v["assignment_id"], v["label"]["name"]): v["artifacts"] for v in ann.finish(yes)}
    for (assignment_id, label), artifacts in then.items():
        again = look_back(ann.study, ann.person, "label", assignment_id, label, before=False)
        assert again["artifacts"] == artifacts


def test_nobody_looks_back_at_what_is_not_theirs_or_was_never_answered(
    study: Study, ann: Any, person_in: Any, desk: Any
) -> None:
    ben, cat = (desk(study, person_in(study, name), screen) for name, screen in (("ben", "label"), ("cat", "context")))
    view = ann.view()
    assert refused(lambda: back(ann, view)).status == 404
    ann.answer(view, "1")
    assert refused(lambda: back(ben, view, before=False)).status == 403
    assert refused(lambda: back(ben, view)).status == 403
    assert refused(lambda: back(ben)).status == 404
    for label in ("A", "G", "C", "nonsense"):
        hidden = {**view, "label": {"name": label}}
        assert refused(lambda hidden=hidden: back(ann, hidden, before=False)).status == 404
    mixed = desk(study, ann.person, "context")
    for before in (False, True):
        assert refused(lambda before=before: back(mixed, view, before=before)).status == 404
    assert my_items(study, cat.person, "context")["items"] == []
    lead = person_in(study, "lead", role="lead")
    assert my_items(study, lead, "label")["items"] == []


def test_what_was_decided_in_adjudication_is_final(study: Study, ann: Any, person_in: Any) -> None:
    ann.finish(yes, limit=3)
    with open_store(study) as store:
        item = store.row("SELECT item_id FROM assignment WHERE state = 'done'")
        assert item
        resolution = {"item_id": item["item_id"], "item_kind": "response", "label": "G", "value": "partly"}
        person_in(study, "judge-of-people", role="adjudicator")
        events.resolve(store, {**resolution, "person_id": "judge-of-people", "resolves": []})
    assert final(ann)["G"] == "It has been decided upon since."


def test_an_answer_under_an_earlier_rubric_is_final(study: Study, ann: Any, desk: Any) -> None:
    ann.finish(yes, limit=3)
    (study.path / "rubric.toml").write_text(default_text() + "\n# another round\n", encoding="utf-8")
    later = desk(open_study(study.path), ann.person)
    assert final(later)["G"] == "It was given under an earlier version of the guidelines."


def test_a_first_showing_is_final_and_hidden_while_the_item_is_there_again(study: Study, ann: Any) -> None:
    (*_, last) = ann.finish(yes, limit=3)
    with open_store(study) as store:
        row = store.row("SELECT * FROM assignment WHERE assignment_id = ?", [last["assignment_id"]])
        assert row
        again = {**row, "assignment_id": "again", "purpose": "repeat", "occasion": 2, "finished_at": None}
        store.insert("assignment", [{**again, "state": "open", "person_id": None}])
    assert final(ann)["G"] is None
    with open_store(study) as store:
        store.change("UPDATE assignment SET state = 'claimed', person_id = 'ann' WHERE assignment_id = 'again'", ())
    assert my_items(study, ann.person, "label")["items"] == []
    earlier = look_back(study, ann.person, "label", last["assignment_id"], "G", before=False)
    assert earlier["review"]["final"] == "You have seen more of this item since."


def test_ones_own_items_say_what_was_answered_in_words(study: Study, ann: Any, desk: Any, person_in: Any) -> None:
    view = ann.view()
    ann.answer(view, "1")
    ann.answer(ann.view(), None, label="skip", comment="broken text: no end")
    ann.finish(yes, limit=3)
    mine = my_items(study, ann.person, "label")
    done, skipped = mine["items"]
    assert [(a["title"], a["text"]) for a in done["answers"]] == [
        ("Discloses", "Yes"), ("Substantive answer", "Yes"), ("Grounded", "Established")
    ]  # fmt: skip
    assert (done["opening"], done["active_seconds"], done["state"]) == ("an answer", 6, "done")
    assert (skipped["state"], skipped["reason"]) == ("skipped", "broken text: no end")
    assert skipped["answers"][0]["final"] == "The item was skipped."
    context = desk(study, person_in(study, "cat", teams=("context",)), "context")
    context.finish(yes, limit=4)
    (entry,) = my_items(study, context.person, "context")["items"]
    assert [(a["passage"], a["text"]) for a in entry["answers"]] == [
        (None, "Established"), (1, "The reference answer"), (2, "The reference answer"), (None, "Something else")
    ]  # fmt: skip
    assert back(context)["review"]["value"] == ["other"]
    everything = json.dumps([mine, entry])
    for secret in ("clean", "wren", "larch", "t00", "t01", "GOLD", "baseline"):
        assert secret not in everything


def say(desk: Any, view: dict[str, Any], said: str, text: str | None, **more: Any) -> dict[str, Any]:
    sent = {"assignment_id": view["assignment_id"], "label": view["label"]["name"], "kind": said, "note": text}
    return flag(desk.study, desk.person, {**sent, **more})


def test_a_slip_keeps_the_first_answer_and_its_note_goes_to_adjudication(study: Study, ann: Any) -> None:
    first = ann.view()
    view = ann.answer(first, "1")["next"]
    assert refused(lambda: say(ann, first, "slip", "I meant no")).status == 409  # it can still be changed
    assert refused(lambda: say(ann, view, "slip", "I meant no")).status == 409  # it was not answered
    ann.answer(view, "1")
    assert refused(lambda: say(ann, first, "slip", "  ")).status == 422
    for _ in range(2):
        assert say(ann, first, "slip", "I meant no")["flagged"]["kind"] == "slip"
    with open_store(study) as store:
        (kept,) = flags.everything(store)
        assert (kept["label"], kept["note"], kept["purpose"], kept["person_id"]) == ("D", "I meant no", "plan", "ann")
        assert events.current(store, first["assignment_id"])["D"].value == "1"
    assert back(ann, first, before=False)["review"]["slips"] == ["I meant no"]
    row = next(row for row in exported(study) if row["label"] == "D")
    assert (row["value"], json.loads(row["flags"])) == ("1", [{"kind": "slip", "note": "I meant no"}])


def test_a_flag_changes_no_status(study: Study, ann: Any) -> None:
    view = ann.view()
    assert view["flags"] == []
    say(ann, view, "flag", None)
    say(ann, view, "flag", "which year?")
    assert ann.view()["flags"] == ["", "which year?"]
    assert ann.view()["assignment_id"] == view["assignment_id"]
    with open_store(study) as store:
        assert store.rows("SELECT state FROM assignment WHERE person_id = 'ann'") == [{"state": "claimed"}]
        assert store.rows("SELECT * FROM label_event") == []
    ann.finish(yes, limit=3)
    say(ann, view, "flag", "now that it is done")
    assert len(my_items(study, ann.person, "label")["items"][0]["flags"]) == 3


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"kind": "praise"}, 422),
        ({"kind": None}, 422),
        ({"label": "nonsense"}, 422),
        ({"label": "answerable"}, 422),
        ({"note": "\ud800"}, 422),
        ({"assignment_id": "nobody"}, 403),
        ({"assignment_id": None}, 403),
        ({"who": "somebody else"}, 409),
    ],
)
def test_what_is_no_flag_is_refused(study: Study, ann: Any, more: dict[str, Any], status: int) -> None:
    view = ann.view()
    assert refused(lambda: say(ann, view, "flag", "why", **more)).status == status
    with open_store(study) as store:
        assert flags.everything(store) == []


@pytest.mark.parametrize("statement", ["UPDATE flag SET note = ''", "DELETE FROM flag"])
def test_what_was_said_can_only_be_added_to(study: Study, ann: Any, statement: str) -> None:
    say(ann, ann.view(), "flag", "why")
    with open_store(study) as store, pytest.raises(Exception, match="flag is append-only"):
        store.change(statement, ())


def test_whoever_has_seen_results_changes_and_says_nothing_more(study: Study, ann: Any, desk: Any) -> None:
    view = ann.view()
    ann.answer(view, "1")
    earlier = back(ann, ann.view())
    with open_store(study) as store:
        store.change("UPDATE person SET results_opened_at = '2026-01-01' WHERE person_id = 'ann'", ())
        person = people.find(store, "ann")
    assert person
    later = desk(study, person)
    for attempt in (
        lambda: later.answer(earlier, "0", revise=True),
        lambda: say(later, view, "flag", "why"),
        lambda: renew(study, person, {"assignment_id": view["assignment_id"]}),
    ):
        assert refused(attempt).status == 403
    assert refused(lambda: back(later, view, before=False)).status == 404
    assert my_items(study, person, "label")["items"] == []
