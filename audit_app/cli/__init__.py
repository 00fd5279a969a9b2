"""The command line: files in, a sample, people, the app, results out."""

import sys
from importlib import import_module

import click

from audit_app.cli.options import Group

COMMANDS = {
    "init": "files.init",
    "import": "files.import_group",
    "check": "files.check",
    "leaks": "leaks.leaks_command",
    "sample": "sampling.sample_group",
    "register": "registering.register_command",
    "people": "people.people_group",
    "assignments": "assignments.assignments_group",
    "rubric": "rubric.rubric_group",
    "calibration": "calibration.calibration_group",
    "adjudicate": "adjudicating.adjudicate_group",
    "serve": "serving.serve",
    "agreement": "raters.agreement",
    "judge": "judging.judge_group",
    "metrics": "results.metrics",
    "report": "results.report",
    "compare": "comparing.compare_command",
    "export": "files.export",
    "prompt": "prompting.prompt_group",
    "demo": "serving.demo",
}
"""Where each command stands in this room."""


class Commands(Group):
    """All commands, each imported when it is asked for: most need no judge, no statistics and no server."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(".")
        found: click.Command = getattr(import_module(f"audit_app.cli.{module}"), name)
        return found


HELP = """Audit an LLM judge with people: draw a sample, label it blind in a browser, correct the metrics.

\b
The usual order:
  evidence-audit init study
  cd study
  evidence-audit import tasks tasks.jsonl       (then contexts, responses, verdicts)
  evidence-audit sample draw --size 300
  evidence-audit people add "Ann"
  evidence-audit people add "Lead" --role lead
  evidence-audit serve
  evidence-audit report

Or look at a finished study first: evidence-audit demo
"""


@click.group(
    cls=Commands, help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="evidence-audit")
def cli() -> None:
    """All commands."""


def main() -> None:
    """The console command: exit status 0 done, 1 a person can mend it, 2 wrong usage."""
    try:
        # Outside standalone mode click returns the status that a command exits with.
        status = cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("stopped", err=True)
        sys.exit(1)
    sys.exit(status or 0)
