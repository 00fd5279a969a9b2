"""Commands about the calibration round."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import agreeing, candidates
from audit_app.actions.calibrated import calibration_round, practise_again, round_rows
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table
from audit_app.cli.options import Group, Whole, json_option, print_json, say, study_option
from data.exporters import as_csv


@click.group("calibration", cls=Group, epilog="Example: evidence-audit calibration results")
def calibration_group() -> None:
    """Let people practise on items with agreed answers before their work, and see who passed."""


@calibration_group.command("draft", epilog="Example: evidence-audit calibration draft > agreed.csv")
@click.option("--size", type=Whole(1, 1000), default=10, show_default=True, help="How many responses.")
@click.option("--seed", type=Whole(0), default=1, show_default=True, help="Same seed, same responses.")
@json_option
@study_option
def draft(size: int, seed: int, as_json: bool, folder: Path) -> None:
    """Print random responses that are in no draw, as CSV with room for the agreed value and its reason.

    The column `shown` holds what the label compares, and no more. Fill in the rows, delete those on which nobody
    agrees, and give the file to `calibration import`.
    """
    rows = candidates.draft(checked_study(folder), size, seed=seed)
    if as_json:
        print_json(rows)
    else:
        click.echo("".join(as_csv(rows, columns=candidates.COLUMNS)), nl=False)


@calibration_group.command("import", epilog="Example: evidence-audit calibration import agreed.csv")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--items", "items_file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Samples with their own texts, for responses that the study does not hold.")  # fmt: skip
@json_option
@study_option
def import_(file: Path, items_file: Path | None, as_json: bool, folder: Path) -> None:
    """Make the agreed answers of FILE the calibration set: rows with response_id, label, value and reason.

    From then on everybody practises on them before other work, and sees the agreed answer and its reason after each of
    their own. Only responses to tasks that are in no draw are taken. The set before is replaced; answers to items
    whose agreed values are as they were still count. The same answers again change nothing.
    """
    _print(agreeing.import_set(checked_study(folder), file, items_file=items_file), as_json, rows=False)


@calibration_group.command("list", epilog="Example: evidence-audit calibration list")
@json_option
@study_option
def list_set(as_json: bool, folder: Path) -> None:
    """List the agreed answers that people practise on."""
    _print(agreeing.calibration_set(checked_study(folder)), as_json, rows=True)


@calibration_group.command("remove", epilog="Example: evidence-audit calibration remove")
@json_option
@study_option
def remove(as_json: bool, folder: Path) -> None:
    """Take the calibration set away: nobody practises any more. What was practised stays in the record."""
    said = agreeing.remove_set(checked_study(folder))
    if as_json:
        print_json({"outcome": said})
    else:
        say(said)


@calibration_group.command("results", epilog="Example: evidence-audit calibration results")
@json_option
@study_option
def results(as_json: bool, folder: Path) -> None:
    """Print who has passed the calibration round: the best try at each label, and how many tries there were."""
    found = calibration_round(checked_study(folder))
    if as_json:
        print_json(asdict(found))
        return
    if found.set.set_id is not None and found.people:
        click.echo(as_table(round_rows(found)) + "\n")
    say(found.sentence)


@calibration_group.command("again", epilog="Example: evidence-audit calibration again PERSON_ID")
@click.argument("person_id")
@json_option
@study_option
def again(person_id: str, as_json: bool, folder: Path) -> None:
    """Make somebody practise the calibration set again, before they get other work.

    Their results so far stay in the record and count no more.
    """
    said = practise_again(checked_study(folder), person_id)
    if as_json:
        print_json({"person_id": person_id, "outcome": said})
    else:
        say(said)


def _print(found: agreeing.CalibrationSet, as_json: bool, *, rows: bool) -> None:
    if as_json:
        print_json(asdict(found))
        return
    if rows and found.answers:
        click.echo(as_table(agreeing.answer_rows(found)) + "\n")
    say(found.sentence)
