"""The command about people as raters: agreement."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import rater_rows as rows
from audit_app.actions import raters
from audit_app.actions.consensus import consensus, posterior_text
from audit_app.actions.habits import annotator_habits
from audit_app.actions.wording import as_table
from audit_app.cli.options import by_option, level_option, open_study, out_option, print_json, result_options, say
from data.study import Study, replace_text

NOBODY = "No item has labels of two people yet, so there is nothing to compare."


@click.command(epilog="Example: evidence-audit agreement --all --by condition")
@click.option("--all", "every", is_flag=True, help="Every coefficient, with its standard error and what it rests on.")
@by_option
@click.option("--weighted", is_flag=True, help="Weigh items by the design: agreement on the whole population.")
@click.option("--annotators", is_flag=True, help="Each annotator: bias, consistency, drift, speed, and their variance.")
@click.option("--aggregate", type=click.Choice(["dawid-skene"]), help="One label an item from all people's labels.")
@out_option("With --aggregate: the posteriors, as .csv or .jsonl.")
@level_option
@result_options(judge=False, target=False, grounding=False)
def agreement(
    every: bool,
    by: tuple[str, ...],
    weighted: bool,
    annotators: bool,
    aggregate: str | None,
    out: Path | None,
    level: float,
    as_json: bool,
    folder: Path,
    unseal: str | None,
    sample_id: str | None,
) -> None:
    """Print how well people agree: percent, Krippendorff's alpha, AC1, and Cohen's kappa of every pair."""
    _check(every=every or bool(by) or weighted, annotators=annotators, aggregate=aggregate is not None, out=out)
    study = open_study(folder, unseal)
    if annotators:
        _annotators(study, sample_id, level, as_json)
    elif aggregate:
        _aggregate(study, sample_id, out, as_json)
    else:
        found = raters.agreement(study, sample_id=sample_id, by=by, every=every, weighted=weighted, level=level)
        _print(found, every=every, as_json=as_json)


def _check(*, every: bool, annotators: bool, aggregate: bool, out: Path | None) -> None:
    if annotators + aggregate + every > 1:
        raise click.UsageError("--annotators and --aggregate stand alone; ask for one thing at a time")
    if out and not aggregate:
        raise click.UsageError("--out belongs to --aggregate")
    if out and out.suffix not in (".csv", ".jsonl"):
        raise click.UsageError(f"--out {out}: posteriors are written as .csv or .jsonl; end the name in one of them")


def _print(found: raters.AgreementResult, *, every: bool, as_json: bool) -> None:
    if as_json:
        print_json(asdict(found))
    elif not found.labels:
        click.echo(NOBODY)
    elif every:
        _tables(rows.coefficient_rows(found), rows.prevalence_rows(found), rows.pair_rows(found),
                rows.decision_rows(found))  # fmt: skip
    else:
        _tables(rows.agreement_rows(found), rows.pair_rows(found), rows.decision_rows(found))
    say(found.sentence)


def _annotators(study: Study, sample_id: str | None, level: float, as_json: bool) -> None:
    found = annotator_habits(study, sample_id=sample_id, level=level)
    if as_json:
        print_json(asdict(found))
    elif found.labels:
        _tables(rows.habit_rows(found), rows.drift_rows(found), rows.variance_rows(found))
        said = [rows.bias_sentence(found), rows.INTERPENETRATED]
        click.echo("\n".join(["", *said, *rows.habit_reasons(found, tuple(rows.FIGURES))]))
    else:
        click.echo("Nobody has labelled anything yet.")
    say(found.sentence)


def _aggregate(study: Study, sample_id: str | None, out: Path | None, as_json: bool) -> None:
    found = consensus(study, sample_id=sample_id)
    if out:
        replace_text(out, posterior_text(found, out.suffix.removeprefix(".")))
        say(f"Wrote {out}")
    if as_json:
        print_json({**asdict(found), "sentence": found.sentence})
    elif found.labels:
        _tables(rows.consensus_rows(found), rows.error_rate_rows(found))
    else:
        click.echo("Nobody has labelled anything yet.")
    say(found.sentence)


def _tables(*tables: Sequence[rows.Row]) -> None:
    click.echo("\n\n".join(as_table(table) for table in tables if table))
