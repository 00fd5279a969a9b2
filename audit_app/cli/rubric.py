"""Commands about the rubric and its versions."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import asking_again, rounds
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table
from audit_app.cli.options import Group, json_option, print_json, say, study_option


@click.group("rubric", cls=Group, epilog="Example: evidence-audit rubric rounds")
def rubric_group() -> None:
    """See the versions of the rubric that people worked under, and check a new one before it is used."""


@rubric_group.command("rounds", epilog="Example: evidence-audit rubric rounds")
@json_option
@study_option
def list_rounds(as_json: bool, folder: Path) -> None:
    """List the rounds: each version of the rubric, since when, and how much was labelled under it."""
    found = rounds.rubric_rounds(checked_study(folder))
    if as_json:
        print_json([asdict(one) for one in found])
        return
    click.echo(as_table([rounds.row(one) for one in found]) + "\n")
    say(rounds.says(found))


@rubric_group.command("show", epilog="Example: evidence-audit rubric show 3f2a")
@click.argument("rubric_hash", required=False)
@json_option
@study_option
def show(rubric_hash: str | None, as_json: bool, folder: Path) -> None:
    """Print the rubric as it is, or as it was under the version that RUBRIC_HASH names."""
    found = rounds.rubric_rounds(checked_study(folder))
    one = rounds.round_of(found, rubric_hash)
    if as_json:
        print_json(one)
    else:
        click.echo(rounds.text_of(one), nl=False)


@rubric_group.command("diff", epilog="Example: evidence-audit rubric diff 3f2a")
@click.argument("rubric_hash", required=False)
@json_option
@study_option
def diff(rubric_hash: str | None, as_json: bool, folder: Path) -> None:
    """Print what changed since the round before, or since the version that RUBRIC_HASH names."""
    found = rounds.rubric_rounds(checked_study(folder))
    before = rounds.round_of(found, rubric_hash) if rubric_hash else rounds.previous(found)
    now = rounds.current_round(found)
    changed = rounds.changes(before, now) if before else ""
    if as_json:
        print_json({"before": before and before.rubric_hash, "after": now.rubric_hash, "diff": changed})
    elif changed:
        click.echo(changed)
    else:
        say("Nothing changed." if before else "There is one version of the rubric; nothing changed.")


@rubric_group.command("ask-again", epilog="Example: evidence-audit rubric ask-again --label G")
@click.option("--label", "labels", multiple=True, help="Only this label; may be repeated. All by default.")
@click.option("--undo", is_flag=True, help="Take it back for items of which nothing is answered anew.")
@json_option
@study_option
def ask_again(labels: tuple[str, ...], undo: bool, as_json: bool, folder: Path) -> None:
    """Ask finished items again, under the rubric as it is now, of the people who labelled them.

    Only answers given under an earlier version, and only of those who have not seen since what the label must not know.
    The earlier answers count until the new ones are in, and stay in the record with their version.
    """
    if undo and labels:
        raise click.UsageError("give --label or --undo, not both: what was asked is taken back for all labels")
    study = checked_study(folder)
    found = asking_again.take_back(study) if undo else asking_again.ask_again(study, labels)
    if as_json:
        print_json(found)
    else:
        say(found.sentence)


@rubric_group.command("check", epilog="Example: evidence-audit rubric check draft.toml")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def check(file: Path, as_json: bool) -> None:
    """Check a rubric file before it is put in the place of rubric.toml; every fault is named at once."""
    found = rounds.checked_rubric(file)
    if as_json:
        print_json({"hash": found.hash, "version": found.version, "labels": found.names()})
    else:
        say(f"{file}: {len(found.questions)} labels, version {found.version}, no faults; its hash is {found.hash}.")
