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


def first_of(problems: Sequence[Problem], all_in: Path | None = None) -> str:
    """The first problems in a line each, how many more there are, and which file holds them all."""
    shown = [str(problem) for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        more = f"… and {len(problems) - SHOWN} more problems of {len(problems)}"
        shown.append(f"{more}; all of them are in {all_in}" if all_in else more)
    return "\n".join(shown)
