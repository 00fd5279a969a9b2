"""People as raters: numbers by hand, laws, and what each annotator is like."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agreement.result import Agreement
from audit_app.actions.consensus import consensus, posterior_text
from audit_app.actions.demo import Demo
from audit_app.actions.habits import annotator_habits
from audit_app.actions.judging import judge_check
from audit_app.actions.rater_rows import (
    agreement_rows,
    coefficient_rows,
    drift_rows,
    habit_reasons,
    habit_rows,
    pair_rows,
)
from audit_app.actions.raters import LabelAgreement, agreement
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.seal import unseal
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study

N = 36
ITEMS = [f"t{n:02}.clean.wren.baseline" for n in range(N)]
TRUTH = [n % 2 for n in range(N)]
SLIPS = {"ann": 0, "ben": 9, "eve": 7}
"""Everybody errs on C of every so many items; ann never."""


def said(person: str, n: int) -> int:
    return TRUTH[n] ^ int(SLIPS[person] > 0 and n % SLIPS[person] == 0)


def rows_of(person: str, items: Iterable[int] = range(N), **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "item_id": ITEMS[n], "item_kind": "response", "person_id": person, "label": label, "value": value,
            "created_at": f"2026-0{3 + n % 3}-1{n % 9}T0{n % 8}:0{n % 10}:00+00:00", **more,
        }
        for n in items
        for label, value in (("C", str(said(person, n))), ("source_sensitivity", str((n + (person == "eve")) % 3)))
    ]  # fmt: skip


def verdict(n: int) -> dict[str, Any]:
    return {"response_id": ITEMS[n], "judge": "judge-1", "C": TRUTH[n] ^ (n % 12 == 0), "source_sensitivity": n % 3}


@pytest.fixture(scope="module")
def drawn_core(grid: Any, build_study: Any, tmp_path_factory: pytest.TempPathFactory) -> Study:
    rows = {**grid(N, conditions=("clean",)), "verdicts": [verdict(n) for n in range(N)]}
    made: Study = build_study(tmp_path_factory.mktemp("core"), rows, ["source_sensitivity", "C"])
    draw_sample(made, Plan(size=None, overlap=1.0, diagnostics=1.0))
    unseal(made, "a test")
    return made


@pytest.fixture
def core(drawn_core: Study, copy_of: Any, give_labels: Any) -> Study:
    """Three people labelled all of 36 responses: C, and one diagnostic."""
    study: Study = copy_of(drawn_core)
    give_labels(study, [row for person in SLIPS for row in rows_of(person)])
    return study


def label(study: Study, name: str, **options: Any) -> LabelAgreement:
    return next(one for one in agreement(study, **options).labels if one.label == name and not one.slice)


def test_every_coefficient_by_hand(core: Study) -> None:
    found = label(core, "C", every=True)
    values = {one.name: one.value for one in found.coefficients}
    assert list(values) == ["percent_agreement", "krippendorff_alpha_nominal", "gwet_ac1", "fleiss_kappa",
                            "conger_kappa", "brennan_prediger"]  # fmt: skip
    # ben errs on 0 9 18 27, eve on 0 7 14 21 28 35: on 8 items one of the three differs, and on item 0 two do.
    agreed = (27 + 9 / 3) / 36
    yes = sum(said(person, n) for person in SLIPS for n in range(N)) / (3 * N)
    by_chance = yes**2 + (1 - yes) ** 2
    assert values["percent_agreement"] == pytest.approx(agreed)
    assert values["fleiss_kappa"] == pytest.approx((agreed - by_chance) / (1 - by_chance))
    assert values["brennan_prediger"] == pytest.approx(2 * agreed - 1)
    assert all(one.se is not None and one.low <= one.value <= one.high for one in found.coefficients)  # type: ignore[operator]  # defined here
    diagnostic = [one.name for one in label(core, "source_sensitivity", every=True).coefficients]
    assert {"krippendorff_alpha_interval", "krippendorff_alpha_ratio", "gwet_ac2_quadratic",
            "conger_kappa_linear"} <= set(diagnostic)  # fmt: skip
    plain = [one.name for one in label(core, "source_sensitivity").coefficients]
    assert plain == ["percent_agreement", "krippendorff_alpha_ordinal", "gwet_ac1"]


def test_the_rows_hold_what_each_coefficient_rests_on(core: Study, give_labels: Any) -> None:
    give_labels(core, [{"item_id": ITEMS[3], "item_kind": "response", "person_id": "zoe", "label": "C",
                        "value": "cannot_judge", "comment": "torn"}])  # fmt: skip
    rows = [row for row in coefficient_rows(agreement(core, every=True)) if row["label"] == "C"]
    assert {row["cannot judge"] for row in rows} == {f"{100 / 109:.1f} %"}
    assert {(row["items"], row["dropped"]) for row in rows} == {("36", "0")}
    assert "Brennan–Prediger (PABAK)" in {row["coefficient"] for row in rows}
    assert all(row["SE"] for row in rows)


def test_a_slice_is_what_its_items_alone_would_give(finished_demo: Demo) -> None:
    found = agreement(finished_demo.study, by=["condition", "model"])
    overall = [one for one in found.labels if not one.slice]
    for whole in overall:
        parts = [one for one in found.labels if one.label == whole.label and one.slice]
        assert sum(part.n_items for part in parts) == whole.n_items
        percent = sum(part.n_items * (part.coefficients[0].value or 0) for part in parts) / whole.n_items
        assert percent == pytest.approx(whole.coefficients[0].value)
        assert not any(part.pairs for part in parts)
    assert agreement_rows(found)[0]["slice"] == "all"
    assert overall == list(agreement(finished_demo.study).labels)
    with pytest.raises(StudyProblem, match="unknown slice column 'colour'; expected some of model"):
        agreement(finished_demo.study, by=["colour"])


def test_weights_are_those_of_the_draw_and_the_overlap(grid: Any, study_from: Any, give_labels: Any) -> None:
    rows = grid(40, contexts=False, models=("big", "small"))
    rows["responses"] = [row for row in rows["responses"] if row["model"] == "big" or row["task_id"] < "t10"]
    study = study_from(rows, labels=["C"])
    draw_sample(study, Plan(size=25, overlap=0.5))
    unseal(study, "a test")
    with open_store(study) as store:
        drawn = pd.DataFrame(store.rows("SELECT draw.* FROM draw JOIN subsample USING (item_kind, item_id)"))
    agree = drawn["item_id"].str[2].astype(int) % 3 > 0
    give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": person, "label": "C",
                         "value": str(int(person == "ann" or same))}
                        for item, same in zip(drawn["item_id"], agree, strict=True)
                        for person in ("ann", "ben")])  # fmt: skip
    weight = drawn["stratum_size"] / drawn.groupby("stratum")["item_id"].transform("count")
    assert weight.nunique() == 2
    percent = label(study, "C", weighted=True).coefficients[0]
    assert percent.value == pytest.approx((agree * weight).sum() / weight.sum())
    assert label(study, "C").coefficients[0].value == pytest.approx(agree.mean())
    assert percent.low is not None
    assert percent.high is not None
    assert percent.low < percent.high


def kappas(study: Study, **options: Any) -> dict[tuple[str, str], Agreement]:
    return {pair["people"]: pair["kappa"] for pair in label(study, "C", **options).pairs}


def test_two_people_are_weighted_by_the_items_that_both_labelled(grid: Any, study_from: Any, give_labels: Any) -> None:
    rows = grid(40, contexts=False, models=("big", "small"))
    rows["responses"] = [row for row in rows["responses"] if row["model"] == "big" or row["task_id"] < "t20"]
    study = study_from(rows, labels=["C"])
    # As many of the 20 small as of the 40 big, so that a big one stands for twice as many.
    draw_sample(study, Plan(size=32, allocation="equal", overlap=1, strata=("model",)))
    unseal(study, "a test")
    with open_store(study) as store:
        drawn = pd.DataFrame(store.rows("SELECT * FROM draw WHERE item_kind = 'response'"))
    pairs = [("ann", "ben"), ("ben", "eve"), ("ann", "eve")]
    rng = np.random.default_rng(4)
    said = {(item, person): bool(rng.integers(0, 2))
            for n, item in enumerate(drawn["item_id"]) for person in pairs[n % 4 % 3]}  # fmt: skip
    give_labels(study, [{"item_id": item, "item_kind": "response", "person_id": person, "label": "C",
                         "value": str(int(yes))} for (item, person), yes in said.items()])  # fmt: skip
    for pair, found in kappas(study, weighted=True).items():
        both = drawn[[all((item, who) in said for who in pair) for item in drawn["item_id"]]]
        weight = both["stratum_size"] / both.groupby("stratum")["item_id"].transform("count")
        assert weight.nunique() == 2
        assert weight.sum() == pytest.approx(60)
        one, other = (np.array([said[item, who] for item in both["item_id"]]) for who in pair)
        w = weight.to_numpy() / 60
        agreed, (p, q) = w @ (one == other), (w @ one, w @ other)
        by_chance = p * q + (1 - p) * (1 - q)
        assert found.value == pytest.approx((agreed - by_chance) / (1 - by_chance))
        assert found.low is not None
        assert found.high is not None
        assert found.low < found.high
    plain = kappas(study)
    assert any(plain[pair].value != pytest.approx(found.value) for pair, found in kappas(study, weighted=True).items())


def test_where_all_items_stand_for_as_many_pairs_are_as_without_weights(core: Study) -> None:
    plain, weighted = kappas(core), kappas(core, weighted=True)
    assert {pair: one.value for pair, one in weighted.items()} == pytest.approx(
        {pair: one.value for pair, one in plain.items()}
    )
    assert all(one.low == one.value == one.high for one in weighted.values())


def test_weights_level_and_reading_of_g_are_said(finished_demo: Demo) -> None:
    plain = agreement(finished_demo.study, level=0.9)
    assert " Unweighted: each of these items counts the same. 90 % intervals." in plain.sentence
    weighted = agreement(finished_demo.study, weighted=True).sentence
    assert "Weighted by the design" in weighted
    assert " 95 % intervals." in weighted
    assert [row["label"] for row in agreement_rows(plain)][:4] == [
        "D (Discloses)", "A (Substantive answer)", "G (Grounded, four values)", "C (Correct)",
    ]  # fmt: skip
    assert "G (four values)" in {row["label"] for row in pair_rows(plain)}


def test_what_two_people_labelled_whole_is_exact_once_it_is_weighted(core: Study) -> None:
    found = label(core, "C", weighted=True)
    assert all((one.low, one.high, one.se) == (one.value, one.value, 0) for one in found.coefficients)
    assert all(one.low != one.high for one in label(core, "C").coefficients)


OTHER_LABELS = st.lists(
    st.tuples(
        st.sampled_from(ITEMS),
        st.sampled_from([*SLIPS, "zoe"]),
        st.sampled_from([("C", "0"), ("C", "1"), ("C", None), ("source_sensitivity", "2")]),
        st.sampled_from(["calibration", "canary", "repeat", "adjudication"]),
        st.integers(2, 3),
    ),
    min_size=15,
    max_size=40,
    unique_by=lambda row: (row[0], row[1], row[2][0], row[3], row[4]),
)


def numbers(study: Study) -> list[Any]:
    habits = asdict(annotator_habits(study))
    for one in habits["labels"]:
        for annotator in one["annotators"]:
            del annotator["figures"]["self_consistency"]
    check = judge_check(study, by=["model"])
    # Of agreement all but what was decided, which stands beside the coefficients.
    agreed = agreement(study, every=True, weighted=True, by=["model"]).labels
    return [[asdict(one) for one in agreed], asdict(consensus(study)), habits,
            check.ceilings, check.diagnostics, check.slices, asdict(check.alternative[0])]  # fmt: skip


@given(others=OTHER_LABELS)
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_only_planned_labels_enter_a_number(
    others: list[Any], core: Study, give_labels: Any, known: dict[str, Any]
) -> None:
    before = known.setdefault("before", numbers(core))
    occasion = known["occasion"] = known.get("occasion", 0) + 10
    give_labels(core, [
        {"item_id": item, "item_kind": "response", "person_id": person, "label": name, "value": value,
         "purpose": purpose, "occasion": occasion + n}
        for item, person, (name, value), purpose, n in others
    ])  # fmt: skip
    assert numbers(core) == before


@pytest.fixture
def known() -> dict[str, Any]:
    return {}


def test_habits_by_hand(core: Study, give_labels: Any) -> None:
    again = [
        {**row, "value": "1"} for row in rows_of("ben", range(4), purpose="repeat", occasion=2) if row["label"] == "C"
    ]
    give_labels(core, again)
    found = {one.label: one for one in annotator_habits(core).labels}["C"]
    ann, ben, eve = found.annotators
    assert [one.person_id for one in found.annotators] == ["ann", "ben", "eve"]
    # ann agrees with ben but on 4 items, with eve but on 6.
    assert ann.figures.agreement.value == pytest.approx(1 - (4 + 6) / (2 * N))
    yes = {person: sum(said(person, n) for n in range(N)) for person in SLIPS}
    assert ben.figures.bias.value == pytest.approx((yes["ben"] - (yes["ann"] + yes["eve"]) / 2) / N)
    # ben said 1 1 0 1 on the first four: item 0 is a slip.
    assert [said("ben", n) for n in range(4)] == [1, 1, 0, 1]
    assert (ben.figures.self_consistency.value, ben.figures.self_consistency.n) == (3 / 4, 4)
    assert eve.figures.self_consistency.why_undefined
    assert found.variance.n_annotators >= 1
    rows = habit_rows(annotator_habits(core))
    assert rows[-2]["self-consistency"].startswith("75.0 %")


def test_drift_is_found_where_there_is_one(core: Study, give_labels: Any) -> None:
    # zoe is right in the first ten items and then, days later, wrong throughout.
    give_labels(core, [
        {"item_id": ITEMS[n], "item_kind": "response", "person_id": "zoe", "label": "C",
         "value": str(TRUTH[n] ^ (n >= 10)), "created_at": f"2026-03-{n + 1:02}T08:00:00+00:00"}
        for n in range(20)
    ])  # fmt: skip
    found = {one.label: one for one in annotator_habits(core).labels}["C"].annotators[-1]
    by_day = found.figures.agreement_by_day
    assert found.person_id == "zoe"
    assert by_day.value is not None
    assert by_day.high is not None
    assert by_day.high < 0
    assert -0.1 < by_day.value < -0.05
    drift = drift_rows(annotator_habits(core))
    assert drift[-1]["agreement, a day"].startswith("-")


def test_labels_that_came_in_with_one_file_have_no_times(drawn_core: Study, copy_of: Any, give_labels: Any) -> None:
    study = copy_of(drawn_core)
    give_labels(study, [{k: v for k, v in row.items() if k != "created_at"}
                        for person in ("ann", "ben") for row in rows_of(person)])  # fmt: skip
    found = annotator_habits(study)
    assert {one.figures.agreement_by_day.why_undefined for label in found.labels for one in label.annotators} == {
        "undefined: 0 independent units with a time; a trend needs 5"
    }
    assert any(line.startswith("No drift of agreement over days of") for line in
               habit_reasons(found, ("agreement_by_day",)))  # fmt: skip


def test_skips_and_active_seconds_of_people_at_the_screen(
    drawn_core: Study, copy_of: Any, person_in: Any, desk: Any
) -> None:
    study = copy_of(drawn_core)
    zoe = desk(study, person_in(study, "zoe"))
    # Nine openings, each of one question here: a skip, a "cannot judge", an answer of 9 seconds and six of 2.
    zoe.answer(zoe.view(), None, label="skip", comment="broken text")
    zoe.answer(zoe.view(), "cannot_judge", comment="torn")
    zoe.answer(zoe.view(), zoe.view()["label"]["values"][0]["value"], active_seconds=9.0)
    zoe.finish(lambda view: view["label"]["values"][0]["value"], limit=6)
    (found,) = annotator_habits(study).labels
    (one,) = found.annotators
    assert (one.figures.n_labels, one.n_cannot_judge, one.n_skipped) == (7, 1, 1)
    assert (one.cannot_judge_rate, one.skip_rate) == (1 / 8, 1 / 9)
    seconds = one.figures.median_seconds
    assert (seconds.value, seconds.low, seconds.high) == (2.0, 2.0, 9.0)


def test_the_consensus_follows_votes_and_reliable_people(core: Study) -> None:
    found = consensus(core)
    c = next(one for one in found.labels if one.label == "C")
    assert (c.n_items, c.n_labels, c.converged, c.why_not_identified) == (N, 3 * N, True, None)
    assert sum(c.shares.values()) == pytest.approx(1)
    likeliest = {one.item_id: max(one.posterior, key=one.posterior.__getitem__) for one in c.posteriors}
    assert [likeliest[item] for item in ITEMS[1:]] == [str(truth) for truth in TRUTH[1:]]
    assert all(sum(one.posterior.values()) == pytest.approx(1) for one in c.posteriors)
    lines = [json.loads(line) for line in posterior_text(found, "jsonl").splitlines()]
    table = posterior_text(found, "csv").splitlines()
    assert table[0] == "item_id,label,value,posterior"
    assert len(table) - 1 == len(lines) == 2 * N + 3 * N
    assert {(line["item_id"], line["label"]) for line in lines} == {
        (item, name) for item in ITEMS for name in ("C", "source_sensitivity")
    }
    with pytest.raises(StudyProblem, match=r"written as \.csv or \.jsonl"):
        posterior_text(found, "xlsx")


def test_two_people_do_not_identify_a_consensus(finished_demo: Demo) -> None:
    found = consensus(finished_demo.study)
    assert all("not identified" in (one.why_not_identified or "") for one in found.labels)
    assert found.sentence.count("not identified") == len({one.why_not_identified for one in found.labels})
    assert found.sentence.endswith(f"{found.labels[-1].why_not_identified}.")
