"""How well raters agree with each other: percent, AC1, Krippendorff's alpha and Cohen's kappa.

What holds for all of them, and for those in `kappas`. Units with missing labels are used as far as they go; what was
left out is counted in `n_dropped`. With design weights (1 / (pi pi_overlap) for items of an overlap subsample) the
coefficient is the population's: a function of weighted totals, without small-sample terms. Intervals
(`precision.Precision` has the arguments): with weights and the design's `variance`, Taylor linearisation and
Student's t on the design's degrees of freedom, on a logit scale between the least possible value and 1; else the
published variance with Student's t on (units - 1) degrees of freedom where there is one and units are equally
weighted and independent; else percentiles of a seeded bootstrap of units (of whole clusters, where given). If no unit
shows disagreement, the lower end is the value the coefficient would have at the Clopper-Pearson bound on the share of
disagreeing units (`interval.by_disagreement`). An interval contains its value, and has a width unless `census` says
that every unit of the population was rated. Coefficients corrected for chance are undefined when all labels are one
category, AC1 too: its formula would say 1, on no evidence that raters can tell categories apart.
"""

import math
from typing import Unpack, get_args

import numpy as np
from numpy.typing import ArrayLike

from agreement import chance, disagreement, spread
from agreement.disagreement import Disagreement, Scale
from agreement.estimate import Formula, estimate
from agreement.over_units import corrected, share_agreed
from agreement.precision import Precision, PrecisionOptions
from agreement.ratings import Ratings
from agreement.result import Agreement
from agreement.tally import Floats
from agreement.undefined import constant_rater, no_pairs, one_category
from agreement.weighting import Weighting, category_weights, weighting_name


def percent_agreement(ratings: Ratings, **how: Unpack[PrecisionOptions]) -> Agreement:
    """Share of the pairs of labels of a unit that are equal, averaged over units with two labels or more.

    Returns:
        A share in [0, 1]; undefined if no unit carries two labels.

    Raises:
        ValueError: `how` makes no sense.

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.

    >>> round(percent_agreement(Ratings.of([[0, 0], [1, 1], [0, 1], [1, 1]], n_categories=2)).value, 3)
    0.75
    """
    return share_agreed("percent_agreement", ratings, **how)


def gwet_ac1(ratings: Ratings, **how: Unpack[PrecisionOptions]) -> Agreement:
    """Agreement beyond chance that does not collapse when one category is rare, for unordered categories.

    Units with one label count towards how often categories are used, not towards agreement. The number of
    categories is the declared one, used or not.

    Returns:
        AC1 in [-1, 1]; undefined if no unit carries two labels or all labels are one category.

    Raises:
        ValueError: `how` makes no sense.

    Source: Gwet (2008), Br. J. Math. Stat. Psychol. 61(1), 29-48, doi:10.1348/000711006X126600.

    >>> table = [[0, 0]] * 80 + [[0, 1]] * 10 + [[1, 0]] * 5 + [[1, 1]] * 5
    >>> round(gwet_ac1(Ratings.of(table, n_categories=2)).value, 3)
    0.808
    """
    return corrected("gwet_ac1", ratings, chance.by_unclear_units, **how)


def krippendorff_alpha(
    ratings: Ratings,
    *,
    level: Scale = "nominal",
    **how: Unpack[PrecisionOptions],
) -> Agreement:
    """One less the disagreement within units over that of all labels paired at random.

    Units with one label are left out before anything else. On the ordinal scale two categories are as far apart
    as there are labels between them; this is Krippendorff's distance, not Gwet's ordinal weights.

    Args:
        ratings: Labels; for `ordinal` the order of the declared categories is their order, for `interval` and
            `ratio` their `category_values` are measured.
        level: Scale of measurement.
        how: How the interval is to be computed; alpha has no published variance, so it is a bootstrap by default.

    Returns:
        Alpha in [-1, 1]; undefined if no unit carries two labels or the paired labels are one category.

    Raises:
        ValueError: `level` is unknown, a ratio scale has values below 0, or `how` makes no sense.

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, repository.upenn.edu/asc_papers/43.

    >>> labels = [[0, 1], [1, 1], [0, 1], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]]
    >>> round(krippendorff_alpha(Ratings.of(labels, n_categories=2)).value, 3)
    0.095
    """
    if level not in get_args(Scale):
        scales = ", ".join(get_args(Scale))
        raise ValueError(f"level is {level!r}; expected one of {scales} (confidence is set by `confidence`)")
    values = ratings.category_values
    if level == "ratio" and values.min() < 0:
        raise ValueError(f"category_values are {values.tolist()}; a ratio scale has no numbers below 0")
    name = f"krippendorff_alpha_{level}"
    precision = Precision.of(ratings, **how)
    tally = ratings.tally(at_least=2)
    n, dropped = tally.n, len(ratings.pattern) - tally.n
    reason = no_pairs(ratings) or one_category(ratings.counts, tally, ratings.category_names)
    if reason:
        return Agreement.undefined(name, reason, level=precision.confidence, n=n, n_dropped=dropped)

    def parts(totals: Floats) -> Disagreement:
        small_sample = ratings.weight is None
        return disagreement.krippendorff(ratings.counts, totals, level, small_sample=small_sample, values=values)

    formula = Formula(
        name=name,
        parts=parts,
        scores=lambda totals: spread.krippendorff_scores(ratings.counts, totals, level, values),
        published=None,
        pairable=ratings.counts.sum(axis=1) > 1,
        lowest=-1.0,
    )
    return estimate(formula, tally, n=n, n_dropped=dropped, precision=precision)


def cohen_kappa(
    ratings: Ratings,
    *,
    weights: Weighting | ArrayLike = "identity",
    **how: Unpack[PrecisionOptions],
) -> Agreement:
    """Agreement of two raters beyond what their own margins give by chance, for unordered or, weighted, ordered labels.

    Units where either label is missing are left out (pairwise deletion) and counted. The interval never rests on
    the standard error under independence, which is for a test of kappa = 0 only.

    Args:
        ratings: Labels of exactly two raters; for more, choose two columns.
        weights: How nearly two categories agree (`weighting.category_weights`).
        how: How the interval is to be computed.

    Returns:
        Kappa in [-1, 1], at most 1 if weighted; undefined if no unit has both labels, or a rater used one category
        only: kappa is then 0 (or 0/0) whatever the other rater did.

    Raises:
        ValueError: There are more than two raters, `weights` are of no known kind, or `how` makes no sense.

    Source: Cohen (1960), Educ. Psychol. Meas. 20(1), 37-46, doi:10.1177/001316446002000104; weighted: Cohen
    (1968), Psychol. Bull. 70(4), 213-220, doi:10.1037/h0026256.

    >>> table = [[0, 0]] * 40 + [[0, 1]] * 9 + [[1, 0]] * 6 + [[1, 1]] * 45
    >>> kappa = cohen_kappa(Ratings.of(table, n_categories=2))
    >>> round(kappa.value, 3), round(kappa.se, 3)
    (0.7, 0.071)
    """
    raters = ratings.labels.shape[1]
    apart, kind = 1 - category_weights(weights, ratings.category_values), weighting_name(weights)
    name = "cohen_kappa" if kind == "identity" else f"cohen_kappa_{kind}"
    if raters > 2:
        raise ValueError(f"kappa compares two raters, these are {raters}; choose two columns of the labels")
    precision = Precision.of(ratings, **how)
    reason = no_pairs(ratings)
    tally = ratings.pairs() if raters == 2 else ratings.tally(at_least=2)
    n, dropped = tally.n, len(ratings.pattern) - tally.n
    reason = reason or constant_rater(tally, ratings.category_names)
    if reason:
        return Agreement.undefined(name, reason, level=precision.confidence, n=n, n_dropped=dropped)
    formula = cohen_formula(name, apart)
    return estimate(formula, tally, n=n, n_dropped=dropped, precision=precision)


def cohen_formula(name: str, apart: Floats) -> Formula:
    """Kappa as a function of the K * K cells of the table of two raters, for disagreements of shape (K, K)."""
    all_or_nothing = bool(np.isin(apart, (0, 1)).all())
    return Formula(
        name=name,
        parts=lambda totals: disagreement.cohen(totals, apart),
        scores=lambda totals: spread.cohen_scores(totals, apart),
        published=lambda totals: spread.cohen_variance(totals, apart),
        pairable=np.ones(apart.size, dtype=bool),
        lowest=-1.0 if all_or_nothing else -math.inf,
    )
