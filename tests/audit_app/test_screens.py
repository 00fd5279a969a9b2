import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from audit_app.actions import judge_rows, judging, rater_rows, raters, results
from audit_app.actions.choices import choices
from audit_app.actions.demo import PLAN
from audit_app.actions.habits import annotator_habits
from audit_app.actions.importing import import_records
from audit_app.actions.people import add_person
from audit_app.actions.sampling import draw_sample
from audit_app.actions.seal import unseal
from audit_app.actions.wording import coefficient, percent, with_interval
from audit_app.screens import report as report_screen
from data.errors import StudyProblem
from data.study import Study, init_study, open_study
from metrics.nonresponse import Bounds
from tests.audit_app.conftest import PATIENCE

DEMO = Path(results.__file__).parents[2] / "data" / "demo"
EVIL = "<img src=x onerror=alert(1)> ![p](http://evil.example/p.png) **b** $1 and $2 :red[r] </td>"


def report() -> None:
    from audit_app.screens.report import render

    render()


def judge() -> None:
    from audit_app.screens.judge import render

    render()


def agreement() -> None:
    from audit_app.screens.agreement import render

    render()


SCREENS = [report, judge, agreement]


def renamed(folder: Path, kind: str, column: str, old: str, new: str) -> Path:
    """A demo file in which one name is another one."""
    file = folder / f"{kind}.jsonl"
    rows = [json.loads(line) for line in (DEMO / file.name).read_text(encoding="utf-8").splitlines()]
    rows = [{**row, column: new} if row[column] == old else row for row in rows]
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo under hostile names: `drawn`, `started` and `finished`; and one that is `empty`."""
    base = tmp_path_factory.mktemp("studies")
    init_study(base / "empty", name="Nothing yet")
    study = init_study(base / "drawn", name=EVIL)
    for kind in ("tasks", "contexts"):
        import_records(study, kind, DEMO / f"{kind}.jsonl")
    import_records(study, "responses", renamed(base, "responses", "model", "wren-8b", EVIL))
    import_records(study, "verdicts", renamed(base, "verdicts", "judge", "heron-judge", EVIL))
    draw_sample(study, PLAN)
    labels = (DEMO / "labels.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for name, some in (("started", labels[: len(labels) * 2 // 3]), ("finished", labels)):
        shutil.copytree(base / "drawn", base / name)
        (base / "labels.jsonl").write_text("".join(some), encoding="utf-8")
        people = {"scripted-1": EVIL, "scripted-2": "Rater two", "scripted-3": "Rater two"}
        for person_id, shown in people.items():
            add_person(open_study(base / name), shown, person_id=person_id)
        import_records(open_study(base / name), "labels", base / "labels.jsonl")
    unseal(open_study(base / "finished"), "a test")
    return base


Open = Callable[[str], Study]


@pytest.fixture
def served(studies: Path, looking: Callable[[Study], object]) -> Open:
    """Chooses the study that the screens show."""

    def choose(name: str) -> Study:
        study = open_study(studies / name)
        looking(study)
        return study

    return choose


def opened(screen: Callable[[], None], *parts: str) -> AppTest:
    """The screen, with some of its expanders open."""
    app = AppTest.from_function(screen, default_timeout=PATIENCE)
    for part in parts:
        app.session_state[part] = True
    app.run()
    assert not app.exception
    return app


def text(app: AppTest) -> str:
    """What a reader sees in our own HTML, styles and tags taken out."""
    shown = [block.value for block in app.html if "<style>" not in block.value]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", " ".join(shown))))


def row(app: AppTest, head: str) -> str:
    """The text of the first table row that begins with this head."""
    rows = re.findall(r"<tr>(.*?)</tr>", " ".join(block.value for block in app.html))
    texts = [re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", found))).strip() for found in rows]
    return next(found for found in texts if found.startswith(head))


def test_the_report_shows_the_numbers_of_the_metrics_command(served: Open) -> None:
    found = results.metrics(served("finished"))
    app = opened(report)
    assert found.sentence in text(app)
    assert "with the reason “a test”" in text(app)
    numbers = {(e.metric, e.method): e for e in found.estimates}
    for name in results.HEADLINE:
        corrected, naive = numbers[name, "corrected"], numbers[name, "naive"]
        wanted = with_interval(corrected.value, corrected.low, corrected.high)
        assert row(app, name).endswith(f"{wanted} {percent(naive.value)}")
    assert "Nothing: every drawn response is labelled" in text(app)
    assert len(app.get("download_button")) == 2


def test_another_judge_slices_and_the_taxonomy_are_one_choice_away(served: Open) -> None:
    study = served("finished")
    app = opened(report)
    app.selectbox(key="judge").select("plover-judge")
    app.multiselect(key="by").select("condition")
    app.toggle(key="taxonomy").set_value(True)
    app.run()
    assert not app.exception
    found = results.metrics(study, judge="plover-judge", by=["condition"], names=results.HEADLINE + results.TAXONOMY)
    for estimate in found.estimates:
        if estimate.method == "corrected":
            shown = with_interval(estimate.value, estimate.low, estimate.high)
            assert (estimate.why_undefined or shown) in text(app)
    assert "refused: " in text(app)
    assert "Grounded and correct" in text(app)


def test_only_columns_that_vary_can_be_sliced_by(served: Open) -> None:
    served("finished")
    assert opened(report).multiselect(key="by").options == ["model", "prompt", "condition", "regime"]


def test_lenient_grounding_is_passed_on(served: Open) -> None:
    study = served("finished")
    app = opened(report)
    app.selectbox(key="grounding").select("lenient").run()
    found = results.metrics(study, grounding="lenient")
    ses = next(e for e in found.estimates if e.metric == "SES" and e.method == "corrected")
    assert with_interval(ses.value, ses.low, ses.high) in row(app, "SES")


def test_target_population_and_average_are_passed_on(served: Open) -> None:
    study = served("finished")
    app = opened(report)
    plain = text(app)
    assert "for such tasks in general" not in plain
    app.selectbox(key="about").select("such tasks")
    app.selectbox(key="average").select("regimes")
    app.run()
    found = results.metrics(study, about="such tasks", average="regimes")
    assert found.sentence in text(app)
    ses = next(e for e in found.estimates if e.metric == "SES" and e.method == "corrected")
    assert with_interval(ses.value, ses.low, ses.high) in row(app, "SES")
    app.selectbox(key="target").select("B").run()
    assert not app.exception
    decided = results.metrics(study, target="B").settled
    assert decided is not None
    assert (decided.sentence or "-") in text(app)
    assert "settled labels in the denominator, 30 needed" in row(app, "SES")


def test_a_mean_over_what_does_not_vary_is_not_offered(served: Open) -> None:
    served("finished")
    assert opened(report).selectbox(key="average").options == ["all responses as one", "the mean over regimes"]


def test_the_judge_screen_shows_the_numbers_of_judge_check(served: Open) -> None:
    check = judging.judge_check(served("finished"))
    app = opened(judge)
    assert check.sentence in text(app)
    for name, found in check.labels.items():
        for figure in (found.sensitivity, found.specificity, found.accuracy, found.always_yes, found.always_no):
            assert with_interval(figure.value, figure.low, figure.high) in text(app)
        assert coefficient(found.kappa) in text(app)
        assert f"yes {percent(found.always_yes.value)}" in row(app, name) or (
            f"no {percent(found.always_no.value)}" in row(app, name)
        )
    (no_no, _), (_, yes_yes) = check.labels["D"].counts
    assert f"({yes_yes})" in row(app, "People: yes")
    assert f"({no_no})" in row(app, "People: no")


def test_the_agreement_screen_shows_the_numbers_and_what_one_dominant_value_does(served: Open) -> None:
    found = raters.agreement(served("finished"))
    app = opened(agreement)
    for label in found.labels:
        percent, alpha, ac1 = label.coefficients
        shown = row(app, label.title)
        assert with_interval(percent.value, percent.low, percent.high) in shown
        assert coefficient(alpha) in shown
        assert coefficient(ac1) in shown
        assert f" {label.n_items} " in shown
        assert all(f"{value} {count}" in shown for value, count in label.prevalence.items())
    assert re.search(r"Discloses: “No” is \d+ of \d+ labels", text(app))
    assert "Correct: “" not in text(app)


def test_the_agreement_screen_has_the_rest_one_click_away(served: Open) -> None:
    study = served("finished")
    app = opened(agreement, "coefficients", "annotators", "consensus")
    for found in raters.agreement(study, every=True).labels:
        for one in found.coefficients:
            assert coefficient(one) in text(app)
    for line in rater_rows.habit_reasons(annotator_habits(study), rater_rows.PLAIN):
        assert line in text(app)
    assert "3 annotators tell too little of annotators like these; 5 are needed" in text(app)
    assert "not identified: no item was read by 3 raters" in text(app)
    assert len(app.get("download_button")) == 1
    closed = opened(agreement)
    assert "self-consistency" not in text(closed)
    closed.multiselect(key="agreement-by").select("model")
    closed.toggle(key="agreement-weighted").set_value(True)
    closed.run()
    sliced = raters.agreement(study, by=["model"], weighted=True)
    assert sliced.sentence in text(closed)
    for found in sliced.labels:
        assert all(coefficient(one) in text(closed) for one in found.coefficients)


def test_the_judge_screen_sets_people_beside_the_judge(served: Open) -> None:
    study = served("finished")
    app = opened(judge)
    check = judging.judge_check(study)
    for name, ceiling in check.ceilings.items():
        assert coefficient(ceiling.kappa.people) in text(app), name
        assert coefficient(check.labels[name].mcc) in text(app)
    assert judge_rows.alternative_sentence(check) in text(app)
    assert judge_rows.refusals(check)[0] in text(app)
    app.multiselect(key="judge-by").select("condition").run()
    sliced = judging.judge_check(study, by=["condition"]).slices
    clean = next(part for part in sliced if part.slice == {"condition": "clean"})
    assert coefficient(clean.labels["C"].kappa) in text(app)


def test_people_are_called_by_name_and_by_id_only_where_names_are_not_enough(served: Open) -> None:
    served("finished")
    shown = text(opened(agreement, "pairs"))
    assert f"{EVIL} · Rater two (scripted-2)" in shown
    assert "Rater two (scripted-3)" in shown
    assert "scripted-1" not in shown


@pytest.mark.parametrize("screen", SCREENS)
def test_hostile_names_are_shown_as_they_are(served: Open, screen: Callable[[], None]) -> None:
    served("finished")
    app = opened(screen, *(("pairs", "annotators", "consensus") if screen is agreement else ()))
    if screen is report:
        app.multiselect(key="by").select("model").run()
        assert text(app).count(EVIL) >= 2 + len(results.HEADLINE)
    assert EVIL in text(app)
    pages = " ".join(block.value for block in app.html)
    assert "<img" not in pages
    markdown = [*app.markdown, *app.caption, *app.title, *app.header, *app.subheader, *app.error, *app.info]
    assert not [element for element in markdown if "evil" in str(element.value)]
    assert not [element for element in app.expander if "evil" in element.label]


def test_while_sealed_the_report_shows_widths_and_no_value(served: Open) -> None:
    study = served("started")
    app = opened(report)
    app.toggle(key="taxonomy").set_value(True)
    app.multiselect(key="by").select("condition")
    app.selectbox(key="about").select("such tasks")
    app.selectbox(key="average").select("regimes")
    app.run()
    assert not app.exception
    assert "Results are sealed" in text(app)
    assert "points wide" in row(app, "Acc")
    assert not re.search(r"\d %", text(app))
    app.selectbox(key="target").select("B").run()
    assert not re.search(r"\d %", text(app))
    assert "decided is said once results are open" in text(app)
    assert not app.get("download_button")
    assert f"{choices(study).seal.n_left} assignments" in text(app)


@pytest.mark.parametrize("screen", [judge, agreement])
def test_while_sealed_the_other_screens_only_say_so(served: Open, screen: Callable[[], None]) -> None:
    served("started")
    app = opened(screen)
    assert "Results are sealed" in text(app)
    assert "<table>" not in " ".join(block.value for block in app.html)


def test_results_are_opened_early_with_a_reason_and_not_without(
    studies: Path, tmp_path: Path, looking: Callable[..., object]
) -> None:
    shutil.copytree(studies / "drawn", tmp_path / "early")
    looking(open_study(tmp_path / "early"), opened=False)
    app = opened(report)
    app.button[0].click().run()
    assert "Give a reason first" in text(app)
    assert not choices(open_study(tmp_path / "early")).seal.is_open
    app.text_input[0].input(f"{EVIL}")
    app.button[0].click().run()
    assert not app.exception
    assert choices(open_study(tmp_path / "early")).seal.reason == EVIL
    assert EVIL in text(app)
    assert "240 of 240 drawn responses are not labelled yet" in text(app)
    assert "refused: 0 labels" in row(app, "Acc")
    assert "undefined: there are no rows" in row(opened(judge), "D")
    assert "Nobody has labelled a drawn response that the judge scored" in text(opened(judge))
    assert "no item has labels of two people" in text(opened(agreement))


@pytest.mark.parametrize("screen", SCREENS)
def test_an_empty_study_says_what_to_do(served: Open, screen: Callable[[], None]) -> None:
    served("empty")
    app = opened(screen)
    assert "nothing to sample yet" in text(app)
    assert "evidence-audit sample draw" in text(app)
    assert "/empty" not in text(app)


def test_a_problem_is_a_sentence(served: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    served("finished")

    def broken(*args: object, **kwargs: object) -> None:
        raise StudyProblem("study.db is busy; try again in a moment")

    monkeypatch.setattr(results, "metrics", broken)
    assert "study.db is busy" in text(opened(report))


def test_what_unusable_labels_could_do_is_said_in_one_line(served: Open) -> None:
    found = results.metrics(served("finished"))
    usual = {e.metric: e for e in found.estimates if e.method == "corrected"}
    bound = Bounds(metric="Acc", slice={}, lowest=0.5, highest=0.6, low=0.4, high=0.7, n_unusable=9, why_undefined=None)
    lacking = [replace(usual[name], n=231, n_dropped=9, bounds=bound) for name in ("Acc", "BAS")]
    waiting = replace(usual["SES"], n=200)
    said = report_screen.missing(replace(found, estimates=(*lacking, waiting)))
    assert said == [
        "Acc, BAS: 9 of 240 answered responses left out (a label was skipped or could not be judged).",
        "SES: 40 of 240 answered responses still wait for a label.",
        "If all 9 unusable labels had gone one way or the other: Acc between 50.0 % and 60.0 %, BAS between 50.0 % and "
        "60.0 %.",
    ]


def test_what_is_missing_is_said(served: Open) -> None:
    study = served("started")
    unlabelled = report_screen.missing(results.metrics(study))
    assert re.match(r"\d+ of 240 drawn responses are not labelled yet\.", unlabelled[0])
    naive = report_screen.missing(results.metrics(study, judge="plover-judge"))
    assert any("the judge gave no usable label for" in line for line in naive)
