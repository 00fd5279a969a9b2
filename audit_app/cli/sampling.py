"""Commands about samples: drawing one, asking for more of it, and dealing its work."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

import click

from audit_app.actions.dealing import Dealt, deal
from audit_app.actions.draw_plan import MOST, MOST_GROUPS, MOST_PEOPLE, SEEDS, Bins
from audit_app.actions.sampling import Drawn, Plan, draw_sample, extend_sample
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table
from audit_app.cli import planning
from audit_app.cli.options import Command, Group, Number, Whole, json_option, print_json, say, study_option

SHARE = Number(0, 1)


@click.group("sample", cls=Group, epilog="Example: evidence-audit sample draw --size 300")
def sample_group() -> None:
    """Draw a stratified probability sample."""


def _size(ctx: click.Context, parameter: click.Parameter, value: str) -> int | None:
    if value == "all":
        return None
    # Other digits than those of ASCII are no numbers (²), or none that people tell from others.
    if not re.fullmatch(r"[0-9]{1,10}", value) or not 1 <= int(value) <= MOST:
        raise click.BadParameter(f"expected a whole number from 1 to {MOST}, or 'all'")
    return int(value)


def _bins(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> Bins:
    """`column=0.5,0.8` for cut points, `column=q3` for three groups."""
    found: dict[str, int | tuple[float, ...]] = {}
    for value in values:
        column, _, cuts = value.partition("=")
        try:
            found[column] = _cuts(cuts)
        except ValueError:
            raise click.BadParameter(f"{value!r}; expected column=0.5,0.8 or, for 3 groups, column=q3") from None
    return found


def _cuts(text: str) -> int | tuple[float, ...]:
    """The part behind the column; a ValueError where it is neither."""
    if text[:1] == "q":
        return range(MOST_GROUPS + 1).index(int(text[1:]))
    cuts = tuple(float(cut) for cut in text.split(","))
    if not all(map(isfinite, cuts)):
        raise ValueError
    return cuts


def _columns(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return tuple(part.strip() for part in value.split(",")) if value else None


deal_option = click.option(
    "--deal/--no-deal", default=True, help="Deal the work out when two active annotators or more are there (default)."
)
all_option = click.option("--all", "every", is_flag=True, help="Every stratum, with its size, sample and probability.")


def _contexts(default: str) -> Callable[[Command], Command]:
    """The option for the number of contexts."""
    return click.option("--contexts", type=Whole(1, MOST), help=f"Contexts to draw; by default {default}.")


@sample_group.command("draw", epilog="Example: evidence-audit sample draw --size 300 --overlap 0.25 --seed 7")
@click.option("--size", default="300", show_default=True, callback=_size, help="Responses to draw, or 'all'.")
@_contexts("one for a response of each model and prompt, as `sample plan` has it")
@click.option("--strata", callback=_columns,
              help="Columns with commas: condition, regime, model, prompt, run, leak, judge, diagnostics.")  # fmt: skip
@click.option("--order", type=click.Choice(["random", "leak"]), default="random", show_default=True,
              help="Which contexts are audited first: leak for those that are flagged (--strata leak).")  # fmt: skip
@click.option(
    "--judge", help="Whose labels the strata and --allocation neyman use; the one with the most verdicts by default."
)
@click.option("--bins", multiple=True, callback=_bins, metavar="COLUMN=CUTS",
              help="Cut points of a numeric column (=1,2), or groups of equal size (=q3, the default).")  # fmt: skip
@click.option("--collapse", type=Whole(1, MOST), help="Merge strata whose share of the sample is below this.")
@click.option("--allocation", type=click.Choice(["proportional", "equal", "neyman"]), default="proportional",
              show_default=True, help="How the size is shared over the strata.")  # fmt: skip
@click.option("--for", "metric", help="The metric that --allocation neyman is to make precise, such as SES.")
@click.option("--pilot", help="A labelled sample that says how much each stratum varies, instead of the judge.")
@click.option("--floor", type=Whole(1, MOST), default=2, show_default=True, help="Fewest responses per stratum.")
@click.option("--cap", type=Whole(1, MOST), help="Most responses per stratum.")
@click.option("--certainty", multiple=True, metavar="STRATUM", help="A stratum to take whole, as its name is printed.")
@click.option("--overlap", type=SHARE, default=0.25, show_default=True, help="Share that several people label.")
@click.option("--people", type=Whole(1, MOST_PEOPLE), default=2, show_default=True, help="How many people that is.")
@click.option("--core", type=Whole(0, MOST), default=0, help="Responses that three people label; 60 to 100 serve.")
@click.option(
    "--core-people", type=Whole(2, MOST_PEOPLE), default=3, show_default=True, help="How many label the core."
)
@click.option("--diagnostics", type=SHARE, default=0.0, show_default=True,
              help="Share of the responses for which the six diagnostics are asked.")  # fmt: skip
@click.option("--repeats", type=SHARE, default=0.0, show_default=True,
              help="Share of a person's items that they are shown again, unannounced.")  # fmt: skip
@click.option("--canaries", type=SHARE, default=0.0, show_default=True,
              help="Attention checks mixed in unannounced, as a share of a person's evidence items.")  # fmt: skip
@click.option("--dev", type=SHARE, default=0.0, show_default=True, help="Share of the tasks a judge may be tuned on.")
@click.option(
    "--seed",
    type=Whole(SEEDS.start, SEEDS.stop - 1),
    default=1,
    show_default=True,
    help="Same seed, same sample.",
)
@click.option("--name", "sample_id", default="main", show_default=True, help="Name of the sample.")
@deal_option
@all_option
@json_option
@study_option
def draw(every: bool, as_json: bool, folder: Path, **asked: Any) -> None:
    """Draw contexts and the responses to them, and open the work for people.

    Every draw carries its inclusion probability to the last estimate. The same seed draws the same items from the
    same files in any order. Only --size needs a thought; everything else has a default that serves.
    """
    _print(draw_sample(checked_study(folder), Plan(**asked)), as_json, every=every)


@sample_group.command("extend", epilog="Example: evidence-audit sample extend --size 500")
@click.option("--size", required=True, callback=_size, help="Responses in all, those drawn before included; or 'all'.")
@_contexts("as many to the responses as before")
@click.option("--name", "sample_id", help="Name of the sample; the newest by default.")
@deal_option
@all_option
@json_option
@study_option
def extend(
    size: int | None,
    contexts: int | None,
    sample_id: str | None,
    deal: bool,
    every: bool,
    as_json: bool,
    folder: Path,
) -> None:
    """Ask for more of a sample: what was drawn and labelled stays, the next items come in.

    Seed, strata, shares and all other choices stay as they were drawn. How often a sample was extended is kept and
    printed: whoever stops when the numbers please gets intervals that promise too much.
    """
    study = checked_study(folder)
    _print(extend_sample(study, sample_id, size=size, contexts=contexts, deal=deal), as_json, every=every)


@sample_group.command("assign", epilog="Example: evidence-audit sample assign --without PERSON_ID")
@click.option("--without", multiple=True, metavar="PERSON_ID", help="Somebody who gets nothing, such as on holiday.")
@json_option
@study_option
def assign(without: tuple[str, ...], as_json: bool, folder: Path) -> None:
    """Deal the work that nobody has begun to the active annotators, at random within strata.

    `sample draw` does so when two annotators or more are there. Do it again when people come or go: what was begun
    or finished stays with whoever has it.
    """
    dealt = deal(checked_study(folder), without=without)
    if as_json:
        print_json(asdict(dealt))
    else:
        _say_dealt(dealt)


def _print(drawn: Drawn, as_json: bool, *, every: bool) -> None:
    if as_json:
        print_json(asdict(drawn))
        return
    kinds = {"responses": drawn.allocation, "contexts": drawn.context_allocation}
    click.echo(as_table([_summary(kind, rows) for kind, rows in kinds.items() if rows]))
    if every:
        click.echo("\n" + as_table([_stratum(kind, row) for kind, rows in kinds.items() for row in rows]))
    core = f" and {drawn.n_core} to the core" if drawn.n_core else ""
    say(
        f"Drew {_both(drawn, drawn.n_responses, drawn.n_contexts)} (seed {drawn.seed}); "
        f"{_both(drawn, drawn.n_overlap_responses, drawn.n_overlap_contexts)} go to "
        f"{'two' if drawn.people == 2 else drawn.people} people{core}; "
        f"{drawn.n_openings} new assignments (one per item, pass and person)."
    )
    if drawn.linked:
        say(
            f"About {drawn.n_responses / drawn.n_contexts:.1f} responses are read with each context; fewer contexts "
            "(--contexts) save reading and cost precision."
        )
    if drawn.n_top_ups:
        times = "once" if drawn.n_top_ups == 1 else f"{drawn.n_top_ups} times"
        say(f"Sample {drawn.sample_id!r} has been extended {times}; how much was labelled each time is kept.")
    for note in drawn.notes:
        say(f"Note: {note}.")
    if drawn.dealt:
        _say_dealt(drawn.dealt)
    if drawn.dealt or (drawn.n_openings and drawn.n_annotators):
        say("Next: evidence-audit serve")
    elif drawn.n_openings:
        say(
            "Next: evidence-audit people add NAME for everybody, evidence-audit sample assign to deal the work out, "
            "then evidence-audit serve"
        )


def _both(drawn: Drawn, responses: int, contexts: int) -> str:
    """The counts apart: of a kind that the study does not have nothing is said."""
    counts = {"responses": (responses, drawn.n_responses_in_frame), "contexts": (contexts, drawn.n_contexts_in_frame)}
    return " and ".join(f"{n} {kind}" for kind, (n, there) in counts.items() if there)


def _summary(kind: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """All strata of one kind of item in a row."""
    chances = [row["inclusion_probability"] for row in rows]
    n_small = sum(row["small"] for row in rows)
    return {
        "items": kind,
        "drawn": str(sum(row["sample_size"] for row in rows)),
        "of": str(sum(row["stratum_size"] for row in rows)),
        "strata": str(len(rows)),
        "smallest probability": f"{min(chances):.3f}",
        "largest probability": f"{max(chances):.3f}",
        "small strata": str(n_small) if n_small else "",
    }


def _stratum(kind: str, row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "items": kind,
        "stratum": row["stratum"],
        "stratum size": str(row["stratum_size"]),
        "sample size": str(row["sample_size"]),
        "inclusion probability": f"{row['inclusion_probability']:.3f}",
        "small": "yes" if row["small"] else "",
    }


def _say_dealt(dealt: Dealt) -> None:
    say(dealt.sentence)
    if not dealt.portions:
        return
    click.echo(as_table([
        {"pass": p.pass_, "annotator": p.display_name, "openings": str(p.n_items), "contexts": str(p.n_contexts),
         "repeats": str(p.n_repeats), "canaries": str(p.n_canaries)}
        for p in dealt.portions
    ]))  # fmt: skip


sample_group.add_command(planning.plan)
