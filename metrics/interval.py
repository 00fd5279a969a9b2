"""Confidence intervals for a share that was estimated from a sample."""

from scipy.stats import t

from agreement.interval import clopper_pearson, logit_student

__all__ = ["Interval", "clopper_pearson", "fewer", "interval", "logit_t"]

Interval = tuple[float, float]

_NOTHING = 1e-12
"""Below this a share or a standard error is rounding noise around 0."""


def logit_t(value: float, se: float, df: float, level: float) -> Interval:
    """Interval that is symmetric on the logit scale: logit(value) ± t · se / (value (1 - value)).

    Assumes that the estimate is about normal on that scale, which rare events in few large strata are not.

    Args:
        value: Share, strictly between 0 and 1.
        se: Its standard error, at least 0.
        df: Degrees of freedom of the standard error, above 0.
        level: Confidence level in (0, 1).

    Returns:
        Low and high, inside [0, 1].

    Raises:
        ValueError: The value is 0 or 1 or outside.

    Source: Korn & Graubard (1998), Survey Methodology 24(2), 193-201.

    >>> [round(end, 4) for end in logit_t(0.5, 0.1, 20, 0.95)]
    [0.3027, 0.6973]
    """
    if not 0 < value < 1:
        raise ValueError(f"value is {value}; the logit needs a share strictly between 0 and 1")
    return logit_student(value, se, df, level)


def interval(value: float, se: float, df: float, level: float, n_effective: float, census: bool) -> Interval:
    """The default interval: `logit_t`, and `clopper_pearson` where the standard error is blind.

    It is blind when the value is 0 or 1, or when no variation was seen although not everything was drawn; the
    exact interval has no finite-population correction, so it is on the wide side.

    Args:
        value: Share in [0, 1].
        se: Its standard error, at least 0.
        df: Degrees of freedom of the standard error, above 0.
        level: Confidence level in (0, 1).
        n_effective: Trials for the exact interval, above 0.
        census: Everything was labelled, so there is no sampling error.

    Returns:
        Low and high inside [0, 1] that contain the value; both are the value for a census, and they differ otherwise.

    Raises:
        ValueError: The value is outside [0, 1], or the level is outside (0, 1).

    >>> interval(0.4, 0.0, 10, 0.95, 25, census=True)
    (0.4, 0.4)
    >>> [round(end, 4) for end in interval(0.0, 0.0, 10, 0.95, 20, census=False)]
    [0.0, 0.1684]
    """
    if not 0 <= value <= 1:
        raise ValueError(f"value is {value}; expected a share in [0, 1]")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; expected a share in (0, 1), such as 0.95")
    if census:
        return value, value
    blind = value <= _NOTHING or value >= 1 - _NOTHING or se <= _NOTHING
    low, high = clopper_pearson(round(value, 12), n_effective, level) if blind else logit_t(value, se, df, level)
    return min(low, value), max(high, value)


def fewer(trials: float, df: float, level: float) -> float:
    """Trials of an exact interval when what they vary by is known with `df` degrees of freedom only.

    Source: Korn & Graubard (1998), Survey Methodology 24(2), 193-201.

    >>> round(fewer(100, 5, 0.95), 1)
    59.6
    """
    tail = (1 + level) / 2
    return trials * min(1.0, float(t.ppf(tail, max(trials, 1)) / t.ppf(tail, max(df, 1))) ** 2)
