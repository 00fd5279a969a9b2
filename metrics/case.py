"""What an estimate refuses by name of a sample and the population it is of, before anything is computed."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from metrics.patterns import PATTERNS
from metrics.sample import Population, Sample

Floats = NDArray[np.float64]


def check_case(sample: Sample, population: Population, level: float, *, by_judge: bool = True) -> None:
    """A slice of a sample, and its population; without the judge only the size of the population is looked at.

    Raises:
        ValueError: A (num, den) or a judge pattern is not declared, a numerator exceeds its denominator, more rows of
            the slice are sampled than there are, a sampled pattern is not in the population, or the level is no share;
            all at once.
    """
    wrong = [] if 0 < level < 1 else [f"level is {level}; expected a share in (0, 1), such as 0.95"]
    wrong += _terms("", sample.num, sample.den, sample)
    if (second := sample.second) is not None:
        wrong += _terms("adjudicated ", second.num[second.chosen], second.den[second.chosen], sample)
    codes = [
        *_codes("sampled rows", sample.code, sample.cells),
        *_codes("population", population.code, population.cells),
    ]
    wrong += codes if by_judge else []
    wrong += [] if codes and by_judge else _lacking(sample, population, by_judge)
    if wrong:
        raise ValueError("; ".join(wrong))


def _terms(side: str, num: Floats, den: Floats, sample: Sample) -> Iterator[str]:
    above = num > den
    if above.any():
        first = int(np.flatnonzero(above)[0])
        yield (
            f"the {side}numerator exceeds the denominator in {above.sum()} rows, the first with {num[first]:g} over "
            f"{den[first]:g}; what counts in the numerator counts in the denominator"
        )
    odd = ~above
    for pattern in sample.declared:
        odd &= ~((num == pattern[0]) & (den == pattern[1]))
    if odd.any():
        first = int(np.flatnonzero(odd)[0])
        yield (
            f"the {side}(num, den) of {odd.sum()} rows is not declared, the first is ({num[first]:g}, {den[first]:g}); "
            f"declared are {', '.join(f'({a:g}, {b:g})' for a, b in sample.declared)}"
        )


def _codes(what: str, code: NDArray[np.int64], cells: int) -> Iterator[str]:
    odd = np.asarray(code) >= PATTERNS * cells
    if odd.any():
        yield (
            f"a judge pattern of the {what} is {np.asarray(code)[odd][0]} ({odd.sum()} in all); expected 0 to "
            f"{PATTERNS * cells - 1}"
        )


def _lacking(sample: Sample, population: Population, by_judge: bool) -> Iterator[str]:
    """More rows of the slice in the sample than in the population, or a pattern that the population has not."""
    n = int(np.sum(sample.in_slice))
    if n > population.size:
        yield f"{n} sampled rows are in the slice, but the population has only {population.size} there"
        return
    there = np.asarray(population.code)[np.asarray(population.count) > 0]
    lost = ~np.isin(np.asarray(sample.code)[sample.in_slice], there)
    if by_judge and lost.any():
        first = np.asarray(sample.code)[sample.in_slice][lost][0]
        yield (
            f"{lost.sum()} sampled rows of the slice have a judge pattern that the population lacks, the first is "
            f"{first}; count the patterns of the whole slice"
        )
