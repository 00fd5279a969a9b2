"""The command line: files in, a sample, people, the app, results out."""

import sys

import click

from audit_app.cli.adjudicating import adjudicate_group
from audit_app.cli.assignments import assignments_group
from audit_app.cli.calibrating import rogan_gladen
from audit_app.cli.calibration import calibration_group
from audit_app.cli.comparing import compare_command
from audit_app.cli.files import check, export, import_group, init
from audit_app.cli.judge import judge_group
from audit_app.cli.judge_run import run_command
from audit_app.cli.judges import compare_judges_command
from audit_app.cli.leaks import leaks_command
from audit_app.cli.options import Group
from audit_app.cli.people import people_group
from audit_app.cli.prompting import prompt_group
from audit_app.cli.raters import agreement
from audit_app.cli.registering import register_command
from audit_app.cli.results import metrics, report
from audit_app.cli.rubric import rubric_group
from audit_app.cli.sampling import sample_group
from audit_app.cli.serving import demo, serve
from audit_app.cli.wiring import ablate_command, canary_command, wiring

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


@click.group(cls=Group, help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="evidence-audit")
def cli() -> None:
    """All commands."""


for command in (init, import_group, check, leaks_command, sample_group, register_command, people_group,
                assignments_group, rubric_group, calibration_group, adjudicate_group, serve, agreement, judge_group,
                metrics, report, compare_command, export, prompt_group, demo):  # fmt: skip
    cli.add_command(command)


for command in (run_command, compare_judges_command, ablate_command, canary_command, wiring, rogan_gladen):
    judge_group.add_command(command)


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
