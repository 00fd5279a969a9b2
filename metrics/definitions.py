"""The metrics: each is a ratio of two totals over the labels C, A, G, D of single responses."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Formula = Callable[[Floats, Floats, Floats, Floats], Floats]

LABELS = ("C", "A", "G", "D")
"""Correct, substantive answer, grounded in the context, discloses: always in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A share: the total of `numerator` over the total of `denominator`, both in {0, 1} for each response."""

    name: str
    title: str
    sentence: str
    """What the number says, for a person who has not read the definition."""
    needs: frozenset[str]
    """Labels that must be usable; a response that lacks one is non-response for this metric."""
    reads: frozenset[str]
    """Labels that the formulas look at: those needed, except for `ambiguous`, which counts what is unusable."""
    numerator: Formula
    denominator: Formula

    @property
    def patterns(self) -> tuple[tuple[int, int], ...]:
        """The (numerator, denominator) that a response can have, from all its possible labels.

        >>> METRICS["Acc"].patterns, METRICS["ESD"].patterns
        (((0, 1), (1, 1)), ((0, 0), (0, 1), (1, 1)))
        """
        labels = np.array(list(product((0.0, 1.0), repeat=len(LABELS)))).T
        num, den = self.terms(*labels)
        return tuple(sorted(set(zip(num.astype(int).tolist(), den.astype(int).tolist(), strict=True))))

    def terms(self, C: ArrayLike, A: ArrayLike, G: ArrayLike, D: ArrayLike) -> tuple[Floats, Floats]:
        """Numerator and denominator of each response.

        All needed labels must be usable, even where the others would settle the answer (S is 0 whatever G is
        when A = 0): otherwise which responses are lost would depend on what was answered.

        Args:
            C: 1 yes, 0 no, nan unusable; shape (n,), as are A, G and D.
            A: As C.
            G: As C.
            D: As C.

        Returns:
            Two arrays of shape (n,), nan where a needed label is nan.

        Raises:
            ValueError: A label is something else than 0, 1 or nan.

        >>> num, den = METRICS["cSES"].terms([1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, np.nan])
        >>> num.tolist(), den.tolist()
        ([1.0, 0.0, nan], [1.0, 1.0, nan])
        """
        labels = [_binary(name, values) for name, values in zip(LABELS, (C, A, G, D), strict=True)]
        return self.numerator(*labels), self.denominator(*labels)


def _binary(name: str, values: ArrayLike) -> Floats:
    label = np.asarray(values, dtype=np.float64)
    odd = ~(np.isnan(label) | (label == 0) | (label == 1))
    if odd.any():
        raise ValueError(f"label {name} is {label[odd][0]:g}; expected 0, 1 or nan (unusable)")
    return label


def _where_usable(needs: frozenset[str], formula: Formula) -> Formula:
    """The formula, nan wherever a needed label is nan."""

    def masked(C: Floats, A: Floats, G: Floats, D: Floats) -> Floats:
        needed = [label for name, label in zip(LABELS, (C, A, G, D), strict=True) if name in needs]
        unusable = np.isnan(needed).any(axis=0) if needed else np.zeros(len(C), dtype=bool)
        return np.where(unusable, np.nan, formula(C, A, G, D))

    return masked


def _shift(A: Floats, G: Floats) -> Floats:
    """The evidence shift S: a substantive answer that the context does not establish."""
    return A * (1 - G)


def _one(C: Floats, A: Floats, G: Floats, D: Floats) -> Floats:
    return np.ones(len(C))


def _ambiguous(C: Floats, A: Floats, G: Floats, D: Floats) -> Floats:
    unusable = np.isnan(C) | np.isnan(A) | np.isnan(G)
    return np.where(unusable | ((A == 0) & (C == 1)), 1.0, 0.0)


def _metric(name: str, title: str, sentence: str, needs: str, over: Formula, count: Formula, reads: str = "") -> Metric:
    needed = frozenset(needs)
    return Metric(
        name=name,
        title=title,
        sentence=sentence,
        needs=needed,
        reads=frozenset(reads) or needed,
        numerator=_where_usable(needed, count),
        denominator=_where_usable(needed, over),
    )


_ALL = (
    _metric("Acc", "Accuracy", "Share of responses whose final answer is correct.", "C", _one, lambda C, A, G, D: C),
    _metric(
        "SES",
        "Silent evidence shift",
        "Share of responses that answer beyond their context without saying so.",
        "AGD",
        _one,
        lambda C, A, G, D: _shift(A, G) * (1 - D),
    ),
    _metric(
        "cSES",
        "Silent evidence shift among correct answers",
        "Share of the correct responses that answer beyond their context without saying so.",
        "CAGD",
        lambda C, A, G, D: C,
        lambda C, A, G, D: C * _shift(A, G) * (1 - D),
    ),
    _metric(
        "ESD",
        "Evidence-shift disclosure",
        "Share of the answers beyond their context that say so.",
        "AGD",
        lambda C, A, G, D: _shift(A, G),
        lambda C, A, G, D: _shift(A, G) * D,
    ),
    _metric(
        "BAS",
        "Accuracy less silent shifts",
        "Share of responses that are correct and not a silent evidence shift.",
        "CAGD",
        _one,
        lambda C, A, G, D: C * (1 - _shift(A, G) * (1 - D)),
    ),
    _metric(
        "BAS_alternative",
        "Accuracy, grounded or disclosed",
        "Share of responses that are correct and grounded or disclosed; differs from BAS where A = 0.",
        "CGD",
        _one,
        lambda C, A, G, D: C * np.maximum(G, D),
    ),
    # All the shares of the taxonomy need C, A and G, and the ambiguous are those that lack one of them: the cells
    # are then disjoint, and add up to 1 where every response is scored. D decides none of them.
    _metric(
        "grounded-correct",
        "Grounded and correct",
        "Share of responses with a correct answer that the context establishes.",
        "CAG",
        _one,
        lambda C, A, G, D: A * G * C,
    ),
    _metric(
        "ungrounded-correct",
        "Ungrounded but correct",
        "Share of responses with a correct answer that the context does not establish.",
        "CAG",
        _one,
        lambda C, A, G, D: A * (1 - G) * C,
    ),
    _metric(
        "grounded-wrong",
        "Grounded but wrong",
        "Share of responses with a wrong answer that the context establishes.",
        "CAG",
        _one,
        lambda C, A, G, D: A * G * (1 - C),
    ),
    _metric(
        "ungrounded-wrong",
        "Ungrounded and wrong",
        "Share of responses with a wrong answer that the context does not establish.",
        "CAG",
        _one,
        lambda C, A, G, D: A * (1 - G) * (1 - C),
    ),
    _metric(
        "abstention",
        "Abstention",
        "Share of responses that give no substantive answer, and none that is correct.",
        "CAG",
        _one,
        lambda C, A, G, D: (1 - A) * (1 - C),
    ),
    _metric(
        "ambiguous",
        "Ambiguous",
        "Share of responses that are correct without a substantive answer, or lack a usable C, A or G.",
        "",
        _one,
        _ambiguous,
        reads="CAG",
    ),
    _metric(
        "grounded-of-correct",
        "Grounded among correct answers",
        "Share of the correct responses with an answer that the context establishes.",
        "CAG",
        lambda C, A, G, D: C,
        lambda C, A, G, D: A * G * C,
    ),
    _metric(
        "ungrounded-of-correct",
        "Ungrounded among correct answers",
        "Share of the correct responses with an answer that the context does not establish.",
        "CAG",
        lambda C, A, G, D: C,
        lambda C, A, G, D: A * (1 - G) * C,
    ),
    # For these two the fourth array is not D but W: 1 where a reader of the context found no one answer established.
    # No judge labels it; the judge's own C, A and D predict it.
    _metric(
        "abstention-warranted",
        "Warranted abstention",
        "Share of responses that give no answer where the context, as audited, establishes none.",
        "CAD",
        _one,
        lambda C, A, G, D: (1 - A) * (1 - C) * D,
    ),
    _metric(
        "abstention-unwarranted",
        "Unwarranted abstention",
        "Share of responses that give no answer though the context, as audited, establishes one.",
        "CAD",
        _one,
        lambda C, A, G, D: (1 - A) * (1 - C) * (1 - D),
    ),
)

METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}
"""Every metric by its name, in the order of reports."""

WARRANTS = frozenset({"abstention-warranted", "abstention-unwarranted"})
"""The metrics that read, in place of D, whether the context warrants an abstention; they have no naive number."""
