"""Rows of a sample with their design: standard errors, and figures that say what they rest on."""

import math
from dataclasses import dataclass
from typing import Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.interval import FLAT, Ends, by_disagreement, clopper_pearson, containing, logit_student
from agreement.means import group_sums
from agreement.precision import Variance, design_error
from agreement.refusal import no_column, no_level, no_weights
from agreement.result import Agreement
from agreement.tally import Floats


class SampleOptions(TypedDict, total=False):
    """How rows were sampled and what is asked of them; all are optional."""

    weights: ArrayLike | None
    """Rows of the population that each row stands for, > 0, shape (n,); None for 1."""
    variance: Variance | None
    """Design variance of the weighted total of scores of shape (n,), all rows given, in the order given; rows that are
    not used score 0. It must belong to the same `weights`. None for simple random sampling (with replacement) of the
    rows used, or of their tasks where `cluster` is given."""
    degrees_of_freedom: float | None
    """Of that variance, >= 1; None for the independent rows used less one."""
    cluster: ArrayLike | None
    """Task of each row, shape (n,), where the tasks are the sample; None when rows are independent."""
    rows: ArrayLike | None
    """Whether each row is in the slice that is asked for, shape (n,); None for all. The others keep their place in the
    design, as the size of the slice is random, but are neither used nor counted as dropped."""
    census: bool
    """Every row of the population is labelled: nothing was sampled, and every interval is its value."""
    level: float
    """Confidence level of the intervals."""


def no_options(n: int, **sample: Unpack[SampleOptions]) -> tuple[str | None, ...]:
    """What is wrong with the options for n rows, None where nothing is."""
    df, rows = sample.get("degrees_of_freedom"), sample.get("rows")
    both = sample.get("variance") is not None and sample.get("cluster") is not None
    unknown = sorted(set(sample) - set(SampleOptions.__annotations__))
    return (
        f"no such option: {', '.join(unknown)}; expected {', '.join(SampleOptions.__annotations__)}"
        if unknown
        else None,
        no_level(sample.get("level", 0.95), "confidence level"),
        no_weights("weights", sample.get("weights"), n),
        no_column("cluster", sample.get("cluster"), n),
        no_column("rows", rows, n)
        or (None if rows is None or np.asarray(rows).dtype == bool else "rows are not flags"),
        None if df is None or df >= 1 else f"degrees_of_freedom is {df}; expected at least 1",
        "give `variance` or `cluster`, not both: the design's variance knows its clusters" if both else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledRows:
    """Checked rows; one that is not used keeps its place with weight 0."""

    kept: NDArray[np.bool_]
    """Rows used, shape (n,)."""
    n_dropped: int
    """Rows of the slice that are not, because labels are missing."""
    weight: Floats
    """Rows of the population that each row stands for; 0 if it is not used; shape (n,)."""
    variance: Variance
    df: float
    """Degrees of freedom of the variance."""
    census: bool
    level: float

    @classmethod
    def of(cls, labelled: NDArray[np.bool_], **sample: Unpack[SampleOptions]) -> Self:
        """Rows with the labels that are needed, and options in which nothing is wrong (`no_options`)."""
        given, df, cluster, rows = (
            sample.get("weights"),
            sample.get("degrees_of_freedom"),
            sample.get("cluster"),
            sample.get("rows"),
        )
        inside = np.ones(len(labelled), dtype=bool) if rows is None else np.asarray(rows)
        kept = labelled & inside
        weight = np.where(kept, 1.0 if given is None else np.asarray(given, dtype=np.float64), 0.0)
        tasks = np.arange(len(kept)) if cluster is None else np.unique(np.asarray(cluster), return_inverse=True)[1]
        return cls(
            kept=kept,
            n_dropped=int((inside & ~kept).sum()),
            weight=weight,
            variance=sample.get("variance") or (lambda scores: _between((weight * scores)[kept], tasks[kept])),
            df=float(len(np.unique(tasks[kept])) - 1) if df is None else float(df),
            census=sample.get("census", False),
            level=sample.get("level", 0.95),
        )

    @property
    def n(self) -> int:
        """Rows used."""
        return int(self.kept.sum())

    @property
    def total(self) -> float:
        """Rows of the population that those used stand for."""
        return float(self.weight.sum())

    def se(self, scores: Floats) -> float:
        """Standard error of the weighted total of scores, shape (n,); NaN without degrees of freedom."""
        if self.census:
            return 0.0
        return math.nan if self.df < 1 else design_error(self.variance, np.where(self.kept, scores, 0.0))

    def effective_n(self, rows: Floats) -> float:
        """Rows discounted for unequal weights: (sum w)^2 / sum w^2 (Kish 1965)."""
        weight = self.weight * rows
        return float(weight.sum() ** 2 / (weight @ weight))

    def share(self, name: str, num: Floats, den: Floats, nobody: str) -> Agreement:
        """Weighted share of the rows in `den` that are in `num`; undefined, because of `nobody`, without any."""
        num, den = num * den * self.kept, den * self.kept
        n, total = int(den.sum()), float(self.weight @ den)
        if not n:
            return self.undefined(name, nobody)
        value = min(float(self.weight @ num) / total, 1.0)
        se = self.se((num - value * den) / total)
        if 0 < value < 1 and se > FLAT:
            ends = logit_student(value, se, self.df, self.level)
        else:
            ends = clopper_pearson(value, self.effective_n(den), self.level)
        return self.figure(name, value, se, containing(value, ends, lowest=0.0), n)

    def unseen(self, observed: float, chance: float) -> Ends:
        """Ends of 1 - observed / chance where the rows show no variation to take a variance from."""
        return by_disagreement(observed, chance, self.effective_n(self.kept.astype(np.float64)), self.level)

    def figure(self, name: str, value: float, se: float, ends: Ends, n: int | None = None) -> Agreement:
        """A result for n rows, None for all that are used."""
        low, high = (value, value) if self.census else ends
        return Agreement(
            name=name,
            value=value,
            low=low,
            high=high,
            se=None if math.isnan(se) else se,
            level=self.level,
            n=self.n if n is None else n,
            n_dropped=self.n_dropped,
        )

    def undefined(self, name: str, reason: str) -> Agreement:
        """A result that does not exist, and why."""
        return Agreement.undefined(name, reason, level=self.level, n=0, n_dropped=self.n_dropped)


def _between(weighted: Floats, tasks: NDArray[np.int64]) -> float:
    """Variance of a total by ultimate clusters; a row alone in its task is one."""
    total = group_sums(weighted, tasks)
    return float(len(total) * np.var(total, ddof=1))
