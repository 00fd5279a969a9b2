"""Any number of raters, near misses in part if so weighted: AC2, Fleiss, Conger, Brennan and Prediger.

What `coefficients` says of missing labels, design weights, intervals and undefined cases holds here too. Variances are
the published ones, over units with the raters given, never those under no agreement. Where near misses count in part,
the result's name says how (`gwet_ac2_quadratic`).
"""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from agreement import chance
from agreement.over_units import corrected
from agreement.precision import PrecisionOptions
from agreement.ratings import Ratings
from agreement.result import Agreement
from agreement.weighting import Weighting, weighting_name


def gwet_ac2(
    ratings: Ratings, *, weights: Weighting | ArrayLike = "quadratic", **how: Unpack[PrecisionOptions]
) -> Agreement:
    """AC1 for ordered categories: near misses agree in part.

    Args:
        ratings: Labels; `linear`, `quadratic` and `radical` measure their `category_values`.
        weights: How nearly two categories agree (`weighting.category_weights`); `identity` gives AC1.
        how: How the interval is to be computed (`precision.Precision`).

    Returns:
        AC2, at most 1 and at least 1 - 1 / (1 - mean weight); undefined if no
        unit carries two labels or all labels are one category.

    Raises:
        ValueError: `weights` are of no known kind, or `how` makes no sense.

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., chapter 5.

    >>> round(gwet_ac2(Ratings.of([[0, 0], [1, 2], [2, 2], [1, 1]], n_categories=3)).value, 3)
    0.818
    """
    name = f"gwet_ac2_{weighting_name(weights)}"
    return corrected(name, ratings, chance.by_unclear_units, weights=weights, **how)


def fleiss_kappa(
    ratings: Ratings, *, weights: Weighting | ArrayLike = "identity", **how: Unpack[PrecisionOptions]
) -> Agreement:
    """Agreement beyond two labels drawn at random from all labels; for two raters this is Scott's pi.

    Arguments and errors are those of `gwet_ac2`.

    Returns:
        Kappa, at most 1, and below -1 only where units with one label make up most of the labels; undefined if no
        unit carries two labels or all labels are one category.

    Source: Fleiss (1971), Psychol. Bull. 76(5), 378-382, doi:10.1037/h0031619; variance and missing labels: Gwet
    (2021), Educ. Psychol. Meas. 81(4), 781-790, doi:10.1177/0013164420973080.

    >>> round(fleiss_kappa(Ratings.of([[0, 0, 1], [1, 1, 1], [0, 0, 0]], n_categories=2)).value, 3)
    0.55
    """
    return corrected(_named("fleiss_kappa", weights), ratings, chance.by_use, weights=weights, **how)


def fleiss_kappa_by_category(ratings: Ratings, **how: Unpack[PrecisionOptions]) -> tuple[Agreement, ...]:
    """Fleiss' kappa of each category against all others: which ones raters can tell.

    Returns:
        One result a declared category, called `fleiss_kappa[its name]`; undefined for a category that nobody
        used, or that everybody used on every unit.

    Raises:
        ValueError: `how` makes no sense.

    Source: Fleiss (1971), as above, section "agreement on a particular category".

    >>> [k.name for k in fleiss_kappa_by_category(Ratings.of([[0, 1]], n_categories=2, category_names=["No", "Yes"]))]
    ['fleiss_kappa[No]', 'fleiss_kappa[Yes]']
    """
    found = []
    for k, name in enumerate(ratings.category_names):
        one = Ratings.of(
            np.where(ratings.labels < 0, -1, ratings.labels == k),
            n_categories=2,
            category_names=[f"not {name}", name],
            weight=ratings.weight,
            cluster=ratings.cluster,
        )
        found.append(corrected(f"fleiss_kappa[{name}]", one, chance.by_use, **how))
    return tuple(found)


def conger_kappa(
    ratings: Ratings, *, weights: Weighting | ArrayLike = "identity", **how: Unpack[PrecisionOptions]
) -> Agreement:
    """Agreement beyond two labels drawn from two raters, each with habits of its own: Cohen's kappa of any number.

    Arguments and errors are those of `gwet_ac2`. A rater's habits are taken from all units it labelled, also
    where nobody else did; so for two raters this is Cohen's kappa only if neither left anything out.

    Returns:
        Kappa, at most 1, and below -1 only where units with one label make up most of the labels; undefined if no
        unit carries two labels or all labels are one category.

    Source: Conger (1980), Psychol. Bull. 88(2), 322-328, doi:10.1037/0033-2909.88.2.322; variance and missing
    labels: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.

    >>> table = [[0, 0]] * 40 + [[0, 1]] * 9 + [[1, 0]] * 6 + [[1, 1]] * 45
    >>> round(conger_kappa(Ratings.of(table, n_categories=2)).value, 4)
    0.6995
    """
    name = _named("conger_kappa", weights)
    return corrected(name, ratings, chance.by_rater, weights=weights, rater_by_rater=True, **how)


def brennan_prediger(
    ratings: Ratings, *, weights: Weighting | ArrayLike = "identity", **how: Unpack[PrecisionOptions]
) -> Agreement:
    """Agreement beyond an even draw from the declared categories; for two categories this is PABAK, 2 po - 1.

    Arguments and errors are those of `gwet_ac2`.

    Returns:
        A coefficient, at most 1 and at least 1 - 1 / (1 - mean weight); undefined if no
        unit carries two labels or all labels are one category.

    Source: Brennan & Prediger (1981), Educ. Psychol. Meas. 41(3), 687-699, doi:10.1177/001316448104100307; PABAK:
    Byrt, Bishop & Carlin (1993), J. Clin. Epidemiol. 46(5), 423-429, doi:10.1016/0895-4356(93)90018-V.

    >>> table = [[0, 0]] * 80 + [[0, 1]] * 10 + [[1, 0]] * 5 + [[1, 1]] * 5
    >>> round(brennan_prediger(Ratings.of(table, n_categories=2)).value, 3)
    0.7
    """
    name = _named("brennan_prediger", weights)
    return corrected(name, ratings, lambda counts, weight: chance.even(weight), weights=weights, **how)


def _named(name: str, weights: Weighting | ArrayLike) -> str:
    kind = weighting_name(weights)
    return name if kind == "identity" else f"{name}_{kind}"
