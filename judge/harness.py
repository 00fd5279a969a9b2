"""Somebody else's judge behind a small protocol: a Python function, a command, or an HTTP endpoint.

Each receives a sample (an object with the fields of `judge.samples.Sample`) and answers with a score in [0, 1], or with
an object of scores by metric. A score that cannot be read is missing and says why; it is never 0.
"""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from numbers import Real
from typing import cast

import httpx2

from judge.command import Command
from judge.samples import Sample

Score = Callable[[Sample], object]
Harness = Callable[[Sequence[Sample]], Iterator["Answer"]]
"""Answers to samples, one each and in their order."""

SINGLE = "score"
"""Name of a score in an object when the harness knows one metric only."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one sample: the raw answer, or why there is none."""

    value: object = None
    problem: str | None = None

    def score(self, metric: str) -> tuple[float | None, str | None]:
        """The score of a metric; or None and the reason.

        >>> Answer({"faithfulness": 0.5}).score("faithfulness"), Answer(True).score("G")
        ((0.5, None), (1.0, None))
        >>> Answer(7).score("G")
        (None, 'answered 7; expected a number in [0, 1], or an object with "G" or "score"')
        """
        if self.problem:
            return None, self.problem
        value = self.value
        if isinstance(value, Mapping):
            value = value.get(metric, value.get(SINGLE))
        value = _plain(value)
        # What is real can be compared; its abstract class does not say so.
        if isinstance(value, Real) and 0 <= cast(float, value) <= 1:
            return float(value), None
        expected = f'expected a number in [0, 1], or an object with "{metric}" or "{SINGLE}"'
        return None, f"answered {_short(self.value)}; {expected}"


def open_harness(named: str, *, concurrency: int = 1, timeout: float = 60.0) -> Harness:
    """The harness that a name stands for.

    Args:
        named: `https://…` for an endpoint that takes a sample and answers, `pkg.mod:function`, or else a command that
            reads one JSON object a line on stdin and writes one answer a line on stdout, in the same order.
        concurrency: Calls at a time of a function or an endpoint. A function must bear threads if it is above 1.
        timeout: Seconds that an endpoint may take for one sample, and a command from one answer to the next.

    Raises:
        ValueError: There is no such module, function or command.
    """
    if re.match(r"https?://", named):
        return partial(_each, partial(_post, httpx2.Client(timeout=timeout), named), concurrency)
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", named):
        return partial(_each, _function(named), concurrency)
    words = shlex.split(named)
    if not words:
        raise ValueError("the harness has no name; expected pkg.mod:function, a command, or http://…")
    return partial(_piped, Command(words, timeout))


def _function(named: str) -> Score:
    module, name = named.split(":")
    # As `python -m` does, and last: a file here must not stand in for a module that somebody else wants.
    if not {"", os.getcwd()} & set(sys.path):
        sys.path.append(os.getcwd())
    try:
        home = import_module(module)
    except ModuleNotFoundError as error:
        raise ValueError(f"harness {named}: {error}; it is looked for in {os.getcwd()} and where this Python looks for "
                         "modules (PYTHONPATH adds to that)") from None  # fmt: skip
    except (Exception, SystemExit) as error:
        raise ValueError(f"harness {named}: importing {module} failed: {type(error).__name__}: {error}") from None
    if not hasattr(home, name):
        raise ValueError(f"harness {named}: module {module} ({getattr(home, '__file__', None)}) has no {name}")
    found = getattr(home, name)
    if not callable(found):
        raise ValueError(f"harness {named} is no function")
    return cast(Score, found)


def _each(score: Score, concurrency: int, samples: Sequence[Sample]) -> Iterator[Answer]:
    """Calls a function once per sample; what it raises is the reason for a missing score."""
    if concurrency == 1:
        yield from (_called(score, sample) for sample in samples)
        return
    with ThreadPoolExecutor(concurrency) as pool:
        yield from pool.map(partial(_called, score), samples)


def _called(score: Score, sample: Sample) -> Answer:
    # Whatever somebody else's function raises or does to its sample, the other samples go on as they are.
    try:
        return Answer(score(deepcopy(sample)))
    except (Exception, SystemExit) as error:
        return Answer(problem=f"{type(error).__name__}: {_short(str(error))}")


def _post(client: httpx2.Client, url: str, sample: Sample) -> object:
    answer = client.post(url, json=sample)
    if answer.is_error:
        # Not httpx's own words, which repeat the address: it may hold a secret.
        raise ValueError(f"the endpoint answered {answer.status_code}")
    return answer.json()


def _piped(command: Command, samples: Sequence[Sample]) -> Iterator[Answer]:
    """Runs a command once over all samples, one line in and one line out for each."""
    return map(_read, command.answers(samples))


def _read(line: str) -> Answer:
    try:
        return Answer(json.loads(line))
    except ValueError:
        return Answer(problem=f"wrote {_short(line.strip())}; expected a line of JSON")


def _plain(value: object) -> object:
    """What an array's own number stands for; anything else as it is."""
    try:
        return value.item() if hasattr(value, "item") else value
    except (TypeError, ValueError, RuntimeError):
        return value  # An array of several numbers, in whatever library.


def _short(value: object) -> str:
    text = str(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
