"""The command line that runs a judge, ready to be copied."""

import json
import shlex
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from audit_app.actions.judge_choice import DEFAULTS, Chosen, JudgeChoice
from audit_app.actions.judge_ledger import RunOptions
from judge.lexical import MODEL

RUN = "evidence-audit judge run"

EXAMPLE = f"{RUN} --model MODEL --base-url http://127.0.0.1:8000/v1"
"""For somebody who has run no judge yet."""


def command_of(choice: JudgeChoice, chosen: Chosen, options: RunOptions) -> str:
    """The command that goes on with a run: the same judge, asked for the same.

    What makes one run differ from the next is left out: --again and --fresh are for once.
    """
    words = [*_judge(choice, chosen), *_asked(options)]
    return " ".join([RUN, *map(shlex.quote, words)])


def _judge(choice: JudgeChoice, chosen: Chosen) -> Iterator[str]:
    own = chosen.judge.model
    if choice.baseline:
        yield "--baseline"
    elif choice.replay is not None:
        own = f"replay of {choice.replay.name}"
        yield from ("--replay", str(choice.replay))
    else:
        yield from ("--model", own)
        if chosen.address:
            # What follows a question mark may be a key.
            yield from ("--base-url", urlsplit(chosen.address)._replace(query="", fragment="").geturl())
        yield from _parameters(choice.parameters)
    yield from ("--judge", chosen.name) if chosen.name != own else ()
    default = JudgeChoice()
    yield from ("--timeout", f"{choice.timeout:g}") if choice.timeout != default.timeout else ()
    yield from ("--retries", str(choice.retries)) if choice.retries != default.retries else ()


def _asked(options: RunOptions) -> Iterator[str]:
    asked = options.asked
    yield from ("--labels", ",".join(asked.labels)) if asked.labels else ()
    yield from ["--claims"] * options.claims + ["--all"] * asked.everything
    for name, value in asked.where.items():
        yield from ("--where", f"{name}={value}")
    yield from ("--sample", asked.sample_id) if asked.sample_id else ()
    yield from ("--concurrency", str(options.concurrency)) if options.concurrency != RunOptions().concurrency else ()
    yield from ("--price", f"{options.price.input:g},{options.price.output:g}") if options.price else ()
    yield from ("--max-cost", f"{options.max_cost:g}") if options.max_cost is not None else ()


def command_for(judge: str, model: str, parameters: str) -> str | None:
    """The command for a judge of whose runs no command was kept; None where its stored answers do not say how.

    Where its server is was not kept either, and is to be filled in: the hosted API must not be asked by mistake.
    """
    if model == MODEL:
        words = ["--baseline"]
    elif model.startswith("replay of "):
        return None
    else:
        sent = json.loads(parameters)
        words = ["--model", model, "--base-url", "URL"]
        words += _parameters({**dict.fromkeys(DEFAULTS.keys() - sent), **sent})
    words += ["--judge", judge] if judge != model else []
    return " ".join([RUN, *map(shlex.quote, words)])


def _parameters(parameters: Mapping[str, object]) -> Iterator[str]:
    for name, value in parameters.items():
        if name not in DEFAULTS or value != DEFAULTS[name]:
            written = "" if value is None else value if isinstance(value, str) else json.dumps(value)
            yield from ("--parameter", f"{name}={written}")
