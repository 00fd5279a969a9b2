"""How often 95 % intervals hold the truth: a table of cells × metrics, by ways to make an interval.

    OMP_NUM_THREADS=1 python -m benchmarks.coverage --replicates 1000 > docs/coverage.md

Wald is the model-assisted estimate ± 1.96 SE; "λ = 1" takes the judge at face value (the difference estimator) ± 1.96
SE; logit-t and Polya are the two intervals on their own; default is what the product prints. Seeded: the same
arguments give the same table.
"""

import argparse
import sys
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import sqrt
from multiprocessing import Pool

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from benchmarks.coverage_cells import CELLS, POPULATIONS, Cell
from benchmarks.coverage_populations import Codes, Floats, Frame, drawn
from metrics.adjudication import adjudicated_rows
from metrics.borrowing import borrowed
from metrics.correction import Population, Sample, Share, corrected, human_only
from metrics.definitions import METRICS, Metric
from metrics.interval import logit_t
from metrics.patterns import restrict
from metrics.prediction import Prediction
from metrics.sample import Second
from metrics.uncertainty import polya
from sampling.design import Design

NAMES = ("Acc", "SES", "cSES", "ESD", "BAS")
WAYS = ("Wald", "λ = 1", "logit-t", "Polya", "human only", "default")
SEED = 11


@cache
def population(name: str) -> Frame:
    return POPULATIONS[name](20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Of one metric in one replicate."""

    truth: float
    value: float
    ends: dict[str, tuple[float, float]]
    kind: str
    p_homogeneous: float | None


def one_replicate(task: tuple[str, int]) -> dict[str, Outcome]:
    """Every metric on one draw."""
    cell, replicate = CELLS[task[0]], task[1]
    rng = np.random.default_rng([SEED, replicate])
    # What a slice borrows is unbiased over slices, not in any single one: each replicate makes its own.
    whole = POPULATIONS[cell.population](SEED + replicate) if cell.lend else population(cell.population)
    base, truth_of = whole, whole
    if cell.about == "such tasks":
        base = _tasks(whole, rng)
    rows = drawn(base.stratum, cell.per_stratum, rng)
    seen = _seen(cell, base, rows, rng)
    chosen = _chosen(cell, base, rows, rng)
    found = {name: _outcome(cell, METRICS[name], base, truth_of, rows, seen, chosen) for name in NAMES}
    return {name: outcome for name, outcome in found.items() if outcome is not None}


def _tasks(whole: Frame, rng: np.random.Generator) -> Frame:
    """As many tasks, drawn with replacement: the frame of a study from the same kind of tasks."""
    rows_of = np.argsort(whole.task, kind="stable").reshape(int(whole.task.max()) + 1, -1)
    picked = rows_of[rng.integers(0, len(rows_of), len(rows_of))]
    rows = picked.ravel()
    return Frame(
        human=whole.human[:, rows],
        code=whole.code[rows],
        stratum=whole.stratum[rows],
        setting=whole.setting[rows],
        task=np.repeat(np.arange(len(rows_of)), picked.shape[1]),
        condition=whole.condition[rows],
    )


def _seen(cell: Cell, base: Frame, rows: Codes, rng: np.random.Generator) -> Floats:
    """The labels that the first annotator gives; for target B with sensitivity .85 and specificity .94."""
    truth = base.human[:, rows]
    if cell.overlap is not None:
        says_yes = rng.random(truth.shape) < np.where(truth == 1, 0.85, 0.06)
        return says_yes.astype(np.float64)
    if cell.annotators is None:
        return truth
    context = np.unique(np.column_stack([base.task[rows], rows % 15]), axis=0, return_inverse=True)[1].ravel()
    who = rng.integers(0, cell.annotators, int(context.max()) + 1)[context]
    effect = rng.normal(0, 0.35, (4, cell.annotators))[:, who]
    # People are nearly sure of most responses; the effect moves those whom they are unsure of.
    return (rng.random(truth.shape) < expit(logit(np.where(truth == 1, 0.9, 0.1)) + effect)).astype(np.float64)


def _chosen(cell: Cell, base: Frame, rows: Codes, rng: np.random.Generator) -> NDArray[np.bool_] | None:
    if cell.overlap is None:
        return None
    size = np.bincount(base.stratum[rows])
    taken = drawn(base.stratum[rows], tuple(np.round(size * cell.overlap).astype(int).tolist()), rng)
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[taken] = True
    return chosen


def _outcome(
    cell: Cell,
    metric: Metric,
    base: Frame,
    truth_of: Frame,
    rows: Codes,
    seen: Floats,
    chosen: NDArray[np.bool_] | None,
) -> Outcome | None:
    truth = _truth(cell, metric, truth_of)
    num, den = metric.terms(*seen)
    code = restrict(base.code, metric.reads)
    inside = np.ones(len(base.code), dtype=bool) if cell.setting is None else base.setting == cell.setting
    groups, count = np.unique(np.column_stack([code, base.task, base.condition])[inside], axis=0, return_counts=True)
    people = Population(code=groups[:, 0], count=count, task=groups[:, 1])
    right_num, right_den = metric.terms(*base.human[:, rows])
    sample = Sample(
        num=num,
        den=den,
        code=code[rows],
        in_slice=inside[rows],
        design=_design(base, rows),
        task=base.task[rows],
        patterns=metric.patterns,
        second=None if chosen is None else Second(chosen=chosen, num=right_num, den=right_den),
    )
    if cell.lend:
        share = borrowed(
            sample,
            people,
            condition=base.condition[rows],
            population_condition=groups[:, 2],
            group=base.setting[rows],
        )
        if share.value is None or share.low is None or share.high is None or share.homogeneity is None:
            return None
        return Outcome(
            truth=truth,
            value=share.value,
            ends={"default": (share.low, share.high)},
            kind="borrowed",
            p_homogeneous=share.homogeneity.p_value,
        )
    return _compared(cell, metric, sample, people, truth)


def _truth(cell: Cell, metric: Metric, whole: Frame) -> float:
    labels = whole.human
    if cell.annotators is not None:
        # What an average annotator would say: of a true yes nine in ten, of a true no one, up to the spread.
        nodes, weights = np.polynomial.hermite_e.hermegauss(21)
        yes = float(expit(logit(0.9) + 0.35 * nodes) @ weights / weights.sum())
        probability = np.where(labels == 1, yes, 1 - yes)
        return _expected(metric, probability)
    num, den = metric.terms(*labels)
    inside = np.ones(len(num), dtype=bool) if cell.setting is None else whole.setting == cell.setting
    return float(num[inside].sum() / den[inside].sum())


def _expected(metric: Metric, probability: Floats) -> float:
    """The ratio of expected totals when each label is an independent draw."""
    totals = np.zeros(2)
    for labels in product((0.0, 1.0), repeat=4):
        chance = np.prod([p if label else 1 - p for p, label in zip(probability, labels, strict=True)], axis=0).sum()
        num, den = metric.terms(*([label] for label in labels))
        totals += chance * np.array([num[0], den[0]])
    return float(totals[0] / totals[1])


def _design(base: Frame, rows: Codes) -> Design:
    stratum, size = base.stratum[rows], np.bincount(base.stratum)
    taken = np.bincount(stratum, minlength=len(size))
    return Design.of_draws(
        stratum=[f"{h:03}" for h in stratum],
        stratum_size=size[stratum],
        inclusion_probability=(taken / size)[stratum],
        unit=[f"{row:06}" for row in rows],
    )


def _compared(cell: Cell, metric: Metric, sample: Sample, people: Population, truth: float) -> Outcome | None:
    default = corrected(sample, people, floor=1, about=cell.about)
    if default.value is None or default.se is None:
        return None
    face_value = corrected(sample, people, floor=1, about=cell.about, prediction=Prediction.of_judge(metric))
    alone = human_only(sample, people, floor=1, about=cell.about)
    basis = adjudicated_rows(sample)
    df = basis.design.degrees_of_freedom(basis.in_slice)
    ends = {
        "Wald": _wald(default),
        "λ = 1": _wald(face_value),
        "logit-t": _logit(default, df),
        "Polya": polya(basis, 0.95) or (0.0, 1.0),
        "human only": _ends(alone),
        "default": _ends(default),
    }
    return Outcome(truth=truth, value=default.value, ends=ends, kind=default.interval or "", p_homogeneous=None)


def _ends(share: Share) -> tuple[float, float]:
    return (np.nan, np.nan) if share.low is None or share.high is None else (share.low, share.high)


def _wald(share: Share) -> tuple[float, float]:
    if share.value is None or share.se is None:
        return np.nan, np.nan
    return share.value - 1.96 * share.se, share.value + 1.96 * share.se


def _logit(share: Share, df: int) -> tuple[float, float]:
    if share.value is None or share.se is None or not 0 < share.value < 1:
        return (share.value or 0.0,) * 2
    return logit_t(share.value, share.se, df, 0.95)


def summary(name: str, outcomes: list[Outcome]) -> str:
    """A row of the table: coverage by way, then widths against the default's, bias and kinds."""
    metric = outcomes[0]
    error = np.array([o.value - o.truth for o in outcomes])
    cover, width = {}, {}
    for way in WAYS:
        if way not in metric.ends:
            continue
        ends = np.array([o.ends[way] for o in outcomes])
        cover[way] = float(np.mean([low <= o.truth <= high for o, (low, high) in zip(outcomes, ends, strict=True)]))
        width[way] = float(np.nanmean(ends[:, 1] - ends[:, 0]))
    cells = [f"{cover[way]:.3f}" if way in cover else "" for way in WAYS]
    spread = float(error.std(ddof=1)) if len(error) > 1 else 1.0
    against = f"{width['default'] / width['Wald']:.2f}" if "Wald" in width else ""
    thin = np.mean([o.kind == "Dirichlet-multinomial" for o in outcomes])
    tested = [o.p_homogeneous for o in outcomes if o.p_homogeneous is not None]
    power = f"{np.mean(np.array(tested) < 0.05):.2f}" if tested else ""
    return " | ".join(
        [
            f"| {name}",
            f"{metric.truth:.3f}",
            *cells,
            f"{width['default']:.3f}",
            against,
            f"{error.mean() / max(spread, 1e-12):+.2f}",
            f"{thin:.2f}",
            f"{power} |",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--cells", default="", help="only the cells whose name contains this; several after '|'")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    head = ["cell, metric", "truth", *WAYS, "width", "width / Wald", "bias / SE", "thin", "test rejects"]
    command = " ".join(["python -m benchmarks.coverage", *sys.argv[1:]])
    print(f"{options.replicates} replicates, seed {SEED}. `{command}`\n")
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" for _ in head) + " |")
    defaults = []
    with Pool(options.processes) as pool:
        for name in CELLS:
            if not any(part in name for part in options.cells.split("|")):
                continue
            tasks = [(name, replicate) for replicate in range(options.replicates)]
            replicates = pool.map(one_replicate, tasks, chunksize=10)
            for metric in NAMES:
                outcomes = [found[metric] for found in replicates if metric in found]
                if outcomes:
                    print(summary(f"{name}, {metric}", outcomes), flush=True)
                    if CELLS[name].shown_to_fail is None:
                        defaults.append(
                            np.mean([o.ends["default"][0] <= o.truth <= o.ends["default"][1] for o in outcomes])
                        )
    if defaults:
        limit = 0.93 - 2 * sqrt(0.93 * 0.07 / options.replicates)
        print(
            f"\nDefault: mean coverage {np.mean(defaults):.4f}, lowest {min(defaults):.3f}, "
            f"{sum(d < limit for d in defaults)} of {len(defaults)} below {limit:.3f}."
        )


if __name__ == "__main__":
    main()
