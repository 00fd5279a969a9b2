"""Comparisons: pairs by hand, the same numbers as elsewhere, what a seal hides, a sentence for what cannot be had."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions import results
from audit_app.actions.comparable import Question, values_of
from audit_app.actions.compared import PEOPLE, Compared, Comparison
from audit_app.actions.comparing import compare
from audit_app.actions.comparison_tables import comparison_rows, detail_rows, judge_rows, order_rows, order_sentences
from audit_app.actions.demo import Demo
from audit_app.actions.importing import import_records
from audit_app.actions.ranking import beside_people
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.errors import StudyProblem
from data.study import Study, init_study, open_study
from metrics.estimate import Estimate, Method
from metrics.mcnemar import Discordant

Rows = dict[str, list[dict[str, Any]]]
Make = Callable[..., Study]


def by_metric(found: Compared) -> dict[str, Comparison]:
    return {one.metric: one for one in found.comparisons}


def truth(response: str) -> int:
    """Fern is right on 30 of 40 tasks, moss on 20 of the same."""
    task, model = int(response[1:3]), response.split(".")[2]
    return int(task < (30 if model == "fern" else 20))


def said(response: str, judge: str) -> int:
    """The kind judge calls everything of moss on the first 36 tasks right; the strict one agrees with people."""
    if judge == "kind" and ".moss." in response:
        return int(int(response[1:3]) < 36)
    return truth(response)


@pytest.fixture(scope="module")
def rows(grid: Callable[..., Rows]) -> Rows:
    """Two models on 40 tasks under one condition, judged by two, for correctness only."""
    made = grid(40, conditions=("clean",), models=("fern", "moss"))
    ids = [row["response_id"] for row in made["responses"]]
    made["verdicts"] = [{"response_id": r, "judge": j, "C": said(r, j)} for r in ids for j in ("kind", "strict")]
    return made


@pytest.fixture(scope="module")
def labelled(rows: Rows, build_study: Make, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """All of it labelled by one person."""
    folder = tmp_path_factory.mktemp("labelled")
    study = build_study(folder, rows, ["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    given = [
        {"item_id": r, "item_kind": "response", "person_id": "ann", "label": "C", "value": str(truth(r))}
        for r in (row["response_id"] for row in rows["responses"])
    ]
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    import_records(study, "labels", folder / "labels.jsonl")
    return study


# -- Known differences -----------------------------------------------------------------------------------------------


def test_a_known_difference_is_found_by_people_and_missed_by_a_kind_judge(labelled: Study) -> None:
    found = compare(labelled, Question(by="model", judge="kind", population="these responses", details=True))
    one = by_metric(found)["Acc"]
    assert (one.first, one.second) == ("fern", "moss")
    assert one.corrected is not None
    assert one.naive is not None
    exact = one.corrected.difference
    assert (exact.value, exact.low, exact.high) == (0.25, 0.25, 0.25)
    assert one.naive.difference.value == pytest.approx((30 - 36) / 40)
    assert (one.n_pairs, one.n_unmatched) == (40, 0)
    # By the kind judge 6 tasks go to moss alone: 2 * (1/2)^6 of sign flips are as extreme, and so is McNemar's.
    assert one.naive.p == one.naive.p_adjusted == 2 / 2**6
    assert one.details is not None
    assert one.details.discordant == Discordant(only_first=0, only_second=6, n=40)
    assert one.details.mcnemar is not None
    assert one.details.mcnemar.exact == 2 / 2**6
    assert "SES" in found.notes[0]


def test_for_such_tasks_the_difference_has_an_interval_although_all_is_labelled(labelled: Study) -> None:
    one = by_metric(compare(labelled, Question(by="model", judge="strict")))["Acc"]
    assert one.corrected is not None
    assert one.naive is not None
    corrected, naive = one.corrected.difference, one.naive.difference
    # This judge says what people say, so both see ten tasks of forty go to fern.
    assert corrected.value == naive.value == 0.25
    assert corrected.se == pytest.approx(naive.se)
    assert corrected.low is not None
    assert naive.low is not None
    assert 0 < corrected.low < 0.25
    assert corrected.low == pytest.approx(naive.low, abs=0.03)
    assert one.corrected.p == pytest.approx(one.naive.p, abs=0.01)


def test_the_other_way_round_turns_every_sign(labelled: Study) -> None:
    there, back = (
        by_metric(compare(labelled, Question(by="model", judge="kind", against=against, details=True)))["Acc"]
        for against in ("moss", "fern")
    )
    assert (there.first, there.second, back.first, back.second) == ("fern", "moss", "moss", "fern")
    for way in ("corrected", "naive"):
        one, other = getattr(there, way), getattr(back, way)
        assert one.difference.value == pytest.approx(-other.difference.value)
        assert (one.difference.low, one.difference.high) == pytest.approx(
            (-other.difference.high, -other.difference.low)
        )
        assert one.p == pytest.approx(other.p)
    assert there.details is not None
    assert back.details is not None
    assert asdict(there.details)["discordant"]["only_second"] == asdict(back.details)["discordant"]["only_first"] == 6


def test_models_with_the_same_number_are_in_no_order() -> None:
    of: dict[Method, tuple[float, ...]] = {"naive": (1.0, 1.0, 0.3), "corrected": (0.4, 0.6, 0.1 + 0.2)}
    estimates = [
        Estimate(metric="Acc", method=method, value=value, n=9, slice={"model": model}, target=None, low=None,
                 high=None, level=None, n_effective=None, n_dropped=0, tier=None, why_undefined=None)
        for method, values in of.items() for model, value in zip(("wren", "fern", "moss"), values, strict=True)
    ]  # fmt: skip
    found = beside_people("kind", "Acc", estimates)
    assert found is not None
    assert found.first_order == ("fern = wren", "moss")
    assert found.second_order == ("fern", "wren", "moss")


def test_judges_differ_by_their_word_and_agree_once_corrected(labelled: Study) -> None:
    found = compare(labelled, Question(by="judge"))
    one = by_metric(found)["Acc"]
    assert (one.first, one.second, one.n_pairs) == ("kind", "strict", 80)
    assert one.naive is not None
    assert one.corrected is not None
    assert one.naive.difference.value == pytest.approx(16 / 80)
    assert one.corrected.difference.value == pytest.approx(0)
    assert one.corrected.p is None
    assert found.established == [one]
    assert "kind and strict in Acc" in found.sentence
    numbers = {(judge, e.method): e.value for judge, e in found.under_judges}
    assert numbers == pytest.approx({("kind", "naive"): 66 / 80, ("kind", "corrected"): 50 / 80,
                                     ("strict", "naive"): 50 / 80, ("strict", "corrected"): 50 / 80})  # fmt: skip
    orders = {(order.first, order.second): order for order in found.orders}
    assert orders["kind", "strict"].kendall == -1
    assert orders["kind", "strict"].first_order == ("moss", "fern")
    assert orders["kind", PEOPLE].second_order == orders["strict", PEOPLE].first_order == ("fern", "moss")
    assert orders["strict", PEOPLE].kendall == 1
    share = orders["kind", "strict"].same_order
    assert share is not None
    assert share < 0.05
    assert len(order_rows(found.orders)) == 3
    assert order_sentences(found.orders)[0].startswith("kind and strict put the models into another order by Acc")


def test_pairs_of_judges_are_those_that_both_labelled_usably(
    rows: Rows, study_from: Make, label_rows: Callable[..., Any], give_labels: Callable[..., Any]
) -> None:
    first = rows["verdicts"][1]
    assert first["judge"] == "strict"
    unscored = {"response_id": first["response_id"], "judge": "strict", "unscored_reason": "no JSON"}
    verdicts = [rows["verdicts"][0], unscored, *rows["verdicts"][2:]]
    study = study_from({**rows, "verdicts": verdicts}, labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, label_rows("ann", {r["response_id"]: {"C": "1"} for r in rows["responses"]}))
    found = compare(study, Question(by="judge"))
    row = comparison_rows(found)[0]
    assert (row["pairs"], row["note"]) == ("79", "naive: without 1 of 80 pairs, which lack a label")
    assert [(row["judge"], row["judged"]) for row in judge_rows(found.under_judges)] == [
        ("kind", "80"),
        ("strict", "79"),
    ]
    assert any("need not subtract" in note for note in found.notes)


def test_a_naive_p_and_an_interval_that_disagree_are_named(rows: Rows, study_from: Make) -> None:
    # Five of 40 tasks go to moss alone: 2 / 2^5 of sign flips are as extreme, though Student's interval leaves 0 out.
    verdicts = [
        {"response_id": r, "judge": "j", "C": int(".moss." in r and int(r[1:3]) < 5)}
        for r in (row["response_id"] for row in rows["responses"])
    ]
    found = compare(study_from({**rows, "verdicts": verdicts}, labels=["C"]), Question(by="model"))
    naive = by_metric(found)["Acc"].naive
    assert naive is not None
    assert naive.p == 2 / 2**5
    assert naive.difference.high is not None
    assert naive.difference.high < 0
    note = next(note for note in found.notes if note.startswith("Acc (fern − moss)"))
    assert "flipping signs task by task and decides" in note


# -- The demo --------------------------------------------------------------------------------------------------------


def test_differences_are_those_of_the_metrics_by_model(finished_demo: Demo) -> None:
    study = finished_demo.study
    found = by_metric(compare(study, Question(by="model", within={"prompt": "baseline"})))
    table = {
        (e.metric, e.method, e.slice["model"]): e.value
        for e in results.metrics(study, by=["model", "prompt"]).estimates
        if e.slice.get("prompt") == "baseline"
    }
    assert list(found) == list(results.HEADLINE)
    for name, one in found.items():
        assert one.corrected is not None
        first, second = (table[name, "corrected", model] for model in ("larch-70b", "wren-8b"))
        if first is None or second is None:
            assert one.corrected.difference.why_undefined is not None
        else:
            assert one.corrected.difference.value == pytest.approx(first - second)
    # Acc has no unscored verdict in these pairs, so its naive difference is that of the table, too.
    acc = found["Acc"].naive
    assert acc is not None
    expected = [table["Acc", "naive", model] for model in ("larch-70b", "wren-8b")]
    assert expected[0] is not None
    assert expected[1] is not None
    assert acc.difference.value == pytest.approx(expected[0] - expected[1])


def test_the_plain_answer_of_the_demo(finished_demo: Demo) -> None:
    found = compare(finished_demo.study, Question(by="model"))
    assert found.sentence.startswith("Compared by model. As people have it, these differ beyond chance (Holm-adjusted "
                                     "over 5 comparisons): larch-70b and wren-8b in Acc, SES, ")  # fmt: skip
    assert "for such tasks in general" in found.sentence
    adjusted = [one.corrected.p_adjusted for one in found.comparisons if one.corrected]
    plain = [one.corrected.p for one in found.comparisons if one.corrected]
    assert all(a is not None and p is not None and a >= p for a, p in zip(adjusted, plain, strict=True))
    assert len(comparison_rows(found)) == 5
    assert detail_rows(found) == []


def test_other_adjustments_are_no_stricter(finished_demo: Demo) -> None:
    p = {
        adjust: [one.naive.p_adjusted for one in compare(
            finished_demo.study, Question(by="condition", adjust=adjust, method="naive", names=["SES"])
        ).comparisons if one.naive]
        for adjust in ("holm", "bh", "none")
    }  # fmt: skip
    assert len(p["holm"]) == 10
    for strict, list_of, bare in zip(*p.values(), strict=True):
        assert strict is not None
        assert list_of is not None
        assert bare is not None
        assert strict >= list_of >= bare


def test_too_few_labels_leave_the_judges_word_and_say_so(finished_demo: Demo) -> None:
    question = Question(by="prompt", within={"condition": "clean"})
    found = compare(finished_demo.study, question)
    assert found.way == "naive"
    assert "By the judge's word alone" in found.sentence
    assert "within condition = clean" in found.sentence
    assert any("5 of 5 corrected differences are refused or undefined" in note for note in found.notes)
    assert "label about" in comparison_rows(found)[0]["note"]
    some = compare(finished_demo.study, replace(question, floor=5, names=["Acc"]))
    assert by_metric(some)["Acc"].corrected is not None
    assert some.way == "corrected"


def test_only_columns_with_two_values_are_offered(finished_demo: Demo, study_from: Make, rows: Rows) -> None:
    assert list(values_of(finished_demo.study)) == ["model", "prompt", "condition", "regime", "judge"]
    assert values_of(study_from(rows)) == {"model": ("fern", "moss"), "judge": ("kind", "strict")}


# -- What is missing -------------------------------------------------------------------------------------------------


def test_responses_without_a_partner_are_left_out_and_counted(rows: Rows, study_from: Make) -> None:
    lone = [row for row in rows["responses"] if row["response_id"] not in ("t00.clean.moss.baseline",)]
    # Two of moss to t01 that nothing tells apart have no partner of their own.
    twice = {**lone[2], "response_id": "again"}
    study = study_from({**rows, "responses": [*lone, twice], "verdicts": rows["verdicts"][4:]}, labels=["C"])
    assert twice["model"] == "moss"
    found = compare(study, Question(by="model"))
    one = by_metric(found)["Acc"]
    assert (one.n_pairs, one.n_unmatched) == (38, 4)
    assert one.corrected is None
    assert found.notes[1:] == (
        "Nothing is drawn yet, so there is no corrected difference: this is the judge's word alone.",
        "Up to 4 responses of a comparison have no partner and are left out of its naive difference.",
    )
    assert comparison_rows(found)[0]["left out"] == "4"


def test_without_a_judge_people_stand_alone(
    rows: Rows, study_from: Make, label_rows: Callable[..., Any], give_labels: Callable[..., Any]
) -> None:
    study = study_from({**rows, "verdicts": []}, labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    ids = [row["response_id"] for row in rows["responses"]]
    give_labels(study, label_rows("ann", {r: {"C": str(truth(r))} for r in ids}))
    found = compare(study, Question(by="model"))
    one = by_metric(found)["Acc"]
    assert one.naive is None
    assert one.corrected is not None
    assert one.corrected.difference.value == pytest.approx(0.25)
    assert "No verdicts are imported" in found.notes[-1]
    with pytest.raises(StudyProblem, match="No verdicts are imported"):
        compare(study, Question(by="model", method="naive"))


def numbers_in(value: object) -> list[float]:
    if isinstance(value, Mapping):
        return [x for key, inner in value.items() if key != "level" for x in numbers_in(inner)]
    if isinstance(value, list | tuple):
        return [x for inner in value for x in numbers_in(inner)]
    return [value] if isinstance(value, float) else []


def test_while_sealed_nothing_is_located(rows: Rows, study_from: Make) -> None:
    study = study_from(rows, labels=["C"])
    draw_sample(study, Plan(size=20, overlap=0))
    for by in ("model", "judge"):
        found = compare(study, Question(by=by, details=True))
        assert not found.seal.is_open
        assert numbers_in(asdict(found)) == []
        assert (found.under_judges, found.orders) == ((), ())
        assert "Which of them differ is sealed" in found.sentence
        one = by_metric(found)["Acc"]
        assert one.details is None
        assert one.naive is not None
        assert one.naive.difference.why_undefined is not None
        assert "points wide" in one.naive.difference.why_undefined


def test_while_sealed_no_floor_or_level_can_be_tried(rows: Rows, study_from: Make) -> None:
    study = study_from(rows, labels=["C"])
    draw_sample(study, Plan(size=20, overlap=0))
    plain, tried = (compare(study, q) for q in (Question(by="model"), Question(by="model", floor=2, level=0.5)))
    assert tried.comparisons == plain.comparisons


# -- What cannot be asked --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (Question(by="colour"), "unknown column 'colour'"),
        (Question(by="run"), "there is only run '1'; a comparison needs two values"),
        (Question(by="model", against="oak"), "no model 'oak'; there are 'larch-70b', 'wren-8b'"),
        (Question(by="model", within={"model": "wren-8b"}), "cannot be within 'model'; use one of prompt"),
        (Question(by="model", within={"condition": "fog"}), "there is no response within condition = 'fog'"),
        (Question(by="model", names=["F1"]), "unknown metric 'F1'"),
        (Question(by="judge", judge="heron-judge"), "all judges are compared"),
        (Question(by="model", judge="owl"), "judge 'owl' gave no verdicts"),
        (Question(by="regime", method="naive"), "No two values of regime share a task, model, prompt, condition, run"),
        (Question(by="model", sample_id="other"), "no sample 'other'"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_sentence(finished_demo: Demo, question: Question, sentence: str) -> None:
    with pytest.raises(StudyProblem) as problem:
        compare(finished_demo.study, question)
    assert sentence in str(problem.value)


def test_regimes_share_no_task_but_can_be_compared_without_pairs(finished_demo: Demo) -> None:
    found = compare(finished_demo.study, Question(by="regime"))
    assert found.notes[0].startswith("No two values of regime share a task")
    assert len(compare(finished_demo.study, Question(by="regime", method="corrected")).notes) == 1
    assert len(found.comparisons) == 15
    assert all(one.naive is None and one.corrected is not None for one in found.comparisons)


def test_without_a_metric_that_can_be_had_there_is_nothing_to_compare(rows: Rows, study_from: Make) -> None:
    study = study_from(rows, labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    with pytest.raises(
        StudyProblem, match=r"nothing to compare. Left out: SES \(the rubric does not ask for D, A, G\)"
    ):
        compare(study, Question(by="model", names=["SES"]))


def test_nothing_drawn_and_one_judge(rows: Rows, study_from: Make) -> None:
    verdicts = [row for row in rows["verdicts"] if row["judge"] == "kind"]
    study = study_from({**rows, "verdicts": verdicts})
    with pytest.raises(StudyProblem, match="nothing is drawn yet"):
        compare(study, Question(by="model", method="corrected"))
    with pytest.raises(StudyProblem, match="only judge 'kind'"):
        compare(study, Question(by="judge"))


# -- The command -----------------------------------------------------------------------------------------------------


def test_the_command_prints_tables_or_json(finished_demo: Demo) -> None:
    here = ["--study", str(finished_demo.study.path)]
    plain = CliRunner().invoke(cli, ["compare", "--by", "judge", "--details", "--metric", "SES", *here])
    assert plain.exit_code == 0
    for part in ("heron-judge − plover-judge", "Tango interval", "Kendall's tau", PEOPLE):
        assert part in plain.stdout
    assert "Compared by judge" in plain.stderr
    asked = CliRunner().invoke(
        cli, ["compare", "--within", "condition=clean", "--population", "responses", "--json", *here]
    )
    found = json.loads(asked.stdout)
    assert (found["by"], found["within"]) == ("model", {"condition": "clean"})
    assert found["population"] == "these responses"
    assert {one["metric"] for one in found["comparisons"]} == set(results.HEADLINE)
    assert found["sentence"] in asked.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--by", "model", "--within", "clean"], 2, "expected COLUMN=VALUE"),
        (["--by", "model", "--within", "run=1", "--within", "run=2"], 2, "each column once"),
        (["--by", "colour"], 2, "Invalid value for '--by'"),
        (["--by", "run"], 1, "nothing to compare"),
    ],
)
def test_the_command_refuses_in_a_sentence(finished_demo: Demo, arguments: list[str], code: int, said: str) -> None:
    ended = CliRunner().invoke(cli, ["compare", *arguments, "--study", str(finished_demo.study.path)])
    assert (ended.exit_code, ended.stdout) == (code, "")
    assert said in ended.stderr


def test_an_empty_study_says_what_to_do(tmp_path: Path) -> None:
    study = init_study(tmp_path / "empty")
    ended = CliRunner().invoke(cli, ["compare", "--by", "model", "--study", str(open_study(study.path).path)])
    assert ended.exit_code == 1
    assert "import tasks, contexts and responses first" in ended.stderr
