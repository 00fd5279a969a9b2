"""Numbers as people read them: shares, coefficients with their intervals, tables."""

import re
from collections.abc import Iterable, Mapping, Sequence

from tabulate import tabulate

from agreement.result import Agreement
from metrics.difference import Difference


def percent(value: float | None, digits: int = 1) -> str:
    """A share as a percentage, a dash when there is none.

    >>> percent(0.12345), percent(None)
    ('12.3 %', '–')
    """
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """A share with its interval.

    >>> with_interval(0.5, 0.25, 0.75)
    '50.0 % (25.0–75.0)'
    >>> with_interval(0.5, 0.5, 0.5)
    '50.0 % (exact)'
    """
    if value is None:
        return "–"
    if value == low == high:
        return f"{percent(value)} (exact)"
    return percent(value) if low is None or high is None else f"{percent(value)} ({100 * low:.1f}–{100 * high:.1f})"


def when(at: str) -> str:
    """A stored time to the minute.

    >>> when("2026-05-04T09:30:12.345678+00:00")
    '2026-05-04 09:30 UTC'
    """
    return f"{at[:16].replace('T', ' ')} UTC"


SHARES = ("percent_agreement", "agreement_with_others", "self_consistency", "average_advantage")
"""Figures that are shares of items; the others are coefficients."""


def coefficient(found: Agreement) -> str:
    """A coefficient with its interval, or the sentence that says why there is none."""
    if found.value is None:
        return found.why_undefined or "undefined"
    if found.name in SHARES or found.name.startswith("prevalence["):
        return with_interval(found.value, found.low, found.high)
    if found.value == found.low == found.high:
        return f"{found.value:z.3f} (exact)"
    return f"{found.value:z.3f} ({found.low:z.3f} to {found.high:z.3f})"


def points(found: Agreement | Difference, times: float = 1.0) -> str:
    """A difference of shares in percentage points with its interval, or a dash.

    >>> points(Difference(value=0.125, low=-0.05, high=0.3, level=0.95, n=9))
    '+12.5 (-5.0 to +30.0)'
    """
    if found.value is None:
        return "–"
    value = f"{100 * times * found.value:+z.1f}"
    if found.low is None or found.high is None:
        return value
    if found.low == found.high:
        return f"{value} (exact)"
    return f"{value} ({100 * times * found.low:+z.1f} to {100 * times * found.high:+z.1f})"


def p_value(p: float | None) -> str:
    """A p value.

    >>> p_value(0.0304), p_value(0.00001), p_value(None)
    ('0.030', '<0.001', '–')
    """
    return "–" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"


def dashed(found: Agreement) -> str:
    """A figure with its interval, or a dash; why there is none is then said elsewhere (see `reasons`)."""
    return "–" if found.value is None else coefficient(found)


def reasons(figures: Iterable[tuple[str, str, Agreement]]) -> list[str]:
    """Why figures that were drawn as a dash do not exist, those of one kind and reason together.

    Args:
        figures: What it is, of which label, and the figure.

    >>> none = Agreement.undefined("x", "there is one rater", level=0.95, n=0, n_dropped=0)
    >>> reasons([("alpha", "C", none), ("alpha", "D", none)])
    ['No alpha of C, D: there is one rater.']
    """
    where: dict[tuple[str, str], list[str]] = {}
    for what, label, figure in figures:
        if figure.value is None:
            # How many they are differs from person to person, and would make a line of each.
            reason = re.sub(r"\ball \d+ ", "all ", figure.why_undefined or "undefined")
            where.setdefault((what, reason), []).append(label)
    return [
        f"No {what} of {', '.join(dict.fromkeys(labels))}: {reason.removeprefix('undefined: ')}."
        for (what, reason), labels in where.items()
    ]


def slice_name(within: Mapping[str, str], everything: str = "all") -> str:
    """A slice in words.

    >>> slice_name({"condition": "clean", "model": ""}), slice_name({})
    ('clean · (none)', 'all')
    """
    return " · ".join(value or "(none)" for value in within.values()) or everything


def as_table(rows: Sequence[dict[str, str]], style: str = "simple") -> str:
    """Rows as a text table; columns without any entry are left out."""
    used = [name for name in dict.fromkeys(name for row in rows for name in row) if any(row.get(name) for row in rows)]
    return tabulate(
        [[row.get(name, "") for name in used] for row in rows], headers=used, tablefmt=style, disable_numparse=True
    )
