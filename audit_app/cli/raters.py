"""The command about people as raters: agreement."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import raters
from audit_app.actions.rater_rows import agreement_rows, pair_rows
from audit_app.actions.wording import as_table
from audit_app.cli.options import open_study, print_json, result_options, say


@click.command(epilog="Example: evidence-audit agreement --json")
@result_options(judge=False, target=False, grounding=False)
def agreement(as_json: bool, folder: Path, unseal: str | None, sample_id: str | None) -> None:
    """Print how well people agree: percent, Krippendorff's alpha, AC1, and Cohen's kappa of every pair."""
    found = raters.agreement(open_study(folder, unseal), sample_id=sample_id)
    if as_json:
        print_json(asdict(found))
    elif not found.labels:
        click.echo("No item has labels of two people yet, so there is nothing to compare.")
    else:
        click.echo(as_table(agreement_rows(found)) + "\n")
        click.echo(as_table(pair_rows(found)))
    say(found.sentence)
