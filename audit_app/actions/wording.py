"""Numbers as people read them: shares, coefficients with their intervals, tables."""

import re
from collections.abc import Iterable, Mapping, Sequence
from unicodedata import category

from tabulate import tabulate

from agreement.result import Agreement
from audit_app.language import _, isolated, joined, mark
from audit_app.reasons import bare, told
from metrics.difference import Difference


def percent(value: float | None, digits: int = 1) -> str:
    """A share as a percentage, a dash when there is none.

    >>> percent(0.12345), percent(None)
    ('12.3 %', '–')
    """
    return "–" if value is None else isolated(f"{100 * value:.{digits}f} %")


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
        return exactly(f"{100 * value:.1f} %")
    if low is None or high is None:
        return percent(value)
    return isolated(f"{100 * value:.1f} % ({100 * low:.1f}–{100 * high:.1f})")


def of(n: int, everything: int) -> str:
    """How many of how many.

    >>> of(3, 10)
    '3 of 10'
    """
    return _("{n} of {of}").format(n=n, of=everything)


def exactly(value: str) -> str:
    """A number that is known exactly.

    >>> exactly("0.5")
    '0.5 (exact)'
    """
    exact = _("exact")
    return isolated(f"{value} ({exact})")


def spread(value: str, low: str, high: str) -> str:
    """A number and the ends of its interval, which may have signs of their own.

    >>> spread("0.5", "-0.1", "1.1")
    '0.5 (-0.1 to 1.1)'
    """
    to = _("to")
    return isolated(f"{value} ({low} {to} {high})")


def when(at: str) -> str:
    """A stored time to the minute.

    >>> when("2026-05-04T09:30:12.345678+00:00")
    '2026-05-04 09:30 UTC'
    """
    return isolated(f"{at[:16].replace('T', ' ')} UTC")


SHARES = ("percent_agreement", "agreement_with_others", "self_consistency", "average_advantage")
"""Figures that are shares of items; the others are coefficients."""


def coefficient(found: Agreement) -> str:
    """A coefficient with its interval, or the sentence that says why there is none."""
    if found.value is None:
        return told(found.why_undefined or "undefined")
    if found.name in SHARES or found.name.startswith("prevalence["):
        return with_interval(found.value, found.low, found.high)
    if found.value == found.low == found.high:
        return exactly(f"{found.value:z.3f}")
    return spread(f"{found.value:z.3f}", f"{found.low:z.3f}", f"{found.high:z.3f}")


def points(found: Agreement | Difference, times: float = 1.0) -> str:
    """A difference of shares in percentage points with its interval, or a dash.

    >>> points(Difference(value=0.125, low=-0.05, high=0.3, level=0.95, n=9))
    '+12.5 (-5.0 to +30.0)'
    """
    if found.value is None:
        return "–"
    value = f"{100 * times * found.value:+z.1f}"
    if found.low is None or found.high is None:
        return isolated(value)
    if found.low == found.high:
        return exactly(value)
    return spread(value, f"{100 * times * found.low:+z.1f}", f"{100 * times * found.high:+z.1f}")


def p_value(p: float | None) -> str:
    """A p value.

    >>> p_value(0.0304), p_value(0.00001), p_value(None)
    ('0.030', '<0.001', '–')
    """
    return "–" if p is None else isolated("<0.001") if p < 0.0005 else f"{p:.3f}"


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
        _("No {what} of {labels}: {reason}.").format(what=what, labels=joined(dict.fromkeys(of)), reason=bare(reason))
        for (what, reason), of in where.items()
    ]


ALL = mark("all responses")


def slice_name(within: Mapping[str, str], everything: str = "all") -> str:
    """A slice in words.

    >>> slice_name({"condition": "clean", "model": ""}), slice_name({})
    ('clean · (none)', 'all')
    """
    return " · ".join(value or _("(none)") for value in within.values()) or _(everything)


JOINERS = "\u200c\u200d"
"""Invisible characters that words of some languages and emoji are spelt with."""


def visible(text: str) -> str:
    r"""The text with control characters, newlines and marks of direction as they are escaped in code.

    They would break a line, move the cursor of a terminal, or turn what stands around them.

    >>> print(visible("two\nlines \x1b[31m \u202eback"))
    two\nlines \x1b[31m \u202eback
    """
    return "".join(
        mark.encode("unicode_escape").decode()
        if category(mark) in ("Cc", "Cf", "Cs", "Zl", "Zp") and mark not in JOINERS
        else mark
        for mark in text
    )


def markdown(text: str) -> str:
    r"""Text of others for one cell or sentence of Markdown, which shows it and does nothing else.

    What opens HTML, an entity, a link or a cell is escaped; a plain `<` in front of a number is left as it is.

    >>> markdown("A|x <b> &lt; ![y](z) p < 0.1"), markdown("<0.001")
    ('A\\|x &lt;b> &amp;lt; !\\[y](z) p < 0.1', '<0.001')
    """
    plain = re.sub(r"&(?=[#\w]+;)", "&amp;", re.sub(r"([\\|\[])", r"\\\1", visible(text)))
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", plain)


def as_table(rows: Sequence[dict[str, str]], style: str = "simple") -> str:
    """Rows as a text table, or in the style "github" as one of Markdown; columns without any entry are left out."""
    shown = markdown if style == "github" else visible
    used = [name for name in dict.fromkeys(name for row in rows for name in row) if any(row.get(name) for row in rows)]
    return tabulate(
        [[shown(row.get(name, "")) for name in used] for row in rows],
        headers=[shown(name) for name in used],
        tablefmt=style,
        disable_numparse=True,
    )
