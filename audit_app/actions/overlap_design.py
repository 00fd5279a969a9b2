"""How the items that two people labelled stand for the population."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.precision import Variance
from sampling.design import Design

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverlapDesign:
    """The items with labels of two people, taken for a random part of their stratum, as the overlap is one.

    Whoever asks names the item of each of its units; passages of one context are units of the same item, and units of
    other items (outside a slice) score nothing.
    """

    row: dict[str, int]
    """Where an item is in the design."""
    design: Design

    @property
    def census(self) -> bool:
        """Whether two people labelled all that there is, so that nothing was sampled."""
        return bool((self.design.weight == 1).all())

    def weight(self, items: Sequence[str]) -> Floats:
        """Items of the population that each unit's item stands for, shape (units,)."""
        return self.design.weight[self._rows(items)]

    def variance(self, items: Sequence[str]) -> Variance:
        """Design variance of the weighted total of scores, one a unit."""
        rows = self._rows(items)
        return lambda scores: self.design.variance(np.bincount(rows, scores, len(self.row)))

    def degrees_of_freedom(self, items: Sequence[str]) -> int:
        """Of that variance."""
        active = np.zeros(len(self.row), dtype=bool)
        active[self._rows(items)] = True
        return self.design.degrees_of_freedom(active)

    def _rows(self, items: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self.row[item] for item in items], dtype=np.int64)
