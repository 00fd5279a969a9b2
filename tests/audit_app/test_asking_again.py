"""Asking finished items again in a new round: of the same people, where still blind; the newest answer counts."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.answered import answered
from audit_app.actions.answers import Refused
from audit_app.actions.asking_again import ask_again, pending, take_back
from audit_app.actions.holdings import holdings, release
from audit_app.actions.labelling import commit
from audit_app.actions.people import revoke
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import read_seal
from audit_app.cli import cli
from data.errors import StudyProblem
from data.migrations import m015_asked_again
from data.store import assignments, events, rounds
from data.store.connection import open_store
from data.study import Study, open_study

FIRST = {"D": "1", "A": "1", "G": "established", "C": "1"}
SECOND = {"D": "0", "A": "0", "G": "not_supported", "C": "0"}
Say = Callable[[dict[str, Any]], str]


def say(said: dict[str, str]) -> Say:
    return lambda view: said[view["label"]["name"]]


def clearer(study: Study) -> Study:
    path = study.path / "rubric.toml"
    path.write_text("# clearer\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    return open_study(study.path)


@pytest.fixture
def study(study_from: Any, grid: Any) -> Study:
    made: Study = study_from(grid(3, conditions=("clean",)))
    draw_sample(made, Plan(size=None, contexts=3, overlap=0))
    return made


def first(study: Study) -> dict[tuple[str, str], str]:
    with open_store(study) as store:
        return dict(answered(store, study.rubric).first)


def test_grounding_is_asked_again_and_the_new_answer_counts(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann", teams=("evidence",))
    assert len(desk(study, ann).finish(say(FIRST))) == 9
    assert ask_again(study).sentence == "Nothing to ask again."
    later = clearer(study)
    found = ask_again(later)
    assert (found.n_labels, found.n_items) == (3, 3)
    assert found.kept == {"whoever gave them has seen the supplied context since": 6}
    assert first(later)["t00.clean.wren.baseline", "G"] == "established", "until the new one is in"
    with open_store(later) as store:
        assert not read_seal(store).is_open
    seen = desk(later, ann).finish(say(SECOND))
    assert [view["label"]["name"] for view in seen] == ["G"] * 3
    assert all(view["rubric_hash"] == later.rubric.hash and view["review"] is None for view in seen)
    assert set(first(later).values()) == {"1", "not_supported"}
    with open_store(later) as store:
        rows = [row for row in events.answers(store, "response") if row["label"]]
        every = store.rows("SELECT label, rubric_hash FROM label_event")
    assert len(rows) == 9
    assert {row["version"] for row in rows if row["label"] == "G"} == {2}
    assert sum(row["rubric_hash"] == study.rubric.hash for row in every) == 9
    assert ask_again(later).n_labels == 0


def test_what_is_no_longer_blind_stays(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann", teams=("evidence", "correctness"))
    desk(study, ann).finish(say(FIRST))
    later = clearer(study)
    found = ask_again(later, ["G", "C"])
    assert found.n_labels == 3, "the three of C"
    assert found.kept == {"whoever gave them has seen the reference answer since": 3}
    assert [view["label"]["name"] for view in desk(later, ann).finish(say(SECOND))] == ["C"] * 3


def test_another_change_lets_what_was_asked_again_rest(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann", teams=("evidence",))
    desk(study, ann).finish(say(FIRST))
    ask_again(clearer(study))
    third = clearer(study)
    assert desk(third, ann).view()["state"] == "empty"
    assert ask_again(third).n_labels == 3


def test_people_who_are_gone_are_not_asked(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann", teams=("evidence",))
    desk(study, ann).finish(say(FIRST))
    revoke(study, "ann")
    found = ask_again(clearer(study))
    assert (found.n_labels, found.kept) == (0, {"they cannot label any more": 9})


def test_skipping_what_is_asked_again_leaves_the_earlier_answers(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann", teams=("evidence",))
    desk(study, ann).finish(say(FIRST))
    later = clearer(study)
    before = first(later)
    ask_again(later, ["G"])
    at_work = desk(later, ann)
    for _ in range(3):
        view = at_work.view()
        sent = {"screen": "label", "assignment_id": view["assignment_id"], "label": "skip",
                "comment": later.rubric.skip_reasons[0], "client_seq": view["client_seq"],
                "active_seconds": 1.0}  # fmt: skip
        saved = commit(later, ann, sent)["saved"]
        assert commit(later, ann, sent)["saved"]["value"] == saved["value"], "sent twice"
    assert at_work.view()["state"] == "empty"
    assert first(later) == before
    with open_store(later) as store:
        assert {(row["state"], row["reason"]) for row in assignments.everything(store) if row["person_id"]} == {
            ("done", later.rubric.skip_reasons[0])
        }


@pytest.mark.parametrize("end", ["revoke", "release"])
def test_asked_again_items_of_somebody_who_is_gone_are_finished(
    study: Study, person_in: Any, desk: Any, end: str
) -> None:
    ann = person_in(study, "ann", teams=("evidence",))
    desk(study, ann).finish(say(FIRST))
    later = clearer(study)
    before = first(later)
    ask_again(later, ["G"])
    held = [one.assignment_id for one in holdings(later).in_hand]
    assert len(held) == 3
    if end == "revoke":
        revoke(later, "ann")
    else:
        for one in held:
            release(later, one)
    with open_store(later) as store:
        rows = [row for row in assignments.everything(store) if row["person_id"]]
    assert {row["state"] for row in rows} == {"done"}
    assert all(row["finished_at"] for row in rows)
    assert not holdings(later).in_hand
    assert first(later) == before


def test_a_second_tab_or_a_late_retry_adds_no_third_answer(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann", teams=("evidence",))
    desk(study, ann).finish(say(FIRST))
    later = clearer(study)
    ask_again(later, ["G"])
    at_work = desk(later, ann)
    view = at_work.view()
    at_work.answer(view, "partly")
    at_work.answer(view, "partly")
    with pytest.raises(Refused, match="answered already"):
        at_work.answer(view, "contradicted")


def test_only_leads_and_only_labels_that_there_are(study: Study, person_in: Any) -> None:
    with pytest.raises(Refused):
        ask_again(study, by=person_in(study, "ann"))
    with pytest.raises(StudyProblem, match="unknown label 'X'; the rubric has D, A"):
        ask_again(study, ["X"])


def test_what_was_asked_again_is_taken_back_and_can_be_asked_once_more(study: Study, person_in: Any, desk: Any) -> None:
    ann, lead = person_in(study, "ann", teams=("evidence",)), person_in(study, "lead", role="lead")
    desk(study, ann).finish(say(FIRST))
    later = clearer(study)
    with open_store(later) as store:
        before = [(row["state"], bool(row["finished_at"])) for row in assignments.everything(store)]
    ask_again(later, ["G"], by=lead)
    on_screen = desk(later, ann).view()
    assert pending(later).sentence.endswith("Asked again and not answered yet: 3 answers on 3 items.")
    assert take_back(later, by=lead).sentence == "3 answers on 3 items are asked no more: the earlier ones stand."
    with open_store(later) as store:
        assert [(row["state"], bool(row["finished_at"])) for row in assignments.everything(store)] == before
        said = store.rows("SELECT is_asked, person_id, count(*) AS n FROM asking GROUP BY 1, 2 ORDER BY min(event_id)")
    assert [tuple(row.values()) for row in said] == [(1, "lead", 3), (0, "lead", 3)], "both stay in the record"
    assert desk(later, ann).view()["state"] == "empty"
    with pytest.raises(Refused):
        desk(later, ann).answer(on_screen, "partly")
    assert take_back(later).sentence == "Nothing to take back."
    assert ask_again(later, ["G"]).n_labels == 3
    assert [view["label"]["name"] for view in desk(later, ann).finish(say(SECOND))] == ["G"] * 3


def test_an_item_that_is_answered_anew_in_part_stays_asked(study: Study, person_in: Any, desk: Any) -> None:
    path = study.path / "rubric.toml"
    ann = person_in(study, "ann", teams=("correctness", "evidence"))
    desk(study, ann).finish(say(FIRST))
    path.write_text("# clearer\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    later = open_study(study.path)
    with open_store(later) as store, store.transaction():
        answers = [(row["assignment_id"], row["label"]) for row in rounds.outdated(store, later.rubric.hash)]
        rounds.ask_again(store, answers, later.rubric.hash)
    at_work = desk(later, ann)
    at_work.answer(at_work.view(), "0")
    found = take_back(later)
    assert found.n_begun == 1
    assert found.sentence.endswith("1 items stay: they are answered anew in part.")
    assert at_work.view()["state"] == "view"


def test_only_leads_take_it_back(study: Study, person_in: Any) -> None:
    for action in (take_back, pending):
        with pytest.raises(Refused):
            action(study, by=person_in(study, action.__name__))


def test_the_command_takes_it_back(study: Study, person_in: Any, desk: Any) -> None:
    desk(study, person_in(study, "ann", teams=("evidence",))).finish(say(FIRST))
    ask_again(clearer(study))
    command = ["rubric", "ask-again", "--undo", "--study", str(study.path)]
    assert json.loads(CliRunner().invoke(cli, [*command, "--json"]).output)["n_labels"] == 3
    assert CliRunner().invoke(cli, [*command, "--label", "G"]).exit_code == 2


def test_what_an_older_study_had_asked_again_is_still_asked(study: Study, person_in: Any, desk: Any) -> None:
    ann = person_in(study, "ann", teams=("evidence",))
    desk(study, ann).finish(say(FIRST))
    later = clearer(study)
    ask_again(later, ["G"])
    with open_store(later) as store:
        rows = store.rows("SELECT * FROM asked_again")
        for statement in ("DROP VIEW asked_again", "DROP TABLE asking", "DROP TABLE practice_again",
                          "DELETE FROM _sqlite_migrations WHERE name LIKE 'm015%' OR name LIKE 'm017%'"):  # fmt: skip
            store.change(statement, ())
        for statement in m015_asked_again._STATEMENTS:
            store.db.execute(statement)
        store.insert("asked_again", rows)
        applied = ("evidence-audit", "m015_asked_again", "2026-01-01")
        store.change("INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)", applied)
    assert len(desk(later, ann).finish(say(SECOND))) == 3
