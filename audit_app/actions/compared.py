"""What a comparison found, in numbers and in a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

from audit_app.actions.metrics_result import WHO
from audit_app.actions.seal import Seal
from audit_app.language import _, joined, mark, ngettext
from metrics.difference import Difference
from metrics.estimate import About, Estimate
from metrics.mcnemar import Discordant, McNemar
from metrics.permutation import FlipTest

Adjust = Literal["holm", "bh", "none"]
Way = Literal["naive", "corrected"]

JUDGE = "judge"
"""The column that is no frame column: verdicts of different judges on the same responses."""

PEOPLE = mark("people (corrected)")
"""Beside a judge: the numbers under that judge, corrected."""

ADJUSTED: dict[Adjust, str] = {
    "holm": mark("Holm-adjusted over"),
    "bh": mark("Benjamini–Hochberg-adjusted over"),
    "none": mark("not adjusted for"),
}

NAMED = 4
"""Pairs that a sentence names; of more it gives the number."""

FOR: dict[About, str] = {"such tasks": mark("such tasks in general"), "these responses": mark("these responses")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """A difference, first less second, and its test."""

    difference: Difference
    p: float | None
    """Naive: sign-flip permutation over tasks; corrected: Student's t on the standard error of `difference`."""
    p_adjusted: float | None = None
    """For the family of all comparisons of one kind in one result."""

    @property
    def disagrees(self) -> bool:
        """Whether the p value, unadjusted, and the interval say different things of 0."""
        low, high = self.difference.low, self.difference.high
        if self.p is None or low is None or high is None:
            return False
        return (self.p < 1 - self.difference.level) == (low <= 0 <= high)

    def sealed(self) -> Self:
        """The same without its place: how wide it is may be known, where it lies may not."""
        low, high = self.difference.low, self.difference.high
        why = _("sealed; too few labels for a difference so far")
        if low is not None and high is not None:
            why = _("sealed; the interval is {high:.1f} points wide").format(high=100 * (high - low))
        hidden = replace(self.difference, value=None, se=None, low=None, high=None, df=None, p=None, why_undefined=why)
        return replace(self, difference=hidden, p=None, p_adjusted=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """The same naive difference by other means."""

    bootstrap: Difference
    """Whole tasks resampled."""
    flips: FlipTest
    discordant: Discordant | None
    """Pairs that differ, and all pairs; None for a ratio, in which a response need not count. So are the next two."""
    mcnemar: McNemar | None
    """Takes pairs of one task for independent, as does the next."""
    tango: Difference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One metric, first less second."""

    metric: str
    first: str
    second: str
    corrected: Tested | None
    """From one draw; None when it was not asked for or nothing is drawn."""
    naive: Tested | None = None
    """The judge's word on matched responses; None when it was not asked for or nothing was judged."""
    n_pairs: int
    n_unmatched: int
    """Responses of the two without a partner, left out of the naive difference."""
    details: Details | None = None

    def sealed(self) -> Self:
        """The same with nothing that says where it lies."""
        corrected, naive = (None if found is None else found.sealed() for found in (self.corrected, self.naive))
        return replace(self, corrected=corrected, naive=naive, details=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The models by one metric, from the highest, as two judges have it, or a judge and people."""

    metric: str
    first: str
    second: str
    """A judge, or `PEOPLE`: the corrected numbers under the first judge."""
    first_order: tuple[str, ...]
    second_order: tuple[str, ...]
    kendall: float | None
    spearman: float | None
    low: float | None = None
    high: float | None = None
    same_order: float | None = None
    """Share of the resamples of tasks in which both have the same order; None beside people."""
    tasks: int | None = None
    why_undefined: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Every comparison asked for, and for whom it holds."""

    by: str
    within: Mapping[str, str]
    judge: str | None
    """Whose labels; None when judges are compared."""
    population: About
    """Of the corrected differences; the naive ones always speak of such tasks in general."""
    adjust: Adjust
    level: float
    seal: Seal
    comparisons: tuple[Comparison, ...]
    under_judges: tuple[tuple[str, Estimate], ...] = ()
    """Judge and number, naive and corrected, when judges are compared."""
    orders: tuple[Order, ...] = ()
    notes: tuple[str, ...] = ()
    """What is missing or was left out."""

    @property
    def way(self) -> Way:
        """Which differences decide: the corrected ones, unless none could be tested or judges are compared."""
        return (
            "corrected" if any(one.corrected and one.corrected.p is not None for one in self.comparisons) else "naive"
        )

    @property
    def established(self) -> list[Comparison]:
        """The comparisons whose adjusted p value lies below 1 - level."""
        return [one for one, p in self._tests() if p < 1 - self.level]

    @property
    def sentence(self) -> str:
        """Which differences are real, and for whom they hold."""
        where = "".join(
            _(", within {column} = {value}").format(column=_(column), value=shown(value))
            for column, value in self.within.items()
        )
        corrected, naive = (any(ones) for ones in zip(*((c.corrected, c.naive) for c in self.comparisons), strict=True))
        said = (
            [
                _("Corrected to {who} (target A), for {population}.").format(
                    who=_(WHO["A"]), population=_(FOR[self.population])
                )
            ]
            if corrected
            else []
        )
        whose = (
            _("each judge's word on the same")
            if self.by == JUDGE
            else _("the word of judge {judge} on matched").format(judge=self.judge)
        )
        said += [_("Naive by {whose} responses, for such tasks in general.").format(whose=whose)] if naive else []
        said += [_("{level:g} % intervals.").format(level=100 * self.level)] if self.seal.is_open else []
        return " ".join(
            [_("Compared by {by}{where}. {verdict}").format(by=_(self.by), where=where, verdict=self._verdict()), *said]
        )

    def _tests(self) -> list[tuple[Comparison, float]]:
        """The comparisons that decide, with their adjusted p values."""
        tests = [(one, one.corrected if self.way == "corrected" else one.naive) for one in self.comparisons]
        return [(one, test.p_adjusted) for one, test in tests if test and test.p_adjusted is not None]

    def _verdict(self) -> str:
        if not self.seal.is_open:
            return _("Which of them differ is sealed.")
        family, real = len(self._tests()), self.established
        at_word = _("By their word") if self.by == JUDGE else _("By the judge's word alone")
        by_whom = _("As people have it") if self.way == "corrected" else at_word
        many = ngettext("{adjusted} {n} comparison", "{adjusted} {n} comparisons", family).format(
            adjusted=_(ADJUSTED[self.adjust]), n=family
        )
        if not family:
            return _("Nothing could be tested.")
        if not real:
            return _(
                "{by_whom}, no difference is beyond chance ({many}); that does not prove that there is none."
            ).format(by_whom=by_whom, many=many)
        pairs: dict[tuple[str, str], list[str]] = {}
        for one in real:
            pairs.setdefault((one.first, one.second), []).append(one.metric)
        if len(pairs) > NAMED:
            at = (
                _("an adjusted p below {level:.3g}").format(level=1 - self.level)
                if self.adjust != "none"
                else _("p below {level:.3g}").format(level=1 - self.level)
            )
            return _("{by_whom}, {n_real} of {family} differences are beyond chance ({many}): those with {at}.").format(
                by_whom=by_whom, n_real=len(real), family=family, many=many, at=at
            )
        named = [
            _("{a} and {b} in {names}").format(a=shown(a), b=shown(b), names=joined(names))
            for (a, b), names in pairs.items()
        ]
        rest = _("; every other difference could be chance") if len(real) < family else ""
        return _("{by_whom}, these differ beyond chance ({many}): {named}{rest}.").format(
            by_whom=by_whom, many=many, named=_("; ").join(named), rest=rest
        )


def shown(value: str) -> str:
    """A value of a column for people."""
    return _(PEOPLE) if value == PEOPLE else value or _("(none)")
