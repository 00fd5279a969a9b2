"""How often raters use each category: what every coefficient corrected for chance depends on."""

from typing import Unpack

import numpy as np

from agreement.disagreement import Disagreement, label_shares, ratio
from agreement.estimate import Formula, estimate
from agreement.precision import Precision, PrecisionOptions
from agreement.ratings import Ratings
from agreement.result import Agreement
from agreement.tally import Floats


def prevalence(ratings: Ratings, **how: Unpack[PrecisionOptions]) -> tuple[Agreement, ...]:
    """Share of each category among the labels of a unit, averaged over the units with a label.

    Args:
        ratings: Labels; a unit counts once (or by its design weight), whoever many labelled it.
        how: How the intervals are to be computed (`precision.Precision`).

    Returns:
        One share in [0, 1] a declared category, called `prevalence[its name]`; undefined without any label.

    Raises:
        ValueError: `how` makes no sense.

    Source: the mean of a simple random sample, or a ratio of weighted totals; Särndal, Swensson & Wretman (1992),
    Model Assisted Survey Sampling, section 5.7, doi:10.1007/978-1-4612-4378-6.

    >>> found = prevalence(Ratings.of([[0, 1], [1, 1], [1, -1]], n_categories=2, category_names=["No", "Yes"]))
    >>> {one.name: round(one.value, 3) for one in found}
    {'prevalence[No]': 0.167, 'prevalence[Yes]': 0.833}
    """
    precision, tally = Precision.of(ratings, **how), ratings.tally(at_least=1)
    n, dropped = tally.n, len(ratings.pattern) - tally.n
    names = [f"prevalence[{name}]" for name in ratings.category_names]
    if not n:
        reason = f"none of the {dropped} units has a label" if dropped else "there are no units"
        undefined = [
            Agreement.undefined(one, reason, level=precision.confidence, n=0, n_dropped=dropped) for one in names
        ]
        return tuple(undefined)
    labelled = ratings.counts.sum(axis=1) > 0
    columns = label_shares(ratings.counts).T
    formulas = [
        _formula(name, shares, labelled.astype(np.float64)) for name, shares in zip(names, columns, strict=True)
    ]
    return tuple(estimate(one, tally, n=n, n_dropped=dropped, precision=precision) for one in formulas)


def _formula(name: str, shares: Floats, labelled: Floats) -> Formula:
    """A share, written as one less the share of the other categories."""

    def others(totals: Floats) -> Floats:
        return ratio(totals @ (labelled - shares), totals @ labelled)

    def scores(totals: Floats) -> Floats:
        found: Floats = (shares - labelled * (1 - others(totals))) / (totals @ labelled)
        return found

    def published(totals: Floats) -> float:
        n = float(totals @ labelled)
        return float(totals @ scores(totals) ** 2) * n / (n - 1) if n > 1 else float("nan")

    return Formula(
        name=name,
        parts=lambda totals: Disagreement(others(totals), np.ones(totals.shape[:-1])),
        scores=scores,
        published=published,
        pairable=labelled > 0,
        lowest=0.0,
    )
