"""Krippendorff's alpha here and in the package `krippendorff`, side by side in one run.

    PYTHONPATH=. .venv/bin/python benchmarks/agreement_speed.py [--repeats 7] [--looped 40]

Seeded; binary labels, three annotators, 30 % missing. The package has no bootstrap, so it is looped over resampled
units; `--looped` of the 2,000 replicates are timed and scaled up. Exits 1 if a target is missed.
"""

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable

import krippendorff
import numpy as np
from numpy.typing import NDArray

from agreement.coefficients import krippendorff_alpha
from agreement.ratings import Ratings

REPLICATES = 2000


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


def best(run: Callable[[], object], repeats: int) -> float:
    """Shortest of several runs in seconds: what the machine does when nobody else is on it."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def theirs(reliability: NDArray[np.float64]) -> float:
    return float(krippendorff.alpha(reliability_data=reliability, level_of_measurement="nominal"))


def point(units: int, repeats: int) -> tuple[float, float]:
    """One alpha, from labels to the value; ours comes with its linearised interval."""
    given = labels(units)
    reliability = as_floats(given)
    value = krippendorff_alpha(Ratings.of(given, n_categories=2)).value
    assert value is not None
    assert abs(value - theirs(reliability)) < 1e-12
    there = best(lambda: theirs(reliability), repeats)
    here = best(lambda: krippendorff_alpha(Ratings.of(given, n_categories=2), interval="linearised"), repeats)
    return there, here


def bootstrap(units: int, repeats: int, looped: int) -> tuple[float, float]:
    """2,000 replicates, from labels to the interval."""
    given, rng = labels(units), np.random.default_rng(2)
    reliability = as_floats(given)

    def loop() -> None:
        for _ in range(looped):
            theirs(reliability[:, rng.integers(units, size=units)])

    there = best(loop, max(1, repeats // 3)) * REPLICATES / looped
    here = best(lambda: krippendorff_alpha(Ratings.of(given, n_categories=2), replicates=REPLICATES), repeats)
    return there, here


def memory(units: int, run: Callable[[NDArray[np.int8]], object]) -> float:
    """Peak of what is allocated on the way from labels to the result, in sizes of the label array (a byte a label)."""
    given = labels(units)
    run(given[:1000])
    tracemalloc.start()
    run(given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / given.nbytes


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed and memory of Krippendorff's alpha.")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--looped", type=int, default=40)
    options = parser.parse_args()
    missed = 0
    print(f"{'what':<44}{'krippendorff':>14}{'here':>12}{'ratio':>10}{'target':>10}")
    for what, (there, here), target in (
        ("alpha, 3 x 1e5 units", point(100_000, options.repeats), 20),
        ("2,000 replicates, 3 x 1e4 units", bootstrap(10_000, options.repeats, options.looped), 500),
    ):
        missed += there / here < target
        print(f"{what:<44}{there:>12.4f} s{here:>10.5f} s{there / here:>9.0f}x{target:>9}x")
    here_peak = memory(1_000_000, lambda given: krippendorff_alpha(Ratings.of(given, n_categories=2)))
    there_peak = memory(1_000_000, lambda given: theirs(as_floats(given)))
    missed += here_peak > 2
    print(f"{'peak memory, 3 x 1e6 units, label arrays':<44}{there_peak:>14.2f}{here_peak:>12.2f}{'':>10}{'<= 2':>10}")
    print("(alpha and its 2,000 replicates; on top of the labels themselves, which are not copied)")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
