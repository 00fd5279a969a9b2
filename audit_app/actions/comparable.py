"""What can be compared in a study, and how a comparison is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from audit_app.actions.compared import JUDGE, Adjust, Way
from audit_app.actions.labelled import Grounding
from audit_app.actions.results import HEADLINE
from audit_app.actions.seal import require_results
from data import frame as frames
from data.errors import StudyProblem
from data.study import Study
from metrics.correction import FLOOR
from metrics.definitions import METRICS, WARRANTS
from metrics.estimate import About
from metrics.table import Options

COLUMNS = (*frames.SLICES, JUDGE)
"""What can be compared."""

NAMES = tuple(name for name in METRICS if name not in WARRANTS)
"""The metrics that can be compared."""


def values_of(study: Study) -> dict[str, tuple[str, ...]]:
    """The columns that can be compared in a study, those with two values or more, and their values by name."""
    require_results(study)
    return _values(frames.open_frame(study))


@lru_cache(maxsize=8)
def _values(frame: frames.Frame) -> dict[str, tuple[str, ...]]:
    counts = frames.pattern_counts(frame, None, frames.SLICES)
    found = {name: sorted(set(counts[name])) for name in frames.SLICES} | {JUDGE: sorted(frames.judges(frame))}
    return {name: tuple(values) for name, values in found.items() if len(values) > 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is compared, and how; every choice but `by` has a default."""

    by: str
    """One of `COLUMNS`."""
    names: Sequence[str] = HEADLINE
    against: str | None = None
    """Compare every other value with this one; None for every pair."""
    within: Mapping[str, str] = field(default_factory=dict)
    """Columns and the value that responses must have."""
    method: Way | None = None
    """None for both kinds of difference."""
    adjust: Adjust = "holm"
    population: About = "such tasks"
    judge: str | None = None
    sample_id: str | None = None
    grounding: Grounding = "strict"
    level: float = 0.95
    floor: int = FLOOR
    details: bool = False
    seed: int = 1
    """Of permutations and resamples."""

    @property
    def options(self) -> Options:
        """The same for the table of metrics."""
        return Options(target="A", methods=("naive", "corrected"), level=self.level, floor=self.floor,
                       about=self.population)  # fmt: skip

    def check(self) -> None:
        """Refuses what cannot be asked.

        Raises:
            StudyProblem: An unknown column or metric, a restriction on the column that is compared, or one judge
                where judges are compared.
        """
        if self.by not in COLUMNS:
            raise StudyProblem(f"unknown column {self.by!r}; compare by one of {', '.join(COLUMNS)}")
        for column in self.within:
            if column not in frames.SLICES or column == self.by:
                allowed = ", ".join(name for name in frames.SLICES if name != self.by)
                raise StudyProblem(f"a comparison by {self.by} cannot be within {column!r}; use one of {allowed}")
        unknown = [name for name in self.names if name not in NAMES]
        if unknown:
            raise StudyProblem(f"unknown metric {unknown[0]!r}; expected some of {', '.join(NAMES)}")
        if self.by == JUDGE and self.judge is not None:
            raise StudyProblem("all judges are compared; name one with `--against` to compare the others with it")
