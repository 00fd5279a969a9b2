"""What the context audit says of all contexts, and what it does to every number."""

import json
from collections.abc import Collection
from itertools import product
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.context_verdicts import ContextVerdict
from audit_app.actions.contexts import broken_rows, context_audit
from audit_app.actions.demo import Demo
from audit_app.actions.leak_labels import BlindReading
from audit_app.actions.report import as_json, as_markdown, finding_rows, report
from audit_app.actions.results import metrics
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.cli import cli
from data.errors import StudyProblem
from data.rubric import default_text, parse_rubric
from data.store import items
from data.store.connection import open_store
from data.store.events import resolve
from data.study import Study, open_study
from metrics.estimate import Contexts, Target

N = 40
CONTEXT_LABELS = ["answerable", "supports", "construction_errors"]


def verdict(n: int, condition: str) -> tuple[str, list[str]]:
    """Of forty absences fifteen leak, five of them unmarked, and five have another error; four clean ones are wrong."""
    if condition == "clean":
        return "established", ["gold_wrong"] if n < 4 else []
    errors = ["answer_leaked"] if n < 10 else ["explicit_cue"] if 15 <= n < 20 else []
    return "established" if 10 <= n < 15 else "not_established", errors


def audit_of(grid: Any, study_from: Any, give_labels: Any, unknown: Collection[str] = ()) -> Study:
    """Everything is drawn and labelled; right are all absences below 20, and clean ones but every fourth."""
    rows = grid(N)
    study: Study = study_from(rows, labels=["C", *CONTEXT_LABELS])
    draw_sample(study, Plan(size=None, contexts=2 * N, overlap=0))
    said: list[dict[str, Any]] = []
    for context in rows["contexts"]:
        n, condition, key = int(context["task_id"][1:]), context["condition"], context["context_id"]
        answerable, errors = verdict(n, condition)
        marked = "cannot_judge" if key in unknown else json.dumps(errors)
        values = {"answerable": answerable, "construction_errors": marked,
                  "supports.1": "neither", "supports.2": "neither"}  # fmt: skip
        said += [{"item_id": key, "item_kind": "context", "person_id": "ann", "label": k, "value": v}
                 for k, v in values.items()]  # fmt: skip
        right = n % 4 != 0 if condition == "clean" else n < 20
        said.append({"item_id": f"{key}.wren.baseline", "item_kind": "response", "person_id": "ann", "label": "C",
                     "value": str(int(right))})  # fmt: skip
    give_labels(study, said)
    return study


@pytest.fixture
def audited(grid: Any, study_from: Any, give_labels: Any) -> Study:
    return audit_of(grid, study_from, give_labels)


def accuracy(study: Study, contexts: Contexts) -> dict[str, Any]:
    found = metrics(study, names=["Acc"], by=["condition"], contexts=contexts).estimates
    return {e.slice.get("condition", "all"): e for e in found if e.method == "corrected"}


VALUES: dict[Contexts, dict[str, float]] = {
    "all": {"all": 50 / 80, "clean": 30 / 40, "evidence_absence": 20 / 40},
    "valid": {"all": 27 / 56, "clean": 27 / 36, "evidence_absence": 0},
    # Fifteen absences leak: they count as clean. Nine other broken contexts count nowhere.
    "reclassified": {"all": 42 / 71, "clean": 42 / 51, "evidence_absence": 0},
}


@pytest.mark.parametrize("contexts", VALUES)
def test_the_three_views_of_the_contexts(audited: Study, contexts: Contexts) -> None:
    found = accuracy(audited, contexts)
    for place, value in VALUES[contexts].items():
        assert (found[place].value, found[place].contexts) == (pytest.approx(value), contexts)
    if contexts == "reclassified":
        bounds = found["clean"].bounds
        assert (bounds.lowest, bounds.highest) == (pytest.approx(42 / 55), pytest.approx(46 / 55))
        assert bounds.n_unusable == 4


def test_the_share_of_broken_contexts_is_an_estimate(audited: Study) -> None:
    audit = context_audit(audited)
    shares: dict[str | None, Any] = {
        found.condition: (found.n_broken, found.estimate.share.value) for found in audit.broken
    }
    assert shares == {None: (24, pytest.approx(0.3)), "clean": (4, pytest.approx(0.1)),
                      "evidence_absence": (20, pytest.approx(0.5))}  # fmt: skip
    assert "Of all 80 contexts an estimated 30.0 % (exact) are broken" in audit.sentence
    assert broken_rows(audit)[1] == {"condition": "clean", "broken": "4 of 40 audited",
                                     "estimated share": "10.0 % (exact)", "note": ""}  # fmt: skip


def test_a_context_without_a_verdict_is_bounded(grid: Any, study_from: Any, give_labels: Any) -> None:
    audited = audit_of(grid, study_from, give_labels, unknown=("t08.clean", "t09.clean"))
    clean = context_audit(audited).broken[1]
    assert clean.estimate.share.value == pytest.approx(4 / 38)
    assert clean.note == "between 10.0 % and 15.0 % if all 2 contexts without a verdict were valid, or broken"
    found = accuracy(audited, "valid")["clean"]
    # t08 is wrong and t09 right.
    assert (found.n, found.n_dropped, found.value) == (34, 2, pytest.approx(26 / 34))
    assert (found.bounds.lowest, found.bounds.highest) == (pytest.approx(26 / 35), pytest.approx(27 / 35))


def test_only_the_plans_first_person_counts(audited: Study, give_labels: Any) -> None:
    before = [accuracy(audited, view) for view in VALUES], context_audit(audited).broken
    rows = [
        {"item_id": f"t{n}.{condition}", "item_kind": "context", "person_id": "bea", "label": label, "value": value}
        for n in range(20, 30)
        for condition in ("clean", "evidence_absence")
        for label, value in (("answerable", "established"), ("construction_errors", '["answer_leaked"]'))
    ]
    for purpose in ("repeat", "canary", "calibration", "adjudication"):
        give_labels(audited, [{**row, "purpose": purpose, "occasion": 2} for row in rows])
    assert ([accuracy(audited, view) for view in VALUES], context_audit(audited).broken) == before


def test_what_is_not_said_is_not_known() -> None:
    blind = ContextVerdict(reading=BlindReading(answerable="not_established"), errors=None, comment=None)
    assert blind.is_valid("evidence_absence") is None
    leak = ContextVerdict(reading=BlindReading(answerable="established"), errors=None, comment=None)
    assert (leak.is_valid("evidence_absence"), leak.is_valid("clean")) == (False, None)


@pytest.mark.parametrize(
    ("answerable", "supports", "errors", "valid", "real"),
    [
        # Two passages together give the reference answer.
        ("established", ["neither", "neither"], [], False, "clean"),
        ("not_established", ["neither", "gold"], [], False, "clean"),
        # What was found established is the wrong answer: broken, but no clean context.
        ("established", ["wrong", "neither"], [], False, None),
        ("established", ["wrong", "gold"], ["answer_leaked"], False, None),
        # Nobody has said yet what the passages support.
        ("established", [], None, False, None),
        ("established", [], ["answer_leaked"], False, "clean"),
        ("not_established", ["neither", "neither"], [], True, None),
        ("not_established", ["neither", "wrong"], ["explicit_cue"], False, None),
    ],
)
def test_an_absence_is_clean_only_where_it_gives_the_reference_answer(
    answerable: str, supports: list[str], errors: list[str] | None, valid: bool, real: str | None
) -> None:
    said = {str(number): value for number, value in enumerate(supports, 1)}
    found = ContextVerdict(
        reading=BlindReading(answerable=answerable, supports=said, passages=("1", "2")),
        errors=None if errors is None else tuple(errors),
        comment=None,
    )
    assert (found.is_valid("evidence_absence"), found.real_condition("evidence_absence")) == (valid, real)


def test_a_blemish_does_not_break_a_context() -> None:
    known = parse_rubric(default_text(), "rubric.toml").blemishes
    assert known == {"duplicate_passage", "implausible_metadata"}

    def valid(*errors: str) -> bool | None:
        read = BlindReading(answerable="established")
        found = ContextVerdict(reading=read, errors=errors, comment=None, blemishes=known)
        return found.is_valid("clean")

    assert (valid(), valid("duplicate_passage"), valid("duplicate_passage", "gold_wrong")) == (True, True, False)


def test_a_leak_that_the_rubric_calls_a_blemish_breaks_no_absence() -> None:
    neither = BlindReading(answerable="not_established", supports={"1": "neither"}, passages=["1"])

    def found(*blemishes: str) -> tuple[bool | None, str | None]:
        verdict = ContextVerdict(
            reading=neither, errors=("answer_leaked",), comment=None, blemishes=frozenset(blemishes)
        )
        return verdict.is_valid("evidence_absence"), verdict.real_condition("evidence_absence")

    assert (found(), found("answer_leaked")) == ((False, "clean"), (True, None))


def test_the_severity_of_an_error_is_the_rubric_s_to_say(audited: Study) -> None:
    path = audited.path / "rubric.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('text = "Explicit absence cue"', 'text = "Cue", severity = "blemish"'), "utf-8")
    audit = context_audit(open_study(audited.path))
    assert {share.condition: share.n_broken for share in audit.broken} == {
        None: 19, "clean": 4, "evidence_absence": 15}  # fmt: skip
    assert len(audit.findings) == 24


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_side_by_side_on_the_command_line_and_in_the_report(audited: Study) -> None:
    ended = run("metrics", "--contexts", "side-by-side", "--by", "condition", "--study", audited.path)
    head, _, everything, clean, _ = ended.stdout.splitlines()[:5]
    assert head.split("  ")[0] == "metric"
    for text in ("62.5 % (exact)", "48.2 % (exact)", "59.2 % (exact)", "80 / 56 / 71"):
        assert text in everything
    for text in ("75.0 % (exact)", "82.4 % (exact)", "re-classified: between 76.4 % and 83.6 %"):
        assert text in clean
    assert "valid contexts only" in ended.stderr
    rows = json.loads(run("metrics", "--contexts", "side-by-side", "--json", "--study", audited.path).stdout)
    assert {row["contexts"] for row in rows if row["method"] == "corrected"} == set(VALUES)
    found = report(audited)
    page = as_markdown(found)
    assert "an estimated 30.0 % (exact) are broken" in page
    assert "82.4 % (exact)" in page.split("## The contexts")[1]
    told = json.loads(as_json(found))["by_contexts"]
    assert {row["contexts"] for row in told} == set(VALUES)


def test_the_report_shows_what_was_quoted_and_read(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = study_from({**grid(1, conditions=("evidence_absence",)), "responses": []}, labels=CONTEXT_LABELS)
    draw_sample(study, Plan(size=1, overlap=0))
    quote = {"passage": 2, "start": 0, "end": 9, "text": "passage 2"}
    said: dict[str, dict[str, Any]] = {
        "answerable": {"value": "established", "comment": "It says GOLD"},
        "supports.1": {"value": "neither"},
        "supports.2": {"value": "gold"},
        "construction_errors": {"value": '["answer_leaked"]', "evidence": [quote], "comment": "plainly"},
    }
    give_labels(study, [{"item_id": "t00.evidence_absence", "item_kind": "context", "person_id": "ann", "label": label,
                         **more} for label, more in said.items()])  # fmt: skip
    unseal(study, "a test")
    (row,) = finding_rows(context_audit(study))
    assert (row["the blind reader's words"], row["quotes"], row["note"]) == (
        "It says GOLD", "2: “passage 2”", "plainly")  # fmt: skip


def test_without_an_audit_there_is_a_sentence(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = study_from(grid(4, contexts=False), labels=["C"])
    draw_sample(study, Plan(size=None, overlap=0))
    give_labels(study, [{"item_id": f"t0{n}.wren.baseline", "item_kind": "response", "person_id": "ann", "label": "C",
                         "value": "1"} for n in range(4)])  # fmt: skip
    with pytest.raises(StudyProblem, match="no context of a labelled response is audited yet"):
        metrics(study, contexts="valid")
    assert run("metrics", "--contexts", "valid", "--study", study.path).exit_code == 1
    assert report(study).views == ()


def test_sealed_results_tell_nothing_of_the_contexts(demo_copy: Study, finished_demo: Demo) -> None:
    assert report(finished_demo.study).views
    with open_store(demo_copy) as store:
        store.change("DELETE FROM setting", [])
    for contexts in ("valid", "reclassified"):
        with pytest.raises(StudyProblem, match="which contexts are broken is itself a result"):
            metrics(demo_copy, contexts=contexts)
    assert run("metrics", "--contexts", "side-by-side", "--study", demo_copy.path).stdout == ""
    found = report(demo_copy)
    assert (found.contexts, found.views) == (None, ())


def decide(study: Study, found: dict[str, str], value: str) -> None:
    """An adjudicator has decided what is wrong with these contexts."""
    with open_store(study) as store:
        for context in found:
            resolve(store, {"item_kind": "context", "item_id": context, "label": "construction_errors", "value": value,
                            "person_id": "ann", "reason": "read again", "cause": None, "resolves": "[]"})  # fmt: skip


@pytest.fixture
def doubled(grid: Any, study_from: Any, give_labels: Any) -> Study:
    """All eighty contexts are audited by two people, who agree but on ten clean ones: ann calls them wrong."""
    rows = grid(N)
    study: Study = study_from(rows, labels=["C", *CONTEXT_LABELS])
    draw_sample(study, Plan(size=None, contexts=2 * N, overlap=1))
    said: list[dict[str, Any]] = []
    for context in rows["contexts"]:
        n, condition, key = int(context["task_id"][1:]), context["condition"], context["context_id"]
        answerable = "established" if condition == "clean" else "not_established"
        for person in ("ann", "bea"):
            errors = ["gold_wrong"] if (n, condition, person) in {(k, "clean", "ann") for k in range(10)} else []
            values = {"answerable": answerable, "construction_errors": json.dumps(errors),
                      "supports.1": "neither", "supports.2": "neither"}  # fmt: skip
            said += [{"item_id": key, "item_kind": "context", "person_id": person, "label": k, "value": v}
                     for k, v in values.items()]  # fmt: skip
        said.append({"item_id": f"{key}.wren.baseline", "item_kind": "response", "person_id": "ann", "label": "C",
                     "value": "1"})  # fmt: skip
    give_labels(study, said)
    return study


def shares(study: Study, target: Target) -> dict[str | None, float | None]:
    return {one.condition: one.estimate.share.value for one in context_audit(study, target=target).broken}


def test_decisions_on_contexts_enter_target_b_alone(doubled: Study) -> None:
    unseal(doubled, "a test")
    first = shares(doubled, "A")
    assert first == {None: pytest.approx(10 / 80), "clean": pytest.approx(10 / 40), "evidence_absence": 0}
    assert "disagreements decided" in context_audit(doubled, target="B").sentence
    decide(doubled, dict.fromkeys([f"t0{n}.clean" for n in range(4)], ""), '["gold_wrong"]')
    decide(doubled, dict.fromkeys([f"t0{n}.clean" for n in range(4, 10)], ""), "[]")
    assert shares(doubled, "A") == first
    assert shares(doubled, "B") == {None: pytest.approx(4 / 80), "clean": pytest.approx(4 / 40), "evidence_absence": 0}
    said = context_audit(doubled, target="B").sentence
    assert "5.0 % (exact) are broken (target B, by the first 80 of the 80 contexts that several people audit)." in said
    assert broken_rows(context_audit(doubled, target="B"))[1]["broken"] == "4 of 40 settled"


def test_target_b_waits_for_what_the_passages_of_an_absence_support(
    grid: Any, study_from: Any, give_labels: Any
) -> None:
    rows = grid(20)
    study: Study = study_from({**rows, "responses": []}, labels=CONTEXT_LABELS)
    draw_sample(study, Plan(size=40, overlap=1))
    said = []
    for context, person in product(rows["contexts"], ("ann", "bea")):
        key, clean = context["context_id"], context["condition"] == "clean"
        # They disagree on a passage of an absence, and on one of a clean context, which decides nothing.
        disputed = key in ("t03.evidence_absence", "t05.clean") and person == "bea"
        values = {"answerable": "established" if clean else "not_established", "construction_errors": "[]",
                  "supports.1": "gold" if clean != disputed else "neither", "supports.2": "neither"}  # fmt: skip
        said += [{"item_id": key, "item_kind": "context", "person_id": person, "label": label, "value": value}
                 for label, value in values.items()]  # fmt: skip
    give_labels(study, said)
    unseal(study, "a test")
    assert context_audit(study, target="B").n_settled < 40
    with open_store(study) as store:
        resolve(store, {"item_kind": "context", "item_id": "t03.evidence_absence", "label": "supports.1",
                        "value": "gold", "person_id": "ann", "reason": "read again", "cause": None,
                        "resolves": "[]"})  # fmt: skip
    settled = context_audit(study, target="B")
    assert settled.n_settled == 40
    assert shares(study, "B")["evidence_absence"] == pytest.approx(1 / 20)
    assert shares(study, "A")["evidence_absence"] == 0


def test_without_an_overlap_target_b_says_why(audited: Study) -> None:
    found = context_audit(audited, target="B")
    assert found.broken == ()
    assert "as no context was planned for several people; draw a sample with --overlap" in found.sentence


def test_side_by_side_prints_the_shares_of_broken_contexts(audited: Study) -> None:
    ended = run("metrics", "--contexts", "side-by-side", "--study", audited.path)
    table = ended.stdout.rstrip().split("\n\n")[-1].splitlines()
    assert [line.split("  ")[0] for line in table[2:]] == ["all contexts", "clean", "evidence_absence"]
    assert "4 of 40 audited" in table[3]
    assert "10.0 % (exact)" in table[3]
    assert "Of all 80 contexts an estimated 30.0 % (exact) are broken." in ended.stderr
    rows = json.loads(run("metrics", "--contexts", "side-by-side", "--json", "--study", audited.path).stdout)
    told = {row["slice"].get("condition"): row["value"] for row in rows if row["metric"] == "broken-contexts"}
    assert told == {None: pytest.approx(0.3), "clean": pytest.approx(0.1), "evidence_absence": pytest.approx(0.5)}


def test_too_few_audited_contexts_say_how_to_audit_more(grid: Any, study_from: Any, give_labels: Any) -> None:
    unknown = [f"t{n:02}.clean" for n in range(12)]
    audited = audit_of(grid, study_from, give_labels, unknown=unknown)
    found = context_audit(audited)
    assert found.broken[1].note == "28 audited contexts are too few for a share; 30 are needed"
    assert found.sentence.endswith("what nobody could judge would have to be audited again, by somebody else.")


def test_how_to_audit_more_is_said(grid: Any, study_from: Any, give_labels: Any) -> None:
    few = study_from(grid(40), labels=["C", *CONTEXT_LABELS])
    draw_sample(few, Plan(size=None, contexts=20, overlap=0))
    unseal(few, "a test")
    assert "let people audit the 20 drawn contexts that still wait." in context_audit(few).sentence
    with open_store(few) as store:
        drawn = [draw["item_id"] for draw in items.draws(store, "main", "context")]
    give_labels(few, [{"item_id": item, "item_kind": "context", "person_id": "ann", "label": label, "value": value}
                      for item in drawn
                      for label, value in {"answerable": "conflicting", "construction_errors": "[]",
                                           "supports.1": "neither", "supports.2": "neither"}.items()])  # fmt: skip
    assert context_audit(few).sentence.endswith("draw more contexts: evidence-audit sample extend --contexts N.")
