"""Commands about a judge's prompts."""

from pathlib import Path

import click

from audit_app.actions.prompting import show_prompt
from audit_app.actions.studies import checked_study
from audit_app.cli.options import Group, json_option, print_json, study_option


@click.group("prompt", cls=Group, epilog="Example: evidence-audit prompt show --label G --item ID")
def prompt_group() -> None:
    """See what a judge is shown."""


@prompt_group.command("show", epilog="Example: evidence-audit prompt show --label G --item lf-01.clean.wren.baseline")
@click.option("--label", required=True, help="Which label, for instance G.")
@click.option("--item", "item_id", required=True, help="Id of a drawn response (or context).")
@json_option
@study_option
def show(label: str, item_id: str, as_json: bool, folder: Path) -> None:
    """Print the prompt for one label of a drawn item: built from the same view that annotators see."""
    prompt = show_prompt(checked_study(folder), label, item_id)
    if as_json:
        print_json({"label": label, "item_id": item_id, "prompt": prompt})
    else:
        click.echo(prompt)
