"""How often the interval of a difference of two slices holds the truth.

    python benchmarks/comparison_coverage.py --replicates 1000 --seed 7

2,400 responses: 240 tasks under 5 conditions, answered by two models; the judge errs on 4 % under the first condition
and on 22 % under the last. 15 or 40 labels in each of 10 strata (condition by model). Two conditions are compared, two
models drawn independently, and the same two drawn on shared units. "joined" is the interval of `slice_difference`,
"student" is value ± t SE; then their widths, bias and standard error over replicates.
"""

import argparse
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from metrics.comparison import Side, slice_difference
from metrics.correction import Population, Sample
from metrics.definitions import METRICS
from metrics.patterns import encode, restrict
from metrics.prediction import Prediction
from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class Study:
    """1,200 units (task and condition) × 2 models; both models are labelled on the same units when `shared`."""

    def __init__(self, name: str, rare: bool, shared: bool) -> None:
        rng = np.random.default_rng(20)
        units = 1200
        self.condition = np.tile(np.repeat(np.arange(5), units // 5), 2)
        self.unit = np.tile(np.arange(units), 2)
        self.model = np.repeat([0, 1], units)
        ease = rng.normal(0, 0.8, units)[self.unit]
        shift = np.where(self.model == 0, 0.0, 0.3)

        def yes(base: float, per_condition: float, of_ease: float) -> Floats:
            z = base + per_condition * self.condition + of_ease * ease + shift
            return (rng.random(2 * units) < 1 / (1 + np.exp(-z))).astype(np.float64)

        correct, answers = yes(1.5, -0.5, 1), yes(3.5, -0.5, 0)
        grounded, discloses = answers * yes(3.5 if rare else 2.0, -0.4, 0.5), yes(-1.5, 0.4, 0)
        human = np.array([correct, answers, grounded, discloses])
        wrong = rng.random(human.shape) < np.array([0.04, 0.08, 0.10, 0.15, 0.22])[self.condition]
        self.code = restrict(encode(*np.where(wrong, 1 - human, human)), METRICS[name].reads)
        self.num, self.den = METRICS[name].terms(*human)
        self.shared = shared

    def truth(self, place: NDArray[np.bool_]) -> float:
        return float(self.num[place].sum() / self.den[place].sum())

    def population(self, place: NDArray[np.bool_]) -> Population:
        codes, counts = np.unique(self.code[place], return_counts=True)
        return Population(code=codes, count=counts)

    def draw(self, rng: np.random.Generator, per_stratum: int) -> tuple[Codes, Design]:
        """So many rows per condition and model; the same units for both models when shared."""
        rows: list[Codes] = []
        picks = np.zeros(0, dtype=np.int64)
        for c in range(5):
            for m in range(2):
                inside = np.flatnonzero((self.condition == c) & (self.model == m))
                again = self.shared and m == 1
                picks = picks if again else rng.choice(len(inside), per_stratum, replace=False)
                rows.append(inside[picks])
        chosen = np.concatenate(rows)
        names = [f"{c}:{m}" for c, m in zip(self.condition[chosen], self.model[chosen], strict=True)]
        units = [
            str(u) if self.shared else f"{u}:{m}" for u, m in zip(self.unit[chosen], self.model[chosen], strict=True)
        ]
        return chosen, Design.of_draws(
            stratum=names,
            stratum_size=np.full(len(chosen), 240),
            inclusion_probability=np.full(len(chosen), per_stratum / 240),
            unit=units,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print("metric cell            labels method      joined  student  width/width  bias/SE  SE/SD")
    for name, rare in (("SES", False), ("cSES", False), ("SES", True)):
        for cell in ("conditions", "models", "models, shared units"):
            for per_stratum in (15, 40):
                for method in ("human-only", "corrected"):
                    one(name, rare, cell, per_stratum, method, options.replicates, options.seed)


def one(name: str, rare: bool, cell: str, per_stratum: int, method: str, replicates: int, seed: int) -> None:
    study = Study(name, rare, cell.endswith("shared units"))
    by_condition = cell == "conditions"
    places = [study.condition == 0, study.condition == 1] if by_condition else [study.model == 0, study.model == 1]
    truth = study.truth(places[0]) - study.truth(places[1])
    populations = (study.population(places[0]), study.population(places[1]))
    rng = np.random.default_rng(seed)
    kept = []
    for _ in range(replicates):
        rows, design = study.draw(rng, per_stratum)
        first, second = (
            Sample(num=study.num[rows], den=study.den[rows], code=study.code[rows], in_slice=p[rows], design=design)
            for p in places
        )
        prediction = Prediction.none() if method == "human-only" else None
        sides = [
            Side.of(sample, frame, floor=10, prediction=prediction)
            for sample, frame in zip((first, second), populations, strict=True)
        ]
        found = slice_difference(*sides)
        if found.value is None or found.low is None or found.high is None or found.se is None or found.df is None:
            continue
        reach = t.ppf(0.975, found.df) * found.se
        kept.append(
            (
                found.low <= truth <= found.high,
                abs(found.value - truth) <= reach,
                found.high - found.low,
                2 * reach,
                found.value - truth,
                found.se,
            )
        )
    joined, student, width, plain, error, se = np.array(kept, dtype=float).T
    mean_se = sqrt((se**2).mean())
    label = f"{name}{' rare' if rare else ''}"
    print(
        f"{label:9} {cell:22} {per_stratum * 10:4} {method:10} {joined.mean():7.3f} {student.mean():8.3f} "
        f"{width.mean() / plain.mean():10.3f} {error.mean() / mean_se:9.2f} {mean_se / error.std():8.2f}"
        f"{'' if len(kept) == replicates else f'  ({replicates - len(kept)} refused)'}"
    )


if __name__ == "__main__":
    main()
