"""The options that say which judge is meant, ours or somebody's harness."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from audit_app.actions.judge_choice import JudgeChoice, parse_parameters
from audit_app.actions.judge_harness import HarnessChoice
from audit_app.cli.options import Number, Whole, listed
from judge.client import ADDRESS, KEY

HARNESS = "pkg.mod:function, a command that reads and writes JSON lines, or http://…"

Options = Callable[[Callable[..., Any]], Callable[..., Any]]


def judge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say which judge: they arrive as one `JudgeChoice` named `choice`."""

    @wraps(command)
    def gathered(*args: Any, **given: Any) -> Any:
        names = ("model", "replay", "baseline", "base_url", "timeout", "retries")
        parameters = parse_parameters(given.pop("parameter"))
        chosen = {name: given.pop(name) for name in names}
        return command(*args, choice=JudgeChoice(**chosen, name=given.pop("judge"), parameters=parameters), **given)

    about_address = f"Of an OpenAI-compatible server; ${ADDRESS} or the hosted API by default. The key: ${KEY}."
    about_parameter = "Sent along, as NAME=VALUE; NAME= leaves a default out (temperature=0, max_tokens=2048)."
    options: list[Options] = [
        click.option("--model", help="The model to ask, as its server calls it."),
        click.option("--base-url", metavar="URL", help=about_address),
        click.option(
            "--replay", type=click.Path(path_type=Path), help="Instead of a model: verdicts recorded in a file."
        ),
        click.option("--baseline", is_flag=True, help="Instead of a model: word overlap. Not an LLM, and no network."),
        click.option("--judge", help="What it is called in results; the model's name by default."),
        click.option("--parameter", multiple=True, metavar="NAME=VALUE", help=about_parameter),
        click.option("--timeout", type=Number(0.1), default=120, show_default=True, help="Seconds for one attempt."),
        click.option(
            "--retries", type=Whole(0, 100), default=5, show_default=True, help="Repeats of a failed request."
        ),
    ]
    decorated: Callable[..., Any] = gathered
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def harness_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a judge that is put to a test: they arrive as one `HarnessChoice` named `tested`."""

    @wraps(command)
    def gathered(*args: Any, choice: JudgeChoice, **given: Any) -> Any:
        metrics = listed(given.pop("metrics")) or ()
        named, concurrency = given.pop("harness"), given.pop("concurrency")
        tested = HarnessChoice(harness=named, judge=choice, metrics=metrics, concurrency=concurrency)
        return command(*args, tested=tested, **given)

    about_metric = "What it answers with, with commas; faithfulness of a harness, G of the others. See judge wiring."
    options: list[Options] = [
        click.option("--harness", metavar="HARNESS", help=f"The judge: {HARNESS}."),
        judge_options,
        click.option("--metric", "metrics", help=about_metric),
        click.option("--concurrency", type=Whole(1, 1000), default=1, show_default=True, help="Calls at a time."),
    ]
    decorated: Callable[..., Any] = gathered
    for option in reversed(options):
        decorated = option(decorated)
    return decorated
