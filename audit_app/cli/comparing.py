"""The command that compares models, prompts, conditions or judges."""

from dataclasses import asdict
from pathlib import Path
from typing import get_args

import click

from audit_app.actions import compared
from audit_app.actions.comparable import COLUMNS, NAMES, Question
from audit_app.actions.comparing import compare
from audit_app.actions.comparison_tables import tables
from audit_app.actions.labelled import Grounding
from audit_app.actions.results import HEADLINE
from audit_app.actions.wording import as_table
from audit_app.cli.options import level_option, open_study, print_json, result_options, say
from metrics.estimate import About

POPULATIONS: dict[str, About] = {"tasks": "such tasks", "responses": "these responses"}


def _within(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    found = dict(part.partition("=")[::2] for part in given)
    if any("=" not in part for part in given) or len(found) < len(given):
        raise click.BadParameter("expected COLUMN=VALUE, each column once, such as condition=evidence_absence")
    return found


@click.command("compare", epilog="Example: evidence-audit compare --by model --within condition=evidence_absence")
@click.option("--by", default="model", show_default=True, type=click.Choice(COLUMNS), help="What differs.")
@click.option("--against", metavar="VALUE", help="Compare every other value with this one; every pair by default.")
@click.option("--metric", "names", multiple=True, type=click.Choice(NAMES), help="Only this one; repeatable.")
@click.option("--within", multiple=True, callback=_within, metavar="COLUMN=VALUE",
              help="Only responses with this value; repeatable.")  # fmt: skip
@click.option("--method", type=click.Choice(["naive", "corrected"]), help="Only this kind of difference.")
@click.option("--adjust", type=click.Choice(get_args(compared.Adjust)), default="holm", show_default=True,
              help="For many comparisons: holm (is any real?), bh (a list with few false entries), none.")  # fmt: skip
@click.option("--population", type=click.Choice(list(POPULATIONS)), default="tasks", show_default=True,
              help="Corrected differences for such tasks in general, or for these responses.")  # fmt: skip
@click.option("--details", is_flag=True, help="Also the bootstrap over tasks, McNemar's test and Tango's interval.")
@click.option("--floor", type=click.IntRange(2), default=30, show_default=True,
              help="Labels in the denominator below which a value is refused.")  # fmt: skip
@level_option
@result_options(target=False)
def compare_command(
    by: str,
    against: str | None,
    names: tuple[str, ...],
    within: dict[str, str],
    method: compared.Way | None,
    adjust: compared.Adjust,
    population: str,
    details: bool,
    judge: str | None,
    sample_id: str | None,
    grounding: Grounding,
    floor: int,
    level: float,
    as_json: bool,
    folder: Path,
    unseal: str | None,
) -> None:
    """Print how much models, prompts or judges differ on the same tasks, and which differences are real.

    Corrected differences are what people would have found, from one draw; naive ones are the judge's word on matched
    responses. Responses are matched by task, condition, run and the other columns.
    """
    question = Question(
        by=by,
        against=against,
        names=names or HEADLINE,
        within=within,
        method=method,
        adjust=adjust,
        population=POPULATIONS[population],
        details=details,
        judge=judge,
        sample_id=sample_id,
        grounding=grounding,
        floor=floor,
        level=level,
    )
    found = compare(open_study(folder, unseal), question)
    if as_json:
        print_json({"sentence": found.sentence, **asdict(found)})
    else:
        click.echo("\n\n".join(as_table(rows) for rows in tables(found).values()))
    say(found.sentence)
    for note in found.notes:
        say(note)
    if found.seal.reason or not found.seal.is_open:
        say(found.seal.sentence)
