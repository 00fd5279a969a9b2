"""How well people agree with each other, label by label."""

from collections.abc import Sequence

import streamlit as st

from agreement.result import Agreement
from audit_app import figures, state
from audit_app.actions import rater_rows, raters
from audit_app.actions.choices import Choices, choices
from audit_app.actions.consensus import consensus, posterior_text
from audit_app.actions.habits import annotator_habits
from audit_app.actions.raters import AgreementResult, LabelAgreement
from audit_app.actions.wording import coefficient, slice_name
from audit_app.language import _, mark
from data.records import LABELS
from data.study import Study

DOMINANT = 0.8
"""Share of one value from which on it is said what that does to alpha."""

WORDS = {
    "percent": mark(
        "the share of pairs of labels that are the same. Chance alone makes it high where one value dominates."
    ),
    "alpha": mark(
        "Krippendorff's alpha: 1 is full agreement, 0 is what chance would give, below 0 is "
        "worse than chance. Of ordered values it is ordinal; interval takes the steps as equal, "
        "ratio also 0 as nothing at all."
    ),
    "AC1": mark("Gwet's AC1: also corrected for chance, in a way that suffers less where one value dominates."),
    "AC2, linear, quadratic": mark("near misses count in part, by their distance or its square."),
    "Fleiss, Conger, Brennan–Prediger": mark(
        "as percent, less the agreement of two labels drawn from all labels, from each person's "
        "own habits, or evenly from the values (of two values: PABAK)."
    ),
    "items": mark("responses or contexts (for Support: passages) that two people or more labelled."),
    "dropped": mark(
        "items that two people dealt with, but at least one of them left blank, skipped or could not judge."
    ),
    "cannot judge": mark("how often anybody answered that, on all planned items."),
    "intervals": mark("95 %, from resampling whole tasks."),
}


def render() -> None:
    """Draws the screen."""
    study = state.study()
    with figures.screen(study, _("Agreement")):
        given = choices(study)
        if not given.seal.is_open:
            st.html(figures.sentence(figures.sealed(given.seal), notice=True))
            st.html(figures.sentence(_("They can be opened early on the Report screen."), soft=True))
            return
        sample_id = figures.pick_sample(given)
        found = raters.agreement(study, sample_id=sample_id)
        if found.labels:
            _draw(study, found)
            _closer(study, given, sample_id)
        else:
            _empty()


def _empty() -> None:
    st.html(figures.sentence(_("Nobody can be compared yet: no item has labels of two people."), notice=True))
    st.html(
        figures.listed(
            [
                _(
                    "If people are still labelling, come back later: items that go to two people are spread "
                    "over the plan."
                ),
                _(
                    "If no item goes to two people, draw another sample with an overlap, for example "
                    "evidence-audit sample draw --name overlap --overlap 0.25, and invite at least two "
                    "people."
                ),
            ]
        )
    )


def _draw(study: Study, found: AgreementResult) -> None:
    st.html(figures.sentence(found.sentence))
    st.html(figures.table([_row(label, study) for label in found.labels]))
    skewed = [text for label in found.labels if (text := dominance(label))]
    if skewed:
        st.html(figures.heading(_("Where one value dominates")))
        st.html(
            figures.sentence(
                _(
                    "Two people who both say nearly always the same agree often by chance alone. Alpha takes "
                    "that chance off, so a few disagreements can make it low while percent is high: read it "
                    "together with AC1 and with how often each value was given."
                )
            )
        )
        st.html(figures.listed(skewed))


def _closer(study: Study, given: Choices, sample_id: str) -> None:
    """What is one choice or one click away."""
    st.html(figures.heading(_("Look closer")))
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        by = figures.pick_slices(given, "agreement-by")
    with right:
        weighted = st.toggle(_("Weighted to the whole population"), key="agreement-weighted")
    if by or weighted:
        chosen = raters.agreement(study, sample_id=sample_id, by=by, weighted=weighted)
        st.html(figures.sentence(chosen.sentence, soft=True))
        st.html(figures.table([_row(label, study, sliced=bool(by)) for label in chosen.labels]))
    figures.closer(_("Every coefficient"), "coefficients", lambda: _every(study, sample_id, by, weighted))
    figures.closer(_("Every two people"), "pairs", lambda: _pairs(study, sample_id, weighted))
    figures.closer(_("Each annotator"), "annotators", lambda: _annotators(study, sample_id))
    figures.closer(
        _("One label an item from all labels (Dawid–Skene)"), "consensus", lambda: _consensus(study, sample_id)
    )
    with st.expander(_("What the numbers mean")):
        st.html(figures.defined(WORDS))


def _every(study: Study, sample_id: str, by: Sequence[str], weighted: bool) -> None:
    found = raters.agreement(study, sample_id=sample_id, by=by, every=True, weighted=weighted)
    st.html(figures.table(rater_rows.coefficient_rows(found)))
    st.html(figures.heading(_("How often each value was given")))
    st.html(figures.table(rater_rows.prevalence_rows(found)))


def _pairs(study: Study, sample_id: str, weighted: bool) -> None:
    found = raters.agreement(study, sample_id=sample_id, every=True, weighted=weighted)
    st.html(figures.table(rater_rows.pair_rows(found)))


def _annotators(study: Study, sample_id: str) -> None:
    found = annotator_habits(study, sample_id=sample_id)
    st.html(figures.sentence(_(found.sentence)))
    st.html(figures.table(rater_rows.habit_rows(found)))
    st.html(figures.listed([rater_rows.bias_sentence(found), *rater_rows.habit_reasons(found, rater_rows.PLAIN)]))
    st.html(figures.heading(_("As time goes by")))
    st.html(figures.sentence(_("Change in percentage points, by date and by the time that a sitting lasts.")))
    st.html(figures.table(rater_rows.drift_rows(found)))
    st.html(figures.listed(rater_rows.habit_reasons(found, rater_rows.DRIFT)))
    st.html(figures.heading(_("How much depends on who labels")))
    st.html(figures.sentence(_(rater_rows.INTERPENETRATED)))
    st.html(figures.table(rater_rows.variance_rows(found)))


def _consensus(study: Study, sample_id: str) -> None:
    found = consensus(study, sample_id=sample_id)
    st.html(figures.sentence(found.sentence))
    st.html(figures.table(rater_rows.consensus_rows(found)))
    st.download_button(
        _("Download posteriors.csv"),
        lambda: posterior_text(found, "csv"),
        "posteriors.csv",
        "text/csv",
        on_click="ignore",
    )
    st.html(figures.heading(_("How each person errs, if this is so")))
    st.html(figures.table(rater_rows.error_rate_rows(found)))


def _row(label: LabelAgreement, study: Study, *, sliced: bool = False) -> dict[str, str]:
    name = _("{name} ({what})") if label.label in LABELS else "{name}"
    n = label.n_items
    return {
        "label": name.format(name=label.title, what=rater_rows.called(label)),
        **({"slice": slice_name(label.slice)} if sliced else {}),
        **{_column(found): _words(found) for found in label.coefficients},
        "items": _("{n} passages").format(n=n) if study.rubric[label.label].each else str(n),
        "dropped": str(label.n_dropped),
        "cannot judge": str(label.n_cannot_judge),
        "values given": " · ".join(f"{value}\u00a0{count}" for value, count in label.prevalence.items()),
    }


def _column(found: Agreement) -> str:
    """One column for both kinds of alpha; which one it is, is said in its cell."""
    return "alpha" if found.name.startswith("krippendorff") else rater_rows.TITLES[found.name]


def _words(found: Agreement) -> str:
    said = coefficient(found)
    return _("{value} ordinal").format(value=said) if found.name.endswith("ordinal") else said


def dominance(label: LabelAgreement) -> str | None:
    """That one value dominates a label, if it does.

    >>> label = LabelAgreement(label="D", title="Discloses", n_items=5, n_dropped=0, n_cannot_judge=0, slice={},
    ...                        cannot_judge_rate=0.0, prevalence={"Yes": 1, "No": 9}, coefficients=(), shares=(),
    ...                        pairs=())
    >>> dominance(label)
    'Discloses: “No” is 9 of 10 labels.'
    """
    total = sum(label.prevalence.values())
    value, count = max(label.prevalence.items(), key=lambda item: item[1])
    if count < DOMINANT * total:
        return None
    said = _("{title}: “{value}” is {count} of {total} labels.")
    return said.format(title=label.title, value=value, count=count, total=total)
