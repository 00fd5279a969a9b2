"""Models, prompts, conditions or judges side by side: how much they differ, and which differences are real."""

from collections.abc import Mapping, Sequence

import streamlit as st

from audit_app import figures, state
from audit_app.actions import comparison_tables as tables
from audit_app.actions.choices import Choices, choices
from audit_app.actions.comparable import Question, values_of
from audit_app.actions.compared import JUDGE, Adjust, Compared, Comparison, Tested, Way, shown
from audit_app.actions.comparing import compare
from audit_app.actions.wording import p_value, points
from audit_app.dot_plot import Dot, dots
from audit_app.language import ISOLATES, _, isolated, mark, naming
from audit_app.reasons import bare, described, titled
from metrics.difference import Difference
from metrics.estimate import About

KINDS = {
    "model": mark("models"),
    "prompt": mark("prompts"),
    "condition": mark("conditions"),
    "run": mark("runs"),
    "regime": mark("regimes"),
    "judge": mark("judges"),
}

ADJUST: dict[Adjust, str] = {
    "holm": mark("Holm: is any of them real?"),
    "bh": mark("Benjamini–Hochberg: a list with few false entries"),
    "none": mark("not at all"),
}

POPULATION: dict[About, str] = {
    "such tasks": mark("such tasks in general"),
    "these responses": mark("these responses"),
}

POINTS = {"naive": mark("Naive, points"), "corrected": mark("Corrected, points")}

WORDS = {
    "points": mark("a difference of two shares, the first less the second, in percentage points, with its interval."),
    "corrected": mark(
        "what people would have found: the judge's labels on all responses, repaired by people's "
        "labels on the drawn ones."
    ),
    "naive": mark(
        "the judge's word, on responses that are matched by task, condition, run and the other "
        "columns. Tasks are kept whole: answers to one task are no independent evidence."
    ),
    "p": mark("how often a difference as large as this one would come up by chance if there were none."),
    "adjusted p": mark("the same, allowing for how many comparisons are on this page. Read this one."),
}

ORDERS = mark(
    "Whether another judge, or people, would rank the models alike. In brackets: how often "
    "the two agree on the whole order when the tasks are drawn anew. Rank correlations are "
    "among all numbers."
)


def render() -> None:
    """Draws the screen."""
    study = state.study()
    with figures.screen(study, _("Compare")):
        given, values = choices(study), values_of(study)
        if not values:
            st.html(
                figures.sentence(
                    _(
                        "There is nothing to compare: all responses are of one model, prompt, condition and run, "
                        "and no two judges labelled them."
                    ),
                    notice=True,
                )
            )
            return
        found = compare(study, _question(given, values))
        st.html(figures.sentence(found.sentence))
        if not found.seal.is_open:
            st.html(figures.sentence(figures.sealed(found.seal), notice=True))
            st.html(figures.sentence(_("They can be opened early on the Report screen."), soft=True))
        _draw(found)


def _question(given: Choices, values: Mapping[str, Sequence[str]]) -> Question:
    """What is compared; only what there is a choice of is asked."""
    left, right = st.columns(2)
    with left:
        by = st.selectbox(_("Compare"), list(values), format_func=naming(KINDS), key="compare_by")
    others = [name for name in values if name not in (by, JUDGE)]
    with right:
        places = [(name, value) for name in others for value in values[name]]
        place = st.selectbox(_("Within"), [None, *places], format_func=_place, key=f"compare_within_{by}")
    with st.expander(_("How they are compared")):
        left, right = st.columns(2)
        with left:
            against = st.selectbox(
                _("Each with"), [None, *values[by]], key=f"compare_against_{by}",
                format_func=lambda value: _("every other") if value is None else shown(value),
            )  # fmt: skip
            adjust = st.selectbox(_("Adjust p values"), list(ADJUST), format_func=naming(ADJUST), key="compare_adjust")
        with right:
            details = st.toggle(_("Other tests of the naive differences, among all numbers"), key="compare_details")
            about = st.selectbox(_("Corrected for"), list(POPULATION), format_func=naming(POPULATION))
            judge = None if by == JUDGE else figures.pick_judge(given)
            sample_id = figures.pick_sample(given)
    return Question(
        by=by,
        against=against,
        within=dict([place]) if place else {},
        adjust=adjust,
        population=about,
        judge=judge,
        sample_id=sample_id,
        details=details,
    )


def _place(place: tuple[str, str] | None) -> str:
    return _("all") if place is None else _("{name}: {what}").format(name=_(place[0]), what=shown(place[1]))


def _draw(found: Compared) -> None:
    first: Way = found.way
    second: Way = "naive" if first == "corrected" else "corrected"
    has_second = any(_test(one, second) for one in found.comparisons)
    st.html(
        dots(
            _groups(found),
            words=_(POINTS[first]),
            beside=_(POINTS[second]) if has_second and found.seal.is_open else "",
            key=(
                _("{first}, with its {level:g} % interval; to the right the first is higher").format(
                    first=_(first), level=100 * found.level
                ),
                _(second),
            ),
            signed=True,
        )
    )
    if found.notes:
        st.html(figures.heading(_("Notes")))
        st.html(figures.listed(found.notes))
    if found.orders:
        st.html(figures.heading(_("The order of models")))
        st.html(figures.listed(tables.order_sentences(found.orders)))
        st.html(figures.sentence(_(ORDERS), soft=True))
    if found.seal.is_open:
        with st.expander(_("All numbers")):
            for heading, rows in tables.tables(found).items():
                st.html(figures.heading(_(heading)))
                st.html(figures.table(rows))
    with st.expander(_("What the numbers mean")):
        st.html(figures.defined(described(one.metric for one in found.comparisons)))
        st.html(figures.defined(WORDS))


def _groups(found: Compared) -> dict[str, list[Dot]]:
    """One figure row per comparison, under the metric where there are several pairs, else under the pair."""
    pairs = {(one.first, one.second) for one in found.comparisons}
    groups: dict[str, list[Dot]] = {}
    for one in found.comparisons:
        pair = f"{shown(one.first)} − {shown(one.second)}"
        metric = _("{name}: {what}").format(name=one.metric, what=titled(one.metric))
        heading, name = (pair, one.metric) if len(pairs) == 1 else (metric, pair)
        groups.setdefault(heading, []).append(_dot(found, one, name))
    return groups


def _dot(found: Compared, one: Comparison, name: str) -> Dot:
    main, other = _test(one, found.way), _test(one, "naive" if found.way == "corrected" else "corrected")
    there = main.difference if main else None
    return Dot(
        name=name,
        title=_p(main, found.adjust),
        value=there.value if there else None,
        low=there.low if there else None,
        high=there.high if there else None,
        words=_words(there) if there else _("no verdicts"),
        beside=other.difference.value if other else None,
        beside_words=isolated(points(other.difference).strip(ISOLATES).partition(" (")[0]) if other else "",
    )


def _words(found: Difference) -> str:
    """The number, or in few words why there is none; the whole reason is among all numbers."""
    why = found.why_undefined
    if why is None:
        return points(found)
    return _("too few labels") if "refused" in why else bare(why)


def _p(test: Tested | None, adjust: Adjust) -> str:
    if test is None or test.p is None:
        return ""
    if adjust == "none":
        return isolated(f"p {p_value(test.p)}")
    return _("p {p}, adjusted {adjusted}").format(p=p_value(test.p), adjusted=p_value(test.p_adjusted))


def _test(one: Comparison, way: Way) -> Tested | None:
    return one.corrected if way == "corrected" else one.naive
