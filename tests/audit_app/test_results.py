"""Numbers that can be worked out by hand, and laws that hold whatever the labels are."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit_app.actions.demo import Demo
from audit_app.actions.judging import judge_check
from audit_app.actions.leak_audit import leak_audit
from audit_app.actions.metric_rows import metric_rows
from audit_app.actions.raters import agreement
from audit_app.actions.report import as_json, as_markdown, report
from audit_app.actions.results import HEADLINE, TAXONOMY, MetricsResult, metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.cli import cli
from audit_app.screens.report import missing
from data.errors import StudyProblem
from data.store import events
from data.store.connection import open_store
from data.study import Study
from metrics.definitions import WARRANTS

DEMO = Path(__file__).parents[2] / "data" / "demo"

# Six tasks, one context each. Target A is ann; S is A (1 - G) with G strict:
#              r0 grounded, r1 silent shift, r2 disclosed shift, r3 weaker side, r4 declines, r5 partly
ANN = {"C": "111000", "A": "111101", "D": "001000", "G": ("established", "not_supported", "not_supported",
       "contradicted", "not_supported", "partly")}  # fmt: skip
BEN = {**ANN, "C": "111001"}
JUDGE = {"C": "111001", "A": "111101", "G": "110100", "D": "001000"}
ITEMS = [f"t0{n}.clean.wren.baseline" for n in range(6)]


def said(by: dict[str, Any], labels: str = "DAGC") -> dict[str, dict[str, str]]:
    return {item: {label: by[label][n] for label in labels} for n, item in enumerate(ITEMS)}


def verdicts(judge: str, by: dict[str, str]) -> list[dict[str, Any]]:
    return [{"response_id": item, "judge": judge, **{k: v[n] for k, v in by.items()}} for n, item in enumerate(ITEMS)]


@pytest.fixture(scope="module")
def drawn_six(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    rows = {**grid(6, conditions=("clean",)), "verdicts": verdicts("judge-1", JUDGE)}
    made: Study = build_study(tmp_path_factory.mktemp("six"), rows, list("DAGC"))
    draw_sample(made, Plan(size=None, overlap=1.0))
    return made


@pytest.fixture
def six(drawn_six: Study, copy_of: Any) -> Study:
    """Six responses, all drawn, all for two people; nobody has labelled yet."""
    copy: Study = copy_of(drawn_six)
    return copy


@pytest.fixture
def labelled_six(six: Study, give_labels: Any, label_rows: Any) -> Study:
    give_labels(six, label_rows("ann", said(ANN)) + label_rows("ben", said(BEN)))
    unseal(six, "a test")
    return six


def values(found: MetricsResult, method: str) -> dict[str, Any]:
    return {e.metric: e.value for e in found.estimates if e.method == method and not e.slice}


def test_a_census_says_what_can_be_counted_by_hand(labelled_six: Study) -> None:
    found = metrics(labelled_six, names=(*HEADLINE, *TAXONOMY))
    by_hand = {
        "Acc": 3 / 6,  # r0 r1 r2
        "SES": 3 / 6,  # r1 r3 r5
        "cSES": 1 / 3,  # r1 of r0 r1 r2
        "ESD": 1 / 4,  # r2 of r1 r2 r3 r5
        "BAS": 2 / 6,  # r0 r2
        "grounded-correct": 1 / 6,
        "ungrounded-correct": 2 / 6,
        "grounded-wrong": 0.0,
        "ungrounded-wrong": 2 / 6,
        "abstention": 1 / 6,
        "ambiguous": 0.0,
        "grounded-of-correct": 1 / 3,  # r0 of r0 r1 r2
        "ungrounded-of-correct": 2 / 3,
    }
    assert values(found, "corrected") == pytest.approx(by_hand)
    assert values(found, "human-only") == pytest.approx(by_hand)
    assert all((e.low, e.high) == (e.value, e.value) for e in found.estimates if e.method != "naive")
    # The judge: C on r0 r1 r2 r5, S on r2 r5, of which r2 is disclosed.
    naive = {"Acc": 4 / 6, "SES": 1 / 6, "cSES": 1 / 4, "ESD": 1 / 2, "BAS": 3 / 6}
    assert {k: v for k, v in values(found, "naive").items() if k in naive} == pytest.approx(naive)
    assert (found.n_labelled, found.n_drawn, found.n_frame) == (6, 6, 6)


def test_lenient_grounding_counts_the_weaker_side_but_never_a_part(labelled_six: Study) -> None:
    found = metrics(labelled_six, grounding="lenient", names=(*HEADLINE, "grounded-wrong"))
    # S is now r1 r2 r5.
    by_hand = {"Acc": 3 / 6, "SES": 2 / 6, "cSES": 1 / 3, "ESD": 1 / 3, "BAS": 2 / 6, "grounded-wrong": 1 / 6}
    assert values(found, "corrected") == pytest.approx(by_hand)


def test_the_judge_against_people_by_hand(labelled_six: Study) -> None:
    labels = judge_check(labelled_six).labels
    # C: people 111000, judge 111001; kappa = (5/6 - 1/2) / (1 - 1/2).
    c, g = labels["C"], labels["G"]
    assert c.counts == ((2, 1), (0, 3))
    assert [c.sensitivity.value, c.specificity.value, c.accuracy.value] == pytest.approx([1, 2 / 3, 5 / 6])
    assert c.kappa.value == pytest.approx(2 / 3)
    # G: people 100000, judge 110100; chance = 1/6 * 3/6 + 5/6 * 3/6 = 1/2.
    assert [g.sensitivity.value, g.specificity.value, g.accuracy.value] == pytest.approx([1, 3 / 5, 4 / 6])
    assert g.kappa.value == pytest.approx(1 / 3)
    lenient = judge_check(labelled_six, grounding="lenient").labels["G"]
    assert lenient.counts == ((3, 1), (0, 2))


def test_people_against_each_other_by_hand(labelled_six: Study) -> None:
    labels = {found.label: found for found in agreement(labelled_six).labels}
    c = {found.name: found.value for found in labels["C"].coefficients}
    # ann 111000, ben 111001: 5 of 6 agree; 7 yes and 5 no, so chance for AC1 is 2 * 7/12 * 5/12 = 35/72.
    assert c["percent_agreement"] == pytest.approx(5 / 6)
    assert c["gwet_ac1"] == pytest.approx((5 / 6 - 35 / 72) / (1 - 35 / 72))
    assert c["krippendorff_alpha_nominal"] == pytest.approx(1 - 11 * 2 / (2 * 5 * 7))
    assert labels["C"].prevalence == {"Yes": 7, "No": 5}
    (pair,) = labels["C"].pairs
    assert (pair["people"], pair["kappa"].value) == (("ann", "ben"), pytest.approx(2 / 3))
    assert labels["G"].coefficients[0].value == 1


PURPOSES = ("calibration", "canary", "repeat", "adjudication")
OTHER_LABELS = st.lists(
    st.tuples(
        st.sampled_from(ITEMS),
        st.sampled_from(["ann", "ben", "eve"]),
        st.sampled_from([("D", "1"), ("D", "0"), ("A", "0"), ("G", "established"), ("G", "partly"), ("C", "0"),
                         ("C", "1"), ("C", None)]),
        st.sampled_from(PURPOSES),
        st.integers(2, 3),
    ),
    min_size=15,
    max_size=40,
    unique_by=lambda row: (row[0], row[1], row[2][0], row[3], row[4]),
)  # fmt: skip


def numbers(study: Study) -> list[Any]:
    found = metrics(study, names=(*HEADLINE, *TAXONOMY), by=["condition"])
    general = metrics(study, about="such tasks", average="regimes", by=["condition"])
    return [found.estimates, found.n_labelled, general.estimates, asdict(judge_check(study)), agreement(study).labels]


@given(others=OTHER_LABELS)
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_only_planned_labels_enter_a_number(
    others: list[Any], labelled_six: Study, give_labels: Any, known: dict[str, Any]
) -> None:
    before = known.setdefault("before", numbers(labelled_six))
    occasion = known["occasion"] = known.get("occasion", 0) + 10
    rows = [
        {"item_id": item, "item_kind": "response", "person_id": person, "label": label, "value": value,
         "purpose": purpose, "occasion": occasion + n}
        for item, person, (label, value), purpose, n in others
    ]  # fmt: skip
    give_labels(labelled_six, rows)
    assert numbers(labelled_six) == before


@pytest.fixture
def known() -> dict[str, Any]:
    return {}


def test_the_first_of_the_plan_counts_not_the_first_to_finish(six: Study, person_in: Any, desk: Any) -> None:
    first, second = desk(six, person_in(six, "first")), desk(six, person_in(six, "second"))
    unseal(six, "a test")
    waiting = first.view()
    no = {"D": "0", "A": "0", "G": "not_supported"}
    second.finish(lambda view: no[view["label"]["name"]], limit=3)
    with open_store(six) as store:
        rows = store.rows("SELECT person_id, plan_order, item_id, state FROM assignment WHERE person_id IS NOT NULL")
    (mine,) = [row for row in rows if row["person_id"] == "first"]
    assert [row["item_id"] for row in rows if (row["plan_order"], row["state"]) == (2, "done")] == [mine["item_id"]]
    # An item whose first person is still at work waits; the second person does not stand in.
    assert (mine["plan_order"], metrics(six).n_labelled) == (1, 0)
    yes = {"D": "1", "A": "1", "G": "established"}
    for _ in range(3):
        waiting = first.answer(waiting, yes[waiting["label"]["name"]])["next"]
    assert metrics(six).n_labelled == 1
    assert judge_check(six).labels["G"].human_prevalence.value == 1


def test_who_waits_is_not_non_response(six: Study, give_labels: Any, label_rows: Any) -> None:
    give_labels(six, label_rows("ann", said(ANN)) + label_rows("ben", {ITEMS[0]: {"C": "0"}}))
    unseal(six, "a test")
    assert values(metrics(six), "corrected")["Acc"] == pytest.approx(3 / 6)


def test_who_could_not_say_is_dropped_and_never_replaced(six: Study, give_labels: Any, label_rows: Any) -> None:
    mine = said(ANN)
    mine[ITEMS[0]]["C"] = "cannot_judge"
    mine[ITEMS[1]] = dict.fromkeys("DAGC", "")  # blank in the file, with a reason: a skip
    give_labels(six, label_rows("ann", mine, reason="unclear") + label_rows("ben", said(BEN)))
    unseal(six, "a test")
    found = metrics(six, names=["Acc", "SES"], floor=2)
    by_name: dict[str, Any] = {e.metric: e for e in found.estimates if e.method == "human-only"}
    # Acc: r2 of r2 r3 r4 r5, all of equal weight; SES: r3 r5 of r0 r2 r3 r4 r5.
    assert (by_name["Acc"].value, by_name["Acc"].n, by_name["Acc"].n_dropped) == (pytest.approx(1 / 4), 4, 2)
    assert (by_name["SES"].value, by_name["SES"].n, by_name["SES"].n_dropped) == (pytest.approx(2 / 5), 5, 1)
    labels = {label.label: label for label in agreement(six).labels}
    assert (labels["C"].n_items, labels["C"].n_dropped, labels["C"].n_cannot_judge) == (4, 2, 1)


def test_a_skip_is_no_label(six: Study, give_labels: Any, label_rows: Any) -> None:
    mine = said(ANN)
    mine[ITEMS[0]] = dict.fromkeys("DAGC", "cannot_judge")
    mine[ITEMS[1]] = dict.fromkeys("DAGC", "")  # blank in the file, with a reason: a skip
    mine[ITEMS[2]] = {**mine[ITEMS[2]], "C": "cannot_judge"}
    give_labels(six, label_rows("ann", {item: mine[item] for item in ITEMS[:5]}, reason="unclear"))
    found = metrics(six, names=["Acc", "SES"], floor=2)
    assert (found.n_labelled, found.n_unusable, found.n_answered, found.n_drawn) == (3, 2, 5, 6)
    assert "3 of 6 drawn responses are labelled, 2 were skipped or could not be judged;" in found.sentence
    unseal(six, "a test")
    shown = {row["metric"]: row["labels"] for row in metric_rows(metrics(six, names=["Acc", "SES"], floor=2).estimates)}
    assert shown == {"Acc": "2", "SES": "3"}
    assert "1 of 6 drawn responses are not labelled yet." in missing(found)


def resolve(study: Study, item: str, label: str, value: str) -> None:
    with open_store(study) as store:
        events.resolve(store, {"item_id": item, "item_kind": "response", "label": label, "value": value,
                               "person_id": "ann", "resolves": []})  # fmt: skip


def test_target_b_is_the_resolution_else_the_adjudication_else_the_unanimous_label(
    labelled_six: Study, give_labels: Any, label_rows: Any
) -> None:
    # ann and ben differ on C of r5 only.
    def acc() -> tuple[Any, int, int]:
        (found,) = [e for e in metrics(labelled_six, names=["Acc"], target="B", floor=2).estimates
                    if e.method == "human-only"]  # fmt: skip
        return found.value, found.n, found.n_dropped

    waiting = metrics(labelled_six, names=["Acc"], target="B", floor=2).settled
    assert waiting is not None
    assert (waiting.n_settled["Acc"] < 6, waiting.n_undecided) == (True, 1)
    give_labels(labelled_six, label_rows("zoe", {ITEMS[5]: {"C": "1"}, ITEMS[0]: {"C": "0"}}, purpose="adjudication"))
    assert acc() == (pytest.approx(3 / 6), 6, 0)
    resolve(labelled_six, ITEMS[5], "C", "0")
    resolve(labelled_six, ITEMS[0], "C", "1")
    assert acc() == (pytest.approx(3 / 6), 6, 0)
    resolve(labelled_six, ITEMS[5], "C", "1")
    assert acc() == (pytest.approx(4 / 6), 6, 0)
    assert values(metrics(labelled_six, names=["Acc"]), "corrected")["Acc"] == pytest.approx(3 / 6)
    assert "target B" in metrics(labelled_six, target="B").sentence


def test_target_b_leaves_adjudications_outside_the_overlap_out(
    grid: Any, study_from: Any, give_labels: Any, label_rows: Any
) -> None:
    study = study_from(grid(6, conditions=("clean",)))
    draw_sample(study, Plan(size=None, overlap=0.5))
    unseal(study, "a test")
    give_labels(study, label_rows("ann", {item: {"C": "1"} for item in ITEMS}))
    give_labels(study, label_rows("zoe", {item: {"C": "0"} for item in ITEMS}, purpose="adjudication"))
    found = metrics(study, names=["Acc"], target="B", floor=2)
    assert (found.n_labelled, found.settled and found.settled.n_settled) == (6, {"Acc": 3})
    # One person said yes of all six, and the three of the overlap became no: 6 - 2 * 3.
    assert values(found, "human-only")["Acc"] == 0
    assert all(e.n == 6 for e in found.estimates if e.method == "human-only")


def leaves(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{at}.{name}")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner, at)
    else:
        yield at, value


NUMBERS = re.compile(r"\d+\.\d+(?! points wide)|\d+ ?%(?!, for these)")


def test_sealed_results_tell_widths_and_nothing_else(demo_copy: Study) -> None:
    with open_store(demo_copy) as store:
        store.change("DELETE FROM setting", [])
    for found in (metrics(demo_copy), metrics(demo_copy, by=["condition"], names=(*HEADLINE, *TAXONOMY))):
        assert not found.seal.is_open
        assert all(e.value is e.low is e.high is None for e in found.estimates)
        assert any("points wide" in (e.why_undefined or "") for e in found.estimates)
        assert not any("in the denominator" in (e.why_undefined or "") for e in found.estimates)
    sealed = report(demo_copy)
    told = dict.fromkeys(name for name, _ in leaves(json.loads(as_json(sealed))))
    places = [(name, value) for name, value in leaves(json.loads(as_json(sealed)))
              if name.rsplit(".")[-1] in ("value", "low", "high")]  # fmt: skip
    assert told
    assert {value for _, value in places} == {None}
    assert NUMBERS.findall(as_markdown(sealed)) == []
    assert "points wide" in as_markdown(sealed)


@pytest.mark.parametrize("command", [["metrics"], ["metrics", "--by", "condition", "--taxonomy"], ["report"],
                                     ["metrics", "--target", "B"]])  # fmt: skip
def test_the_sealed_command_line_tells_no_number(demo_copy: Study, command: list[str]) -> None:
    with open_store(demo_copy) as store:
        store.change("DELETE FROM setting", [])
    result = CliRunner().invoke(cli, [*command, "--study", str(demo_copy.path)])
    assert result.exit_code == 0
    assert "sealed" in result.output
    assert NUMBERS.findall(result.stdout) == []


@pytest.mark.parametrize("ask", [judge_check, agreement])
def test_sealed_comparisons_are_refused_in_a_sentence(demo_copy: Study, ask: Callable[[Study], Any]) -> None:
    with open_store(demo_copy) as store:
        store.change("DELETE FROM setting", [])
    with pytest.raises(StudyProblem, match=r"sealed: \d+ planned assignments"):
        ask(demo_copy)


def test_results_open_by_themselves_when_all_is_labelled(six: Study, give_labels: Any, label_rows: Any) -> None:
    give_labels(six, label_rows("ann", said(ANN)))
    assert not metrics(six).seal.is_open
    give_labels(six, label_rows("ben", said(BEN)))
    found = metrics(six)
    assert (found.seal.is_open, found.seal.reason) == (True, None)


def test_an_unscored_verdict_is_counted_and_never_a_no(
    grid: Any, study_from: Any, give_labels: Any, label_rows: Any
) -> None:
    rows = verdicts("judge-1", JUDGE)
    rows[0] = {"response_id": ITEMS[0], "judge": "judge-1", "unscored_reason": "cut off"}
    rows[1].pop("C")
    study = study_from({**grid(6, conditions=("clean",)), "verdicts": rows}, labels=list("DAGC"))
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, label_rows("ann", said(ANN)))
    (naive, _, corrected) = metrics(study, names=["Acc"]).estimates
    # Scored are r2 r3 r4 r5, correct of them r2 r5.
    assert (naive.value, naive.n, naive.n_dropped) == (2 / 4, 4, 2)
    assert corrected.value == pytest.approx(3 / 6)
    check = judge_check(study).labels["C"]
    assert (check.n, check.n_dropped) == (4, 2)


def test_each_judge_has_its_own_numbers(grid: Any, study_from: Any, give_labels: Any, label_rows: Any) -> None:
    other = {**JUDGE, "C": "000000"}
    study = study_from(
        {**grid(6, conditions=("clean",)), "verdicts": verdicts("b", JUDGE) + verdicts("a", other)[:4]},
        labels=list("DAGC"),
    )
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, label_rows("ann", said(ANN)))
    assert metrics(study).judge == "b"  # the one with the most verdicts
    assert values(metrics(study, judge="a"), "naive")["Acc"] == 0
    assert values(metrics(study, judge="b"), "naive")["Acc"] == pytest.approx(4 / 6)
    assert (judge_check(study, judge="a").labels["C"].n, judge_check(study, judge="b").labels["C"].n) == (4, 6)
    for judge in "ab":
        assert values(metrics(study, judge=judge), "corrected")["Acc"] == pytest.approx(3 / 6)
    with pytest.raises(StudyProblem, match="judges are b, a"):
        metrics(study, judge="c")


def test_without_a_judge_people_alone_are_reported(
    grid: Any, study_from: Any, give_labels: Any, label_rows: Any
) -> None:
    study = study_from(grid(6, conditions=("clean",)), labels=list("DAGC"))
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, label_rows("ann", said(ANN)))
    found = metrics(study)
    assert (found.judge, values(found, "corrected")["Acc"]) == (None, pytest.approx(3 / 6))
    naive = next(e for e in found.estimates if e.method == "naive")
    assert (naive.value, naive.why_undefined) == (None, "undefined: no response has a usable judge label")
    with pytest.raises(StudyProblem, match="no verdicts are imported"):
        judge_check(study)
    assert any("no verdicts" in line for line in report(study).missing)


def test_a_study_of_correctness_only(grid: Any, study_from: Any, give_labels: Any, label_rows: Any) -> None:
    rows = {**grid(6, conditions=("clean",)), "verdicts": verdicts("judge-1", {"C": JUDGE["C"]})}
    study = study_from(rows, labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, label_rows("ann", said(ANN, "C")))
    found = metrics(study)
    assert {e.metric for e in found.estimates} == {"Acc"}
    assert values(found, "corrected") == {"Acc": pytest.approx(3 / 6)}
    assert list(judge_check(study).labels) == ["C"]
    json.loads(as_json(report(study)))


def test_before_anybody_has_labelled_there_is_a_sentence_for_everything(six: Study) -> None:
    unseal(six, "a test")
    found = metrics(six, by=["condition"])
    assert all(e.why_undefined for e in found.estimates if e.method != "naive")
    assert all(label.kappa.why_undefined for label in judge_check(six).labels.values())
    assert agreement(six).labels == ()
    json.loads(as_json(report(six)))
    assert "0 of 6 drawn" in as_markdown(report(six))


def test_weights_are_the_inverse_of_the_drawn_share(grid: Any, study_from: Any, give_labels: Any) -> None:
    rows = grid(12, contexts=False, models=("big", "small"))
    rows["responses"] = [r for r in rows["responses"] if r["model"] == "big" or r["task_id"] < "t04"]
    study = study_from(rows, labels=["C"])
    draw_sample(study, Plan(size=8, overlap=0))
    with open_store(study) as store:
        drawn = pd.DataFrame(store.rows("SELECT * FROM draw"))
    drawn["C"] = (drawn["item_id"] < "t06").astype(int)
    give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": "ann", "label": "C", "value": str(c)}
                        for item, c in zip(drawn["item_id"], drawn["C"], strict=True)])  # fmt: skip
    assert drawn.groupby("stratum")["stratum_size"].first().to_dict() == {"big": 12, "small": 4}
    mean = drawn.groupby("stratum").agg(C=("C", "mean"), N=("stratum_size", "first"))
    found = metrics(study, floor=2)
    assert values(found, "human-only")["Acc"] == pytest.approx((mean["C"] * mean["N"]).sum() / 16)


def terms(labels: pd.DataFrame) -> pd.DataFrame:
    """Numerator and denominator of each headline metric, written out once more."""
    c, a, g, d = (labels[name].astype(float) for name in "CAGD")
    s = a * (1 - g)
    one = c * 0 + 1
    return pd.DataFrame(
        {
            "Acc": c, "Acc/": one, "SES": s * (1 - d), "SES/": one, "cSES": c * s * (1 - d), "cSES/": c,
            "ESD": s * d, "ESD/": s, "BAS": c * (1 - s * (1 - d)), "BAS/": one,
        }
    )  # fmt: skip


def read(name: str) -> pd.DataFrame:
    return pd.read_json(DEMO / f"{name}.jsonl", lines=True, dtype=False)


def test_the_demo_by_hand(finished_demo: Demo) -> None:
    """Files in, numbers out: naive and Horvitz-Thompson once more from the raw files, by other means."""
    verdict = read("verdicts").query("judge == 'heron-judge'").set_index("response_id")[list("CAGD")]
    given = read("labels").query("item_kind == 'response'").drop_duplicates(["item_id", "label"])
    human = given.pivot(index="item_id", columns="label", values="value")
    human["G"] = (human["G"] == "established").astype(int)
    with open_store(finished_demo.study) as store:
        draws = pd.DataFrame(store.rows("SELECT * FROM draw WHERE item_kind = 'response'")).set_index("item_id")
    weight = 1 / draws["inclusion_probability"].loc[human.index]
    naive, people = terms(verdict).sum(), terms(human).mul(weight, axis=0).sum()
    pattern = verdict.loc[human.index].astype(str).agg("".join, axis=1)
    found = metrics(finished_demo.study)
    for name in HEADLINE:
        assert values(found, "naive")[name] == pytest.approx(naive[name] / naive[f"{name}/"])
        assert values(found, "human-only")[name] == pytest.approx(people[name] / people[f"{name}/"])
    assert weight.sum() == pytest.approx(480)
    # Corrected accuracy: the share people call correct per judge's C, over all 480.
    correct = human["C"].astype(int).groupby(verdict.loc[human.index, "C"]).mean()
    assert values(found, "corrected")["Acc"] == pytest.approx(verdict["C"].map(correct).mean())
    assert len(pattern) == 240


def test_the_corrected_intervals_mostly_hold_the_truth_of_the_key(finished_demo: Demo) -> None:
    key = read("answer_key").query("kind == 'response'").copy()
    key["G"] = key["G"] == "established"
    truth = terms(key).sum()
    held = {}
    for estimate in metrics(finished_demo.study).estimates:
        if estimate.method == "corrected":
            assert estimate.low is not None
            assert estimate.high is not None
            share = truth[estimate.metric] / truth[f"{estimate.metric}/"]
            held[estimate.metric] = estimate.low <= share <= estimate.high
    print(f"\n{sum(held.values())} of {len(held)} corrected intervals hold the key's truth: {held}")
    assert sum(held.values()) > len(held) / 2


def test_a_report_without_conditions_or_agreement_is_whole(
    grid: Any, study_from: Any, give_labels: Any, label_rows: Any
) -> None:
    study = study_from(grid(6, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, label_rows("ann", {f"t0{n}.wren.baseline": {"C": "1"} for n in range(6)}))
    found = report(study)
    assert found.by_condition is None
    assert "## By condition" not in as_markdown(found)
    assert replace(found, missing=()).missing == ()


def test_warrants_need_the_labels_a_and_c_alone(grid: Any, study_from: Any, give_labels: Any, label_rows: Any) -> None:
    study = study_from(grid(40, conditions=("clean",)), labels=["A", "C", "answerable"])
    draw_sample(study, Plan(size=None, contexts=40, overlap=0))
    said = {f"t{n:02}.clean.wren.baseline": {"A": str(n % 2), "C": str(n % 2)} for n in range(40)}
    give_labels(study, label_rows("ann", said))
    unseal(study, "a test")
    found = metrics(study, names=tuple(sorted(WARRANTS)))
    assert found.sentence == "None of the metrics asked for can be had here."
    assert "(no context of a labelled response is audited yet)" in str(found.left_out)
    assert leak_audit(study).abstentions == ()
    assert "Which abstentions were warranted is not known: Left out: abstention-" in leak_audit(study).sentence
    answers = {f"t{n:02}.clean": {"answerable": "established" if n < 30 else "not_established"} for n in range(40)}
    give_labels(study, label_rows("bea", answers, kind="context"))
    # Every other response abstains: 15 of 30 where the context establishes an answer, 5 of 10 where it does not.
    shares = {one.metric: one.value for one in leak_audit(study).abstentions}
    assert shares == {"abstention-unwarranted": pytest.approx(15 / 40), "abstention-warranted": pytest.approx(5 / 40)}
    assert metrics(study, names=tuple(sorted(WARRANTS))).left_out is None


def test_abstentions_are_split_by_what_the_context_audit_found(demo_copy: Study) -> None:
    shares = values(metrics(demo_copy, names=("abstention", *sorted(WARRANTS))), "human-only")
    parts = shares["abstention-warranted"] + shares["abstention-unwarranted"]
    assert parts == pytest.approx(shares["abstention"])
    assert shares["abstention-warranted"] > shares["abstention-unwarranted"] > 0
    naive = values(metrics(demo_copy, names=tuple(WARRANTS)), "naive")
    assert naive == {}
