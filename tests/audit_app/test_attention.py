"""Canaries in an annotator's queue: they look like any other item, are reported apart, and change no number."""

import json
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from audit_app.actions.agreeing import import_set
from audit_app.actions.attention import attention
from audit_app.actions.cases import read_queue
from audit_app.actions.dealing import deal
from audit_app.actions.exporting import exported
from audit_app.actions.judges import JudgesQuestion, compare_judges
from audit_app.actions.judging import judge_check
from audit_app.actions.people import revoke
from audit_app.actions.progress import progress
from audit_app.actions.raters import agreement
from audit_app.actions.results import metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from data.canaries import canaries
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study

CAREFUL = {"D": "0", "A": "1", "G": "not_supported", "C": "1"}


def rows(study: Study, sql: str = "SELECT * FROM assignment") -> list[dict[str, Any]]:
    with open_store(study) as store:
        return store.rows(sql)


def canary_rows(study: Study) -> list[dict[str, Any]]:
    return rows(study, "SELECT * FROM assignment WHERE purpose = 'canary' ORDER BY due")


def careful(view: dict[str, Any]) -> str:
    return CAREFUL[view["label"]["name"]]


@pytest.mark.parametrize("dealt", [True, False])
def test_canaries_come_in_between_and_look_like_any_other_item(
    grid: Any, study_from: Any, person_in: Any, desk: Any, dealt: bool
) -> None:
    study = study_from(grid(60, conditions=("clean",)), labels=["D", "G", "C"])
    team = [person_in(study, f"p{n}") for n in (1, 2)]
    drawn = draw_sample(study, Plan(size=None, overlap=0, canaries=0.2, repeats=0.1, deal=dealt, seed=3))
    if dealt:
        assert drawn.dealt is not None
        opened = Counter((p.person_id, p.pass_) for p in drawn.dealt.portions for _ in range(p.n_canaries))
        assert opened == {("p1", "evidence"): 6, ("p2", "evidence"): 6}
    views = {person.person_id: desk(study, person).finish(careful) for person in team}
    of = {row["assignment_id"]: row for row in rows(study)}
    assert {row["state"] for row in of.values() if row["purpose"] == "plan"} == {"done"}
    n = 0
    for who, seen in views.items():
        queue = list(dict.fromkeys(view["assignment_id"] for view in seen if view["pass"] == "evidence"))
        places = [place for place, each in enumerate(queue) if of[each]["purpose"] == "canary"]
        items = [of[queue[place]]["item_id"] for place in places]
        assert len(set(items)) == len(items), "nobody gets one twice"
        assert all(of[queue[place]]["person_id"] == who for place in places)
        assert 0 not in places
        if dealt:
            assert len(places) == 6
            assert max(places) - min(places) > 15, "spread over the queue"
            assert len({view["progress"]["of"] for view in seen if view["pass"] == "evidence"}) == 1
        n += len(places)
        alike = {frozenset(view) for view in seen}
        assert len(alike) <= 1
        assert not any(view["practice"] for view in seen)
        assert "canary" not in json.dumps(seen)
    assert n > 3
    assert not {row["pass"] for row in canary_rows(study)} - {"evidence"}


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_diagnostics_do_not_tell_a_canary_from_other_items(
    grid: Any, study_from: Any, person_in: Any, desk: Any, share: float
) -> None:
    study = study_from(grid(60, conditions=("clean",)), labels=["D", "G", "evidence_adherence"])
    draw_sample(study, Plan(size=None, overlap=0, canaries=0.2, diagnostics=share, deal=False, seed=3))
    views = desk(study, person_in(study, "p1")).finish(
        lambda view: careful(view) if view["label"]["name"] in CAREFUL else "1"
    )
    asked = Counter(view["assignment_id"] for view in views)
    canaries_asked = {asked[row["assignment_id"]] for row in canary_rows(study) if row["assignment_id"] in asked}
    assert canaries_asked == ({3} if share == 1 else {2, 3})
    assert {asked[row["assignment_id"]] for row in rows(study) if row["purpose"] == "plan"} == canaries_asked


def test_hits_and_misses_are_reported_apart_for_each_person(
    grid: Any, study_from: Any, person_in: Any, desk: Any
) -> None:
    study = study_from(grid(40, conditions=("clean",)), labels=["D", "G"])
    team = [person_in(study, f"p{n}") for n in (1, 2)]
    draw_sample(study, Plan(size=None, overlap=0, canaries=0.2))
    desk(study, team[0]).finish(careful)
    desk(study, team[1]).finish(lambda view: {"D": "0", "G": "established"}[view["label"]["name"]])
    with open_store(study) as store:
        found = attention(store)
    assert {who: (one.n, one.n_hit) for who, one in found.items()} == {"p1": (4, 4), "p2": (4, 0)}
    assert found["p2"].labels == {"D": (4, 4), "G": (0, 4)}
    assert [each.checks for each in progress(study)] == ["4 of 4", "0 of 4"]
    purposes = Counter(row["purpose"] for row in exported(study) if row["label"])
    assert purposes == {"plan": 80, "canary": 16}


class Enough(Exception):
    """Somebody goes home."""


def everything_computed(study: Study) -> list[dict[str, Any]]:
    """Every estimate, coefficient and target of a study, and whether results are open."""
    ours: list[Any] = [metrics(study), metrics(study, target="B"), agreement(study), judge_check(study, split="dev"),
            compare_judges(study, JudgesQuestion())]  # fmt: skip
    found = [asdict(each) for each in ours]
    for each in found:
        # When results were opened differs between two studies, and whether they are open must not.
        each["seal"] = each["seal"] and each["seal"]["is_open"]
    return found


def test_canaries_change_no_estimate_no_coefficient_and_no_target(
    grid: Any, study_from: Any, person_in: Any, desk: Any
) -> None:
    """Nor when some wait unanswered, and where two people differ on one."""
    found = []
    for share in (0.0, 0.5):
        made = grid(30, conditions=("clean",))
        made["verdicts"] = [{"response_id": r["response_id"], "judge": judge, "C": 1, "A": 1, "G": int((n + k) % 3 > 0)}
                            for k, judge in enumerate("jk") for n, r in enumerate(made["responses"])]  # fmt: skip
        study = study_from(made, name=f"with {share}", labels=["G"])
        team = [person_in(study, who) for who in ("p1", "p2")]
        draw_sample(study, Plan(size=25, overlap=0.6, canaries=share, dev=0.5))
        deal(study)
        planned = Counter[str]()

        def say(view: dict[str, Any], study: Study = study, planned: Counter[str] = planned) -> str:
            (row,) = rows(study, f"SELECT * FROM assignment WHERE assignment_id = '{view['assignment_id']}'")
            who = row["person_id"]
            if row["purpose"] == "canary":
                return "contradicted" if who == "p1" else "not_supported"
            planned[who] += 1
            if (who, planned[who]) == ("p2", 6):
                raise Enough
            return ("established", "partly", "not_supported")[sum(map(ord, row["item_id"] + who)) % 3]

        for person in team:
            with suppress(Enough):
                desk(study, person).finish(say)
        states = Counter(row["state"] for row in canary_rows(study))
        assert bool(states["done"]) == bool(share)
        assert (states["done"] < states.total()) == bool(share)
        with open_store(study) as store:
            waiting = [case.place for case in read_queue(store, study).cases]
        unseal(study, "a test")
        found.append([waiting, *everything_computed(study)])
    assert found[0] == found[1]


def test_dealing_again_or_revoking_takes_those_away_that_nobody_has_seen(
    grid: Any, study_from: Any, person_in: Any, desk: Any
) -> None:
    study = study_from(grid(39, conditions=("clean",)), labels=["G"])
    team = [person_in(study, f"p{n}") for n in (1, 2, 3)]
    draw_sample(study, Plan(size=None, overlap=0, canaries=0.25))
    assert Counter(row["reserved_for"] for row in canary_rows(study)) == {"p1": 3, "p2": 3, "p3": 3}
    desk(study, team[0]).finish(careful, limit=8)
    had = {row["item_id"] for row in canary_rows(study) if row["person_id"] == "p1"}
    assert had
    deal(study)
    mine = [row["item_id"] for row in canary_rows(study) if row["reserved_for"] == "p1"]
    assert had <= set(mine)
    assert len(mine) == len(set(mine)) == 3
    revoke(study, "p2")
    assert [row for row in canary_rows(study) if row["reserved_for"] == "p2"] == []
    revoke(study, "p3")
    assert [row for row in canary_rows(study) if row["reserved_for"] == "p3"] == []


def test_nobody_gets_more_than_there_are(grid: Any, study_from: Any, person_in: Any) -> None:
    study = study_from(grid(60, conditions=("clean",)), labels=["G"])
    for n in (1, 2):
        person_in(study, f"p{n}")
    draw_sample(study, Plan(size=None, overlap=0, canaries=1.0))
    assert Counter(row["reserved_for"] for row in canary_rows(study)) == dict.fromkeys(("p1", "p2"), len(canaries()))


def test_a_rubric_without_grounding_has_nothing_to_check(grid: Any, study_from: Any) -> None:
    study = study_from(grid(4), labels=["C"])
    with pytest.raises(StudyProblem, match="they check label G, which the rubric does not ask"):
        draw_sample(study, Plan(size=None, canaries=0.1))
    with pytest.raises(StudyProblem, match="--canaries: 2 is no share"):
        draw_sample(study, Plan(size=None, canaries=2))


def test_practice_first_then_the_plan_with_canaries_and_repeats_in_between(
    grid: Any, study_from: Any, person_in: Any, desk: Any, tmp_path: Path
) -> None:
    study = study_from(grid(60, conditions=("clean",)), labels=["D", "G"])
    team = [person_in(study, f"p{n}") for n in (1, 2)]
    draw_sample(study, Plan(size=None, overlap=0, canaries=0.2, repeats=0.2, seed=2))
    samples, agreed = tmp_path / "samples.jsonl", tmp_path / "agreed.jsonl"
    names = [f"s{n}" for n in range(3)]
    samples.write_text("".join(json.dumps({"response_id": name, "question": "Which?", "response": "It.",
                                           "passages": ["x"]}) + "\n" for name in names))  # fmt: skip
    agreed.write_text("".join(json.dumps({"response_id": name, "label": "G", "value": "not_supported", "reason": "x"})
                              + "\n" for name in names))  # fmt: skip
    import_set(study, agreed, items_file=samples)
    of = {}
    for person in team:
        seen = desk(study, person).finish(careful)
        of = {row["assignment_id"]: row["purpose"] for row in rows(study)}
        order = [of[each] for each in dict.fromkeys(view["assignment_id"] for view in seen)]
        assert order[:3] == ["calibration"] * 3
        assert "calibration" not in order[3:]
        assert Counter(order[3:]) == {"plan": 30, "canary": 6, "repeat": Counter(order)["repeat"]}
        assert Counter(order)["repeat"] > 2
        last = max(n for n, purpose in enumerate(order) if purpose == "plan")
        assert "canary" in order[3:last]
