"""Commands that print results: metrics, report."""

from pathlib import Path
from typing import Any

import click

from audit_app.actions import metric_rows, results
from audit_app.actions import report as reports
from audit_app.actions.answered import Grounding
from audit_app.actions.diagnostics import diagnostics as diagnose
from audit_app.actions.wording import as_table
from audit_app.cli.options import open_study, print_json, result_options, say
from data.frame import SLICES
from metrics.definitions import METRICS
from metrics.estimate import About, Target
from metrics.table import METHODS, Average

POPULATIONS: dict[str, About] = {"responses": "these responses", "tasks": "such tasks"}


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
@click.option("--average", type=click.Choice(("pooled", "runs", "regimes")), default="pooled", show_default=True,
              help="One ratio of all, or the mean of the values of the runs (Mean@3) or regimes.")  # fmt: skip
@click.option("--borrow", callback=_columns, metavar="COLUMNS",
              help="Give a slice with few labels the judge's errors of others alike in this: condition.")  # fmt: skip
@click.option("--floor", type=click.IntRange(2), default=30, show_default=True,
              help="Labels in the denominator below which a slice is refused.")  # fmt: skip
@click.option("--level", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True)
@click.option("--details", is_flag=True, help="Standard errors, effective labels, and how each interval was made.")
@result_options()
def metrics(
    by: list[str],
    names: tuple[str, ...],
    taxonomy: bool,
    diagnostics: bool,
    method: str | None,
    population: str,
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
    common: dict[str, Any] = {"sample_id": sample_id, "judge": judge, "by": by, "level": level, "floor": floor}
    found = results.metrics(
        study,
        names=names or (results.HEADLINE + (results.TAXONOMY if taxonomy else ())),
        target=target,
        grounding=grounding,
        about=POPULATIONS[population],
        average=average,
        borrow=borrow,
        **common,
    )
    scored = diagnose(study, **common) if diagnostics else None
    parts = [found.estimates, scored.estimates if scored else ()]
    shown = [[e for e in part if method in (None, e.method)] for part in parts]
    if as_json:
        print_json([estimate.as_dict() for part in shown for estimate in part])
    else:
        tables = [as_table(metric_rows.metric_rows(part, details=details)) for part in shown if part]
        kinds = metric_rows.interval_lines(e for part in shown for e in part) if details else []
        click.echo("\n\n".join([*tables, *(["\n".join(kinds)] if kinds else [])]))
    sealed = [found.seal.sentence] if found.seal.reason or not found.seal.is_open else []
    for sentence in [found.sentence, *found.remarks, *([scored.sentence] if scored else []), *sealed]:
        say(sentence)


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
