"""Each annotator on their own: with the others, with themselves, over time, and how fast."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from agreement.drift import slope
from agreement.interval import check_level
from agreement.means import bounded_mean
from agreement.ratings import Ratings
from agreement.refusal import no_labels, no_level, refuse
from agreement.result import Agreement
from agreement.tally import Codes, Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """What can be said of one annotator; figures that rest on nothing say so."""

    rater: int
    """Column of the labels."""
    n_labels: int
    agreement: Agreement
    """Share of the others' labels of a unit that are this annotator's too, averaged over shared units."""
    bias: Agreement
    """Says yes more often than the others on the same units, in -1..1; 0 is no bias."""
    self_consistency: Agreement
    """Share of hidden repeats answered as the first time."""
    agreement_by_day: Agreement
    """Change of `agreement` per day."""
    agreement_by_minute: Agreement
    """Change of `agreement` per minute into a sitting."""
    bias_by_day: Agreement
    """Change of `bias` per day."""
    bias_by_minute: Agreement
    """Change of `bias` per minute into a sitting."""
    median_seconds: Agreement
    """Median active seconds a label, with the interval of order statistics."""


def annotators(
    ratings: Ratings,
    *,
    yes: int = 1,
    day: ArrayLike | None = None,
    minute: ArrayLike | None = None,
    seconds: ArrayLike | None = None,
    repeats: ArrayLike | None = None,
    level: float = 0.95,
) -> tuple[Annotator, ...]:
    """One row an annotator. Tasks (`ratings.cluster`) are the independent units; design weights are not used.

    Args:
        ratings: Planned labels only; repeats come in `repeats` and enter self-consistency alone.
        yes: Category that bias counts.
        day: When each label was given, in days, NaN where unknown, shape (units, raters).
        minute: Minutes into the sitting (`drift.minutes_into_sitting`), likewise.
        seconds: Active seconds of each label, likewise.
        repeats: Rater, first label, label of the hidden repeat, shape (n, 3); -1 for a missing label.
        level: Confidence level of the intervals.

    Raises:
        ValueError: Shapes do not fit, `yes` is no category, a repeat is not of these raters and categories.

    >>> labels = [[0, 0, 1], [1, 1, 1], [0, 0, 1], [1, 1, 1]]
    >>> third = annotators(Ratings.of(labels, n_categories=2), repeats=[[2, 1, 1], [2, 1, 0]])[2]
    >>> third.agreement.value, third.bias.value, third.self_consistency.value
    (0.5, 0.5, 0.5)
    """
    k, shape = ratings.n_categories, ratings.labels.shape
    refuse(
        no_level(level, "confidence level"),
        None if 0 <= yes < k else f"yes is {yes}; expected a category, 0..{k - 1}",
        *(_no_times(name, given, shape) for name, given in (("day", day), ("minute", minute), ("seconds", seconds))),
        _no_repeats(repeats, shape[1], k),
    )
    days, minutes, active = (
        np.full(shape, np.nan) if given is None else np.asarray(given, dtype=np.float64)
        for given in (day, minute, seconds)
    )
    again = np.asarray(() if repeats is None else repeats, dtype=np.int64).reshape(-1, 3)
    agrees, leans = _against_others(ratings, yes)
    found = []
    for rater in range(shape[1]):
        labelled = ratings.labels[:, rater] >= 0
        shared = labelled & (ratings.n_labels > 1)
        task = np.flatnonzero(shared) if ratings.cluster is None else ratings.cluster[shared]
        when = {"day": days[shared, rater], "minute": minutes[shared, rater]}
        found.append(
            Annotator(
                rater=rater,
                n_labels=int(labelled.sum()),
                self_consistency=_self_consistency(again[again[:, 0] == rater], level),
                median_seconds=median("median_seconds", active[labelled, rater], level=level),
                **_with_others(agrees[shared, rater], leans[shared, rater], when, task, int(labelled.sum()), level),
            )
        )
    return tuple(found)


def _with_others(
    agreed: Floats, leant: Floats, when: dict[str, Floats], task: Codes, n_labels: int, level: float
) -> dict[str, Agreement]:
    """Agreement, bias and their drifts, by field name, from the units that another labelled too."""
    found = {}
    for name, values, bounds in (("agreement", agreed, (0.0, 1.0)), ("bias", leant, (-1.0, 1.0))):
        found[name] = bounded_mean(
            "agreement_with_others" if name == "agreement" else name,
            values,
            cluster=task,
            bounds=bounds,
            level=level,
            n_dropped=n_labels - len(values),
            nobody="none of this annotator's units has another's label",
        )
        for unit, times in when.items():
            found[f"{name}_by_{unit}"] = slope(f"{name}_by_{unit}", values, times, cluster=task, level=level)
    return found


def median(name: str, values: ArrayLike, *, level: float = 0.95) -> Agreement:
    """Median with the interval between order statistics that covers it whatever the distribution.

    Args:
        name: What the result is called.
        values: Shape (n,); NaN is unknown, left out and counted.
        level: Confidence level; the interval covers at least as often.

    Returns:
        The median on the scale of the values; undefined where so few values cannot bound it (6 for 95 %).

    Source: Conover (1999), Practical Nonparametric Statistics, 3rd ed., section 3.2.

    >>> found = median("seconds", [4, 9, 5, 7, 30, 6])
    >>> found.value, found.low, found.high
    (6.5, 4.0, 30.0)
    """
    check_level(level)
    given = np.asarray(values, dtype=np.float64)
    known = np.sort(given[np.isfinite(given)])
    n = len(known)
    rank = int(stats.binom.ppf((1 - level) / 2, n, 0.5)) if n else 0
    if rank < 1:
        reason = f"{n} known values, too few to bound a median"
        return Agreement.undefined(name, reason, level=level, n=n, n_dropped=len(given) - n)
    return Agreement(
        name=name,
        value=float(np.median(known)),
        low=float(known[rank - 1]),
        high=float(known[n - rank]),
        se=None,
        level=level,
        n=n,
        n_dropped=len(given) - n,
    )


def _against_others(ratings: Ratings, yes: int) -> tuple[Floats, Floats]:
    """Share of the others' labels that are the same, and own yes less the others' share of yes; (units, raters)."""
    labels = ratings.labels.astype(np.int64)
    counts, others = ratings.counts[ratings.pattern], np.maximum(ratings.n_labels - 1, 1)[:, None]
    said_yes = labels == yes
    agrees: Floats = (np.take_along_axis(counts, np.maximum(labels, 0), axis=1) - 1) / others
    leans: Floats = said_yes - (counts[:, [yes]] - said_yes) / others
    return agrees, leans


def _self_consistency(repeats: Integers, level: float) -> Agreement:
    both = (repeats[:, 1:] >= 0).all(axis=1)
    same = (repeats[both, 1] == repeats[both, 2]).astype(np.float64)
    return bounded_mean(
        "self_consistency",
        same,
        cluster=None,
        bounds=(0, 1),
        level=level,
        n_dropped=int((~both).sum()),
        nobody="this annotator answered no hidden repeat",
    )


def _no_times(name: str, given: ArrayLike | None, shape: tuple[int, ...]) -> str | None:
    found = None if given is None else np.shape(np.asarray(given))
    return None if found in (None, shape) else f"{name} has shape {found}; expected {shape}, one a label"


def _no_repeats(given: ArrayLike | None, raters: int, n_categories: int) -> str | None:
    rows: NDArray[Any] = np.asarray(() if given is None else given)
    if rows.size == 0:
        return None
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype.kind not in "iu":
        return f"repeats have shape {rows.shape}; expected integers of shape (n, 3): rater, first, again"
    if rows[:, 0].min() < 0 or rows[:, 0].max() >= raters:
        return f"repeats name raters {rows[:, 0].min()}..{rows[:, 0].max()}; expected 0..{raters - 1}"
    return no_labels("repeats", rows[:, 1:], n_categories, axes=("repeat", "occasion"))
