"""Every metric asked for, and in sentences for whom it holds and what it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass

from audit_app.actions.answered import Grounding
from audit_app.actions.budgeting import MetricBudget
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.seal import Seal
from audit_app.actions.settled import Settled
from metrics.estimate import About, Annotators, Contexts, Target
from metrics.table import Average

WHO: dict[Target, str] = {
    "A": "what one of these annotators would have said",
    "B": "the adjudicated or unanimous label",
}

CONTEXTS: dict[Contexts, str] = {
    "all": "all contexts",
    "valid": "valid contexts only",
    "reclassified": "every context as what it really is",
}

READ: dict[Grounding, str] = {"strict": "G read strictly", "lenient": "G read leniently"}


def scope_of(n_frame: int, n_tasks: int | None, annotators: Annotators) -> str:
    """For which responses and annotators the numbers hold; `n_tasks` where it is for such tasks in general.

    >>> scope_of(80, None, "annotators like these")
    'these 80 responses and annotators like these'
    """
    scope = f"these {n_frame} responses"
    if n_tasks is not None:
        scope = f"such tasks in general, of which these {n_tasks} with {n_frame} responses are a sample"
    return f"{scope} and annotators like these" if annotators == "annotators like these" else scope


def lent(estimates: Sequence[DetailedEstimate], borrow: Sequence[str]) -> str | None:
    """What borrowed numbers rest on; None where there are none."""
    if not any(estimate.tier == "borrowed" for estimate in estimates):
        return None
    return (
        f"A borrowed number rests on the labels of all responses (its own, too) of the same {', '.join(borrow)} and "
        "judge pattern, whatever else they differ in; the column labels counts these."
    )


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
        if all(estimate.method == "naive" for estimate in self.estimates):
            return f"As judge {self.judge} has it, taken at its word, on these {self.n_frame} responses."
        judge = f"judge {self.judge}" if self.judge else "no judge"
        scope = scope_of(self.n_frame, self.n_tasks, self.annotators)
        within = [CONTEXTS[self.contexts]] if self.contexts != "all" else []
        read = [READ[self.grounding]] if any(e.grounding for e in self.estimates) else []
        mean = [f"means over {self.average}"] if self.average != "pooled" else []
        levels = sorted({estimate.level for estimate in self.estimates if estimate.level is not None})
        intervals = [f"{100 * level:g} % intervals" for level in levels if self.seal.is_open]
        made = "; ".join([judge, *within, *read, *mean, *intervals])
        labelled = f"{self.n_labelled} of {self.n_drawn} drawn responses are labelled"
        if self.n_unusable:
            labelled += (
                f", {self.n_unusable} {'was' if self.n_unusable == 1 else 'were'} skipped or could not be judged"
            )
        return (
            f"Corrected to {WHO[self.target]} (target {self.target}), for {scope}; {labelled}; {made}."
            f"{f' {self.looks}' if self.looks else ''}{f' {self.standing}' if self.standing else ''}"
        )

    @property
    def remarks(self) -> list[str]:
        """What else has to be said of the numbers, in sentences."""
        waiting = self.n_drawn - self.n_answered
        like = (
            f"The {waiting} drawn responses that nobody has labelled yet are taken to be like the labelled ones of "
            "their stratum: right if work went in the order of the plan."
        )
        one_part = (
            f"All responses are of one {self.average.removesuffix('s')}: the mean over {self.average} is the same as "
            "the pooled number."
        )
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
