"""What a planner expects of a stratum, and how much of a metric then varies that the judge does not predict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
class Spread:
    """What varies in a slice, by stratum: the S_h of an allocation."""

    value: float
    """The expected metric of the slice."""
    corrected: Mapping[str, float]
    """Standard deviation of num - R den less what the judge predicts of it."""
    human_only: Mapping[str, float]
    """Standard deviation of num - R den itself."""


def spreads(strata: Mapping[str, Expected], members: Mapping[str, Sequence[str]]) -> dict[str, Spread]:
    """The spread of every slice; the prediction from the judge is pooled over all strata, as GREG estimates do.

    Args:
        strata: What is expected of every stratum.
        members: Strata of every slice.

    Raises:
        ValueError: A share is outside [0, 1], a size is negative, or a slice has an empty denominator.

    >>> one = Expected(stratum_size=100, rate=0.5, sensitivity=0.9, specificity=0.9)
    >>> spread = spreads({"a": one}, {"all": ["a"]})["all"]
    >>> round(spread.corrected["a"], 3), spread.human_only["a"]  # roots of .9 x .1 and .5 x .5
    (0.3, 0.5)
    """
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
            corrected={name: _deviation(joint[name], score - predicted) for name in names},
            human_only={name: _deviation(joint[name], score) for name in names},
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


def _deviation(joint: Floats, residual: Floats) -> float:
    size = joint.sum()
    if not size:
        return 0.0
    mean = (joint * residual).sum() / size
    return float(np.sqrt((joint * (residual - mean) ** 2).sum() / size))


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
