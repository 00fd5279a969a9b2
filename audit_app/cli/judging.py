"""The commands about judges, put together from their modules."""

from audit_app.cli.calibrating import rogan_gladen
from audit_app.cli.judge import judge_group
from audit_app.cli.judge_run import run_command
from audit_app.cli.judge_runs import runs_command
from audit_app.cli.judges import compare_judges_command
from audit_app.cli.wiring import ablate_command, canary_command, wiring

__all__ = ["judge_group"]

for command in (
    run_command,
    runs_command,
    compare_judges_command,
    ablate_command,
    canary_command,
    wiring,
    rogan_gladen,
):
    judge_group.add_command(command)
