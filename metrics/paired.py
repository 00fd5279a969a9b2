"""Two models, prompts or judges on the same tasks: what is paired is compared as pairs, and tasks are whole."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.interval import percentiles
from metrics.difference import NOTHING, Difference, by_student, unseen_change

Floats = NDArray[np.float64]

CELLS = 4_000_000
"""Numbers held at once while resampling."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """Totals per task of numerator and denominator, shape (tasks, 2): column 0 is the first, 1 the second."""

    num: Floats
    den: Floats
    n: int
    """Pairs with all four terms."""
    n_dropped: int
    """Pairs left out because a term is missing."""
    span: float
    """Largest difference that is possible: 1 for shares, 2 for diagnostics."""

    @classmethod
    def of_terms(
        cls,
        first: tuple[ArrayLike, ArrayLike],
        second: tuple[ArrayLike, ArrayLike],
        task: ArrayLike,
        *,
        count: ArrayLike | None = None,
        span: float = 1.0,
    ) -> Self:
        """Pairs of which a ratio is compared; entry i of each is about the same question, condition and run.

        Args:
            first: Numerator and denominator under the first, as `Metric.terms` gives them, nan if missing; shape (n,)
                each. The denominators of a mean are all 1.
            second: The same under the second.
            task: Task of the pair, any values; pairs of one task are correlated.
            count: How many such pairs there are, shape (n,); None for one each.
            span: Largest possible difference of the two ratios.

        Raises:
            ValueError: Shapes differ, a term is infinite, or a count is negative.

        >>> Pairs.of_terms(([1, 0], [1, 1]), ([0, float("nan")], [1, 1]), ["a", "b"], count=[3, 1]).num.tolist()
        [[3.0, 0.0]]
        """
        terms = [np.asarray(values, dtype=np.float64) for values in (*first, *second)]
        names = np.asarray(task)
        times = np.ones(names.shape) if count is None else np.asarray(count, dtype=np.float64)
        shapes = {values.shape for values in (*terms, names, times)}
        if len(shapes) > 1 or names.ndim != 1:
            raise ValueError(f"scores, tasks and counts need one entry per pair; found shapes {sorted(shapes)}")
        columns = np.array(terms)
        usable = ~np.isnan(columns).any(axis=0)
        if np.isinf(columns).any():
            raise ValueError("a score is infinite; expected a number, or nan where it is missing")
        if not (times >= 0).all():
            raise ValueError("a count is negative or nan; expected how many such pairs there are")
        group = np.unique(names[usable], return_inverse=True)[1]
        num_1, den_1, num_2, den_2 = (np.bincount(group, (times * values)[usable]) for values in columns)
        return cls(
            num=np.column_stack([num_1, num_2]).astype(np.float64),
            den=np.column_stack([den_1, den_2]).astype(np.float64),
            n=int(times[usable].sum()),
            n_dropped=int(times[~usable].sum()),
            span=span,
        )

    @property
    def tasks(self) -> int:
        """Tasks with at least one complete pair."""
        return len(self.num)

    def without_interval(self, level: float) -> Difference | None:
        """What can be said when there is no difference, or a single task; None when all is well."""
        over = self.den.sum(axis=0)
        if not self.n:
            why = f"undefined: none of the {self.n_dropped} pairs has both scores"
            return Difference(value=None, level=level, n=0, n_dropped=self.n_dropped, clusters=0, why_undefined=why)
        if (over <= 0).any():
            which = "the first" if over[0] <= 0 else "the second"
            why = f"undefined: none of the {self.n} pairs counts in the denominator of {which}"
        elif self.tasks < 2:
            why = "undefined: all pairs are of one task, which says nothing about other tasks; compare at least 2 tasks"
        else:
            return None
        value = None if (over <= 0).any() else _difference(self.num, self.den)
        return Difference(
            value=value,
            level=level,
            n=self.n,
            n_dropped=self.n_dropped,
            clusters=self.tasks,
            why_undefined=why,
        )


def _difference(num: Floats, den: Floats) -> float:
    first, second = num.sum(axis=0) / den.sum(axis=0)
    return float(first - second)


def clustered(pairs: Pairs, *, level: float = 0.95) -> Difference:
    """The mean paired difference, with a standard error that takes each task as one observation.

    With d the difference of a pair, n pairs and G tasks,

        SE = sqrt( G/(G-1) sum_g (sum_{i in g} (d_i - dbar))^2 ) / n,   df = G - 1;

    for ratios d_i - dbar is replaced by n times the linearised e_first/T_first - e_second/T_second. Speaks of such
    tasks in general: no finite-population correction. Assumes that tasks are independent.

    Returns:
        The interval is Student's, cut to ±span. If all tasks differ alike the standard error is 0, and the interval
        is that of `difference.unseen_change`. There is no interval for one task, and no value without a pair.

    Source: Miller (2024), Adding error bars to evals, arXiv 2411.00640, section 4.1, times G/(G-1).

    >>> ones = [1, 1, 1, 1]
    >>> found = clustered(Pairs.of_terms(([1, 1, 0, 1], ones), ([0, 1, 0, 0], ones), ["a", "a", "b", "c"]))
    >>> found.value, round(found.se, 4), found.df
    (0.5, 0.2165, 2)
    """
    short = pairs.without_interval(level)
    if short:
        return short
    tasks, over = pairs.tasks, pairs.den.sum(axis=0)
    per_task = (pairs.num - pairs.num.sum(axis=0) / over * pairs.den) / over
    score = per_task[:, 0] - per_task[:, 1]
    bare = _bare(pairs, level, se=sqrt(tasks / (tasks - 1) * float(score @ score)))
    return by_student(bare, pairs.span)


def _bare(pairs: Pairs, level: float, se: float) -> Difference:
    """The difference without its interval yet."""
    value = _difference(pairs.num, pairs.den)
    return Difference(
        value=value,
        se=se,
        low=value,
        high=value,
        level=level,
        df=pairs.tasks - 1,
        n=pairs.n,
        n_dropped=pairs.n_dropped,
        clusters=pairs.tasks,
    )


def bootstrapped(pairs: Pairs, *, seed: int, replicates: int = 2000, level: float = 0.95) -> Difference:
    """The same difference, with the spread of `replicates` resamples of whole tasks instead of a formula.

    G - 1 of the G tasks are drawn with replacement, so that the spread is not too small by (G-1)/G; percentiles reach
    as far as Student's t would. Replicates in which a denominator is 0 are left out.

    Args:
        pairs: What is compared.
        seed: Of the generator; the same seed gives the same interval whatever the order of the rows.
        replicates: At least 100.
        level: Confidence level in (0, 1).

    Returns:
        As `clustered`, without a p value. There is no interval if a denominator is 0 in more than 1 in 20 replicates.

    Raises:
        ValueError: Fewer than 100 replicates.

    Source: Rao & Wu (1988), J. Am. Stat. Assoc. 83(401), 231-241, doi:10.1080/01621459.1988.10478591, with one
    stratum; percentiles: Hesterberg (2015), Am. Stat. 69(4), 371-386, doi:10.1080/00031305.2015.1089789.
    """
    if replicates < 100:
        raise ValueError(f"replicates is {replicates}; percentiles need at least 100")
    short = pairs.without_interval(level)
    if short:
        return short
    values = _replicates(pairs, np.random.default_rng(seed), replicates)
    if len(values) < 0.95 * replicates:
        why = f"undefined: a denominator is 0 in {replicates - len(values)} of {replicates} resamples of the tasks"
        return replace(_bare(pairs, level, se=0.0), se=None, low=None, high=None, df=None, why_undefined=why)
    bare = _bare(pairs, level, se=float(values.std(ddof=1)))
    if values.max() - values.min() <= NOTHING * pairs.span:
        ends = unseen_change(float(values.mean()), pairs.tasks, pairs.span, level)
        return replace(bare, se=0.0).within(ends, pairs.span)
    return bare.within(percentiles(values, pairs.tasks - 1, level), pairs.span)


def _replicates(pairs: Pairs, rng: np.random.Generator, replicates: int) -> Floats:
    order = np.lexsort((*pairs.den.T, *pairs.num.T))
    totals = np.column_stack([pairs.num, pairs.den])[order]
    share = np.full(pairs.tasks, 1 / pairs.tasks)
    block = max(1, CELLS // pairs.tasks)
    drawn = [
        rng.multinomial(pairs.tasks - 1, share, size=min(block, replicates - start)) @ totals
        for start in range(0, replicates, block)
    ]
    num_1, num_2, den_1, den_2 = np.concatenate(drawn).T
    kept = (den_1 > 0) & (den_2 > 0)
    values: Floats = num_1[kept] / den_1[kept] - num_2[kept] / den_2[kept]
    return values
