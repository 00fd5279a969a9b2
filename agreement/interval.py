"""The ends of an interval, for shares and for coefficients."""

import math

import numpy as np
from scipy import special, stats

from agreement.refusal import no_level, refuse
from agreement.tally import Floats

Ends = tuple[float, float]

FLAT = 1e-7
"""A standard error below this is rounding, not information."""


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a share, such as 95.

    Raises:
        ValueError: `level` is outside (0, 1).
    """
    refuse(no_level(level, "confidence level"))


def clopper_pearson(share: float, n: float, level: float) -> Ends:
    """Exact interval of a share seen in n independent units; n may be an effective, fractional number.

    Source: Clopper & Pearson (1934), Biometrika 26(4), 404-413, doi:10.1093/biomet/26.4.404; effective n as in
    Korn & Graubard (1998), Surv. Methodol. 24(2), 193-201.

    Raises:
        ValueError: `n` is not above 0.

    >>> [round(end, 4) for end in clopper_pearson(0.0, 20, 0.95)]
    [0.0, 0.1684]
    """
    if n <= 0:
        raise ValueError(f"n is {n}; an exact interval needs more than 0 trials")
    seen, tail = share * n, (1 - level) / 2
    low = float(stats.beta.ppf(tail, seen, n - seen + 1)) if seen > 0 else 0.0
    high = float(stats.beta.ppf(1 - tail, seen + 1, n - seen)) if seen < n else 1.0
    return low, high


def wilson(share: float, n: float, level: float) -> Ends:
    """Score interval of a share seen in n independent units: shorter than Clopper and Pearson's, right on average.

    Source: Wilson (1927), J. Am. Stat. Assoc. 22(158), 209-212, doi:10.1080/01621459.1927.10502953.

    >>> [round(end, 4) for end in wilson(0.0, 20, 0.95)]
    [0.0, 0.1611]
    """
    z = float(stats.norm.ppf((1 + level) / 2))
    centre, reach = share + z**2 / (2 * n), z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low, high = (centre - reach) / (1 + z**2 / n), (centre + reach) / (1 + z**2 / n)
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def student(value: float, se: float, df: float, level: float) -> Ends:
    """The value plus and minus t standard errors, neither end cut."""
    # The quantile itself: the frozen distribution around it costs as much as counting 100,000 labels.
    reach = float(special.stdtrit(df, (1 + level) / 2)) * se
    return value - reach, value + reach


def logit_student(share: float, se: float, df: float, level: float) -> Ends:
    """Student's interval of logit(share), carried back: stays inside (0, 1). For shares inside (0, 1) only."""
    logit = math.log(share / (1 - share))
    low, high = student(logit, se / (share * (1 - share)), df, level)
    return float(special.expit(low)), float(special.expit(high))


def bounded_student(value: float, se: float, df: float, level: float, *, lowest: float) -> Ends:
    """Student's interval of the logit of where a value lies between `lowest` (at least -1) and 1, carried back.

    For shares (`lowest` 0) this is `logit_student`, for coefficients down to -1 Fisher's z. Under a design with few
    labels it covers where the plain interval does not: near 1 that is as short below the value as above. A value
    that is not inside gets the plain interval.

    >>> [round(end, 3) for end in bounded_student(0.9, 0.05, 60, 0.95, lowest=-1)]
    [0.738, 0.964]
    """
    bottom = max(lowest, -1.0)
    if not bottom < value < 1:
        return student(value, se, df, level)
    span = 1 - bottom
    low, high = logit_student((value - bottom) / span, se / span, df, level)
    return bottom + span * low, bottom + span * high


def percentiles(replicates: Floats, df: float, level: float) -> Ends:
    """Central bootstrap values, reaching out as far as Student's t would where units are few.

    Source: the expanded percentile interval of Hesterberg (2015), Am. Stat. 69(4), 371-386,
    doi:10.1080/00031305.2015.1089789; its factor n / (n - 1) is already in `Tally.resampled`.
    """
    tail = float(stats.norm.sf(stats.t.ppf((1 + level) / 2, df)))
    low, high = np.quantile(replicates, [tail, 1 - tail])
    return float(low), float(high)


def by_disagreement(observed: float, chance: float, n: float, level: float) -> Ends:
    """Interval of 1 - observed / chance when the labels at hand show no variation to take a variance from.

    All n units disagree to the same degree (usually not at all). By Clopper and Pearson at most a share d of
    the population's units is different, and those disagree by anything from 0 to 1, so that observed
    disagreement lies between observed (1 - d) and observed (1 - d) + d. Chance is kept as observed.

    >>> [round(end, 3) for end in by_disagreement(0.0, 0.5, 100, 0.95)]
    [0.928, 1.0]
    """
    different = clopper_pearson(0.0, n, level)[1]
    least = observed * (1 - different)
    return 1 - (least + different) / chance, 1 - least / chance


def containing(value: float, ends: Ends, *, lowest: float) -> Ends:
    """The interval cut to [lowest, 1] and widened, if need be, to contain the value."""
    low, high = ends
    return min(value, max(low, lowest)), max(value, min(high, 1.0))
