"""Dots with their intervals on one scale, as an HTML table whose numbers are text; `figures.STYLE` goes with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from audit_app.actions.wording import percent
from audit_app.figures import number

ENDS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Where the scale of a figure may end."""

Scale = tuple[float, float]
"""Where the scale of a figure starts and ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One row of a figure: a share, or a difference, as a dot with its interval, another beside it as a hollow mark."""

    name: str
    title: str = ""
    value: float | None
    low: float | None
    high: float | None
    words: str
    """The share in words, or the sentence that says why there is none."""
    beside: float | None = None
    beside_words: str = ""


def dots(
    groups: Mapping[str, Sequence[Dot]], *, words: str, beside: str = "", key: tuple[str, str], signed: bool = False
) -> str:
    """A figure as an HTML table whose numbers are text; the drawing itself is hidden from screen readers.

    Args:
        groups: Rows under a heading; no heading where that is empty.
        words: Head of the column of numbers.
        beside: Head of the column of the numbers beside them; no such column when empty.
        key: What the dot and what the hollow mark means; only said where there is a mark.
        signed: Whether these are differences in [-1, 1]; 0 is then in the middle of the scale.

    >>> figure = dots({"": [Dot(name="<b>", value=0.25, low=0.2, high=0.3, words="25 %")]}, words="Share", key=("", ""))
    >>> "&lt;b&gt;" in figure, "left:62.50%" in figure
    (True, True)
    >>> less = Dot(name="a", value=-0.1, low=-0.2, high=0.0, words="-10")
    >>> figure = dots({"": [less]}, words="Points", key=("", ""), signed=True)
    >>> "left:25.00%" in figure, "left:0.00%;width:50.00%" in figure, "<span>+20</span>" in figure
    (True, True, True)
    """
    rows = [row for group in groups.values() for row in group]
    end, bare = _end(rows), all(row.value is None and row.beside is None for row in rows)
    start = -end if signed else 0.0
    head = f'<th scope="col">{escape(words)}</th>' + (f'<th scope="col">{escape(beside)}</th>' if beside else "")
    bodies = "".join(_group(heading, group, (start, end), beside) for heading, group in groups.items())
    ticks = "".join(f"<span>{escape(_tick(tick, signed))}</span>" for tick in (start, (start + end) / 2, end))
    last = '<col class="beside">' if beside else ""
    scale = f'<th class="scale" aria-hidden="true"><div class="axis">{ticks}</div></th>'
    return (
        f'<div class="ea dots"><table><colgroup><col class="name"><col><col class="number">{last}</colgroup>'
        f"{'' if bare else f'<thead><tr><th></th>{scale}{head}</tr></thead>'}{bodies}</table>"
        f"{'' if bare else _key(key[0], key[1] if any(row.beside is not None for row in rows) else '')}</div>"
    )


def _tick(tick: float, signed: bool) -> str:
    return (f"{100 * tick:+.0f}" if tick else "0") if signed else percent(tick, 0)


def _end(rows: Sequence[Dot]) -> float:
    """The scale is no longer than it has to be; it starts at 0, or lies evenly around it."""
    marks = (abs(x) for row in rows for x in (row.value, row.low, row.high, row.beside) if x is not None)
    highest = max(marks, default=1.0)
    return next(end for end in ENDS if end >= min(highest, 1.0))


def _group(heading: str, rows: Sequence[Dot], scale: Scale, beside: str) -> str:
    span = 4 if beside else 3
    head = f'<tr><th class="group" colspan="{span}" scope="rowgroup">{escape(heading)}</th></tr>' if heading else ""
    return f"<tbody>{head}{''.join(_row(row, scale, beside) for row in rows)}</tbody>"


def _row(row: Dot, scale: Scale, beside: str) -> str:
    title = f" <span>{escape(row.title)}</span>" if row.title else ""
    name = f'<th scope="row"><bdi>{escape(row.name)}</bdi>{title}</th>'
    other = f'<td class="beside" data-label="{escape(beside)}">{escape(row.beside_words)}</td>' if beside else ""
    if beside and not row.beside_words:
        other = "<td></td>"
    if row.value is None and row.beside is None:
        return f'<tr>{name}<td class="plot" colspan="2">{escape(row.words)}</td>{other}</tr>'
    said = f"<td>{number(row.words, bold=True)}</td>"
    if row.value is None:
        said = f'<td class="why">{escape(row.words)}</td>'
    return f'<tr>{name}<td class="plot" aria-hidden="true">{_track(row, scale)}</td>{said}{other}</tr>'


def _track(row: Dot, scale: Scale) -> str:
    start, end = scale

    def at(value: float) -> str:
        return f"{100 * (value - start) / (end - start):.2f}%"

    parts = []
    if row.beside is not None:
        parts.append(f'<span class="mark hollow" style="left:{at(row.beside)}"></span>')
    if row.low is not None and row.high is not None:
        parts.append(
            f'<span class="interval" style="left:{at(row.low)};width:{at(row.high - row.low + start)}"></span>'
        )
    if row.value is not None:
        parts.append(f'<span class="mark dot" style="left:{at(row.value)}"></span>')
    return f'<div class="track">{"".join(parts)}</div>'


def _key(dot: str, hollow: str) -> str:
    other = f'<span><span class="mark hollow"></span>{escape(hollow)}</span>' if hollow else ""
    return f'<div class="key"><span><span class="mark dot"></span>{escape(dot)}</span>{other}</div>'
