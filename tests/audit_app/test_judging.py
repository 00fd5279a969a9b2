"""A judge beside people: slices, diagnostics, what two people reach, and whether it may stand in for one."""

import json
import re
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from agreement.alternative_annotator import alternative_annotator_test
from audit_app.actions.demo import Demo
from audit_app.actions.judge_rows import (
    alternative_rows,
    alternative_sentence,
    ceiling_rows,
    cell_rows,
    contest_rows,
    diagnostic_rows,
    judge_rows,
    more_rows,
    refusals,
    verdict_rows,
)
from audit_app.actions.judging import JudgeCheck, judge_check
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.cli import cli
from data.errors import StudyProblem
from data.study import Study

N = 36
ITEMS = [f"t{n:02}.{condition}.wren.baseline" for n in range(18) for condition in ("clean", "evidence_absence")]
C = {
    "ann": [n % 2 for n in range(N)],
    "ben": [n % 2 ^ (n % 9 == 0) for n in range(N)],
    "eve": [n % 2 ^ (n % 7 == 0) for n in range(N)],
}
JUDGE = [n % 2 ^ (n % 12 == 0) for n in range(N)]
SCALE = [n % 3 for n in range(N)]
"""A diagnostic, as people have it; the judge says one more, where it can, on every sixth item."""
HIGHER = [min(2, value + (n % 6 == 0)) for n, value in enumerate(SCALE)]


@pytest.fixture(scope="module")
def drawn(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    verdicts = [
        {"response_id": item, "judge": "judge-1", "C": c, "provenance_honesty": value}
        for item, c, value in zip(ITEMS, JUDGE, HIGHER, strict=True)
    ]
    rows = {**grid(18), "verdicts": verdicts}
    made: Study = build_study(tmp_path_factory.mktemp("core"), rows, ["provenance_honesty", "C"])
    draw_sample(made, Plan(size=None, overlap=1.0, diagnostics=1.0))
    unseal(made, "a test")
    return made


@pytest.fixture
def study_of(drawn: Study, copy_of: Any, give_labels: Any, label_rows: Any) -> Any:
    """The study as these people labelled its first items."""

    def make(*people: str, items: int = N) -> Study:
        study: Study = copy_of(drawn)
        for person in people:
            said = {
                item: {"C": str(int(c)), "provenance_honesty": str(value)}
                for item, c, value in list(zip(ITEMS, C[person], SCALE, strict=True))[:items]
            }
            give_labels(study, label_rows(person, said))
        return study

    return make


def test_a_slice_by_hand(study_of: Any) -> None:
    study = study_of("ann")
    found = judge_check(study, by=["condition"])
    assert [part.slice for part in found.slices] == [{"condition": "clean"}, {"condition": "evidence_absence"}]
    clean, absence = (part.labels["C"] for part in found.slices)
    # ann says yes to every second item, which are those of evidence absence; the judge errs on 0 12 24, of clean.
    assert (clean.counts, absence.counts) == (((15, 3), (0, 0)), ((0, 0), (0, 18)))
    assert clean.specificity.value == pytest.approx(15 / 18)
    assert clean.sensitivity.value is None
    assert (clean.n, clean.n_dropped, clean.specificity.n_dropped) == (18, 0, 0)
    rows = judge_rows(found)
    assert [row["slice"] for row in rows] == ["all", "clean", "evidence_absence"]
    assert "undefined: " in rows[1]["note"]
    with pytest.raises(StudyProblem, match="unknown slice column 'colour'"):
        judge_check(study, by=["colour"])


def test_trust_is_told_by_slice_too(study_of: Any) -> None:
    found = judge_check(study_of("ann"), by=["condition"])
    clean, absence = (part.verdicts for part in found.slices)
    # Of clean contexts people always say no, which the judge does less often; of the others it errs never, but nobody
    # says no, so that nothing is known of its specificity.
    words = [("C", "not trusted"), ("C", "cannot be told")]
    assert [(one.label, one.word) for one in (*clean, *absence)] == words
    assert "always saying the same" in clean[0].reason
    rows = verdict_rows(found)
    assert [(row["slice"], row["trust"]) for row in rows[1:]] == [
        ("clean", "not trusted"), ("evidence_absence", "cannot be told")]  # fmt: skip
    (whole,) = found.verdicts
    assert (rows[0]["slice"], rows[0]["trust"], rows[0]["why"]) == ("all", whole.word, whole.reason)


def test_the_command_tells_trust_by_slice(finished_demo: Demo) -> None:
    where = ["judge", "check", "--by", "condition", "--study", str(finished_demo.study.path)]
    told = json.loads(CliRunner().invoke(cli, [*where, "--json"]).stdout)
    assert [one["label"] for one in told["slices"][0]["verdicts"]] == list(told["labels"])
    shown = CliRunner().invoke(cli, [*where, "--all"]).stdout
    (head,) = [line for line in shown.splitlines() if re.search(r"^label +slice +trust", line)]
    assert "trust" not in CliRunner().invoke(cli, where).stdout
    assert len(re.findall(r" (?:not trusted|trusted|cannot be told) ", shown.partition(head)[2])) >= len(told["labels"])


def test_slices_add_up_to_the_whole(finished_demo: Demo) -> None:
    found = judge_check(finished_demo.study, judge="plover-judge", by=["condition", "model"])
    for name, whole in found.labels.items():
        parts = [part.labels[name] for part in found.slices]
        assert (sum(part.n for part in parts), sum(part.n_dropped for part in parts)) == (whole.n, whole.n_dropped)
        assert np.sum([part.table for part in parts], axis=0) == pytest.approx(np.array(whole.table))
    assert sum(whole.n_dropped for whole in found.labels.values()) > 0


def test_what_two_people_reach_by_hand(study_of: Any) -> None:
    one = judge_check(study_of("ann", "ben", "eve")).ceilings["C"]
    pairs = [("ann", "ben"), ("ann", "eve"), ("ben", "eve")]
    people = np.mean([np.equal(C[a], C[b]).mean() for a, b in pairs])
    judge = np.mean([np.equal(C[a], JUDGE).mean() for a in C])
    assert one.n == N
    assert [one.percent_agreement.people.value, one.percent_agreement.judge.value] == pytest.approx([people, judge])
    yes = np.mean([C[a] for a in C])
    by_chance = yes**2 + (1 - yes) ** 2
    assert one.kappa.people.value == pytest.approx((people - by_chance) / (1 - by_chance))
    judge_yes = np.mean(JUDGE)
    by_chance = yes * judge_yes + (1 - yes) * (1 - judge_yes)
    assert one.kappa.judge.value == pytest.approx((judge - by_chance) / (1 - by_chance))
    assert one.percent_agreement.people.n == one.kappa.judge.n == N


def test_without_a_second_person_there_is_no_ceiling(study_of: Any) -> None:
    found = judge_check(study_of("ann"))
    assert found.ceilings["C"].n == 0
    assert found.ceilings["C"].kappa.people.value is None
    assert ceiling_rows(found)[0]["note"].startswith("undefined: ")
    assert judge_rows(found)[0]["two people's kappa"] == "–"


def test_diagnostics_where_both_gave_them(study_of: Any, finished_demo: Demo) -> None:
    found = judge_check(study_of("ann"), by=["condition"])
    one = found.diagnostics["provenance_honesty"]
    # On every sixth item the value is 0 and the judge says 1.
    assert one.counts == ((6, 6, 0), (0, 12, 0), (0, 0, 12))
    assert one.table == pytest.approx(np.array(one.counts))
    assert one.percent.value == pytest.approx(30 / 36)
    # Quadratic weights: observed disagreement 6/36 of 1/4; by chance from the margins 12 12 12 and 6 18 12.
    shares = np.outer([1 / 3] * 3, [6 / 36, 18 / 36, 12 / 36])
    apart = np.subtract.outer(range(3), range(3)) ** 2 / 4
    assert one.kappa.value == pytest.approx(1 - (6 / 36 / 4) / (shares * apart).sum())
    assert sum(part.diagnostics["provenance_honesty"].n for part in found.slices) == one.n == N
    assert [row["slice"] for row in diagnostic_rows(found)] == ["all", "clean", "evidence_absence"]
    assert judge_check(finished_demo.study).diagnostics == {}


def test_the_alternative_annotator_test_is_that_of_the_arithmetic(study_of: Any) -> None:
    found = judge_check(study_of("ann", "ben", "eve"), epsilon=0.2)
    one = next(one for one in found.alternative if one.label == "C")
    tasks = np.array([item.split(".")[0] for item in ITEMS])
    alone = alternative_annotator_test(
        np.column_stack([C[person] for person in C]).astype(int), np.array(JUDGE, dtype=int), epsilon=0.2, cluster=tasks
    )
    assert one.persons == ("ann", "ben", "eve")
    assert one.test.average_advantage == alone.average_advantage
    assert [c.p_value for c in one.test.contests] == [c.p_value for c in alone.contests]
    # The diagnostic is tested too, and the step over both labels makes p-values larger, never smaller.
    assert all(a.p_adjusted >= b.p_adjusted for a, b in zip(one.test.contests, alone.contests, strict=True))
    assert {row["label"] for row in alternative_rows(found)} == {"C", "provenance_honesty"}
    assert {row["epsilon"] for row in alternative_rows(found)} == {"0.2"}
    assert [row["annotator"] for row in contest_rows(found)][:3] == ["ann", "ben", "eve"]
    assert "epsilon = 0.2" in alternative_sentence(found)
    assert refusals(found) == []


@pytest.mark.parametrize(
    ("people", "items", "sentence"),
    [
        (("ann", "ben"), N, "C refused: no item has labels of 3 people and of the judge; have a random core of 60"),
        (("ann", "ben", "eve"), 29, "C refused: ann has 29 items with labels of 3 people; the test needs 30"),
    ],
)
def test_the_alternative_annotator_test_is_refused_with_what_it_needs(
    people: tuple[str, ...], items: int, sentence: str, study_of: Any
) -> None:
    found: JudgeCheck = judge_check(study_of(*people, items=items))
    assert all(one.test.winning_rate is None for one in found.alternative)
    assert any(sentence in line for line in refusals(found)), refusals(found)
    assert alternative_rows(found) == contest_rows(found) == []


def test_the_rows_hold_every_figure(study_of: Any) -> None:
    found = judge_check(study_of("ann", "ben"))
    (more,), (cells,) = more_rows(found), cell_rows(found)
    c = found.labels["C"]
    assert cells["people no, judge yes"] == f"{c.table[0][1]:.0f} ({c.counts[0][1]})"
    assert f"{c.mcc.value:.3f}" in more["MCC"]
    assert f"{c.f1.value:.3f}" in more["F1"]
    assert "slice" not in more
