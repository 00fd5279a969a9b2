"""Commands about adjudication."""

from pathlib import Path

import click

from audit_app.actions.disputes import dispute_rows, disputes, reason_rows
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table
from audit_app.cli.options import Group, json_option, print_json, say, study_option


@click.group("adjudicate", cls=Group, epilog="Example: evidence-audit adjudicate list")
def adjudicate_group() -> None:
    """See what waits for an adjudicator. Deciding is done on the screen Adjudicate, or by its routes."""


@adjudicate_group.command("list", epilog="Example: evidence-audit adjudicate list --json")
@json_option
@study_option
def list_disputes(as_json: bool, folder: Path) -> None:
    """List the disagreements, ties, slips and flags that wait for a decision, in the order of the queue.

    What people said is not listed: whoever adjudicates votes without knowing it.
    """
    found = disputes(checked_study(folder))
    if as_json:
        print_json(found.as_dict())
        return
    for rows in (reason_rows(found), dispute_rows(found)) if found.waiting else ():
        click.echo(as_table(rows) + "\n")
    say(" ".join(found.sentences))
