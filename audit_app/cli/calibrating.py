"""The command that corrects a judge by a calibration set from elsewhere."""

from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions.calibrating import calibrate, calibrated_rows
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import as_table
from audit_app.cli.options import json_option, level_option, print_json, say, study_option


@click.command("rogan-gladen", epilog="Example: evidence-audit judge rogan-gladen calibration.csv --judge gpt-4")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--judge", help="Which judge; by default the registered one, else the one with the most verdicts.")
@level_option
@json_option
@study_option
def rogan_gladen(file: Path, judge: str | None, level: float, as_json: bool, folder: Path) -> None:
    """Correct a judge's shares of yes by its errors on a calibration set from elsewhere.

    FILE has one row per response of the calibration set and label: label (C, A, G or D), human and judge (1/0, yes/no).
    Refused where sensitivity + specificity is not above 1. Only for single labels, and only right if the judge errs
    here as it does there; with labels on a sample of these responses use `metrics`.
    """
    found = calibrate(checked_study(folder), file, judge=judge, level=level)
    if as_json:
        print_json({"sentence": found.sentence, **asdict(found)})
    else:
        click.echo(as_table(calibrated_rows(found)))
    for why in found.left_out:
        say(why)
    say(found.sentence)
