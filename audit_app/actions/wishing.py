"""What is asked of a plan, and everything in it that makes no sense."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from audit_app.actions.draw_plan import JUDGE, Allocation, Plan
from audit_app.actions.strata import KNOWN
from data import frame as frames
from data.errors import Problem, StudyProblem
from metrics.definitions import METRICS, WARRANTS
from metrics.estimate import About, Target
from sampling.effort import Pace
from sampling.planner import DIRECT

PLANNABLE = tuple(name for name in METRICS if name not in WARRANTS)
"""Metrics that a judge has a number for, too."""

DAY = 86_400
"""Seconds; nobody reads longer at one thing."""

TARGET_B = (
    "a plan is for target A, what one annotator says. How wide target B comes out rests on how often adjudication "
    "changes a label, which nobody knows beforehand: plan for A, and draw a larger --overlap, on which B rests"
)
SUCH_TASKS = (
    "a plan is for these responses. How wide an interval for such tasks in general comes out rests on how much tasks "
    "differ, and no number of labels makes it narrower than the number of tasks allows; `metrics --population tasks "
    "--budget` says it once there are labels"
)

DRAW = Plan()
"""A draw as it is when nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is asked of a plan; every choice has a default."""

    metric: str = "SES"
    target: Target = "A"
    """Only A can be planned for."""
    about: About = "these responses"
    """Only these responses can be planned for."""
    by: tuple[str, ...] = ()
    """Slice columns: every slice is to be this precise."""
    within: float = 0.03
    """Half-width wished for, on the scale of the share."""
    labels: int | None = None
    """The inverse: how many labels there will be; None to find out."""
    judge: str | None = None
    strata: tuple[str, ...] | None = None
    """Strata columns; by default those that a draw of this size takes, and those of `by`."""
    allocation: Allocation = "proportional"
    """How the draw shares labels over strata."""
    sensitivity: float | None = None
    """Of the judge, expected, in numerator and denominator alike, as is its specificity."""
    specificity: float | None = None
    rate: float | None = None
    """Share that people count; by default what the judge says, by stratum."""
    denominator: float = 1.0
    """Without verdicts: share of the responses in the metric's denominator."""
    from_sample: bool = False
    """Whether the judge's errors are those on the labels already there."""
    sample_id: str | None = None
    annotators: int = 3
    rho: float = 0.0
    """At 0 the half-widths are for these annotators; above, for annotators like these, who differ so much."""
    per_context: int | None = None
    """Responses read together with one context; by default one per setting."""
    context_rho: float = 0.05
    """How alike the judge's errors on one context are, as a correlation."""
    overlap: float = DRAW.overlap
    people: int = DRAW.people
    level: float = 0.95
    floor: int = DIRECT
    """Labels in the denominator below which `metrics` refuses a slice."""
    pace: Pace = field(default_factory=Pace)

    def draw(self, judge: str | None) -> Plan:
        """The draw that is planned, but for its size."""
        neyman = self.allocation == "neyman"
        return Plan(
            size=self.labels,
            strata=self.strata,
            judge=judge if neyman or JUDGE in (self.strata or ()) else None,
            allocation=self.allocation,
            metric=self.metric if neyman else None,
        )


def check(wish: Wish, *, judges: Sequence[str], metrics: Sequence[str], more: Sequence[Problem] = ()) -> None:
    """Refuses a wish that makes no sense, with every reason at once.

    Raises:
        StudyProblem: It does not.
    """
    found = [*_numbers(wish), *_names(wish, judges, metrics), *_clashes(wish), *more]
    if found:
        raise StudyProblem(found)


def problem(option: str, value: object, expected: str) -> Problem:
    """One thing that is wrong with a plan.

    >>> print(problem("--rho", 2, "a share from 0 to 1"))
    --rho: 2; expected a share from 0 to 1
    """
    return Problem(where=option, message=f"{value}; expected {expected}")


def _numbers(wish: Wish) -> list[Problem]:
    shares = {
        "--sensitivity": wish.sensitivity,
        "--specificity": wish.specificity,
        "--rate": wish.rate,
        "--rho": wish.rho,
        "--context-rho": wish.context_rho,
        "--overlap": wish.overlap,
    }
    counts = {
        "--labels": wish.labels,
        "--annotators": wish.annotators,
        "--people": wish.people,
        "--per-context": wish.per_context,
        "--floor": wish.floor,
    }
    seconds = {
        "--context-seconds": wish.pace.read_context,
        "--response-seconds": wish.pace.read_response,
        "--label-seconds": wish.pace.label,
    }
    found = [
        problem(o, f"{v:g}", "a share from 0 to 1") for o, v in shares.items() if v is not None and not 0 <= v <= 1
    ]
    found += [problem(o, n, "a whole number above 0") for o, n in counts.items() if n is not None and n < 1]
    found += [problem(o, f"{s:g}", f"seconds, from 0 to {DAY}") for o, s in seconds.items() if not 0 <= s <= DAY]
    if not 0 < wish.within < 1:
        found.append(problem("--within", f"{100 * wish.within:g}", "points above 0 and below 100, such as 3"))
    if not 0 < wish.level < 1:
        found.append(problem("--level", f"{wish.level:g}", "a level between 0 and 1, such as 0.95"))
    if not 0 < wish.denominator <= 1:
        found.append(problem("--denominator", f"{wish.denominator:g}", "a share above 0, up to 1"))
    return found


def _names(wish: Wish, judges: Sequence[str], metrics: Sequence[str]) -> list[Problem]:
    found = [problem("--by", repr(c), f"some of {', '.join(frames.SLICES)}") for c in wish.by if c not in frames.SLICES]
    found += [problem("--strata", repr(c), f"some of {', '.join(KNOWN)}") for c in wish.strata or () if c not in KNOWN]
    if wish.metric not in PLANNABLE:
        found.append(problem("--metric", repr(wish.metric), f"one of {', '.join(PLANNABLE)}"))
    elif wish.metric not in metrics:
        lacking = sorted(METRICS[wish.metric].reads)
        found.append(problem("--metric", repr(wish.metric), f"a metric that the rubric has the labels for; this one "
                             f"reads {', '.join(lacking)}"))  # fmt: skip
    if wish.judge is not None and wish.judge not in judges:
        found.append(
            problem("--judge", repr(wish.judge), f"one of {', '.join(judges) or 'none, as nothing was judged'}")
        )
    return found


def _clashes(wish: Wish) -> list[Problem]:
    found = [Problem(where="--target B", message=TARGET_B)] if wish.target == "B" else []
    found += [Problem(where="--population tasks", message=SUCH_TASKS)] if wish.about == "such tasks" else []
    missing = [column for column in wish.by if wish.strata is not None and column not in wish.strata]
    if missing:
        found.append(problem("--strata", ",".join(wish.strata or ()), f"{', '.join(missing)} among them, as in --by"))
    if wish.people > wish.annotators >= 1:
        found.append(problem("--people", wish.people, f"at most the {wish.annotators} of --annotators"))
    if wish.sample_id is not None and not wish.from_sample:
        found.append(Problem(where="--sample", message="tells nothing without --from-sample; add that or leave it out"))
    if wish.from_sample and (wish.sensitivity, wish.specificity) != (None, None):
        found.append(
            Problem(where="--from-sample", message="measures sensitivity and specificity; do not give them too")
        )
    return found
