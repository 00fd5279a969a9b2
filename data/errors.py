"""The one exception of this room, and the single problem it is made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

SHOWN = 100
"""Problems printed before the rest is summed up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong: where, what was found, what was expected, what to do."""

    where: str
    """File and line ("answers.jsonl:12"), or another place a person can go to."""
    field: str | None = None
    message: str
    alike: str | None = None
    """What it has in common with others whose messages name another id; the message by default."""
    stops: bool = False
    """Whether what stands behind it in the file could not be read: then the rest is no import, not even on request."""

    def __str__(self) -> str:
        """One line for a person."""
        field = f": field '{self.field}'" if self.field else ""
        return f"{self.where}{field}: {self.message}"


class StudyProblem(Exception):
    """Something a person can mend: a file, a folder, a study. Carries every problem found, not just the first.

    >>> print(StudyProblem("no study here; make one with `evidence-audit init`"))
    no study here; make one with `evidence-audit init`
    """

    def __init__(self, problems: str | Iterable[Problem], *, all_in: Path | None = None) -> None:
        """`all_in`: the file that holds every problem, when there are more than are shown."""
        self.problems = () if isinstance(problems, str) else tuple(problems)
        super().__init__(problems if isinstance(problems, str) else first_of(self.problems, all_in))


ALIKE = 3
"""Lines in which the same thing is said before it is summed up."""


def first_of(problems: Sequence[Problem], all_in: Path | None = None) -> str:
    """The first problems in a line each, how many more there are, and which file holds them all.

    What is wrong in the same way in row after row is said three times and then counted.

    >>> rows = [Problem(where=f"a.csv:{n}", field="gold", message="found a list") for n in range(1, 7)]
    >>> print(first_of(rows))
    a.csv:1: field 'gold': found a list
    a.csv:2: field 'gold': found a list
    a.csv:3: field 'gold': found a list
    … and 3 more like it, up to a.csv:6: field 'gold': found a list
    """
    lines = _lines(problems)
    told, unsaid = lines[:SHOWN], sum(times for times, _ in lines[SHOWN:])
    shown = [line for _, line in told]
    if unsaid:
        shown.append(f"… and {unsaid} more problems of {len(problems)}")
    if all_in and len(shown) < len(problems):
        shown.append(f"All {len(problems)} problems are in {all_in}")
    return "\n".join(shown)


def _kind(problem: Problem) -> tuple[str | None, str]:
    return problem.field, problem.alike or problem.message


def _lines(problems: Sequence[Problem]) -> list[tuple[int, str]]:
    """Every line that there is to say, and of how many problems it is."""
    kinds: dict[tuple[str | None, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(_kind(problem), []).append(problem)
    lines: list[tuple[int, str]] = []
    for problem in problems:
        alike = kinds[_kind(problem)]
        if len(alike) <= ALIKE + 1 or problem in alike[:ALIKE]:
            lines.append((1, str(problem)))
        elif problem is alike[-1]:
            lines.append((len(alike) - ALIKE, f"… and {len(alike) - ALIKE} more like it, up to {problem}"))
    return lines


def all_said(problems: Sequence[Problem]) -> bool:
    """Whether `first_of` has a line for each of them."""
    return len(problems) <= SHOWN and len(_lines(problems)) == len(problems)
