"""How many contexts are not what they claim to be, from their own stratified draw."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.correction import FLOOR, Population, Sample, human_only
from metrics.patterns import MISSING
from metrics.share import Share
from sampling.design import Design

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """The share of broken contexts, and how far those without a verdict could move it."""

    share: Share
    """By the audited contexts; `n_dropped` counts the drawn ones without a verdict."""
    lowest: float | None
    """If none of them were broken; None where the share is refused even so."""
    highest: float | None
    """If all of them were."""
    low: float | None
    """Lower end of the interval of the lowest."""
    high: float | None
    """Upper end of the interval of the highest."""


def broken_share(
    broken: ArrayLike,
    in_slice: ArrayLike,
    design_of: Callable[[Flags], Design],
    size: int,
    *,
    level: float = 0.95,
    floor: int = FLOOR,
) -> Broken:
    """The share of a slice's contexts that are broken, with its interval and its bounds.

    A drawn context without a verdict (nobody came to it, cannot judge) is non-response: the others of its stratum
    stand for it in the share, and the bounds take it as valid and as broken.

    Args:
        broken: 1, 0 or nan (no verdict) of every drawn context, shape (n,).
        in_slice: Whether it is of the slice (a condition), shape (n,).
        design_of: The design of the contexts where the flag, shape (n,), is true.
        size: Contexts of the slice in the study.
        level: Confidence level in (0, 1).
        floor: Audited contexts that the slice needs, unless all of it is audited.

    Raises:
        ValueError: A value is not 0, 1 or nan; shapes differ; or more contexts are drawn than the slice has.

    >>> def design_of(rows: Flags) -> Design:
    ...     n = int(rows.sum())
    ...     return Design.of_draws(stratum=["all"] * n, stratum_size=[40] * n, inclusion_probability=[n / 40] * n,
    ...                            unit=[str(i) for i in range(n)])
    >>> found = broken_share([1, 0, 0, 0, float("nan")], [True] * 5, design_of, 40, floor=4)
    >>> found.share.value, found.share.n_dropped, found.lowest, found.highest
    (0.25, 1, 0.2, 0.4)
    """
    values, inside = np.asarray(broken, dtype=np.float64), np.asarray(in_slice, dtype=bool)
    if values.shape != inside.shape or values.ndim != 1:
        raise ValueError(f"verdicts and slice differ in shape: {values.shape} and {inside.shape}; expected (n,) twice")
    odd = ~(np.isnan(values) | (values == 0) | (values == 1))
    if odd.any():
        raise ValueError(f"a verdict is {values[odd][0]:g} in {odd.sum()} rows; expected 0, 1 or nan (no verdict)")

    def estimated(verdicts: NDArray[np.float64]) -> Share:
        known = ~np.isnan(verdicts)
        n = int(known.sum())
        sample = Sample(
            num=verdicts[known],
            den=np.ones(n),
            code=np.full(n, MISSING),
            in_slice=inside[known],
            design=design_of(known),
        )
        return human_only(
            sample, Population(code=np.array([MISSING]), count=np.array([size])), level=level, floor=floor
        )

    lowest, highest = (estimated(np.where(np.isnan(values), filling, values)) for filling in (0.0, 1.0))
    return Broken(
        share=estimated(values).dropping(int(np.sum(inside & np.isnan(values)))),
        lowest=lowest.value,
        highest=highest.value,
        low=lowest.low,
        high=highest.high,
    )


def broken_shares(
    broken: ArrayLike,
    condition: Sequence[str],
    design_of: Callable[[Flags], Design],
    sizes: Mapping[str, int],
    *,
    level: float = 0.95,
    floor: int = FLOOR,
) -> dict[str, Broken]:
    """`broken_share` of each condition; `sizes` gives the contexts that the study has of each.

    Raises:
        KeyError: A drawn context states a condition without a size.
        ValueError: As `broken_share`.
    """
    unknown = sorted(set(condition) - set(sizes))
    if unknown:
        raise KeyError(f"no size is given for the conditions {', '.join(map(repr, unknown))}")
    stated = np.asarray(condition, dtype=object)
    return {
        name: broken_share(broken, np.asarray(stated == name, dtype=bool), design_of, size, level=level, floor=floor)
        for name, size in sizes.items()
    }
