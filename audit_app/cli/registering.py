"""`register`: what will be reported, frozen before results are seen."""

from dataclasses import asdict, fields, replace
from pathlib import Path

import click
from click.core import ParameterSource

from audit_app.actions.labelled import Grounding
from audit_app.actions.registering import register
from audit_app.actions.registration import STOP, Intent, Registration, last_intent, registered, verified
from audit_app.actions.results import HEADLINE
from audit_app.actions.standing import changes
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table
from audit_app.cli.options import json_option, level_option, listed, print_json, say, study_option
from audit_app.cli.results import ANNOTATORS, POPULATIONS
from data import frame as frames
from data.errors import StudyProblem
from data.frame import SLICES
from data.store.connection import open_store
from metrics.estimate import Contexts, Target

OPTIONS = {"about": "population"}
"""Where an option is not called as what it decides."""


@click.command("register", epilog="Example: evidence-audit register --metrics SES,cSES --by model --target A")
@click.option("--metrics", default=",".join(HEADLINE), show_default=True, help="What will be reported, with commas.")
@click.option("--by", multiple=True, metavar="COLUMNS",
              help=f"Slices besides all responses: {', '.join(SLICES)}; commas cross them; repeatable.")  # fmt: skip
@click.option("--target", type=click.Choice(["A", "B"]), default="A", show_default=True,
              help="A: what one annotator says. B: the adjudicated or unanimous label.")  # fmt: skip
@click.option("--grounding", type=click.Choice(["strict", "lenient"]), default="strict", show_default=True,
              help="Whether “supported but contradicted” counts as grounded (lenient).")  # fmt: skip
@click.option("--judge", help="Which judge; the one with the most verdicts by default.")
@click.option("--sample", "sample_id", help="Which sample; the newest by default.")
@level_option
@click.option("--floor", type=click.IntRange(2), default=30, show_default=True,
              help="Labels in the denominator below which a slice is refused.")  # fmt: skip
@click.option("--population", type=click.Choice(tuple(POPULATIONS)), default="responses", show_default=True,
              help="Whether intervals will hold for these responses, or for such tasks in general.")  # fmt: skip
@click.option("--annotators", type=click.Choice(tuple(ANNOTATORS)), default="these", show_default=True,
              help="For these annotators, or for annotators like these (such).")  # fmt: skip
@click.option("--contexts", type=click.Choice(("all", "valid", "reclassified")), default="all", show_default=True,
              help="Which contexts will count, by their audit.")  # fmt: skip
@click.option("--stop", default=STOP, show_default=True, help="When labelling ends.")
@click.option(
    "--amend", metavar="REASON", help="Change what is registered by the options given; both stay, with their dates."
)
@click.option("--show", is_flag=True, help="Print what is registered; registers nothing.")
@click.option("--verify", metavar="HASH",
              help="Check a hash that was written down (12 characters or more).")  # fmt: skip
@json_option
@study_option
def register_command(
    metrics: str,
    by: tuple[str, ...],
    target: Target,
    grounding: Grounding,
    judge: str | None,
    sample_id: str | None,
    level: float,
    floor: int,
    population: str,
    annotators: str,
    contexts: Contexts,
    stop: str,
    amend: str | None,
    show: bool,
    verify: str | None,
    as_json: bool,
    folder: Path,
) -> None:
    """Freeze what will be reported, with frame, rubric, draws and stopping rule, once and for all to see.

    Results then say which numbers were registered and which are exploratory. Do it after `sample draw` and before
    anybody labels.
    """
    study = checked_study(folder)
    if verify is not None:
        say(f"It is here, unchanged. {verified(study, verify).sentence}")
        return
    if not show:
        intent = Intent(
            metrics=listed(metrics) or (),
            by=tuple(columns for text in by if (columns := listed(text))),
            target=target,
            grounding=grounding,
            judge=judge,
            sample_id=sample_id,
            level=level,
            floor=floor,
            about=POPULATIONS[population],
            annotators=ANNOTATORS[annotators],
            contexts=contexts,
            stop=stop,
        )
        if amend is not None and (last := last_intent(study)):
            intent = _amended(last, intent)
        found = [register(study, intent, amend=amend)]
        changed: list[str] = []
    else:
        with open_store(study) as store:
            found = registered(store)
            changed = changes(study, store, frames.open_frame(study), found[-1]) if found else []
    if not found:
        raise StudyProblem("nothing is registered yet; do it with `evidence-audit register`")
    if as_json:
        print_json([asdict(one) for one in found] if show else asdict(found[0]))
    else:
        click.echo("\n\n".join(_text(one) for one in found))
    for one in found:
        say(one.sentence)
    for change in changed:
        say(change)
    if not show:
        say("Write the hash down where it cannot be changed, such as in a paper's draft or a public registry.")


def _amended(last: Intent, asked: Intent) -> Intent:
    """What stands, with the options that were given."""
    source, names = click.get_current_context().get_parameter_source, [field.name for field in fields(Intent)]
    given = [name for name in names if source(OPTIONS.get(name, name)) is ParameterSource.COMMANDLINE]
    return replace(last, **{name: getattr(asked, name) for name in given})


def _text(one: Registration) -> str:
    by = "; ".join(" × ".join(columns) for columns in one.by)
    sample = one.sample
    rows = {
        "registered": one.registered_at,
        "reason": one.reason or "",
        "metrics": ", ".join(one.metrics),
        "slices": "all responses" + (f"; by {by}" if by else ""),
        "target": one.target + (", G read leniently" if one.grounding == "lenient" else ""),
        "hold for": f"{one.about}, {one.annotators}" + (f", {one.contexts} contexts" if one.contexts != "all" else ""),
        "judge": one.judge or "none",
        "stops when": one.stop,
        "labels": f"{one.labels_done} of {one.labels_planned} assignments done at that time",
        "sample": f"{sample['sample_id']}, seed {sample['seed']}: {sample['n_responses']} responses, "
        f"{sample['n_contexts']} contexts, {sample['draws_hash'][:16]}",
        "frame": one.frame_hash,
        "rubric": one.rubric_hash,
        "hash": one.hash,
    }
    return as_table([{"what": what, "as registered": text} for what, text in rows.items() if text])
