"""What the result screens are drawn with: tables and dots with intervals as escaped HTML, and the pickers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape

import streamlit as st

from audit_app.actions.choices import Choices
from audit_app.actions.seal import Seal
from audit_app.actions.wording import percent
from audit_app.language import ISOLATES, _, direction, mark
from audit_app.literal import literal
from audit_app.reasons import told
from data.errors import StudyProblem
from data.study import Study

STYLE = """<style>
[data-testid="stMainBlockContainer"] { margin: 0 auto; max-width: 66rem; padding-bottom: 3rem; }
.ea { --mark: color-mix(in srgb, #2a6fc9 72%, currentColor); --line: color-mix(in srgb, currentColor 20%, transparent);
  line-height: 1.45; overflow-wrap: anywhere; }
.ea h1 { font-size: 1.9rem; font-weight: 650; line-height: 1.2; margin: 0; padding: 0; }
.ea h2 { font-size: 1.2rem; font-weight: 650; margin: 0.75rem 0 0; padding: 0; }
.ea p { margin: 0; }
.ea ul, .ea ol { margin: 0.25rem 0 0; padding-inline-start: 1.25rem; }
.ea .soft, .ea th span, .ea thead th { font-weight: 400; opacity: 0.78; }
.ea .notice { border-inline-start: 3px solid var(--mark); padding: 0.1rem 0; padding-inline-start: 0.9rem; }
.ea code { background: color-mix(in srgb, currentColor 9%, transparent); border-radius: 0.25rem; font-size: 0.875em;
  padding: 0.1em 0.35em; }
.ea table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0; width: 100%; }
.ea th, .ea td { border: 0; border-bottom: 1px solid var(--line); padding: 0.45rem 0;
  padding-inline-end: 0.9rem; text-align: start; vertical-align: top; }
.ea th:last-child, .ea td:last-child { padding-inline-end: 0; }
.ea tbody th { font-weight: 600; }
.ea thead th { font-size: 0.875rem; vertical-align: bottom; }
.ea tbody th.group { border-bottom: 0; padding-top: 1.1rem; }
.ea .range { white-space: nowrap; } .ea bdi { unicode-bidi: isolate; }
.ea.cards { overflow-x: auto; } .ea.cards td, .ea.cards th, .ea thead th { overflow-wrap: break-word; }
.ea.dots table { table-layout: fixed; }
.ea.dots td, .ea.dots th { vertical-align: middle; } .ea.dots .why { font-size: 0.875rem; }
.ea.dots col.name { width: 28%; } .ea.dots col.number { width: 19%; } .ea.dots col.beside { width: 14%; }
.ea.dots td b { font-size: 1.1rem; } .ea.dots th span { display: block; font-size: 0.875rem; }
/* Scales grow to the right in every language. */
.ea .track, .ea .axis { direction: ltr; margin: 0 0.6rem; position: relative; }
.ea .track { background: linear-gradient(var(--line), var(--line)) center / 1px 100% no-repeat;
  border: solid var(--line); border-width: 0 1px; height: 1.9rem; }
.ea .axis { display: flex; font-size: 0.8rem; justify-content: space-between; }
.ea .axis span { flex: 0 0 0; white-space: nowrap; display: flex; justify-content: center; }
.ea .mark { display: inline-block; box-sizing: border-box; }
.ea .track .mark { position: absolute; transform: translate(-50%, -50%); }
.ea .dot { background: var(--mark); border-radius: 50%; height: 0.6rem; width: 0.6rem; top: 67%; }
.ea .hollow { border: 2px solid currentColor; height: 0.6rem; width: 0.6rem; top: 24%; }
.ea .track .hollow { transform: translate(-50%, -50%) rotate(45deg); }
.ea .key .hollow { transform: rotate(45deg); margin: 0 0.25rem; }
.ea .track .interval { background: linear-gradient(var(--mark), var(--mark)) center / 100% 2px no-repeat;
  border: solid var(--mark); border-width: 0 2px; box-sizing: border-box; height: 0.6rem; min-width: 2px;
  position: absolute; top: calc(67% - 0.3rem); }
.ea .key { display: flex; flex-wrap: wrap; font-size: 0.875rem; gap: 0.15rem 1.25rem; margin-top: 0.5rem; }
.ea .key .mark { margin-inline-end: 0.4rem; }
.ea.cross table { width: auto; } .ea.cross td, .ea.cross th { padding-inline-end: 1.5rem; }
@media (max-width: 700px) {
  .ea h1 { font-size: 1.6rem; }
  .ea.dots colgroup, .ea.dots thead th:not(.scale) { display: none; }
  .ea.dots table, .ea.dots thead, .ea.dots tbody { display: block; }
  .ea.dots tr { border-bottom: 1px solid var(--line); display: grid; gap: 0 1rem; grid-template-columns: 1fr auto;
    padding: 0.5rem 0; }
  .ea.dots thead tr { padding-bottom: 0; }
  .ea.dots th, .ea.dots td { border: 0; padding: 0.1rem 0; }
  .ea.dots tbody th, .ea.dots .scale, .ea.dots .plot { grid-column: 1 / -1; }
  .ea.dots tbody th span { display: inline; margin-inline-start: 0.4rem; }
  .ea.dots .beside::before { content: attr(data-label) " "; }
  .ea.cards thead { display: none; }
  .ea.cards table, .ea.cards tbody, .ea.cards tr, .ea.cards th, .ea.cards td { display: block; }
  .ea.cards tr { border-bottom: 1px solid var(--line); padding: 0.6rem 0; }
  .ea.cards th, .ea.cards td { border: 0; padding: 0.1rem 0; }
  .ea.cards td:empty { display: none; }
  .ea.cards td { display: flex; gap: 0.75rem; justify-content: space-between; text-align: end; }
  .ea.cards td::before { content: attr(data-label); flex: none; opacity: 0.78; }
}
</style>"""

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
    number = f"<td>{_number(row.words, bold=True)}</td>"
    if row.value is None:
        number = f'<td class="why">{escape(row.words)}</td>'
    return f'<tr>{name}<td class="plot" aria-hidden="true">{_track(row, scale)}</td>{number}{other}</tr>'


def _number(text: str, *, bold: bool = False) -> str:
    """Text; where it is a number with its interval, the interval is not broken over two lines."""
    value, bracket, rest = text.strip(ISOLATES).partition(" (")
    if not value.lstrip("-+")[:1].isdigit():
        return escape(text)
    if not bracket:
        return f'<span class="range">{escape(text)}</span>' if value.endswith(" %") else escape(text)
    value = f"<b>{escape(value)}</b>" if bold else escape(value)
    return f'<bdi dir="ltr">{value} <span class="range">({escape(rest)}</span></bdi>'


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


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows as an HTML table, the first column as heads; on a narrow screen each row is a card.

    Columns without any entry are left out, as in the printed report.

    >>> '<td data-label="n"><div>3</div></td>' in table([{"label": "C", "n": "3", "note": ""}])
    True
    """
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if any(row.get(name) for row in rows)]
    head = "".join(f'<th scope="col">{escape(_(name))}</th>' for name in names)
    body = "".join(f"<tr>{''.join(_cell(row, name, first=name == names[0]) for name in names)}</tr>" for row in rows)
    return f'<div class="ea cards"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(row: Mapping[str, str], name: str, *, first: bool) -> str:
    text = row.get(name, "")
    if first:
        return f'<th scope="row">{escape(text)}</th>'
    return f'<td data-label="{escape(_(name))}">{f"<div>{_number(text)}</div>" if text else ""}</td>'


def cross(cells: Sequence[Sequence[str]]) -> str:
    """The two-by-two table of people against the judge; cells by people's label, then the judge's, No before Yes."""
    (no_no, no_yes), (yes_no, yes_yes) = [[f"<td>{escape(cell)}</td>" for cell in row] for row in cells]
    heads = [_("Judge: yes"), _("Judge: no")], [_("People: yes"), _("People: no")]
    (yes, no), (people_yes, people_no) = ([escape(word) for word in words] for words in heads)
    return (
        f'<div class="ea cross"><table><thead><tr><th></th><th scope="col">{yes}</th><th scope="col">{no}</th></tr>'
        f'</thead><tbody><tr><th scope="row">{people_yes}</th>{yes_yes}{yes_no}</tr>'
        f'<tr><th scope="row">{people_no}</th>{no_yes}{no_no}</tr></tbody></table></div>'
    )


def sentence(text: str, *, soft: bool = False, notice: bool = False) -> str:
    """A sentence, shown as it is; soft for what is only read by those who look for it."""
    look = f"{'soft ' if soft else ''}{'notice' if notice else ''}"
    return f'<div class="ea"><div class="{look}">{literal(text, direction())}</div></div>'


def listed(texts: Sequence[str]) -> str:
    """Sentences as a list."""
    return f'<div class="ea"><ul>{"".join(f"<li>{escape(text)}</li>" for text in texts)}</ul></div>'


def defined(terms: Mapping[str, str]) -> str:
    """Words and what they mean."""
    items = "".join(f"<li><b>{escape(_(word))}</b>: {escape(_(meaning))}</li>" for word, meaning in terms.items())
    return f'<div class="ea"><ul>{items}</ul></div>'


def heading(text: str) -> str:
    """The heading of a part of a screen."""
    return f'<div class="ea"><h2>{escape(text)}</h2></div>'


def sealed(seal: Seal) -> str:
    """What a lead is told while results are sealed."""
    return _(
        "Results are sealed until everything planned is labelled, so that nobody stops, or goes on, because of what "
        "the numbers say. Still to do: {n} assignments."
    ).format(n=seal.n_left)


STEPS = (
    (mark("bring in the benchmark:"), "evidence-audit import tasks|contexts|responses|verdicts FILE"),
    (mark("draw what people will read:"), "evidence-audit sample draw"),
    (mark("invite people:"), "evidence-audit people add NAME"),
    (mark("they open their links and label; results open by themselves when the plan is done."), ""),
)
"""What is done, and the command that does it."""


def steps() -> str:
    """How a study gets to where there is something to show."""
    codes = {step: f' <code dir="ltr">{escape(command)}</code>' if command else "" for step, command in STEPS}
    items = "".join(f"<li>{escape(_(step))}{code}</li>" for step, code in codes.items())
    way = escape(_("A study gets here in four steps:"))
    return f'<div class="ea"><p>{way}</p><ol>{items}</ol></div>'


@contextmanager
def screen(study: Study, title: str) -> Iterator[None]:
    """A result screen: its heading, and a calm sentence in place of what cannot be shown."""
    st.html(STYLE)
    st.html(f'<div class="ea"><p class="soft">{escape(study.name)}</p><h1>{escape(title)}</h1></div>')
    try:
        yield
    except StudyProblem as problem:
        st.html(sentence(told(str(problem).removeprefix(f"{study.path}: ")), notice=True))
        st.html(steps())


def pick_sample(given: Choices) -> str:
    """The sample to look at: the newest, unless there are others and somebody chooses one."""
    if len(given.samples) < 2:
        return given.samples[0]
    chosen: str = st.selectbox(_("Sample"), given.samples, key="sample", persist_state="session")
    return chosen


def pick_slices(given: Choices, key: str) -> tuple[str, ...]:
    """The columns to slice by: none, unless somebody chooses some."""
    if not given.slices:
        return ()
    return tuple(st.multiselect(_("Slice by"), given.slices, format_func=_, placeholder=_("nothing"), key=key))


def closer(title: str, key: str, draw: Callable[[], None]) -> None:
    """An expander for what takes a moment to work out: drawn only once somebody opens it."""
    part = st.expander(title, key=key, on_change="rerun")
    if part.open:
        with part:
            draw()


def pick_judge(given: Choices) -> str | None:
    """The judge to look at: the first by name, unless somebody chooses another; None when there is none."""
    if len(given.judges) < 2:
        return given.judges[0] if given.judges else None
    chosen: str = st.selectbox(_("Judge"), given.judges, key="judge", persist_state="session")
    return chosen
