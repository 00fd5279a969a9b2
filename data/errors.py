"""The one exception of this room, and the single problem it is made of."""

from collections.abc import Iterable
from dataclasses import dataclass

SHOWN = 100
"""Problems printed before the rest is summed up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong: where, what was found, what was expected, what to do."""

    where: str
    """File and line ("answers.jsonl:12"), or another place a person can go to."""
    field: str | None = None
    message: str

    def __str__(self) -> str:
        """One line for a person."""
        field = f": field '{self.field}'" if self.field else ""
        return f"{self.where}{field}: {self.message}"


class StudyProblem(Exception):
    """Something a person can mend: a file, a folder, a study. Carries every problem found, not just the first.

    >>> print(StudyProblem("no study here; make one with `evidence-audit init`"))
    no study here; make one with `evidence-audit init`
    """

    def __init__(self, problems: str | Iterable[Problem]) -> None:
        self.problems = () if isinstance(problems, str) else tuple(problems)
        shown = [str(problem) for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            shown.append(f"… and {len(self.problems) - SHOWN} more problems of {len(self.problems)}")
        super().__init__(problems if isinstance(problems, str) else "\n".join(shown))
