"""The sampling design of the rows at hand: their weights, and the variance of a weighted total."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sampling.arguments import check_strata, refuse_lonely

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Lonely = Literal["refuse", "certainty", "adjust", "average"]

OWN_MEAN, OVERALL_MEAN, AVERAGED = 0, 1, 2
"""What the scores of a row are compared with, see `Design.centre`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Design:
    """How each sampled row was chosen; all arrays have shape (n,), one entry per row.

    Units of one stratum were drawn without replacement. Strata that share units (several models answered the
    same task, condition and run) are drawn by the same permanent numbers, so their rows are correlated; rows
    that share no unit and no cluster are independent.
    """

    weight: Floats
    """Rows of the population that this row stands for; sums to `stratum_size` within each stratum."""
    stratum: Codes
    unit: Codes
    """The thing that was drawn inside the stratum; several rows may be of one unit."""
    cluster: Codes
    """The first-stage unit (a context) when the draw was linked, else the unit itself."""
    first_fraction: Floats
    """Share in (0, 1] of the first-stage stratum that was drawn; 1 when there was no first stage."""
    second_fraction: Floats
    """Share in (0, 1] of rows, among those in drawn clusters, that the rows at hand make up."""
    centre: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """What a row's score is compared with: `OWN_MEAN`, the weighted mean of its stratum (the default); `OVERALL_MEAN`,
    the weighted mean of all rows; `AVERAGED`, nothing: its stratum counts as one that varies as much as the others do
    on average."""

    def __post_init__(self) -> None:
        """Fills in the default centre, and refuses weights that are not above 0."""
        odd = ~(np.isfinite(self.weight) & (self.weight > 0))
        if odd.any():
            raise ValueError(f"a weight must be above 0; found {self.weight[odd][0]:g} in {odd.sum()} rows")
        if len(self.centre) != len(self.weight):
            object.__setattr__(self, "centre", np.full(len(self.weight), OWN_MEAN, dtype=np.int64))

    @classmethod
    def of_draws(
        cls,
        *,
        stratum: Sequence[str],
        stratum_size: ArrayLike,
        inclusion_probability: ArrayLike,
        unit: Sequence[str],
        cluster: Sequence[str] | None = None,
        first_fraction: ArrayLike | None = None,
        lonely: Lonely = "refuse",
    ) -> Self:
        """The design of the rows that carry usable labels.

        The weight of a row is its inverse inclusion probability, scaled so that the usable rows of a stratum
        stand for the whole stratum: a response without a usable label is taken to be like its neighbours in
        the stratum (weighting-class adjustment; Lohr, Sampling: Design and Analysis, 3rd ed., section 8.5).
        Strata that were drawn with different fractions may be given under one name once they are merged.

        Args:
            stratum: Stratum of each row, shape (n,).
            stratum_size: Rows of the population in that stratum (N_h), shape (n,).
            inclusion_probability: Chance in (0, 1] that the draw picks the row, shape (n,).
            unit: Unit of each row, shape (n,).
            cluster: First-stage unit of each row; None when there was no first stage.
            first_fraction: First-stage sampling fraction of each row; None for 1.
            lonely: What to do with a stratum of a single unit that is not all of it: refuse it; "certainty" to have
                it add nothing to a variance, which is too little; "adjust" to compare it with the mean of all
                rows, which is too much rather than too little; "average" to have it add as much as the other
                strata do on average, which is right if it is lonely by chance.

        Raises:
            ValueError: Arguments differ in length, a probability is outside (0, 1], or a stratum has two sizes
                or fewer rows than are given; or a stratum has a single unit that is not all of it, or in a
                linked draw a single cluster (its variance cannot be estimated: merge it first, see
                `sampling.strata.merge_small`, or say what is to be done).

        Source: for `lonely` Lumley (2010), Complex Surveys, section 3.2.1, doi:10.1002/9780470580066; R's survey calls
        the four "fail", "certainty", "adjust" and "average".

        >>> design = Design.of_draws(stratum=["a", "a"], stratum_size=[6, 6],
        ...                          inclusion_probability=[1/3, 1/3], unit=["u", "v"])
        >>> design.weight.tolist()
        [3.0, 3.0]
        """
        strata, h = np.unique(np.asarray(stratum, dtype=object), return_inverse=True)
        units = np.unique(np.asarray(unit, dtype=object), return_inverse=True)[1]
        clusters = units if cluster is None else np.unique(np.asarray(cluster, dtype=object), return_inverse=True)[1]
        size = np.asarray(stratum_size, dtype=np.float64)
        probability = np.asarray(inclusion_probability, dtype=np.float64)
        first = np.ones(len(h)) if first_fraction is None else np.asarray(first_fraction, dtype=np.float64)
        check_strata(
            strata, h, size, {"inclusion_probability": probability, "first_fraction": first}, (units, clusters)
        )
        stands_for = np.bincount(h, 1 / probability)[h] / size if len(h) else size
        design = cls(
            weight=1 / probability / stands_for,
            stratum=h.astype(np.int64),
            unit=units.astype(np.int64),
            cluster=clusters.astype(np.int64),
            first_fraction=first,
            second_fraction=np.minimum(1, probability / first) * np.minimum(1, stands_for),
        )
        alone = design._lonely()
        if lonely == "refuse":
            refuse_lonely(strata[alone])
        elif lonely in ("adjust", "average"):
            design.centre[np.isin(design.stratum, alone)] = OVERALL_MEAN if lonely == "adjust" else AVERAGED
        return design

    def _per_stratum(self, member: Codes) -> Codes:
        """How many different members (units or clusters) each stratum has."""
        if not len(member):
            return np.zeros(0, dtype=np.int64)
        members = int(member.max()) + 1
        return np.bincount(np.unique(self.stratum * members + member) // members)

    def _lonely(self) -> Codes:
        """Strata with one unit that is not the whole stratum, or one cluster that is not the whole first stage."""
        alone = np.zeros(len(self._per_stratum(self.unit)), dtype=bool)
        for member, share in ((self.unit, self.second_fraction), (self.cluster, self.first_fraction)):
            sampled = np.zeros(len(alone), dtype=bool)
            np.logical_or.at(sampled, self.stratum, share < 1 - 1e-9)
            alone |= (self._per_stratum(member) == 1) & sampled
        return np.flatnonzero(alone)

    def total(self, values: ArrayLike) -> float:
        """Weighted total of `values`, shape (n,)."""
        return float(self.weight @ np.asarray(values, dtype=np.float64))

    def variance(self, scores: ArrayLike) -> float:
        """Estimated variance, over repeated draws, of the weighted total of `scores`, shape (n,).

        Scores are centred in their stratum (see `centre`), weighted, and added up within units. With distinct
        units this is sum_h N_h^2 (1 - n_h/N_h) s2_h / n_h. Rows of one unit in strata g and h add their product times
        1 - max(n_g/N_g, n_h/N_h): permanent numbers draw the unit into both with the smaller of the two
        fractions, whichever other units the strata have. (Between strata of few and of many units the n / (n - 1)
        of this product is a geometric mean, a few per cent low.) A first stage adds its part as in two-stage sampling,
        (1 - f1) V(clusters) + f1 V(second stage). Never negative; 0 when everything was drawn.

        Assumes that responses without a usable label are like the others of their stratum.

        Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, results 3.7.2 and 4.3.1,
        doi:10.1007/978-1-4612-4378-6; for shared units Ohlsson (1995), Business Survey Methods, 153-169.

        >>> Design.of_draws(stratum=["a"] * 4, stratum_size=[8] * 4, inclusion_probability=[0.5] * 4,
        ...                 unit=["1", "2", "3", "4"]).variance([0, 1, 1, 0])
        2.6666666666666665
        """
        e = np.asarray(scores, dtype=np.float64)
        if not len(e):
            return 0.0
        deviation = self._deviation(e)
        found = sum(stage.sum_of_products(deviation) for stage in self._stages)
        return found * self._for_the_averaged()

    @cached_property
    def _stages(self) -> tuple["_Stage", ...]:
        """The stages that were not drawn whole; kept, as a table of numbers asks for the variance of many scores."""
        overall = self.centre == OVERALL_MEAN
        return tuple(
            _Stage.of(member, spread, np.maximum(overall, _small_sample(self._per_stratum(member))[self.stratum]))
            for member, spread in (
                (self.cluster, 1 - self.first_fraction),
                (self.unit, self.first_fraction * (1 - self.second_fraction)),
            )
            if spread.any()
        )

    def _for_the_averaged(self) -> float:
        """All strata over those that have a variance of their own; one that was drawn whole has, of 0."""
        averaged = self.centre == AVERAGED
        if not averaged.any():
            return 1.0
        strata, alone = len(np.unique(self.stratum)), len(np.unique(self.stratum[averaged]))
        return strata / max(strata - alone, 1)

    def _deviation(self, e: Floats) -> Floats:
        """Weighted scores less what they are compared with."""
        h, x = self.stratum, self.weight * e
        own = np.bincount(h, x) / np.bincount(h, self.weight)
        compared = (own[h] * self.weight, x.sum() / self.weight.sum() * self.weight, x)
        return np.asarray(x - np.choose(self.centre, compared), dtype=np.float64)

    def degrees_of_freedom(self, active: NDArray[np.bool_]) -> int:
        """Clusters that carry active rows, less the groups of strata that are drawn on shared clusters.

        With distinct units this is n - H, for the rows where `active`, shape (n,), is true; at least 1.
        """
        h, c = self.stratum[active], self.cluster[active]
        if not len(h):
            return 1
        if len(np.unique(c)) == len(c):
            return max(1, len(c) - len(np.unique(h)))
        strata, clusters = int(self.stratum.max()) + 1, int(self.cluster.max()) + 1
        edges = coo_array((np.ones(len(h)), (h, strata + c)), shape=(strata + clusters,) * 2)
        component = connected_components(edges, directed=False)[1]
        return max(1, len(np.unique(c)) - len(np.unique(component[h])))


def _small_sample(count: Codes) -> Floats:
    """Root of n / (n - 1) for a stratum's n units, 0 for a single one: the mean was estimated from the same units."""
    return np.sqrt(np.divide(count, count - 1, out=np.zeros(len(count)), where=count > 1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Stage:
    """One stage of a draw, its rows in groups and by falling spread; what does not depend on the scores."""

    order: Codes
    grown: Floats
    """What each row's deviation is multiplied by, in that order."""
    last: NDArray[np.bool_]
    """The last row of each group."""
    group: Codes
    step: Floats
    """How far the spread falls behind each row."""

    @classmethod
    def of(cls, member: Codes, spread: Floats, grown: Floats) -> Self:
        order = np.lexsort((-spread, member))
        g, a = member[order], spread[order]
        last = np.append(g[1:] != g[:-1], True)
        step = a - np.where(last, 0, np.append(a[1:], 0))
        return cls(order=order, grown=grown[order], last=last, group=np.cumsum(last) - last, step=step)

    def sum_of_products(self, values: Floats) -> float:
        """Sum over pairs of rows of one group of x_i x_j min(a_i, a_j), a row with itself included.

        With a group's rows by falling a, min(a_i, a_j) is a sum of steps and the pairs are squares of running sums:
        sum_k (a_k - a_(k+1)) (x_1 + ... + x_k)^2. So it is never negative, and takes no loop over pairs.
        """
        running = np.cumsum(values[self.order] * self.grown)
        before = np.concatenate([[0.0], running[self.last][:-1]])[self.group]
        return float(self.step @ (running - before) ** 2)
