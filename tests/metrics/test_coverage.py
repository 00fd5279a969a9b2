"""How often the default interval holds the truth, over many draws from one finite population (fixed seed)."""

from functools import cache
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from metrics.correction import Population, Sample, corrected, human_only
from metrics.definitions import METRICS
from metrics.estimate import Annotators
from metrics.patterns import decode, encode, restrict
from sampling.design import Design

REPLICATES = 300
ROWS = 2000
STRATA = 10
PER_STRATUM = 40
ANNOTATORS: tuple[Annotators, ...] = ("these annotators", "annotators like these")

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@cache
def study() -> tuple[Floats, Codes, Codes]:
    """Human labels, judge patterns and strata of 80 tasks × 5 conditions × 5 settings; tasks differ in difficulty.

    The judge errs on 4 % of the answers under the first condition and up to 22 % under the last.
    """
    rng = np.random.default_rng(20)
    condition = np.tile(np.repeat(np.arange(5), 5), 80)
    setting = np.tile(np.arange(5), 400)
    ease = rng.normal(0, 0.6, 80).repeat(25)

    def yes(*logits: float, of_ease: float) -> Floats:
        return (rng.random(ROWS) < 1 / (1 + np.exp(-np.array(logits)[condition] - of_ease * ease))).astype(np.float64)

    correct = yes(1.5, 0.3, 0.3, 0.0, -0.8, of_ease=1)
    answers = yes(3.5, 3.0, 3.0, 2.2, 0.8, of_ease=0)
    grounded = answers * yes(2.0, 1.0, 1.0, 0.5, -1.5, of_ease=0.5)
    discloses = yes(-2.2, -1.4, -1.4, -0.4, 0.4, of_ease=0)
    human = np.array([correct, answers, grounded, discloses])
    wrong = rng.random((4, ROWS)) < np.array([0.04, 0.08, 0.10, 0.15, 0.22])[condition]
    # Five conditions × two models: the settings 0, 2, 4 are one model's, so the strata have 240 and 160 rows.
    return human, encode(*np.where(wrong, 1 - human, human)), (condition * 2 + setting % 2).astype(np.int64)


def draw(rng: np.random.Generator) -> tuple[Codes, Design]:
    """A proportional sample of a fifth of every stratum."""
    strata = study()[2]
    size = np.bincount(strata)
    rows = np.concatenate([rng.choice(np.flatnonzero(strata == h), size[h] // 5, replace=False) for h in range(STRATA)])
    return rows, Design.of_draws(
        stratum=[str(h) for h in strata[rows]],
        stratum_size=size[strata[rows]],
        inclusion_probability=np.full(len(rows), 0.2),
        unit=[str(row) for row in rows],
    )


@pytest.mark.parametrize("name", ["SES", "cSES"])
def test_the_interval_holds_the_truth_and_the_judge_narrows_it(name: str) -> None:
    human, judge, _ = study()
    num, den = METRICS[name].terms(*human)
    truth = num.sum() / den.sum()
    code = restrict(judge, METRICS[name].reads)
    codes, counts = np.unique(code, return_counts=True)
    population = Population(code=codes, count=counts)
    rng = np.random.default_rng(7)
    holds, width, error = np.zeros(2), np.zeros(2), np.zeros(2)
    for _ in range(REPLICATES):
        rows, design = draw(rng)
        everything = np.ones(len(rows), dtype=bool)
        sample = Sample(num=num[rows], den=den[rows], code=code[rows], in_slice=everything, design=design)
        for k, share in enumerate((human_only(sample, population), corrected(sample, population))):
            assert share.value is not None
            assert share.low is not None
            assert share.high is not None
            holds[k] += (share.low <= truth <= share.high) / REPLICATES
            width[k] += (share.high - share.low) / REPLICATES
            error[k] += (share.value - truth) / REPLICATES
    assert holds.min() >= 0.95 - 2.5 * sqrt(0.95 * 0.05 / REPLICATES)
    assert width[1] < 0.95 * width[0]
    # The mean error of an unbiased estimate over 300 draws is within 3 standard errors, about width / 4 each.
    assert (np.abs(error) < 3 * width / 4 / sqrt(REPLICATES)).all()


def test_annotators_like_these_are_held_where_these_annotators_are_not_enough() -> None:
    # Six annotators whose leaning has SD .35 on the logit scale; contexts of five responses go to them at random.
    human, judge, _ = study()
    code = restrict(judge, METRICS["Acc"].reads)
    codes, counts = np.unique(code, return_counts=True)
    population = Population(code=codes, count=counts)
    nodes, weights = np.polynomial.hermite_e.hermegauss(21)
    yes = float(1 / (1 + np.exp(-np.log(9) - 0.35 * nodes)) @ weights / weights.sum())
    truth = float(np.where(human[0] == 1, yes, 1 - yes).mean())
    rng = np.random.default_rng(5)
    holds = np.zeros(2)
    for _ in range(REPLICATES):
        rows, design = draw(rng)
        leaning = rng.normal(0, 0.35, 6)
        who = (rng.permutation(ROWS // 5) % 6)[rows // 5]
        chance = 1 / (1 + np.exp(np.where(human[0, rows] == 1, -1, 1) * np.log(9) - leaning[who]))
        sample = Sample(
            num=(rng.random(len(rows)) < chance).astype(np.float64),
            den=np.ones(len(rows)),
            code=code[rows],
            in_slice=np.ones(len(rows), dtype=bool),
            annotator=who,
            design=design,
        )
        for k, people in enumerate(ANNOTATORS):
            share = corrected(sample, population, annotators=people)
            assert share.low is not None
            assert share.high is not None
            holds[k] += (share.low <= truth <= share.high) / REPLICATES
    assert holds[1] >= 0.95 - 2.5 * sqrt(0.95 * 0.05 / REPLICATES)
    assert holds[0] < 0.9


@pytest.mark.parametrize("name", ["SES", "cSES"])
def test_strata_made_of_verdicts_hold_rare_events_that_a_standard_error_cannot_see(name: str) -> None:
    # Three strata (no shift, disclosed, silent), 40 labels each. Most silent shifts that the judge missed are in the
    # first, where few samples show one: the normal theory covers far less than it says.
    human, judge, _ = study()
    human = human.copy()
    human[2] = np.maximum(human[2], np.arange(ROWS) % 4 < 3)
    _, A, G, D = decode(judge)
    strata = np.where((A == 0) | (G == 1) | (np.arange(ROWS) % 4 < 3), 0, np.where(D == 1, 1, 2))
    num, den = METRICS[name].terms(*human)
    truth = num.sum() / den.sum()
    code = np.zeros(ROWS, dtype=np.int64)
    population = Population(code=np.zeros(1, dtype=np.int64), count=np.array([ROWS]))
    size, rng = np.bincount(strata), np.random.default_rng(3)
    holds = np.zeros(2)
    for _ in range(REPLICATES):
        rows = np.concatenate([rng.choice(np.flatnonzero(strata == h), 40, replace=False) for h in range(3)])
        design = Design.of_draws(
            stratum=[str(h) for h in strata[rows]],
            stratum_size=size[strata[rows]],
            inclusion_probability=40 / size[strata[rows]],
            unit=[str(row) for row in rows],
        )
        everything = np.ones(len(rows), dtype=bool)
        sample = Sample(num=num[rows], den=den[rows], code=code[rows], in_slice=everything, design=design)
        share = human_only(sample, population, floor=1)
        assert share.value is not None
        assert share.se is not None
        assert share.low is not None
        assert share.high is not None
        assert share.interval != "logit-t"
        holds[0] += (share.low <= truth <= share.high) / REPLICATES
        holds[1] += (abs(share.value - truth) <= 1.96 * share.se) / REPLICATES
    assert holds[0] >= 0.95 - 2.5 * sqrt(0.95 * 0.05 / REPLICATES)
    assert holds[1] < 0.9
