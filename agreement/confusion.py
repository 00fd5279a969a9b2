"""A judge's yes and no against people's: the two-by-two table and what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from agreement.judged_rows import JudgedRows, Table
from agreement.result import Agreement
from agreement.sampled_rows import SampleOptions


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
    category_names: Sequence[str] = ("No", "Yes"),
    **sample: Unpack[SampleOptions],
) -> JudgeAgreement:
    """Weighted confusion table of a judge and people, with the usual figures and their intervals.

    Standard errors are Taylor linearisations: `variance` is asked for the design variance of the weighted total of
    scores. Shares get Student's interval on the logit scale, kappa and MCC on Fisher's z; at 0 or 1, or where nothing
    varied, Clopper and Pearson's with the effective n of Kish, so that no interval has zero width (but in a census).

    Args:
        human: 0, 1, or -1 for missing, shape (n,).
        judge: 0, 1, or -1 for missing (unscored), shape (n,).
        category_names: What 0 and 1 are called in messages.
        sample: `weights`, `variance`, `degrees_of_freedom`, `cluster`, `rows` (a slice), `census` and `level`, see
            `sampled_rows.SampleOptions`; by default an equally weighted simple random sample, at level .95.

    Returns:
        The table and its figures. A share is undefined if nobody is in its denominator, F1 if nobody said yes;
        kappa and MCC are undefined if people or the judge used one category only.

    Raises:
        ValueError: Labels are not 0, 1 or -1, shapes differ, a weight is not > 0, or another option makes no sense:
            all of this at once; or `variance` returned something that is not a variance.

    Source: Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, section 5.5 (linearisation of a
    function of totals), doi:10.1007/978-1-4612-4378-6; kappa, MCC and F1 are such functions of the four cells. MCC:
    Matthews (1975), Biochim. Biophys. Acta 405(2), 442-451, doi:10.1016/0005-2795(75)90109-9.

    >>> result = confusion([1, 1, 1, 0, 0, -1], [1, 1, 0, 0, 1, 1])
    >>> result.counts, result.n_dropped, round(result.sensitivity.value, 3)
    (((1, 1), (1, 2)), 1, 0.667)
    """
    rows = JudgedRows.of(human, judge, category_names, **sample)
    no, yes = rows.names
    everyone, agreed = np.ones(len(rows.human)), (rows.human == rows.judge).astype(np.float64)
    human_yes, judge_yes = rows.human.astype(np.float64), rows.judge.astype(np.float64)
    human_no, judge_no = 1 - human_yes, 1 - judge_yes
    return JudgeAgreement(
        n=rows.rows.n,
        n_dropped=rows.rows.n_dropped,
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
