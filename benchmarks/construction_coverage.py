"""How often the intervals hold the truth when some contexts are not what they claim to be.

    OMP_NUM_THREADS=1 python -m benchmarks.construction_coverage --replicates 300 --seed 7

4,950 responses: 110 tasks × 5 conditions, each context answered 9 times. 20 % of the absence contexts leak (they are
clean), 7 % of all contexts are broken otherwise. Linked draw: 40 contexts of each condition, 3 responses of each, all
labelled, and every drawn context audited. The truth is known for valid contexts only, and for contexts under the
condition that they really are. Slices with fewer than 20 labels in the denominator are refused.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_populations import JUDGE_ERROR, MIDDLE, Codes, Floats
from metrics.definitions import METRICS
from metrics.domain import real_condition
from metrics.estimate import Contexts
from metrics.patterns import encode
from metrics.rows import JudgedRows, LabelledRows
from metrics.share import Share
from metrics.table import Options, detailed
from sampling.design import Design

CONDITIONS = ("clean", "authority", "majority", "conflict", "absence")
TASKS, ANSWERS = 110, 9
PLACES: tuple[dict[str, str], ...] = ({}, {"condition": "clean"}, {"condition": "absence"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """Every response, in the form of labelled rows whose contexts are all audited."""

    rows: LabelledRows
    judged: JudgedRows
    context: Codes


@cache
def study(seed: int = 20) -> Study:
    rng = np.random.default_rng(seed)
    task, condition, _ = (axis.ravel() for axis in np.indices((TASKS, len(CONDITIONS), ANSWERS)))
    context = task * len(CONDITIONS) + condition
    fate = rng.random(TASKS * len(CONDITIONS))[context]
    leaks = (condition == len(CONDITIONS) - 1) & (fate < 0.2)
    other = fate > 0.93
    # A leaking absence is answered as a clean context is; one that is broken otherwise as a conflict.
    real = np.where(leaks, 0, np.where(other, 3, condition))
    ease = rng.normal(0, 0.7, TASKS)[task]

    def yes(label: str, more: Floats | float) -> Floats:
        chance = 1 / (1 + np.exp(-np.array(MIDDLE[label])[real] - more))
        return (rng.random(len(task)) < chance).astype(np.float64)

    answers = yes("A", 0.0)
    human = np.array([yes("C", ease), answers, answers * yes("G", 0.5 * ease), yes("D", 0.0)])
    judge = np.where(rng.random(human.shape) < JUDGE_ERROR[condition], 1 - human, human)
    stated = [CONDITIONS[k] for k in condition]
    code = encode(*judge)
    C, A, G, D = human
    rows = LabelledRows(
        columns={"condition": stated},
        code=code,
        C=C,
        A=A,
        G=G,
        D=D,
        design_of=lambda usable: Design.of_draws(stratum=[], stratum_size=[], inclusion_probability=[], unit=[]),
        valid=np.where(leaks | other, 0.0, 1.0),
        recondition=["clean" if leak else None for leak in leaks],
    )
    judged = JudgedRows(columns={"condition": stated}, code=code, count=np.ones(len(code), dtype=np.int64))
    return Study(rows=rows, judged=judged, context=context)


def truth(whole: Study, name: str, contexts: Contexts, place: dict[str, str]) -> float:
    """The metric over the responses that count, by the audit of all contexts."""
    rows = whole.rows
    num, den = METRICS[name].terms(rows.C, rows.A, rows.G, rows.D)
    real = real_condition(rows, "condition")
    stated = np.array(rows.columns["condition"], dtype=object)
    counts = np.array([name is not None for name in real]) if contexts == "reclassified" else rows.valid == 1
    if place:
        counts = counts & ((real if contexts == "reclassified" else stated) == place["condition"])
    return float(num[counts].sum() / den[counts].sum())


def drawn(whole: Study, contexts: int, answers: int, rng: np.random.Generator) -> LabelledRows:
    """A linked draw: so many contexts of each condition, so many responses of each."""
    of_condition = np.arange(TASKS)[:, None] * len(CONDITIONS) + np.arange(len(CONDITIONS))
    chosen = np.concatenate([rng.permutation(of_condition[:, k])[:contexts] for k in range(len(CONDITIONS))])
    order = np.argsort(rng.random((len(chosen), ANSWERS)), axis=1)[:, :answers]
    rows = (chosen[:, None] * ANSWERS + order).ravel()
    labels, stated = whole.rows, [whole.rows.columns["condition"][row] for row in rows.tolist()]

    def design_of(usable: NDArray[np.bool_]) -> Design:
        kept = rows[usable]
        return Design.of_draws(
            stratum=[name for name, use in zip(stated, usable, strict=True) if use],
            stratum_size=np.full(len(kept), TASKS * ANSWERS),
            inclusion_probability=np.full(len(kept), contexts / TASKS * answers / ANSWERS),
            unit=[str(row) for row in kept],
            cluster=[str(row // ANSWERS) for row in kept],
            first_fraction=np.full(len(kept), contexts / TASKS),
        )

    real = labels.recondition or []
    valid = np.asarray(labels.valid)[rows]
    return replace(
        labels,
        columns={"condition": stated},
        code=labels.code[rows],
        **{name: getattr(labels, name)[rows] for name in ("C", "A", "G", "D")},
        valid=valid,
        recondition=[real[row] for row in rows.tolist()],
        design_of=design_of,
    )


def simulate(names: tuple[str, ...], replicates: int, seed: int) -> Iterator[tuple[str, Contexts, str, float, Floats]]:
    """Per metric, view and slice the truth and, shape (replicates, 4), value, low, high and standard error."""
    whole, rng = study(), np.random.default_rng(seed)
    views: tuple[Contexts, ...] = ("valid", "reclassified")
    found: dict[tuple[str, Contexts, str], list[Share]] = {}
    for _ in range(replicates):
        rows = drawn(whole, 40, 3, rng)
        for contexts in views:
            options = Options(target="A", methods=("corrected",), floor=20, contexts=contexts)
            metrics = [METRICS[name] for name in names]
            for estimate, share in detailed(whole.judged, rows, metrics=metrics, slices=PLACES, options=options):
                key = estimate.metric, contexts, estimate.slice.get("condition", "everything")
                found.setdefault(key, []).append(share)
    for (name, contexts, place), shares in found.items():
        real = truth(whole, name, contexts, {} if place == "everything" else {"condition": place})
        ends = np.array([[s.value, s.low, s.high, s.se] for s in shares if s.value is not None], dtype=np.float64)
        yield name, contexts, place, real, ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    command = f"python -m benchmarks.construction_coverage --replicates {options.replicates} --seed {options.seed}"
    print(f"`{command}`\n")
    print("| metric | contexts | slice | truth | covered | width | bias / SE | SE / SD | refused |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, contexts, place, real, ends in simulate(("Acc", "SES", "cSES"), options.replicates, options.seed):
        if not len(ends):
            continue
        value, low, high, se = ends.T
        spread = value.std(ddof=1)
        print(
            f"| {name} | {contexts} | {place} | {real:.3f} | {np.mean((low <= real) & (real <= high)):.3f} "
            f"| {np.mean(high - low):.3f} | {(value.mean() - real) / spread:+.2f} "
            f"| {np.sqrt(np.mean(se**2)) / spread:.2f} | {options.replicates - len(value)} |"
        )


if __name__ == "__main__":
    main()
