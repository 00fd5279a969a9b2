"""The command that compares judges: judge compare."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions.judges import JudgesQuestion, compare_judges
from audit_app.actions.judges_tables import sentences, tables
from audit_app.actions.labelled import Grounding
from audit_app.actions.wording import as_table
from audit_app.cli.options import level_option, listed, open_study, print_json, result_options, say


def _families(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for pair in given:
        judge, equals, models = pair.partition("=")
        family = listed(models)
        if not judge or not equals or not family:
            raise click.BadParameter(f"{pair!r}; expected JUDGE=MODEL,MODEL, such as gpt-4=gpt-4o,gpt-4o-mini")
        found[judge] = (*found.get(judge, ()), *family)
    return found


def _dates(_context: click.Context, _option: click.Parameter, given: str | None) -> tuple[str, str] | None:
    names = listed(given)
    if names is None:
        return None
    if len(names) != 2:
        raise click.BadParameter(f"{given!r}; expected two names, EARLIER,LATER")
    return names[0], names[1]


@click.command("compare", epilog="Example: evidence-audit judge compare --family gpt-4=gpt-4o,gpt-4o-mini")
@click.option("--judges", metavar="A,B", help="Only these; all by default.")
@click.option("--family", "families", multiple=True, metavar="JUDGE=MODELS", callback=_families,
              help="Does the judge prefer these models, its own family? Repeatable.")  # fmt: skip
@click.option("--drift", metavar="EARLIER,LATER", callback=_dates, help="Two names of one judge: what has changed?")
@level_option
@result_options(judge=False, target=False)
def compare_judges_command(
    judges: str | None,
    families: dict[str, tuple[str, ...]],
    drift: tuple[str, str] | None,
    level: float,
    as_json: bool,
    folder: Path,
    unseal: str | None,
    sample_id: str | None,
    grounding: Grounding,
) -> None:
    """Print how judges agree with people and with each other, and what each metric is under each of them.

    Also whether the order of models survives another judge, whether a judge prefers its own family, and drift.
    """
    question = JudgesQuestion(
        judges=listed(judges), families=families, drift=drift, sample_id=sample_id, grounding=grounding, level=level
    )
    found = compare_judges(open_study(folder, unseal), question)
    if as_json:
        print_json({"sentences": list(sentences(found)), **asdict(found)})
    else:
        click.echo("\n\n".join(f"{heading}\n\n{as_table(rows)}" for heading, rows in tables(found).items()))
    for sentence in sentences(found):
        say(sentence)
