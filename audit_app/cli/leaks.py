"""The command about leaks: contexts in which the screens find the reference answer."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions.leak_audit import LeakAudit, leak_audit
from audit_app.actions.leak_rows import audit_tables
from audit_app.actions.leaks import ABSENCE, condition_rows, hit_rows, leaks
from audit_app.actions.leaks import as_json as found_as_json
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table
from audit_app.cli.options import open_study, print_json, result_options, say
from audit_app.cli.progress import Bar

MOST_HITS = 3
"""Hits of each context that are printed unless all are asked for."""


@click.command("leaks", epilog="Example: evidence-audit leaks --study study")
@click.option("--condition", default=ABSENCE, show_default=True, help="Screen the contexts of this condition.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="All conditions, counted; and contexts that should have the answer and seem not to.",
)
@click.option("--people", is_flag=True, help="What people found, and how good the screens are, once labels are in.")
@result_options(judge=False, target=False, grounding=False)
@click.pass_context
def leaks_command(
    ctx: click.Context,
    condition: str,
    every: bool,
    people: bool,
    sample_id: str | None,
    unseal: str | None,
    as_json: bool,
    folder: Path,
) -> None:
    """Look for the reference answer in contexts that must not have it.

    Exit status 1 if an absence is flagged, or nothing can be screened.

    The screens find it word for word, in another form, order or script, as an acronym, a number or a date, misspelt, or
    in pieces; in texts, titles, addresses and publishers. They say where; people decide whether it is a leak.
    """
    if people:
        _print_audit(leak_audit(open_study(folder, unseal), sample_id=sample_id), as_json, every=every)
        return
    study = checked_study(folder)
    with Bar("Screening contexts") as bar:
        found = leaks(study, condition=None if every else condition, tell=bar)
    if as_json:
        print_json(found_as_json(found))
    else:
        shown = [one for one in found.flagged if not every or one.condition == ABSENCE]
        rows = hit_rows(shown, MOST_HITS)
        if every:
            click.echo(as_table(condition_rows(found)) + "\n")
        if rows:
            click.echo(as_table(rows))
        say(found.sentence)
    unscreened = not any(one.n for one in found.conditions)
    ctx.exit(1 if unscreened or any(one.condition == ABSENCE for one in found.flagged) else 0)


def _print_audit(audit: LeakAudit, as_json: bool, *, every: bool) -> None:
    if as_json:
        print_json({"sentence": audit.sentence, **asdict(audit)})
        return
    for title, rows in audit_tables(audit, every=every).items():
        click.echo(f"{title}\n\n{as_table(rows)}\n")
    say(audit.sentence)
