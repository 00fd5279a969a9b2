"""On which labels a judge may be trusted: the rule, and the sentence that every reader gets."""

import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from agreement.ceiling import human_ceiling
from agreement.confusion import JudgeAgreement, confusion
from audit_app.actions.demo import Demo
from audit_app.actions.judge_rows import judge_rows, refusals
from audit_app.actions.judging import judge_check
from audit_app.actions.labelled import labelled
from audit_app.actions.trust import Verdict, verdict_sentence, verdicts
from audit_app.cli import cli
from data import frame as frames
from data.store.connection import open_store


def against(both_no: int, only_judge: int, only_people: int, both_yes: int) -> JudgeAgreement:
    cells = [both_no, only_judge, only_people, both_yes]
    return confusion(np.repeat([0, 0, 1, 1], cells), np.repeat([0, 1, 0, 1], cells))


def verdict(found: JudgeAgreement, n_frame: int = 10_000) -> Verdict:
    (one,) = verdicts({"C": found}, {}, n_frame)
    return one


@pytest.mark.parametrize(
    ("cells", "word", "reason"),
    [
        pytest.param((90, 10, 10, 90), "trusted", "", id="90 % of either"),
        pytest.param((90, 10, 60, 40), "not trusted", "sensitivity 40.0 %", id="misses most of yes"),
        pytest.param((380, 70, 5, 45), "not trusted", "of always saying the same", id="worse than always no"),
        pytest.param((90, 10, 25, 75), "cannot be told", "sensitivity 75.0 %", id="around the floor"),
        pytest.param((9, 1, 1, 9), "cannot be told", "specificity 90.0 %", id="too few"),
        pytest.param((50, 0, 0, 0), "cannot be told", "none of the 50 of people's labels is Yes", id="no yes"),
        pytest.param((0, 0, 0, 0), "cannot be told", "nobody has labelled", id="nothing"),
    ],
)
def test_the_rule_on_labels_by_hand(cells: tuple[int, int, int, int], word: str, reason: str) -> None:
    one = verdict(against(*cells))
    assert one.word == word
    assert reason in one.reason


def test_as_many_more_labels_as_are_named_settle_it_if_nothing_else_changes() -> None:
    few = against(90, 10, 25, 75)
    more = verdict(few).more
    assert more is not None
    times = (few.n + more) / few.n
    assert verdict(against(*(round(times * n * 1.05) for n in (90, 10, 25, 75)))).word == "trusted"
    assert verdict(against(*(round(times * n * 0.9) for n in (90, 10, 25, 75)))).word == "cannot be told"
    # No more than there are: where the figure lies on the floor itself, no number of labels would do.
    assert verdict(against(90, 10, 30, 70), n_frame=500).more == 300


@pytest.mark.parametrize(
    ("n", "wrong", "word"),
    [
        pytest.param(2000, 5, "not trusted", id="20 points less often"),
        pytest.param(2000, 20, "trusted", id="5 points less often"),
        pytest.param(200, 13, "cannot be told", id="8 points, but by few labels"),
        pytest.param(200, 10, "cannot be told", id="at the margin"),
    ],
)
def test_people_who_agree_much_better_with_each_other_speak_against_a_judge(n: int, wrong: int, word: str) -> None:
    """Both persons say the truth; the judge is wrong on one of so many."""
    truth = np.arange(n) % 2
    judge = np.where(np.arange(n) // 2 % wrong == 0, 1 - truth, truth)
    ceiling = human_ceiling(judge, np.column_stack([truth, truth]))
    found = {"C": confusion(truth, judge)}
    assert [one.word for one in verdicts(found, {}, 9999)] == ["trusted"]
    (one,) = verdicts(found, {"C": ceiling}, 9999)
    assert one.word == word
    assert ("a second person's" in one.reason) == (word != "trusted")


def run(*words: str) -> Any:
    return CliRunner().invoke(cli, ["judge", "check", *words])


def test_the_command_ends_with_the_verdict_and_json_carries_it(finished_demo: Demo) -> None:
    folder = str(finished_demo.study.path)
    last = run("--study", folder).stderr.splitlines()[-1]
    assert last.startswith("Judge heron-judge may be trusted on A; whether on D cannot be told, as ")
    assert "sensitivity 82.6 % (68.6–91.2) may lie on either side of the floor of 70 % (about 57 more labels" in last
    assert "second person's (-7.1 points, -13.7 to -0.5) may lie on either side of -10 points" in last
    found = json.loads(run("--json", "--study", folder).stdout)
    assert found["verdict"] == last
    assert [(one["label"], one["word"]) for one in found["verdicts"]] == [
        ("D", "cannot be told"), ("A", "trusted"), ("G", "cannot be told"), ("C", "cannot be told"),
    ]  # fmt: skip


def test_the_level_and_the_reading_of_g_are_said(finished_demo: Demo) -> None:
    strict = judge_check(finished_demo.study, level=0.9)
    assert strict.sentence.endswith("; 90 % intervals.")
    lenient = judge_check(finished_demo.study, grounding="lenient")
    assert lenient.sentence.endswith("the judge has one reading of G only, taken as it is.")
    named = [judge_rows(one)[2]["label"] for one in (strict, lenient)]
    assert named == ["G (established = yes)", "G (established or contradicted = yes)"]


def test_a_refused_test_names_the_command_that_gets_its_data(finished_demo: Demo) -> None:
    (line,) = refusals(judge_check(finished_demo.study))
    assert "`evidence-audit sample draw --name core --core 60`" in line


def test_target_b_rests_on_what_comes_before_the_first_undecided_response(finished_demo: Demo) -> None:
    study = finished_demo.study
    found = judge_check(study, target="B")
    with open_store(study) as store:
        rows = labelled(study, store, frames.open_frame(study), sample_id=None, judge=found.judge, target="B")
    for name, one in found.labels.items():
        first = rows.settled([name])
        assert one.n == int((first & ~np.isnan(rows.human[name]) & ~np.isnan(rows.judge[name])).sum())
        assert one.n < len(rows.overlap.order)
    assert "up to the first undecided one" in (found.undecided or "")
    assert judge_check(study).undecided is None


def test_semicolons_part_the_labels_and_nothing_else() -> None:
    bad = against(50, 50, 50, 50)
    found = verdicts({"C": bad, "G": bad}, {}, 10_000)
    told = verdict_sentence("j", found, {"C": 200, "G": 200}, 10_000)
    assert told.count("; ") == 1
    assert told.count("is below the floor of 70 %, specificity") == 2
