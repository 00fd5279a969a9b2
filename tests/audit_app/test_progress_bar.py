"""A bar after a second, where a person looks, that never goes back."""

import re
import sys
from collections.abc import Sequence
from io import StringIO

import pytest

from audit_app.cli.progress import Bar


class Terminal(StringIO):
    """What a person would see."""

    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch, stderr: StringIO, after: float, shares: Sequence[float]) -> str:
    # Here and not in a fixture: between fixture and test, pytest puts its own stderr in place.
    monkeypatch.setattr(sys, "stderr", stderr)
    with Bar("Reading a.jsonl", after=after) as bar:
        for share in shares:
            bar(share)
    return stderr.getvalue()


def test_what_takes_long_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watched(monkeypatch, Terminal(), 0, (0.25, 0.1, 0.5, 1.0, 1.0))
    assert seen.count("Reading a.jsonl") == 4
    assert [int(part) for part in re.findall(r"(\d+)%", seen)] == [0, 25, 50, 100]


def test_what_is_short_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, Terminal(), 60, (0.5,)) == ""


def test_a_log_file_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watched(monkeypatch, StringIO(), 0, (0.5,)) == ""
