"""The cells of the coverage table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np

from benchmarks.coverage_populations import LOW, MIDDLE, NEAR_ONE, RARE, Frame, frame
from metrics.estimate import About, Annotators


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
    draw: Literal["independent", "shared units", "linked"] = "independent"
    """Whether settings are drawn on the same task, condition and run; and contexts first, responses within them."""
    contexts: float = 1
    """In a linked draw, contexts drawn for each that just hold the responses; 3, the default of the product here, takes
    one of a context's three runs in every setting."""
    annotators: int | None = None
    """Annotators with effects of SD .35 on the logit scale, contexts (task × condition) at random to them."""
    twice: float | None = None
    """Share of each stratum that a second annotator labels too; target A all the same."""
    who: Annotators = "these annotators"
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
    "judges of two kinds": lambda seed: frame(
        MIDDLE, tasks=110, settings=6, style=0.0, errors=np.array([4.0, 4, 4, 1, 1, 1]), seed=seed
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
    yield from _on_shared_units()
    yield from _with_annotators()
    for judges, fails in (
        ("alike judges", None),
        ("unlike judges", "the judge errs four times as often in the slice"),
        ("judges of two kinds", "the judge errs four times as often in half of the groups, the slice among them"),
    ):
        yield Cell(
            name=f"borrowed, {judges}",
            population=judges,
            per_stratum=(5,) * 5 + (40,) * 25,
            setting=0,
            lend=True,
            shown_to_fail=fails,
        )


def _on_shared_units() -> Iterator[Cell]:
    for n in (15, 40, 100):
        yield Cell(name=f"shared units, 10 strata × {n}", population="10 strata", per_stratum=n, draw="shared units")
    for n in (10, 22):
        yield Cell(
            name=f"shared units, 90 strata .2 × {n}", population="90 strata .2", per_stratum=n, draw="shared units"
        )
    # Contexts first: as many as just hold the responses, and three times as many, as the product draws by default.
    for n in (15, 40, 100):
        yield Cell(name=f"linked, 10 strata × {n}", population="10 strata", per_stratum=n, draw="linked")
    yield Cell(name="linked, 90 strata .2 × 22", population="90 strata .2", per_stratum=22, draw="linked")
    for n in (15, 40):
        yield Cell(
            name=f"linked, many contexts, 10 strata × {n}",
            population="10 strata",
            per_stratum=n,
            draw="linked",
            contexts=3,
        )
    yield Cell(
        name="linked, such tasks, 10 strata × 40",
        population="10 strata",
        per_stratum=40,
        draw="linked",
        about="such tasks",
    )


def _with_annotators() -> Iterator[Cell]:
    common = Cell(name="10 strata × 40", population="10 strata", per_stratum=40)
    for people, n in ((3, 40), (6, 40), (6, 100)):
        alone = replace(common, name=f"{people} annotators, these, 10 strata × {n}", per_stratum=n, annotators=people)
        yield alone
        yield replace(alone, name=f"{people} annotators, these, overlap .25, 10 strata × {n}", twice=0.25)
    yield replace(
        common,
        name="3 annotators, like these, 10 strata × 40",
        annotators=3,
        who="annotators like these",
        shown_to_fail="three people tell too little of others like them: the product gives a sentence, no number",
    )
    like = replace(common, annotators=6, who="annotators like these")
    yield replace(like, name="6 annotators, like these, 10 strata × 40")
    yield replace(like, name="6 annotators, like these, 10 strata × 100", per_stratum=100)
    yield replace(like, name="12 annotators, like these, 10 strata × 40", annotators=12)
    yield replace(like, name="6 annotators, like these, linked, 10 strata × 40", draw="linked")
    yield replace(like, name="6 annotators, like these, such tasks, 10 strata × 40", about="such tasks")
    yield replace(like, name="6 annotators, like these, target B, 10 strata × 40", overlap=0.25)


CELLS = {cell.name: cell for cell in _cells()}
