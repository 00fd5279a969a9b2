"""How the drawn items that carry a usable label stand for the population."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sampling.design import Design
from sampling.strata import merge_small


def design_of(
    draws: Sequence[Mapping[str, Any]],
    usable: NDArray[np.bool_],
    *,
    columns: Sequence[str],
    linked: bool,
    first_fraction: NDArray[np.float64],
    stratum_size: Mapping[str, int] | None = None,
) -> Design:
    """The design of some of the draws; strata with fewer than two usable units are merged in the fixed order.

    Args:
        draws: Draws of one kind of item, with the context of each.
        usable: Which of them carry the label that is weighed, shape (draws,).
        columns: Names of the columns behind the strata.
        linked: Whether contexts were drawn first.
        first_fraction: Share of the context stratum that was drawn, shape (draws,); 1 when the draw was not linked.
        stratum_size: Items in every stratum of the sample; by default of those that the draws are of. A stratum that
            no draw is of is merged like one with a single usable unit, so that the others stand for it.
    """
    rows = [draw for draw, use in zip(draws, usable, strict=True) if use]
    members: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        members[row["stratum"]].add(row["context_id"] if linked else row["unit"])
    sizes = stratum_size if stratum_size is not None else {draw["stratum"]: draw["stratum_size"] for draw in draws}
    merge = merge_small(list(sizes), columns, members, sizes)
    strata = [merge.stratum[row["stratum"]] for row in rows]
    counts = Counter(strata)
    # A lone row cannot give a variance; the floor refuses every number that would rest on it.
    size = [counts[name] if name in merge.too_few else merge.stratum_size[name] for name in strata]
    alone = np.array([name in merge.too_few for name in strata], dtype=bool)
    return Design.of_draws(
        stratum=strata,
        stratum_size=size,
        inclusion_probability=np.where(alone, 1.0, [row["inclusion_probability"] for row in rows]),
        unit=[row["unit"] for row in rows],
        cluster=[row["context_id"] for row in rows] if linked else None,
        first_fraction=np.where(alone, 1.0, first_fraction[usable]),
    )
