"""Commands about samples."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions.report import as_table
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.actions.studies import checked_study
from audit_app.cli import planning
from audit_app.cli.options import Group, json_option, print_json, say, study_option


@click.group("sample", cls=Group, epilog="Example: evidence-audit sample draw --size 300")
def sample_group() -> None:
    """Draw a stratified probability sample."""


def _size(ctx: click.Context, parameter: click.Parameter, value: str) -> int | None:
    if value == "all":
        return None
    if not value.isdigit() or int(value) < 1:
        raise click.BadParameter("expected a whole number above 0, or 'all'")
    return int(value)


@sample_group.command("draw", epilog="Example: evidence-audit sample draw --size 300 --overlap 0.25 --seed 7")
@click.option("--size", default="300", show_default=True, callback=_size, help="Responses to draw, or 'all'.")
@click.option("--contexts", type=click.IntRange(1), help="Contexts to draw; as many as the responses need by default.")
@click.option("--strata", help="Columns, with commas between: condition, regime, model, prompt, run, judge.")
@click.option("--judge", help="Whose labels the column `judge` holds; the first by name by default.")
@click.option(
    "--overlap", type=click.FloatRange(0, 1), default=0.25, show_default=True, help="Share that two people label."
)
@click.option("--diagnostics", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="Share of the responses for which the six diagnostics are asked.")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Same seed, same sample.")
@click.option("--name", default="main", show_default=True, help="Name of the sample.")
@json_option
@study_option
def draw(
    size: int | None,
    contexts: int | None,
    strata: str | None,
    judge: str | None,
    overlap: float,
    diagnostics: float,
    seed: int,
    name: str,
    as_json: bool,
    folder: Path,
) -> None:
    """Draw contexts and the responses to them, and open the work for people.

    Every draw carries its inclusion probability to the last estimate. The same seed draws the same items from the
    same files in any order.
    """
    plan = Plan(
        sample_id=name,
        size=size,
        contexts=contexts,
        strata=tuple(part.strip() for part in strata.split(",")) if strata else None,
        judge=judge,
        seed=seed,
        overlap=overlap,
        diagnostics=diagnostics,
    )
    drawn = draw_sample(checked_study(folder), plan)
    if as_json:
        print_json(asdict(drawn))
        return
    columns = ("stratum", "stratum_size", "sample_size")
    click.echo(as_table([{name: str(row[name]) for name in columns} for row in drawn.allocation]))
    say(
        f"Drew {drawn.n_responses} of {drawn.n_responses_in_frame} responses and {drawn.n_contexts} of "
        f"{drawn.n_contexts_in_frame} contexts (seed {drawn.seed}); {drawn.n_overlap} items go to two people; "
        f"{drawn.n_openings} new assignments (one per item, pass and person)."
    )
    for note in drawn.notes:
        say(f"Note: {note}.")
    if drawn.n_openings:
        say("Next: evidence-audit people add NAME, then evidence-audit serve")


sample_group.add_command(planning.plan)
