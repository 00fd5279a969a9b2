"""Plans: what they rest on, that the printed draw carries them out, and what is said when a wish cannot be met."""

import json
import shlex
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from audit_app.actions.planning import plan_sample, plan_without_study
from audit_app.actions.registering import register
from audit_app.actions.registration import Intent
from audit_app.actions.results import metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.wishing import Wish
from audit_app.cli import cli
from data.errors import StudyProblem
from data.study import Study
from sampling.effort import Pace, effort
from sampling.expected import Expected
from sampling.planner import outlook

Row = dict[str, Any]


def run(line: str) -> Result:
    return CliRunner().invoke(cli, shlex.split(line)[1:])


def verdicts(rows: dict[str, list[Row]], said: Callable[[int], Row]) -> dict[str, list[Row]]:
    """The same rows with one judge's verdicts."""
    ids = [row["response_id"] for row in rows["responses"]]
    return {**rows, "verdicts": [{"response_id": i, "judge": "j", **said(n)} for n, i in enumerate(ids)]}


@pytest.fixture
def judged_study(grid: Any, study_from: Any) -> Study:
    """160 responses of two models; a silent shift by the judge in every fourth."""
    study: Study = study_from(
        verdicts(grid(40, models=("a", "b")), lambda n: {"C": 1, "A": 1, "G": 0 if n % 4 == 0 else 1, "D": 0})
    )
    return study


def test_the_strata_and_their_rates_are_those_of_the_frame(judged_study: Study) -> None:
    found = plan_sample(judged_study, Wish(labels=60, strata=("condition", "model")))
    # Responses come as clean a, clean b, absence a, absence b: every fourth is one of clean and a.
    assert [(r["stratum"], r["stratum_size"], r["sample_size"], r["rate"]) for r in found.strata] == [
        ("clean | a", 40, 15, 1.0), ("clean | b", 40, 15, 0.0),
        ("evidence_absence | a", 40, 15, 0.0), ("evidence_absence | b", 40, 15, 0.0)]  # fmt: skip
    strata = {
        r["stratum"]: Expected(stratum_size=40, rate=r["rate"], sensitivity=0.85, specificity=0.95)
        for r in found.strata
    }
    expected = outlook(strata, dict.fromkeys(strata, 15))["everything"]
    assert (found.labels, found.met, found.slices[0]["value"]) == (60, True, 0.25)
    # Two settings are read with each context: 1 + (2 - 1) x .05 on the variance.
    assert found.deff == pytest.approx(1.05)
    assert found.half_width == pytest.approx(expected.half_width * 1.05**0.5)
    assert found.contexts == 30


@pytest.mark.parametrize(
    "options", ["", "--by model --within 8", "--labels 90 --strata condition", "--by condition,model --within 9"]
)
def test_the_printed_draw_carries_the_plan_out(judged_study: Study, options: str) -> None:
    planned = json.loads(run(f"evidence-audit sample plan {options} --json --study {judged_study.path}").stdout)
    drawn = run(planned["command"] + " --json")
    assert drawn.exit_code == 0, drawn.output
    outcome = json.loads(drawn.stdout)
    assert outcome["n_responses"] == planned["labels"]
    assert outcome["n_contexts"] == planned["contexts"]
    assert {r["stratum"]: r["sample_size"] for r in outcome["allocation"]} == {
        r["stratum"]: r["sample_size"] for r in planned["strata"]
    }


@pytest.mark.parametrize("allocation", ["equal", "neyman"])
def test_other_allocations_are_those_of_the_draw(grid: Any, study_from: Any, allocation: str) -> None:
    study = study_from(verdicts(grid(50, conditions=("clean",), models=("a", "b")),
                                lambda n: {"C": 1, "A": 1, "G": int(n % 2 == 0 or n % 3 > 0), "D": 0}))  # fmt: skip
    line = f"evidence-audit sample plan --allocation {allocation} --labels 60 --people 3 --json --study {study.path}"
    planned = json.loads(run(line).stdout)
    drawn = run(planned["command"] + " --json")
    assert drawn.exit_code == 0, drawn.output
    assert {r["stratum"]: r["sample_size"] for r in json.loads(drawn.stdout)["allocation"]} == {
        r["stratum"]: r["sample_size"] for r in planned["strata"]
    }


def test_strata_of_the_judges_words_by_bayes(judged_study: Study) -> None:
    found = plan_sample(judged_study, Wish(labels=40, strata=("judge",), sensitivity=0.8, specificity=0.9))
    # A quarter counts: P(counts | judge counts) = .25 x .8 / (.25 x .8 + .75 x .1) and so on.
    assert {r["stratum"]: pytest.approx(r["rate"]) for r in found.strata} == {
        "j: D=0 A=1 G=0 C=1": 0.2 / 0.275, "j: D=0 A=1 G=1 C=1": 0.05 / 0.725}  # fmt: skip
    assert found.slices[0]["half_width"] == pytest.approx(found.slices[0]["human_only"])


def test_without_verdicts_the_widest_case_is_planned(grid: Any, study_from: Any) -> None:
    study = study_from(grid(60))
    found = plan_sample(study, Wish(within=0.1))
    assert {r["rate"] for r in found.strata} == {0.5}
    assert found.half_width == found.slices[0]["human_only"] <= 0.1
    assert any("no verdicts" in note for note in found.notes)
    assert plan_sample(study, Wish(within=0.1, rate=0.1)).labels < found.labels


def test_a_metric_of_part_of_the_responses(grid: Any, study_from: Any) -> None:
    rows = verdicts(grid(100, models=("a", "b")), lambda n: {"C": n % 2 or n % 20 == 0, "A": 1, "G": n % 3 > 0, "D": 0})
    few = study_from(rows, name="few")
    found = plan_sample(few, Wish(metric="cSES", by=("model",), within=0.2))
    assert not found.met
    assert found.labels < 400
    assert [bool(row["falls_short"]) for row in found.slices] == [True, False]
    assert found.remedies[0].startswith("a: ")
    assert "fewer than 40 responses are expected in the denominator of cSES" in found.remedies[0]
    # 30 are needed, and 40 = 30 + 1.645 x root of 30 are planned, so that nearly every draw has them.
    half = study_from(verdicts(grid(60), lambda n: {"C": n // 2 % 2, "A": 1, "G": n % 2, "D": 0}), name="half")
    assert plan_sample(half, Wish(metric="cSES", within=0.4)).slices[0]["in_denominator"] >= 40


def test_a_slice_labelled_whole_meets_every_wish(grid: Any, study_from: Any) -> None:
    study = study_from(verdicts(grid(40), lambda n: {"C": n % 4 == 0, "A": 1, "G": 0, "D": 0}))
    ended = run(f"evidence-audit sample plan --metric cSES --within 20 --study {study.path}")
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.startswith("80 labels (every response labelled), ")
    assert "cannot be met" not in ended.stdout
    assert "refuses below" not in ended.output
    assert plan_sample(study, Wish(metric="cSES", within=0.2)).slices[0]["falls_short"] is None


def test_more_labels_than_responses_are_cut_with_a_note() -> None:
    cut, whole = (plan_without_study(Wish(labels=n), population=480) for n in (1000, 480))
    assert cut.labels == 480
    assert "480 labels, not 1000: there are no more responses" in cut.notes
    assert not any("no more responses" in note for note in whole.notes)


def test_the_judge_is_measured_on_the_labels_there_are(demo_copy: Study) -> None:
    found = plan_sample(demo_copy, Wish(from_sample=True, labels=200))
    human = metrics(demo_copy, names=("SES",)).estimates
    (corrected,) = [e for e in human if e.method == "corrected"]
    assert corrected.value is not None
    # The same labels weigh the same judge: the expected value is about the corrected one.
    assert found.slices[0]["value"] == pytest.approx(corrected.value, abs=0.01)
    assert any("240 labelled responses of sample demo" in note for note in found.notes)


def test_labels_of_a_sealed_study_stay_sealed(judged_study: Study) -> None:
    run(f"evidence-audit sample draw --size 40 --study {judged_study.path}")
    with pytest.raises(StudyProblem, match="Results are sealed"):
        plan_sample(judged_study, Wish(from_sample=True))


def test_too_few_labels_measure_no_judge(judged_study: Study, give_labels: Any, label_rows: Any) -> None:
    run(f"evidence-audit sample draw --size 8 --overlap 0 --study {judged_study.path}")
    run(f"evidence-audit metrics --unseal test --study {judged_study.path}")
    with pytest.raises(StudyProblem, match=r"0 labelled responses, 0 of them in the numerator of SES: 5 in it and 5"):
        plan_sample(judged_study, Wish(from_sample=True))


def test_numbers_alone(judged_study: Study) -> None:
    found = plan_without_study(Wish(rate=0.1), population=4950, slices=18)
    one = {"a": Expected(stratum_size=4950, rate=0.1, sensitivity=0.85, specificity=0.95)}
    each = found.labels // 18
    assert found.labels == 18 * each
    assert (
        outlook(one, {"a": each})["everything"].half_width
        <= 0.03
        < outlook(one, {"a": each - 1})["everything"].half_width * 1.002
    )
    assert found.hours == pytest.approx(effort(found.labels, found.contexts).hours)
    assert found.hours_each == pytest.approx(found.hours / 3)
    assert found.sentence.startswith(
        f"{found.labels} labels, {found.hours:.0f} annotator hours: SES in each of 18 slices"
    )
    together = plan_without_study(Wish(rate=0.1, per_context=18), population=4950, slices=18)
    assert (together.labels, together.contexts) == (found.labels, found.labels // 18)
    assert together.hours < found.hours


def test_reading_again_in_every_pass_is_priced_in() -> None:
    slow = Pace(read_context=600)
    found, quick = (plan_without_study(Wish(labels=100, pace=p), population=1000) for p in (slow, Pace()))
    # 100 contexts, a quarter of them read by two people, in two passes, 540 seconds longer.
    assert found.hours - quick.hours == pytest.approx(125 * 2 * 540 / 3600)
    assert found.rereading_hours - quick.rereading_hours == pytest.approx(125 * 540 / 3600)


def test_labels_buy_less_from_annotators_like_these() -> None:
    these, like = (plan_without_study(Wish(labels=300, rho=rho), population=5000) for rho in (0.0, 0.02))
    assert like.half_width > these.half_width * 1.3
    more = plan_without_study(Wish(labels=300, rho=0.02, annotators=12), population=5000)
    assert these.half_width < more.half_width < like.half_width


def test_what_cannot_be_had_says_why_and_what_can() -> None:
    wish = Wish(within=0.03, rho=0.05)
    found = plan_without_study(wish, population=5000)
    assert not found.met
    assert found.sentence.startswith("SES over all responses within ±3.0 points cannot be met. What can be: ")
    assert "3 annotators who differ (rho 0.05) leave ±" in found.remedies[0]
    assert found.half_width > 0.03
    enough = int(found.remedies[1].split()[0])
    better = plan_without_study(Wish(within=0.03, rho=0.05, annotators=enough), population=5000)
    assert better.met
    assert found.remedies[1] == f"{enough} annotators would do, with {better.labels} labels"


def test_too_few_labels_for_two_in_every_stratum(judged_study: Study) -> None:
    with pytest.raises(StudyProblem, match=r"7 labels cannot give 4 strata two each; 8 would"):
        plan_sample(judged_study, Wish(labels=7, strata=("condition", "model")))


def test_everything_that_makes_no_sense_is_named_at_once(judged_study: Study) -> None:
    line = (f"evidence-audit sample plan --study {judged_study.path} --metric F1 --by colour --strata mood --within 0 "
            "--labels 0 --judge k --sensitivity 1.5 --rho -1 --people 4 --label-seconds -1 --level 2 --floor 0 "
            "--denominator 0 --per-context 0 --from-sample")  # fmt: skip
    ended = run(line)
    assert (ended.exit_code, ended.stdout) == (1, "")
    for part in (
        "--metric: 'F1'",
        "--by: 'colour'",
        "--strata: 'mood'",
        "--within: 0",
        "--labels: 0",
        "--judge: 'k'",
        "--sensitivity: 1.5",
        "--rho: -1",
        "--people: 4",
        "--label-seconds: -1",
        "--level: 2",
        "--floor: 0",
        "--denominator: 0",
        "--per-context: 0",
        "--from-sample",
        "--strata: mood; expected colour among",
    ):
        assert part in ended.stderr  # fmt: skip


@pytest.mark.parametrize(
    ("options", "part"),
    [("--population 0", "--population: 0; expected a whole"), ("--population 9 --slices 0", "--slices: 0"),
     ("--population 9 --context-seconds 1e308 --json", "--context-seconds: 1e+308; expected seconds, from 0 to 86400"),
     ("--population 9 --by model", "--by: needs a study"), ("--population 9 --labels 1", "1 labels cannot give"),
     ("--study nowhere", "plan from numbers alone with --population"), ("--population 9 --sample x", "--sample")],
)  # fmt: skip
def test_slips_without_a_study(options: str, part: str) -> None:
    ended = run(f"evidence-audit sample plan {options}")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert part in ended.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [("--target B", "--target B: a plan is for target A"),
     ("--population tasks", "--population tasks: a plan is for these responses")],
)  # fmt: skip
def test_what_no_plan_can_be_for_is_refused_in_a_sentence(judged_study: Study, options: str, said: str) -> None:
    ended = run(f"evidence-audit sample plan --study {judged_study.path} {options}")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert said in ended.stderr
    with pytest.raises(StudyProblem, match="target A"):
        plan_without_study(Wish(target="B"), population=900)


def test_a_plan_says_what_it_is_for_and_that_more_is_registered(judged_study: Study) -> None:
    draw_sample(judged_study, Plan(size=40))
    usual = "for target A, these responses and these annotators, at 95%"
    assert usual in plan_sample(judged_study, Wish()).notes
    register(judged_study, Intent(metrics=("Acc",)))
    assert not any("registered" in note for note in plan_sample(judged_study, Wish()).notes)
    register(judged_study, Intent(metrics=("Acc",), target="B", about="such tasks", annotators="annotators like these"),
             amend="more is meant")  # fmt: skip
    last = plan_sample(judged_study, Wish()).notes[-1]
    assert last == (
        "registered are numbers for target B and such tasks in general and annotators like these, which usually "
        "come out wider than this plan says"
    )
    assert "like these" not in plan_sample(judged_study, Wish(rho=0.1)).notes[-1]


def test_slices_of_a_study_are_not_made_up(judged_study: Study) -> None:
    ended = run(f"evidence-audit sample plan --study {judged_study.path} --slices -1")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "--slices goes with --population" in ended.stderr


@pytest.mark.parametrize("option", ["population", "slices", "labels", "annotators", "people", "per-context", "floor"])
def test_numbers_beyond_all_studies_are_wrong_usage(option: str) -> None:
    ended = run(f"evidence-audit sample plan --population 9 --{option} 99999999999999999999")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert f"Invalid value for '--{option}': 99999999999999999999 is not in the range" in ended.stderr


def test_a_metric_needs_its_labels_and_a_study_its_responses(grid: Any, study_from: Any) -> None:
    only_c = study_from(verdicts(grid(20), lambda n: {"C": n % 2}), labels=["C"])
    with pytest.raises(StudyProblem, match=r"--metric: 'SES'; .* reads A, D, G"):
        plan_sample(only_c, Wish())
    assert plan_sample(only_c, Wish(metric="Acc", labels=20)).labels == 20
    with pytest.raises(StudyProblem, match="no responses are imported"):
        plan_sample(study_from({**grid(3), "responses": []}, name="contexts"), Wish())
    with pytest.raises(StudyProblem, match="nothing to sample yet"):
        plan_sample(study_from({}, name="empty"), Wish())


def test_a_study_without_contexts_reads_none(grid: Any, study_from: Any) -> None:
    study = study_from(verdicts(grid(60, contexts=False), lambda n: {"C": n % 2, "A": 1, "G": 1, "D": 0}))
    found = plan_sample(study, Wish(metric="Acc", labels=40))
    assert found.contexts == 0
    assert "--contexts" not in found.command
    pace = Pace(read_context=0, labels_per_context=0)
    assert found.hours == pytest.approx(effort(40, 40, pace=pace).hours)


def test_what_a_person_sees(demo_copy: Study) -> None:
    ended = run(f"evidence-audit sample plan --by model --within 4 --study {demo_copy.path}")
    assert ended.exit_code == 0
    first, _, *rest = ended.stdout.splitlines()
    assert first.endswith("annotator hours: SES per model within ±4.0 points.")
    table = Counter(line.split()[0] for line in rest if line)
    assert table["larch-70b"] == table["wren-8b"] == 1
    # The demo has a sample "demo", so the plan's may be called main.
    assert rest[-1].startswith("evidence-audit sample draw --size ")
    assert rest[-1].endswith(f"--study {demo_copy.path}")
    assert run(f"evidence-audit sample plan --rho 0.1 --study {demo_copy.path}").exit_code == 1


def test_the_demo_gets_what_its_plan_would_have_promised(demo_copy: Study) -> None:
    found = plan_sample(demo_copy, Wish(by=("model",), labels=240, from_sample=True))
    got = {
        e.slice["model"]: (e.high - e.low) / 2
        for e in metrics(demo_copy, names=("SES",), by=("model",)).estimates
        if e.slice and e.method == "corrected" and e.high is not None and e.low is not None
    }
    # Half of the responses are labelled by people who slip, which no plan knows beforehand (`metrics.slips`).
    promised = {row["slice"]: row["half_width"] for row in found.slices}
    assert promised == pytest.approx(got, rel=0.2)
    assert all(promised[model] < got[model] * 1.02 for model in got)
