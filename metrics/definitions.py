"""The metrics: each is a ratio of two totals over the labels C, A, G, D of single responses."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Formula = Callable[[Floats, Floats, Floats, Floats], Floats]

LABELS = ("C", "A", "G", "D")
"""Correct, substantive answer, grounded in the context, discloses: the order of the digits of a pattern and of the
arguments everywhere in this room. People are asked them the other way round, see `data.records.LABELS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A share: the total of `numerator` over the total of `denominator`, both in {0, 1} for each response.

    Of a mean score, see `diagnostics`, the numerator is a share of its top value.
    """

    name: str
    title: str
    sentence: str
    """What the number says, for a person who has not read the definition."""
    needs: frozenset[str]
    """Labels that decide; a response that lacks one is non-response, unless the others settle the metric."""
    reads: frozenset[str]
    """Labels that the formulas look at: those needed, except for `ambiguous`, which counts what is unusable."""
    numerator: Formula
    denominator: Formula

    @property
    def asks(self) -> frozenset[str]:
        """Labels of a response that the metric rests on: those read, but for the array that `WARRANTS` put in for D.

        >>> sorted(METRICS["SES"].asks), sorted(METRICS["abstention-warranted"].asks)
        (['A', 'D', 'G'], ['A', 'C'])
        """
        return self.reads - {"D"} if self.name in WARRANTS else self.reads

    @property
    def patterns(self) -> tuple[tuple[float, float], ...]:
        """The (numerator, denominator) that a response can have, from all its possible labels.

        >>> METRICS["Acc"].patterns, METRICS["ESD"].patterns
        (((0.0, 1.0), (1.0, 1.0)), ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
        """
        labels = np.array(list(product((0.0, 1.0), repeat=len(LABELS)))).T
        num, den = self.terms(*labels)
        return tuple(sorted(set(zip(num.tolist(), den.tolist(), strict=True))))

    def terms(self, C: ArrayLike, A: ArrayLike, G: ArrayLike, D: ArrayLike) -> tuple[Floats, Floats]:
        """Numerator and denominator of each response.

        They are known where the usable labels settle both, whatever the missing ones are: S is 0 where A = 0 or
        G = 1, and a product with C is 0 where C = 0. Which responses are lost so depends on what was answered;
        `weighting_class` makes up for that.

        Args:
            C: 1 yes, 0 no, nan unusable; shape (n,), as are A, G and D.
            A: As C.
            G: As C.
            D: As C.

        Returns:
            Two arrays of shape (n,), both nan where a missing label could change either.

        Raises:
            ValueError: A label is something else than 0, 1 or nan.

        >>> num, den = METRICS["cSES"].terms([1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0], [0, 1, np.nan, np.nan])
        >>> num.tolist(), den.tolist()
        ([1.0, 0.0, 0.0, nan], [1.0, 1.0, 0.0, nan])
        """
        labels = np.array([_binary(name, values) for name, values in zip(LABELS, (C, A, G, D), strict=True)])
        needed = np.array([name in self.needs for name in LABELS])
        lacking = np.isnan(labels) & needed[:, None]
        terms = np.array([self.numerator(*labels), self.denominator(*labels)])
        gaps = lacking.any(axis=0)
        if gaps.any():
            terms[:, gaps] = self._settled(labels[:, gaps], lacking[:, gaps])
        return terms[0], terms[1]

    def _settled(self, labels: Floats, lacking: NDArray[np.bool_]) -> Floats:
        """The terms that are the same with every filling of what is lacking, else nan; shape (2, n)."""
        fillings = (
            np.where(lacking, np.array(one)[:, None], labels) for one in product((0.0, 1.0), repeat=len(LABELS))
        )
        found = np.array([[self.numerator(*filled), self.denominator(*filled)] for filled in fillings])
        same = (found == found[0]).all(axis=(0, 1))
        return np.where(same, found[0], np.nan)


def _binary(name: str, values: ArrayLike) -> Floats:
    label = np.asarray(values, dtype=np.float64)
    odd = ~(np.isnan(label) | (label == 0) | (label == 1))
    if odd.any():
        raise ValueError(f"label {name} is {label[odd][0]:g}; expected 0, 1 or nan (unusable)")
    return label


def _shift(A: Floats, G: Floats) -> Floats:
    """The evidence shift S: a substantive answer that the context does not establish."""
    return A * (1 - G)


def _one(C: Floats, A: Floats, G: Floats, D: Floats) -> Floats:
    return np.ones(len(C))


def _ambiguous(C: Floats, A: Floats, G: Floats, D: Floats) -> Floats:
    unknown = np.isnan(A) | np.isnan(C) | ((A == 1) & np.isnan(G))
    return np.where(unknown | ((A == 0) & (C == 1)), 1.0, 0.0)


def _metric(name: str, title: str, sentence: str, needs: str, over: Formula, count: Formula, reads: str = "") -> Metric:
    needed = frozenset(needs)
    return Metric(
        name=name,
        title=title,
        sentence=sentence,
        needs=needed,
        reads=frozenset(reads) or needed,
        numerator=count,
        denominator=over,
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
    # The ambiguous are also those whose cell the usable labels do not settle (no answer needs no G): the cells are then
    # disjoint, and every response is in one. D decides none of them.
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
        "Share of responses that are correct without a substantive answer, or lack a label that would place them.",
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
