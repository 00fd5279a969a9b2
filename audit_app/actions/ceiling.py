"""The human ceiling: one human with one human, beside the judge with one human, on the same items and weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from agreement.coefficients import cohen_kappa, percent_agreement
from agreement.ratings import Ratings
from agreement.result import Agreement
from agreement.weighting import Weighting

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """What a judge can be expected to reach, as people do not reach more with each other."""

    n: int
    """Items with labels of two people or more, and of the judge."""
    people_percent: Agreement
    """Two of these people, drawn at random from those who labelled an item: how often they say the same."""
    judge_percent: Agreement
    """The judge and one of them."""
    people_kappa: Agreement
    judge_kappa: Agreement


def ceiling(
    people: Codes,
    judge: Codes,
    *,
    categories: Sequence[str],
    weight: Floats,
    cluster: NDArray[np.str_],
    weighting: Weighting,
    level: float,
    seed: int,
) -> Ceiling:
    """Both comparisons, every pair of an item counted by its share of the item's weight.

    Args:
        people: Codes of the categories, shape (items, people), -1 for none.
        judge: Likewise, shape (items,).
        categories: Names of the categories, in order.
        weight: Items of the population that each item stands for, shape (items,).
        cluster: Task of each item, shape (items,).
        weighting: How nearly two categories agree in kappa.
        level: Confidence level.
        seed: Of the bootstrap over tasks.
    """
    kept = ((people >= 0).sum(axis=1) > 1) & (judge >= 0)
    people, judge, weight, cluster = people[kept], judge[kept], weight[kept], cluster[kept]
    said = [row[row >= 0] for row in people]
    with_each_other = [np.array(list(permutations(row, 2))) for row in said]
    with_judge = [np.column_stack([row, np.full(len(row), own)]) for row, own in zip(said, judge, strict=True)]
    found = []
    for pairs in (with_each_other, with_judge):
        ratings = _stacked(pairs, categories, weight, cluster)
        for coefficient in (percent_agreement, partial(cohen_kappa, weights=weighting)):
            one = coefficient(ratings, confidence=level, seed=seed)
            found.append(replace(one, n=len(people), n_dropped=int((~kept).sum())))
    return Ceiling(
        n=len(people),
        people_percent=found[0],
        people_kappa=found[1],
        judge_percent=found[2],
        judge_kappa=found[3],
    )


def _stacked(pairs: Sequence[Codes], categories: Sequence[str], weight: Floats, cluster: NDArray[np.str_]) -> Ratings:
    """All pairs one below the other."""
    times = [len(of_item) for of_item in pairs]
    return Ratings.of(
        np.concatenate([*pairs, np.empty((0, 2), dtype=np.int64)]).astype(np.int64),
        n_categories=len(categories),
        category_names=categories,
        weight=np.repeat(weight / np.maximum(times, 1), times),
        cluster=np.repeat(cluster, times),
    )
