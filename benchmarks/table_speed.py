"""How long the table of a whole study takes, naive, human-only and corrected, each with its interval.

    OMP_NUM_THREADS=1 python -m benchmarks.table_speed [--repeats 3]

89,100 judged responses (330 tasks × 5 conditions × 3 runs × 18 settings), 2,000 labels over 90 strata (setting ×
condition). Seeded. The wall clock depends on who else is on the machine; the processor time of one thread hardly does
(idle threads of a matrix library would count as busy). Exits 1 if the target is missed in processor time.
"""

import argparse
import sys
import time

import numpy as np

from benchmarks.coverage_draws import drawn
from benchmarks.coverage_populations import MIDDLE, Codes, Frame, frame
from metrics.definitions import METRICS, WARRANTS
from metrics.rows import JudgedRows, LabelledRows, slices_by
from metrics.table import Options, detailed
from sampling.design import Design

TARGET = 5.0
"""Seconds on 2 cores."""

LABELS = 2000
COLUMNS = ("model", "prompt", "condition", "run")
MARGINAL = ((), ("model",), ("prompt",), ("condition",), ("run",), ("model", "prompt"), ("model", "condition"))


def columns_of(whole: Frame, rows: Codes) -> dict[str, list[str]]:
    run = np.arange(len(whole.code)) // 18 % 3
    values = {
        "model": whole.setting // 6,
        "prompt": whole.setting % 6,
        "condition": whole.condition,
        "run": run,
        "task_id": whole.task,
    }
    return {name: [str(value) for value in codes[rows]] for name, codes in values.items()}


def study(labels: int = LABELS) -> tuple[JudgedRows, LabelledRows]:
    """The counted frame and the labelled rows."""
    whole = frame(MIDDLE, tasks=330, settings=18)
    everything = columns_of(whole, np.arange(len(whole.code)))
    groups = [*(np.array(everything[name]) for name in COLUMNS), whole.code.astype(str)]
    keys, count = np.unique(np.column_stack(groups), axis=0, return_counts=True)
    judged = JudgedRows(
        columns={name: keys[:, k].tolist() for k, name in enumerate(COLUMNS)},
        code=keys[:, -1].astype(np.int64),
        count=count.astype(np.int64),
    )
    size = np.bincount(whole.stratum)
    each = tuple(labels // len(size) + (h < labels % len(size)) for h in range(len(size)))
    rows = drawn(whole.stratum, each, np.random.default_rng(1))
    taken = np.bincount(whole.stratum[rows])
    C, A, G, D = whole.human[:, rows]

    def design_of(usable: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Design:
        stratum = whole.stratum[rows[usable]]
        return Design.of_draws(
            stratum=[f"{h:02}" for h in stratum],
            stratum_size=size[stratum],
            inclusion_probability=(taken / size)[stratum],
            unit=[str(row) for row in rows[usable]],
        )

    return judged, LabelledRows(
        columns=columns_of(whole, rows), code=whole.code[rows], C=C, A=A, G=G, D=D, design_of=design_of
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    judged, labelled = study()
    metrics = [metric for name, metric in METRICS.items() if name not in WARRANTS]
    full = slices_by(judged, ["model", "prompt", "condition"])
    marginal = [place for columns in MARGINAL for place in slices_by(judged, columns)]
    print(f"{int(judged.count.sum()):,} responses in {len(judged.code):,} groups, {len(labelled.code):,} labels\n")
    print("| table | numbers | with an interval | wall s | processor s |\n| --- | --- | --- | --- | --- |")
    slowest = 0.0
    for name, slices, floor in (
        (f"18 settings × 5 conditions × {len(metrics)} metrics", full, 30),
        ("the same, nothing refused", full, 1),
        (f"margins ({len(marginal)} slices)", marginal, 30),
    ):
        times = []
        for _ in range(repeats):
            start = time.perf_counter(), time.process_time()
            found = detailed(judged, labelled, metrics=metrics, slices=slices, options=Options(target="A", floor=floor))
            times.append((time.process_time() - start[1], time.perf_counter() - start[0]))
        processor, wall = min(times)
        slowest = max(slowest, processor)
        drawn_ = sum(share.low is not None for _, share in found)
        print(f"| {name} | {len(found):,} | {drawn_:,} | {wall:.2f} | {processor:.2f} |", flush=True)
    print(f"\nTarget: under {TARGET:g} s of processor time each; the slowest took {slowest:.2f} s.")
    return int(slowest >= TARGET)


if __name__ == "__main__":
    sys.exit(main())
