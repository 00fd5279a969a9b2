"""What a comparison found, in numbers, in rows for a table, and in sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from audit_app.actions.report import with_interval
from audit_app.actions.results import WHO
from audit_app.actions.seal import Seal
from metrics.difference import Difference
from metrics.estimate import About, Estimate
from metrics.mcnemar import Discordant, McNemar
from metrics.permutation import FlipTest

Adjust = Literal["holm", "bh", "none"]
Way = Literal["naive", "corrected"]

JUDGE = "judge"
"""The column that is no frame column: verdicts of different judges on the same responses."""

PEOPLE = "people (corrected)"
"""Beside a judge: the numbers under that judge, corrected."""

ADJUSTED: dict[Adjust, str] = {
    "holm": "Holm-adjusted over",
    "bh": "Benjamini–Hochberg-adjusted over",
    "none": "not adjusted for",
}

FOR: dict[About, str] = {"such tasks": "such tasks in general", "these responses": "these responses"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """A difference, first less second, and its test."""

    difference: Difference
    p: float | None
    """Naive: sign-flip permutation over tasks; corrected: Student's t on the standard error of `difference`."""
    p_adjusted: float | None = None
    """For the family of all comparisons of one kind in one result."""

    def sealed(self) -> Self:
        """The same without its place: how wide it is may be known, where it lies may not."""
        low, high = self.difference.low, self.difference.high
        why = "sealed; too few labels for a difference so far"
        if low is not None and high is not None:
            why = f"sealed; the interval is {100 * (high - low):.1f} points wide"
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
        """For whom the differences hold, and which are real."""
        where = "".join(f" within {column} = {shown(value)}" for column, value in self.within.items())
        corrected, naive = (
            any(found) for found in zip(*((c.corrected, c.naive) for c in self.comparisons), strict=True)
        )
        said = [f"corrected to {WHO['A']} (target A), for {FOR[self.population]}"] if corrected else []
        whose = "each judge's word" if self.by == JUDGE else f"the word of judge {self.judge}"
        same = "the same responses" if self.by == JUDGE else "responses to the same tasks"
        said += [f"naive by {whose} on {same}, for such tasks in general"] if naive else []
        return f"First less second{where}: {'; '.join(said)}. {self._verdict()}"

    def _tests(self) -> list[tuple[Comparison, float]]:
        """The comparisons that decide, with their adjusted p values."""
        tests = [(one, one.corrected if self.way == "corrected" else one.naive) for one in self.comparisons]
        return [(one, test.p_adjusted) for one, test in tests if test and test.p_adjusted is not None]

    def _verdict(self) -> str:
        if not self.seal.is_open:
            return "Which of them differ is sealed."
        family, real = len(self._tests()), self.established
        by_whom = "As people have it" if self.way == "corrected" else "By the judge's word alone"
        if self.by == JUDGE:
            by_whom = "By their word"
        many = f"{ADJUSTED[self.adjust]} {family} comparison{'s' * (family != 1)}"
        if not family:
            return "Nothing could be tested."
        if not real:
            return f"{by_whom}, no difference is beyond chance ({many}); that does not prove that there is none."
        pairs: dict[tuple[str, str], list[str]] = {}
        for one in real:
            pairs.setdefault((one.first, one.second), []).append(one.metric)
        named = [f"{shown(a)} and {shown(b)} in {', '.join(names)}" for (a, b), names in pairs.items()]
        rest = "; every other difference could be chance" if len(real) < family else ""
        return f"{by_whom}, these differ beyond chance ({many}): {'; '.join(named)}{rest}."


def shown(value: str) -> str:
    """A value of a column for people."""
    return value or "(none)"


def points(found: Difference) -> str:
    """A difference of shares in percentage points with its interval, or a dash.

    >>> points(Difference(value=0.125, low=-0.05, high=0.3, level=0.95, n=9))
    '+12.5 (-5.0 to +30.0)'
    """
    if found.value is None:
        return "–"
    value = f"{100 * found.value:+z.1f}"
    if found.low is None or found.high is None:
        return value
    if found.low == found.high:
        return f"{value} (exact)"
    return f"{value} ({100 * found.low:+z.1f} to {100 * found.high:+z.1f})"


def p_value(p: float | None) -> str:
    """A p value.

    >>> p_value(0.0304), p_value(0.00001), p_value(None)
    ('0.030', '<0.001', '–')
    """
    return "–" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"


def tables(found: Compared) -> dict[str, list[dict[str, str]]]:
    """Everything that was found as rows, by a heading; what is empty is left out."""
    everything = {
        "Differences": comparison_rows(found),
        "The same naive differences by other means": detail_rows(found),
        "Under each judge": judge_rows(found),
        "The order of models": order_rows(found.orders),
    }
    return {heading: rows for heading, rows in everything.items() if rows}


def comparison_rows(found: Compared) -> list[dict[str, str]]:
    """One row per metric and pair, differences in percentage points."""
    return [
        {
            "metric": one.metric,
            "first − second": f"{shown(one.first)} − {shown(one.second)}",
            **_tested("corrected", one.corrected, found.adjust),
            "labels": str(one.corrected.difference.n) if one.corrected else "",
            **_tested("naive", one.naive, found.adjust),
            "pairs": str(one.n_pairs) if one.naive else "",
            "left out": str(one.n_unmatched) if one.naive and one.n_unmatched else "",
            "note": "; ".join(dict.fromkeys(_why(one))),
        }
        for one in found.comparisons
    ]


def _tested(way: Way, found: Tested | None, adjust: Adjust) -> dict[str, str]:
    if found is None:
        return {}
    cells = {f"{way}, points": points(found.difference)}
    if found.p is None:
        return cells
    if adjust == "none":
        return cells | {f"p ({way})": p_value(found.p)}
    return cells | {f"p, adjusted ({way})": f"{p_value(found.p)}, {p_value(found.p_adjusted)}"}


def _why(one: Comparison) -> list[str]:
    tests = (("corrected", one.corrected), ("naive", one.naive))
    whys = [(way, test.difference.why_undefined) for way, test in tests if test]
    return [f"{way}: {why.removeprefix('undefined: ')}" for way, why in whys if why]


def detail_rows(found: Compared) -> list[dict[str, str]]:
    """One row per metric and pair: the naive difference by other means."""
    return [
        {
            "metric": one.metric,
            "first − second": f"{shown(one.first)} − {shown(one.second)}",
            "tasks": str(more.flips.tasks),
            "bootstrap over tasks": points(more.bootstrap),
            "permutations": f"{'all ' if more.flips.enumerated else ''}{more.flips.arrangements:,}",
            "only first": str(more.discordant.only_first) if more.discordant else "",
            "only second": str(more.discordant.only_second) if more.discordant else "",
            "of pairs": str(more.discordant.n) if more.discordant else "",
            "McNemar exact p": p_value(more.mcnemar.exact) if more.mcnemar else "",
            "mid-p": p_value(more.mcnemar.mid_p) if more.mcnemar else "",
            "Tango interval": points(more.tango) if more.tango else "",
            "note": more.bootstrap.why_undefined or ("" if more.mcnemar else "a ratio has no pairs of yes and no"),
        }
        for one in found.comparisons
        if (more := one.details)
    ]


def judge_rows(found: Compared) -> list[dict[str, str]]:
    """One row per metric and judge: the number at the judge's word, and as corrected."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for judge, estimate in found.under_judges:
        row = rows.setdefault((estimate.metric, judge), {"metric": estimate.metric, "judge": judge})
        row[estimate.method] = with_interval(estimate.value, estimate.low, estimate.high)
        row["note"] = "; ".join(filter(None, [row.get("note"), estimate.why_undefined]))
    return [rows[key] for metric in dict.fromkeys(m for m, _ in rows) for key in rows if key[0] == metric]


def order_rows(orders: Sequence[Order]) -> list[dict[str, str]]:
    """One row per metric and two judges: how alike they order the models."""
    return [
        {
            "metric": one.metric,
            "judges": f"{one.first} · {one.second}",
            "Kendall's tau": _tau(one),
            "Spearman": "–" if one.spearman is None else f"{one.spearman:z.2f}",
            "same order": "" if one.same_order is None else f"in {100 * one.same_order:.0f} % of resamples",
            "by the first": " > ".join(map(shown, one.first_order)),
            "by the second": " > ".join(map(shown, one.second_order)),
            "note": one.why_undefined or "",
        }
        for one in orders
    ]


def _tau(one: Order) -> str:
    if one.kendall is None:
        return "–"
    within = "" if one.low is None or one.high is None else f" ({one.low:z.2f} to {one.high:z.2f})"
    return f"{one.kendall:z.2f}{within}"
