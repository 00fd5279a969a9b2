"""Does a judge score one family of models higher than people do, compared with how it scores the others?"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.difference import Difference, by_student
from sampling.design import Design

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """How far a judge is above people on its own family, and on the others."""

    own: float | None
    """Weighted mean of judge less people on the own family, in [-1, 1]."""
    others: float | None
    difference: Difference
    """Own less others; above 0 the judge prefers its own."""
    n_own: int
    n_others: int


def preference(
    judge: ArrayLike, human: ArrayLike, own: ArrayLike, design: Design, *, census: bool = False, level: float = 0.95
) -> Preference:
    """The mean of judge less people on one family of models, less the same on all other models.

    Being wrong is no preference: a judge that is too kind to everybody is so to both sides. With d the judge's label
    less people's, each side is a ratio of weighted totals (a domain of the sample), and the variance is the design's
    of one linearised variable over both,

        e = own (d - mean_own) / N_own - (1 - own) (d - mean_others) / N_others,

    so that what the sides share (a task that is hard for all) counts. Student's t on the design's degrees of freedom.
    It compares what the models said, which differs in difficulty too: a judge that errs more on longer or on worse
    responses shows up here if one family writes such.

    Args:
        judge: The judge's labels, 0 or 1, nan where there is none; shape (n,), the rows of the design.
        human: People's labels, likewise.
        own: Whether a row is of the judge's own family.
        design: Of the rows.
        census: Whether these are all rows of the population.
        level: Confidence level in (0, 1).

    Returns:
        Undefined when one side has labels of both in fewer than two independent units.

    Raises:
        ValueError: Shapes differ.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, sections 5.5 and 5.8,
    doi:10.1007/978-1-4612-4378-6; the question: Panickssery, Bowman & Feng (2024), arXiv 2404.13076.

    >>> design = Design.of_draws(stratum=["a"] * 4, stratum_size=[8] * 4, inclusion_probability=[0.5] * 4,
    ...                          unit=["1", "2", "3", "4"])
    >>> found = preference([1, 1, 0, 1], [0, 1, 0, 1], [True, True, False, False], design)
    >>> found.own, found.others, found.difference.value
    (0.5, 0.0, 0.5)
    """
    said, true, family = np.asarray(judge, np.float64), np.asarray(human, np.float64), np.asarray(own, dtype=bool)
    if not len(said) == len(true) == len(family) == len(design.weight):
        raise ValueError(
            f"{len(said)} labels of the judge, {len(true)} of people, {len(family)} families and {len(design.weight)} "
            "rows of the design; expected one of each a row"
        )
    both = ~(np.isnan(said) | np.isnan(true))
    excess = np.where(both, said - true, 0.0)
    sides = [both & family, both & ~family]
    units = [len(np.unique(design.cluster[side])) for side in sides]
    means = [_mean(excess, side, design) for side in sides]
    return Preference(
        own=means[0],
        others=means[1],
        difference=_difference(excess, sides, means, units, design, census=census, level=level),
        n_own=int(sides[0].sum()),
        n_others=int(sides[1].sum()),
    )


def _mean(excess: Floats, side: Flags, design: Design) -> float | None:
    return float(design.total(excess * side) / design.total(side)) if side.any() else None


def _difference(
    excess: Floats,
    sides: list[Flags],
    means: list[float | None],
    units: list[int],
    design: Design,
    *,
    census: bool,
    level: float,
) -> Difference:
    own, others = means
    both = sides[0] | sides[1]
    n, dropped = int(both.sum()), int((~both).sum())
    if own is None or others is None or (min(units) < 2 and not census):
        which = " and ".join(
            f"{count} independent {'unit' if count == 1 else 'units'} of {name}"
            for name, count in zip(("its own family", "the others"), units, strict=True)
        )
        why = f"undefined: {which} with labels of people and of the judge; two of each are needed"
        return Difference(value=None, level=level, n=n, n_dropped=dropped, why_undefined=why)
    value = own - others
    score = sides[0] * (excess - own) / design.total(sides[0]) - sides[1] * (excess - others) / design.total(sides[1])
    bare = Difference(
        value=value,
        se=sqrt(design.variance(score)),
        low=value,
        high=value,
        level=level,
        df=design.degrees_of_freedom(both),
        n=n,
        n_dropped=dropped,
        clusters=len(np.unique(design.cluster[both])),
    )
    return bare if census and not dropped else by_student(bare, 2.0)
