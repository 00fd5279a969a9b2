"""How much a metric varies inside each stratum, from counts of what a pilot or the judge said."""

from collections.abc import Mapping
from math import sqrt

Terms = tuple[float, float]
"""Numerator and denominator of one response."""


def of_counts(
    counts: Mapping[str, Mapping[Terms, float]], *, sizes: Mapping[str, int] | None = None, prior: float = 0.0
) -> dict[str, float]:
    """Standard deviation of a ratio's residual, num - R den, in each stratum: the S_h of a Neyman allocation.

    R is the ratio of the whole population: stratum means weighted by the stratum sizes. A metric that is a mean has
    denominator 1 throughout, and its residual varies as its numerator does. Where the counts are a small pilot's,
    a stratum can show one outcome only and would be thought to have no spread; `prior` pseudo-responses per stratum,
    distributed as all strata together, prevent that. Where the counts are the judge's and the strata are made of its
    labels, every stratum shows one outcome: use a pilot, or `sampling.planner` with the judge's expected errors.

    Args:
        counts: For each stratum, how many responses have each pair of terms.
        sizes: Responses of the population in each stratum; None when the counts are of the whole population.
        prior: Pseudo-responses per stratum, 0 or more; 2 is sensible for a pilot.

    Returns:
        A value >= 0 for each stratum of `counts`, with n - 1 in the denominator; 0 for an empty one or a single row.

    Raises:
        ValueError: A count or the prior is negative, a stratum has no size, nothing was counted, or the denominator
            is 0 altogether, so that there is no ratio.

    Source: linearised ratio, Cochran (1977), Sampling Techniques, 3rd ed., sections 5.5 and 6.13.

    >>> of_counts({"a": {(1, 1): 5, (0, 1): 5}, "b": {(1, 1): 10}})["b"]
    0.0
    """
    _check(counts, sizes, prior)
    size = {name: sum(rows.values()) for name, rows in counts.items()} if sizes is None else sizes
    pooled = _pooled(counts, size)
    rows = {name: _with_prior(of, pooled, prior) for name, of in counts.items()}
    den = sum(share * terms[1] for terms, share in pooled.items())
    if den == 0:
        raise ValueError("the denominator is 0 in every response that was counted: there is no ratio, so no spread")
    ratio = sum(share * terms[0] for terms, share in pooled.items()) / den
    return {name: _deviation(of, ratio) for name, of in rows.items()}


def _check(counts: Mapping[str, Mapping[Terms, float]], sizes: Mapping[str, int] | None, prior: float) -> None:
    if not prior >= 0:
        raise ValueError(f"prior is {prior}; expected 0 or more pseudo-responses per stratum")
    for name, rows in counts.items():
        if sizes is not None and name not in sizes:
            raise ValueError(f"stratum {name!r} has no size; give the responses of the population in every stratum")
        for terms, count in rows.items():
            if not count >= 0:
                raise ValueError(f"stratum {name!r} has {count} responses with terms {terms}; a count is 0 or more")
    if not any(sum(rows.values()) for rows in counts.values()):
        raise ValueError("nothing was counted: give the terms of a pilot's or the judge's responses")


def _pooled(counts: Mapping[str, Mapping[Terms, float]], sizes: Mapping[str, float]) -> dict[Terms, float]:
    """Share of the population with each pair of terms; strata that were not looked at are left out."""
    looked_at = {name: sum(rows.values()) for name, rows in counts.items() if sum(rows.values())}
    population = sum(sizes[name] for name in looked_at)
    if not population:
        raise ValueError("the strata that were counted have no responses in the population")
    pooled: dict[Terms, float] = {}
    for name, n in looked_at.items():
        for terms, count in counts[name].items():
            pooled[terms] = pooled.get(terms, 0.0) + sizes[name] / population * count / n
    return pooled


def _with_prior(rows: Mapping[Terms, float], pooled: Mapping[Terms, float], prior: float) -> dict[Terms, float]:
    return {terms: rows.get(terms, 0) + prior * share for terms, share in pooled.items()}


def _deviation(rows: Mapping[Terms, float], ratio: float) -> float:
    n = sum(rows.values())
    if n <= 1:
        return 0.0
    residual = {terms: terms[0] - ratio * terms[1] for terms in rows}
    mean = sum(count * residual[terms] for terms, count in rows.items()) / n
    return sqrt(sum(count * (residual[terms] - mean) ** 2 for terms, count in rows.items()) / (n - 1))
