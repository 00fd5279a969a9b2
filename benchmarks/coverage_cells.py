"""The cells of the coverage table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.coverage_populations import LOW, MIDDLE, NEAR_ONE, RARE, Frame, frame
from metrics.estimate import About


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One population and one way to audit it."""

    name: str
    population: str
    per_stratum: int | tuple[int, ...]
    setting: int | None = None
    """The slice is this setting; None for everything."""
    about: About = "these responses"
    overlap: float | None = None
    """Share of each stratum that is adjudicated (target B)."""
    annotators: int | None = None
    """Annotators with effects of SD .35 on the logit scale, contexts (task × condition × run) at random to them."""
    lend: bool = False
    """The slice has five labels per stratum of its own and borrows the rest."""
    shown_to_fail: str | None = None
    """Why the default cannot hold here; such a cell stays out of the count."""


POPULATIONS: dict[str, Callable[[int], Frame]] = {
    "10 strata": lambda seed: frame(MIDDLE, tasks=110, settings=2, seed=seed),
    "90 strata .05": lambda seed: frame(LOW, tasks=110, settings=18, seed=seed),
    "90 strata .2": lambda seed: frame(MIDDLE, tasks=110, settings=18, seed=seed),
    "judge-made, rare": lambda seed: frame(RARE, tasks=134, settings=1, by_judge=True, seed=seed),
    "judge-made, near one": lambda seed: frame(NEAR_ONE, tasks=134, settings=1, by_judge=True, seed=seed),
    "alike judges": lambda seed: frame(MIDDLE, tasks=110, settings=6, style=0.0, seed=seed),
    "unlike judges": lambda seed: frame(
        MIDDLE, tasks=110, settings=6, style=0.0, errors=np.array([4.0, 1, 1, 1, 1, 1]), seed=seed
    ),
}


def _cells() -> Iterator[Cell]:
    for n in (15, 40, 100):
        yield Cell(name=f"10 strata × {n}", population="10 strata", per_stratum=n)
    for rate, n in product((".05", ".2"), (10, 22, 60)):
        yield Cell(name=f"90 strata {rate} × {n}", population=f"90 strata {rate}", per_stratum=n)
        yield Cell(
            name=f"one setting of 90 strata {rate} × {n}", population=f"90 strata {rate}", per_stratum=n, setting=0
        )
    for kind, each in product(("rare", "near one"), ((20,) * 3, (40,) * 3, (150, 100, 100))):
        size = "/".join(map(str, dict.fromkeys(each))) if each[0] == each[1] else "/".join(map(str, each))
        yield Cell(name=f"judge-made, {kind} × {size}", population=f"judge-made, {kind}", per_stratum=each)
    for n in (15, 40, 100):
        yield Cell(name=f"such tasks, 10 strata × {n}", population="10 strata", per_stratum=n, about="such tasks")
    for n in (40, 100):
        yield Cell(name=f"target B, 10 strata × {n}", population="10 strata", per_stratum=n, overlap=0.25)
    for people in (3, 6):
        yield Cell(
            name=f"{people} annotators, 10 strata × 40",
            population="10 strata",
            per_stratum=40,
            annotators=people,
            shown_to_fail="the interval is for these annotators, the truth is of all like them",
        )
    for kind in ("alike", "unlike"):
        yield Cell(
            name=f"borrowed, {kind} judges",
            population=f"{kind} judges",
            per_stratum=(5,) * 5 + (40,) * 25,
            setting=0,
            lend=True,
            shown_to_fail="the judge errs four times as often in the slice" if kind == "unlike" else None,
        )


CELLS = {cell.name: cell for cell in _cells()}
