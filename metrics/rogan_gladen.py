"""Correcting a judge by an error rate that was measured elsewhere (Rogan & Gladen)."""

from dataclasses import dataclass, replace
from math import sqrt

from scipy.special import expit, logit
from scipy.stats import norm

SENTENCE = (
    "By an outside calibration set: right only if the judge errs here as often as there, given what people say; "
    "it does not extend to ratios or products of labels."
)
"""What must stand beside such a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What a judge said about responses whose human label is known, in another study or drawn by that label."""

    sensitivity: float
    """Share of the human yes that the judge called yes."""
    specificity: float
    """Share of the human no that the judge called no."""
    n_yes: int
    n_no: int

    def __post_init__(self) -> None:
        for name, share, n in (
            ("sensitivity", self.sensitivity, self.n_yes),
            ("specificity", self.specificity, self.n_no),
        ):
            if not 0 <= share <= 1:
                raise ValueError(f"{name} is {share}; expected a share in [0, 1]")
            if n < 1:
                raise ValueError(f"{name} rests on {n} labels; give a calibration set with both human yes and human no")


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A share of yes by people, from the judge's share of yes."""

    value: float | None
    """Moved into [0, 1]; None when the judge is no better than chance on the calibration set."""
    low: float | None = None
    high: float | None = None
    unclipped: float | None = None
    """The value before it was moved; equal to it when it was inside."""
    n: int
    """Judged responses."""
    why_undefined: str | None = None


def rogan_gladen(judged_yes: float, n: int, calibration: Calibration) -> Corrected:
    """(p + specificity - 1) / (sensitivity + specificity - 1), p the judge's share of yes; for its interval `shifted`.

    Not for a calibration set that is a random sample of the judged responses: `correction.corrected` uses that
    better, and for ratios too. A set that was drawn by human label must not go there, as PPI and its kind would be
    biased by it; this correction stays right.

    Args:
        judged_yes: Share of the judged responses that the judge calls yes, in [0, 1].
        n: Judged responses, above 0.
        calibration: The judge's error, measured elsewhere.

    Returns:
        The value is None, with `why_undefined`, if sensitivity + specificity is not above 1.

    Source: Rogan & Gladen (1978), American Journal of Epidemiology 107(1), 71-76,
    doi:10.1093/oxfordjournals.aje.a112510.

    >>> known = Calibration(sensitivity=0.9, specificity=0.7, n_yes=200, n_no=200)
    >>> round(rogan_gladen(0.4, 1000, known).value, 4)
    0.1667
    """
    _check(judged_yes, n)
    better = calibration.sensitivity + calibration.specificity - 1
    if better <= 1e-12:
        return Corrected(value=None, n=n, why_undefined=_no_better(calibration))
    value = (judged_yes + calibration.specificity - 1) / better
    return Corrected(value=min(max(value, 0.0), 1.0), unclipped=value, n=n)


def shifted(judged_yes: float, n: int, calibration: Calibration, *, level: float = 0.95) -> Corrected:
    """The value of `rogan_gladen` with a delta-method interval around a value of smoothed counts that is shifted.

    With counts drawn towards 1/2 as in `smoothed`, marked ', and z the normal quantile,

        value' + 2 z^2 (value' sens' (1 - sens') / n_yes' - (1 - value') spec' (1 - spec') / n_no')  ±  z se'

    on the plain scale; the shift makes up for how skewed the quotient is. The ends are moved into [0, 1], and further
    out where they would miss the value; all of [0, 1] where the smoothed rates tell nothing.

    Args, undefined case and errors as for `rogan_gladen`; level is in (0, 1).

    Source: Lee et al. (2025), arXiv:2511.21140, after Lang & Reiczigel (2014), Preventive Veterinary Medicine 113(1),
    13-22, doi:10.1016/j.prevetmed.2013.09.015.

    >>> known = Calibration(sensitivity=0.9, specificity=0.7, n_yes=200, n_no=200)
    >>> found = shifted(0.4, 1000, known)
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)
    (0.1667, 0.0564, 0.2627)
    """
    plain = rogan_gladen(judged_yes, n, calibration)
    known, p, size, z = _smooth(judged_yes, n, calibration, level)
    middle = rogan_gladen(p, n, known).unclipped
    if plain.value is None:
        return plain
    if middle is None:
        return replace(plain, low=0.0, high=1.0)
    yes, no = _binomial(known.sensitivity, known.n_yes), _binomial(known.specificity, known.n_no)
    centre = middle + 2 * z**2 * (middle * yes - (1 - middle) * no)
    reach = z * sqrt(variance(middle, p, size, known))
    low, high = (min(max(end, 0.0), 1.0) for end in (centre - reach, centre + reach))
    return replace(plain, low=min(low, plain.value), high=max(high, plain.value))


def smoothed(judged_yes: float, n: int, calibration: Calibration, *, level: float = 0.95) -> Corrected:
    """The same from counts that were drawn a little towards 1/2, with a delta-method interval on the logit scale.

    Adds z^2 / 2 yes and no to the judged, and one of each to both calibration groups: the interval stays sensible
    with small or one-sided counts. Where the smoothed value leaves (0, 1) the interval is all of [0, 1].

    Args and errors as for `rogan_gladen`; level is in (0, 1).

    Source: Chen et al. (2026), arXiv:2601.05420, whose reference code has the smoothed interval on the logit scale;
    Agresti & Coull (1998), The American Statistician 52(2), 119-126, doi:10.1080/00031305.1998.10480550.
    """
    plain = rogan_gladen(judged_yes, n, calibration)
    known, p, size, z = _smooth(judged_yes, n, calibration, level)
    found = rogan_gladen(p, n, known)
    # Drawing both rates towards 1/2 can move their sum across 1; the counts as they are decide first.
    if plain.value is None or found.value is None or found.unclipped is None:
        return plain if plain.value is None else found
    if not 0 < found.unclipped < 1:
        return Corrected(value=found.value, low=0.0, high=1.0, unclipped=found.unclipped, n=n)
    spread = z * sqrt(variance(found.unclipped, p, size, known)) / (found.value * (1 - found.value))
    low, high = (float(expit(logit(found.value) + side * spread)) for side in (-1, 1))
    return Corrected(value=found.value, low=low, high=high, unclipped=found.unclipped, n=n)


def variance(value: float, judged_yes: float, n: float, calibration: Calibration) -> float:
    """Delta-method variance of the corrected value, from the judged share and both error rates.

    Source: Rogan & Gladen (1978), as above; Lang & Reiczigel (2014), Preventive Veterinary Medicine 113(1), 13-22,
    doi:10.1016/j.prevetmed.2013.09.015.
    """
    yes = _binomial(calibration.sensitivity, calibration.n_yes)
    no = _binomial(calibration.specificity, calibration.n_no)
    better = calibration.sensitivity + calibration.specificity - 1
    return (_binomial(judged_yes, n) + (1 - value) ** 2 * no + value**2 * yes) / better**2


def _binomial(share: float, n: float) -> float:
    return share * (1 - share) / n


def _smooth(
    judged_yes: float, n: int, calibration: Calibration, level: float
) -> tuple[Calibration, float, float, float]:
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; expected a share in (0, 1), such as 0.95")
    z = float(norm.ppf((1 + level) / 2))
    known = Calibration(
        sensitivity=(calibration.sensitivity * calibration.n_yes + 1) / (calibration.n_yes + 2),
        specificity=(calibration.specificity * calibration.n_no + 1) / (calibration.n_no + 2),
        n_yes=calibration.n_yes + 2,
        n_no=calibration.n_no + 2,
    )
    return known, (judged_yes * n + z**2 / 2) / (n + z**2), n + z**2, z


def _no_better(calibration: Calibration) -> str:
    return (
        f"undefined: on the calibration set the judge is no better than chance (sensitivity "
        f"{calibration.sensitivity:.2f} + specificity {calibration.specificity:.2f} is not above 1)"
    )


def _check(judged_yes: float, n: int) -> None:
    if not 0 <= judged_yes <= 1:
        raise ValueError(f"the judge's share of yes is {judged_yes}; expected a share in [0, 1]")
    if n < 1:
        raise ValueError(f"n is {n}; there is no judged response to correct")
