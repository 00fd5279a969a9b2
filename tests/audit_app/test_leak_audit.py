"""What people's labels say of leaks and of the screens, on studies where every number can be counted."""

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from audit_app.actions.demo import Demo
from audit_app.actions.importing import import_records
from audit_app.actions.leak_audit import leak_audit
from audit_app.actions.leak_labels import BlindReading
from audit_app.actions.leak_rows import audit_tables, chance_rows, screen_rows, share_rows
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from audit_app.actions.staffing import few_people
from audit_app.cli import cli
from data.errors import StudyProblem
from data.study import Study, open_study

N = 60
LABELS = ["answerable", "supports", "construction_errors"]


def says_gold(n: int) -> bool:
    """A quarter of the absences leak; the screens see all of these but every fifth, which is a paraphrase."""
    return n % 4 == 0


def audited(
    grid: Any, study_from: Any, give_labels: Any, *, contexts: int = 2 * N, denied: Collection[int] = (), **plan: Any
) -> Study:
    """Every clean context gives the answer; of the absences the leaks do, one in five of them in other words.

    Where it is `denied`, an absence has the words, and people find no leak.
    """
    rows = grid(N)
    for n, context in enumerate(rows["contexts"]):
        leaks = context["condition"] == "clean" or (says_gold(n // 2) and n // 2 % 5 != 0)
        if leaks:
            context["passages"][1]["text"] = "It was GOLD."
    study: Study = study_from({**rows, "responses": [], "verdicts": []}, labels=LABELS)
    draw_sample(study, Plan(size=contexts, overlap=0, **plan))
    said = []
    for n, context in enumerate(rows["contexts"]):
        gives = context["condition"] == "clean" or (says_gold(n // 2) and n // 2 not in denied)
        # Anchored by hits they could be, so errors say nothing here.
        values = {"answerable": "established" if gives else "not_established", "supports.1": "neither",
                  "supports.2": "gold" if gives else "neither", "construction_errors": '["answer_leaked"]'}  # fmt: skip
        said += [{"item_id": context["context_id"], "item_kind": "context", "person_id": "ann", "label": label,
                  "value": value} for label, value in values.items()]  # fmt: skip
    give_labels(study, said, drawn_only=True)
    return study


def test_shares_and_screens_of_a_census(grid: Any, study_from: Any, give_labels: Any) -> None:
    audit = leak_audit(audited(grid, study_from, give_labels))
    shares: dict[str, Any] = {one.condition: (one.n_true, one.estimate.share.value) for one in audit.shares}
    # 15 of 60 absences leak (0, 4, ..., 56); 0, 20 and 40 in other words.
    assert shares["clean"] == pytest.approx((60, 1.0))
    assert shares["evidence_absence"] == pytest.approx((15, 0.25))
    against = audit.screens["evidence_absence"]
    assert against.counts == ((45, 0), (3, 12))
    assert against.sensitivity.value == pytest.approx(0.8)
    assert against.specificity.value == pytest.approx(1)
    assert audit.only_people == ("t00.evidence_absence", "t20.evidence_absence", "t40.evidence_absence")
    assert audit.only_screens == ()
    assert "An estimated 25.0 % (exact) of the evidence_absence contexts give the answer away" in audit.sentence
    assert "Only people found t00.evidence_absence, t20" in audit.sentence
    # Stage 1 by itself: 15 absences are answered by a blind reader.
    assert {one.condition: one.n_true for one in audit.surprising} == {"clean": 0, "evidence_absence": 15}
    assert [row["sensitivity"] for row in screen_rows(audit)] == ["80.0 % (exact)", "96.0 % (exact)"]


def test_scores_become_chances_with_fifty_labels(grid: Any, study_from: Any, give_labels: Any) -> None:
    audit = leak_audit(audited(grid, study_from, give_labels, denied=(8, 12, 16, 24, 28, 32)))
    assert (audit.calibration.n, audit.calibration.n_leaks, audit.calibration.why_raw) == (60, 9, None)
    chances = {one.context_id: one for one in audit.chances}
    leak, other = chances["t04.evidence_absence"], chances["t01.evidence_absence"]
    # Six of twelve flagged ones leak and three of 48 others, in Platt's targets 10/11 and 1/53.
    assert leak.chance == pytest.approx((6 * 10 / 11 + 6 / 53) / 12, abs=0.001)
    assert other.chance == pytest.approx((3 * 10 / 11 + 45 / 53) / 48, abs=0.001)
    assert (leak.leaks, other.leaks, chances["t00.evidence_absence"].leaks) == (True, False, True)
    rows = chance_rows(audit, 20)
    assert rows[0] == {"context": "t04.evidence_absence", "score": "1.00", "chance of a leak": "46.4 %",
                       "people": "leak"}  # fmt: skip
    assert (len(rows), rows[-1]["context"]) == (21, "… and 40 more (all with --all)")
    assert "The score is calibrated on 60 labelled contexts" in audit.sentence


def test_a_score_that_is_right_already_stays_raw(grid: Any, study_from: Any, give_labels: Any) -> None:
    audit = leak_audit(audited(grid, study_from, give_labels))
    assert "The score is raw: calibrated it would err no less (0.0507 mean squared error, 0.0500 raw)" in audit.sentence
    assert chance_rows(audit)[0] == {"context": "t04.evidence_absence", "score": "1.00", "people": "leak"}


def test_a_sample_gives_intervals_and_few_labels_no_share(grid: Any, study_from: Any, give_labels: Any) -> None:
    audit = leak_audit(audited(grid, study_from, give_labels, contexts=80, strata=("condition", "leak")))
    (rate,) = (one.estimate.share for one in audit.shares if one.condition == "evidence_absence")
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low < 0.25 < rate.high
    assert audit.calibration.why_raw is not None
    assert "The score is raw" in audit.sentence
    few = leak_audit(audited(lambda _: grid(N), study_from_named(study_from, "few"), give_labels, contexts=20))
    assert "too few for a share" in few.sentence
    assert "too few for a share; 30 are needed" in share_rows(few.shares, "give it")[0]["note"]


def test_the_tables_show_absences_first_and_only_these_by_regime(finished_demo: Demo) -> None:
    audit = leak_audit(finished_demo.study)
    (short, *_), (long, *_) = audit_tables(audit).values(), audit_tables(audit, every=True).values()
    assert [(row["condition"], row["regime"]) for row in short[:4]] == [
        ("evidence_absence", ""), ("evidence_absence", "clbench"), ("evidence_absence", "liveresearchbench"),
        ("evidence_absence", "longfact"),
    ]  # fmt: skip
    assert (len(short), len(long)) == (8, 20)


def study_from_named(study_from: Any, name: str) -> Any:
    return lambda rows, **options: study_from(rows, name=name, **options)


def test_the_command_waits_for_the_seal(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = audited(grid, study_from, give_labels)
    done = CliRunner().invoke(cli, ["leaks", "--people", "--study", str(study.path)])
    assert done.exit_code == 0
    assert "The screens against these people:" in done.stdout
    told = json.loads(CliRunner().invoke(cli, ["leaks", "--people", "--json", "--study", str(study.path)]).stdout)
    assert told["only_people"][0] == "t00.evidence_absence"
    draw_sample(study, Plan(sample_id="more", size=10, seed=3, people=2, overlap=1))
    sealed = CliRunner().invoke(cli, ["leaks", "--people", "--study", str(study.path)])
    assert (sealed.exit_code, "Results are sealed" in sealed.stderr) == (1, True)


def test_without_contexts_it_says_so(grid: Any, study_from: Any) -> None:
    study = study_from(grid(contexts=False))
    draw_sample(study, Plan(size=3, overlap=0))

    unseal(study, "test")
    with pytest.raises(StudyProblem, match="no contexts are drawn"):
        leak_audit(study)


@pytest.mark.parametrize(
    ("answerable", "supports", "condition", "gives"),
    [
        ("not_established", {"1": "neither", "2": "neither"}, "evidence_absence", False),
        ("not_established", {"1": "neither", "2": "gold"}, "evidence_absence", True),
        # Two passages together, neither alone.
        ("established", {"1": "neither", "2": "neither"}, "evidence_absence", True),
        ("established", {"1": "wrong", "2": "neither"}, "clean", False),
        # The wrong answer is what was found established.
        ("established", {"1": "wrong", "2": "neither"}, "evidence_absence", False),
        (None, {"1": "wrong", "2": "neither"}, "evidence_absence", False),
        ("established", {"1": "wrong", "2": "gold"}, "evidence_absence", True),
        # A passage that nobody has judged may support either.
        ("established", {"1": "neither"}, "evidence_absence", None),
        ("established", {}, "evidence_absence", None),
        ("not_established", {"1": "neither"}, "evidence_absence", None),
        (None, {"1": "neither", "2": "neither"}, "evidence_absence", None),
        (None, {"1": "neither", "2": "gold"}, "direct_conflict", True),
        (None, {}, "clean", None),
    ],
)
def test_what_a_blind_reading_says(
    answerable: str | None, supports: dict[str, str], condition: str, gives: bool | None
) -> None:
    assert BlindReading(answerable=answerable, supports=supports, passages=("1", "2")).gives(condition) is gives


@pytest.mark.parametrize(
    ("answerable", "condition", "surprising"),
    [
        ("not_established", "authority_contamination", True),
        ("conflicting", "authority_contamination", False),
        ("established", "majority_contamination", False),
        ("not_established", "majority_contamination", True),
        ("conflicting", "evidence_absence", True),
        ("established", "direct_conflict", True),
        ("established", "clean", False),
        ("cannot_judge", "clean", None),
        ("established", "our_own", None),
    ],
)
def test_what_surprises_a_blind_reader(answerable: str, condition: str, surprising: bool | None) -> None:
    assert BlindReading(answerable=answerable).is_surprising(condition) is surprising


def test_a_reader_who_knows_the_answer_is_not_blind(grid: Any, study_from: Any, person_in: Any, desk: Any) -> None:
    rows = grid(4)
    study = study_from({**rows, "responses": [], "verdicts": []}, labels=LABELS)
    draw_sample(study, Plan(size=8, overlap=0))
    answers: dict[str, Any] = {"answerable": "established", "supports": "gold", "construction_errors": []}
    assert few_people(study) is not None
    desk(study, person_in(study, "ann"), screen="context").finish(
        lambda view: answers[view["label"]["name"].split(".")[0]]
    )
    audit = leak_audit(study)
    # Of each task ann has audited two contexts, the second one with the reference answer in mind.
    assert (audit.n_drawn, audit.n_read, audit.n_spoiled) == (8, 4, 4)
    assert (
        sum(one.estimate.share.n for one in audit.shares) == sum(one.estimate.share.n for one in audit.surprising) == 4
    )
    assert "4 drawn contexts were read by somebody who had seen the task's reference answer" in audit.sentence
    assert "in the context pass nobody would audit two contexts of one task" in str(few_people(study))
    person_in(study, "bea")
    assert few_people(study) is None


def test_a_reader_who_knew_the_answer_is_not_blind_in_another_study_either(
    grid: Any, study_from: Any, give_labels: Any
) -> None:
    study = study_from({**grid(4), "responses": [], "verdicts": []}, labels=LABELS)
    draw_sample(study, Plan(size=8, overlap=0))
    seen = {"fields": ["gold_answer", "passages"], "other_contexts": 1}
    said = {"answerable": "established", "supports.1": "gold", "supports.2": "neither"}
    give_labels(study, [{"item_id": f"t0{n}.clean", "item_kind": "context", "person_id": "ann", "label": label,
                         "value": value, "seen_before": seen if n < 3 else None}
                        for n in range(4) for label, value in said.items()])  # fmt: skip
    unseal(study, "a test")
    audit = leak_audit(study)
    assert (audit.n_read, audit.n_spoiled) == (1, 3)


def test_conditions_without_an_expectation_are_named(grid: Any, study_from: Any, give_labels: Any) -> None:
    rows = grid(2, conditions=("clean", "our_own"))
    made = study_from({"tasks": rows["tasks"]}, labels=LABELS)
    declared = made.path / "study.toml"
    declared.write_text(declared.read_text("utf-8").replace('"clean"', '"clean", "our_own"'), "utf-8")
    study = open_study(made.path)
    contexts = made.path / "contexts.json"
    contexts.write_text(json.dumps(rows["contexts"]), "utf-8")
    import_records(study, "contexts", contexts)
    draw_sample(study, Plan(size=4, overlap=0))
    said = {"answerable": "established", "supports.1": "gold", "supports.2": "neither"}
    give_labels(study, [{"item_id": context["context_id"], "item_kind": "context", "person_id": "ann", "label": label,
                         "value": value} for context in rows["contexts"] for label, value in said.items()])  # fmt: skip
    audit = leak_audit(study)
    assert (audit.unexpected, audit.n_spoiled) == (("our_own",), 0)
    assert "What a blind reader should find under our_own is not known" in audit.sentence


def test_the_unread_are_counted_in_words(grid: Any, study_from: Any, give_labels: Any) -> None:
    study = audited(grid, study_from, give_labels)
    rate = next(one for one in leak_audit(study).shares if one.condition == "clean")

    def note(n: int) -> str:
        broken = replace(rate.estimate, share=replace(rate.estimate.share, n_dropped=n), lowest=0.25, highest=0.5)
        (row,) = share_rows([replace(rate, estimate=broken)], "give it")
        return row["note"]

    assert note(1) == "between 25.0 % and 50.0 %, whatever the 1 unread context is"
    assert note(7).endswith("whatever the 7 unread contexts are")
