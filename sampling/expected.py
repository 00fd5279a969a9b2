"""What a planner expects of a stratum, and how much of a metric then varies that the judge does not predict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from sampling.arguments import refuse_unknown

Floats = NDArray[np.float64]

_NUM: Floats = np.array([1.0, 0.0, 0.0])
_DEN: Floats = np.array([1.0, 1.0, 0.0])
"""Terms of the three kinds of responses: counted in both, in the denominator only, in neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What is expected of one stratum; shares in [0, 1]."""

    stratum_size: int
    rate: float
    """Share of the responses in the denominator that people would count in the numerator."""
    sensitivity: float
    """Share of what people count that the judge counts too, in the numerator as in the denominator."""
    specificity: float
    """Share of what people do not count that the judge does not count either."""
    in_denominator: float = 1.0
    """Share of the responses that people would count in the denominator; 1 for a metric over all responses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """What holds for all strata."""

    level: float = 0.95
    deff: float = 1.0
    """Design effect of what the strata do not show, such as responses of one context or task drawn together."""
    annotators: int | None = None
    """People who label; counts only with a `rho` above 0."""
    rho: float = 0.0
    """Correlation of labels by the same annotator in [0, 1]; 0 for "these annotators", above for "such annotators"."""

    def __post_init__(self) -> None:
        if not 0 < self.level < 1 or not self.deff > 0 or not 0 <= self.rho <= 1:
            raise ValueError(
                f"level is {self.level}, deff {self.deff} and rho {self.rho}; expected a level in (0, 1), a design "
                "effect above 0 and a correlation from 0 to 1"
            )
        if self.rho and not (self.annotators or 0) >= 1:
            raise ValueError(f"rho is {self.rho}, so the number of annotators matters; give it, 1 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """What varies in a slice, by stratum: the S_h of an allocation."""

    value: float
    """The expected metric of the slice."""
    corrected: Mapping[str, float]
    """Standard deviation of num - R den less what the judge predicts of it."""
    human_only: Mapping[str, float]
    """Standard deviation of num - R den itself."""
    fourth: Mapping[str, float]
    """Fourth central moment of what `corrected` is the standard deviation of: large where rare errors carry it."""


def spreads(strata: Mapping[str, Expected], members: Mapping[str, Sequence[str]]) -> dict[str, Spread]:
    """The spread of every slice; the prediction from the judge is pooled over all strata, as GREG estimates do.

    Args:
        strata: What is expected of every stratum.
        members: Strata of every slice.

    Raises:
        ValueError: A share is outside [0, 1], a size is negative, or a slice has an empty denominator or unknown
            strata.

    >>> one = Expected(stratum_size=100, rate=0.5, sensitivity=0.9, specificity=0.9)
    >>> spread = spreads({"a": one}, {"all": ["a"]})["all"]
    >>> round(spread.corrected["a"], 3), spread.human_only["a"]  # roots of .9 x .1 and .5 x .5
    (0.3, 0.5)
    """
    refuse_unknown(strata, {f"slice {part!r}": names for part, names in members.items()})
    for name, expected in strata.items():
        _check(name, expected)
    joint = {name: expected.stratum_size * _joint(expected) for name, expected in strata.items()}
    everything = _sum([joint[name] for name in strata])
    judged = everything.sum(axis=0)
    num_hat, den_hat = (np.divide(y @ everything, judged, out=np.zeros(4), where=judged > 0) for y in (_NUM, _DEN))
    found = {}
    for part, names in members.items():
        whole = _sum([joint[name] for name in names]).sum(axis=1)
        if not whole @ _DEN > 0:
            raise ValueError(f"slice {part!r} has an empty denominator: no response is expected to count in it")
        ratio = float(whole @ _NUM / (whole @ _DEN))
        score = np.repeat((_NUM - ratio * _DEN)[:, None], 4, axis=1)
        predicted = num_hat - ratio * den_hat
        found[part] = Spread(
            value=ratio,
            corrected={name: sqrt(_moment(joint[name], score - predicted, 2)) for name in names},
            human_only={name: sqrt(_moment(joint[name], score, 2)) for name in names},
            fourth={name: _moment(joint[name], score - predicted, 4) for name in names},
        )
    return found


def _sum(tables: Sequence[Floats]) -> Floats:
    return np.asarray(np.sum([np.zeros((3, 4)), *tables], axis=0), dtype=np.float64)


def _joint(expected: Expected) -> Floats:
    """Probability of each kind of response by people (row) and of what the judge says (column: neither, num, den)."""
    rate, inside = expected.rate, expected.in_denominator
    people = np.array([inside * rate, inside * (1 - rate), 1 - inside])
    say_num, say_den = (np.where(truth == 1, expected.sensitivity, 1 - expected.specificity) for truth in (_NUM, _DEN))
    said = [(1 - say_num) * (1 - say_den), say_num * (1 - say_den), (1 - say_num) * say_den, say_num * say_den]
    return np.asarray(people[:, None] * np.stack(said, axis=1), dtype=np.float64)


def _moment(joint: Floats, residual: Floats, power: int) -> float:
    size = joint.sum()
    if not size:
        return 0.0
    mean = (joint * residual).sum() / size
    return float((joint * (residual - mean) ** power).sum() / size)


def _check(name: str, expected: Expected) -> None:
    shares = {
        "rate": expected.rate,
        "sensitivity": expected.sensitivity,
        "specificity": expected.specificity,
        "in_denominator": expected.in_denominator,
    }
    for what, share in shares.items():
        if not 0 <= share <= 1:
            raise ValueError(f"stratum {name!r}: {what} is {share}; expected a share from 0 to 1")
    if expected.stratum_size < 0:
        raise ValueError(f"stratum {name!r} has size {expected.stratum_size}; a size is 0 or more")
