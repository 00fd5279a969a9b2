"""How much of the variance over tasks is between the runs of one question."""

import numpy as np

from metrics.greg import Greg
from metrics.rows import Codes, Flags, Floats
from metrics.sample import Population, Sample

FEWEST_PAIRS = 30
"""Labelled pairs of runs of one question below which runs are not told apart from tasks."""


def run_variance(
    sample: Sample, population: Population, found: Greg, questions: tuple[Codes, Codes] | None
) -> float | str:
    """Sum over questions of r s2, with s2 the variance of u between its r runs: what other runs would have changed.

    u is the score of a response, its prediction plus what that misses. Over the runs of a question

        r s2 = sum_i u_i^2 - 1/(r-1) sum_(i != j) u_i u_j;

    the predicted part is known on the frame, single rows and their products with predictions are weighted totals
    over the labelled rows, and the product of what the prediction misses on two runs is the weighted mean over labelled
    pairs. The judge's values alone would not do: its errors are between runs too.

    Assumes that runs of a question are like a random sample of such runs. Questions answered once are taken to be
    like the others.

    Args:
        sample: The labelled rows.
        population: The slice on the frame.
        found: The estimate.
        questions: What was asked, of each group of the population and of each sampled row; None where not known.

    Returns:
        The variance, which can be below 0 by chance; a sentence where the questions are not given, all were answered
        once, or fewer than `FEWEST_PAIRS` pairs of runs are labelled.
    """
    if questions is None:
        return "not known: which responses are runs of one question is not given"
    count = np.asarray(population.count, dtype=np.float64)
    names, index = np.unique(np.concatenate(questions), return_inverse=True)
    group, row = np.split(index.reshape(-1).astype(np.int64), [len(count)])
    runs = np.bincount(group, count, len(names))
    repeated = runs > 1
    if not repeated.any():
        return "not known: every question was answered once; more runs of it would tell"
    here, weight, e = sample.in_slice & repeated[row], sample.design.weight, found.score(sample)
    product, pairs = _labelled_pairs(row[here], (weight * np.sqrt(sample.design.first_fraction))[here], e[here])
    if pairs < FEWEST_PAIRS:
        return f"not known: {pairs} pairs of runs of one question are labelled, {FEWEST_PAIRS} are needed"
    u, seen = found.predicted_score(population), _predicted(sample, found, here)
    total, square = np.bincount(group, count * u, len(names)), np.bincount(group, count * u * u, len(names))
    missed, more = (weight * e)[here], np.maximum(runs - 1, 1)
    others = (total[row[here]] - seen) / more[row[here]]
    same = square[repeated].sum() + missed @ (2 * seen + e[here])
    across = ((total**2 - square) / more)[repeated].sum() + 2 * missed @ others + runs[repeated].sum() * product
    return float((same - across) * runs.sum() / runs[repeated].sum())


def _predicted(sample: Sample, found: Greg, here: Flags) -> Floats:
    """Predicted scores of labelled rows."""
    rows = Population(code=sample.code[here], count=np.ones(int(here.sum()), dtype=np.int64), part=sample.parts[here])
    return found.predicted_score(rows)


def _labelled_pairs(question: Codes, weight: Floats, e: Floats) -> tuple[float, int]:
    """Weighted mean of e_i e_j over pairs of labelled runs of one question, and how many pairs there are."""
    size = int(question.max(initial=0)) + 1
    rows = np.bincount(question, minlength=size)
    product, weighed = (
        float(np.sum(np.bincount(question, x, size) ** 2 - np.bincount(question, x**2, size)))
        for x in (weight * e, weight)
    )
    return (product / weighed if weighed > 0 else 0.0), int((rows * (rows - 1) // 2).sum())
