"""A judge's yes and no against people's: the two-by-two table and what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from agreement.judged_rows import JudgedRows, Table, Variance
from agreement.result import Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """How a judge's binary labels stand to people's; every figure is for the population the weights add up to."""

    n: int
    """Rows with both labels."""
    n_dropped: int
    """Rows where one is missing."""
    counts: tuple[tuple[int, int], tuple[int, int]]
    """Rows of the sample: first index people's label, second the judge's."""
    table: Table
    """The same cells, weighted."""
    sensitivity: Agreement
    """Of what people call yes, the share the judge calls yes."""
    specificity: Agreement
    """Of what people call no, the share the judge calls no."""
    positive_predictive_value: Agreement
    """Of what the judge calls yes, the share people call yes."""
    negative_predictive_value: Agreement
    """Of what the judge calls no, the share people call no."""
    accuracy: Agreement
    kappa: Agreement
    mcc: Agreement
    """Matthews' correlation coefficient of the two labels."""
    f1: Agreement
    """Harmonic mean of sensitivity and positive predictive value."""
    human_prevalence: Agreement
    """Share people call yes."""
    judge_prevalence: Agreement
    """Share the judge calls yes, among the same rows."""
    always_yes: Agreement
    """Accuracy of a judge that looks at nothing and says yes: what `accuracy` has to beat."""
    always_no: Agreement


def confusion(
    human: ArrayLike,
    judge: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    variance: Variance | None = None,
    degrees_of_freedom: float | None = None,
    level: float = 0.95,
    category_names: Sequence[str] = ("No", "Yes"),
) -> JudgeAgreement:
    """Weighted confusion table of a judge and people, with the usual figures and their intervals.

    Standard errors are Taylor linearisations: `variance` is asked for the design variance of the weighted total of
    scores. Shares get Student's interval on the logit scale; at 0 or 1, or where nothing varied, Clopper and
    Pearson's with the effective n of Kish, so that no interval has zero width.

    Args:
        human: 0, 1, or -1 for missing, shape (n,).
        judge: 0, 1, or -1 for missing (unscored), shape (n,).
        weights: Rows of the population that each row stands for, > 0, shape (n,); None for 1.
        variance: Design variance of the weighted total of scores of shape (n,), all rows given, in the order
            given; rows with a missing label score 0. It must belong to the same `weights`. None for simple random
            sampling (with replacement) of the rows with both labels.
        degrees_of_freedom: Of that variance, >= 1; None for the rows with both labels less one.
        level: Confidence level of the intervals.
        category_names: What 0 and 1 are called in messages.

    Returns:
        The table and its figures. A share is undefined if nobody is in its denominator, F1 if nobody said yes;
        kappa and MCC are undefined if people or the judge used one category only.

    Raises:
        ValueError: Labels are not 0, 1 or -1, shapes differ, a weight is not > 0, or `variance` returned
            something that is not a variance.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, section 5.5 (linearisation of a
    function of totals), doi:10.1007/978-1-4612-4378-6; kappa, MCC and F1 are such functions of the four cells. MCC:
    Matthews (1975), Biochim. Biophys. Acta 405(2), 442-451, doi:10.1016/0005-2795(75)90109-9.

    >>> result = confusion([1, 1, 1, 0, 0, -1], [1, 1, 0, 0, 1, 1])
    >>> result.counts, result.n_dropped, round(result.sensitivity.value, 3)
    (((1, 1), (1, 2)), 1, 0.667)
    """
    rows = JudgedRows.of(human, judge, weights, variance, degrees_of_freedom, level, category_names)
    no, yes = rows.names
    everyone, agreed = np.ones(len(rows.weight)), (rows.human == rows.judge).astype(np.float64)
    human_yes, judge_yes = rows.human.astype(np.float64), rows.judge.astype(np.float64)
    human_no, judge_no = 1 - human_yes, 1 - judge_yes
    return JudgeAgreement(
        n=int(rows.kept.sum()),
        n_dropped=int((~rows.kept).sum()),
        counts=rows.counts(),
        table=rows.table(),
        sensitivity=rows.share("sensitivity", agreed, human_yes, f"people's labels is {yes}"),
        specificity=rows.share("specificity", agreed, human_no, f"people's labels is {no}"),
        positive_predictive_value=rows.share(
            "positive_predictive_value", agreed, judge_yes, f"the judge's labels is {yes}"
        ),
        negative_predictive_value=rows.share(
            "negative_predictive_value", agreed, judge_no, f"the judge's labels is {no}"
        ),
        accuracy=rows.share("accuracy", agreed, everyone),
        kappa=rows.kappa(),
        mcc=rows.mcc(),
        f1=rows.f1(),
        human_prevalence=rows.share("human_prevalence", human_yes, everyone),
        judge_prevalence=rows.share("judge_prevalence", judge_yes, everyone),
        always_yes=rows.share("always_yes", human_yes, everyone),
        always_no=rows.share("always_no", human_no, everyone),
    )
