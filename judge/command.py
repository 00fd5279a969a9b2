"""A command that reads one JSON object a line and writes one line for each, under a deadline."""

import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

GRACE = 5.0
"""Seconds that a command has to end after its last answer."""

TAIL = 2000
"""Bytes of what a command wrote on stderr that are looked at when it fails."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command's words, and how many seconds it may take from one line to the next."""

    words: Sequence[str]
    timeout: float

    def __str__(self) -> str:
        return shlex.join(self.words)

    def answers(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Runs the command once over all rows; its lines, one for each row.

        It is ended, with whatever it started, when the last line is there or nobody wants another.

        Raises:
            ValueError: It cannot be started, ends early, is silent for too long, or writes more lines than rows; with
                the last it wrote on stderr.
        """
        with tempfile.TemporaryFile() as said:
            try:
                # A group of its own, so that what a shell or a launcher has started ends with it.
                process = subprocess.Popen(
                    self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                    text=True, encoding="utf-8", errors="replace", start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise ValueError(f"harness {self}: {error.strerror}") from None
            # Written beside the reading: a command may answer before it has read everything, and pipes are short.
            writer = threading.Thread(target=_write, args=(process.stdin, rows), daemon=True)
            writer.start()
            try:
                yield from self._lines(process, said, len(rows))
            finally:
                _end(process)
                writer.join(GRACE)
                if process.stdout:
                    process.stdout.close()

    def _lines(self, process: subprocess.Popen[str], said: IO[bytes], n: int) -> Iterator[str]:
        for k in range(n):
            line, late = _line(process, self.timeout)
            if late:
                raise ValueError(f"harness {self} was silent for {self.timeout:g} seconds after {k} of {n} answers; "
                                 f"let it flush each line, or give it more with --timeout{_tail(said)}")  # fmt: skip
            if not line:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(GRACE)
                ended = "none yet" if process.returncode is None else process.returncode
                raise ValueError(f"harness {self} ended after {k} of {n} answers (exit status {ended}){_tail(said)}")
            yield line
        if _line(process, min(GRACE, self.timeout))[0]:
            raise ValueError(f"harness {self} answered more lines than the {n} it was given")


def _line(process: subprocess.Popen[str], seconds: float) -> tuple[str, bool]:
    """The next line, empty at the end; and whether the command was ended because none came in time."""
    late = threading.Event()

    def end() -> None:
        late.set()
        _end(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        line = process.stdout.readline() if process.stdout else ""
    finally:
        timer.cancel()
    return line, late.is_set() and not line


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _write(stdin: IO[str] | None, rows: Sequence[Mapping[str, Any]]) -> None:
    # A command that went away is seen by the reading side, which says so.
    with suppress(OSError):
        if stdin is None:
            return
        try:
            for row in rows:
                stdin.write(json.dumps(row) + "\n")
                stdin.flush()
        finally:
            stdin.close()


def _tail(said: IO[bytes]) -> str:
    """The last lines of what a command wrote on stderr, as the end of a sentence."""
    said.seek(max(0, said.seek(0, os.SEEK_END) - TAIL))
    lines = [line.strip() for line in said.read().decode("utf-8", "replace").splitlines() if line.strip()][-3:]
    shown = " | ".join("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return f"; it wrote: {shown}" if shown else ""
