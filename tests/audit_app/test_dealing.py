"""Dealing the work: at random within strata, by the rules of memory, and again when people come and go."""

import json
from collections import Counter, defaultdict
from itertools import combinations
from typing import Any

import pytest

from audit_app.actions.dealing import deal
from audit_app.actions.exporting import exported
from audit_app.actions.results import metrics
from audit_app.actions.sampling import Plan, draw_sample, extend_sample
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study
from sampling.repeats import GAP

YES = {"D": "1", "A": "1", "G": "established", "C": "1", "answerable": "established", "supports": "gold",
       "construction_errors": []}  # fmt: skip


def yes(view: dict[str, Any]) -> Any:
    return YES[view["label"]["name"].split(".")[0]]


def rows(study: Study, sql: str = "SELECT * FROM assignment") -> list[dict[str, Any]]:
    with open_store(study) as store:
        return store.rows(sql)


def dealt_to(study: Study, pass_: str = "evidence") -> dict[tuple[str, int], str | None]:
    found = rows(study, f"SELECT * FROM assignment WHERE pass = '{pass_}' AND purpose = 'plan'")
    return {(row["item_id"], row["plan_order"]): row["reserved_for"] for row in found}


@pytest.fixture
def study(grid: Any, study_from: Any) -> Study:
    """Thirty tasks under two conditions, two responses each."""
    made: Study = study_from(grid(30, models=("a", "b")))
    return made


@pytest.fixture
def small(grid: Any, study_from: Any) -> Study:
    """Twelve tasks of which people are asked one label in each pass."""
    made: Study = study_from(grid(12), name="small", labels=["D", "C", "answerable"])
    return made


@pytest.fixture
def team(study: Study, person_in: Any) -> list[Any]:
    return [person_in(study, f"p{n}") for n in range(1, 5)]


def test_without_two_annotators_nothing_is_dealt(study: Study, person_in: Any) -> None:
    person_in(study, "ann")
    person_in(study, "lead", role="lead")
    assert draw_sample(study, Plan(size=40)).dealt is None
    assert {row["reserved_for"] for row in rows(study)} == {None}
    with pytest.raises(StudyProblem, match="dealing needs two active annotators"):
        deal(study)


def test_people_without_a_link_are_dealt_nothing(study: Study, label_rows: Any, give_labels: Any) -> None:
    draw_sample(study, Plan(size=None, overlap=0, sample_id="recorded"))
    for who in ("one", "two"):
        give_labels(study, label_rows(who, {"t00.clean.a.baseline": {"D": "1"}}))
    assert draw_sample(study, Plan(size=40)).dealt is None


def test_a_draw_deals_a_context_with_all_its_responses_to_one_person(study: Study, team: list[Any]) -> None:
    drawn = draw_sample(study, Plan(size=120, overlap=0))
    assert drawn.dealt is not None
    assert drawn.dealt.n_left == 0
    readers = defaultdict(set)
    for row in rows(study, "SELECT * FROM assignment WHERE pass = 'evidence'"):
        readers[row["context_id"]].add(row["reserved_for"])
    assert {len(those) for those in readers.values()} == {1}
    portions = {(p.pass_, p.person_id): p for p in drawn.dealt.portions}
    assert len(portions) == 12
    assert {p.n_contexts for p in drawn.dealt.portions if p.pass_ == "evidence"} <= {14, 15, 16}
    assert sum(p.n_items for p in drawn.dealt.portions) == drawn.n_openings
    # Within each condition as well.
    counts = Counter((who, "clean" in context) for context, (who,) in readers.items())
    assert all(6 <= n <= 9 for n in counts.values())


def test_every_pair_shares_items_and_nobody_reads_two_contexts_of_a_task(study: Study, team: list[Any]) -> None:
    drawn = draw_sample(study, Plan(size=120, overlap=0.5))
    assert drawn.dealt is not None
    assert not drawn.dealt.soft
    by_item, read = defaultdict(set), defaultdict(set)
    for row in rows(study, "SELECT * FROM assignment WHERE pass = 'evidence'"):
        by_item[row["item_id"]].add(row["reserved_for"])
        read[row["reserved_for"], row["task_id"]].add(row["context_id"])
    assert {len(contexts) for contexts in read.values()} == {1}
    shared = Counter(pair for those in by_item.values() for pair in combinations(sorted(those), 2))
    assert len(shared) == 6
    assert min(shared.values()) >= 6


def test_who_grounds_a_task_does_not_grade_it_where_others_can(study: Study, team: list[Any]) -> None:
    draw_sample(study, Plan(size=60, overlap=0))
    evidence, correctness = dealt_to(study), dealt_to(study, "correctness")
    assert not [key for key in evidence if evidence[key] == correctness[key]]


def test_everybody_gets_what_was_dealt_to_them_and_all_of_it_is_done(small: Study, person_in: Any, desk: Any) -> None:
    study, team = small, [person_in(small, f"p{n}") for n in range(1, 5)]
    draw_sample(study, Plan(size=24, overlap=0.3))
    was = {row["assignment_id"]: row["reserved_for"] for row in rows(study)}
    for _ in range(3):
        for person in reversed(team):
            for screen in ("label", "context"):
                desk(study, person, screen).finish(yes)
    done = rows(study)
    assert {row["state"] for row in done} == {"done"}
    assert {row["assignment_id"]: row["person_id"] for row in done} == was


def test_somebody_new_gets_nothing_until_it_is_dealt_again(
    study: Study, team: list[Any], person_in: Any, desk: Any
) -> None:
    draw_sample(study, Plan(size=60, overlap=0.3))
    desk(study, team[0]).finish(yes, limit=8)
    new = person_in(study, "p5")
    empty = desk(study, new).view()
    assert empty["state"] == "empty"
    assert "dealt to other people" in empty["reason"]
    before = {row["assignment_id"]: row for row in rows(study)}
    dealt = deal(study)
    assert sum(p.n_items for p in dealt.portions if p.person_id == "p5") > 15
    for row in rows(study):
        if before[row["assignment_id"]]["state"] != "open":
            assert row == before[row["assignment_id"]]
    assert desk(study, new).view()["state"] == "view"
    (sample,) = rows(study, "SELECT dealt FROM sample")
    how = json.loads(sample["dealt"])
    assert (how["times"], how["people"]["evidence"], how["strata"]) == (
        2, ["p1", "p2", "p3", "p4", "p5"], ["condition", "regime"]
    )  # fmt: skip


def test_where_all_is_done_there_is_nothing_to_deal(grid: Any, study_from: Any, person_in: Any, desk: Any) -> None:
    study = study_from(grid(2, conditions=("clean",)), labels=["D"])
    team = [person_in(study, who) for who in ("p1", "p2")]
    draw_sample(study, Plan(size=None, overlap=0))
    for person in team:
        desk(study, person).finish(yes)
    dealt = deal(study)
    assert (dealt.portions, dealt.sentence) == ((), "Nothing to deal: every opening is begun or done.")


def test_dealing_again_with_the_same_people_changes_nothing(study: Study, team: list[Any]) -> None:
    draw_sample(study, Plan(size=60, overlap=0.3))
    before = dealt_to(study)
    deal(study)
    assert dealt_to(study) == before


def test_whoever_leaves_keeps_what_is_done_and_gives_the_rest_to_others(
    grid: Any, study_from: Any, person_in: Any, desk: Any
) -> None:
    study = study_from(grid(12), labels=["D", "G", "C"])
    team = [person_in(study, f"p{n}") for n in range(1, 5)]
    draw_sample(study, Plan(size=24, overlap=0.3))
    desk(study, team[0]).finish(yes, limit=7)
    with open_store(study) as store:
        store.change("UPDATE person SET status = 'inactive' WHERE person_id = 'p1'", [])
        store.change("UPDATE assignment SET lease_until = '2000' WHERE state = 'claimed'", [])
        begun = store.rows("SELECT * FROM assignment WHERE person_id = 'p1' AND state = 'claimed'")
    deal(study)
    assert not [row for row in rows(study) if row["reserved_for"] == "p1" and row["state"] == "open"]
    for _ in range(3):
        for person in team[1:]:
            for screen in ("label", "context"):
                desk(study, person, screen).finish(yes)
    left = [row for row in rows(study) if row["state"] != "done"]
    # One answer stands in what was begun: it belongs to p1 for good.
    assert [row["assignment_id"] for row in left] == [row["assignment_id"] for row in begun]


def test_somebody_on_holiday_is_left_out(study: Study, team: list[Any]) -> None:
    draw_sample(study, Plan(size=60))
    deal(study, without=["p2"])
    assert "p2" not in {row["reserved_for"] for row in rows(study)}
    with pytest.raises(StudyProblem, match="there is no person 'nobody'"):
        deal(study, without=["nobody"])


def test_teams_are_dealt_their_own_pass(study: Study, person_in: Any) -> None:
    for who, pass_ in (("e1", "evidence"), ("e2", "evidence"), ("c1", "correctness"), ("c2", "correctness")):
        person_in(study, who, teams=(pass_,))
    drawn = draw_sample(study, Plan(size=60, overlap=0.2))
    assert drawn.dealt is not None
    assert {(p.pass_, p.person_id) for p in drawn.dealt.portions} == {
        ("evidence", "e1"), ("evidence", "e2"), ("correctness", "c1"), ("correctness", "c2")
    }  # fmt: skip
    assert {row["reserved_for"] for row in rows(study) if row["pass"] == "context"} == {None}


def test_a_core_waits_for_a_third_annotator(study: Study, person_in: Any) -> None:
    person_in(study, "p1")
    person_in(study, "p2")
    drawn = draw_sample(study, Plan(size=40, overlap=0, core=8))
    assert drawn.dealt is not None
    assert drawn.dealt.n_left >= 16
    third = {order for (_, order), who in dealt_to(study).items() if who is None}
    assert third == {3}
    assert f"{drawn.dealt.n_left} openings wait for others" in drawn.dealt.sentence


def test_no_deal_leaves_everything_to_whoever_comes(study: Study, team: list[Any]) -> None:
    assert draw_sample(study, Plan(size=40, deal=False)).dealt is None
    assert {row["reserved_for"] for row in rows(study)} == {None}


def test_an_extension_is_dealt_as_well(study: Study, team: list[Any], desk: Any) -> None:
    draw_sample(study, Plan(size=40, overlap=0.2))
    desk(study, team[0]).finish(yes, limit=30)
    extend_sample(study, size=80)
    rest = [row for row in rows(study) if row["state"] == "open" and row["reserved_for"] is None]
    assert len(rest) <= 4


def again(study: Study) -> list[dict[str, Any]]:
    return rows(study, "SELECT * FROM assignment WHERE purpose = 'repeat'")


@pytest.mark.parametrize("dealt", [True, False])
def test_repeats_come_later_to_the_same_person_and_nobody_is_told(
    grid: Any, study_from: Any, person_in: Any, desk: Any, dealt: bool
) -> None:
    study = study_from(grid(60, conditions=("clean",)), labels=["D", "C"] if dealt else ["D"])
    team = [person_in(study, f"p{n}") for n in (1, 2)]
    drawn = draw_sample(study, Plan(size=None, overlap=0.2, repeats=0.2, deal=dealt, seed=3))
    if dealt:
        assert drawn.dealt is not None
        assert sum(p.n_repeats for p in drawn.dealt.portions) == len(again(study)) > 20
    views = {person.person_id: desk(study, person).finish(yes) for person in team}
    for person in team:
        views[person.person_id] += desk(study, person).finish(yes)
    assert {row["state"] for row in rows(study) if row["purpose"] == "plan"} == {"done"}
    of = {row["assignment_id"]: row for row in rows(study)}
    n_repeats = 0
    for person_id, seen in views.items():
        for pass_ in ("evidence", "correctness"):
            queue = [of[view["assignment_id"]] for view in seen if view["pass"] == pass_]
            firsts = {row["item_id"]: n for n, row in enumerate(queue) if row["purpose"] == "plan"}
            for n, row in enumerate(queue):
                if row["purpose"] == "repeat":
                    n_repeats += 1
                    assert (row["person_id"], row["occasion"]) == (person_id, 2)
                    assert n - firsts[row["item_id"]] > GAP
    assert n_repeats > 8
    if dealt:
        assert n_repeats == len(again(study))
    for view in views["p1"]:
        assert "repeat" not in json.dumps(view)
    for seen in views.values():
        totals = [view["progress"]["of"] for view in seen if view["pass"] == "evidence"]
        assert not dealt or len(set(totals)) == 1, "the count of items would give repeats away"


def test_repeats_change_no_estimate(grid: Any, study_from: Any, person_in: Any, desk: Any) -> None:
    found = []
    for repeats in (0.0, 0.3):
        rows_ = grid(50, conditions=("clean",))
        rows_["verdicts"] = [{"response_id": r["response_id"], "judge": "j", "C": 1, "A": 1, "G": 1, "D": n % 2}
                             for n, r in enumerate(rows_["responses"])]  # fmt: skip
        study = study_from(rows_, name=f"with {repeats}", labels=["C"])
        team = [person_in(study, who) for who in ("p1", "p2")]
        draw_sample(study, Plan(size=45, overlap=0.2, repeats=repeats))
        told: dict[str, int] = {}

        def say(view: dict[str, Any], told: dict[str, int] = told, study: Study = study) -> Any:
            (row,) = rows(study, f"SELECT * FROM assignment WHERE assignment_id = '{view['assignment_id']}'")
            # Firsts say what the item's id says; repeats the opposite.
            value = (sum(map(ord, row["item_id"])) + (row["purpose"] == "repeat")) % 2
            told[row["purpose"]] = told.get(row["purpose"], 0) + 1
            return str(value)

        for person in team:
            desk(study, person).finish(say)
        assert ("repeat" in told) == bool(repeats)
        found.append([(e.metric, e.method, e.value, e.low, e.high) for e in metrics(study, names=["Acc"]).estimates])
    assert found[0] == found[1]


def test_the_decisions_do_not_nest(grid: Any, study_from: Any, person_in: Any) -> None:
    study = study_from(grid(300, conditions=("clean",)), labels=["D"])
    for n in (1, 2, 3):
        person_in(study, f"p{n}")
    draw_sample(study, Plan(size=300, overlap=0.4, core=120, diagnostics=0.4, repeats=0.4, dev=0.4))
    sets = {
        name: {row["item_id"] for row in rows(study, f"SELECT item_id FROM subsample WHERE name = '{name}' "
                                                     "AND item_kind = 'response'")}
        for name in ("overlap", "core", "diagnostics")
    }  # fmt: skip
    sets["first reader"] = {item for (item, order), who in dealt_to(study).items() if order == 1 and who == "p1"}
    own = {item for (item, _), who in dealt_to(study).items() if who == "p2"}
    for one, other in combinations(sets, 2):
        expected = len(sets[one]) * len(sets[other]) / 300
        assert abs(len(sets[one] & sets[other]) - expected) < 30, (one, other)
    repeated = {row["item_id"] for row in again(study) if row["reserved_for"] == "p2"}
    for name in ("overlap", "core", "diagnostics"):
        share = len(own & sets[name]) / len(own)
        assert abs(len(repeated & sets[name]) - share * len(repeated)) < 25, name


def test_the_split_is_one_of_tasks_and_comes_out_with_the_labels(study: Study, person_in: Any, desk: Any) -> None:
    draw_sample(study, Plan(size=None, overlap=0, dev=0.3))
    desk(study, person_in(study, "ann")).finish(yes, limit=60)
    part_of: dict[str, set[Any]] = defaultdict(set)
    for row in exported(study):
        part_of[row["task_id"]].add(row["part"])
    assert {len(parts) for parts in part_of.values()} == {1}
    assert {part for parts in part_of.values() for part in parts} == {"dev", "validation"}
    assert rows(study, "SELECT dev FROM sample") == [{"dev": 0.3}]
