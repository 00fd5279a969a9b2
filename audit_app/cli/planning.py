"""`sample plan`: how many labels a wished precision takes, and what a number of labels buys."""

from pathlib import Path
from typing import Any, Literal

import click

from audit_app.actions.draw_plan import MOST, MOST_PEOPLE
from audit_app.actions.planning import MOST_SLICES, plan_sample, plan_without_study
from audit_app.actions.reckoning import Planned, points
from audit_app.actions.studies import checked_study
from audit_app.actions.wishing import PLANNABLE, Wish
from audit_app.actions.wording import as_table, percent
from audit_app.cli.options import Number, Whole, json_option, listed, print_json, say, study_option
from data.errors import StudyProblem
from data.frame import SLICES
from sampling.effort import Pace

SHOWN = 12
"""Strata printed before the rest is summed up; --json has them all."""


class Population(Whole):
    """A number of responses, or `tasks`, which other commands take and a plan refuses with the reason."""

    name = "population"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or the word."""
        return value if value == "tasks" else super().convert(value, param, ctx)


@click.command("plan", epilog="Example: evidence-audit sample plan --metric SES --by model --within 3")
@click.option("--metric", default="SES", show_default=True, metavar="NAME", help=f"One of {', '.join(PLANNABLE)}.")
@click.option("--target", type=click.Choice(["A", "B"]), default="A", show_default=True,
              help="What one annotator says (A). B, the adjudicated label, cannot be planned for.")  # fmt: skip
@click.option("--by", help=f"Each of these slices is to be that precise: {', '.join(SLICES)}; commas between.")
@click.option("--within", type=Number(), default=3, show_default=True, help="Half-width of the interval, in points.")
@click.option("--labels", type=Whole(max=MOST), help="The inverse: what this many labels buy.")
@click.option("--strata", help="Strata columns, as for `sample draw`; what the draw would take by default, and --by.")
@click.option("--judge", help="Whose labels tell the rates; the one with the most verdicts by default.")
@click.option("--allocation", type=click.Choice(["proportional", "equal", "neyman"]), default="proportional",
              show_default=True, help="How the draw shares labels over the strata.")  # fmt: skip
@click.option("--sensitivity", type=Number(), help="Expected of the judge.  [default: 0.85]")
@click.option("--specificity", type=Number(), help="Expected of the judge.  [default: 0.95]")
@click.option("--from-sample", is_flag=True, help="Take the judge's errors from the labels that are already there.")
@click.option("--sample", "sample_id", help="With --from-sample: which sample; the newest by default.")
@click.option("--annotators", type=Whole(max=MOST_PEOPLE), default=3, show_default=True, help="People who label.")
@click.option("--rho", type=Number(), default=0.0, show_default=True,
              help="How alike the labels of one annotator are; above 0, plans for annotators like these.")  # fmt: skip
@click.option("--overlap", type=Number(), default=0.25, show_default=True, help="Share that several people label.")
@click.option("--people", type=Whole(max=MOST_PEOPLE), default=2, show_default=True, help="How many label that share.")
@click.option(
    "--per-context", type=Whole(max=MOST), help="Responses read with one context; one per setting by default."
)
@click.option("--context-rho", type=Number(), default=0.05, show_default=True,
              help="How alike the judge's errors on one context are.")  # fmt: skip
@click.option("--level", type=Number(), default=0.95, show_default=True, help="Of the interval.")
@click.option(
    "--floor",
    type=Whole(max=MOST),
    default=30,
    show_default=True,
    help="Labels that a denominator needs at least.",
)
@click.option("--population", type=Population(max=MOST), metavar="N",
              help="Without a study: responses in every slice. For tasks in general there is no plan.")  # fmt: skip
@click.option(
    "--slices",
    type=Whole(max=MOST_SLICES),
    help="Without a study: how many slices.  [default: 1]",
)
@click.option("--rate", type=Number(), help="Share that people will count; by default as often as the judge, or 0.1.")
@click.option("--denominator", type=Number(), default=1.0, show_default=True,
              help="Where nothing is judged: share of the responses that the metric is a share of.")  # fmt: skip
@click.option("--context-seconds", type=Number(), default=60, show_default=True, help="To read a context once.")
@click.option("--response-seconds", type=Number(), default=20, show_default=True, help="To read a response once.")
@click.option("--label-seconds", type=Number(), default=6, show_default=True, help="To give a label.")
@json_option
@study_option
def plan(
    folder: Path,
    as_json: bool,
    population: int | Literal["tasks"] | None,
    slices: int | None,
    by: str | None,
    strata: str | None,
    within: float,
    context_seconds: float,
    response_seconds: float,
    label_seconds: float,
    **options: Any,
) -> None:
    """Print how many labels a precision takes, per stratum and slice, and in annotator hours.

    The plain command plans silent evidence shift within three points, from the study's own frame and its judge's
    labels, for target A and the responses at hand. Exit status 1 when the wish cannot be met; what can be is printed
    all the same.
    """
    wish = Wish(
        by=listed(by) or (),
        strata=listed(strata),
        about="such tasks" if population == "tasks" else "these responses",
        within=within / 100,
        pace=Pace(read_context=context_seconds, read_response=response_seconds, label=label_seconds),
        **options,
    )
    if slices is not None and population is None:
        raise click.UsageError("--slices goes with --population; the slices of a study are those of --by")
    if isinstance(population, int):
        found = plan_without_study(wish, population=population, slices=1 if slices is None else slices)
    elif (folder / "study.toml").exists():
        found = plan_sample(checked_study(folder), wish)
    else:
        raise StudyProblem(
            f"no study in {folder}; make one with `evidence-audit init {folder}` and import files, name another folder "
            "with --study, or plan from numbers alone with --population 4950 --rate 0.1"
        )
    if as_json:
        print_json({"sentence": found.sentence} | {name: getattr(found, name) for name in Planned.__dataclass_fields__})
    else:
        _print(found)
    click.get_current_context().exit(0 if found.met else 1)


def _print(found: Planned) -> None:
    click.echo(found.sentence + "\n")
    for remedy in found.remedies:
        click.echo(f"- {remedy}.")
    if found.remedies:
        click.echo()
    # Without a study all slices are alike.
    shown = found.slices if found.by or len(found.slices) == 1 else [found.slices[0] | {"slice": "each slice"}]
    click.echo(as_table([_slice(row) for row in shown]))
    strata = [
        {"stratum": row["stratum"], "size": str(row["stratum_size"]), "labels": str(row["sample_size"]),
         "expected": percent(row["rate"])}
        for row in found.strata[:SHOWN]
    ]  # fmt: skip
    of_a_study = len(found.strata) > len(found.slices)
    if of_a_study:
        click.echo("\n" + as_table(strata))
    if of_a_study and len(found.strata) > SHOWN:
        click.echo(f"… and {len(found.strata) - SHOWN} more strata (--json has all).")
    click.echo(f"\n{found.command}")
    for note in found.notes:
        say(f"Note: {note}.")
    if not found.remedies:
        for row in [row for row in found.slices if row["falls_short"]][:SHOWN]:
            say(f"Note: {row['slice']}: {row['falls_short']}.")
    if found.neyman_labels is not None and found.neyman_labels < 0.95 * found.labels:
        say(f"Note: {found.neyman_labels} labels would do if every slice had its own total, shared by Neyman's rule; "
            "--allocation neyman comes near that where slices are alike.")  # fmt: skip


def _slice(row: dict[str, Any]) -> dict[str, str]:
    return {
        "slice": row["slice"],
        "labels": str(row["labels"]),
        "in denominator": f"{row['in_denominator']:.0f}",
        "expected": percent(row["value"]),
        "within": points(row["half_width"]),
        "without the judge": points(row["human_only"]),
        "falls short": "yes" if row["falls_short"] else "",
    }
