from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from metrics.definitions import METRICS, Metric
from metrics.estimate import Estimate, Target
from metrics.patterns import MISSING, encode
from metrics.rows import Slice
from metrics.table import METHODS, Adjudicated, JudgedRows, LabelledRows, Options, SecondLabels, detailed, slices_by
from sampling.design import Design

SIZE = 600


def table(
    judged: JudgedRows, labelled: LabelledRows, *, metrics: Iterable[Metric], slices: Iterable[Slice], **options: Any
) -> list[Estimate]:
    """The estimates without their shares, in the way that the options say."""
    found = detailed(judged, labelled, metrics=metrics, slices=slices, options=Options(**options))
    return [estimate for estimate, _ in found]


def study(seed: int = 3) -> tuple[JudgedRows, LabelledRows]:
    """Models a, b (a third each) and c, whose responses were never judged; 40 % drawn in each model."""
    rng = np.random.default_rng(seed)
    model = np.array(["a", "b", "c"] * (SIZE // 3))
    human = (rng.random((4, SIZE)) < 0.6).astype(np.float64)
    judge = np.where(rng.random((4, SIZE)) < 0.1, 1 - human, human)
    judge[:, model == "c"] = np.nan
    code = encode(*judge)
    drawn = np.sort(np.concatenate([rng.choice(np.flatnonzero(model == m), 80, replace=False) for m in "abc"]))
    seen = human[:, drawn]
    seen[3, :12] = np.nan

    def design_of(usable: NDArray[np.bool_]) -> Design:
        rows = drawn[usable]
        return Design.of_draws(
            stratum=model[rows].tolist(),
            stratum_size=np.full(len(rows), 200),
            inclusion_probability=np.full(len(rows), 0.4),
            unit=[str(row) for row in rows],
        )

    run, task = (np.arange(SIZE) // 3 % 2).astype(str), (np.arange(SIZE) // 6).astype(str)
    columns = {"model": model, "run": run, "task_id": task}
    judged = JudgedRows(
        columns={name: values.tolist() for name, values in columns.items()},
        code=code,
        count=np.ones(SIZE, dtype=np.int64),
    )
    labelled = LabelledRows(
        columns={name: values[drawn].tolist() for name, values in columns.items()},
        code=code[drawn],
        C=seen[0],
        A=seen[1],
        G=seen[2],
        D=seen[3],
        design_of=design_of,
    )
    return judged, labelled


def report(**options: Any) -> dict[tuple[str, str, str], Estimate]:
    judged, labelled = study()
    slices = [{}, *slices_by(judged, ["model"])]
    rows = table(judged, labelled, metrics=METRICS.values(), slices=slices, target="A", **options)
    return {(row.metric, row.slice.get("model", "all"), row.method): row for row in rows}


def test_one_estimate_per_metric_slice_and_method() -> None:
    rows = report()
    assert len(rows) == len(METRICS) * 4 * 3
    assert list(rows)[:4] == [
        ("Acc", "all", "naive"),
        ("Acc", "all", "human-only"),
        ("Acc", "all", "corrected"),
        ("Acc", "a", "naive"),
    ]


def test_estimates_say_what_they_are() -> None:
    rows = report(level=0.9)
    human, judge = rows["SES", "a", "corrected"], rows["SES", "a", "naive"]
    assert (human.target, human.level, human.tier) == ("A", 0.9, "direct")
    assert (judge.target, judge.level, judge.tier, judge.low, judge.high) == (None, None, None, None, None)


def test_unusable_rows_are_counted_in_their_slice() -> None:
    rows = report()
    # The first 12 drawn rows lack D: Acc does not need it, and SES does where they go beyond their context.
    lost = int(((study()[1].A == 1) & (study()[1].G == 0))[:12].sum())
    assert lost == 5
    assert (rows["Acc", "all", "corrected"].n, rows["Acc", "all", "corrected"].n_dropped) == (240, 0)
    assert (rows["SES", "all", "corrected"].n, rows["SES", "all", "corrected"].n_dropped) == (235, 5)
    assert sum(rows["SES", model, "corrected"].n_dropped for model in "abc") == lost
    assert (rows["SES", "all", "naive"].n, rows["SES", "all", "naive"].n_dropped) == (400, 200)


def test_a_model_that_was_never_judged_has_human_numbers_only() -> None:
    rows = report()
    assert rows["SES", "c", "naive"].why_undefined == "undefined: no response has a usable judge label"
    corrected, human = rows["SES", "c", "corrected"], rows["SES", "c", "human-only"]
    assert (corrected.value, corrected.low, corrected.high) == (human.value, human.low, human.high)


def test_unscored_responses_are_ambiguous_for_the_judge() -> None:
    assert report()["ambiguous", "c", "naive"].value == 1


def test_the_judge_narrows_the_interval_where_it_labelled() -> None:
    rows = report()
    for metric in ("Acc", "SES", "BAS", "ambiguous"):
        wide, narrow = rows[metric, "a", "human-only"], rows[metric, "a", "corrected"]
        assert narrow.high is not None
        assert narrow.low is not None
        assert wide.high is not None
        assert wide.low is not None
        assert narrow.high - narrow.low < wide.high - wide.low


def test_methods_and_floor_can_be_chosen() -> None:
    rows = report(methods=["corrected"], floor=100)
    assert {method for _, _, method in rows} == {"corrected"}
    assert rows["Acc", "a", "corrected"].tier == "refused"
    assert rows["Acc", "all", "corrected"].tier == "direct"


def test_grouped_and_single_rows_of_the_frame_give_the_same() -> None:
    judged, labelled = study()
    groups = sorted(set(zip(judged.columns["model"], judged.code.tolist(), strict=True)))
    pairs = list(zip(judged.columns["model"], judged.code.tolist(), strict=True))
    grouped = JudgedRows(
        columns={"model": [model for model, _ in groups]},
        code=np.array([code for _, code in groups]),
        count=np.array([pairs.count(group) for group in groups]),
    )
    both = [
        table(rows, labelled, metrics=[METRICS["cSES"]], slices=[{}, {"model": "b"}], target="B")
        for rows in (judged, grouped)
    ]
    for one, other in zip(*both, strict=True):
        assert one.value == pytest.approx(other.value)
        assert one.low == pytest.approx(other.low)
        assert (one.n, one.slice, one.target) == (other.n, other.slice, other.target)


def test_nothing_labelled_yet_is_refused_not_an_error() -> None:
    judged, _ = study()
    none = np.zeros(0)
    labelled = LabelledRows(
        columns={"model": []},
        code=np.zeros(0, dtype=np.int64),
        C=none,
        A=none,
        G=none,
        D=none,
        design_of=lambda usable: Design.of_draws(stratum=[], stratum_size=[], inclusion_probability=[], unit=[]),
    )
    rows = table(judged, labelled, metrics=METRICS.values(), slices=[{}, {"model": "a"}], target="A")
    assert {row.tier for row in rows if row.method != "naive"} == {"refused"}


def test_the_kind_of_interval_and_its_reason_come_with_the_detailed_table() -> None:
    judged, labelled = study()
    rows = detailed(judged, labelled, metrics=[METRICS["Acc"]], slices=[{}], options=Options(target="A"))
    assert [estimate.method for estimate, _ in rows] == list(METHODS)
    assert [share.interval for _, share in rows] == [None, "logit-t", "logit-t"]
    assert rows[2][1].evidence is not None


def test_such_tasks_are_named_and_not_narrower() -> None:
    judged, labelled = study()
    here, such = (
        table(judged, labelled, metrics=[METRICS["Acc"]], slices=[{}], target="A", about=about)
        for about in ("these responses", "such tasks")
    )
    assert [row.population for row in such] == ["these responses", "such tasks", "such tasks"]
    for narrow, wide in zip(here[1:], such[1:], strict=True):
        assert narrow.value == wide.value
        assert narrow.low is not None
        assert narrow.high is not None
        assert wide.low is not None
        assert wide.high is not None
        assert wide.low <= narrow.low < narrow.high <= wide.high


def test_annotators_like_these_are_named_and_not_narrower() -> None:
    judged, labelled = study()
    labelled = replace(labelled, annotator=[f"p{row % 6}" for row in range(240)])
    here, like = (
        table(judged, labelled, metrics=[METRICS["SES"]], slices=[{}], target="A", annotators=who)
        for who in ("these annotators", "annotators like these")
    )
    assert [row.annotators for row in like] == ["these annotators", "annotators like these", "annotators like these"]
    assert like[0] == here[0]
    for narrow, wide in zip(here[1:], like[1:], strict=True):
        assert narrow.value == wide.value
        assert narrow.low is not None
        assert narrow.high is not None
        assert wide.low is not None
        assert wide.high is not None
        assert wide.low <= narrow.low < narrow.high <= wide.high


def test_what_annotators_slip_is_in_the_interval_of_target_a() -> None:
    judged, labelled = study()
    known = replace(labelled, annotator=[f"p{row % 3}" for row in range(240)])
    agreeing, contrary = (
        SecondLabels(C=C, A=labelled.A, G=labelled.G, D=labelled.D)
        for C in (labelled.C, np.where(np.arange(240) % 9 == 0, 1 - labelled.C, labelled.C))
    )
    all_right = Adjudicated(overlap=np.ones(240, dtype=bool), C=labelled.C, A=labelled.A, G=labelled.G, D=labelled.D)

    def width(rows: LabelledRows, target: Target = "A") -> float:
        (row,) = table(judged, rows, metrics=[METRICS["Acc"]], slices=[{}], target=target, methods=["corrected"])
        assert row.low is not None
        assert row.high is not None
        return row.high - row.low

    facts = width(labelled)
    assert width(replace(known, another=agreeing)) == pytest.approx(facts)
    assert facts < width(replace(known, another=contrary)) <= width(known)
    # What is adjudicated is no slip, also where all of it is and the labels are simply the adjudicated ones.
    settled = width(replace(labelled, adjudicated=all_right), "B")
    assert width(replace(known, another=contrary, adjudicated=all_right), "B") == settled
    assert width(replace(known, another=contrary), "B") == facts


def test_wrong_second_labels_are_refused() -> None:
    judged, labelled = study()
    wrong = SecondLabels(C=labelled.C + 1, A=labelled.A, G=labelled.G, D=labelled.D)
    with pytest.raises(ValueError, match="second label C"):
        table(judged, replace(labelled, another=wrong), metrics=[METRICS["Acc"]], slices=[{}], target="A")


def test_few_annotators_give_a_sentence_and_nothing_is_borrowed_instead() -> None:
    judged, labelled = study()
    labelled = replace(labelled, annotator=[f"p{row % 3}" for row in range(240)])
    options = Options(
        target="A", methods=("naive", "corrected"), annotators="annotators like these", borrow=("run",), floor=30
    )
    (naive, _), (corrected, share) = detailed(
        judged, labelled, metrics=[METRICS["SES"]], slices=[{"model": "a"}], options=options
    )
    assert naive.value is not None
    assert (corrected.value, corrected.low, corrected.annotators) == (None, None, "annotators like these")
    assert corrected.why_undefined == "undefined: 3 annotators tell too little of annotators like these; 5 are needed"
    assert share.n == corrected.n > 30


def test_annotators_like_these_need_their_names() -> None:
    judged, labelled = study()
    with pytest.raises(ValueError, match="give the annotator of every labelled row"):
        table(judged, labelled, metrics=[METRICS["Acc"]], slices=[{}], target="A", annotators="annotators like these")


def test_a_mean_over_runs_is_the_mean_of_the_runs() -> None:
    judged, labelled = study()
    runs: list[dict[str, str]] = [{"run": "0"}, {"run": "1"}]
    for metric in (METRICS["ESD"], METRICS["cSES"]):
        apart = table(judged, labelled, metrics=[metric], slices=runs, target="A", floor=1)
        mean = table(judged, labelled, metrics=[metric], slices=[{}], target="A", average="runs")
        for k, method in enumerate(METHODS):
            first, second = apart[k].value, apart[k + 3].value
            assert mean[k].method == method
            assert first is not None
            assert second is not None
            assert mean[k].value == pytest.approx((first + second) / 2)
        # Its interval is about as wide as that of two independent halves.
        widths = [(row.high or 0) - (row.low or 0) for row in (apart[2], apart[5], mean[2])]
        assert widths[2] == pytest.approx(np.hypot(widths[0], widths[1]) / 2, rel=0.15)


def test_a_mean_over_runs_skips_runs_that_the_slice_does_not_have() -> None:
    judged, labelled = study()
    one_run = [{"run": "1"}]
    pooled, mean = (
        table(judged, labelled, metrics=[METRICS["SES"]], slices=one_run, target="A", average=average)
        for average in ("pooled", "runs")
    )
    assert pooled == mean


def test_adjudicated_labels_correct_those_of_one_annotator() -> None:
    judged, labelled = study()
    overlap = np.arange(240) % 2 == 0
    settled = Adjudicated(
        overlap=overlap,
        C=np.where(overlap, 1.0, np.nan),
        A=labelled.A,
        G=labelled.G,
        D=labelled.D,
    )
    rows = table(
        judged,
        replace(labelled, adjudicated=settled),
        metrics=[METRICS["Acc"]],
        slices=[{}],
        target="B",
        methods=["human-only", "corrected"],
    )
    assert [row.target for row in rows] == ["B", "B"]
    for row in rows:
        # Every adjudicated response is correct, so about all are.
        assert row.value == pytest.approx(1, abs=0.08)
        assert row.n == 240


def test_an_unknown_column_is_an_error() -> None:
    judged, labelled = study()
    with pytest.raises(KeyError, match="prompt"):
        table(judged, labelled, metrics=[METRICS["Acc"]], slices=[{"prompt": "p"}], target="A")


def test_slices_follow_the_frame() -> None:
    rows = JudgedRows(
        columns={"model": ["b", "a", "b", "z"], "run": ["1", "1", "2", "1"]},
        code=np.full(4, MISSING),
        count=np.array([2, 1, 5, 0]),
    )
    assert slices_by(rows, ["model", "run"]) == [
        {"model": "a", "run": "1"},
        {"model": "b", "run": "1"},
        {"model": "b", "run": "2"},
    ]


@pytest.mark.parametrize("labels_of_the_second", [0, 1])
def test_a_mean_over_runs_with_a_run_that_hardly_anyone_labelled_says_so(labels_of_the_second: int) -> None:
    judged, labelled = study()
    run = np.array(labelled.columns["run"])
    kept = (run == "0") | (np.cumsum(run == "1") <= labels_of_the_second)
    C = np.where(kept, labelled.C, np.nan)
    few = replace(labelled, C=C)
    rows = table(judged, few, metrics=[METRICS["Acc"]], slices=[{}], target="A", average="runs", floor=1)
    assert [row.tier for row in rows] == [None, "refused", "refused"]
    why = "refused: 1 of the 2 parts to average have fewer than 2 labels in the denominator; label more"
    assert [row.why_undefined for row in rows[1:]] == [why, why]
    assert rows[0].value is not None
    pooled = table(judged, few, metrics=[METRICS["Acc"]], slices=[{}], target="A", methods=["corrected"])
    assert pooled[0].value is not None


def test_a_run_that_is_labelled_whole_needs_no_second_label() -> None:
    judged, labelled = study()
    run = np.array(labelled.columns["run"])
    # One response is left of the second run, and it is labelled.
    last = int(np.flatnonzero(run == "1")[0])
    code, C = int(labelled.code[last]), np.where((run == "0") | (np.arange(240) == last), labelled.C, np.nan)
    frame = np.array(judged.columns["run"]) == "0"
    small = JudgedRows(
        columns={
            name: [*np.array(values)[frame].tolist(), labelled.columns[name][last]]
            for name, values in judged.columns.items()
        },
        code=np.append(judged.code[frame], code),
        count=np.ones(int(frame.sum()) + 1, dtype=np.int64),
    )
    (row,) = table(
        small,
        replace(labelled, C=C),
        metrics=[METRICS["Acc"]],
        slices=[{}],
        target="A",
        average="runs",
        methods=["corrected"],
    )
    assert row.value is not None


def test_bad_rows_are_refused_before_anything_is_computed() -> None:
    judged, labelled = study()

    def never(usable: NDArray[np.bool_]) -> Design:
        raise AssertionError("a design was made of bad rows")

    bad = replace(labelled, C=np.full(240, 3.0), design_of=never)
    with pytest.raises(ValueError, match=r"label C is 3 in 240 rows.*no column 'prompt'"):
        table(judged, bad, metrics=[METRICS["Acc"]], slices=[{"prompt": "p"}], target="A")
