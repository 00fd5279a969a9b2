"""Which interval an estimate gets, by a rule that is fixed in advance and printed with it."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.completion import Labels, completed_ratios
from metrics.interval import Interval, clopper_pearson, interval
from metrics.patterns import PATTERNS
from metrics.sample import Sample

Floats = NDArray[np.float64]
Kind = Literal["logit-t", "Dirichlet-multinomial", "exact", "census"]

RESTS_ON_FEW = 0.45
"""Share of the variance carried by its three largest contributions."""

ONE_OUTCOME = 0.15
"""Share of the slice in a stratum that shows one outcome only."""

ONE_LABEL = 0.5
"""Standard errors by which a single answer can move the estimate.

Above any of the three limits the normal theory is not trusted. They were set once, by benchmarks/coverage.py.
"""

_NOTHING = 1e-12
"""Below this a share or a standard error is rounding noise around 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How much the labels can say about their own error."""

    top_three: float
    """Share of the estimated variance that its three largest contributions carry; 1 when no variation was seen."""
    one_outcome: float
    """Share of the slice in the largest stratum that shows a single outcome, though not all of it is labelled."""

    one_label: float
    """Standard errors by which one other answer would move the estimate, for the label that stands for most."""

    @property
    def is_thin(self) -> bool:
        """Whether a standard error may be blind to what was not among the labels."""
        return self.top_three > RESTS_ON_FEW or self.one_outcome > ONE_OUTCOME or self.one_label > ONE_LABEL

    @property
    def sentence(self) -> str:
        """The diagnostic and its limits, for a person."""
        return (
            f"{self.top_three:.0%} of the variance rests on three labels (limit {RESTS_ON_FEW:.0%}), "
            f"{self.one_outcome:.0%} of the slice is in a stratum with one outcome (limit {ONE_OUTCOME:.0%}), "
            f"one answer moves the estimate by up to {min(self.one_label, 99):.1f} standard errors (limit {ONE_LABEL})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """An interval, its kind, and the evidence that decided on it."""

    low: float
    high: float
    kind: Kind
    evidence: Evidence | None = None


def evidence(sample: Sample, score: Floats, step: Floats, se: float) -> Evidence:
    """The diagnostic of an estimate whose sampled rows have these scores and steps, shape (n,), see `greg.Greg`."""
    design = sample.design
    mean = np.bincount(design.stratum, design.weight * score) / np.bincount(design.stratum, design.weight)
    unlabelled = np.maximum(0, 1 - design.first_fraction * design.second_fraction)
    deviation = np.sqrt(unlabelled) * design.weight * (score - mean[design.stratum])
    part = np.bincount(design.cluster, deviation) ** 2
    total = float(part.sum())
    top = float(np.sort(part)[-3:].sum()) / total if total > 0 else 1.0
    return Evidence(
        top_three=top,
        one_outcome=_largest_of_one_outcome(sample, unlabelled),
        one_label=float((step * unlabelled).max()) / max(se, _NOTHING),
    )


def _largest_of_one_outcome(sample: Sample, unlabelled: Floats) -> float:
    here = sample.in_slice
    stratum = sample.design.stratum[here]
    outcome = (2 * sample.den + sample.num)[here]
    size = np.bincount(stratum, sample.design.weight[here])
    low, high = np.full(len(size), np.inf), np.full(len(size), -np.inf)
    np.minimum.at(low, stratum, outcome)
    np.maximum.at(high, stratum, outcome)
    open_ = np.bincount(stratum, unlabelled[here]) > _NOTHING
    alike = size[(low == high) & open_]
    return float(alike.max() / size.sum()) if len(alike) else 0.0


def bracket(
    sample: Sample,
    value: float,
    score: Floats,
    step: Floats,
    *,
    se: float,
    df: float,
    trials: float,
    level: float,
    slipping: float,
    seed: int,
) -> Bracket:
    """The interval of a share that was estimated from a sample that is not a census.

    - `exact` where the value is 0 or 1 and nothing else was seen: Clopper-Pearson on the effective labels.
    - `logit-t` where the evidence is not thin.
    - `Dirichlet-multinomial` otherwise: percentiles of random completions of the strata, see `completion`. It is made
      as wide as the logit-t where that reaches further, and it always contains the value. Where strata share units
      it is stretched by the design's factor for that, which the completion does not know, and by that for slips.

    Args:
        sample: The labelled rows.
        value: The estimate, in [0, 1].
        score: Of each row, shape (n,), see `greg.Greg`.
        step: Of each row, as the score.
        se: Standard error of the value, at least 0.
        df: Its degrees of freedom.
        trials: Effective labels in the denominator.
        level: Confidence level in (0, 1).
        slipping: Standard error over the one that takes labels for facts, at least 1, see `slips`.
        seed: Of the completions.
    """
    seen = evidence(sample, score, step, se)
    low, high = interval(value, se, df, level, trials, census=False)
    if value <= _NOTHING or value >= 1 - _NOTHING:
        return Bracket(low=low, high=high, kind="exact", evidence=seen)
    if not seen.is_thin:
        return Bracket(low=low, high=high, kind="logit-t", evidence=seen)
    found = polya(sample, level, seed=seed)
    if found is None:
        low, high = clopper_pearson(value, trials, level)
        return Bracket(low=min(low, value), high=max(high, value), kind="exact", evidence=seen)
    if se <= _NOTHING:
        low, high = value, value
    stretch = slipping * _shared_units(sample, score)
    lower = max(0.0, value - stretch * max(0.0, value - found[0]))
    upper = min(1.0, value + stretch * max(0.0, found[1] - value))
    return Bracket(low=min(low, lower), high=max(high, upper), kind="Dirichlet-multinomial", evidence=seen)


def widened(around: Bracket, value: float, *, se: float, df: float, level: float, trials: float) -> Bracket:
    """The interval with another source of error: logit-t with its standard error, and never narrower than it was."""
    low, high = interval(value, se, max(df, 1), level, trials, census=False)
    return replace(around, low=min(low, around.low), high=max(high, around.high))


def polya(sample: Sample, level: float, *, seed: int = 0) -> Interval | None:
    """Percentiles of the completed ratios; None when too few completions have anything in the denominator."""
    touched = np.bincount(sample.design.stratum, sample.in_slice) > 0
    kept = touched[sample.design.stratum]
    if not kept.any():
        return None
    ratios = completed_ratios(
        Labels(
            stratum=np.unique(sample.design.stratum[kept], return_inverse=True)[1].astype(np.int64),
            weight=sample.design.weight[kept],
            num=sample.num[kept],
            den=sample.den[kept],
            domain=np.where(sample.in_slice, sample.parts, -1)[kept],
            code=sample.code[kept] % PATTERNS,
            patterns=sample.declared,
        ),
        seed=seed,
    )
    ratios = ratios[np.isfinite(ratios)]
    if len(ratios) < 100:
        return None
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _shared_units(sample: Sample, score: Floats) -> float:
    """Root of the design's variance over that of the same strata drawn independently, at least 1."""
    design = sample.design
    rows = np.arange(len(score), dtype=np.int64)
    if len(np.unique(design.cluster)) == len(rows):
        return 1.0
    fraction = design.first_fraction * design.second_fraction
    alone = replace(design, unit=rows, cluster=rows, first_fraction=np.ones(len(rows)), second_fraction=fraction)
    simple = alone.variance(score)
    if simple > 0:
        return sqrt(max(1.0, design.variance(score) / simple))
    counted = sample.in_slice & (sample.den > 0)
    return sqrt(max(1.0, float(counted.sum()) / max(1, len(np.unique(design.cluster[counted])))))
