"""The drawn contexts of a sample as arrays: what blind readers and screens said of them, and shares by the design."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.confusion import JudgeAgreement, confusion
from audit_app.actions.design import design_of
from audit_app.actions.leak_labels import BlindReading
from audit_app.actions.leaks import ABSENCE
from data import frame as frames
from data.leaks.screen import FLAGGED
from data.study import Study
from metrics.construction import Broken, broken_share
from sampling.design import Design

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakShare:
    """The contexts of a condition (and regime) of which something is true."""

    condition: str
    """Empty text where a context states none."""
    regime: str | None
    """None for all regimes together."""
    n_true: int
    estimate: Broken
    """Its share, by the design; with bounds for drawn contexts of which nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnContexts:
    """The drawn contexts as arrays, shape (draws,)."""

    sample: Mapping[str, Any]
    draws: Sequence[Mapping[str, Any]]
    condition: NDArray[np.object_]
    regime: NDArray[np.object_]
    gives: Floats
    """1, 0, or nan where people's labels do not say."""
    surprising: Floats
    """1, 0, or nan."""
    score: Floats
    """nan where there is nothing to look for."""
    sizes: Mapping[tuple[str, str], int]
    """Contexts of the study by condition and regime."""

    @classmethod
    def of(
        cls,
        study: Study,
        sample: Mapping[str, Any],
        draws: Sequence[Mapping[str, Any]],
        of_item: Mapping[tuple[str, str], Mapping[str, Any]],
        readings: Mapping[str, BlindReading],
        scores: Mapping[str, float | None],
    ) -> "DrawnContexts":
        """These draws, with the readings and scores that there are by context_id."""
        facts = [of_item["context", draw["item_id"]] for draw in draws]
        blind = {context: one for context, one in readings.items() if not one.spoiled}
        found = [blind.get(draw["item_id"], BlindReading()) for draw in draws]
        conditions = [fact["condition"] for fact in facts]
        rows = frames.context_rows(frames.open_frame(study))
        return cls(
            sample=sample,
            draws=draws,
            condition=np.array([name or "" for name in conditions], dtype=object),
            regime=np.array([fact["regime"] or "" for fact in facts], dtype=object),
            gives=_floats([one.gives(name) for one, name in zip(found, conditions, strict=True)]),
            surprising=_floats([one.is_surprising(name) for one, name in zip(found, conditions, strict=True)]),
            score=_floats([scores.get(draw["item_id"]) for draw in draws]),
            sizes=Counter(frames.pick(rows, ["condition", "regime"])),
        )

    @property
    def both(self) -> Flags:
        """Contexts that people and the screens both speak of."""
        return ~np.isnan(self.gives) & ~np.isnan(self.score)

    def design(self, kept: Flags) -> Design:
        """The design of the contexts where `kept`, shape (draws,), is true."""
        ones = np.ones(len(self.draws))
        columns = self.sample["context_strata"]
        return design_of(self.draws, kept, columns=columns, linked=False, first_fraction=ones)

    def shares(self, values: Floats, *, by_regime: bool) -> tuple[LeakShare, ...]:
        """The share of contexts with 1, by condition, and by condition and regime where there are several regimes."""
        regimes = sorted({regime for _, regime in self.sizes}) if by_regime else []
        names = sorted({condition for condition, _ in self.sizes})
        slices = [(name, regime) for regime in (None, *(regimes if len(regimes) > 1 else ())) for name in names]
        return tuple(self._share(values, name, regime) for name, regime in slices if self._has(values, name, regime))

    def _inside(self, condition: str, regime: str | None) -> Flags:
        inside = self.condition == condition
        return np.asarray(inside if regime is None else inside & (self.regime == regime), dtype=bool)

    def _has(self, values: Floats, condition: str, regime: str | None) -> bool:
        return bool((self._inside(condition, regime) & ~np.isnan(values)).any())

    def _share(self, values: Floats, condition: str, regime: str | None) -> LeakShare:
        inside = self._inside(condition, regime)
        size = sum(n for (name, of), n in self.sizes.items() if name == condition and regime in (None, of))
        return LeakShare(
            condition=condition,
            regime=regime,
            n_true=int(np.nansum(values[inside])),
            estimate=broken_share(values, inside, self.design, size),
        )

    def against(self) -> dict[str, JudgeAgreement]:
        """The screens' flags against people, of absences and of all contexts."""
        usable = self.both
        if not usable.any():
            return {}
        design = self.design(usable)
        human, flags = self.gives[usable].astype(int), (self.score[usable] >= FLAGGED).astype(int)
        parts = {ABSENCE: self.condition[usable] == ABSENCE, "all": np.ones(int(usable.sum()), dtype=bool)}
        return {
            name: confusion(
                human,
                flags,
                category_names=("no leak", "leak"),
                weights=design.weight,
                variance=design.variance,
                degrees_of_freedom=design.degrees_of_freedom(inside),
                rows=inside,
                census=len(human) == sum(self.sizes.values()),
            )
            for name, inside in parts.items()
            if inside.any()
        }


def _floats(values: Sequence[bool | float | None]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
