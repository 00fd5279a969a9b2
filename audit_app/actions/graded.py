"""A judge's diagnostics against people's: labels of ordered values, for which there is no yes and no."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agreement.coefficients import cohen_kappa, krippendorff_alpha, percent_agreement
from agreement.precision import PrecisionOptions
from agreement.ratings import Ratings
from agreement.result import Agreement
from audit_app.actions.labelled import Labelled


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedAgreement:
    """How a judge's values of one diagnostic stand to people's, weighted by the design."""

    n: int
    """Rows with both values."""
    n_dropped: int
    """Rows that people labelled but the judge left unscored."""
    counts: tuple[tuple[int, ...], ...]
    """Rows of the sample: first index people's value, second the judge's."""
    table: tuple[tuple[float, ...], ...]
    """The same cells, weighted."""
    percent: Agreement
    """How often the two values are the same."""
    kappa: Agreement
    """Cohen's kappa with quadratic weights: near misses count in part."""
    alpha: Agreement
    """Krippendorff's alpha, ordinal."""


def graded(
    rows: Labelled, name: str, categories: tuple[str, ...], inside: NDArray[np.bool_], *, census: bool, level: float
) -> GradedAgreement:
    """One diagnostic, on the rows of one slice."""
    people, judge = rows.human[name], rows.judge[name]
    usable = ~np.isnan(people)
    design = rows.design(usable)
    weight = np.zeros(len(people))
    weight[usable] = design.weight
    both = usable & inside & ~np.isnan(judge)
    pairs = np.column_stack([people[both], judge[both]]).astype(np.int64)
    cells = [tuple(np.bincount(pairs[pairs[:, 0] == k, 1], minlength=len(categories))) for k in range(len(categories))]
    weighted = [
        tuple(np.bincount(pairs[pairs[:, 0] == k, 1], weight[both][pairs[:, 0] == k], len(categories)))
        for k in range(len(categories))
    ]
    ratings = Ratings.of(pairs, n_categories=len(categories), category_names=categories, weight=weight[both])
    place = np.flatnonzero(both[usable])
    how: PrecisionOptions = {
        "confidence": level,
        "census": census and bool(usable.all()),
        "variance": lambda scores: design.variance(np.bincount(place, scores, len(design.weight))),
        "degrees_of_freedom": design.degrees_of_freedom(both[usable]),
    }
    measured = [
        coefficient(ratings, **how)
        for coefficient in (
            percent_agreement,
            partial(cohen_kappa, weights="quadratic"),
            partial(krippendorff_alpha, level="ordinal"),
        )
    ]
    return GradedAgreement(
        n=len(pairs),
        n_dropped=int((usable & inside).sum()) - len(pairs),
        counts=tuple(tuple(int(n) for n in row) for row in cells),
        table=tuple(tuple(float(n) for n in row) for row in weighted),
        percent=measured[0],
        kappa=measured[1],
        alpha=measured[2],
    )
