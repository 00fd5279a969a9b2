"""Adjudication: what is in the queue, who may decide what, and what a decision leaves as it was."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from audit_app.actions import adjudicating
from audit_app.actions.answers import Refused
from audit_app.actions.cases import read_queue
from audit_app.actions.flagging import flag
from audit_app.actions.labelling import next_view
from audit_app.actions.sampling import Plan, draw_sample
from data.records import CAUSES, Person
from data.store import events, people
from data.store.connection import open_store
from data.study import Study
from sampling.numbers import permanent_number

CAUSE = "genuinely ambiguous"
YES = {"D": "1", "A": "1", "G": "established", "C": "1", "answerable": "established", "supports": "gold",
       "construction_errors": "[]"}  # fmt: skip
NO = {"D": "0", "A": "0", "G": "not_supported", "C": "0", "answerable": "not_established", "supports": "neither",
      "construction_errors": '["other"]'}  # fmt: skip


@dataclass(frozen=True)
class Bench:
    """Somebody who adjudicates."""

    study: Study
    person: Person

    def view(self) -> dict[str, Any]:
        return adjudicating.next_case(self.study, self.person)

    def vote(self, view: Mapping[str, Any], value: Any = None, **more: Any) -> dict[str, Any]:
        sent = {"screen": "adjudicate", "assignment_id": view["assignment_id"], "label": view["label"]["name"],
                "value": view["label"]["values"][0]["value"] if value is None else value,
                "client_seq": view["client_seq"], "active_seconds": 2.0}  # fmt: skip
        if any(entry["note"] for entry in view["label"]["values"]):
            sent |= {"comment": "in my words", "evidence": [{"passage": 1, "start": 0, "end": 1, "text": "p"}]}
        return adjudicating.vote(self.study, self.person, {**sent, **more})

    def decide(self, view: Mapping[str, Any], value: Any = None, **more: Any) -> dict[str, Any]:
        sent = {"screen": "adjudicate", "assignment_id": view["assignment_id"], "label": view["label"]["name"],
                "value": view["label"]["values"][0]["value"] if value is None else value,
                "reason": "it says so", "cause": CAUSE}  # fmt: skip
        return adjudicating.decide(self.study, self.person, {**sent, **more})

    def next(self, view: Mapping[str, Any], value: Any = None) -> dict[str, Any]:
        """One step: a vote, or a decision."""
        step = self.vote if view["case"]["stage"] == "vote" else self.decide
        following: dict[str, Any] = step(view, value)["next"]
        return following

    def finish(self, limit: int = 200) -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = []
        view = self.view()
        while view["state"] == "view" and len(seen) < limit:
            seen.append(view)
            view = self.next(view, [] if view["label"]["kind"] == "many" else None)
        return seen


def said(view: Mapping[str, Any]) -> str:
    return json.dumps(view, ensure_ascii=False)


def stages(views: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(view["label"]["name"], view["case"]["stage"]) for view in views]


def queue(study: Study) -> list[tuple[str, str, str, tuple[str, ...]]]:
    with open_store(study) as store:
        found = read_queue(store, study)
    return [(*case.place[1:], one.label, one.why) for case in found.cases for one in case.disputes]


def refused(call: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        call()
    assert "\n" not in str(caught.value)
    return caught.value


def opinions(study: Study, who: str, picks: Mapping[str, Mapping[str, str]], kind: str = "response") -> list[Any]:
    return [{"item_id": item, "item_kind": kind, "person_id": who, "label": label, "value": value}
            for item, values in picks.items() for label, value in values.items()]  # fmt: skip


R = [f"t{n:02}.clean.wren.baseline" for n in range(4)]
EVIDENCE = ("D", "A", "G")


def number(seed: int, item: str) -> str:
    return permanent_number(seed, "overlap:response", item)


SEED = next(seed for seed in range(9) if number(seed, R[0]) < number(seed, R[1]))


def every(answers: Mapping[str, str], *labels: str) -> dict[str, str]:
    return {label: answers[label] for label in labels or (*EVIDENCE, "C")}


@pytest.fixture(scope="module")
def drawn(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Four responses for two people each."""
    made: Study = build_study(tmp_path_factory.mktemp("drawn"), grid(4, conditions=("clean",)), ["D", "A", "G", "C"])
    # With this seed the first response comes before the second.
    draw_sample(made, Plan(size=None, overlap=1.0, seed=SEED))
    return made


@pytest.fixture
def study(drawn: Study, copy_of: Any) -> Study:
    copy: Study = copy_of(drawn)
    return copy


@pytest.fixture
def zoe(study: Study, person_in: Any) -> Bench:
    return Bench(study, person_in(study, "zoe", role="adjudicator"))


@pytest.fixture
def split(study: Study, give_labels: Any) -> None:
    """Ann says yes everywhere; Ben says no to all of the first, and to C of the second."""
    give_labels(study, opinions(study, "ann", {item: every(YES) for item in R}))
    give_labels(study, opinions(study, "ben", {R[0]: every(NO), R[1]: every(YES) | {"C": "0"},
                                               R[2]: every(YES), R[3]: every(YES)}))  # fmt: skip


# ------------------------------------------------------------------ what is in the queue


def test_what_people_disagree_on_is_in_the_queue_by_permanent_number(study: Study, split: None) -> None:
    found = queue(study)
    assert list(dict.fromkeys(item for item, *_ in found)) == R[:2]
    mine = [(pass_, label, why) for item, pass_, label, why in found if item == R[0]]
    assert mine == [("evidence", label, ("tie",)) for label in EVIDENCE] + [("correctness", "C", ("tie",))]
    assert [entry[1:] for entry in found if entry[0] == R[1]] == [("correctness", "C", ("tie",))]


def test_two_against_one_is_a_disagreement_and_no_tie(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = study_from(grid(2, conditions=("clean",)), labels=["D"])
    draw_sample(study, Plan(size=None, overlap=1.0, people=3))
    for who, value in (("ann", "1"), ("ben", "1"), ("cyd", "0")):
        give_labels(study, opinions(study, who, {item: {"D": value} for item in R[:2]}))
    assert {why for *_, why in queue(study)} == {("disagreement",)}


def test_what_cannot_be_judged_is_no_disagreement(study: Study, give_labels: Any) -> None:
    give_labels(study, opinions(study, "ann", {R[0]: every(YES, *EVIDENCE)}))
    give_labels(study, opinions(study, "ben", {R[0]: every(YES, "D", "A") | {"G": "cannot_judge"}}))
    assert queue(study) == []


def test_an_item_comes_up_when_everybody_of_the_plan_is_done_with_it(
    study: Study, give_labels: Any, zoe: Bench
) -> None:
    give_labels(study, opinions(study, "ann", {R[0]: every(YES, *EVIDENCE)}))
    assert zoe.view()["reason"] == "There is nothing to decide. Thank you!"
    give_labels(study, opinions(study, "ben", {R[0]: every(NO, *EVIDENCE)}))
    assert len(queue(study)) == 3


@pytest.fixture
def ann(study: Study, person_in: Any, desk: Any) -> Any:
    return desk(study, person_in(study, "ann"))


def labelled_by_two(study: Study, person_in: Any, desk: Any) -> tuple[Any, Any, list[dict[str, Any]]]:
    """Ann and Ben say yes to everything in the browser's way; the views that Ann got."""

    def yes(view: dict[str, Any]) -> Any:
        return YES[view["label"]["name"]]

    first, second = (desk(study, person_in(study, who)) for who in ("ann", "ben"))
    views = first.finish(yes)
    second.finish(yes)
    return first, second, views


def test_slips_and_flags_come_up_and_are_settled_by_a_decision(study: Study, person_in: Any, desk: Any) -> None:
    ann, ben, views = labelled_by_two(study, person_in, desk)
    assert queue(study) == []
    view = next(view for view in views if view["label"]["name"] == "D")
    sent = {"assignment_id": view["assignment_id"], "label": "D", "kind": "slip", "note": "I meant no"}
    flag(study, ann.person, sent)
    c_view = next(view for view in views if view["label"]["name"] == "C")
    flag(study, ann.person, {**sent, "assignment_id": c_view["assignment_id"], "label": "C", "kind": "flag"})
    assert sorted(why for *_, why in queue(study)) == [("flag",), ("slip",)]
    zoe = Bench(study, person_in(study, "zoe", role="adjudicator"))
    views = zoe.finish()
    assert sorted(stages(views)) == [("C", "decide"), ("C", "vote"), ("D", "decide"), ("D", "vote")]
    (decision,) = [view for view in views if view["label"]["name"] == "D" and view["case"]["stage"] == "decide"]
    assert decision["case"]["why"] == ["somebody reported their answer as a slip"]
    slips = [answer["slips"] for answer in decision["case"]["answers"]]
    assert sorted(slips) == [[], ["I meant no"]]
    assert queue(study) == []
    flag(study, ben.person, {**sent, "assignment_id": _of(study, "ben", view), "note": "I think so, too"})
    assert [why for *_, why in queue(study)] == [("slip",)]


def _of(study: Study, who: str, view: Mapping[str, Any]) -> str:
    """Somebody's assignment on the item that a view of somebody else was about."""
    with open_store(study) as store:
        row = store.row(
            "SELECT b.assignment_id FROM assignment AS a JOIN assignment AS b USING (item_kind, item_id, pass) "
            "WHERE a.assignment_id = ? AND b.person_id = ?",
            [view["assignment_id"], who],
        )
    assert row is not None
    return str(row["assignment_id"])


# ------------------------------------------------------------------ vote, reveal, decide


def test_a_vote_comes_before_the_answers_and_the_decision_after(study: Study, split: None, zoe: Bench) -> None:
    view = zoe.view()
    assert (view["case"], view["label"]["name"], view["view"]) == ({"stage": "vote"}, "D", "DisclosureView")
    assert [artifact["name"] for artifact in view["artifacts"]] == ["response"]
    assert refused(lambda: zoe.decide(view)).status == 409
    after = zoe.vote(view, "0", comment="no word of it")["next"]
    case = after["case"]
    assert (case["stage"], case["vote"]["text"], case["vote"]["comment"]) == ("decide", "No", "no word of it")
    assert [answer["who"] for answer in case["answers"]] == ["A", "B"]
    assert sorted(answer["text"] for answer in case["answers"]) == ["No", "Yes"]
    assert [cause["cause"] for cause in case["causes"]] == list(CAUSES)
    assert {"ann", "ben"}.isdisjoint(said(after).replace('"', " ").split())
    decided = zoe.decide(after, "1", reason="the second sentence tells", cause="slip")
    assert (decided["decided"]["value"], decided["next"]["label"]["name"]) == ("1", "A")
    with open_store(study) as store:
        (kept,) = events.resolutions(store)
        assert (kept.value, kept.cause, kept.reason, len(kept.resolves)) == (
            "1",
            "slip",
            "the second sentence tells",
            2,
        )
        assert (kept.queue_order, kept.rubric_hash) == ("random", study.rubric.hash)
        vote = events.current(store, kept.assignment_id or "")["D"]
    assert vote.value == "0"


def test_a_reload_keeps_the_vote_and_neither_vote_nor_decision_is_taken_twice(
    study: Study, split: None, zoe: Bench
) -> None:
    view = zoe.view()
    first = zoe.vote(view, "1")
    assert zoe.view()["case"]["vote"]["value"] == "1"
    assert zoe.vote(view, "1")["saved"] == first["saved"]
    assert refused(lambda: zoe.vote(view, "0")).status == 409
    decided = zoe.decide(first["next"], "1")
    assert zoe.decide(first["next"], "1")["decided"] == decided["decided"]
    assert "not changed" in str(refused(lambda: zoe.decide(first["next"], "0")))
    with open_store(study) as store:
        assert len(store.rows("SELECT * FROM label_event AS l JOIN assignment AS a USING (assignment_id) "
                              "WHERE purpose = 'adjudication'")) == 1  # fmt: skip
        assert len(events.resolutions(store)) == 1


@pytest.mark.parametrize(
    ("more", "word"),
    [({"reason": ""}, "reason"), ({"reason": "  "}, "reason"), ({"cause": "whim"}, "rubric unclear"),
     ({"cause": None}, "cause"), ({"value": "perhaps"}, "perhaps")],
)  # fmt: skip
def test_a_decision_needs_a_value_a_reason_and_a_cause(
    study: Study, split: None, zoe: Bench, more: dict[str, Any], word: str
) -> None:
    view = zoe.vote(zoe.view())["next"]
    error = refused(lambda: zoe.decide(view, **more))
    assert (error.status, word in str(error)) == (422, True)
    assert zoe.view()["case"]["stage"] == "decide"


def test_the_order_of_the_letters_is_shuffled_for_each_item_and_stays(
    grid: Any, study_from: Any, give_labels: Any, person_in: Any
) -> None:
    study = study_from(grid(12, conditions=("clean",)), labels=["D", "A"])
    draw_sample(study, Plan(size=None, overlap=1.0))
    items = [f"t{n:02}.clean.wren.baseline" for n in range(12)]
    for who, answers in (("ann", YES), ("ben", NO)):
        give_labels(study, opinions(study, who, {item: every(answers, "D", "A") for item in items}))
    first: dict[str, list[str]] = {}
    for view in Bench(study, person_in(study, "zoe", role="adjudicator")).finish():
        if view["case"]["stage"] == "decide":
            first.setdefault(view["assignment_id"], []).append(view["case"]["answers"][0]["value"])
    assert all(len(set(values)) == 1 for values in first.values())
    assert {values[0] for values in first.values()} == {"0", "1"}


def test_what_is_given_back_goes_to_somebody_else_only(study: Study, split: None, zoe: Bench, person_in: Any) -> None:
    view = zoe.view()
    after = adjudicating.vote(study, zoe.person, {
        "assignment_id": view["assignment_id"], "label": "skip", "comment": "conflict of interest"})  # fmt: skip
    assert after["next"].get("assignment_id") != view["assignment_id"]
    yan = Bench(study, person_in(study, "yan", role="adjudicator"))
    assert yan.view()["label"]["name"] == "D"
    assert yan.view()["artifacts"] == view["artifacts"]


def test_an_item_is_in_the_hands_of_one_adjudicator_at_a_time(
    study: Study, split: None, zoe: Bench, person_in: Any
) -> None:
    yan = Bench(study, person_in(study, "yan", role="adjudicator"))
    mine = zoe.view()
    assert stages(yan.finish()) == [("C", "vote"), ("C", "decide")]
    assert "another adjudicator has it in hand" in yan.view()["reason"]
    with open_store(study) as store:
        store.change("UPDATE assignment SET lease_until = '2000' WHERE purpose = ?", ["adjudication"])
    view = yan.view()
    assert (view["label"]["name"], view["artifacts"]) == ("D", mine["artifacts"])
    assert refused(lambda: zoe.vote(view)).status == 403


def test_a_vote_that_was_never_decided_stays_and_somebody_else_decides(
    study: Study, split: None, zoe: Bench, person_in: Any
) -> None:
    view = zoe.vote(zoe.view(), "0")["next"]
    with open_store(study) as store:
        store.change("UPDATE assignment SET lease_until = '2000' WHERE purpose = ?", ["adjudication"])
    yan = Bench(study, person_in(study, "yan", role="adjudicator"))
    assert yan.view()["case"] == {"stage": "vote"}
    assert "not in your hands any more" in str(refused(lambda: zoe.decide(view)))
    assert {"A", "B"} >= {answer["who"] for answer in yan.vote(yan.view())["next"]["case"]["answers"]}
    with open_store(study) as store:
        votes = store.rows("SELECT value FROM label_event JOIN assignment USING (assignment_id) "
                           "WHERE purpose = 'adjudication' ORDER BY event_id")  # fmt: skip
    assert [row["value"] for row in votes] == ["0", "1"]


# ------------------------------------------------------------------ who may decide


def test_nobody_adjudicates_what_they_labelled(study: Study, split: None) -> None:
    with open_store(study) as store:
        store.change("UPDATE person SET role = 'adjudicator' WHERE person_id = ?", ["ann"])
        ann = people.find(store, "ann")
    assert ann is not None
    found = Bench(study, ann).view()
    assert found["state"] == "empty"
    assert "you labelled this item" in found["reason"]


@pytest.mark.parametrize("role", ["annotator", "lead"])
def test_annotators_and_whoever_has_opened_results_decide_nothing(
    study: Study, split: None, person_in: Any, role: str
) -> None:
    bench = Bench(study, person_in(study, "max", role=role))
    if role == "lead":
        assert bench.view()["state"] == "view"
        with open_store(study) as store:
            people.results_opened(store, "max")
            found = people.find(store, "max")
        assert found is not None
        bench = Bench(study, found)
    assert bench.view()["state"] == "empty"
    assert ("have seen results" if role == "lead" else "not one of them") in bench.view()["reason"]
    assert refused(lambda: adjudicating.vote(study, bench.person, {"label": "D"})).status == 403
    assert refused(lambda: adjudicating.decide(study, bench.person, {"label": "D"})).status == 403


def test_whoever_adjudicated_an_item_is_not_given_it_to_label(study: Study, give_labels: Any, person_in: Any) -> None:
    give_labels(study, opinions(study, "ann", {R[0]: every(YES, *EVIDENCE)}))
    give_labels(study, opinions(study, "ben", {R[0]: every(NO, *EVIDENCE)}))
    zoe = Bench(study, person_in(study, "zoe", role="adjudicator"))
    before = zoe.view()["assignment_id"]
    zoe.finish()
    mine = set()
    view = next_view(study, zoe.person, "label")
    assert view["assignment_id"] != before
    with open_store(study) as store:
        mine |= {row["item_id"] for row in store.rows(
            "SELECT item_id FROM assignment WHERE person_id = 'zoe' AND purpose = 'plan'")}  # fmt: skip
    assert R[0] not in mine


def test_a_lapsed_case_is_never_offered_as_labelling_work(
    study: Study, split: None, zoe: Bench, person_in: Any
) -> None:
    zoe.view()
    with open_store(study) as store:
        store.change("UPDATE assignment SET lease_until = '2000' WHERE purpose = ?", ["adjudication"])
    cyd = person_in(study, "cyd")
    assert next_view(study, cyd, "label")["state"] == "empty"


def test_what_a_label_must_not_see_keeps_it_from_whoever_saw_it(study: Study, person_in: Any, desk: Any) -> None:
    ann, _ben, views = labelled_by_two(study, person_in, desk)
    of = {view["label"]["name"]: view for view in views}
    sent = {"kind": "slip", "note": "wrong"}
    flag(study, ann.person, {**sent, "kind": "flag", "assignment_id": of["G"]["assignment_id"], "label": "G"})
    zoe = Bench(study, person_in(study, "zoe", role="adjudicator"))
    assert stages(zoe.finish()) == [("G", "vote"), ("G", "decide")]
    flag(study, ann.person, {**sent, "assignment_id": of["G"]["assignment_id"], "label": "D"})
    assert "you have seen what its label must not see" in zoe.view()["reason"]
    yan = Bench(study, person_in(study, "yan", role="adjudicator"))
    assert stages(yan.finish()) == [("D", "vote"), ("D", "decide")]


def test_the_reference_answer_waits_for_the_grounding_of_its_task(study: Study, split: None, zoe: Bench) -> None:
    order = [(view["label"]["name"], _task(study, view)) for view in zoe.finish()]
    first_gold = order.index(("C", "t00"))
    assert all(task != "t00" or name == "C" for name, task in order[first_gold:])
    assert {name for name, task in order if task == "t00"} == {"D", "A", "G", "C"}


def _task(study: Study, view: Mapping[str, Any]) -> str:
    with open_store(study) as store:
        row = store.row("SELECT task_id FROM assignment WHERE assignment_id = ?", [view["assignment_id"]])
    assert row is not None
    return str(row["task_id"])


def test_it_also_waits_for_evidence_that_nobody_has_labelled_yet(study: Study, give_labels: Any, zoe: Bench) -> None:
    give_labels(study, opinions(study, "ann", {R[0]: every(YES, "C")}))
    give_labels(study, opinions(study, "ben", {R[0]: every(NO, "C")}))
    assert "only after the grounding of its question is decided" in zoe.view()["reason"]
    for who, answers in (("ann", YES), ("ben", YES)):
        give_labels(study, opinions(study, who, {R[0]: every(answers, *EVIDENCE)}))
    assert zoe.view()["label"]["name"] == "C"


def test_context_audits_are_adjudicated_in_their_order(
    grid: Any, study_from: Any, give_labels: Any, person_in: Any
) -> None:
    study = study_from(grid(1), labels=["answerable", "supports", "construction_errors"])
    draw_sample(study, Plan(size=None, overlap=1.0))
    for who, said_ in (("ann", YES), ("ben", NO)):
        answers = {name: said_[name.partition(".")[0]] for name in ("answerable", "supports.1", "construction_errors")}
        one = {f"t00.{condition}": answers for condition in ("clean", "evidence_absence")}
        give_labels(study, opinions(study, who, one, kind="context"))
    zoe = Bench(study, person_in(study, "zoe", role="adjudicator"))
    order = [name for name, stage in stages(zoe.finish()) if stage == "vote"]
    # Stage 1 of both contexts of the task comes before the reference answer of either.
    assert order[:2] == ["answerable", "answerable"]
    assert sorted(order[2:]) == ["construction_errors"] * 2 + ["supports.1"] * 2
    with open_store(study) as store:
        decided = {(one.item_kind, one.label, one.value) for one in events.resolutions(store)}
    assert ("context", "construction_errors", "[]") in decided


def test_what_was_on_screen_is_logged_the_answers_of_others_apart(study: Study, split: None, zoe: Bench) -> None:
    view = zoe.vote(zoe.view())["next"]
    with open_store(study) as store:
        rows = store.rows("SELECT view, fields FROM exposure WHERE assignment_id = ?", [view["assignment_id"]])
    assert [(row["view"], json.loads(row["fields"])) for row in rows] == [
        ("DisclosureView", ["response"]),
        ("DisclosureView", ["response"]),
        ("AnswersView", ["answers"]),
    ]
