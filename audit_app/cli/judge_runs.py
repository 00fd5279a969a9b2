"""The command judge runs."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions.judge_overview import commands, judge_overview, overview_rows
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table
from audit_app.cli.options import json_option, print_json, say, study_option


@click.command("runs", epilog="Example: evidence-audit judge runs")
@json_option
@study_option
def runs_command(as_json: bool, folder: Path) -> None:
    """Show how far the judges are that were run here, what it took, and the command that goes on with each."""
    found = judge_overview(checked_study(folder))
    if as_json:
        print_json([asdict(one) for one in found])
    elif found:
        click.echo(as_table(overview_rows(found)))
    for judge, command in commands(found).items():
        say(f"To go on with {judge}: {command}" if judge else f"No judge was run here. To run one: {command}")
