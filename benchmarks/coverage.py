"""How often 95 % intervals hold the truth: a table of cells × metrics, by ways to make an interval.

    OMP_NUM_THREADS=1 python -m benchmarks.coverage --replicates 1000

Wald is the model-assisted estimate ± 1.96 SE; "λ = 1" takes the judge at face value (the difference estimator) ± 1.96
SE; logit-t and Polya are the two intervals on their own, and all four are for these annotators; default is what the
product prints for whom it is asked. Seeded: the same arguments give the same table.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from multiprocessing import Pool

import numpy as np

from benchmarks.coverage_cells import CELLS, POPULATIONS, Cell
from benchmarks.coverage_draws import Drawn, sample
from benchmarks.coverage_labels import Labels, labels, truth
from benchmarks.coverage_populations import Frame
from benchmarks.coverage_table import BESIDE_HEAD, HEAD, Outcome, beside, conclusion, row
from metrics.adjudication import adjudicated_rows
from metrics.borrowing import borrowed
from metrics.correction import Population, Sample, Share, corrected, human_only
from metrics.definitions import METRICS, Metric
from metrics.interval import logit_t
from metrics.patterns import restrict
from metrics.prediction import Prediction
from metrics.sample import Second
from metrics.uncertainty import polya

NAMES = ("Acc", "SES", "cSES", "ESD", "BAS")
SEED = 11


@cache
def population(name: str) -> Frame:
    return POPULATIONS[name](20)


def one_replicate(task: tuple[str, int]) -> dict[str, Outcome]:
    """Every metric on one draw."""
    cell, replicate = CELLS[task[0]], task[1]
    rng = np.random.default_rng([SEED, replicate])
    # What a slice borrows is unbiased over slices, not in any single one: each replicate makes its own.
    whole = POPULATIONS[cell.population](SEED + replicate) if cell.lend else population(cell.population)
    base = whole.tasks(rng) if cell.about == "such tasks" else whole
    drawn = sample(cell, base, rng, replicate)
    said = labels(cell, base, drawn.rows, rng)
    true = truth(cell, whole, said)
    found = {name: _outcome(cell, METRICS[name], base, drawn, said, true) for name in NAMES}
    return {name: outcome for name, outcome in found.items() if outcome is not None}


def _outcome(
    cell: Cell, metric: Metric, base: Frame, drawn: Drawn, said: Labels, true: Callable[[Metric], float]
) -> Outcome | None:
    rows = drawn.rows
    num, den = metric.terms(*said.seen)
    code = restrict(base.code, metric.reads)
    inside = np.ones(len(base.code), dtype=bool) if cell.setting is None else base.setting == cell.setting
    groups, count = np.unique(np.column_stack([code, base.task, base.condition])[inside], axis=0, return_counts=True)
    people = Population(code=groups[:, 0], count=count, task=groups[:, 1])
    right = metric.terms(*base.human[:, rows])
    again = (num, den) if said.again is None else metric.terms(*said.again)
    labelled = Sample(
        num=num,
        den=den,
        code=code[rows],
        in_slice=inside[rows],
        design=drawn.design,
        task=base.task[rows],
        annotator=said.annotator,
        patterns=metric.patterns,
        second=None if said.chosen is None else Second(chosen=said.chosen, num=right[0], den=right[1]),
        another=None if said.twice is None else Second(chosen=said.twice, num=again[0], den=again[1]),
    )
    if not cell.lend:
        return _compared(cell, metric, labelled, people, true(metric))
    share = borrowed(
        labelled,
        people,
        condition=base.condition[rows],
        population_condition=groups[:, 2],
        group=base.setting[rows],
    )
    if share.value is None or share.homogeneity is None:
        return None
    ends = {"default": _ends(share)}
    p = share.homogeneity.p_value
    return Outcome(truth=true(metric), value=share.value, ends=ends, kind="borrowed", p_homogeneous=p)


def _compared(cell: Cell, metric: Metric, labelled: Sample, people: Population, true: float) -> Outcome | None:
    these = corrected(labelled, people, floor=1, about=cell.about)
    if these.value is None or these.se is None:
        return None
    default = these
    if cell.who != "these annotators":
        default = corrected(labelled, people, floor=1, about=cell.about, annotators=cell.who)
    alone = human_only(labelled, people, floor=1, about=cell.about, annotators=cell.who)
    face_value = corrected(labelled, people, floor=1, about=cell.about, prediction=Prediction.of_judge(metric))
    basis = adjudicated_rows(labelled)
    ends = {
        "Wald": _wald(these),
        "λ = 1": _wald(face_value),
        "logit-t": _logit(these, basis.design.degrees_of_freedom(basis.in_slice)),
        "Polya": polya(basis, 0.95) or (0.0, 1.0),
    }
    if default.value is not None:
        ends |= {"human only": _ends(alone), "default": _ends(default)}
    return Outcome(truth=true, value=these.value, ends=ends, kind=these.interval or "", p_homogeneous=None)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--cells", default="", help="only the cells whose name contains this; several after '|'")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    command = " ".join(["python -m benchmarks.coverage", *sys.argv[1:]])
    print(f"{options.replicates} replicates, seed {SEED}. `{command}`\n")
    print(_heading(HEAD))
    rows = []
    with Pool(options.processes) as pool:
        for name, cell in CELLS.items():
            if not any(part in name for part in options.cells.split("|")):
                continue
            started = time.monotonic()
            tasks = [(name, replicate) for replicate in range(options.replicates)]
            replicates = pool.map(one_replicate, tasks, chunksize=10)
            for metric in NAMES:
                outcomes = [found[metric] for found in replicates if metric in found]
                if outcomes:
                    rows.append(row(name, metric, outcomes, counted=cell.shown_to_fail is None))
                    print(rows[-1].line, flush=True)
            print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    print(f"\n{conclusion(rows, options.replicates)}")
    if compared := beside(rows):
        print("\nEach number is the worst of a cell's metrics; widths are over that of people's labels alone.\n")
        print("\n".join([_heading(BESIDE_HEAD), *compared]))


def _heading(columns: Sequence[str]) -> str:
    return f"| {' | '.join(columns)} |\n| {' | '.join('---' for _ in columns)} |"


if __name__ == "__main__":
    main()
