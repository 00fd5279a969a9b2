"""Numbers as people read them: shares, coefficients with their intervals, tables."""

from collections.abc import Sequence

from tabulate import tabulate

from agreement.result import Agreement


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


def coefficient(found: Agreement) -> str:
    """A coefficient with its interval, or the sentence that says why there is none."""
    if found.value is None:
        return found.why_undefined or "undefined"
    if found.name == "percent_agreement":
        return with_interval(found.value, found.low, found.high)
    if found.value == found.low == found.high:
        return f"{found.value:z.3f} (exact)"
    return f"{found.value:z.3f} ({found.low:z.3f} to {found.high:z.3f})"


def as_table(rows: Sequence[dict[str, str]], style: str = "simple") -> str:
    """Rows as a text table; columns without any entry are left out."""
    used = [name for name in dict.fromkeys(name for row in rows for name in row) if any(row.get(name) for row in rows)]
    return tabulate(
        [[row.get(name, "") for name in used] for row in rows], headers=used, tablefmt=style, disable_numparse=True
    )
