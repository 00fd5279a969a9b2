"""Commands that print results: metrics, report."""

from pathlib import Path

import click

from audit_app.actions import report as reports
from audit_app.actions import results
from audit_app.actions.labelled import Grounding
from audit_app.cli.options import open_study, print_json, result_options, say
from data.frame import SLICES
from metrics.definitions import METRICS
from metrics.estimate import Target


@click.command(epilog="Example: evidence-audit metrics --by condition --json")
@click.option("--by", help=f"Slice by these columns, with commas between: {', '.join(SLICES)}.")
@click.option("--metric", "names", multiple=True, type=click.Choice(tuple(METRICS)), help="Only this one; repeatable.")
@click.option("--taxonomy", is_flag=True, help="The shares of the grounding taxonomy as well.")
@click.option("--method", type=click.Choice(reports.METHODS), help="Only this method.")
@click.option("--floor", type=click.IntRange(2), default=30, show_default=True,
              help="Labels in the denominator below which a slice is refused.")  # fmt: skip
@click.option("--level", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True)
@result_options()
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
        open_study(folder, unseal),
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


@click.command(epilog="Example: evidence-audit report --out report.md")
@click.option("--format", "kind", type=click.Choice(["markdown", "json"]), default="markdown", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
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
