"""How an interval is to be computed: the arguments that all coefficients share."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self, TypedDict, Unpack, get_args

import numpy as np

from agreement.interval import FLAT
from agreement.ratings import Ratings
from agreement.refusal import no_level, refuse
from agreement.tally import Floats

Method = Literal["bootstrap", "linearised"]
Variance = Callable[[Floats], float]
"""Design variance of the weighted total of scores, one a unit in the order given; a unit that is not used scores 0."""


class PrecisionOptions(TypedDict, total=False):
    """The fields of `Precision` as keyword arguments, where they are explained."""

    confidence: float
    census: bool
    interval: Method | None
    variance: Variance | None
    degrees_of_freedom: float | None
    replicates: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """How an interval is to be computed.

    Raises:
        ValueError: The confidence level is no share in (0, 1), replicates are below 100, degrees of freedom below 1
            or without a variance, or a design variance is to be bootstrapped.
    """

    confidence: float = 0.95
    """Level in (0, 1)."""
    census: bool = False
    """Every unit of the population was rated: there is no sampling error, and the interval is the value."""
    interval: Method | None = None
    """`bootstrap` (of units, or of whole tasks where given), or `linearised` for the delta method; None for the design
    variance where one is given, the published variance where there is one and it applies, else the bootstrap."""
    variance: Variance | None = None
    """Design variance of a weighted total, see `Variance`; it must belong to the weights of the ratings."""
    degrees_of_freedom: float | None = None
    """Of the design variance, at least 1; None for the independent units less one."""
    replicates: int = 2000
    """Bootstrap samples."""
    seed: int = 0
    """Of the bootstrap."""

    def __post_init__(self) -> None:
        df = self.degrees_of_freedom
        refuse(
            no_level(self.confidence, "confidence level"),
            None
            if self.replicates >= 100
            else f"replicates is {self.replicates}; the ends of an interval need at least 100",
            None
            if self.interval in (None, *get_args(Method))
            else f"interval is {self.interval!r}; expected one of {', '.join(get_args(Method))}",
            None if df is None or df >= 1 else f"degrees_of_freedom is {df}; expected at least 1",
            "degrees_of_freedom belong to a `variance`; give both" if df is not None and not self.variance else None,
            "give `variance` or interval='bootstrap', not both"
            if self.variance and self.interval == "bootstrap"
            else None,
        )

    @classmethod
    def of(cls, ratings: Ratings, **how: Unpack[PrecisionOptions]) -> Self:
        """What was asked for, if these ratings can give it.

        Raises:
            ValueError: As above, or a design variance is given for ratings without weights.
        """
        if how.get("variance") and ratings.weight is None:
            raise ValueError("a design `variance` belongs to design weights; give `weight` to Ratings.of too")
        return cls(**how)


def design_error(variance: Variance, scores: Floats) -> float:
    """Standard error of the weighted total of scores.

    Raises:
        ValueError: `variance` returned something that is not a variance.
    """
    spread = float(variance(scores))
    if not (math.isfinite(spread) and spread >= -FLAT):
        raise ValueError(f"variance returned {spread}; expected a finite number >= 0")
    return float(np.sqrt(max(spread, 0.0)))
