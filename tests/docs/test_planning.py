"""Runs docs/planning.md and compares it with itself.

When a command rightly prints something new, run this test once with REWRITE_DOCS=1 and read what changed.
"""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from audit_app.actions.importing import import_records
from audit_app.actions.sampling import Plan, draw_sample
from audit_app.cli import cli
from data.study import init_study

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "planning.md"
DEMO = ROOT / "data" / "demo"

CHANGING = (
    (r"\d{4}-\d\d-\d\dT[\d:.+]+", "2026-01-31T09:00:00+00:00"),
    (r"Registered on \d{4}-\d\d-\d\d", "Registered on 2026-01-31"),
    (r"\b[0-9a-f]{64}\b", "0123456789abcdef…"),
    (r"\b[0-9a-f]{16}\b", "0123456789abcdef"),
    (r"\(hash [0-9a-f]{12}\)", "(hash 0123456789ab)"),
    (r"http://\S+/in/\S+", "http://127.0.0.1:8501/in/…"),
)
"""What differs from run to run: times, and hashes over times."""


def run(line: str) -> str:
    """What a person sees after typing this line."""
    program, *arguments = shlex.split(line.replace("$DEMO", shlex.quote(str(DEMO))))
    if program == "cd":
        os.chdir(arguments[0])
        return ""
    assert program == "evidence-audit", line
    result = CliRunner().invoke(cli, arguments)
    cannot = "cannot be met" in result.output
    assert result.exit_code == int(cannot), (line, result.output, result.exc_info)
    shown = result.output
    for pattern, text in CHANGING:
        shown = re.sub(pattern, text, shown)
    return shown


@pytest.fixture
def somewhere(tmp_path: Path) -> Iterator[None]:
    """An empty folder, and beside it the study `fresh` with a sample that nobody has labelled."""
    fresh = init_study(tmp_path / "fresh")
    for kind in ("tasks", "contexts", "responses", "verdicts"):
        import_records(fresh, kind, DEMO / f"{kind}.jsonl")
    draw_sample(fresh, Plan(size=240, seed=7))
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        yield
    finally:
        os.chdir(before)


def test_the_document_shows_what_the_commands_print(somewhere: None) -> None:
    def block(found: re.Match[str]) -> str:
        commands = [line for line in found[1].splitlines() if line.startswith("$ ")]
        printed = [f"{command}\n{run(command[2:])}".rstrip("\n") + "\n" for command in commands]
        return "```console\n" + "\n".join(printed) + "```"

    before = DOCUMENT.read_text(encoding="utf-8")
    after = re.sub(r"```console\n(.*?)```", block, before, flags=re.S)
    if os.environ.get("REWRITE_DOCS"):
        DOCUMENT.write_text(after, encoding="utf-8")
    assert after == before
