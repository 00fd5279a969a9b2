"""Krippendorff's alpha here and in the package `krippendorff`, side by side in one run.

    OMP_NUM_THREADS=1 pytest benchmarks/test_agreement_speed.py

Seeded; binary labels, three annotators, 30 % missing. The package has no bootstrap, so it is looped over resampled
units; `LOOPED` of the 2,000 replicates are timed and scaled up. A missed target fails.
"""

import tracemalloc
from collections.abc import Callable

import krippendorff
import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

from agreement.coefficients import krippendorff_alpha
from agreement.ratings import Ratings

REPLICATES = 2000
LOOPED = 40
POINT = "alpha, 3 x 1e5 units"
BOOTSTRAP = "2,000 replicates, 3 x 1e4 units (the package: 40 of them)"

shortest: dict[tuple[str, str], float] = {}
"""Seconds by (what, who): the shortest round is what the machine does when nobody else is on it."""


def labels(units: int, seed: int = 1) -> NDArray[np.int8]:
    rng = np.random.default_rng(seed)
    found = np.empty((units, 3), dtype=np.int8)
    truth = rng.random(units) < 0.4
    for rater in range(3):
        found[:, rater] = truth ^ (rng.random(units) < 0.15)
        found[rng.random(units) < 0.3, rater] = -1
    return found


def as_floats(given: NDArray[np.int8]) -> NDArray[np.float64]:
    """What the package takes: raters in rows, NaN for missing."""
    return np.where(given < 0, np.nan, given.astype(np.float64)).T.copy()


def theirs(reliability: NDArray[np.float64]) -> float:
    return float(krippendorff.alpha(reliability_data=reliability, level_of_measurement="nominal"))


def timed(benchmark: BenchmarkFixture, who: str, run: Callable[[], object], rounds: int) -> None:
    benchmark.pedantic(run, rounds=rounds, warmup_rounds=1)  # type: ignore[no-untyped-call]  # the package has no types
    assert benchmark.stats is not None
    shortest[str(benchmark.group), who] = benchmark.stats.stats.min


@pytest.mark.benchmark(group=POINT)
def test_the_package_one_alpha(benchmark: BenchmarkFixture) -> None:
    reliability = as_floats(labels(100_000))
    timed(benchmark, "package", lambda: theirs(reliability), rounds=7)


@pytest.mark.benchmark(group=POINT)
def test_here_one_alpha_with_its_linearised_interval(benchmark: BenchmarkFixture) -> None:
    given = labels(100_000)
    value = krippendorff_alpha(Ratings.of(given, n_categories=2)).value
    assert value == pytest.approx(theirs(as_floats(given)), abs=1e-12)
    ours = lambda: krippendorff_alpha(Ratings.of(given, n_categories=2), interval="linearised")  # noqa: E731
    timed(benchmark, "here", ours, rounds=7)


@pytest.mark.benchmark(group=BOOTSTRAP)
def test_the_package_looped(benchmark: BenchmarkFixture) -> None:
    given, rng = labels(10_000), np.random.default_rng(2)
    reliability = as_floats(given)

    def loop() -> None:
        for _ in range(LOOPED):
            theirs(reliability[:, rng.integers(given.shape[0], size=given.shape[0])])

    timed(benchmark, "package", loop, rounds=2)


@pytest.mark.benchmark(group=BOOTSTRAP)
def test_here_from_labels_to_the_interval(benchmark: BenchmarkFixture) -> None:
    given = labels(10_000)
    ours = lambda: krippendorff_alpha(Ratings.of(given, n_categories=2), replicates=REPLICATES)  # noqa: E731
    timed(benchmark, "here", ours, rounds=7)


@pytest.mark.parametrize(("what", "scale", "target"), [(POINT, 1, 20), (BOOTSTRAP, REPLICATES / LOOPED, 500)])
def test_how_many_times_faster(what: str, scale: float, target: float) -> None:
    ratio = shortest[what, "package"] * scale / shortest[what, "here"]
    print(f"\n{what}: {ratio:,.0f} x as fast as the package (target {target} x)")
    assert ratio >= target


def test_peak_memory_in_sizes_of_the_label_array() -> None:
    """Alpha and its 2,000 replicates at 1e6 units, on top of the labels themselves, which are not copied."""
    given = labels(1_000_000)
    krippendorff_alpha(Ratings.of(given[:1000], n_categories=2))
    tracemalloc.start()
    krippendorff_alpha(Ratings.of(given, n_categories=2))
    peak = tracemalloc.get_traced_memory()[1] / given.nbytes
    tracemalloc.stop()
    print(f"\npeak memory, 3 x 1e6 units: {peak:.2f} label arrays (target 2)")
    assert peak <= 2
