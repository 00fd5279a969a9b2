"""A bar for what takes longer than a second."""

import sys
from time import monotonic
from types import TracebackType
from typing import Any, Self

import click

STEPS = 1000


class Bar:
    """Shows the share that is done, on stderr, after a second and only where a person looks; told by calling it."""

    def __init__(self, label: str, *, after: float = 1.0) -> None:
        self._label, self._after = label, after
        self._begun = monotonic()
        self._bar: Any = None
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __call__(self, share: float) -> None:
        """Moves the bar to this share in [0, 1]; never back."""
        if self._bar is None:
            if monotonic() - self._begun < self._after or not sys.stderr.isatty():
                return
            self._bar = click.progressbar(length=STEPS, label=self._label, file=sys.stderr)
            self._bar.__enter__()
        step = min(STEPS, int(share * STEPS)) - self._done
        if step > 0:
            self._bar.update(step)
            self._done += step

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, trace)
