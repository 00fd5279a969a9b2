"""The six diagnostics of a response, 0 to 2 each, and the three stages they make up."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.correction import FLOOR, Population, Sample, Share, corrected
from metrics.patterns import encode
from sampling.design import Design

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]

STAGES: dict[str, tuple[str, str]] = {
    "Detection": ("conflict_awareness", "source_sensitivity"),
    "Action": ("uncertainty_expression", "graceful_degradation"),
    "Attribution": ("evidence_adherence", "provenance_honesty"),
}
"""Each stage and its two diagnostics."""

SCALES: dict[str, tuple[str, ...]] = {
    **{name: (name,) for stage in STAGES.values() for name in stage},
    **STAGES,
}
"""What is reported, by name, and the diagnostics whose mean it is."""

TOP = 2
"""Highest value of a diagnostic."""


def response_scores(values: ArrayLike) -> Floats:
    """The score of each response: the mean of its one or two diagnostics.

    Args:
        values: 0, 1, 2 or nan (missing); shape (n,) for a diagnostic, (2, n) for a stage.

    Returns:
        Shape (n,), in [0, 2]; nan where a diagnostic is missing: a stage needs both.

    Raises:
        ValueError: A value is something else, or there are more than two rows.

    >>> response_scores([[0, 1, 2], [1, 1, float("nan")]]).tolist()
    [0.5, 1.0, nan]
    """
    scores: Floats = _rows(values).mean(axis=0)
    return scores


def judge_patterns(values: ArrayLike) -> Codes:
    """The judge's one or two diagnostics as one pattern, shape (n,), to be used as in `patterns`.

    Each is written as two answers, "at least 1" and "2", so that the distance between patterns is that of the
    values: 0 is nearer to 1 than to 2. A stage whose diagnostics are both missing is `patterns.MISSING`.

    Arguments and errors as for `response_scores`.

    >>> judge_patterns([0, 1, 2, float("nan")]).tolist()
    [8, 35, 44, 80]
    """
    digits = []
    for row in _rows(values):
        missing = np.isnan(row)
        digits += [np.where(missing, np.nan, row >= 1), np.where(missing, np.nan, row >= TOP)]
    while len(digits) < 4:
        digits.append(np.full(len(digits[0]), np.nan))
    return encode(*digits)


def _rows(values: ArrayLike) -> Floats:
    rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if rows.ndim != 2 or len(rows) > 2:
        raise ValueError(f"diagnostics have shape {np.shape(values)}; expected (n,) for one, (2, n) for a stage")
    odd = ~(np.isnan(rows) | np.isin(rows, (0, 1, TOP)))
    if odd.any():
        raise ValueError(f"a diagnostic is {rows[odd][0]:g}; expected 0, 1, 2 or nan (missing)")
    return rows


def judged_mean(judge: ArrayLike, count: ArrayLike) -> Share:
    """The mean score as the judge gave it; no interval, as all responses are counted.

    Args:
        judge: Its values, shape (k,) or (2, k), as for `response_scores`.
        count: Responses of the slice with these values, shape (k,).

    Returns:
        A value in [0, 2]; `n` counts the responses with a score and `n_dropped` the others.

    >>> judged_mean([0, 2, float("nan")], [1, 3, 2]).value
    1.5
    """
    score, size = response_scores(judge), np.asarray(count, dtype=np.int64)
    usable = ~np.isnan(score)
    n, dropped = int(size[usable].sum()), int(size[~usable].sum())
    if not n:
        return Share(
            value=None, n=0, n_dropped=dropped, why_undefined="undefined: no response has a usable judge score"
        )
    return Share(value=float(size[usable] @ score[usable]) / n, n=n, n_dropped=dropped)


def human_mean(
    human: ArrayLike,
    in_slice: ArrayLike,
    design_of: Callable[[Flags], Design],
    size: int,
    *,
    level: float = 0.95,
    floor: int = FLOOR,
) -> Share:
    """The mean score from people's values alone, weighted by the design.

    Arguments, result and errors as for `corrected_mean`; of the population, only the size of the slice is used.
    """
    nothing = np.full(np.shape(human), np.nan)
    frame = np.full((*np.shape(human)[:-1], 1), np.nan)
    return corrected_mean(human, nothing, in_slice, design_of, frame, [size], level=level, floor=floor)


SCORES = tuple((half / 4, 1.0) for half in range(5))
"""The (num, den) of a score on the scale of a share: a diagnostic takes every other one, a stage all."""


def corrected_mean(
    human: ArrayLike,
    judge: ArrayLike,
    in_slice: ArrayLike,
    design_of: Callable[[Flags], Design],
    frame_judge: ArrayLike,
    frame_count: ArrayLike,
    *,
    level: float = 0.95,
    floor: int = FLOOR,
) -> Share:
    """The mean score as people would give it, from theirs on a sample and the judge's on everything.

    Model-assisted as `correction.corrected`: the prediction is the weighted mean of people's scores per judge value
    (for a stage, per pair of values). Half the score is a share, and is treated as one.

    Args:
        human: People's values on the whole draw, shape (n,) for a diagnostic or (2, n) for a stage; nan unusable.
        judge: The judge's on the same rows, same shape.
        in_slice: Whether the row is of the slice, shape (n,).
        design_of: The design of the rows where a flag, shape (n,), is true.
        frame_judge: The judge's values in the slice, shape (k,) or (2, k); repeats allowed.
        frame_count: Responses of the slice with these values, shape (k,).
        level: Confidence level in (0, 1).
        floor: Scored rows that the slice needs.

    Returns:
        Value, standard error and interval on the scale 0 to 2; `n_dropped` counts the rows of the slice that lack a
        value. Undefined, refused or exact as for `corrected`. Where all scores seen are equal, the interval is the
        exact one of a share, which is wide for a mean of scores.

    Raises:
        ValueError: A value is not 0, 1, 2 or nan, shapes differ, or more rows are sampled than the slice has.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, chapters 6 and 7.

    >>> def design_of(rows: Flags) -> Design:
    ...     n = int(rows.sum())
    ...     return Design.of_draws(stratum=["all"] * n, stratum_size=[8] * n, inclusion_probability=[n / 8] * n,
    ...                            unit=[str(i) for i in range(n)])
    >>> found = corrected_mean([2, 1, 0, 0], [2, 2, 0, 0], [True] * 4, design_of, [0, 2], [6, 2], floor=4)
    >>> round(found.value, 6)  # 2 of 8 have a judge's 2, which people see as 1.5 on average
    0.375
    """
    score, code = response_scores(human), judge_patterns(judge)
    inside = np.asarray(in_slice, dtype=bool)
    if not score.shape == code.shape == inside.shape:
        raise ValueError(f"people's, judge's and slice rows differ: {score.shape}, {code.shape}, {inside.shape}")
    usable: Flags = ~np.isnan(score)
    sample = Sample(
        num=score[usable] / TOP,
        den=np.ones(int(usable.sum())),
        code=code[usable],
        in_slice=inside[usable],
        design=design_of(usable),
        patterns=SCORES,
    )
    population = Population(code=judge_patterns(frame_judge), count=np.asarray(frame_count, dtype=np.int64))
    share = corrected(sample, population, level=level, floor=floor)
    return _on_scale(share.dropping(int((inside & ~usable).sum())))


def _on_scale(share: Share) -> Share:
    """From a share in [0, 1] to the scale of the diagnostics."""
    names = ("value", "se", "low", "high", "clipped_from")
    scaled = {name: TOP * found for name in names if (found := getattr(share, name)) is not None}
    return replace(share, **scaled)
