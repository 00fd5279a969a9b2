"""How much of an outcome depends on which annotator an item happened to get."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from agreement.interval import containing
from agreement.refusal import no_column, no_level, numbers, refuse
from agreement.result import Agreement
from agreement.tally import Floats, Integers

FEWEST_ANNOTATORS = 5
"""Below, a design effect for "annotators like these" would rest on nothing: a sentence takes its place."""

_NOTHING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorVariance:
    """Intra-annotator correlation and what it does to a variance."""

    rho_int: Agreement
    """Share of the variance of an outcome that lies between annotators; below 0 is less than chance gives."""
    n_annotators: int
    mean_load: float
    """Outcomes an annotator (mbar)."""
    design_effect: float | None
    """1 + (mbar - 1) rho_int, at least 1: by how much the variance of a mean grows for annotators like these."""
    why_no_design_effect: str | None
    """A sentence for a person when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Anova:
    """Mean squares of annotators (and of clusters inside them) with the coefficients of their expectations."""

    between: float
    error: float
    """What `between` would be without annotator effects."""
    per_annotator: float
    """Coefficient of the annotator variance in `between`."""
    inside: float
    """Variance of an outcome among items of one annotator."""
    df: tuple[int, int]


def annotator_variance(
    outcome: ArrayLike,
    annotator: ArrayLike,
    *,
    cluster: ArrayLike | None = None,
    stratum: ArrayLike | None = None,
    level: float = 0.95,
) -> AnnotatorVariance:
    """ANOVA estimate of the intra-annotator correlation where items went to annotators at random (interpenetrated).

    One outcome an item: its label by the one annotator that counts. Where items come in clusters that went to
    annotators as a whole (contexts with their responses), annotators are measured against clusters, not items.

    Args:
        outcome: For example 0 and 1, shape (n,).
        annotator: Who gave it, any values that sort, shape (n,).
        cluster: What was assigned as a whole, shape (n,), each to one annotator; None when items were.
        stratum: Within which annotators were assigned at random, shape (n,): outcomes are taken from the mean of
            their stratum; None for one stratum.
        level: Confidence level.

    Returns:
        The correlation with the F interval (exact for normal outcomes and equal loads, else approximate), and its
        design effect; undefined with fewer than two annotators, without replication, or if nothing varied.

    Raises:
        ValueError: Shapes differ, a cluster has two annotators, or `level` is no share in (0, 1).

    Source: Kish (1962), J. Am. Stat. Assoc. 57(297), 92-115, doi:10.1080/01621459.1962.10482153; unequal loads and
    nesting: Searle, Casella & McCulloch (1992), Variance Components, chapter 3, doi:10.1002/9780470316856.

    >>> found = annotator_variance([1, 0, 0, 0, 1, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 2, 2, 2])
    >>> round(found.rho_int.value, 3), found.why_no_design_effect
    (0.25, 'undefined: 3 annotators tell too little of annotators like these; 5 are needed')
    """
    _refuse(outcome, annotator, cluster, stratum, level)
    values, who, what = _coded(outcome, annotator, cluster)
    n, annotators = len(values), int(who.max()) + 1 if len(who) else 0
    strata = np.zeros(n, dtype=np.int64) if stratum is None else _codes(stratum)
    reason = _too_little(values, who, what, strata)
    anova = None if reason else _anova(values - _means(values, strata), who, what, int(strata.max()))
    if anova and anova.error < _NOTHING:
        reason = "nothing varied inside any annotator's share, which leaves nothing to measure annotators against"
    load = n / annotators if annotators else 0.0
    if anova is None or reason:
        rho = Agreement.undefined("rho_int", reason or "", level=level, n=n, n_dropped=0)
    else:
        rho = _rho(anova, n, level)
    effect = None if rho.value is None else 1 + (load - 1) * max(rho.value, 0.0)
    why = rho.why_undefined
    if effect is not None and (few := too_few(annotators)):
        effect, why = None, few
    return AnnotatorVariance(
        rho_int=rho, n_annotators=annotators, mean_load=load, design_effect=effect, why_no_design_effect=why
    )


def too_few(annotators: int) -> str | None:
    """Why so many annotators say too little of others like them; None when there are enough.

    >>> too_few(1), too_few(5)
    ('undefined: 1 annotator tells too little of annotators like these; 5 are needed', None)
    """
    if annotators >= FEWEST_ANNOTATORS:
        return None
    many = "1 annotator tells" if annotators == 1 else f"{annotators} annotators tell"
    return f"undefined: {many} too little of annotators like these; {FEWEST_ANNOTATORS} are needed"


def _rho(anova: _Anova, n: int, level: float) -> Agreement:
    """Ratio of variance components and its F interval."""
    ratio, tail = anova.between / anova.error, (1 - level) / 2

    def correlation(f: float) -> float:
        variance = anova.error * (f - 1) / anova.per_annotator
        return max(variance / (variance + anova.inside), -1.0) if variance + anova.inside > _NOTHING else -1.0

    low, high = (correlation(ratio / float(stats.f.ppf(p, *anova.df))) for p in (1 - tail, tail))
    value = correlation(ratio)
    low, high = containing(value, (low, high), lowest=-1.0)
    return Agreement(name="rho_int", value=value, low=low, high=high, se=None, level=level, n=n, n_dropped=0)


def _anova(values: Floats, who: Integers, what: Integers, extra_strata: int) -> _Anova:
    """Nested analysis of variance of centred outcomes; items alone in their cluster are the one-way case."""
    n, of_who, of_what = len(values), np.bincount(who).astype(np.float64), np.bincount(what).astype(np.float64)
    annotators, clusters = len(of_who), len(of_what)
    owner = np.zeros(clusters, dtype=np.int64)
    owner[what] = who
    who_mean, what_mean = _means(values, who), _means(values, what)
    between = float(((who_mean - values.mean()) ** 2).sum()) / (annotators - 1)
    df = clusters - annotators - extra_strata
    middle = float(((what_mean - who_mean) ** 2).sum()) / df
    squares = float((of_what**2 / of_who[owner]).sum())
    per_annotator = (n - float((of_who**2).sum()) / n) / (annotators - 1)
    if clusters == n:
        return _Anova(
            between=between, error=middle, per_annotator=per_annotator, inside=middle, df=(annotators - 1, df)
        )
    item = float(((values - what_mean) ** 2).sum()) / (n - clusters)
    of_cluster = max((middle - item) / ((n - squares) / (clusters - annotators)), 0.0)
    per_cluster = (squares - float((of_what**2).sum()) / n) / (annotators - 1)
    return _Anova(
        between=between,
        error=item + per_cluster * of_cluster,
        per_annotator=per_annotator,
        inside=item + of_cluster,
        df=(annotators - 1, df),
    )


def _means(values: Floats, group: Integers) -> Floats:
    """Mean of each value's group, shape (n,)."""
    means: Floats = np.bincount(group, values) / np.maximum(np.bincount(group), 1)
    return means[group]


def _too_little(values: Floats, who: Integers, what: Integers, strata: Integers) -> str | None:
    if not len(values):
        return "there are no outcomes"
    annotators, clusters = int(who.max()) + 1, int(what.max()) + 1
    if annotators < 2:
        return f"all {len(values)} outcomes are one annotator's"
    if np.ptp(values) < _NOTHING:
        return f"all {len(values)} outcomes are {values[0]:g}"
    if clusters - annotators - int(strata.max()) < 1:
        units = "items" if clusters == len(values) else "clusters"
        return f"{annotators} annotators have {clusters} {units} in {strata.max() + 1} strata; each needs several"
    return None


def _coded(outcome: ArrayLike, annotator: ArrayLike, cluster: ArrayLike | None) -> tuple[Floats, Integers, Integers]:
    values = np.asarray(outcome, dtype=np.float64)
    who = _codes(annotator)
    what = np.arange(len(values)) if cluster is None else _codes(cluster)
    return values, who, what


def _two_owners(annotator: ArrayLike, cluster: ArrayLike) -> str | None:
    what = _codes(cluster)
    if len(np.unique(np.column_stack([what, _codes(annotator)]), axis=0)) > len(np.unique(what)):
        return "a cluster has outcomes of two annotators; each must have gone to one as a whole"
    return None


def _refuse(
    outcome: ArrayLike, annotator: ArrayLike, cluster: ArrayLike | None, stratum: ArrayLike | None, level: float
) -> None:
    values = numbers(outcome)
    good = values is not None and values.ndim == 1 and bool(np.isfinite(values).all())
    n = np.asarray(outcome).size
    columns = [
        no_column(name, column, n)
        for name, column in (("annotator", annotator), ("cluster", cluster), ("stratum", stratum))
    ]
    refuse(
        no_level(level, "confidence level"),
        None if good else f"outcome has shape {np.shape(np.asarray(outcome))}; expected finite numbers of shape (n,)",
        *columns,
        None if any(columns) or cluster is None else _two_owners(annotator, cluster),
    )


def _codes(group: ArrayLike) -> Integers:
    return np.unique(np.asarray(group), return_inverse=True)[1].reshape(-1).astype(np.int64)
