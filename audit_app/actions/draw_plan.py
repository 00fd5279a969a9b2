"""What is asked of a draw, with a default for everything, and what makes no sense."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

from data.errors import Problem, StudyProblem
from data.records import DIAGNOSTICS
from metrics.definitions import METRICS, WARRANTS

SIZE = 300
"""Responses drawn when nobody says how many."""

FLOOR = 2
"""Fewest items per stratum: two are needed for a variance."""

MOST = 1_000_000_000
"""Above any number of items; far larger ones do not fit into the store."""

MOST_PEOPLE = 1_000
"""Above any number of people who label one item."""

SEEDS = range(-(2**63), 2**63)
"""What the store can hold."""

MOST_GROUPS = 100
"""Above any number of groups of a numeric column."""

JUDGE = "judge"
"""The stratum column that is no frame column: the labels that one judge gave, as a text."""

LEAK = "leak"
"""The stratum column that is the score of the leak screens, of a context and of the responses to it."""

CORE_LEAST = 60
"""Fewest items that serve the tests which need three annotators on an item."""

NUMERIC = (LEAK, *DIAGNOSTICS)
"""The stratum columns that are numbers, which bins share into groups."""

Allocation = Literal["proportional", "equal", "neyman"]
Order = Literal["random", "leak"]
Bins = Mapping[str, int | tuple[float, ...]]
"""By numeric stratum column: cut points, or how many groups of about equal size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked of a draw; every choice has a default."""

    sample_id: str = "main"
    size: int | None = SIZE
    """Responses; None for all."""
    contexts: int | None = None
    """Contexts; by default so many that each brings one response of every model and prompt, as in `sample plan`."""
    strata: tuple[str, ...] | None = None
    """Frame columns, `leak` for the score of the leak screens, `judge` for the labels of one judge, or its diagnostics;
    by default all frame columns that vary, as many as the size allows."""
    judge: str | None = None
    """Whose labels strata and Neyman's allocation look at; the one with the most verdicts by default."""
    bins: Bins = field(default_factory=dict)
    collapse: int | None = None
    """Strata whose share of the sample is below this are merged in the fixed order; None to leave them."""
    merged: Mapping[str, Mapping[str, str]] | None = None
    """How strata were merged before, by item kind: an extension keeps it."""
    allocation: Allocation = "proportional"
    metric: str | None = None
    """For Neyman: the metric that is to be as precise as can be."""
    pilot: str | None = None
    """For Neyman: the sample whose labels by people say how much each stratum varies; the judge's by default."""
    floor: int = FLOOR
    cap: int | None = None
    certainty: tuple[str, ...] = ()
    """Strata of which everything is taken."""
    seed: int = 1
    overlap: float = 0.25
    """Share in [0, 1] of the items that goes to several people."""
    people: int = 2
    """How many people that is."""
    core: int = 0
    """Responses that `core_people` label, for the tests that need it."""
    core_people: int = 3
    diagnostics: float = 0.0
    """Share in [0, 1] of the responses for which the six diagnostics are asked."""
    repeats: float = 0.0
    """Share in [0, 1] of a person's items that they are shown again later."""
    canaries: float = 0.0
    """Share in [0, 1] of a person's evidence items by which attention checks are mixed in."""
    dev: float = 0.0
    """Share in [0, 1) of the tasks on which a judge may be tuned; the others stay sealed to validate it."""
    order: Order = "random"
    """In which order contexts are audited: at random, or those that the leak screens flag first. Within a stratum the
    order is random either way, so that what is audited at any time stands for its stratum."""
    deal: bool = True
    """Whether the work is dealt out where two active annotators or more are there."""

    @property
    def looks_at_judge(self) -> bool:
        """Whether a judge's labels decide anything."""
        by_judge = any(column == JUDGE or column in DIAGNOSTICS for column in self.strata or ())
        return by_judge or (self.allocation == "neyman" and self.pilot is None)

    def check(self) -> None:
        """Refuses what makes no sense, before anything is computed.

        Raises:
            StudyProblem: With every problem.
        """
        problems = [Problem(where=where, message=message) for where, message in self._problems()]
        if problems:
            raise StudyProblem(problems)

    def _problems(self) -> Iterator[tuple[str, str]]:
        if not self.sample_id.strip() or not self.sample_id.isprintable():
            yield "--name", f"{self.sample_id!r} is no name that can be read; give the sample another one"
        for name in ("overlap", "diagnostics", "repeats", "canaries", "dev"):
            share = getattr(self, name)
            if not 0 <= share <= 1:
                yield f"--{name}", f"{share} is no share; expected a number from 0 to 1"
        if self.dev == 1:
            yield "--dev", "1 leaves no task to validate a judge on; expected less, such as 0.3"
        for name, least in {"size": 1, "contexts": 1, "floor": 1, "cap": 1, "people": 1, "core": 0, "core_people": 2,
                            "collapse": 1}.items():  # fmt: skip
            number = getattr(self, name)
            most = MOST_PEOPLE if "people" in name else MOST
            if number is not None and number < least:
                yield f"--{name.replace('_', '-')}", f"{number} is too small; expected {least} or more"
            if number is not None and number > most:
                yield f"--{name.replace('_', '-')}", f"{number} is too large; expected {most} or less"
        if self.seed not in SEEDS:
            yield "--seed", f"{self.seed} is too large or too small; expected {SEEDS.start} to {SEEDS.stop - 1}"
        if self.cap is not None and self.floor >= 1 and 1 <= self.cap < self.floor:
            yield "--cap", f"{self.cap} is below the floor of {self.floor}; lower --floor or raise --cap"
        yield from self._problems_of_neyman()
        yield from self._problems_of_strata()

    def _problems_of_neyman(self) -> Iterator[tuple[str, str]]:
        neyman = self.allocation == "neyman"
        known = [name for name in METRICS if name not in WARRANTS]
        if self.allocation not in ("proportional", "equal", "neyman"):
            yield "--allocation", f"unknown {self.allocation!r}; expected proportional, equal or neyman"
        if neyman and self.metric is None:
            yield "--for", "Neyman's allocation is for one metric; name it, as in --for SES"
        if self.metric is not None and self.metric not in known:
            yield "--for", f"unknown metric {self.metric!r}; expected one of {', '.join(known)}"
        for name, value in (("--for", self.metric), ("--pilot", self.pilot)):
            if value is not None and not neyman:
                yield name, "is used by --allocation neyman only; add that, or leave it out"
        if neyman and JUDGE in (self.strata or ()) and self.pilot is None:
            yield "--allocation", ("within strata made of the judge's labels the judge's labels do not vary, so they "
                                   "cannot say where people's do; name a labelled sample with --pilot")  # fmt: skip

    def _problems_of_strata(self) -> Iterator[tuple[str, str]]:
        for column in self.strata or ():
            if (self.strata or ()).count(column) > 1:
                yield "--strata", f"{column!r} is there twice; name each column once"
                return
        for column, bins in self.bins.items():
            if column not in NUMERIC:
                yield "--bins", f"{column!r} holds no numbers; expected one of {', '.join(NUMERIC)}"
            elif column not in (self.strata or ()):
                yield "--bins", f"{column!r} forms no strata; add it to --strata"
            if isinstance(bins, int) and bins < 2:
                yield "--bins", f"{column!r} in {bins} groups; expected 2 or more"
            if isinstance(bins, tuple) and list(bins) != sorted(set(bins)):
                yield "--bins", f"cut points of {column!r} are {', '.join(map(str, bins))}; expected numbers that rise"

        if self.order == LEAK and LEAK not in (self.strata or ()):
            yield "--order", "contexts can come by leak score where it forms strata; add leak to --strata"
        if self.judge is not None and not self.looks_at_judge:
            yield "--judge", "a judge forms strata only when `judge` is among the strata columns; add --strata judge"

    def stored(self, bins: Bins, merged: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
        """The choices as columns of a sample, with the cut points and mergers that they came to."""
        own = ("sample_id", "seed", "overlap", "people", "core", "diagnostics", "repeats", "canaries",
               "dev")  # fmt: skip
        design = ("size", "contexts", "judge", "allocation", "metric", "pilot", "floor", "cap", "certainty",
                  "core_people", "order")  # fmt: skip
        row = asdict(self)
        return {
            **{name: row[name] for name in own},
            "design": {**{name: row[name] for name in design}, "bins": dict(bins), "merged": merged},
        }

    @classmethod
    def extending(cls, sample: Mapping[str, Any], *, size: int | None, contexts: int | None, deal: bool) -> Self:
        """The plan of a stored sample, for more responses."""
        own = ("sample_id", "seed", "overlap", "people", "core", "diagnostics", "repeats", "canaries",
               "dev")  # fmt: skip
        design = dict(sample["design"])
        bins = {column: tuple(cuts) for column, cuts in design.pop("bins", {}).items()}
        design |= {"size": size, "contexts": contexts, "certainty": tuple(design.get("certainty", ()))}
        row = {**{name: sample[name] for name in own}, **design, "strata": tuple(sample["strata"]), "bins": bins}
        return cls(**row, deal=deal)
