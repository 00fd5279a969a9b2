"""How many contexts are not what they claim to be, from their own stratified draw."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.correction import FLOOR, Population, Sample, human_only
from metrics.patterns import MISSING
from metrics.sample import Second
from metrics.share import Share, outer
from sampling.design import Design

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decided:
    """What is adjudicated or unanimous on a random share of the drawn contexts (target B); shape (n,), as those."""

    overlap: Flags
    """Contexts of the random overlap that are settled."""
    broken: Floats
    """1, 0 or nan (nobody can say, or not of the overlap)."""


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
    decided: Decided | None = None,
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
        decided: For target B: the verdicts above are those of target A, on all drawn contexts, and these correct them.
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
    if decided is not None and not values.shape == np.shape(decided.overlap) == np.shape(decided.broken):
        raise ValueError(f"what is decided has another shape than the verdicts, {values.shape}")
    odd = ~(np.isnan(values) | (values == 0) | (values == 1))
    if odd.any():
        raise ValueError(f"a verdict is {values[odd][0]:g} in {odd.sum()} rows; expected 0, 1 or nan (no verdict)")

    if decided is not None and decided.overlap.all():
        values, decided = decided.broken, None
    open_ = np.isnan(values) if decided is None else np.isnan(values) | (decided.overlap & np.isnan(decided.broken))

    def estimated(filling: float) -> Share:
        verdicts = np.where(np.isnan(values), filling, values)
        known = ~np.isnan(verdicts)
        n = int(known.sum())
        sample = Sample(
            num=verdicts[known],
            den=np.ones(n),
            code=np.full(n, MISSING),
            in_slice=inside[known],
            design=design_of(known),
            second=_second(decided, filling, known),
        )
        return human_only(
            sample, Population(code=np.array([MISSING]), count=np.array([size])), level=level, floor=floor
        )

    usual, lowest, highest = estimated(np.nan), estimated(0.0), estimated(1.0)
    return Broken(
        share=usual.dropping(int(np.sum(inside & open_))),
        lowest=outer(min, lowest.value, usual.value),
        highest=outer(max, highest.value, usual.value),
        low=outer(min, lowest.low, usual.low),
        high=outer(max, highest.high, usual.high),
    )


def _second(decided: Decided | None, filling: float, known: Flags) -> Second | None:
    """What is decided on the contexts with a verdict of target A; what nobody can say as `filling`, or left out."""
    if decided is None:
        return None
    broken = np.where(np.isnan(decided.broken), filling, decided.broken)
    chosen = decided.overlap & ~np.isnan(broken)
    num, den = np.where(chosen, broken, 0.0), chosen.astype(np.float64)
    return Second(chosen=chosen[known], num=num[known], den=den[known])


def broken_shares(
    broken: ArrayLike,
    condition: Sequence[str],
    design_of: Callable[[Flags], Design],
    sizes: Mapping[str, int],
    *,
    decided: Decided | None = None,
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

    def of(name: str) -> Broken:
        here = np.asarray(stated == name, dtype=bool)
        return broken_share(broken, here, design_of, sizes[name], decided=decided, level=level, floor=floor)

    return {name: of(name) for name in sizes}
