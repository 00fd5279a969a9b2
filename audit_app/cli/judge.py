"""Commands about a judge: judge check."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import judging
from audit_app.actions.judge_rows import judge_rows
from audit_app.actions.labelled import Grounding
from audit_app.actions.wording import as_table
from audit_app.cli.options import Group, open_study, print_json, result_options, say
from metrics.estimate import Target


@click.group("judge", cls=Group, epilog="Example: evidence-audit judge check")
def judge_group() -> None:
    """Ask whether a judge can be trusted."""


@judge_group.command("check", epilog="Example: evidence-audit judge check --judge gpt-4 --target B")
@result_options()
def check(
    as_json: bool,
    folder: Path,
    unseal: str | None,
    sample_id: str | None,
    judge: str | None,
    target: Target,
    grounding: Grounding,
) -> None:
    """Print a judge's sensitivity, specificity and kappa against people, weighted to all responses."""
    study = open_study(folder, unseal)
    found = judging.judge_check(study, sample_id=sample_id, judge=judge, target=target, grounding=grounding)
    if as_json:
        print_json(asdict(found))
    else:
        click.echo(as_table(judge_rows(found)))
    say(found.sentence)
