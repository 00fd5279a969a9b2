"""How well people agree with each other, label by label."""

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from agreement.result import Agreement
from audit_app import figures, state
from audit_app.actions import raters
from audit_app.actions.choices import choices
from audit_app.actions.people import list_people
from audit_app.actions.rater_rows import TITLES
from audit_app.actions.raters import AgreementResult, LabelAgreement
from audit_app.actions.wording import coefficient, with_interval
from data.records import LABELS, Person
from data.study import Study

DOMINANT = 0.8
"""Share of one value from which on it is said what that does to alpha."""

WORDS = {
    "percent": "the share of pairs of labels that are the same. Chance alone makes it high where one value dominates.",
    "alpha": "Krippendorff's alpha: 1 is full agreement, 0 is what chance would give, below 0 is worse than chance.",
    "AC1": "Gwet's AC1: also corrected for chance, in a way that suffers less where one value dominates.",
    "items": "responses or contexts (for Support: passages) that two people or more labelled.",
    "dropped": "items that two people dealt with, but at least one of them left blank, skipped or could not judge.",
    "intervals": "95 %, from resampling whole tasks.",
}


def render() -> None:
    """Draws the screen."""
    study = state.study()
    with figures.screen(study, "Agreement"):
        given = choices(study)
        if not given.seal.is_open:
            st.html(figures.sentence(figures.sealed(given.seal), notice=True))
            st.html(figures.sentence("They can be opened early on the Report screen.", soft=True))
            return
        found = raters.agreement(study, sample_id=figures.pick_sample(given))
        if found.labels:
            _draw(study, found)
        else:
            _empty()


def _empty() -> None:
    st.html(figures.sentence("Nobody can be compared yet: no item has labels of two people.", notice=True))
    st.html(
        figures.listed(
            [
                "If people are still labelling, come back later: items that go to two people are spread over the plan.",
                "If no item goes to two people, draw another sample with an overlap, for example "
                "evidence-audit sample draw --name overlap --overlap 0.25, and invite at least two people.",
            ]
        )
    )


def _draw(study: Study, found: AgreementResult) -> None:
    st.html(figures.sentence(found.sentence))
    st.html(figures.table([_row(label, study) for label in found.labels]))
    skewed = [text for label in found.labels if (text := dominance(label))]
    if skewed:
        st.html(figures.heading("Where one value dominates"))
        st.html(
            figures.sentence(
                "Two people who both say nearly always the same agree often by chance alone. Alpha takes that chance "
                "off, so a few disagreements can make it low while percent is high: read it together with AC1 and "
                "with how often each value was given."
            )
        )
        st.html(figures.listed(skewed))
    names = shown_names(list_people(study))
    with st.expander("Every two people"):
        st.html(figures.table([row for label in found.labels for row in _pairs(label, names)]))
    with st.expander("What the numbers mean"):
        st.html(figures.defined(WORDS))


def _row(label: LabelAgreement, study: Study) -> dict[str, str]:
    per_passage = " passages" if study.rubric[label.label].each else ""
    return {
        "label": f"{label.title} ({label.label})" if label.label in LABELS else label.title,
        **{_column(found): _words(found) for found in label.coefficients},
        "items": f"{label.n_items}{per_passage}",
        "dropped": str(label.n_dropped),
        "cannot judge": str(label.n_cannot_judge),
        "values given": " · ".join(f"{value}\u00a0{count}" for value, count in label.prevalence.items()),
    }


def _column(found: Agreement) -> str:
    """One column for both kinds of alpha; which one it is, is said in its cell."""
    return "alpha" if found.name.startswith("krippendorff") else TITLES[found.name]


def _words(found: Agreement) -> str:
    if found.name == "percent_agreement":
        return found.why_undefined or with_interval(found.value, found.low, found.high)
    return coefficient(found) + (" ordinal" if found.name.endswith("ordinal") else "")


def dominance(label: LabelAgreement) -> str | None:
    """That one value dominates a label, if it does.

    >>> label = LabelAgreement(label="D", title="Discloses", n_items=5, n_dropped=0, n_cannot_judge=0,
    ...                        prevalence={"Yes": 1, "No": 9}, coefficients=(), pairs=())
    >>> dominance(label)
    'Discloses: “No” is 9 of 10 labels.'
    """
    total = sum(label.prevalence.values())
    value, count = max(label.prevalence.items(), key=lambda item: item[1])
    return f"{label.title}: “{value}” is {count} of {total} labels." if count >= DOMINANT * total else None


def shown_names(people: Sequence[Person]) -> dict[str, str]:
    """What each person is called; the id only where a name is missing or not the only one of its kind."""
    often = Counter(person.display_name for person in people)
    return {
        person.person_id: person.display_name
        if often[person.display_name] == 1
        else f"{person.display_name} ({person.person_id})".strip()
        for person in people
        if person.display_name
    }


def _pairs(label: LabelAgreement, names: Mapping[str, str]) -> list[dict[str, str]]:
    return [
        {
            "label": label.title,
            "people": " and ".join(names.get(person, person) for person in pair["people"]),
            "Cohen's kappa": coefficient(pair["kappa"]),
            "items": str(pair["kappa"].n),
        }
        for pair in label.pairs
    ]
