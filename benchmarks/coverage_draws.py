"""How the cells of the coverage table draw their samples: independently, on shared units, or contexts first."""

from collections import Counter
from dataclasses import dataclass
from math import ceil

import numpy as np

from benchmarks.coverage_cells import Cell
from benchmarks.coverage_populations import Codes, Frame
from sampling.allocation import proportional
from sampling.design import Design
from sampling.draw import Candidate, draw, linked_draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A sample of a frame."""

    rows: Codes
    design: Design


def drawn(stratum: Codes, per_stratum: int | tuple[int, ...], rng: np.random.Generator) -> Codes:
    """Rows of a stratified simple random sample, all of a stratum that is smaller."""
    size = np.bincount(stratum)
    wanted = np.minimum(np.broadcast_to(per_stratum, len(size)), size)
    order = np.lexsort((rng.random(len(stratum)), stratum))
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    rows: Codes = np.concatenate([order[a : a + n] for a, n in zip(first, wanted, strict=True)])
    return rows


def sample(cell: Cell, base: Frame, rng: np.random.Generator, seed: int) -> Drawn:
    """One draw, as the cell has it."""
    if cell.draw == "independent":
        rows = drawn(base.stratum, cell.per_stratum, rng)
        return Drawn(rows=rows, design=_independent(base, rows))
    return _on_units(cell, base, seed) if cell.draw == "shared units" else _linked(cell, base, seed)


def _independent(base: Frame, rows: Codes) -> Design:
    stratum, size = base.stratum[rows], np.bincount(base.stratum)
    taken = np.bincount(stratum, minlength=len(size))
    return Design.of_draws(
        stratum=[f"{h:03}" for h in stratum],
        stratum_size=size[stratum],
        inclusion_probability=(taken / size)[stratum],
        unit=[f"{row:06}" for row in rows],
    )


def _candidates(base: Frame) -> list[Candidate]:
    names = zip(base.stratum.tolist(), base.unit.tolist(), base.context.tolist(), strict=True)
    return [
        Candidate(item_id=f"{row:06}", stratum=f"{stratum:03}", unit=str(unit), cluster=str(context))
        for row, (stratum, unit, context) in enumerate(names)
    ]


def _each(cell: Cell) -> int:
    if not isinstance(cell.per_stratum, int):
        raise ValueError(f"cell {cell.name!r}: one sample size for all strata is needed where they share units")
    return cell.per_stratum


def _on_units(cell: Cell, base: Frame, seed: int) -> Drawn:
    candidates = _candidates(base)
    sizes = dict.fromkeys(sorted({c.stratum for c in candidates}), _each(cell))
    chosen = draw(candidates, sizes, seed=seed, purpose="draw")
    rows = np.array([int(c.item_id) for c in chosen])
    design = Design.of_draws(
        stratum=[c.stratum for c in chosen],
        stratum_size=[c.stratum_size for c in chosen],
        inclusion_probability=[c.inclusion_probability for c in chosen],
        unit=[str(unit) for unit in base.unit[rows]],
    )
    return Drawn(rows=rows, design=design)


def _linked(cell: Cell, base: Frame, seed: int) -> Drawn:
    """Contexts by condition, then responses within them: as many contexts as just hold these, or more."""
    condition = dict(zip(base.context.tolist(), base.condition.tolist(), strict=True))
    contexts = [Candidate(item_id=str(c), stratum=str(h), unit=str(c)) for c, h in condition.items()]
    responses = _candidates(base)
    total = _each(cell) * (int(base.stratum.max()) + 1)
    wanted = ceil(cell.contexts * total * len(contexts) / len(responses))
    sizes = proportional(Counter(c.stratum for c in contexts), wanted, floor=2)
    both = linked_draw(contexts, sizes, responses, total, 2, seed=seed)
    share = {context.item_id: context.inclusion_probability for context in both.contexts}
    rows = np.array([int(c.item_id) for c in both.responses])
    cluster = [str(context) for context in base.context[rows]]
    design = Design.of_draws(
        stratum=[c.stratum for c in both.responses],
        stratum_size=[c.stratum_size for c in both.responses],
        inclusion_probability=[c.inclusion_probability for c in both.responses],
        unit=[str(unit) for unit in base.unit[rows]],
        cluster=cluster,
        first_fraction=[share[context] for context in cluster],
    )
    return Drawn(rows=rows, design=design)
