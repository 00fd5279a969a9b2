"""How well raters agree with each other: percent, AC1, Krippendorff's alpha and Cohen's kappa.

What holds for all of them, and for those in `kappas`. Units with missing labels are used as far as they go; what was
left out is counted in `n_dropped`. With design weights the coefficient is the population's (ratios of weighted
totals, without small-sample terms). Intervals: the published variance with Student's t on (units - 1) degrees of
freedom where there is one and units are equally weighted and independent, else percentiles of a seeded bootstrap of
units (of whole clusters, where given). If no unit shows disagreement, the lower end is the value the coefficient
would have at the Clopper-Pearson bound on the share of disagreeing units (`interval.by_disagreement`). An interval
contains its value, and has a width unless `census` says that every unit of the population was rated. Coefficients
corrected for chance are undefined when all labels are one category, AC1 too: its formula would say 1, on no evidence
that raters can tell categories apart.
"""

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from agreement import chance, disagreement, spread
from agreement.disagreement import Disagreement, Scale
from agreement.estimate import Formula, Precision, estimate
from agreement.over_units import corrected, share_agreed
from agreement.ratings import Ratings
from agreement.result import Agreement
from agreement.tally import Floats, Tally
from agreement.undefined import constant_rater, no_pairs, one_category
from agreement.weighting import Weighting, category_weights, weighting_name


def percent_agreement(
    ratings: Ratings, *, confidence: float = 0.95, census: bool = False, replicates: int = 2000, seed: int = 0
) -> Agreement:
    """Share of the pairs of labels of a unit that are equal, averaged over units with two labels or more.

    Returns:
        A share in [0, 1]; undefined if no unit carries two labels.

    Raises:
        ValueError: `confidence` or `replicates` makes no sense.

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.

    >>> round(percent_agreement(Ratings.of([[0, 0], [1, 1], [0, 1], [1, 1]], n_categories=2)).value, 3)
    0.75
    """
    precision = Precision(confidence=confidence, census=census, replicates=replicates, seed=seed)
    return share_agreed("percent_agreement", ratings, precision)


def gwet_ac1(
    ratings: Ratings, *, confidence: float = 0.95, census: bool = False, replicates: int = 2000, seed: int = 0
) -> Agreement:
    """Agreement beyond chance that does not collapse when one category is rare, for unordered categories.

    Units with one label count towards how often categories are used, not towards agreement. The number of
    categories is the declared one, used or not.

    Returns:
        AC1 in [-1, 1]; undefined if no unit carries two labels or all labels are one category.

    Raises:
        ValueError: `confidence` or `replicates` makes no sense.

    Source: Gwet (2008), Br. J. Math. Stat. Psychol. 61(1), 29-48, doi:10.1348/000711006X126600.

    >>> table = [[0, 0]] * 80 + [[0, 1]] * 10 + [[1, 0]] * 5 + [[1, 1]] * 5
    >>> round(gwet_ac1(Ratings.of(table, n_categories=2)).value, 3)
    0.808
    """
    precision = Precision(confidence=confidence, census=census, replicates=replicates, seed=seed)
    return corrected("gwet_ac1", ratings, chance.by_unclear_units, precision)


def krippendorff_alpha(
    ratings: Ratings,
    *,
    level: Scale = "nominal",
    confidence: float = 0.95,
    interval: Literal["bootstrap", "linearised"] = "bootstrap",
    census: bool = False,
    replicates: int = 2000,
    seed: int = 0,
) -> Agreement:
    """One less the disagreement within units over that of all labels paired at random.

    Units with one label are left out before anything else. On the ordinal scale two categories are as far apart
    as there are labels between them; this is Krippendorff's distance, not Gwet's ordinal weights.

    Args:
        ratings: Labels; for `ordinal` the order of the declared categories is their order, for `interval` and
            `ratio` their `category_values` are measured.
        level: Scale of measurement.
        confidence: Confidence level of the interval.
        interval: `bootstrap`, or `linearised` for the delta method with Student's t (large samples).
        census: Every unit of the population was rated.
        replicates: Bootstrap samples.
        seed: Seed of the bootstrap.

    Returns:
        Alpha in [-1, 1]; undefined if no unit carries two labels or the paired labels are one category.

    Raises:
        ValueError: `level` is unknown, a ratio scale has values below 0, `confidence` or `replicates` makes no sense.

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
    precision = Precision(confidence=confidence, census=census, replicates=replicates, seed=seed)
    tally = ratings.tally(at_least=2)
    n, dropped = tally.n, len(ratings.pattern) - tally.n
    reason = no_pairs(ratings) or one_category(ratings.counts, tally, ratings.category_names)
    if reason:
        return Agreement.undefined(name, reason, level=confidence, n=n, n_dropped=dropped)

    def linearised(tally: Tally) -> float:
        return tally.variance(spread.krippendorff_scores(ratings.counts, tally.totals, level, values))

    def parts(totals: Floats) -> Disagreement:
        small_sample = ratings.weight is None
        return disagreement.krippendorff(ratings.counts, totals, level, small_sample=small_sample, values=values)

    formula = Formula(
        name=name,
        parts=parts,
        variance=linearised if interval == "linearised" else None,
        pairable=ratings.counts.sum(axis=1) > 1,
        lowest=-1.0,
    )
    return estimate(formula, tally, n=n, n_dropped=dropped, precision=precision)


def cohen_kappa(
    ratings: Ratings,
    *,
    weights: Weighting | ArrayLike = "identity",
    confidence: float = 0.95,
    census: bool = False,
    replicates: int = 2000,
    seed: int = 0,
) -> Agreement:
    """Agreement of two raters beyond what their own margins give by chance, for unordered or, weighted, ordered labels.

    Units where either label is missing are left out (pairwise deletion) and counted. The interval never rests on
    the standard error under independence (`spread.cohen_null_variance`).

    Args:
        ratings: Labels of exactly two raters; for more, choose two columns.
        weights: How nearly two categories agree (`weighting.category_weights`).
        confidence: Confidence level of the interval.
        census: Every unit of the population was rated.
        replicates: Bootstrap samples, used with weights or clusters only.
        seed: Seed of the bootstrap.

    Returns:
        Kappa in [-1, 1], at most 1 if weighted; undefined if no unit has both labels, or a rater used one category
        only: kappa is then 0 (or 0/0) whatever the other rater did.

    Raises:
        ValueError: There are more than two raters, `weights` are of no known kind, `confidence` or `replicates` makes
            no sense.

    Source: Cohen (1960), Educ. Psychol. Meas. 20(1), 37-46, doi:10.1177/001316446002000104; weighted: Cohen
    (1968), Psychol. Bull. 70(4), 213-220, doi:10.1037/h0026256.

    >>> table = [[0, 0]] * 40 + [[0, 1]] * 9 + [[1, 0]] * 6 + [[1, 1]] * 45
    >>> kappa = cohen_kappa(Ratings.of(table, n_categories=2))
    >>> round(kappa.value, 3), round(kappa.se, 3)
    (0.7, 0.071)
    """
    raters, k = ratings.labels.shape[1], ratings.n_categories
    apart, kind = 1 - category_weights(weights, ratings.category_values), weighting_name(weights)
    name = "cohen_kappa" if kind == "identity" else f"cohen_kappa_{kind}"
    if raters > 2:
        raise ValueError(f"kappa compares two raters, these are {raters}; choose two columns of the labels")
    precision = Precision(confidence=confidence, census=census, replicates=replicates, seed=seed)
    reason = no_pairs(ratings)
    tally = ratings.pairs() if raters == 2 else ratings.tally(at_least=2)
    n, dropped = tally.n, len(ratings.pattern) - tally.n
    reason = reason or constant_rater(tally, ratings.category_names)
    if reason:
        return Agreement.undefined(name, reason, level=confidence, n=n, n_dropped=dropped)
    formula = Formula(
        name=name,
        parts=lambda totals: disagreement.cohen(totals, apart),
        variance=(lambda tally: spread.cohen_variance(tally.totals, apart)) if tally.plain else None,
        pairable=np.ones(k * k, dtype=bool),
        lowest=-1.0 if kind == "identity" else -math.inf,
    )
    return estimate(formula, tally, n=n, n_dropped=dropped, precision=precision)
