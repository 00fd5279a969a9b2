"""Does a score move when an artifact is changed that it must not see? Paired differences against the judge's own noise.

Scores stand in arrays of shape (samples, repeats), in [0, 1], nan where the judge gave none. The calls are assumed to
have been made in random order, so that whatever drifts while they are made falls on all variants alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log, log1p
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, t

from agreement.interval import check_level
from metrics.difference import NOTHING, Difference, unseen_change
from metrics.mcnemar import Discordant
from metrics.multiple import holm
from metrics.paired import Pairs, clustered

Floats = NDArray[np.float64]
Finding = Literal["moves", "still", "unclear"]

POWER = 0.8
"""With this probability as many samples as `Shift.n_needed` tell a judge that does not move from one that does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The mean score of one variant."""

    value: float | None
    """None when no score could be read."""
    noise: float | None
    """Standard deviation of that mean from repeat to repeat; None with a single repeat."""
    n: int
    """Samples with a score."""
    n_missing: int
    """Calls without a readable score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What one change does: the score as given minus the score after the change."""

    difference: Difference
    """With an interval that holds for all shifts of the family at once (Bonferroni)."""
    p_holm: float | None
    flips: Discordant
    """Supported only as given, supported only after the change; a sample is supported from a mean score of .5 on."""
    finding: Finding
    n_needed: int
    """Samples in all that would tell; 0 where it is told."""


def reading(scores: ArrayLike) -> Reading:
    """Mean of one variant over the samples, and how much it varies between repeats.

    >>> reading([[0, 1], [1, 1]])
    Reading(value=0.75, noise=0.3535533905932738, n=2, n_missing=0)
    """
    values = _checked(scores)
    read = ~np.isnan(values)
    means = means_of(values)
    there = ~np.isnan(means)
    per_repeat = [float(column[~np.isnan(column)].mean()) for column in values.T if (~np.isnan(column)).any()]
    return Reading(
        value=float(means[there].mean()) if there.any() else None,
        noise=float(np.std(per_repeat, ddof=1)) if len(per_repeat) > 1 else None,
        n=int(there.sum()),
        n_missing=int((~read).sum()),
    )


def shifts(
    given: ArrayLike,
    changed: Mapping[str, ArrayLike],
    task: Sequence[str],
    *,
    margin: float = 0.05,
    level: float = 0.99,
) -> dict[str, Shift]:
    """Every change of one family compared with the samples as given.

    A change *moves* the score where Holm's p is below 1 - level; it leaves it *still* where the simultaneous interval
    lies inside ± margin; else it is *unclear*. Of families of changes that do nothing about a share 1 - level is said
    to move anything (a little more where scores are 0 or 1 and rarely differ: Student's t is approximate there).
    Samples of one task count as one observation (`paired.clustered`).

    Args:
        given: Scores of the samples as given, shape (samples, repeats).
        changed: Scores after each change, by its name; as many samples in the same order, any repeats.
        task: Task of each sample.
        margin: A shift up to this is no leak, in (0, 1).
        level: Of the family, in (0, 1); high by default, because the answer may stop somebody's build.

    Raises:
        ValueError: A score is outside [0, 1], the numbers of samples differ, or margin or level is out of range.

    >>> given, without = [[1.0], [1.0], [1.0], [0.0]], [[0.0], [0.0], [1.0], [0.0]]
    >>> found = shifts(given, {"gold": without}, list("abcd"))["gold"]
    >>> found.difference.value, found.flips.only_first, found.flips.only_second, found.finding
    (0.5, 2, 0, 'unclear')
    """
    check_level(level)
    if not 0 < margin < 1:
        raise ValueError(f"margin is {margin:g}; expected a shift in (0, 1)")
    base, alpha = means_of(given), (1 - level) / max(len(changed), 1)
    means = {name: means_of(scores) for name, scores in changed.items()}
    wrong = [name for name, values in means.items() if values.shape != base.shape]
    if wrong or len(task) != len(base):
        raise ValueError(f"expected {len(base)} samples and tasks everywhere; not so: {', '.join(wrong) or 'task'}")
    ones = np.ones(len(base))
    pairs = {name: Pairs.of_terms((base, ones), (values, ones), task) for name, values in means.items()}
    found = {name: _difference(pair, 1 - alpha) for name, pair in pairs.items()}
    adjusted = dict(zip(found, holm([_p(difference) for difference in found.values()]), strict=True))
    return {name: _shift(found[name], adjusted[name], _flips(base, means[name]), margin, 1 - level) for name in changed}


def _difference(pairs: Pairs, level: float) -> Difference:
    """By tasks; where no sample moved at all, each of them has shown that it does not."""
    found = clustered(pairs, level=level)
    if found.low is None or np.abs(pairs.num[:, 0] - pairs.num[:, 1]).max() > NOTHING:
        return found
    return found.within(unseen_change(0.0, found.n, pairs.span, level), pairs.span)


def _shift(difference: Difference, p: float | None, flips: Discordant, margin: float, alpha: float) -> Shift:
    low, high = difference.low, difference.high
    finding: Finding = "unclear"
    if p is not None and p < alpha:
        finding = "moves"
    elif low is not None and high is not None and -margin <= low and high <= margin:
        finding = "still"
    needed = _needed(difference, margin) if finding == "unclear" else 0
    return Shift(difference=difference, p_holm=p, flips=flips, finding=finding, n_needed=needed)


def _needed(difference: Difference, margin: float) -> int:
    """Samples with which an interval around no shift lies inside the margin, with the probability POWER."""
    n, se, df = difference.n, difference.se, difference.df
    if not se or not df:
        # Nothing varied: Clopper and Pearson's bound on what was never seen, (1 - level) / 2 = (1 - margin)^n.
        return max(n + 1, ceil(log((1 - difference.level) / 2) / log1p(-margin)))
    reach = float(t.ppf((1 + difference.level) / 2, df) + norm.ppf((1 + POWER) / 2))
    return max(n + 1, ceil(n * (reach * se / margin) ** 2))


def _p(difference: Difference) -> float | None:
    """A shift that is the same in every task has no spread to test against, but as many equal signs."""
    if difference.p is None and difference.value and difference.clusters:
        return 0.5 ** (difference.clusters - 1)
    return difference.p


def _flips(base: Floats, changed: Floats) -> Discordant:
    supported = [np.where(np.isnan(values), np.nan, values >= 0.5) for values in (base, changed)]
    return Discordant.of_answers(*supported)


def _checked(scores: ArrayLike) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"scores have shape {values.shape}; expected (samples, repeats)")
    if ((values < 0) | (values > 1)).any():
        raise ValueError("a score is outside [0, 1]; expected a share, or nan where the judge gave none")
    return values


def means_of(scores: ArrayLike) -> Floats:
    """Mean of each sample over the repeats that were read, nan where none was; scores have shape (samples, repeats).

    Raises:
        ValueError: A score is outside [0, 1], or the shape is another.

    >>> means_of([[0, 1], [1, float("nan")]]).tolist()
    [0.5, 1.0]
    """
    values = _checked(scores)
    read = ~np.isnan(values)
    total = np.where(read, values, 0.0).sum(axis=1)
    means: Floats = np.divide(total, read.sum(axis=1), out=np.full(len(values), np.nan), where=read.any(axis=1))
    return means


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """What the gold answer adds, in four readings of one judge; each is the mean score."""

    passages_only: float
    passages_and_gold: float
    told_to_ignore: float
    gold_only: float

    @property
    def leak(self) -> float:
        """What the gold answer adds to the passages."""
        return self.passages_and_gold - self.passages_only

    @property
    def recovered(self) -> float:
        """What the instruction to ignore it takes back."""
        return self.passages_and_gold - self.told_to_ignore

    @property
    def not_recovered(self) -> float:
        """What stays in spite of the instruction."""
        return self.told_to_ignore - self.passages_only

    @property
    def two_channels(self) -> float:
        """Score with both, were passages and gold answer two channels that find support independently: 1-(1-p)(1-r).

        >>> found = Leak(passages_only=0.78, passages_and_gold=0.94, told_to_ignore=0.91, gold_only=0.73)
        >>> round(found.leak, 2), round(found.recovered, 2), round(found.not_recovered, 2), round(found.two_channels, 3)
        (0.16, 0.03, 0.13, 0.941)
        """
        return 1 - (1 - self.passages_only) * (1 - self.gold_only)
