"""What all commands share: the study option, JSON output, and errors in a sentence instead of a traceback."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from data.errors import StudyProblem

Command = TypeVar("Command", bound=Callable[..., Any])


class Group(click.Group):
    """A group of commands whose problems come out as sentences on stderr, with exit status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; what a person can mend ends in a sentence."""
        try:
            return super().invoke(ctx)
        except StudyProblem as problem:
            click.echo(f"evidence-audit: {problem}", err=True)
            ctx.exit(1)
        except BrokenPipeError:
            # Whoever read our output has enough (`| head`): not an error, and nothing more can be written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            if error.strerror is None:
                raise
            where = f"{error.filename}: " if error.filename else ""
            click.echo(f"evidence-audit: {where}{error.strerror}; free space or choose another place", err=True)
            ctx.exit(1)


def study_option(command: Command) -> Command:
    """Adds `--study DIR`."""
    about = "Study folder; the current one by default."
    return click.option("--study", "folder", type=click.Path(path_type=Path), default=Path(), help=about)(command)


def json_option(command: Command) -> Command:
    """Adds `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def print_json(value: Any) -> None:
    """Prints a value as JSON on stdout; records become objects, NaN is refused."""
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    click.echo(json.dumps(plain, ensure_ascii=False, indent=2, allow_nan=False, default=_plain))


def _plain(value: Any) -> Any:
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


def say(text: str) -> None:
    """Talk goes to stderr, so that stdout holds data only."""
    click.echo(text, err=True)


def listed(text: str | None) -> tuple[str, ...] | None:
    """The parts of an option that takes several with commas between; None when it was not given."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())
