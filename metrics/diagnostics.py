"""The six diagnostics of a response, 0 to 2 each, and the three stages they make up, as metrics of a table."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from metrics.definitions import Floats, Metric
from metrics.estimate import Estimate
from metrics.rows import JudgedRows, LabelledRows, Slice
from metrics.share import Share
from metrics.table import Options, detailed

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

Answers = tuple[Floats, Floats, Floats, Floats]


Scaled = TypeVar("Scaled", Estimate, Share)


def answers(values: ArrayLike) -> Answers:
    """One or two diagnostics as four answers, in the place of C, A, G and D: "at least 1" and "2" of each.

    A table then treats half the score as it does a share, and the distance between the judge's patterns is that of the
    values: 0 is nearer to 1 than to 2.

    Args:
        values: 0, 1, 2 or nan (missing); shape (n,) for a diagnostic, (2, n) for a stage.

    Returns:
        Four arrays of shape (n,); nan where the diagnostic is missing, and in the last two where there is but one.

    Raises:
        ValueError: A value is something else, or there are more than two rows.

    >>> [answer.tolist() for answer in answers([0, 1, 2])[:2]]
    [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    """
    rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if rows.ndim != 2 or len(rows) > 2:
        raise ValueError(f"diagnostics have shape {np.shape(values)}; expected (n,) for one, (2, n) for a stage")
    odd = ~(np.isnan(rows) | np.isin(rows, (0, 1, TOP)))
    if odd.any():
        raise ValueError(f"a diagnostic is {rows[odd][0]:g}; expected 0, 1, 2 or nan (missing)")
    nothing = np.full(rows.shape[1], np.nan)
    found = [np.where(np.isnan(row), np.nan, row >= least) for row in rows for least in (1, TOP)]
    first, second, third, fourth = [*found, nothing, nothing][:4]
    return first, second, third, fourth


def scale(name: str) -> Metric:
    """The mean of a diagnostic or stage, divided by `TOP`, as a metric of its `answers`: a stage needs both.

    >>> scale("Detection").terms([1, 1], [1, 0], [0, 1], [0, float("nan")])
    (array([0.5, nan]), array([ 1., nan]))
    """
    needed = frozenset("CA" if len(SCALES[name]) == 1 else "CAGD")
    title = name.replace("_", " ").capitalize()

    def half(C: Floats, A: Floats, G: Floats, D: Floats) -> Floats:
        return (C + A) / 2 if len(needed) == 2 else (C + A + G + D) / 4

    return Metric(
        name=name,
        title=title,
        sentence=f"Mean {title.lower()} of the responses, from 0 to {TOP}.",
        needs=needed,
        reads=needed,
        numerator=half,
        denominator=lambda C, A, G, D: np.ones(len(C)),
    )


def means(
    name: str, judged: JudgedRows, labelled: LabelledRows, *, slices: Iterable[Slice], options: Options
) -> list[tuple[Estimate, Share]]:
    """The mean of a diagnostic or stage, slice by slice and method by method, each with its share.

    Model-assisted as `correction.corrected`: the prediction is the weighted mean of people's scores per judge value
    (for a stage, per pair of values). Half the score is a share, and is treated as one; where all scores seen are
    equal the interval is the exact one of a share, which is wide for a mean of scores.

    Args:
        name: One of `SCALES`.
        judged: The population, its pattern encoded from the `answers` of the judge's values.
        labelled: The sampled rows, with the `answers` of people's values as labels.
        slices: Where; `{}` is everything.
        options: How.

    Returns:
        Estimates and shares on the scale 0 to 2. Undefined, refused or exact as for `correction.corrected`.

    Raises:
        ValueError: As `table.detailed`.
        KeyError: As `table.detailed`, or there is no such scale.
    """
    found = detailed(judged, labelled, metrics=[scale(name)], slices=slices, options=options)
    return [(_on_scale(estimate), _on_scale(share)) for estimate, share in found]


def _on_scale(found: Scaled) -> Scaled:
    """From a share in [0, 1] to the scale of the diagnostics."""
    names = ("value", "low", "high", *(("se", "clipped_from") if isinstance(found, Share) else ()))
    return replace(found, **{name: TOP * known for name in names if (known := getattr(found, name)) is not None})
