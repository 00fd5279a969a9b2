"""How many labels an answer of a wanted precision takes, and what precision a number of labels buys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, sqrt

from scipy.stats import t

from sampling.allocation import anticipated_se, neyman
from sampling.arguments import refuse_unknown
from sampling.expected import Assumptions, Expected, Spread, spreads

EVERYTHING = "everything"
TELLING = (5, 14)
"""Labels carrying the variance, such as those that show the judge in error: at the first number and below an interval
is as wide as without the judge, since so few cannot vouch for themselves, at the second as narrow as with it."""

DIRECT = 30
"""Fewest labels in the denominator with which a slice stands on its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What is to be expected of one slice."""

    labels: int
    in_denominator: float
    """Labels expected in the metric's denominator."""
    value: float
    half_width: float
    """Half of the expected confidence interval, on the scale of the share."""
    human_only: float
    """The same without the judge: from the labels of people alone."""
    falls_short: str | None = None
    """Why the wish cannot be met, for a person; None where it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """Labels for every stratum, and what they buy in every slice."""

    labels: Mapping[str, int]
    total: int
    slices: Mapping[str, Outlook]


def outlook(
    strata: Mapping[str, Expected],
    labels: Mapping[str, int],
    *,
    slices: Mapping[str, str] | None = None,
    assume: Assumptions | None = None,
) -> dict[str, Outlook]:
    """The half-width that labels buy, for a ratio metric corrected by the judge (GREG), in every slice.

    Half-width = t sqrt(sum_h N_h^2 v_h / n_h ((1 - n_h/N_h) deff + (n/k - 1) rho)) / T(den), t with n - H degrees of
    freedom. v_h is the variance within stratum h of num - R den less its prediction from what the judge says, and the
    prediction is pooled over all strata. The judge's errors in numerator and denominator are taken to be independent.
    With rho = 0 the annotators are these ones and their number does not matter. Where few labels carry the variance
    (see `TELLING`) the half-width moves towards that without the judge, as the intervals of such audits do. The
    approximation is normal: with fewer than about five events expected, real intervals are wider. With fewer than one
    expected (or all but one) the half-width is at least that of the exact interval when there is none, times
    sqrt(1 - n/N): no sample shows that something never happens.

    Args:
        strata: What is expected of every stratum.
        labels: Labels in every stratum (n_h).
        slices: Slice of every stratum; None for one slice, everything.
        assume: Level, design effect, and annotators.

    Raises:
        ValueError: A share is outside [0, 1], a stratum is unknown, has no slice or more labels than responses or none
            at all, a slice has an empty denominator, or the annotators are unknown although they differ.

    Source: generalised regression estimator, Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling,
    result 6.6.1; correlated response error, Cochran (1977), Sampling Techniques, 3rd ed., section 13.10; exact
    interval, Clopper & Pearson (1934), Biometrika 26(4), 404-413.

    >>> audit = {"all": Expected(stratum_size=5000, rate=0.2, sensitivity=0.8, specificity=0.95)}
    >>> round(outlook(audit, {"all": 400})["everything"].half_width, 4)
    0.0249
    """
    refuse_unknown(strata, {"labels": labels, "slices": slices or {}})
    plan = _Plan.of(strata, slices, assume)
    for name, expected in strata.items():
        if not min(1, expected.stratum_size) <= labels.get(name, 0) <= expected.stratum_size:
            raise ValueError(
                f"stratum {name!r} has {expected.stratum_size} responses and {labels.get(name, 0)} labels; expected "
                f"1 to {expected.stratum_size}, or merge the stratum with another"
            )
    return {part: plan.look(part, labels) for part in plan.members}


def labels_needed(
    strata: Mapping[str, Expected],
    half_width: float,
    *,
    slices: Mapping[str, str] | None = None,
    assume: Assumptions | None = None,
    floor: int = 2,
    least: int = DIRECT,
) -> Purchase:
    """The fewest labels with which every slice has an expected half-width of at most `half_width`.

    Within a slice labels are allocated by Neyman's rule for the residual spread. A slice also gets enough labels for
    `least` of them to be expected in its denominator. Where even all responses would not do, all are asked for and
    the slice says why it falls short.

    Args:
        strata: As in `outlook`, as are slices, assume and the errors.
        half_width: Wanted, above 0, on the scale of the share: 0.03 for three points.
        slices: See there.
        assume: See there.
        floor: Fewest labels per stratum.
        least: Fewest labels in the denominator of a slice.

    >>> audit = {"all": Expected(stratum_size=5000, rate=0.2, sensitivity=0.8, specificity=0.95)}
    >>> labels_needed(audit, 0.03).total
    285
    """
    if not half_width > 0:
        raise ValueError(f"half_width is {half_width}; expected a number above 0, such as 0.03")
    refuse_unknown(strata, {"slices": slices or {}})
    plan = _Plan.of(strata, slices, assume)
    labels: dict[str, int] = {}
    looks = {}
    for part in plan.members:
        n = plan.fewest(part, half_width, floor, least)
        labels |= plan.allocated(part, n, floor)
        seen = plan.at(part, n, floor)
        looks[part] = replace(seen, falls_short=shortfall(seen, half_width, least))
    return Purchase(labels={name: labels[name] for name in strata}, total=sum(labels.values()), slices=looks)


def shortfall(seen: Outlook, half_width: float, least: int) -> str | None:
    """Why a slice that can get no more labels does not come up to a wish; None where it does."""
    if seen.half_width > half_width:
        return (
            f"all {seen.labels} responses would be labelled and the half-width still be {seen.half_width:.3f}: "
            "more annotators are needed, not more labels"
        )
    if seen.in_denominator < least - 1e-9:
        return f"only {seen.in_denominator:.0f} responses are expected in the denominator; {least} labels are needed"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """The arithmetic of all strata and slices."""

    strata: Mapping[str, Expected]
    members: Mapping[str, list[str]]
    """Strata of each slice."""
    assume: Assumptions
    spread: Mapping[str, Spread]
    """What varies in each slice."""
    seen: dict[tuple[str, int], Outlook] = field(default_factory=dict)
    """Outlooks by slice and labels: searches ask for the same ones again and again."""

    @classmethod
    def of(
        cls, strata: Mapping[str, Expected], slices: Mapping[str, str] | None, assume: Assumptions | None
    ) -> "_Plan":
        """The plan, after checking what is expected."""
        assumed = assume or Assumptions()
        members = _members(strata, slices)
        return cls(strata=strata, members=members, assume=assumed, spread=spreads(strata, members))

    def size(self, part: str) -> int:
        """Responses in a slice."""
        return sum(self.strata[name].stratum_size for name in self.members[part])

    def allocated(self, part: str, n: int, floor: int) -> dict[str, int]:
        """Labels for the strata of a slice."""
        sizes = {name: self.strata[name].stratum_size for name in self.members[part]}
        return neyman(sizes, self.spread[part].corrected, n, floor=max(1, floor))

    def at(self, part: str, n: int, floor: int) -> Outlook:
        """What `n` labels buy in a slice, allocated as they should be."""
        if (part, n) not in self.seen:
            self.seen[part, n] = self.look(part, self.allocated(part, n, floor))
        return self.seen[part, n]

    def look(self, part: str, labels: Mapping[str, int]) -> Outlook:
        """What these labels buy in a slice."""
        names = [name for name in self.members[part] if self.strata[name].stratum_size]
        n = sum(labels[name] for name in names)
        counted = sum(self.strata[name].stratum_size * self.strata[name].in_denominator for name in names)
        quantile = float(t.ppf((1 + self.assume.level) / 2, max(1, n - len(names))))
        width, alone = (
            quantile * self._se(names, labels, spread) / counted
            for spread in (self.spread[part].corrected, self.spread[part].human_only)
        )
        doubt = (TELLING[1] - self._telling(names, labels, self.spread[part])) / (TELLING[1] - TELLING[0])
        width += min(1.0, max(0.0, doubt)) * max(0.0, alone - width)
        value, inside = self.spread[part].value, sum(labels[name] * self.strata[name].in_denominator for name in names)
        events = inside * min(value, 1 - value)
        rare = self._without_event(inside) * sqrt(1 - n / self.size(part)) if events < 1 else 0.0
        return Outlook(
            labels=n,
            in_denominator=inside,
            value=value,
            half_width=max(width, rare),
            human_only=max(alone, rare),
        )

    def _without_event(self, n: float) -> float:
        """Half of the exact interval of a share of which `n` labels show no event: from 0 to 1 - (alpha/2)^(1/n)."""
        return float(1 - ((1 - self.assume.level) / 2) ** (1 / n)) / 2

    def _se(self, names: list[str], labels: Mapping[str, int], spread: Mapping[str, float]) -> float:
        """Standard error of the total of what varies by `spread`: of the draw, and of who labels."""
        sizes, n = {name: self.strata[name].stratum_size for name in names}, sum(labels[name] for name in names)
        of, given = ({name: values[name] for name in names} for values in (spread, labels))
        drawn = anticipated_se(sizes, of, given) * sum(sizes.values())
        people = self.assume.rho * max(0.0, n / (self.assume.annotators or n) - 1)
        of_people = people * sum((sizes[name] * spread[name]) ** 2 / labels[name] for name in names)
        return sqrt(self.assume.deff * drawn**2 + of_people)

    def _telling(self, names: list[str], labels: Mapping[str, int], spread: Spread) -> float:
        """How many labels carry the variance: as if so many contributed equally and the others nothing."""
        rows = [(self.strata[name].stratum_size / labels[name], labels[name], name) for name in names]
        second = sum(n * weight**2 * spread.corrected[name] ** 2 for weight, n, name in rows)
        fourth = sum(n * weight**4 * spread.fourth[name] for weight, n, name in rows)
        return second**2 / fourth if fourth > 0 else inf

    def fewest(self, part: str, half_width: float, floor: int, least: int) -> int:
        """The fewest labels of a slice that do, or all its responses."""

        def do(n: int) -> bool:
            seen = self.at(part, n, floor)
            return seen.half_width <= half_width and seen.in_denominator >= least - 1e-9

        low = sum(min(max(floor, 1), self.strata[name].stratum_size) for name in self.members[part])
        return smallest(do, low, self.size(part))


def smallest(do: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest number from `low` to `high` that does, by bisection; `high` when none does."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if do(middle) else (middle + 1, high)
    return high


def _members(strata: Mapping[str, Expected], slices: Mapping[str, str] | None) -> dict[str, list[str]]:
    members: dict[str, list[str]] = {}
    for name in strata:
        if slices is not None and name not in slices:
            raise ValueError(f"stratum {name!r} has no slice; give the slice of every stratum")
        members.setdefault(EVERYTHING if slices is None else slices[name], []).append(name)
    return members
