"""Judges beside people and each other on the same items, their families, and what changes between two dates."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.demo import Demo
from audit_app.actions.judge_pairs import PEOPLE
from audit_app.actions.judges import JudgesQuestion, compare_judges
from audit_app.actions.judges_tables import drift_rows, family_rows, pair_rows, sentences, tables
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.errors import StudyProblem
from data.study import Study

N = 24
MODELS = ("owl", "wren")
PEOPLE_SAY = [n % 2 for n in range(2 * N)]
"""C of every response: first of owl, then of wren, task by task."""
KIND_TO_OWL = [1 if n % 2 == 0 else PEOPLE_SAY[n] for n in range(2 * N)]
LATER = [value if n % 4 else 0 for n, value in enumerate(KIND_TO_OWL)]


@pytest.fixture(scope="module")
def made(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, list[str]]:
    rows = grid(N, conditions=("clean",), models=MODELS)
    ids = [row["response_id"] for row in rows["responses"]]
    verdicts = [
        {"response_id": item, "judge": judge, "C": said[n]}
        for judge, said in (
            ("exact", PEOPLE_SAY),
            ("owlish", KIND_TO_OWL),
            ("owlish-2", LATER),
            ("always", [1] * 2 * N),
        )
        for n, item in enumerate(ids)
        if (judge, n) != ("exact", 0)
    ]
    study = build_study(tmp_path_factory.mktemp("judges"), {**rows, "verdicts": verdicts}, ["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    return study, ids


@pytest.fixture
def labelled(made: Any, copy_of: Any, give_labels: Any, label_rows: Any) -> Study:
    study: Study = copy_of(made[0])
    said = {item: {"C": str(value)} for item, value in zip(made[1], PEOPLE_SAY, strict=True)}
    give_labels(study, label_rows("ann", said))
    return study


def test_every_two_are_compared_on_the_same_responses(labelled: Study) -> None:
    found = compare_judges(labelled, JudgesQuestion(judges=("exact", "owlish")))
    numbers = {(one.first, one.second): (one.percent.value, one.n) for one in found.pairs}
    # The judge "exact" said nothing of the first response, so that this one counts for nobody.
    assert numbers == {
        ("exact", PEOPLE): (1.0, 2 * N - 1),
        ("owlish", PEOPLE): (pytest.approx(24 / 47), 2 * N - 1),
        ("exact", "owlish"): (pytest.approx(24 / 47), 2 * N - 1),
    }
    assert [row["label"] for row in pair_rows(found)] == ["C"] * 3
    assert "exact on C (100.0 %)" in found.sentence


def test_a_reason_names_the_judge_and_not_people(labelled: Study) -> None:
    found = compare_judges(labelled, JudgesQuestion(judges=("exact", "always")))
    reasons = {(one.first, one.second): one.kappa.why_undefined for one in found.pairs}
    n = 2 * N - 1
    assert reasons == {
        ("exact", PEOPLE): None,
        ("always", PEOPLE): f"undefined: the judge said Yes on all {n} rows",
        ("exact", "always"): f"undefined: always said Yes on all {n} rows",
    }


def test_metrics_and_orders_under_each_judge_are_those_of_the_chosen(labelled: Study) -> None:
    found = compare_judges(labelled, JudgesQuestion(judges=("exact", "owlish")))
    assert {judge for judge, _ in found.numbers} == {"exact", "owlish"}
    assert {one.metric for _, one in found.numbers} == {"Acc"}
    assert {one.method for _, one in found.numbers} == {"naive", "corrected"}
    assert {one.first for one in found.orders} | {one.second for one in found.orders} <= {
        "exact", "owlish", "people (corrected)"}  # fmt: skip


def test_a_judge_that_is_kind_to_its_own_family_is_told(labelled: Study) -> None:
    families = {"owlish": ("owl",), "exact": ("owl",)}
    kind, exact = compare_judges(labelled, JudgesQuestion(families=families)).families
    # Responses alternate by model: owl's are the even ones, of which people call none right, and the judge all.
    assert (kind.found.own, kind.found.others) == (1.0, 0.0)
    assert (kind.found.difference.value, exact.found.difference.value) == (1.0, 0.0)
    found = compare_judges(labelled, JudgesQuestion(families=families))
    assert family_rows(found)[0]["own − others"].startswith("+100.0")
    assert any(said.startswith("Judge exact on C of its own family (owl): no preference") for said in sentences(found))


def test_drift_is_later_less_earlier_with_flips_both_ways(labelled: Study) -> None:
    found = compare_judges(labelled, JudgesQuestion(drift=("owlish", "owlish-2")))
    (drift,) = found.drift
    # LATER takes back every fourth response: 12 of 48, all of them yes before.
    assert (drift.label, drift.flips.n) == ("C", 2 * N)
    assert drift.difference.value == pytest.approx(-0.25)
    assert (drift.flips.only_first, drift.flips.only_second) == (0, 12)
    assert drift.p is not None
    assert drift.p_adjusted == drift.p < 0.01
    assert drift_rows(found)[0]["yes to no"] == "12"
    assert any("Between owlish and owlish-2 these labels moved: C by -25.0" in said for said in sentences(found))


def test_while_sealed_there_is_drift_and_nothing_else(made: Any) -> None:
    with pytest.raises(StudyProblem, match="Results are sealed"):
        compare_judges(made[0], JudgesQuestion())
    found = compare_judges(made[0], JudgesQuestion(drift=("owlish", "owlish-2")))
    assert set(tables(found)) == {"Drift between two dates"}
    assert any("Results are sealed" in note for note in found.notes)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (JudgesQuestion(judges=("nobody",)), "judge 'nobody' gave no verdicts here"),
        (JudgesQuestion(families={"exact": ("lark",)}), "no model 'lark' for the family of exact; there are owl, wren"),
        (JudgesQuestion(drift=("exact", "exact")), "no response has verdicts of both"),
        (JudgesQuestion(drift=("exact", "nobody")), "no response has verdicts of both"),
    ],
)
def test_what_is_not_there_is_said(labelled: Study, question: JudgesQuestion, message: str) -> None:
    with pytest.raises(StudyProblem, match=message):
        compare_judges(labelled, question)


def test_the_command_prints_tables_and_sentences(finished_demo: Demo) -> None:
    where = ["--study", str(finished_demo.study.path)]
    plain = CliRunner().invoke(cli, ["judge", "compare", "--family", "heron-judge=wren-8b", *where])
    assert plain.exit_code == 0, plain.output
    for heading in (
        "Agreement on the same responses",
        "Metrics under each judge",
        "Does a judge prefer its own family?",
    ):
        assert heading in plain.stdout
    assert "Nearest to people" in plain.stderr
    told = json.loads(CliRunner().invoke(cli, ["judge", "compare", "--json", *where]).stdout)
    assert {one["label"] for one in told["pairs"]} == {"D", "A", "G", "C"}
    assert told["sentences"][0].startswith("Nearest to people")


@pytest.mark.parametrize(
    ("option", "message"), [(["--family", "exact"], "JUDGE=MODEL"), (["--drift", "one"], "EARLIER,LATER")]
)
def test_options_that_are_none_are_refused(finished_demo: Demo, option: list[str], message: str) -> None:
    ended = CliRunner().invoke(cli, ["judge", "compare", *option, "--study", str(finished_demo.study.path)])
    assert ended.exit_code == 2
    assert message in ended.stderr
