"""Every metric asked for, and in sentences for whom it holds and what it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass

from audit_app.actions.answered import Grounding
from audit_app.actions.budgeting import MetricBudget
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.seal import Seal
from audit_app.actions.settled import Settled
from audit_app.language import _, joined, mark, ngettext
from metrics.estimate import About, Annotators, Contexts, Target
from metrics.table import Average

WHO: dict[Target, str] = {
    "A": mark("what one of these annotators would have said"),
    "B": mark("the adjudicated or unanimous label"),
}

CONTEXTS: dict[Contexts, str] = {
    "all": mark("all contexts"),
    "valid": mark("valid contexts only"),
    "reclassified": mark("every context as what it really is"),
}

READ: dict[Grounding, str] = {"strict": mark("G read strictly"), "lenient": mark("G read leniently")}


def scope_of(n_frame: int, n_tasks: int | None, annotators: Annotators) -> str:
    """For which responses and annotators the numbers hold; `n_tasks` where it is for such tasks in general.

    >>> scope_of(80, None, "annotators like these")
    'these 80 responses and annotators like these'
    """
    scope = _("these {n_frame} responses").format(n_frame=n_frame)
    if n_tasks is not None:
        scope = _("such tasks in general, of which these {n_tasks} with {n_frame} responses are a sample").format(
            n_tasks=n_tasks, n_frame=n_frame
        )
    return scope + _(" and annotators like these") if annotators == "annotators like these" else scope


def lent(estimates: Sequence[DetailedEstimate], borrow: Sequence[str]) -> str | None:
    """What borrowed numbers rest on; None where there are none."""
    if not any(estimate.tier == "borrowed" for estimate in estimates):
        return None
    return _(
        "A borrowed number rests on the labels of all responses (its own, too) of the same {columns} and judge "
        "pattern, whatever else they differ in, and holds for these responses; the column labels counts these."
    ).format(columns=joined(map(_, borrow)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsResult:
    """Every metric asked for, naive, human-only and corrected, and for whom it holds."""

    sample_id: str
    judge: str | None
    target: Target
    grounding: Grounding
    about: About
    annotators: Annotators
    contexts: Contexts
    average: Average
    n_labelled: int
    """Drawn responses with a label by people that can be used, of whatever question."""
    n_unusable: int
    """Drawn responses that people have dealt with and that have none: skipped, or they could not be judged."""
    n_drawn: int
    n_frame: int
    n_parts: int | None
    """Runs or regimes that a mean is over; None for pooled numbers."""
    borrow: tuple[str, ...]
    """Columns in which slices are alike that lend each other labels; empty where nothing is borrowed."""
    n_tasks: int | None
    """Tasks that these are a sample of "such tasks" by; None when the intervals are for these responses."""
    seal: Seal
    estimates: tuple[DetailedEstimate, ...]
    before: tuple[DetailedEstimate, ...]
    """For target B, and unless sealed: the same for target A, before anything was decided."""
    budgets: tuple[MetricBudget, ...]
    """Where the width of each corrected number comes from; empty unless asked for, and while results are sealed."""
    settled: Settled | None
    """For target B, and unless sealed: how much of the overlap is decided."""
    left_out: str | None
    """Which of the metrics asked for this study cannot have, and why; None when it has all."""
    standing: str | None
    """Which of the numbers were registered, and which are exploratory; None when nothing was registered."""
    looks: str | None
    """How often the sample was extended, each time after a look at the work; None when it never was."""
    withheld: str | None
    """What was asked for and waits until results are open; None when nothing does."""
    mixture: str | None
    """Which versions of the rubric the labels were given under; None when it is one."""
    of_annotators: tuple[str, ...]
    """What numbers for annotators like these take for granted; empty for these annotators."""

    @property
    def n_answered(self) -> int:
        """Drawn responses that people have dealt with, if only by skipping."""
        return self.n_labelled + self.n_unusable

    @property
    def sentence(self) -> str:
        """For whom and for what the numbers hold."""
        if not self.estimates:
            return _("None of the metrics asked for can be had here.")
        if all(estimate.method == "naive" for estimate in self.estimates):
            return _("As judge {judge} has it, taken at its word, on these {n_frame} responses.").format(
                judge=self.judge, n_frame=self.n_frame
            )
        judge = _("judge {judge}").format(judge=self.judge) if self.judge else _("no judge")
        scope = scope_of(self.n_frame, self.n_tasks, self.annotators)
        within = [_(CONTEXTS[self.contexts])] if self.contexts != "all" else []
        read = [_(READ[self.grounding])] if any(e.grounding for e in self.estimates) else []
        mean = [_("means over {average}").format(average=_(self.average))] if self.average != "pooled" else []
        levels = sorted({estimate.level for estimate in self.estimates if estimate.level is not None})
        intervals = [_("{level:g} % intervals").format(level=100 * level) for level in levels if self.seal.is_open]
        made = _("; ").join([judge, *within, *read, *mean, *intervals])
        labelled = _("{n_labelled} of {n_drawn} drawn responses are labelled").format(
            n_labelled=self.n_labelled, n_drawn=self.n_drawn
        )
        if self.n_unusable:
            labelled += ngettext(
                ", {n} was skipped or could not be judged", ", {n} were skipped or could not be judged", self.n_unusable
            ).format(n=self.n_unusable)
        made_of = _("Corrected to {who} (target {target}), for {scope}; {labelled}; {made}.").format(
            who=_(WHO[self.target]),
            target=self.target,
            scope=scope,
            labelled=labelled,
            made=made,
        )
        return " ".join(said for said in (made_of, self.looks, self.standing) if said)

    @property
    def remarks(self) -> list[str]:
        """What else has to be said of the numbers, in sentences."""
        waiting = self.n_drawn - self.n_answered
        like = _(
            "The {waiting} drawn responses that nobody has labelled yet are taken to be like the "
            "labelled ones of their stratum: right if work went in the order of the plan."
        ).format(waiting=waiting)
        one_part = _(
            "All responses are of one {average}: the mean over {average2} is the same as the pooled number."
        ).format(average=_(self.average.removesuffix("s")), average2=_(self.average))
        said = [
            self.left_out,
            one_part if self.n_parts == 1 else None,
            lent(self.estimates, self.borrow),
            self.settled.sentence if self.settled else None,
            self.withheld,
            like if waiting and self.n_answered and self.seal.is_open else None,
            self.mixture,
            *self.of_annotators,
        ]
        return [sentence for sentence in said if sentence]
