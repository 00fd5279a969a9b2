"""Uncertainty budgets: where the width of each interval comes from, and which purchase would shrink it most."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from audit_app.actions.wording import ALL, slice_name
from audit_app.language import _
from audit_app.reasons import told
from metrics.budget import Budget, Part


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricBudget:
    """The uncertainty budget of one corrected metric on one slice."""

    metric: str
    slice: Mapping[str, str]
    n: int
    """Labelled rows of the slice."""
    half_width: float | None
    """Half the width of the interval, in shares; for annotators like these wherever the data can tell."""
    parts: tuple[Part, ...]
    sentence: str
    """What to buy next, or why there is no budget."""

    @classmethod
    def of(cls, metric: str, place: Mapping[str, str], found: Budget) -> Self:
        """The budget of a metric on a slice."""
        return cls(
            metric=metric,
            slice=dict(place),
            n=found.n,
            half_width=found.half_width,
            parts=found.parts,
            sentence=found.sentence,
        )

    @property
    def knows_annotators(self) -> bool:
        """Whether the labels tell how annotators differ."""
        return any(part.source == "annotators" and part.share is not None for part in self.parts)

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values, ready for JSON."""
        return {**asdict(self), "slice": dict(self.slice)}


def budget_rows(found: Iterable[MetricBudget]) -> list[dict[str, str]]:
    """One row per metric and slice: half the width now, and each source's share with the width if it were doubled."""
    return [
        {
            "metric": one.metric,
            "slice": slice_name(one.slice, ALL),
            "now": f"±{100 * one.half_width:.1f}",
            **{part.source: _part(part) for part in one.parts},
        }
        for one in found
        if one.half_width is not None
    ]


def budget_lines(found: Iterable[MetricBudget]) -> list[str]:
    """What to buy next for each metric and slice, and which sources the data cannot tell, those alike together."""
    budgets = list(found)
    unknown: dict[str, dict[str, None]] = defaultdict(dict)
    for part in (part for one in budgets for part in one.parts if part.why_unknown):
        unknown[part.why_unknown or ""][part.source] = None
    lines = [f"{_name(one)}: {told(one.sentence)}." for one in budgets]
    both = _(" and ")
    return lines + [f"{both.join(map(_, sources)).capitalize()}: {told(why)}." for why, sources in unknown.items()]


def _name(one: MetricBudget) -> str:
    return f"{one.metric} ({slice_name(one.slice)})" if one.slice else one.metric


def _part(part: Part) -> str:
    if part.share is None or (part.doubled is None and not part.share):
        return ""
    share = f"{100 * part.share:.0f} %"
    return (
        share
        if part.doubled is None
        else _("{share}, ±{doubled:.1f} if doubled").format(share=share, doubled=100 * part.doubled)
    )
