"""Published and independently computed values, read from tests/golden/metrics_cases.json (sources stand there).

Those of `rogan_gladen` and of the reference design stand beside their own tests.
"""

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agreement.interval import clopper_pearson
from metrics.correction import Population, Sample, Share, corrected, human_only
from metrics.interval import logit_t
from metrics.patterns import MISSING, PATTERNS
from metrics.prediction import Prediction
from sampling.design import Design

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "metrics_cases.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in GOLDEN["cases"]}
YES, NO = 27, 0
"""Judge patterns C = 1 and C = 0, all else 0."""
NORMAL = 1e9
"""So many degrees of freedom that Student's t is the normal distribution that the references take."""


class Calibrated:
    """People's and the judge's answers on n responses, and how often the judge says yes on N others (N10: no to a yes).

    The references take the n and the N for two samples of one endless population; here the n stand for the N.
    """

    def __init__(self, case_id: str) -> None:
        v = CASES[case_id]["data"]["values"]
        cells = [v["cal_N11"], v["cal_N10"], v["cal_N01"], v["cal_N00"]]
        self.human, self.judge = np.repeat([1.0, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)
        self.n, self.size = sum(cells), v["test_n"]
        self.frame = Population(code=np.array([YES, NO]), count=np.array([v["test_pos"], v["test_n"] - v["test_pos"]]))

    @property
    def sample(self) -> Sample:
        """The n as a simple random sample of N."""
        stratum, size = ["all"] * self.n, np.full(self.n, self.size)
        return self._drawn(Design.of_draws(
            stratum=stratum, stratum_size=size, inclusion_probability=self.n / size, unit=list(map(str, range(self.n)))
        ))  # fmt: skip

    @property
    def by_judge(self) -> Sample:
        """The n as a sample of N within the judge's answers."""
        size, n = self.frame.count[1 - self.judge], np.bincount(self.judge)[self.judge]
        return self._drawn(Design.of_draws(
            stratum=self.judge.astype(str).tolist(), stratum_size=size, inclusion_probability=n / size,
            unit=list(map(str, range(self.n))),
        ))  # fmt: skip

    def _drawn(self, design: Design) -> Sample:
        everything = np.ones(self.n, dtype=bool)
        code = np.where(self.judge == 1, YES, NO)
        return Sample(num=self.human, den=np.ones(self.n), code=code, in_slice=everything, design=design)

    @property
    def spread(self) -> float:
        """Variance of the judge's answers on the N."""
        yes = self.frame.count[0] / self.size
        return float(yes * (1 - yes) * self.size / (self.size - 1))

    @property
    def best(self) -> float:
        """The weight of the judge's word with the least variance (Angelopoulos et al. 2023, arXiv:2311.01453)."""
        table = np.cov(self.human, self.judge)
        return float(table[0, 1] / (table[1, 1] + self.n / self.size * self.spread))

    def share(self, weight: float) -> Share:
        """Corrected with the judge's word, taken times a weight, for the prediction: PPI where it is 1."""
        num = np.zeros(PATTERNS)
        num[YES] = weight
        return corrected(self.sample, self.frame, floor=1, prediction=Prediction(num=num, den=np.ones(PATTERNS)))


def expected(case_id: str, further: int = 0) -> dict[str, Any]:
    """The case, or that of its variance (1 further) or interval (2 further)."""
    found: dict[str, Any] = CASES[f"JC-{int(case_id[3:]) + further:03}"]
    return found


@pytest.mark.parametrize("case_id", ["JC-082", "JC-085", "JC-098", "JC-101"])
def test_the_difference_estimator_is_ppi_and_with_the_best_weight_its_successor(case_id: str) -> None:
    study, case, variance = Calibrated(case_id), expected(case_id), expected(case_id, 1)
    weight = study.best if "PPI++" in case["name"] else 1.0
    share = study.share(weight)
    assert share.value == pytest.approx(case["expected"], abs=case["tolerance"])
    assert share.se is not None
    # For an endless population: no correction for the part that is labelled, and another draw of the N.
    endless = share.se**2 / (1 - study.n / study.size) + weight**2 * study.spread / study.size
    assert endless == pytest.approx(variance["expected"], abs=variance["tolerance"])


@pytest.mark.parametrize("case_id", ["JC-092", "JC-108"])
def test_the_default_correction_is_the_efficient_one(case_id: str) -> None:
    study, case, variance = Calibrated(case_id), expected(case_id), expected(case_id, 1)
    for sample in (study.sample, study.by_judge):
        share = corrected(sample, study.frame, floor=1)
        assert share.value == pytest.approx(case["expected"], abs=case["tolerance"])
    # Given how often the judge says yes, for an endless population, and with n_j for n_j - 1 in the denominators.
    judge, human, strata = study.judge, study.human, np.bincount(study.judge)
    means = np.bincount(judge, human) / strata
    score = (human - means[judge]) / study.size * np.sqrt((strata - 1) / strata)[judge]
    within = replace(study.by_judge.design, second_fraction=np.zeros(study.n)).variance(score)
    between = (means[1] - means[0]) ** 2 * study.spread * (study.size - 1) / study.size**2
    assert within + between == pytest.approx(variance["expected"], abs=variance["tolerance"])


@pytest.mark.parametrize("case_id", ["JC-082", "JC-085", "JC-092", "JC-098", "JC-101", "JC-108"])
def test_logit_intervals(case_id: str) -> None:
    value, variance, ends = (expected(case_id, further) for further in range(3))
    found = logit_t(value["expected"], sqrt(variance["expected"]), NORMAL, 1 - ends["params"]["alpha"])
    assert found == pytest.approx(tuple(ends["expected"]), abs=ends["tolerance"])


def test_a_calibration_set_drawn_by_human_label_misleads_all_that_take_it_for_a_random_sample() -> None:
    # JC-170, printed to four digits. `test_rogan_gladen` has the one that stays right.
    study = Calibrated("JC-170")
    found = [study.share(1), study.share(study.best), corrected(study.sample, study.frame, floor=1)]
    assert [share.value for share in found] == pytest.approx([0.3, 0.4107, 0.375], abs=5e-5)
    assert "PPI .3000, PPI++ .4107, EIF .3750" in CASES["JC-170"]["expected"]


def test_no_event_has_an_upper_end_above_zero() -> None:
    case = CASES["LONELY-071"]
    columns = {name: np.array(values) for name, values in GOLDEN["datasets"][case["dataset"]]["columns"].items()}
    stratum, size = columns["h"], columns["Nh"]
    n = len(stratum)
    taken: NDArray[np.int64] = np.array([(stratum == h).sum() for h in stratum])
    design = Design.of_draws(
        stratum=stratum.tolist(), stratum_size=size, inclusion_probability=taken / size, unit=list(map(str, range(n)))
    )
    sample = Sample(
        num=columns["y"].astype(float),
        den=columns["x"].astype(float),
        code=np.full(n, MISSING),
        in_slice=np.ones(n, dtype=bool),
        design=design,
    )
    share = human_only(sample, Population(code=np.array([MISSING]), count=np.array([100])), floor=1)
    assert (share.value, share.low) == (0, 0)
    assert share.high is not None
    # As if of 11 independent rows: 1 - .025^(1/11); wider rather than narrower, as weights differ a little.
    assert clopper_pearson(0, 11, 0.95)[1] <= share.high < 0.31
