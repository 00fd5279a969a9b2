"""The command judge run."""

from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from audit_app.actions.judge_choice import JudgeChoice, open_judge
from audit_app.actions.judge_claims import faithfulness
from audit_app.actions.judge_command import command_of
from audit_app.actions.judge_ledger import RunOptions
from audit_app.actions.judge_report import estimate_sentences, faithfulness_sentence, run_sentences
from audit_app.actions.judge_run import estimate, run_judge
from audit_app.actions.judge_work import Asked, questions, response_ids
from audit_app.actions.studies import checked_study
from audit_app.cli.judge_asked import judge_options
from audit_app.cli.options import Number, Whole, json_option, listed, print_json, say, study_option
from data.study import Study
from judge.run import Tally
from judge.spending import Price


def _price(_context: click.Context, _option: click.Parameter, given: str | None) -> Price | None:
    if given is None:
        return None
    try:
        first, second = (float(part) for part in given.split(","))
    except ValueError:
        raise click.BadParameter(f"{given!r}; expected two numbers, such as 0.15,0.60") from None
    if not (0 <= first < 1e9 and 0 <= second < 1e9):
        raise click.BadParameter(f"{given!r}; expected two numbers of at least 0")
    return Price(input=first, output=second)


def _where(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in given]
    if not all(equals and name for name, equals, _ in pairs):
        raise click.BadParameter("expected COLUMN=VALUE, such as condition=clean")
    return {name: value for name, _, value in pairs}


@click.command("run", epilog="Example: evidence-audit judge run --model qwen3-32b --base-url http://127.0.0.1:8000/v1")
@judge_options
@click.option("--labels", help="With commas between; D,A,G,C by default. The word diagnostics stands for all six.")
@click.option("--claims", is_flag=True, help="Also split responses into claims and judge each against the passages.")
@click.option("--all", "everything", is_flag=True, help="All responses of the frame, not only the drawn ones.")
@click.option("--where", multiple=True, metavar="COLUMN=VALUE", callback=_where, help="Only these; may be repeated.")
@click.option("--sample", "sample_id", help="Which sample; the newest by default.")
@click.option("--concurrency", type=Whole(1, 1000), default=8, show_default=True, help="Calls under way at once.")
@click.option("--price", metavar="INPUT,OUTPUT", callback=_price, help="Of a million tokens, in your currency.")
@click.option("--max-cost", type=Number(0), help="Stop before this judge has cost more here, all its runs together.")
@click.option("--again", is_flag=True, help="Ask again what was answered, but not with a label.")
@click.option("--fresh", is_flag=True, help="Ask anew what another judge's name was answered: for a second date.")
@click.option("--dry-run", is_flag=True, help="Only say how many calls, tokens and how much money it would take.")
@json_option
@study_option
@click.pass_context
def run_command(
    ctx: click.Context,
    choice: JudgeChoice,
    labels: str | None,
    claims: bool,
    everything: bool,
    where: dict[str, str],
    sample_id: str | None,
    concurrency: int,
    price: Price | None,
    max_cost: float | None,
    again: bool,
    fresh: bool,
    dry_run: bool,
    as_json: bool,
    folder: Path,
) -> None:
    """Let a judge label the drawn responses; goes on where it was stopped. Exit status 1 if labels are left.

    Every label is judged from its own view: who judges grounding never sees the reference answer. The verdicts join
    those that were imported, so that `judge check --judge NAME` and all other commands know the judge.
    """
    study = checked_study(folder)
    asked = Asked(labels=listed(labels), everything=everything, sample_id=sample_id, where=where)
    options = RunOptions(
        asked=asked, claims=claims, concurrency=concurrency, price=price, max_cost=max_cost, again=again, fresh=fresh
    )
    chosen = open_judge(study, choice)
    if dry_run:
        found = estimate(study, chosen.name, chosen.judge, options)
        if as_json:
            print_json({"judge": chosen.name, **asdict(found)})
        for sentence in () if as_json else estimate_sentences(chosen.name, found):
            click.echo(sentence)
        return
    with _Bar(study, options) as bar:
        done = run_judge(study, chosen.name, chosen.judge, options, closing=chosen.closing, told=bar.show,
                         command=command_of(choice, chosen, options))  # fmt: skip
    faithful = faithfulness(study, chosen.name) if claims else None
    if as_json:
        print_json({**done.as_dict(), "faithfulness": faithful})
    for sentence in run_sentences(done):
        say(sentence)
    if faithful:
        say(faithfulness_sentence(faithful))
    ctx.exit(0 if done.complete else 1)


class _Bar:
    """Progress on the terminal, with rate and cost so far; nothing where there is none."""

    def __init__(self, study: Study, options: RunOptions) -> None:
        n = len(response_ids(study, options.asked)) * (len(questions(study, options.asked.labels)) + 2 * options.claims)
        self._price = options.price
        columns = (
            TextColumn("Judging"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[cost]}"),
            TimeRemainingColumn(),
        )
        console = Console(stderr=True)
        self._progress = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
        self._task = self._progress.add_task("", total=n, rate="", cost="")

    def __enter__(self) -> "_Bar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, tally: Tally, settled: int) -> None:
        """What was counted so far."""
        if self._progress.disable:
            return
        task = self._progress.tasks[0]
        rate = f"{tally.n / task.elapsed:.1f}/s" if task.elapsed else ""
        tokens = f"{tally.input_tokens + tally.output_tokens:,} tokens"
        cost = f"{self._price.cost(tally.input_tokens, tally.output_tokens):.2f}" if self._price else tokens
        self._progress.update(self._task, completed=tally.n + settled, rate=rate, cost=cost)
