"""The slices of a report: the models, how they compare, and what was registered; a sentence where there is nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from audit_app.actions.comparable import NAMES, Question, values_of
from audit_app.actions.compared import Compared
from audit_app.actions.comparing import compare
from audit_app.actions.comparison_tables import comparison_rows
from audit_app.actions.metric_rows import metric_rows
from audit_app.actions.metrics_result import lent
from audit_app.actions.registration import Registration, registered
from audit_app.actions.results import HEADLINE, MetricsResult, metrics
from audit_app.actions.wording import as_table, markdown
from data.errors import StudyProblem
from data.store.connection import open_store
from data.study import Study

BY_MODEL, COMPARED, REGISTERED = "By model", "The models compared", "Registered slices"

ONE_MODEL = "All responses are of one model, or none says of which: its numbers are those of all responses."
ONE_TO_COMPARE = "There are no two models to compare."
ONE_METRIC = "This is of {metric} alone; `evidence-audit compare` and the screen Compare have the other metrics."
NOTHING_REGISTERED = (
    "Nothing is registered, so every number here is exploratory; register with `evidence-audit register` before "
    "results are seen."
)
NO_SLICES = "No slices are registered, only numbers of all responses."
ANOTHER_SAMPLE = "What is registered is of sample {registered}, and this report is of sample {reported}."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSlices:
    """The models and the registered slices of a study."""

    by_model: MetricsResult | None
    compared: Compared | None
    """The models on one metric: the first that is registered, or the first of the report."""
    registered: tuple[tuple[tuple[str, ...], MetricsResult], ...]
    """The registered metrics by each registered crossing of columns, made as they were registered."""
    instead: Mapping[str, str]
    """By heading, the sentence that stands where nothing was found."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "by_model": [e.as_dict() for e in _sliced(self.by_model)],
            "compared": {"sentence": self.compared.sentence, **asdict(self.compared)} if self.compared else None,
            "registered": [
                {"by": list(by), "sentence": found.sentence, "metrics": [e.as_dict() for e in _sliced(found)]}
                for by, found in self.registered
            ],
            "instead": dict(self.instead),
        }

    def parts(self) -> list[str]:
        """As blocks of Markdown, every heading with its table or its sentence."""
        found: dict[str, list[str]] = {heading: [sentence] for heading, sentence in self.instead.items()}
        if self.by_model:
            said = [markdown(self.by_model.standing)] if self.by_model.standing else []
            found[BY_MODEL] = [*said, _table(self.by_model)]
        if self.compared:
            only = ONE_METRIC.format(metric=self.compared.comparisons[0].metric) if self.compared.comparisons else ""
            said = [markdown(one) for one in (self.compared.sentence, only, *self.compared.notes) if one]
            found[COMPARED] = [*said, as_table(comparison_rows(self.compared), "github")]
        for by, one in self.registered:
            about = f"By {' and '.join(by)}: {one.sentence}"
            note = lent(one.estimates, one.borrow)
            found[REGISTERED] = [
                *found.get(REGISTERED, []), markdown(about), _table(one), *([markdown(note)] if note else [])
            ]  # fmt: skip
        return [
            part for heading in (BY_MODEL, COMPARED, REGISTERED) for part in (f"## {heading}", *found.get(heading, ()))
        ]


def report_slices(study: Study, overall: MetricsResult) -> ReportSlices:
    """The slices beside the overall numbers of a report, of the same sample and judge and read in the same way."""
    with open_store(study) as store:
        everything = registered(store)
    last = everything[-1] if everything else None
    instead: dict[str, str] = {}
    by_model = compared = None
    if "model" in values_of(study):
        by_model = metrics(
            study, by=["model"], sample_id=overall.sample_id, judge=overall.judge, grounding=overall.grounding
        )
        try:
            compared = _compared(study, overall, last.metrics if last else ())
        except StudyProblem as problem:
            instead[COMPARED] = markdown(str(problem))
    else:
        instead |= {BY_MODEL: ONE_MODEL, COMPARED: ONE_TO_COMPARE}
    of_registered: list[tuple[tuple[str, ...], MetricsResult]] = []
    if why := _nothing_registered(last, overall):
        instead[REGISTERED] = why
    elif last:
        try:
            of_registered = [(by, _as_registered(study, last, by)) for by in last.by]
        except StudyProblem as problem:
            instead[REGISTERED] = markdown(str(problem))
    return ReportSlices(by_model=by_model, compared=compared, registered=tuple(of_registered), instead=instead)


def _nothing_registered(last: Registration | None, overall: MetricsResult) -> str | None:
    if last is None:
        return NOTHING_REGISTERED
    if not last.by:
        return NO_SLICES
    sample = last.sample["sample_id"]
    if sample == overall.sample_id:
        return None
    return ANOTHER_SAMPLE.format(registered=markdown(sample), reported=markdown(overall.sample_id))


def _compared(study: Study, overall: MetricsResult, wished: Sequence[str]) -> Compared:
    """The models on the first metric wished for that the study has, else the first that it has.

    Raises:
        StudyProblem: As for `compare`.
    """
    there = list(dict.fromkeys(e.metric for e in overall.estimates if e.metric in NAMES))
    names = [*(name for name in wished if name in there), *there]
    return compare(
        study,
        Question(
            by="model",
            names=names[:1] or HEADLINE,
            sample_id=overall.sample_id,
            judge=overall.judge,
            grounding=overall.grounding,
        ),
    )


def _as_registered(study: Study, last: Registration, by: Sequence[str]) -> MetricsResult:
    return metrics(
        study,
        by=by,
        names=last.metrics,
        sample_id=last.sample["sample_id"],
        judge=last.judge,
        target=last.target,
        grounding=last.grounding,
        about=last.about,
        annotators=last.annotators,
        contexts=last.contexts,
        average=last.average,
        borrow=last.borrow,
        level=last.level,
        floor=last.floor,
    )


def _sliced(found: MetricsResult | None) -> list[Any]:
    return [e for e in found.estimates if e.slice] if found else []


def _table(found: MetricsResult) -> str:
    return as_table(metric_rows(_sliced(found)), "github")
