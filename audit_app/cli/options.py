"""What commands share: the study and the options of results, JSON output, and errors in a sentence, not a traceback."""

import json
import os
import select
import sys
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from audit_app.actions.seal import unseal
from audit_app.actions.studies import checked_study
from audit_app.actions.wording import visible
from data.errors import StudyProblem
from data.frame import SLICES
from data.study import Study

Command = TypeVar("Command", bound=Callable[..., Any])
Options = Callable[[Callable[..., Any]], Callable[..., Any]]


class Number(click.FloatRange):
    """A number, within bounds if there are any. NaN passes every bound of click's and infinity most: both are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        found = float(super().convert(value, param, ctx))
        if not isfinite(found):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return found

    def _describe_range(self) -> str:
        """What help texts say of the bounds: nothing where there are none."""
        return "" if self.min is None and self.max is None else super()._describe_range()


class Whole(click.IntRange):
    """A whole number. Its upper bound keeps out what no study is about; help texts do not mention it."""

    def _describe_range(self) -> str:
        return "" if self.min is None or self.min < 0 else f"x>={self.min}"


class Group(click.Group):
    """A group of commands whose problems come out as sentences on stderr, with exit status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; what a person can mend ends in a sentence."""
        try:
            return super().invoke(ctx)
        except StudyProblem as problem:
            # Names out of files must not steer the terminal.
            said = "\n".join(map(visible, str(problem).split("\n")))
            click.echo(f"evidence-audit: {said}", err=True)
            ctx.exit(1)
        except OSError as error:
            if isinstance(error, BrokenPipeError) and (_unread(sys.stdout) or _unread(sys.stderr)):
                # Whoever read our output has enough (`| head`): not an error, and nothing more can be written.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                ctx.exit(0)
            if error.strerror is None:
                raise
            where = f"{error.filename}: " if error.filename else ""
            click.echo(f"evidence-audit: {where}{error.strerror}; free space or choose another place", err=True)
            ctx.exit(1)


def _unread(stream: TextIO) -> bool:
    """Whether nobody reads the pipe that this stream writes to."""
    watch = select.poll()
    try:
        watch.register(stream, 0)
    except (OSError, ValueError):
        return False  # No file at all, as in a test.
    return bool(watch.poll(0))


def study_option(command: Command) -> Command:
    """Adds `--study DIR`."""
    about = "Study folder; the current one by default."
    return click.option("--study", "folder", type=click.Path(path_type=Path), default=Path(), help=about)(command)


def json_option(command: Command) -> Command:
    """Adds `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def out_option(about: str) -> Options:
    """Adds `--out FILE`, refused before any work is done if there is no folder for it, or if it is a folder."""

    def place(_context: click.Context, _option: click.Parameter, given: Path | None) -> Path | None:
        if given and (given.is_dir() or not given.parent.is_dir()):
            wrong = "is a folder" if given.is_dir() else f"has no folder {given.parent}"
            raise StudyProblem(f"{given} {wrong}; name a file in a folder that is there")
        return given

    return click.option("--out", type=click.Path(path_type=Path), callback=place, help=about)


def by_option(command: Command) -> Command:
    """Adds `--by COLUMNS`, as a tuple of columns."""

    def columns(_context: click.Context, _option: click.Parameter, given: str | None) -> tuple[str, ...]:
        return tuple(name.strip() for name in given.split(",")) if given else ()

    about = f"Slice by these columns, with commas between: {', '.join(SLICES)}."
    return click.option("--by", metavar="COLUMNS", callback=columns, help=about)(command)


def level_option(command: Command) -> Command:
    """Adds `--level SHARE`."""
    about = "Confidence level of the intervals."
    return click.option("--level", type=Number(0.5, 0.999), default=0.95, show_default=True, help=about)(command)


def result_options(*, judge: bool = True, target: bool = True, grounding: bool = True) -> Options:
    """The options of every command that prints results."""
    options: list[Callable[..., Any]] = [json_option, study_option]
    options.append(click.option("--unseal", metavar="REASON", help="Open results before all labels are in, for good."))
    options.append(click.option("--sample", "sample_id", help="Which sample; the newest by default."))
    if judge:
        options.append(
            click.option(
                "--judge", help="Which judge; by default the registered one, else the one with the most verdicts."
            )
        )
    if target:
        about = "A: what one annotator says. B: the adjudicated or unanimous label, on the overlap."
        options.append(
            click.option("--target", type=click.Choice(["A", "B"]), default="A", show_default=True, help=about)
        )
    if grounding:
        about = "Whether “supported but contradicted” counts as grounded (lenient)."
        ways = click.Choice(["strict", "lenient"])
        options.append(click.option("--grounding", type=ways, default="strict", show_default=True, help=about))

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def open_study(folder: Path, reason: str | None) -> Study:
    """The study in a folder, once all is well with it; opened early where a reason is given."""
    study = checked_study(folder)
    if reason:
        unseal(study, reason)
    return study


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
    """Talk goes to stderr, so that stdout holds data only; a sentence is one line."""
    click.echo(visible(text), err=True)


def listed(text: str | None) -> tuple[str, ...] | None:
    """The parts of an option that takes several with commas between; None when it was not given."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())
