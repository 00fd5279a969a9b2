from dataclasses import replace

import numpy as np
import pytest

from metrics.arguments import check
from metrics.rows import JudgedRows, LabelledRows
from sampling.design import Design

JUDGED = JudgedRows(columns={"model": ["a", "b"]}, code=np.array([0, 80]), count=np.array([3, 4]))
ONES = np.ones(2)
LABELLED = LabelledRows(
    columns={"model": ["a", "b"]},
    code=np.array([0, 80]),
    C=ONES,
    A=ONES,
    G=ONES,
    D=np.array([0, np.nan]),
    design_of=lambda usable: Design.of_draws(stratum=[], stratum_size=[], inclusion_probability=[], unit=[]),
    valid=np.array([1, np.nan]),
    item=["r1", "r2"],
)


def test_what_is_right_passes() -> None:
    check(JUDGED, LABELLED, [{}, {"model": "a"}], needed=["model"], contexts="valid")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": np.array([1, 2])}, r"label C is 2 in 1 rows \(the first is 1\); expected 0, 1 or nan"),
        ({"D": np.array([0.5, 0.5])}, "label D is 0.5 in 2 rows"),
        ({"code": np.array([0, 81])}, "pattern of the labelled rows is 81 in 1 rows"),
        ({"code": np.array([-1, 3])}, "pattern of the labelled rows is -1"),
        ({"G": np.ones(3)}, "labelled rows: label G has 3 entries, the patterns 2"),
        ({"columns": {"model": ["a"]}}, "labelled rows: model has 1 entries"),
        ({"item": ["r1", "r1"]}, "rows are given twice: r1"),
        ({"valid": np.array([2.0, 1])}, "validity is 2"),
        ({"recondition": ["clean"]}, "recondition has 1 entries"),
        ({"valid": None}, "contexts = 'valid' needs `valid`"),
    ],
)
def test_labelled_rows_are_refused_by_name(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(JUDGED, replace(LABELLED, **change), [{}], contexts="valid")  # type: ignore[arg-type]  # fields differ in type


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"code": np.array([0, 99])}, "pattern of the judged responses is 99"),
        ({"count": np.array([-2, 1])}, "count of judged responses is -2 in 1 rows"),
        ({"count": np.array([1])}, "judged responses: count has 1 entries"),
    ],
)
def test_judged_rows_are_refused_by_name(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(replace(JUDGED, **change), LABELLED, [{}])  # type: ignore[arg-type]  # fields differ in type


def test_all_problems_are_named_at_once() -> None:
    wrong = replace(LABELLED, C=np.array([7, 1]), item=["r1", "r1"])
    with pytest.raises(ValueError, match=r"judged responses is 99.*label C is 7.*given twice: r1.*no column 'run'"):
        check(replace(JUDGED, code=np.array([0, 99])), wrong, [{"run": "1"}])


def test_every_unknown_column_is_named() -> None:
    with pytest.raises(KeyError, match=r"no column 'run'.*no column 'prompt'.*labelled rows have no column 'run'"):
        check(JUDGED, LABELLED, [{"run": "1", "model": "a"}], needed=["prompt"])
