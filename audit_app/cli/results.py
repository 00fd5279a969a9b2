"""Commands that print results: agreement, judge check, metrics, report."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import click

from audit_app.actions import judging, raters, results
from audit_app.actions import report as reports
from audit_app.actions.labelled import Grounding
from audit_app.actions.seal import unseal
from audit_app.actions.studies import checked_study
from audit_app.cli.options import Group, json_option, print_json, say, study_option
from data.frame import SLICES
from data.study import Study
from metrics.definitions import METRICS
from metrics.estimate import Target

Options = Callable[[Callable[..., Any]], Callable[..., Any]]


def _result_options(*, judge: bool = True, target: bool = True, grounding: bool = True) -> Options:
    """The options of every command that prints results."""
    options: list[Callable[..., Any]] = [json_option, study_option]
    options.append(click.option("--unseal", metavar="REASON", help="Open results before all labels are in, for good."))
    options.append(click.option("--sample", "sample_id", help="Which sample; the newest by default."))
    if judge:
        options.append(click.option("--judge", help="Which judge; the first by name by default."))
    if target:
        about = "A: what one annotator says. B: the adjudicated or unanimous label, on the overlap."
        options.append(
            click.option("--target", type=click.Choice(["A", "B"]), default="A", show_default=True, help=about)
        )
    if grounding:
        about = "Whether “supported but contradicted” counts as grounded (lenient)."
        ways = click.Choice(["strict", "lenient"])
        options.append(click.option("--grounding", type=ways, default="strict", show_default=True, help=about))

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _open(folder: Path, reason: str | None) -> Study:
    study = checked_study(folder)
    if reason:
        unseal(study, reason)
    return study


@click.command(epilog="Example: evidence-audit metrics --by condition --json")
@click.option("--by", help=f"Slice by these columns, with commas between: {', '.join(SLICES)}.")
@click.option("--metric", "names", multiple=True, type=click.Choice(tuple(METRICS)), help="Only this one; repeatable.")
@click.option("--taxonomy", is_flag=True, help="The shares of the grounding taxonomy as well.")
@click.option("--method", type=click.Choice(reports.METHODS), help="Only this method.")
@click.option("--floor", type=click.IntRange(2), default=30, show_default=True,
              help="Labels in the denominator below which a slice is refused.")  # fmt: skip
@click.option("--level", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True)
@_result_options()
def metrics(
    by: str | None,
    names: tuple[str, ...],
    taxonomy: bool,
    method: str | None,
    floor: int,
    level: float,
    as_json: bool,
    folder: Path,
    unseal: str | None,
    sample_id: str | None,
    judge: str | None,
    target: Target,
    grounding: Grounding,
) -> None:
    """Print every metric as the judge has it (naive) and as people would have it (corrected), with its interval."""
    wanted = names or (results.HEADLINE + (results.TAXONOMY if taxonomy else ()))
    found = results.metrics(
        _open(folder, unseal),
        sample_id=sample_id,
        judge=judge,
        by=[part.strip() for part in by.split(",")] if by else [],
        names=wanted,
        target=target,
        grounding=grounding,
        level=level,
        floor=floor,
    )
    estimates = [e for e in found.estimates if method in (None, e.method)]
    if as_json:
        print_json([estimate.as_dict() for estimate in estimates])
    elif estimates:
        click.echo(reports.as_table(reports.metric_rows(estimates)))
    say(found.sentence)
    if found.left_out:
        say(found.left_out)
    if found.seal.reason or not found.seal.is_open:
        say(found.seal.sentence)


@click.command(epilog="Example: evidence-audit agreement --json")
@_result_options(judge=False, target=False, grounding=False)
def agreement(as_json: bool, folder: Path, unseal: str | None, sample_id: str | None) -> None:
    """Print how well people agree: percent, Krippendorff's alpha, AC1, and Cohen's kappa of every pair."""
    found = raters.agreement(_open(folder, unseal), sample_id=sample_id)
    if as_json:
        print_json(asdict(found))
    elif not found.labels:
        click.echo("No item has labels of two people yet, so there is nothing to compare.")
    else:
        click.echo(reports.as_table(reports.agreement_rows(found)) + "\n")
        click.echo(reports.as_table(reports.pair_rows(found)))
    say(found.sentence)


@click.group("judge", cls=Group, epilog="Example: evidence-audit judge check")
def judge_group() -> None:
    """Ask whether a judge can be trusted."""


@judge_group.command("check", epilog="Example: evidence-audit judge check --judge gpt-4 --target B")
@_result_options()
def check(
    as_json: bool,
    folder: Path,
    unseal: str | None,
    sample_id: str | None,
    judge: str | None,
    target: Literal["A", "B"],
    grounding: Grounding,
) -> None:
    """Print a judge's sensitivity, specificity and kappa against people, weighted to all responses."""
    study = _open(folder, unseal)
    found = judging.judge_check(study, sample_id=sample_id, judge=judge, target=target, grounding=grounding)
    if as_json:
        print_json(asdict(found))
    else:
        click.echo(reports.as_table(reports.judge_rows(found)))
    say(found.sentence)


@click.command(epilog="Example: evidence-audit report --out report.md")
@click.option("--format", "kind", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@_result_options(target=False)
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
    found = reports.report(_open(folder, unseal), sample_id=sample_id, judge=judge, grounding=grounding)
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
