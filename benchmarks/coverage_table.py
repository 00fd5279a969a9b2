"""The coverage table: a row per cell and metric, and what is to be read from all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

WAYS = ("Wald", "λ = 1", "logit-t", "Polya", "human only", "default")
HEAD = (
    "cell, metric",
    "truth",
    *WAYS,
    "width",
    "width / Wald",
    "λ = 1 / human only",
    "bias / SE",
    "thin",
    "test rejects",
)
SIMPLER = ("Wald", "λ = 1", "human only", "default")
RELATIVE = tuple(way for way in SIMPLER if way != "human only")
"""What is measured by the width of people's labels alone."""
BESIDE_HEAD = ("cell", *SIMPLER, *(f"{way}, width" for way in RELATIVE))
LARGE = ("10 strata × 100", "90 strata .05 × 60", "90 strata .2 × 60")
"""The cells in which the default must be about as narrow as Wald."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Of one metric in one replicate."""

    truth: float
    value: float
    ends: dict[str, tuple[float, float]]
    """By way; the default is missing where the product gives no number."""
    kind: str
    p_homogeneous: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Of one metric in one cell."""

    cell: str
    metric: str
    truth: float
    cover: dict[str, float]
    width: dict[str, float]
    bias: float
    """Mean error over the standard deviation of the estimates."""
    thin: float
    rejects: float | None
    """How often the homogeneity test beside a borrowed value has p < .05."""
    counted: bool
    """Whether the default has to hold here."""

    @property
    def against_wald(self) -> float | None:
        """Width of the default over that of the Wald interval."""
        if "Wald" not in self.width or "default" not in self.width:
            return None
        return self.width["default"] / self.width["Wald"]

    @property
    def line(self) -> str:
        """As a row of the table."""
        covers = [f"{self.cover[way]:.3f}" if way in self.cover else "" for way in WAYS]
        width = f"{self.width['default']:.3f}" if "default" in self.width else "no number"
        against, rejects = (None if x is None else f"{x:.2f}" for x in (self.against_wald, self.rejects))
        alone = f"{self.width['λ = 1'] / self.width['human only']:.2f}" if "human only" in self.width else ""
        numbers = [f"{self.truth:.3f}", *covers, width, against or "", alone, f"{self.bias:+.2f}", f"{self.thin:.2f}"]
        return f"| {self.cell}, {self.metric} | " + " | ".join(numbers) + f" | {rejects or ''} |"


def row(cell: str, metric: str, outcomes: Sequence[Outcome], *, counted: bool) -> Row:
    """What the replicates of a cell come to."""
    truth = np.array([o.truth for o in outcomes])
    error = np.array([o.value for o in outcomes]) - truth
    cover, width = {}, {}
    for way in WAYS:
        if any(way not in o.ends for o in outcomes):
            continue
        low, high = np.array([o.ends[way] for o in outcomes]).T
        cover[way] = float(np.mean((low <= truth) & (truth <= high)))
        width[way] = float(np.nanmean(high - low))
    spread = float(error.std(ddof=1)) if len(error) > 1 else 1.0
    tested = [o.p_homogeneous for o in outcomes if o.p_homogeneous is not None]
    return Row(
        cell=cell,
        metric=metric,
        truth=float(truth.mean() if np.ptp(truth) > 0 else truth[0]),
        cover=cover,
        width=width,
        bias=float(error.mean()) / max(spread, 1e-12),
        thin=float(np.mean([o.kind == "Dirichlet-multinomial" for o in outcomes])),
        rejects=float(np.mean(np.array(tested) < 0.05)) if tested else None,
        counted=counted,
    )


def beside(rows: Sequence[Row]) -> list[str]:
    """A line per cell, the default beside the simpler ways: coverage, and width over that of people's labels alone.

    Each number is the worst of the cell's metrics (lowest coverage, largest width), with the metric; cells in which one
    of the ways gives no number are left out.
    """
    cells: dict[str, list[Row]] = {}
    for found in rows:
        cells.setdefault(found.cell, []).append(found)
    return [
        " | ".join([f"| {cell}", *(_lowest(way, of) for way in SIMPLER), *(_widest(way, of) for way in RELATIVE)])
        + " |"
        for cell, of in cells.items()
        if all(way in found.width for found in of for way in SIMPLER)
    ]


def _lowest(way: str, rows: Sequence[Row]) -> str:
    worst = min(rows, key=lambda found: found.cover[way])
    return f"{worst.cover[way]:.3f} {worst.metric}"


def _widest(way: str, rows: Sequence[Row]) -> str:
    worst = max(rows, key=lambda found: found.width[way] / found.width["human only"])
    return f"{worst.width[way] / worst.width['human only']:.2f} {worst.metric}"


def conclusion(rows: Sequence[Row], replicates: int) -> str:
    """Whether the default holds: coverage, bias and width over the cells that count."""
    counted = [found for found in rows if found.counted and "default" in found.cover]
    if not counted:
        return "No cell in which the default has to hold."
    limit = 0.93 - 2 * sqrt(0.93 * 0.07 / replicates)
    covers = [found.cover["default"] for found in counted]
    below = [f"{x.cell}, {x.metric} ({x.cover['default']:.3f})" for x in counted if x.cover["default"] < limit]
    bias = max(counted, key=lambda found: abs(found.bias))
    lines = [
        f"Default over {len(counted)} rows: mean coverage {np.mean(covers):.4f}, lowest {min(covers):.3f}.",
        f"Cells below the limit of {limit:.3f} (.93 less two binomial SD): {'; '.join(below) or 'none'}.",
        f"Largest |bias| / SE: {abs(bias.bias):.2f} ({bias.cell}, {bias.metric}); "
        f"its Monte Carlo error is {1 / sqrt(replicates):.2f}.",
    ]
    large = [(x.against_wald, x.cell) for x in counted if x.cell in LARGE and x.against_wald is not None]
    if large:
        widest, where = max(large)
        lines.append(f"Width / Wald in the large common cells: at most {widest:.2f} ({where}).")
    return "\n".join(f"- {line}" for line in lines)
