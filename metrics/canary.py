"""Has a judge's score on a fixed set of samples risen above what it once was, by more than its own noise?"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t

from agreement.interval import check_level
from metrics.ablation import means_of
from metrics.difference import NOTHING

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rise:
    """The mean score now less that of the baseline, on the samples that both have a score of."""

    value: float | None
    band: float | None
    """As far as noise alone takes the difference; 0 for a judge that never varied from repeat to repeat."""
    n: int
    n_dropped: int
    """Samples without a score in one of the two."""
    samples: tuple[int, ...]
    """Places of the samples whose own mean is higher now, those that rose most first."""
    why_undefined: str | None = None
    """A sentence for a person, exactly when there is no difference."""

    @property
    def rose(self) -> bool:
        """Whether the score is higher now, beyond noise."""
        return self.value is not None and self.band is not None and self.value > self.band + NOTHING


def rise(baseline: ArrayLike, now: ArrayLike, *, level: float = 0.99) -> Rise:
    """Compares two runs of one judge on the same samples.

    The samples are fixed, so the only noise is the judge's own: the variance s2 of the mean over samples from repeat to
    repeat, pooled over both runs with df = k1 + k2 - 2. The band is t_df(level) sqrt(s2 (1/k1 + 1/k2)), one-sided: a
    judge that did not change rises above it in a share 1 - level of all runs. A judge that never varied has no noise,
    and any rise counts. With one repeat in each run nothing is known of the noise, and it is taken as 0.

    Args:
        baseline: Scores in [0, 1], shape (samples, repeats); nan where there is none.
        now: The same samples in the same order, any number of repeats.
        level: In (0, 1).

    Returns:
        Undefined when no sample has a score in both.

    Raises:
        ValueError: The numbers of samples differ, a score is outside [0, 1], or the level is out of range.

    >>> found = rise([[0, 0], [0, 0]], [[0, 0], [1, 1]])
    >>> found.value, found.band, found.samples, found.rose
    (0.5, 0.0, (1,), True)
    """
    check_level(level)
    before, after = (np.asarray(scores, dtype=np.float64) for scores in (baseline, now))
    old, new = means_of(before), means_of(after)
    if old.shape != new.shape:
        raise ValueError(f"{len(old)} samples in the baseline, {len(new)} now; compare the same samples")
    both = ~(np.isnan(old) | np.isnan(new))
    n, dropped = int(both.sum()), int((~both).sum())
    if not n:
        why = f"undefined: none of the {dropped} samples has a score in both runs"
        return Rise(value=None, band=None, n=0, n_dropped=dropped, samples=(), why_undefined=why)
    runs = [_per_repeat(scores[both], means[both]) for scores, means in ((before, old), (after, new))]
    gain = np.where(both, new - old, 0.0)
    places = [int(place) for place in np.argsort(-gain, kind="stable") if gain[place] > NOTHING]
    return Rise(value=float(gain[both].mean()), band=_band(runs, level), n=n, n_dropped=dropped, samples=tuple(places))


def _per_repeat(scores: Floats, means: Floats) -> Floats:
    """The mean over samples of each repeat; a missing score is taken to be like its sample's others."""
    found: Floats = np.where(np.isnan(scores), means[:, None], scores).mean(axis=0)
    return found


def _band(runs: list[Floats], level: float) -> float:
    df = sum(len(run) - 1 for run in runs)
    if df < 1:
        return 0.0
    pooled = sum(float(((run - run.mean()) ** 2).sum()) for run in runs) / df
    return float(t.ppf(level, df)) * sqrt(pooled * sum(1 / len(run) for run in runs))
