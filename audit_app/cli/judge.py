"""Commands about a judge: judge check."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from audit_app.actions import judge_rows as rows
from audit_app.actions.alternative import EPSILON
from audit_app.actions.judging import JudgeCheck, judge_check
from audit_app.actions.labelled import Grounding
from audit_app.actions.split import Split
from audit_app.actions.wording import as_table
from audit_app.cli.options import Group, Number, by_option, level_option, open_study, print_json, result_options, say
from metrics.estimate import Target

ALLOWANCE = "Allowance for the judge in that test: .2 beside experts, .15 beside trained people, .1 beside anybody."


@click.group("judge", cls=Group, epilog="Example: evidence-audit judge check")
def judge_group() -> None:
    """Ask whether a judge can be trusted."""


@judge_group.command("check", epilog="Example: evidence-audit judge check --judge gpt-4 --target B")
@click.option("--all", "every", is_flag=True, help="Trust by slice, predictive values, F1, MCC, tables, two people.")
@by_option
@click.option("--alternative", is_flag=True, help="May the judge stand in for an annotator? Says why it cannot tell.")
@click.option("--split", type=click.Choice(["dev", "validation"]),
              help="Only these tasks, with all disagreements. dev: for tuning a judge, never sealed.")  # fmt: skip
@click.option("--epsilon", type=Number(0, 1, max_open=True), default=EPSILON, show_default=True, help=ALLOWANCE)
@level_option
@result_options()
def check(
    every: bool,
    by: tuple[str, ...],
    alternative: bool,
    split: Split | None,
    epsilon: float,
    level: float,
    as_json: bool,
    folder: Path,
    unseal: str | None,
    sample_id: str | None,
    judge: str | None,
    target: Target,
    grounding: Grounding,
) -> None:
    """Print a judge's sensitivity, specificity and kappa against people, weighted to all responses."""
    found = judge_check(
        open_study(folder, unseal),
        sample_id=sample_id,
        judge=judge,
        target=target,
        grounding=grounding,
        by=by,
        epsilon=epsilon,
        level=level,
        split=split,
    )
    if as_json:
        names = ("sentence", "verdict", "tuned_sentence", "undated_sentence")
        said = {name: getattr(found, name) for name in names}
        print_json({**asdict(found), **said})
    else:
        click.echo("\n\n".join(_parts(found, every=every, alternative=alternative)))
    say(found.sentence)
    for sentence in (found.undecided, found.tuned_sentence, found.undated_sentence, found.verdict):
        if sentence:
            say(sentence)


def _parts(found: JudgeCheck, *, every: bool, alternative: bool) -> Iterator[str]:
    """The tables that were asked for, and those that are not always there."""
    wanted = [rows.judge_rows(found)]
    if every:
        wanted += [rows.verdict_rows(found), rows.more_rows(found), rows.ceiling_rows(found), rows.cell_rows(found)]
    wanted += [rows.diagnostic_rows(found), rows.disagreement_rows(found)]
    yield from (as_table(table) for table in wanted if table)
    tested = rows.alternative_rows(found)
    if tested:
        yield rows.alternative_sentence(found)
        yield as_table(tested)
        yield as_table(rows.contest_rows(found))
    if alternative:
        yield from rows.refusals(found)
