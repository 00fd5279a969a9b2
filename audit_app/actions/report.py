"""The report: one page of Markdown, or the same as JSON."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from audit_app.actions.answered import Grounding
from audit_app.actions.budgeting import budget_lines, budget_rows
from audit_app.actions.contexts import ContextAudit, broken_rows, context_audit
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.diagnostics import DiagnosticsResult, diagnostics
from audit_app.actions.judge_rows import judge_rows
from audit_app.actions.judging import JudgeCheck, judge_check
from audit_app.actions.leak_audit import LeakAudit, leak_audit
from audit_app.actions.leak_rows import audit_tables
from audit_app.actions.metric_rows import interval_lines, metric_rows, number, view_rows
from audit_app.actions.rater_rows import agreement_rows, decision_rows, pair_rows
from audit_app.actions.raters import AgreementResult, agreement
from audit_app.actions.report_slices import ReportSlices, report_slices
from audit_app.actions.results import MetricsResult, metrics
from audit_app.actions.withholding import Withheld
from audit_app.actions.wording import as_table as as_table
from audit_app.actions.wording import markdown
from audit_app.actions.wording import percent as percent
from audit_app.actions.wording import with_interval as with_interval
from audit_app.language import _, mark
from data.errors import StudyProblem
from data.study import Study
from metrics.definitions import METRICS


def finding_rows(audit: ContextAudit) -> list[dict[str, str]]:
    """One row per context in which something is wrong or surprising."""
    return [
        {
            "context": finding.context_id,
            "condition": finding.condition or "",
            "read blind": _("{answer} (surprising)").format(answer=finding.answerable)
            if finding.surprising
            else finding.answerable or "",
            "the blind reader's words": finding.blind_note or "",
            "construction errors": ", ".join(finding.errors),
            "quotes": "; ".join(finding.quotes),
            "note": finding.comment or "",
        }
        for finding in audit.findings
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything a reader needs to trust or doubt the numbers."""

    study: str
    overall: MetricsResult
    by_condition: MetricsResult | None
    slices: ReportSlices
    adjudicated: MetricsResult | None
    """The overall numbers for target B, once enough of the overlap is decided for any of them."""
    diagnostics: DiagnosticsResult | None
    judge: JudgeCheck | None
    agreement: AgreementResult | None
    contexts: ContextAudit | None
    leaks: LeakAudit | None
    views: tuple[DetailedEstimate, ...]
    """The corrected numbers of all contexts, of valid ones, and of each as what it really is; empty without audit."""
    missing: tuple[str, ...]
    """What could not be reported, and why."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "study": self.study,
            "sentence": self.overall.sentence,
            "seal": self.overall.seal.sentence,
            "metrics": [e.as_dict() for e in (self.by_condition or self.overall).estimates],
            **self.slices.as_dict(),
            "adjudicated": [e.as_dict() for e in self.adjudicated.estimates] if self.adjudicated else None,
            "diagnostics": [e.as_dict() for e in self.diagnostics.estimates] if self.diagnostics else None,
            "judge": asdict(self.judge) if self.judge else None,
            "agreement": asdict(self.agreement) if self.agreement else None,
            "contexts": asdict(self.contexts) if self.contexts else None,
            "leaks": asdict(self.leaks) if self.leaks else None,
            "by_contexts": [e.as_dict() for e in self.views],
            "budgets": [one.as_dict() for one in self.overall.budgets],
            "missing": list(self.missing),
        }


def report(
    study: Study, *, sample_id: str | None = None, judge: str | None = None, grounding: Grounding = "strict"
) -> Report:
    """The report of a study; parts that cannot be made are named with the reason."""
    by = ["condition"] if study.conditions else []
    sliced = metrics(study, sample_id=sample_id, judge=judge, by=by, grounding=grounding, budget="overall")
    overall = replace(sliced, estimates=tuple(e for e in sliced.estimates if not e.slice))
    missing = [sentence for sentence in (overall.left_out, overall.withheld) if sentence]
    checked = compared = audited = leaks = adjudicated = None
    # Without an overlap nobody planned to adjudicate: nothing is missing.
    with suppress(StudyProblem):
        try:
            adjudicated = metrics(study, sample_id=sample_id, judge=judge, target="B", grounding=grounding)
            missing += [adjudicated.settled.sentence] if adjudicated.settled and adjudicated.settled.sentence else []
        except Withheld as why:
            missing.append(f"Adjudicated: {why}")
    scored = diagnostics(study, sample_id=sample_id, judge=judge)
    try:
        checked = judge_check(study, sample_id=sample_id, judge=judge, grounding=grounding)
    except StudyProblem as problem:
        missing.append(f"Judge against people: {problem}")
    try:
        compared = agreement(study, sample_id=sample_id)
    except StudyProblem as problem:
        missing.append(f"Agreement: {problem}")
    if "context" in study.rubric.passes("context"):
        try:
            audited = context_audit(study, sample_id=sample_id)
            leaks = leak_audit(study, sample_id=sample_id) if audited.n_audited else None
        except StudyProblem as problem:
            missing.append(f"Context audit: {problem}")
    return Report(
        study=study.name,
        overall=overall,
        by_condition=sliced if any(e.slice.get("condition") for e in sliced.estimates) else None,
        slices=report_slices(study, overall),
        adjudicated=adjudicated if adjudicated and _corrected(adjudicated) else None,
        diagnostics=scored if scored.estimates else None,
        judge=checked,
        agreement=compared,
        contexts=audited if audited and audited.n_drawn else None,
        leaks=leaks,
        views=views(study, sliced, by=by) if audited and audited.n_audited else (),
        missing=tuple(missing),
    )


def views(study: Study, all_contexts: MetricsResult, *, by: Sequence[str]) -> tuple[DetailedEstimate, ...]:
    """Corrected numbers made in one way under every view of the contexts; none where no labelled row is audited."""
    way = {name: getattr(all_contexts, name) for name in WAY}
    names = tuple(dict.fromkeys(e.metric for e in all_contexts.estimates))
    found = list(all_contexts.estimates)
    try:
        for contexts in ("valid", "reclassified"):
            found += metrics(study, by=by, names=names, contexts=contexts, **way).estimates
    except StudyProblem:
        return ()
    return tuple(e for e in found if e.method == "corrected")


def as_json(found: Report) -> str:
    """The report as JSON text."""
    return json.dumps(found.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_markdown(found: Report) -> str:
    """The report as Markdown."""
    parts = [f"# {markdown(found.study)}: what people would have scored"]
    parts += [markdown(found.overall.sentence), markdown(found.overall.seal.sentence)]
    parts += ["## Metrics", as_table(_both_targets(found), "github"), _definitions(found.overall)]
    if found.by_condition:
        sliced = [e for e in found.by_condition.estimates if e.slice]
        parts += ["## By condition", as_table(metric_rows(sliced), "github")]
    parts += found.slices.parts()
    if found.diagnostics:
        scores = as_table(metric_rows(found.diagnostics.estimates), "github")
        parts += ["## Diagnostics and stages", markdown(found.diagnostics.sentence), scores]
    if found.judge:
        parts += [
            "## The judge against people",
            markdown(found.judge.sentence),
            as_table(judge_rows(found.judge), "github"),
        ]
    if found.agreement and found.agreement.labels:
        parts += ["## People against each other", markdown(found.agreement.sentence)]
        parts += [as_table(agreement_rows(found.agreement), "github")]
        pairs = pair_rows(found.agreement)
        parts += [as_table(pairs, "github")] if pairs else []
        decided = decision_rows(found.agreement)
        parts += ["What adjudicators decided:", as_table(decided, "github")] if decided else []
    if found.contexts:
        parts += ["## The contexts", markdown(found.contexts.sentence)]
        parts += [as_table(broken_rows(found.contexts), "github")]
        parts += [VIEWED, as_table(view_rows(found.views), "github")] if found.views else []
        parts += [as_table(finding_rows(found.contexts), "github")] if found.contexts.findings else []
    if found.leaks:
        parts += ["## Leaks", markdown(found.leaks.sentence)]
        for title, rows in audit_tables(found.leaks).items():
            parts += [title, as_table(rows, "github")]
    if found.overall.budgets:
        parts += ["## Where the widths come from", BUDGETED, as_table(budget_rows(found.overall.budgets), "github")]
        parts += [_listed(budget_lines(found.overall.budgets))]
    parts += ["## Missing", *[f"- {markdown(line)}" for line in found.missing]] if found.missing else []
    parts += ["## How to read this", _METHOD]
    kinds = interval_lines(found.overall.estimates)
    parts += ["How the intervals of all responses were made:", _listed(kinds)] if kinds else []
    return "\n\n".join(parts) + "\n"


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {markdown(line)}" for line in lines)


def _corrected(result: MetricsResult) -> dict[str, DetailedEstimate]:
    """The corrected numbers of all responses that there are."""
    return {e.metric: e for e in result.estimates if e.method == "corrected" and not e.slice and e.value is not None}


def _both_targets(found: Report) -> list[dict[str, str]]:
    """The rows of all responses; beside target A what is adjudicated, where that is decided."""
    second = _corrected(found.adjudicated) if found.adjudicated else {}
    rows = metric_rows(found.overall.estimates)
    for row in rows:
        shown = {"adjudicated (target B)": number(second[row["metric"]])} if row["metric"] in second else {}
        last = row.pop("note", "")
        row |= {**shown, "note": last}
    return rows


def _definitions(result: MetricsResult) -> str:
    names = dict.fromkeys(e.metric for e in result.estimates)
    return "\n".join(f"- **{name}** ({METRICS[name].title}): {METRICS[name].sentence}" for name in names)


WAY = ("sample_id", "judge", "target", "grounding", "about", "annotators", "average")
"""What of a result says in which way its numbers were made."""

VIEWED = mark(
    "The corrected numbers on all contexts, on valid ones only, and with each context as what it really is: an "
    "absence that gives the answer away counts as clean, other broken contexts are left out and bounded."
)
BUDGETED = mark(
    "Half the width of each interval, the share of its variance that comes from each source, and half the width with "
    "twice as much of it. It counts how annotators differ wherever the labels can tell."
)

_METHOD = (
    "*Naive* takes the judge's labels at face value. *Human-only* weighs the sampled human labels by their inclusion "
    "probabilities. *Corrected* predicts every response from the judge's labels and repairs the prediction with the "
    "human labels (model-assisted estimation); a poor judge makes it wider, not wrong. Intervals are 95 %, for these "
    "responses and these annotators. A note “between … and …” says where the number would lie if every skipped, "
    "undecided or not judgeable label had been as unfavourable, or as favourable, as it can be. *Adjudicated* (target "
    "B) corrects one annotator's labels by what was adjudicated or unanimous on a random share of them. Each interval "
    "is logit-t where the labels are evidence enough for its standard error, Dirichlet-multinomial where they are "
    "thin, and exact where nothing, or everything, was seen; the rule is fixed in advance and printed below. "
    "Intervals of the agreement figures resample whole tasks."
)
