"""One reported number: what it is about, how it was obtained, and how sure it is."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

Method = Literal["naive", "human-only", "corrected"]
Target = Literal["A", "B"]
Tier = Literal["direct", "borrowed", "refused"]
About = Literal["these responses", "such tasks"]
Annotators = Literal["these annotators", "annotators like these"]
Contexts = Literal["all", "valid", "reclassified"]
"""Which contexts count: all as they are, those that are what they claim to be, or each as what it really is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A metric on a slice, by one method; the fields are the fields of its JSON form, in that order.

    >>> Estimate(metric="SES", slice={}, method="naive", target=None, value=0.25, low=None, high=None, level=None,
    ...          n=8, n_effective=None, n_dropped=0, tier=None, why_undefined=None).as_dict()["population"]
    'these responses'
    """

    metric: str
    slice: Mapping[str, str]
    """Frame columns and the value each must have; empty for everything."""
    method: Method
    target: Target | None
    """Which human: A one trained annotator, B the adjudicated label; None for the naive number."""
    population: About = "these responses"
    annotators: Annotators = "these annotators"
    """Whether the interval holds for these annotators only, or for others like them."""
    contexts: Contexts = "all"
    value: float | None
    """Share in [0, 1]; None when undefined or refused, then `why_undefined` says why."""
    low: float | None
    high: float | None
    level: float | None
    """Confidence level in (0, 1) of the interval; None for the naive number, which has no interval."""
    n: int
    """Rows of the slice that were used: labelled rows, or judged rows for the naive number."""
    n_effective: float | None
    """n / deff, the rows a simple random sample with replacement would need for the same precision."""
    n_dropped: int
    """Rows of the slice left out because a label that the metric needs is unusable."""
    tier: Tier | None
    why_undefined: str | None
    """A sentence for a person, exactly when `value` is None."""

    def __post_init__(self) -> None:
        if (self.value is None) != (self.why_undefined is not None):
            raise ValueError("give a value, or the reason why there is none: exactly one of the two")

    def as_dict(self) -> dict[str, object]:
        """The fields as plain values, ready for JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"slice": dict(self.slice)}
