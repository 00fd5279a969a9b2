"""Commands that print results: metrics, report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from audit_app.actions import metric_rows, results
from audit_app.actions import report as reports
from audit_app.actions.answered import Grounding
from audit_app.actions.budgeting import budget_lines, budget_rows
from audit_app.actions.contexts import broken_estimates, broken_rows, context_audit
from audit_app.actions.detail import DetailedEstimate
from audit_app.actions.diagnostics import diagnostics as diagnose
from audit_app.actions.results import MetricsResult
from audit_app.actions.wording import as_table
from audit_app.cli.options import level_option, open_study, out_option, print_json, result_options, say
from data.frame import SLICES
from metrics.definitions import METRICS
from metrics.estimate import About, Annotators, Contexts, Method, Target
from metrics.table import METHODS, Average

POPULATIONS: dict[str, About] = {"responses": "these responses", "tasks": "such tasks"}

ANNOTATORS: dict[str, Annotators] = {"these": "these annotators", "such": "annotators like these"}
CONTEXTS: dict[str, tuple[Contexts, ...]] = {
    "all": ("all",),
    "valid": ("valid",),
    "reclassified": ("reclassified",),
    "side-by-side": ("all", "valid", "reclassified"),
}


def _columns(context: click.Context, option: click.Parameter, value: str | None) -> list[str]:
    return [part.strip() for part in value.split(",")] if value else []


@click.command(epilog="Example: evidence-audit metrics --by condition --population tasks --json")
@click.option("--by", callback=_columns, help=f"Slice by these columns, with commas between: {', '.join(SLICES)}.")
@click.option("--metric", "names", multiple=True, type=click.Choice(tuple(METRICS)),
              help="Only this one; repeatable. BAS_alternative is the other reading of BAS.")  # fmt: skip
@click.option("--taxonomy", is_flag=True,
              help="The grounding taxonomy as well, also over the correct: ungrounded-of-correct.")  # fmt: skip
@click.option("--diagnostics", is_flag=True, help="The six diagnostics and the three stages as well, from 0 to 2.")
@click.option("--method", type=click.Choice(METHODS), help="Only this method.")
@click.option("--population", type=click.Choice(tuple(POPULATIONS)), default="responses", show_default=True,
              help="Whether intervals hold for these responses, or for such tasks in general.")  # fmt: skip
@click.option("--annotators", type=click.Choice(tuple(ANNOTATORS)), default="these", show_default=True,
              help="Whether intervals hold for these annotators, or for annotators like these (such).")  # fmt: skip
@click.option("--contexts", type=click.Choice(tuple(CONTEXTS)), default="all", show_default=True,
              help="Which contexts count, by their audit: all, valid ones, or each as what it really is.")  # fmt: skip
@click.option("--budget", is_flag=True, help="Where the width of each interval comes from, and what to buy next.")
@click.option("--average", type=click.Choice(("pooled", "runs", "regimes")), default="pooled", show_default=True,
              help="One ratio of all, or the mean of the values of the runs (Mean@3) or regimes.")  # fmt: skip
@click.option("--borrow", callback=_columns, metavar="COLUMNS",
              help="Give a slice with few labels the judge's errors of others alike in this: condition.")  # fmt: skip
@click.option("--floor", type=click.IntRange(2), default=30, show_default=True,
              help="Labels in the denominator below which a slice is refused.")  # fmt: skip
@level_option
@click.option(
    "--details",
    is_flag=True,
    help="Standard errors, effective labels (above n where the judge helps), interval kinds.",
)
@result_options()
def metrics(
    by: list[str],
    names: tuple[str, ...],
    taxonomy: bool,
    diagnostics: bool,
    method: Method | None,
    population: str,
    annotators: str,
    contexts: str,
    budget: bool,
    average: Average,
    borrow: list[str],
    floor: int,
    level: float,
    details: bool,
    as_json: bool,
    folder: Path,
    unseal: str | None,
    sample_id: str | None,
    judge: str | None,
    target: Target,
    grounding: Grounding,
) -> None:
    """Print every metric as the judge has it (naive) and as people would have it (corrected), with its interval."""
    study = open_study(folder, unseal)
    asked = names or (results.HEADLINE + (results.TAXONOMY if taxonomy else ()))
    common: dict[str, Any] = {
        "sample_id": sample_id,
        "judge": judge,
        "by": by,
        "target": target,
        "about": POPULATIONS[population],
        "annotators": ANNOTATORS[annotators],
        "average": average,
        "borrow": borrow,
        "level": level,
        "floor": floor,
    }
    views = CONTEXTS[contexts]
    every = [
        results.metrics(study, names=asked, grounding=grounding, contexts=view, budget=budget, **common)
        for view in views
    ]
    scored = [diagnose(study, contexts=view, **common) for view in views] if diagnostics else []
    found = [replace(one, estimates=_of_method(one.estimates, method)) for one in every]
    means = _of_method([estimate for one in scored for estimate in one.estimates], method)
    audit = context_audit(study, sample_id=every[0].sample_id, target=target) if len(views) > 1 else None
    if as_json:
        beside = [*means, *(broken_estimates(audit) if audit else ())]
        print_json([*(row for one in found for row in _json(one, budget=budget)), *(e.as_dict() for e in beside)])
    else:
        parts = _text(found, means, method or "corrected", details=details)
        click.echo("\n\n".join([*parts, *([as_table(broken_rows(audit))] if audit and audit.broken else [])]))
    seal = every[0].seal
    sealed = [seal.sentence] if seal.reason or not seal.is_open else []
    said = [sentence for one in every for sentence in (one.sentence, *one.remarks)]
    said += [sentence for mean in scored for sentence in (mean.sentence, *mean.remarks)]
    said += [audit.sentence] if audit else []
    for sentence in [*dict.fromkeys(said), *sealed]:
        say(sentence)


def _of_method(estimates: Sequence[DetailedEstimate], method: str | None) -> tuple[DetailedEstimate, ...]:
    return tuple(e for e in estimates if method in (None, e.method))


def _json(found: MetricsResult, *, budget: bool) -> list[dict[str, Any]]:
    """The numbers as plain values.

    Of target B with what each was for target A, before adjudication; where budgets were asked for, with the budget of
    each corrected one.
    """
    if found.before:
        earlier = {(e.metric, e.method, tuple(e.slice.items())): e for e in found.before}
        return [e.as_dict() | {"before": _earlier(earlier, e)} for e in found.estimates]
    if not budget:
        return [estimate.as_dict() for estimate in found.estimates]
    of = {(one.metric, tuple(one.slice.items())): one.as_dict() for one in found.budgets}
    return [
        e.as_dict() | {"budget": of.get((e.metric, tuple(e.slice.items()))) if e.method == "corrected" else None}
        for e in found.estimates
    ]


def _earlier(
    earlier: Mapping[tuple[Any, ...], DetailedEstimate], estimate: DetailedEstimate
) -> dict[str, float | None] | None:
    one = earlier.get((estimate.metric, estimate.method, tuple(estimate.slice.items())))
    return {"value": one.value, "low": one.low, "high": one.high} if one else None


def _text(
    found: Sequence[MetricsResult], means: Sequence[DetailedEstimate], method: Method, *, details: bool
) -> list[str]:
    """The numbers as tables, several views of the contexts side by side; then the ways to them, view by view."""
    everything = [estimate for one in found for estimate in one.estimates]
    rows = (
        metric_rows.view_rows(everything, method)
        if len(found) > 1
        else metric_rows.with_before(metric_rows.metric_rows(everything, details=details), found[0].before)
    )
    of_scales = (
        metric_rows.view_rows(means, method) if len(found) > 1 else metric_rows.metric_rows(means, details=details)
    )
    parts = [as_table(some) for some in (rows, of_scales) if some]
    for one in found:
        ways = metric_rows.interval_lines(one.estimates) if details else []
        lines = budget_lines(one.budgets)
        beside = ["\n".join(ways), as_table(budget_rows(one.budgets)) if lines else "", "\n".join(lines)]
        heading = [f"{metric_rows.VIEWS[one.contexts].capitalize()}:"] if len(found) > 1 and any(beside) else []
        parts += [*heading, *(part for part in beside if part)]
    kinds = metric_rows.interval_lines(means) if details else []
    return [*parts, "\n".join(kinds)] if kinds else parts


@click.command(epilog="Example: evidence-audit report --out report.md")
@click.option("--format", "kind", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@out_option("Write to this file instead of standard output.")
@result_options(target=False)
def report(
    kind: str,
    out: Path | None,
    as_json: bool,
    folder: Path,
    unseal: str | None,
    sample_id: str | None,
    judge: str | None,
    grounding: Grounding,
) -> None:
    """Write the report: corrected metrics, the judge against people, people against each other."""
    found = reports.report(open_study(folder, unseal), sample_id=sample_id, judge=judge, grounding=grounding)
    if as_json or kind == "json":
        if out is None:
            print_json(found.as_dict())
            return
        text = reports.as_json(found)
    else:
        text = reports.as_markdown(found)
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
        say(f"Wrote {out}")
