"""Walks docs/walk-openqa.md with the real file and compares it with itself, and with arithmetic done elsewhere.

When a command rightly prints something new, run this test once with REWRITE_WALK=1 and read what changed.
"""

import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.special import expit, logit
from scipy.stats import t
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from audit_app.cli import cli
from metrics.correction import Population, Sample, corrected
from metrics.patterns import encode
from sampling.allocation import proportional
from sampling.design import Design
from sampling.draw import Candidate, draw

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "walk-openqa.md"
DATA = ROOT.parent / "shared" / "real" / "openqa_nq301" / "items.jsonl"
JUDGES = {"gpt-4": "gpt4_label", "text-davinci-003": "tdv3_label"}
HUMANS = {"A": "annotator1", "B": "human_final"}
SEEDS = 200

pytestmark = pytest.mark.skipif(not DATA.is_file(), reason=f"the real file is not there: {DATA}")


def run(line: str) -> str:
    """What a person sees after typing this line."""
    program, *arguments = shlex.split(line.replace("$OPENQA", shlex.quote(str(DATA))))
    if program == "cd":
        os.chdir(arguments[0])
        return ""
    assert program == "evidence-audit", line
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, (line, result.output, result.exc_info)
    return result.output.replace(str(DATA), "$OPENQA")


@cache
def answer(line: str) -> Any:
    """What the same line gives a program; no line changes anything."""
    program, *arguments = shlex.split(line)
    assert program == "evidence-audit"
    result = CliRunner().invoke(cli, [*arguments, "--json"])
    assert result.exit_code == 0, (line, result.output, result.exc_info)
    return json.loads(result.stdout)


def rerun(text: str) -> str:
    """The document with every console block run again, in order."""

    def block(found: re.Match[str]) -> str:
        commands = [line for line in found[1].splitlines() if line.startswith("$ ")]
        printed = [f"{command}\n{run(command[2:])}" for command in commands]
        return "```console\n" + "\n".join(entry.rstrip("\n") + "\n" for entry in printed) + "```"

    return re.sub(r"```console\n(.*?)```", block, text, flags=re.S)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The document as it would be written now; the study that it made is the current folder."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("walk"))
    try:
        text = rerun(DOCUMENT.read_text(encoding="utf-8"))
        if os.environ.get("REWRITE_WALK"):
            DOCUMENT.write_text(text, encoding="utf-8")
        yield text
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """The file, read without any of our code."""
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return pd.DataFrame([json.loads(line) for line in lines]).set_index("row")


def yes(column: pd.Series) -> "pd.Series[float]":
    return column.map({"Yes": 1.0, "No": 0.0})


def accuracy(sample: str, judge: str, target: str, method: str = "corrected") -> dict[str, Any]:
    found = answer(f"evidence-audit metrics --sample {sample} --judge {judge} --target {target} --metric Acc")
    (one,) = [estimate for estimate in found if estimate["method"] == method]
    return dict(one)


def test_the_document_shows_what_the_commands_print(walked: str) -> None:
    assert walked == DOCUMENT.read_text(encoding="utf-8")


def test_kappa_of_the_two_annotators_is_the_published_one(walked: str, rows: pd.DataFrame) -> None:
    (label,) = answer("evidence-audit agreement --sample all")["labels"]
    (pair,) = label["pairs"]
    both = rows[rows["annotator2"] != ""]
    assert pair["people"] == ["annotator1", "annotator2"]
    assert (pair["kappa"]["n"], label["n_items"], label["n_dropped"]) == (1483, 1483, 7)
    assert pair["kappa"]["value"] == pytest.approx(0.7347, abs=5e-5)
    assert pair["kappa"]["value"] == pytest.approx(cohen_kappa_score(both["annotator1"], both["annotator2"]))
    assert pair["kappa"]["low"] < 0.7347 < pair["kappa"]["high"]
    # With the blanks as a category of their own.
    assert cohen_kappa_score(rows["annotator1"], rows["annotator2"]) == pytest.approx(0.7277, abs=5e-5)
    assert (rows["annotator1"] == rows["annotator2"]).mean() == pytest.approx(0.8644, abs=5e-5)


@pytest.mark.parametrize(
    ("judge", "sensitivity", "specificity", "kappa", "n"),
    [
        pytest.param("gpt-4", 0.832, 0.868, 0.695, 1488, id="gpt-4"),
        pytest.param("text-davinci-003", 0.817, 0.862, 0.675, 1490, id="text-davinci-003"),
    ],
)
def test_judges_against_the_final_label(
    walked: str, rows: pd.DataFrame, judge: str, sensitivity: float, specificity: float, kappa: float, n: int
) -> None:
    found = answer(f"evidence-audit judge check --sample all --judge {judge} --target B")["labels"]["C"]
    assert (found["n"], found["n_dropped"]) == (n, 1490 - n)
    assert found["sensitivity"]["value"] == pytest.approx(sensitivity, abs=5e-4)
    assert found["specificity"]["value"] == pytest.approx(specificity, abs=5e-4)
    assert found["kappa"]["value"] == pytest.approx(kappa, abs=5e-4)
    scored = rows[rows[JUDGES[judge]] != ""]
    table = confusion_matrix(scored["human_final"], scored[JUDGES[judge]], labels=["No", "Yes"])
    assert found["counts"] == table.tolist()
    assert found["kappa"]["value"] == pytest.approx(cohen_kappa_score(scored["human_final"], scored[JUDGES[judge]]))
    for figure in ("sensitivity", "specificity", "accuracy", "kappa"):
        assert found[figure]["low"] == found[figure]["value"] == found[figure]["high"]


def test_the_judge_check_of_the_sample_covers_the_truth(walked: str) -> None:
    found = answer("evidence-audit judge check --sample audit --judge gpt-4 --target B")["labels"]["C"]
    assert (found["n"], found["n_dropped"]) == (298, 2)
    for figure, truth in (("sensitivity", 0.832), ("specificity", 0.868)):
        assert found[figure]["low"] < truth < found[figure]["high"]


@pytest.mark.parametrize("target", HUMANS)
@pytest.mark.parametrize("judge", JUDGES)
def test_the_truth_is_the_plain_mean_of_all_labels(walked: str, rows: pd.DataFrame, judge: str, target: str) -> None:
    found = accuracy("all", judge, target)
    assert found["value"] == found["low"] == found["high"]
    assert found["n"] == 1490
    assert found["value"] == pytest.approx(yes(rows[HUMANS[target]]).mean())
    judged = yes(rows[JUDGES[judge]]).dropna()
    assert accuracy("all", judge, target, "naive")["value"] == pytest.approx(judged.mean())


@pytest.fixture(scope="module")
def audited(walked: str, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the file that the sample drew, with the stratum and its sizes as exported."""
    result = CliRunner().invoke(cli, ["export", "--format", "jsonl"])
    exported = pd.DataFrame([json.loads(line) for line in result.stdout.splitlines()])
    drawn = exported[exported["sample_id"] == "audit"].drop_duplicates("item_id")
    return rows.loc[drawn["item_id"].astype(int)].assign(
        **{name: drawn[name].to_numpy() for name in ("stratum", "stratum_size", "sample_size")}
    )


@pytest.mark.parametrize("target", HUMANS)
@pytest.mark.parametrize("judge", JUDGES)
def test_the_corrected_accuracy_by_hand(audited: pd.DataFrame, rows: pd.DataFrame, judge: str, target: str) -> None:
    """Särndal, Swensson & Wretman (1992), chapter 6: predict by group, repair in strata, logit interval."""
    sample = audited.assign(y=yes(audited[HUMANS[target]]), weight=audited["stratum_size"] / audited["sample_size"])
    assert len(sample) == 300
    assert sample["weight"].sum() == pytest.approx(1490)
    group = sample[JUDGES[judge]]
    predicted = (sample["y"] * sample["weight"]).groupby(group).sum() / sample["weight"].groupby(group).sum()
    sample["e"] = sample["y"] - group.map(predicted)
    value = (rows[JUDGES[judge]].map(predicted).sum() + (sample["e"] * sample["weight"]).sum()) / len(rows)
    # The denominator of accuracy is 1 for every response, so that it adds nothing to the variance.
    variance = 0.0
    for _, stratum in sample.groupby("stratum"):
        size, n = stratum["stratum_size"].iloc[0], len(stratum)
        variance += size**2 * (1 - n / size) * stratum["e"].var() / n
    se = np.sqrt(variance) / len(rows)
    spread = t.ppf(0.975, 300 - 3) * se / (value * (1 - value))
    found = accuracy("audit", judge, target)
    assert found["n"] == 300
    assert found["value"] == pytest.approx(value)
    # The product takes leave-one-out residuals, since the predictions come from the same labels: a little wider.
    low, high = expit(logit(value) - spread), expit(logit(value) + spread)
    assert low - 1e-3 < found["low"] < low + 1e-6
    assert high - 1e-6 < found["high"] < high + 1e-3


def test_the_table_of_the_document(walked: str) -> None:
    for target in HUMANS:
        for judge in JUDGES:
            truth = accuracy("all", judge, target)["value"]
            naive, found = accuracy("audit", judge, target, "naive")["value"], accuracy("audit", judge, target)
            covers = "yes" if found["low"] <= truth <= found["high"] else "no"
            shares = [f"{100 * share:.1f} %" for share in (naive, found["value"])]
            interval = f"{100 * found['low']:.1f}–{100 * found['high']:.1f} %"
            row = [judge, f"{target}: {HUMANS[target]}", *shares, interval, f"{100 * truth:.1f} %", covers]
            assert f"| {' | '.join(row)} |" in walked


def draws(rows: pd.DataFrame) -> Iterator[tuple[list[int], Design]]:
    """The places of the drawn rows, and their design, for one seed after the other."""
    strata = {str(row): label or "?" for row, label in rows["gpt4_label"].items()}
    places = {item: place for place, item in enumerate(strata)}
    everything = [Candidate(item_id=item, stratum=name, unit=item, cluster=None) for item, name in strata.items()]
    sizes = proportional(Counter(strata.values()), 300)
    for seed in range(1, SEEDS + 1):
        drawn = draw(everything, sizes, seed=seed, purpose="draw:response")
        design = Design.of_draws(
            stratum=[chosen.stratum for chosen in drawn],
            stratum_size=[chosen.stratum_size for chosen in drawn],
            inclusion_probability=[chosen.inclusion_probability for chosen in drawn],
            unit=[chosen.item_id for chosen in drawn],
        )
        yield [places[chosen.item_id] for chosen in drawn], design


def test_over_many_draws_the_interval_covers_as_often_as_it_says(rows: pd.DataFrame) -> None:
    missing, ones = np.full(len(rows), np.nan), np.ones(len(rows), dtype=np.int64)
    codes = {judge: encode(yes(rows[column]), missing, missing, missing) for judge, column in JUDGES.items()}
    human = {name: np.asarray(yes(rows[column]), dtype=np.float64) for name, column in HUMANS.items()}
    covered = {(judge, target): 0 for target in HUMANS for judge in JUDGES}
    for place, design in draws(rows):
        inside = np.ones(len(place), dtype=bool)
        for judge, target in covered:
            num, code = human[target][place], codes[judge]
            sample = Sample(num=num, den=np.ones(len(place)), code=code[place], in_slice=inside, design=design)
            found = corrected(sample, Population(code=code, count=ones))
            assert found.low is not None
            assert found.high is not None
            covered[judge, target] += int(found.low <= human[target].mean() <= found.high)
    # Binomial with 200 and .95: all but 1 in 200 counts lie from 181 to 197.
    assert all(181 <= n <= 197 for n in covered.values()), covered
    *others, last = covered.values()
    assert f"the truth in {', '.join(map(str, others))} and {last} " in DOCUMENT.read_text(encoding="utf-8")
