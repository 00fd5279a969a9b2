"""What adjudication came to: reported before and after, withheld where it would mislead, exported with its reasons."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions import adjudicating
from audit_app.actions.disputes import Disputes, disputes
from audit_app.actions.exporting import exported
from audit_app.actions.raters import agreement
from audit_app.actions.report import as_markdown, report
from audit_app.actions.results import metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.withholding import Withheld
from audit_app.cli import cli
from data.errors import StudyProblem
from data.study import Study, open_study, replace_text

N = 8
ITEMS = [f"t{n:02}.clean.wren.baseline" for n in range(N)]
INFORMATIVE = '[adjudication]\norder = "informative"\n'


@pytest.fixture(scope="module")
def answered(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Eight responses that two people labelled: Ann says yes to all, Ben no to two."""
    made: Study = build_study(tmp_path_factory.mktemp("answered"), grid(N, conditions=("clean",)), ["D"])
    draw_sample(made, Plan(size=None, overlap=1.0, seed=1))
    return made


@pytest.fixture
def study(answered: Study, copy_of: Any, give_labels: Any) -> Study:
    study: Study = copy_of(answered)
    for who, noes in (("ann", ()), ("ben", ITEMS[:2])):
        give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": who, "label": "D",
                             "value": str(int(item not in noes))} for item in ITEMS])  # fmt: skip
    return study


@pytest.fixture
def zoe(study: Study, person_in: Any) -> Any:
    return person_in(study, "zoe", role="adjudicator")


def decide_one(study: Study, person: Any, value: str = "0", vote: str = "1") -> None:
    view = adjudicating.next_case(study, person)
    sent = {"assignment_id": view["assignment_id"], "label": "D", "client_seq": view["client_seq"]}
    adjudicating.vote(study, person, {**sent, "value": vote})
    adjudicating.decide(study, person, {**sent, "value": value, "reason": "it does not", "cause": "slip"})


def informative(study: Study, *, on: bool = True) -> Study:
    text = (study.path / "study.toml").read_text().partition("[adjudication]")[0]
    replace_text(study.path / "study.toml", text + (INFORMATIVE if on else ""))
    return open_study(study.path)


def ask(study: Study, *words: str) -> Any:
    return CliRunner().invoke(cli, [*words, "--study", str(study.path)])


def test_both_before_and_after_are_reported(study: Study, zoe: Any) -> None:
    before = agreement(study)
    (waiting,) = before.decisions
    assert (waiting.n_waiting, waiting.n_decided, waiting.n_labels, waiting.n_final) == (2, 0, 12, 12)
    decide_one(study, zoe)
    decide_one(study, zoe, value="1")
    after = agreement(study)
    assert after.labels == before.labels
    (one,) = after.decisions
    assert (one.n_waiting, one.n_decided) == (0, 2)
    # Ann was overruled once. Of the two disputed items one of two answers is the decision each: 12 + 2 of 16.
    assert (one.n_changed, one.n_first, one.n_final, one.n_labels) == (1, 2, 14, 16)
    assert (one.n_kept, one.n_votes, one.causes) == (1, 2, {"slip": 2})
    printed = ask(study, "agreement").output
    assert "first answer changed" in printed
    assert "Adjudication changes none of these figures" in printed
    page = as_markdown(report(study))
    assert "What adjudicators decided:" in page


def test_target_b_comes_with_the_numbers_before_adjudication(
    grid: Any, study_from: Any, give_labels: Any, person_in: Any
) -> None:
    study = study_from(grid(N, conditions=("clean",)), labels=["C"])
    draw_sample(study, Plan(size=None, overlap=1.0))
    for who, noes in (("ann", ()), ("ben", ITEMS[:2])):
        give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": who, "label": "C",
                             "value": str(int(item not in noes))} for item in ITEMS])  # fmt: skip
    give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": "zoe", "label": "C", "value": "0",
                         "purpose": "adjudication"} for item in ITEMS[:2]])  # fmt: skip
    found = metrics(study, names=["Acc"], target="B", floor=2)
    value = {e.method: e.value for e in found.estimates}
    earlier = {e.method: e.value for e in found.before}
    assert value["human-only"] == pytest.approx(6 / 8)
    assert earlier["human-only"] == 1
    assert metrics(study, names=["Acc"]).before == ()
    printed = ask(study, "metrics", "--target", "B", "--floor", "2").output
    assert "before adjudication" in printed
    rows = json.loads(ask(study, "metrics", "--target", "B", "--floor", "2", "--metric", "Acc", "--json").stdout)
    assert {row["method"]: row["before"]["value"] for row in rows}["human-only"] == 1


def test_most_informative_first_withholds_target_b_until_the_queue_is_empty(study: Study, zoe: Any) -> None:
    assert adjudicating.next_case(study, zoe)["state"] == "view"
    metrics(study, names=["ESD"], target="B")
    chosen = informative(study)
    with pytest.raises(Withheld, match="withheld until the queue is empty: 2 labels wait"):
        metrics(chosen, target="B")
    assert any("withheld until the queue is empty" in line for line in report(chosen).missing)
    assert "most informative first" in " ".join(disputes(chosen).sentences)
    decide_one(chosen, zoe)
    # Changed back, what was decided is still no random share.
    with pytest.raises(Withheld, match="1 labels wait for a decision, and the most informative came first"):
        metrics(informative(study, on=False), target="B")
    decide_one(chosen, zoe)
    assert metrics(chosen, target="B").target == "B"


def test_an_order_that_there_is_not_is_refused(study: Study) -> None:
    replace_text(study.path / "study.toml", '[adjudication]\norder = "easy"\n')
    with pytest.raises(StudyProblem, match='expected a table with order = "random" or "informative"'):
        open_study(study.path)


def test_the_most_informative_comes_first(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = study_from(grid(N, conditions=("clean",)), labels=["D"])
    draw_sample(study, Plan(size=None, overlap=1.0, people=4))
    for k, who in enumerate(("ann", "ben", "cyd", "dan")):
        give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": who, "label": "D",
                             "value": str(int(k < (2 if item == ITEMS[5] else 3)))} for item in ITEMS])  # fmt: skip
    assert disputes(informative(study)).waiting[0].item_id == ITEMS[5]
    assert disputes(informative(study)).waiting[0].why == ("tie",)
    numbers = [one.item_id for one in disputes(informative(study)).waiting[1:]]
    assert numbers == [one.item_id for one in disputes(informative(study, on=False)).waiting if one.item_id != ITEMS[5]]


def test_the_list_says_what_waits_and_not_what_people_said(study: Study, zoe: Any) -> None:
    found = json.loads(ask(study, "adjudicate", "list", "--json").stdout)
    assert (found["order"], found["n_waiting"], found["n_adjudicators"]) == ("random", 2, 1)
    assert found["reasons"] == {"disagreement": 0, "tie": 2, "slip": 0, "flag": 0}
    assert {row["item_id"] for row in found["waiting"]} == set(ITEMS[:2])
    assert all(set(row) == {"item_id", "item_kind", "pass", "label", "why", "n_answers", "in_hand", "nobody"}
               for row in found["waiting"])  # fmt: skip
    adjudicating.next_case(study, zoe)
    printed = ask(study, "adjudicate", "list").output
    assert "2 labels of 2 items wait for a decision; decided so far: 0." in printed
    assert printed.count("zoe") == 1


def test_what_nobody_can_decide_is_said(study: Study, person_in: Any) -> None:
    assert "Nobody can decide" in " ".join(disputes(study).sentences)
    yan = person_in(study, "yan", role="adjudicator")
    for _ in ITEMS[:2]:
        view = adjudicating.next_case(study, yan)
        adjudicating.vote(study, yan, {"assignment_id": view["assignment_id"], "label": "skip", "comment": "unclear"})
    assert "2 labels can be decided by none of the 1 adjudicators" in " ".join(disputes(study).sentences)
    with pytest.raises(StudyProblem, match="Only leads"):
        disputes(study, by=yan)


def test_an_export_has_the_decision_with_its_reason_and_the_vote_before_it(study: Study, zoe: Any) -> None:
    decide_one(study, zoe)
    view = adjudicating.next_case(study, zoe)
    adjudicating.vote(study, zoe, {"assignment_id": view["assignment_id"], "label": "D", "value": "1",
                                   "client_seq": view["client_seq"]})  # fmt: skip
    rows = [row for row in exported(study) if row["purpose"] == "adjudication"]
    assert sorted((row["value"] or "", row["vote"], row.get("cause"), row["reason"]) for row in rows) == [
        ("", "1", None, None),
        ("0", "1", "slip", "it does not"),
    ]


def test_an_imported_adjudication_is_a_decision_without_a_vote(study: Study, give_labels: Any) -> None:
    give_labels(study, [{"item_id": ITEMS[0], "item_kind": "response", "person_id": "zoe", "label": "D", "value": "0",
                         "purpose": "adjudication", "comment": "clear"}])  # fmt: skip
    (one,) = agreement(study).decisions
    assert (one.n_decided, one.n_waiting, one.n_votes) == (1, 1, 0)
    (row,) = [row for row in exported(study) if row["purpose"] == "adjudication"]
    assert (row["value"], row["vote"], row["reason"]) == ("0", None, "clear")


def test_one_item_comes_up_and_several_come_up() -> None:
    def said(n: int) -> str:
        return Disputes(order="random", waiting=(), n_unripe=n, n_decided=0, n_adjudicators=1).sentences[-1]

    assert said(1) == "1 item will come up once everybody of the plan has labelled it."
    assert said(2).startswith("2 items will come up")
