"""What somebody may choose to look at on the report screen; every choice has a default."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from audit_app import figures
from audit_app.actions.answered import Grounding
from audit_app.actions.choices import Choices
from audit_app.language import _, mark, naming
from data.study import Study
from metrics.estimate import About, Annotators, Target
from metrics.table import PARTS, Average

GROUNDING: dict[str, str] = {
    "strict": mark("strict: established by the passages"),
    "lenient": mark("lenient: supported but contradicted counts too"),
}

TARGETS: dict[str, str] = {
    "A": mark("A: what one annotator says"),
    "B": mark("B: what is adjudicated or unanimous"),
}

POPULATIONS: dict[str, str] = {
    "these responses": mark("these responses"),
    "such tasks": mark("such tasks in general"),
}

AVERAGES: dict[Average, str] = {
    "pooled": mark("all responses as one"),
    "runs": mark("the mean over runs"),
    "regimes": mark("the mean over regimes"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What somebody may choose to look at; every choice has a default."""

    sample_id: str
    judge: str | None
    by: tuple[str, ...]
    grounding: Grounding
    target: Target
    about: About
    annotators: Annotators
    average: Average
    borrow: tuple[str, ...]
    taxonomy: bool


def choose(study: Study, given: Choices) -> Options:
    """The choices below the headline; only those that there are."""
    st.html(figures.heading(_("Look closer")))
    asked = set(study.rubric.names("response"))
    left, middle, right = st.columns(3)
    # What only some studies have stands last, so that it leaves no hole where it is not.
    with left:
        grounding = st.selectbox(
            _("Grounded means"), get_args(Grounding), format_func=naming(GROUNDING), key="grounding"
        )
    with middle:
        by = (
            st.multiselect(_("Slice by"), given.slices, format_func=_, placeholder=_("nothing"), key="by")
            if given.slices
            else []
        )
        borrow = _lenders(given, by)
    with right:
        judge = figures.pick_judge(given)
        sample_id = figures.pick_sample(given)
    target, about, annotators, average = _holds_for(given, sample_id)
    taxonomy = {"C", "A", "G"} <= asked and st.toggle(_("Shares of the grounding taxonomy"), key="taxonomy")
    return Options(
        sample_id=sample_id,
        judge=judge,
        by=tuple(by),
        grounding=grounding,
        target=target,
        about=about,
        annotators=annotators,
        average=average,
        borrow=borrow,
        taxonomy=taxonomy,
    )


def _lenders(given: Choices, by: Sequence[str]) -> tuple[str, ...]:
    """In what slices are to be alike that lend a slice with few labels theirs; nobody lends unless somebody chooses."""
    columns = [column for column in given.slices if set(by) - {column}]
    if not columns or not by:
        return ()
    chosen = st.selectbox(
        _("Borrow labels within the same"), columns, index=None, format_func=_, placeholder=_("nothing"), key="borrow"
    )
    return (chosen,) if chosen else ()


def _holds_for(given: Choices, sample_id: str) -> tuple[Target, About, Annotators, Average]:
    """Which human, population and annotators, and over what the mean is taken; the first unless somebody chooses."""
    left, middle, right = st.columns(3)
    averages = [name for name in AVERAGES if name == "pooled" or PARTS[name] in given.slices]
    target: Target = "A"
    average: Average = "pooled"
    with left:
        about: About = st.selectbox(
            _("Intervals hold for"), get_args(About), format_func=naming(POPULATIONS), key="about"
        )
    with middle:
        annotators: Annotators = st.selectbox(_("and for"), get_args(Annotators), format_func=_, key="annotators")
    with right:
        if sample_id in given.doubled:
            target = st.selectbox(_("Whose labels"), get_args(Target), format_func=naming(TARGETS), key="target")
    with left:
        if len(averages) > 1:
            average = st.selectbox(_("A number is"), averages, format_func=naming(AVERAGES), key="average")
    return target, about, annotators, average
