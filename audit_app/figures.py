"""What the result screens are drawn with: tables and sentences as escaped HTML, and the pickers."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape

import streamlit as st

from audit_app.actions.choices import Choices
from audit_app.actions.seal import Seal
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


def number(text: str, *, bold: bool = False) -> str:
    """Text; a number with its interval, a share and a time are not broken over two lines where they need not be."""
    value, bracket, rest = text.strip(ISOLATES).partition(" (")
    if not value.lstrip("-+")[:1].isdigit():
        return escape(together(text))
    if not bracket:
        short = value.endswith((" %", " UTC"))
        return f'<span class="range">{escape(text)}</span>' if short else escape(together(text))
    value = f"<b>{escape(value)}</b>" if bold else escape(value)
    return f'<bdi dir="ltr">{value} <span class="range">({escape(rest)}</span></bdi>'


PERCENT = re.compile(r"([-+\u2212]?\d[\d.,]*) %")


def together(text: str) -> str:
    """Text whose percents are not broken over two lines nor, from right to left, turned round."""
    first, last = tuple(ISOLATES) if direction() == "rtl" else ("", "")
    return PERCENT.sub(f"{first}\\1\u00a0%{last}", text)


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
    return f'<td data-label="{escape(_(name))}">{f"<div>{number(text)}</div>" if text else ""}</td>'


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
    return f'<div class="ea"><div class="{look}">{literal(together(text), direction())}</div></div>'


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
    """The judge to look at: that with most verdicts, unless somebody chooses another; None when there is none."""
    if len(given.judges) < 2:
        return given.judges[0] if given.judges else None
    chosen: str = st.selectbox(_("Judge"), given.judges, key="judge", persist_state="session")
    return chosen
