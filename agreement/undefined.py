"""Why a coefficient does not exist for the labels at hand, in words; None where it does."""

import math

import numpy as np

from agreement.ratings import Ratings
from agreement.tally import Integers, Tally


def no_pairs(ratings: Ratings) -> str | None:
    """Why there is nothing to compare."""
    if (ratings.counts.sum(axis=1) >= 2).any():
        return None
    units, n_labels = len(ratings.pattern), int(ratings.n_labels.sum())
    if not n_labels:
        return f"none of the {units} units has a label" if units else "there are no units"
    raters = int((ratings.labels >= 0).any(axis=0).sum())
    if raters == 1:
        return f"all {n_labels} labels are one rater's, agreement needs two"
    return f"none of the {units} units has labels of two raters ({n_labels} labels of {raters} raters)"


def one_category(counts: Integers, tally: Tally, names: tuple[str, ...]) -> str | None:
    """Why there is no variation among the labels of a tally of rows of category counts."""
    used = tally.alike @ counts
    if (used > 0).sum() > 1:
        return None
    return f"all {used.sum()} labels are {names[int(used.argmax())]}"


def constant_rater(tally: Tally, names: tuple[str, ...]) -> str | None:
    """Why one of two raters tells nothing, from a tally of the cells of their table."""
    k = math.isqrt(tally.size)
    table = tally.alike.reshape(k, k)
    for which, used in (("first", table.sum(axis=1)), ("second", table.sum(axis=0))):
        if (used > 0).sum() == 1:
            alone = names[int(np.argmax(used))]
            if table.max() == table.sum() and table.argmax() % (k + 1) == 0:
                return f"all {2 * table.sum()} labels are {alone}"
            return f"the {which} rater gave {alone} to all {table.sum()} units, kappa cannot differ from 0"
    return None
